//! `alphaSearch`: concrete search with matching on abstract states ([Alpha, figure 2]).

use std::collections::VecDeque;

use clinch_ir::{Layout, Reason, Step, Trace, TraceEnd, TransId};
use clinch_terms::LocId;

use super::exact::{AlphaState, Exactness};
use super::inputs::InputSolver;
use super::predicates::Predicates;
use super::{Context, ErrorLookup, Inputs, Order};
use crate::budget::Ticker;
use crate::concrete::{Event, Expander, StateTable, hash_words};
use crate::goals::{Goals, Sighting};

/// The structure `A` of the paper: abstract states with the concrete state each was first met by, and the transitions
/// between them.
pub(super) struct AbstractSystem {
    /// Locations and predicate values of each abstract state.
    keys: StateTable,
    /// The concrete state each was reached with.
    pub(super) concrete: Vec<Box<[u64]>>,
    /// How each was reached; the initial ones were not.
    arrivals: Vec<Option<Arrival>>,
    /// For each abstract state and transition, the abstract successors.
    pub(super) transitions: Vec<Vec<(TransId, Vec<u32>)>>,
    /// States generated: the initial ones and every successor.
    pub(super) generated: u64,
    /// The first state found to be an error.
    pub(super) error: Option<(usize, TraceEnd)>,
}

impl AbstractSystem {
    fn new(words: usize) -> Self {
        AbstractSystem {
            keys: StateTable::new(words),
            concrete: Vec::new(),
            arrivals: Vec::new(),
            transitions: Vec::new(),
            generated: 0,
            error: None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.concrete.len()
    }

    /// How many steps led to a state.
    fn depth(&self, number: usize) -> usize {
        std::iter::successors(self.arrivals[number].as_ref(), |a| self.arrivals[a.from].as_ref()).count()
    }

    /// The run from an initial state to this.
    pub(super) fn trace_to(&self, layout: &Layout, number: usize, end: TraceEnd) -> Trace {
        let mut steps = Vec::new();
        let mut current = number;
        while let Some(Arrival { from, transition, inputs }) = &self.arrivals[current] {
            let state = layout.unpack(&self.concrete[current]);
            steps.push(Step { transition: *transition, inputs: inputs.clone(), state });
            current = *from;
        }
        steps.reverse();
        Trace { initial: layout.unpack(&self.concrete[current]), steps, end }
    }
}

/// The step by which a state was reached first.
struct Arrival {
    from: usize,
    transition: TransId,
    inputs: Vec<i64>,
}

/// One search.
pub(super) struct AlphaSearch<'a> {
    context: Context<'a>,
    phi: &'a Predicates,
    pub(super) exactness: Exactness<'a>,
    solver: Option<&'a mut InputSolver>,
    expander: Expander<'a>,
    pub(super) system: AbstractSystem,
    wait: VecDeque<usize>,
    /// States to look out for, and the number of this search.
    pub(super) goals: Option<(&'a mut Goals, u64)>,
}

/// What happened when a transition was tried.
enum Outcome {
    Step(Vec<i64>, Box<[u64]>),
    Fault(TraceEnd),
    Overflow,
}

impl<'a> AlphaSearch<'a> {
    pub(super) fn new(
        context: Context<'a>,
        phi: &'a Predicates,
        exactness: Exactness<'a>,
        solver: Option<&'a mut InputSolver>,
    ) -> Self {
        let words = context.model.program.processes.len() + phi.len().div_ceil(64);
        AlphaSearch {
            context,
            phi,
            exactness,
            solver,
            expander: Expander::new(context.model),
            system: AbstractSystem::new(words.max(1)),
            wait: VecDeque::new(),
            goals: None,
        }
    }

    /// The search of figure 2.
    pub(super) fn run(&mut self) -> Result<(), Reason> {
        let mut ticker = Ticker::new();
        for state in self.initial_states()? {
            self.system.generated += 1;
            self.visit(&state, None)?;
        }
        while let Some(s) = self.next() {
            if self.system.error.is_some() && self.context.config.lookup == ErrorLookup::AtOnce {
                return Ok(());
            }
            ticker.tick(self.context.budget)?;
            self.context.budget.check()?;
            let words = self.system.concrete[s].clone();
            let alpha = self.alpha(&words)?;
            debug_assert_eq!(
                self.system.keys.get(s),
                self.key(&alpha),
                "a stored state has the labels of its abstract one"
            );
            self.label(s, &words)?;
            let mut stuck = true;
            for i in self.context.model.program.transition_ids() {
                self.expander.load(&words);
                if self.expander.in_place(i) {
                    stuck &= !self.try_transition(s, &alpha, &words, i)?;
                }
            }
            if stuck && self.context.model.program.property.deadlock {
                self.report(s, TraceEnd::Deadlock);
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<usize> {
        match self.context.config.order {
            Order::BreadthFirst => self.wait.pop_front(),
            Order::DepthFirst => self.wait.pop_back(),
        }
    }

    fn initial_states(&mut self) -> Result<Vec<Box<[u64]>>, Reason> {
        match &mut self.solver {
            Some(solver) => solver.initial_states(&mut self.exactness),
            None => Ok(self.context.model.initial_states()),
        }
    }

    /// The body of the paper's `foreach`; says whether the transition is enabled.
    fn try_transition(&mut self, s: usize, alpha: &AlphaState, words: &[u64], i: TransId) -> Result<bool, Reason> {
        let inputs = self.context.model.program.transition(i).inputs().count();
        let solve = inputs > 0 && self.context.config.inputs == Inputs::Solve;
        let outcomes = if solve { self.solved_steps(words, i)? } else { self.all_steps(i) };
        if outcomes.iter().all(|o| matches!(o, Outcome::Step(..))) {
            self.exactness.check_guard(s, alpha, i, !outcomes.is_empty());
        }
        let enabled = !outcomes.is_empty();
        let mut targets = Vec::new();
        for outcome in outcomes {
            match outcome {
                Outcome::Fault(end) => self.report(s, end),
                Outcome::Overflow => return Err(Expander::overflow_reason(self.context.model, i)),
                Outcome::Step(inputs, next) => {
                    self.system.generated += 1;
                    let arrival = Arrival { from: s, transition: i, inputs: inputs.clone() };
                    let (target, next) = self.visit(&next, Some(arrival))?;
                    if !solve {
                        self.exactness.check_successor(s, alpha, i, &inputs, &next);
                    }
                    if !targets.contains(&target) {
                        targets.push(target);
                    }
                }
            }
        }
        if solve && enabled {
            self.check_closed(s, alpha, i, &targets)?;
        }
        if enabled {
            self.system.transitions[s].push((i, targets.iter().map(|&t| t as u32).collect()));
        }
        Ok(enabled)
    }

    fn all_steps(&mut self, i: TransId) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        self.expander.for_transition(i, |event| outcomes.push(Outcome::of(event)));
        outcomes
    }

    fn solved_steps(&mut self, words: &[u64], i: TransId) -> Result<Vec<Outcome>, Reason> {
        let solver = self.solver.as_mut().expect("there is a solver when inputs are solved for");
        let mut outcomes = Vec::new();
        // Faults and disabledness show with any inputs.
        for values in solver.step_inputs(&mut self.exactness, words, i)? {
            self.expander.for_transition_with(i, &values, |event| outcomes.push(Outcome::of(event)));
        }
        Ok(outcomes)
    }

    /// Every step from this abstract state by the transition, with any inputs, ends in one of the targets.
    fn check_closed(&mut self, s: usize, alpha: &AlphaState, i: TransId, targets: &[usize]) -> Result<(), Reason> {
        let targets: Result<Vec<AlphaState>, Reason> =
            targets.iter().map(|&t| self.alpha(&self.system.concrete[t].clone())).collect();
        let solver = self.solver.as_mut().expect("there is a solver when inputs are solved for");
        solver.check_closed(&mut self.exactness, s, alpha, i, &targets?);
        Ok(())
    }

    /// Matches a generated state; it is visited if its abstract state is new.
    fn visit(&mut self, words: &[u64], arrival: Option<Arrival>) -> Result<(usize, AlphaState), Reason> {
        let parent = arrival.as_ref().map(|a| a.from);
        let state = self.alpha(words)?;
        let key = self.key(&state);
        let number = match self.system.keys.insert(&key, hash_words(&key) as u32) {
            Err(known) => known,
            Ok(new) => {
                self.system.concrete.push(words.into());
                self.system.arrivals.push(arrival);
                self.system.transitions.push(Vec::new());
                self.wait.push_back(new);
                new
            }
        };
        if let Some((goals, iteration)) = &mut self.goals {
            let (system, predicates) = (&self.system, self.phi.len() as u64);
            goals.meet(words, || Sighting {
                states: system.len() as u64,
                predicates,
                iteration: *iteration,
                depth: parent.map_or(0, |p| system.depth(p) as u64 + 1),
                ..Sighting::default()
            })?;
        }
        Ok((number, state))
    }

    fn key(&self, state: &AlphaState) -> Vec<u64> {
        let mut key: Vec<u64> = state.locs.iter().map(|l| l.0.into()).collect();
        key.extend(&state.bits);
        key.resize(self.system.keys.words(), 0);
        key
    }

    /// `alpha_Phi(s)`. Leaves the state loaded.
    fn alpha(&mut self, words: &[u64]) -> Result<AlphaState, Reason> {
        self.expander.load(words);
        let processes = self.context.model.program.processes.len();
        let locs: Vec<LocId> = self.expander.slots()[..processes].iter().map(|&l| LocId(l as u32)).collect();
        let bits = self.phi.values(&mut self.expander, &locs)?;
        Ok(AlphaState { locs, bits })
    }

    /// `L(alpha(s))`, as far as it matters: is it an error?
    fn label(&mut self, s: usize, words: &[u64]) -> Result<(), Reason> {
        self.expander.load(words);
        if self.expander.is_error()? {
            self.report(s, TraceEnd::Error);
        }
        Ok(())
    }

    fn report(&mut self, s: usize, end: TraceEnd) {
        if self.system.error.as_ref().is_none_or(|(first, _)| s < *first) {
            self.system.error = Some((s, end));
        }
    }
}

impl Outcome {
    fn of(event: Event<'_>) -> Outcome {
        match event {
            Event::Step(step) => Outcome::Step(step.inputs.to_vec(), step.words.into()),
            Event::Fault(t, inputs, fault) => Outcome::Fault(TraceEnd::Fault(t, inputs.to_vec(), fault)),
            Event::Overflow(_) => Outcome::Overflow,
        }
    }
}
