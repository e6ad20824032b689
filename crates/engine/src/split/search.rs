//! `BFS-AMCS`: concrete search with matching on abstract states ([Split, algorithm 4]).

use clinch_ir::{Reason, TraceEnd};

use super::abstraction::Abstraction;
use super::{Extents, Strategy};
use crate::budget::{Budget, Ticker};
use crate::concrete::{Event, Expander, Model, StateTable, hash_words};
use crate::goals::{Goals, Sighting};

/// Parent of an initial state.
const NONE: u32 = u32::MAX;

/// `States`: abstract states, the concrete state each was first met by, and how far the others reach.
#[derive(Debug)]
pub(super) struct AbstractSystem {
    keys: StateTable,
    words: usize,
    concrete: Vec<u64>,
    parents: Vec<u32>,
    pub(super) extents: Extents,
    /// States generated: the initial ones and every successor.
    pub(super) generated: u64,
}

/// A run to an error.
#[derive(Debug)]
pub(super) struct Counterexample {
    pub(super) path: Vec<Box<[u64]>>,
    pub(super) end: TraceEnd,
}

/// Why a search ends early.
enum Halt {
    Error(Counterexample),
    Stop(Reason),
}

impl From<Reason> for Halt {
    fn from(reason: Reason) -> Self {
        Halt::Stop(reason)
    }
}

/// One search.
pub(super) struct Search<'a, 'm> {
    model: &'m Model<'m>,
    expander: Expander<'m>,
    matching: Matching<'a, 'm>,
    /// `Wait` is all states from this one on.
    next: u32,
}

/// The inner loop's body: a generated state is checked, abstracted and matched.
struct Matching<'a, 'm> {
    phi: &'a Abstraction<'m>,
    expander: Expander<'m>,
    key: Vec<u64>,
    processes: usize,
    system: AbstractSystem,
    goals: Option<&'a mut Goals>,
    iteration: u64,
}

impl<'a, 'm> Search<'a, 'm> {
    pub(super) fn new(
        model: &'m Model<'m>,
        phi: &'a Abstraction<'m>,
        strategy: Strategy,
        goals: Option<&'a mut Goals>,
        iteration: u64,
    ) -> Self {
        let system = AbstractSystem {
            keys: StateTable::new(phi.words()),
            words: model.layout.words,
            concrete: Vec::new(),
            parents: Vec::new(),
            extents: Extents::new(model, strategy),
            generated: 0,
        };
        let matching = Matching {
            phi,
            expander: Expander::new(model),
            key: vec![0; phi.words()],
            processes: model.layout.locs.len(),
            system,
            goals,
            iteration,
        };
        Search { model, expander: Expander::new(model), matching, next: 0 }
    }

    /// Searches until nothing waits, or an error is found.
    pub(super) fn run(&mut self, budget: &Budget) -> Result<Option<Counterexample>, Reason> {
        match self.explore(budget) {
            Ok(()) => Ok(None),
            Err(Halt::Error(cex)) => Ok(Some(cex)),
            Err(Halt::Stop(reason)) => Err(reason),
        }
    }

    pub(super) fn into_system(self) -> AbstractSystem {
        self.matching.system
    }

    fn explore(&mut self, budget: &Budget) -> Result<(), Halt> {
        let mut ticker = Ticker::new();
        for initial in self.model.initial_states() {
            ticker.tick(budget)?;
            self.matching.generate(&initial, NONE)?;
        }
        while (self.next as usize) < self.matching.system.len() {
            ticker.tick(budget)?;
            self.expand(self.next)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Lines 4 to 10.
    fn expand(&mut self, s: u32) -> Result<(), Halt> {
        let (model, matching) = (self.model, &mut self.matching);
        self.expander.load(matching.system.concrete(s as usize));
        let mut stuck = true;
        let mut outcome = Ok(());
        self.expander.for_each(|event| {
            stuck = false;
            if outcome.is_ok() {
                outcome = match event {
                    Event::Step(step) => matching.generate(step.words, s),
                    Event::Fault(t, inputs, fault) => {
                        Err(matching.system.error(s, TraceEnd::Fault(t, inputs.to_vec(), fault)))
                    }
                    Event::Overflow(t) => Err(Halt::Stop(Expander::overflow_reason(model, t))),
                };
            }
        });
        outcome?;
        let deadlock = stuck && model.program.property.deadlock;
        if deadlock { Err(matching.system.error(s, TraceEnd::Deadlock)) } else { Ok(()) }
    }
}

impl Matching<'_, '_> {
    /// Lines 5 to 8, for a successor of `parent` or an initial state.
    #[inline]
    fn generate(&mut self, state: &[u64], parent: u32) -> Result<(), Halt> {
        self.system.generated += 1;
        self.expander.load(state);
        if self.expander.is_error()? {
            let mut path = self.system.path_to(parent);
            path.push(state.into());
            return Err(Halt::Error(Counterexample { path, end: TraceEnd::Error }));
        }
        self.phi.write_key(state, &mut self.expander, &mut self.key)?;
        match self.system.keys.insert(&self.key, hash_words(&self.key) as u32) {
            // The other half of the truth about the abstract state: what it was not stored for.
            Err(known) if self.system.concrete(known) != state => {
                self.system.extents.widen(known, &self.expander.slots()[self.processes..]);
                debug_assert!(self.system.extents.cover(known, &self.expander.slots()[self.processes..]));
            }
            Err(_) => {}
            Ok(_) => self.system.push(state, parent)?,
        }
        match &mut self.goals {
            Some(goals) => Ok(meet(goals, &self.system, state, parent, (self.phi.len() as u64, self.iteration))?),
            None => Ok(()),
        }
    }
}

fn meet(
    goals: &mut Goals,
    system: &AbstractSystem,
    state: &[u64],
    parent: u32,
    (predicates, iteration): (u64, u64),
) -> Result<(), Reason> {
    goals.meet(state, || Sighting {
        states: system.len() as u64,
        predicates,
        iteration,
        depth: system.path_to(parent).len() as u64,
        ..Sighting::default()
    })
}

impl AbstractSystem {
    /// How many abstract states there are.
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The concrete states, one after the other.
    pub(super) fn into_concrete(self) -> Vec<u64> {
        self.concrete
    }

    fn concrete(&self, number: usize) -> &[u64] {
        &self.concrete[number * self.words..][..self.words]
    }

    fn push(&mut self, state: &[u64], parent: u32) -> Result<(), Reason> {
        if self.len() >= NONE as usize - 1 {
            return Err(Reason::Unsupported("more than 2^32 states".to_string()));
        }
        self.concrete.extend_from_slice(state);
        self.parents.push(parent);
        self.extents.push(state);
        Ok(())
    }

    /// The concrete states from an initial one to this; none to [`NONE`].
    fn path_to(&self, number: u32) -> Vec<Box<[u64]>> {
        let up = |n: u32| (n != NONE).then_some(n);
        let path = std::iter::successors(up(number), |&n| up(self.parents[n as usize]));
        let mut path: Vec<Box<[u64]>> = path.map(|n| self.concrete(n as usize).into()).collect();
        path.reverse();
        path
    }

    fn error(&self, number: u32, end: TraceEnd) -> Halt {
        Halt::Error(Counterexample { path: self.path_to(number), end })
    }
}
