//! Which transitions of a program matter to each other, and to the error condition: what a reduced search may leave out.
//!
//! Two transitions *accord* if in every state in which both are enabled neither disables the other one, and both orders lead to the same state
//! (\[Guard\], section 3). A transition that faults counts as enabled. The relations are found in the text of the program: by the cells and
//! locations it names, and, for formulas about one cell with few values, by trying all values.

mod conditions;
mod footprint;
mod scalar;
mod set;

use clinch_terms::{LocId, ProcId, Term, Terms};

use self::conditions::{Finder, Tests};
use self::footprint::Footprint;
use self::scalar::Scalars;
pub use self::set::TransitionSet;
use crate::definedness::violated;
use crate::program::{Program, TransId};
use crate::symbolic::SymbolicTransition;

/// Words that the relations may take; beyond, programs are too large for them.
const WORDS: usize = 1 << 22;

/// The relations between the transitions of a program.
#[derive(Debug)]
pub struct Independence {
    /// The store of the terms below; it extends the program's.
    pub terms: Terms,
    /// The error condition, true where it has no value.
    pub error: Option<Term>,
    /// Whether a step may be a fault.
    pub may_fault: bool,
    conditions: Vec<Vec<Term>>,
    dependent: Vec<TransitionSet>,
    /// For a process, a location and another one that it should come to: the moves that lead away from the first and may lead to the second.
    leaving: Vec<Vec<Vec<TransitionSet>>>,
    tests: Tests,
}

impl Independence {
    /// The relations of a program, unless it is too large.
    pub fn of(program: &Program) -> Option<Self> {
        let pairs: usize = program.processes.iter().map(|p| p.locations.len() * p.locations.len()).sum();
        let sets = pairs + program.transitions.len();
        if sets.checked_mul(program.transitions.len().div_ceil(64)).is_none_or(|words| words > WORDS) {
            return None;
        }
        let footprints: Vec<Footprint> = program.transitions.iter().map(|t| Footprint::of(program, t)).collect();
        let mut terms = program.terms.clone();
        let error = program.property.error.map(|error| violated(program, &mut terms, error));
        let scalars = Scalars::new(program, &mut terms);
        let dependent = program.transition_ids().map(|t| dependents(program, &footprints, &scalars, t)).collect();
        let mut finder =
            Finder { program, terms: &mut terms, footprints: &footprints, scalars, tests: Tests::default() };
        error.iter().for_each(|&error| finder.add(error));
        let conditions = program.transitions.iter().map(|t| finder.conditions(t.guard)).collect();
        let tests = finder.tests;
        let may_fault = program.transition_ids().any(|id| {
            let fault = SymbolicTransition::new(program, &mut terms, id).fault;
            fault != terms.ff()
        });
        Some(Independence { terms, error, may_fault, conditions, dependent, leaving: leaving(program), tests })
    }

    /// Formulas one of which is false wherever the transition is disabled although its processes are in place. One that has no value is none.
    pub fn conditions(&self, id: TransId) -> &[Term] {
        &self.conditions[id.index()]
    }

    /// The transitions that may not accord with this one.
    pub fn dependent(&self, id: TransId) -> &TransitionSet {
        &self.dependent[id.index()]
    }

    /// Transitions of which one must be taken before a process comes from a location to another one.
    pub fn leaving(&self, process: ProcId, from: LocId, to: LocId) -> &TransitionSet {
        &self.leaving[process.index()][from.index()][to.index()]
    }

    /// The tests in the error condition or in a condition, by number.
    pub fn tests(&self, formula: Term) -> Vec<usize> {
        self.tests.of(&self.terms, formula)
    }

    /// How many tests there are.
    pub fn test_count(&self) -> usize {
        self.tests.all.len()
    }

    /// The term of a test.
    pub fn test(&self, test: usize) -> Term {
        self.tests.all[test].term
    }

    /// The transitions of which one must be taken before the value of a test, which is this one now, may be another one.
    pub fn changes(&self, test: usize, value: i64) -> &TransitionSet {
        self.tests.changes(test, value)
    }

    /// Whether a formula is false wherever some of its tests have the values that are known.
    pub fn is_false(&self, formula: Term, mut known: impl FnMut(usize) -> Option<i64>) -> bool {
        !self.tests.possible(&self.terms, formula, &mut known).contains(1)
    }
}

fn dependents(program: &Program, footprints: &[Footprint], scalars: &Scalars<'_>, t: TransId) -> TransitionSet {
    let mut dependent = TransitionSet::empty(program);
    for u in program.transition_ids().filter(|&u| u != t && !accord(program, footprints, scalars, (t, u))) {
        dependent.insert(u);
    }
    dependent
}

fn accord(program: &Program, footprints: &[Footprint], scalars: &Scalars<'_>, (t, u): (TransId, TransId)) -> bool {
    let (first, second) = (program.transition(t), program.transition(u));
    let pairs = || first.moves.iter().flat_map(|m| second.moves.iter().map(move |n| (m, n)));
    let mut shared = pairs().filter(|(m, n)| m.process == n.process);
    if pairs().any(|(m, n)| m.process == n.process && m.from != n.from) {
        return true;
    }
    if shared.any(|(m, n)| m.from != m.to || n.from != n.to) {
        return scalars.exclude(t, u);
    }
    let (of_first, of_second) = (&footprints[t.index()], &footprints[u.index()]);
    let apart = !of_first.touches(of_second) && !of_first.sees_move_of(second) && !of_second.sees_move_of(first);
    apart || scalars.exclude(t, u)
}

/// For each process, location and aim.
fn leaving(program: &Program) -> Vec<Vec<Vec<TransitionSet>>> {
    let processes = (0..program.processes.len() as u32).map(ProcId);
    processes.map(|process| leaving_of(program, process)).collect()
}

fn leaving_of(program: &Program, process: ProcId) -> Vec<Vec<TransitionSet>> {
    let count = program.processes[process.index()].locations.len();
    let moves: Vec<(TransId, usize, usize)> = program
        .transition_ids()
        .flat_map(|id| program.transition(id).moves.iter().map(move |m| (id, m)))
        .filter(|(_, m)| m.process == process && m.from != m.to)
        .map(|(id, m)| (id, m.from.index(), m.to.index()))
        .collect();
    let comes: Vec<Vec<bool>> = (0..count).map(|aim| coming_to(aim, count, &moves)).collect();
    let mut sets = vec![vec![TransitionSet::empty(program); count]; count];
    for &(id, from, to) in &moves {
        for (set, _) in sets[from].iter_mut().zip(&comes).filter(|(_, comes)| comes[to]) {
            set.insert(id);
        }
    }
    sets
}

/// The locations from which moves may lead to one.
fn coming_to(aim: usize, count: usize, moves: &[(TransId, usize, usize)]) -> Vec<bool> {
    let mut comes = vec![false; count];
    let mut waiting = vec![aim];
    while let Some(location) = waiting.pop() {
        if !std::mem::replace(&mut comes[location], true) {
            waiting.extend(moves.iter().filter(|(_, _, to)| *to == location).map(|(_, from, _)| *from));
        }
    }
    comes
}
