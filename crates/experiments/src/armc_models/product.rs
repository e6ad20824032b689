//! Real-time systems as products of automata with clocks.
//!
//! The automata are phase event automata, as the systems of \[Subsumer\] were. A state lasts `LEN` time units, chosen when
//! it is entered. Then all automata step together, some of them by staying where they are. An edge asks for events or for
//! their absence, and the automata that share an event agree on it. Clocks grow by `LEN` unless they are reset; the time
//! bound of a phase is checked when it is left.

use std::collections::{BTreeMap, VecDeque};

use super::system::{System, list};

/// One automaton.
#[derive(Default)]
pub(super) struct Automaton {
    phases: Vec<Phase>,
    edges: Vec<Edge>,
    /// The events it takes part in.
    events: Vec<&'static str>,
}

#[derive(Clone)]
struct Phase {
    name: &'static str,
    /// What holds as long as it lasts.
    invariant: Vec<String>,
    /// What happens while it lasts, whichever edge leaves it.
    flow: Vec<(String, String)>,
}

#[derive(Clone)]
struct Edge {
    from: usize,
    to: usize,
    events: Vec<&'static str>,
    guard: Vec<String>,
    set: Vec<(String, String)>,
}

impl Automaton {
    /// An automaton that takes part in these events.
    pub(super) fn new(events: &[&'static str]) -> Self {
        Automaton { events: events.to_vec(), ..Automaton::default() }
    }

    /// Adds a phase; the first one is where it starts, and `bad` is the error.
    pub(super) fn phase(mut self, name: &'static str, invariant: &[&str], flow: &[(&str, &str)]) -> Self {
        let phase = Phase { name, invariant: list(invariant), flow: super::system::pairs(flow) };
        self.phases.push(phase);
        self
    }

    /// Adds an edge between phases, with the events that happen.
    pub(super) fn edge(
        mut self,
        (from, to): (&'static str, &'static str),
        events: &[&'static str],
        guard: &[&str],
        set: &[(&str, &str)],
    ) -> Self {
        let find = |name| self.phases.iter().position(|p| p.name == name).expect("a phase of the automaton");
        let edge = Edge {
            from: find(from),
            to: find(to),
            events: events.to_vec(),
            guard: list(guard),
            set: super::system::pairs(set),
        };
        self.edges.push(edge);
        self
    }

    /// The edges that leave a phase, staying included.
    fn leaving(&self, phase: usize) -> Vec<Edge> {
        let stay = Edge { from: phase, to: phase, events: Vec::new(), guard: Vec::new(), set: Vec::new() };
        std::iter::once(stay).chain(self.edges.iter().filter(|e| e.from == phase).cloned()).collect()
    }
}

/// How automata step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stepping {
    /// All at once.
    Together,
    /// The first ones together; of the others (from this position on) at most one moves.
    OneOfTheRest(usize),
}

/// What a product consists of.
pub(super) struct Product<'a> {
    pub(super) about: &'a str,
    pub(super) expect: &'a str,
    pub(super) automata: Vec<Automaton>,
    /// Clocks: they grow with time.
    pub(super) clocks: Vec<&'a str>,
    /// Values chosen anew in each state, besides `LEN`.
    pub(super) chosen: Vec<&'a str>,
    /// What holds of chosen values in each state.
    pub(super) choice: Vec<String>,
    /// Other variables, and their first values.
    pub(super) data: Vec<(&'a str, &'a str)>,
    /// Other effects of every step.
    pub(super) flow: Vec<(String, String)>,
    pub(super) stepping: Stepping,
}

/// A step of all automata, while it is put together.
#[derive(Clone)]
struct Step {
    to: Vec<usize>,
    /// The events agreed on so far: they happen, or they do not.
    events: BTreeMap<&'static str, bool>,
    guard: Vec<String>,
    set: Vec<(String, String)>,
    moved: bool,
}

impl Product<'_> {
    /// The system, as text.
    pub(super) fn text(&self) -> String {
        let mut vars = vec!["LEN"];
        vars.extend(self.chosen.iter().chain(&self.clocks));
        vars.extend(self.data.iter().map(|(v, _)| v));
        let mut system = System::new(self.about, self.expect, &vars, "start");
        let first = vec![0; self.automata.len()];
        let open = std::iter::once(&"LEN").chain(&self.chosen).map(|v| ((*v).to_owned(), "_".to_owned()));
        let open: Vec<(String, String)> = open.collect();
        let zero = self.clocks.iter().map(|c| ((*c).to_owned(), "0".to_owned()));
        let data = self.data.iter().map(|(v, e)| ((*v).to_owned(), (*e).to_owned()));
        let initial: Vec<(String, String)> = open.iter().cloned().chain(zero).chain(data).collect();
        system.transition("start", &self.name(&first), &[], &initial);
        let mut known = BTreeMap::from([(first.clone(), ())]);
        let mut queue = VecDeque::from([first]);
        while let Some(from) = queue.pop_front() {
            for step in self.steps(&from) {
                let (guard, set) = self.effect(&from, &step, &open);
                system.transition(&self.name(&from), &self.name(&step.to), &guard, &set);
                if !self.is_bad(&step.to) && known.insert(step.to.clone(), ()).is_none() {
                    queue.push_back(step.to);
                }
            }
        }
        system.finish()
    }

    fn is_bad(&self, phases: &[usize]) -> bool {
        phases.iter().zip(&self.automata).any(|(p, a)| a.phases[*p].name == "bad")
    }

    fn name(&self, phases: &[usize]) -> String {
        if self.is_bad(phases) {
            return "error".to_owned();
        }
        let names: Vec<&str> = phases.iter().zip(&self.automata).map(|(p, a)| a.phases[*p].name).collect();
        format!("l({})", names.join(","))
    }

    /// All ways to step that agree on their events.
    fn steps(&self, from: &[usize]) -> Vec<Step> {
        let none = Step { to: Vec::new(), events: BTreeMap::new(), guard: Vec::new(), set: Vec::new(), moved: false };
        let mut steps = vec![none];
        for (i, (automaton, phase)) in self.automata.iter().zip(from).enumerate() {
            let alone = matches!(self.stepping, Stepping::OneOfTheRest(first) if i >= first);
            let leaving = automaton.leaving(*phase);
            let extended = steps.iter().flat_map(|step| {
                let edges = leaving.iter().filter(move |e| !(alone && step.moved && e.to != e.from));
                edges.filter_map(move |edge| join(step, automaton, edge, alone))
            });
            steps = extended.collect();
        }
        steps
    }

    /// Guard and effect of a step.
    fn effect(&self, from: &[usize], step: &Step, open: &[(String, String)]) -> (Vec<String>, Vec<(String, String)>) {
        let mut guard = vec!["LEN >= 1".to_owned()];
        guard.extend(self.choice.iter().cloned());
        let mut set = open.to_vec();
        set.extend(self.clocks.iter().map(|c| ((*c).to_owned(), format!("{c} + LEN"))));
        set.extend(self.flow.iter().cloned());
        for (phase, automaton) in from.iter().zip(&self.automata) {
            guard.extend(automaton.phases[*phase].invariant.iter().cloned());
            set.extend(automaton.phases[*phase].flow.iter().cloned());
        }
        guard.extend(step.guard.iter().cloned());
        set.extend(step.set.iter().cloned());
        (guard, set)
    }
}

/// The step with one more edge, if they agree on events.
fn join(step: &Step, automaton: &Automaton, edge: &Edge, alone: bool) -> Option<Step> {
    let mut next = step.clone();
    for event in &automaton.events {
        let happens = edge.events.contains(event);
        if *next.events.entry(event).or_insert(happens) != happens {
            return None;
        }
    }
    next.to.push(edge.to);
    next.guard.extend(edge.guard.iter().cloned());
    next.set.extend(edge.set.iter().cloned());
    next.moved |= alone && edge.to != edge.from;
    Some(next)
}
