//! Facts of other engines, in the store of the engine that heard them.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::cfa::{CfaProgram, ProcedureId};
use clinch_terms::{Portable, Sort, Symbol, Term, Terms};

use super::{Fact, Known, Place, is_in_scope};

/// Candidates that an engine starts from at one place, at most; half as many predicates.
const MAX_SEEDS: usize = 8;

/// A state that a run was in: variables with their bits.
pub type Concrete = Vec<(Symbol, u64)>;

/// What was heard, by place. Terms are those of the store that it was read into.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// What holds: proved by someone, but not checked here.
    pub invariants: BTreeMap<Place, Vec<Term>>,
    /// What may hold.
    pub candidates: BTreeMap<Place, Vec<Term>>,
    /// What is worth asking.
    pub predicates: BTreeMap<Place, Vec<Term>>,
    /// What is worth asking anywhere in a procedure.
    pub anywhere: BTreeMap<ProcedureId, Vec<Term>>,
    /// States that runs were in.
    pub states: BTreeMap<Place, Vec<Concrete>>,
    /// Variables whose values are control.
    pub control: BTreeSet<Symbol>,
}

impl Learned {
    /// Takes facts into a store that extends the program's: how many of them make sense and are new. The others are ignored.
    pub fn absorb(&mut self, facts: &[Fact], program: &CfaProgram, terms: &mut Terms) -> usize {
        facts.iter().filter(|fact| self.absorb_one(&fact.what, program, terms) == Some(true)).count()
    }

    /// Formulas to start from at a place, the more promising first, and not too many: each costs an engine questions. What may always
    /// hold is worth more than what was worth asking for someone else.
    pub fn seeds_at(&self, place: Place) -> Vec<Term> {
        let of = |map: &'_ BTreeMap<Place, Vec<Term>>| map.get(&place).cloned().unwrap_or_default();
        let promising = of(&self.invariants).into_iter().chain(of(&self.candidates)).take(MAX_SEEDS);
        let anywhere = self.anywhere.get(&place.procedure).cloned().unwrap_or_default();
        let others = of(&self.predicates).into_iter().chain(anywhere).take(MAX_SEEDS / 2);
        promising.chain(others).collect()
    }

    /// The places that formulas are bound to.
    pub fn places(&self) -> BTreeSet<Place> {
        let all = [&self.invariants, &self.candidates, &self.predicates];
        all.into_iter().flat_map(|map| map.keys().copied()).collect()
    }

    /// Whether a fact is new; `None` if it makes no sense here.
    fn absorb_one(&mut self, fact: &Known, program: &CfaProgram, terms: &mut Terms) -> Option<bool> {
        match fact {
            Known::Invariant { at, formula } => {
                let scope = formula.symbols().all(|s| is_known(program, *at) && is_in_scope(program, at.procedure, s));
                let formula = read(program, terms, formula).filter(|_| scope)?;
                Some(add(&mut self.invariants, *at, formula))
            }
            Known::Candidate { at, formula } => {
                let formula = read(program, terms, formula).filter(|_| is_known(program, *at))?;
                Some(add(&mut self.candidates, *at, formula))
            }
            Known::Predicate { procedure, location: Some(location), formula } => {
                let at = Place { procedure: *procedure, location: *location };
                let formula = read(program, terms, formula).filter(|_| is_known(program, at))?;
                Some(add(&mut self.predicates, at, formula))
            }
            Known::Predicate { procedure, location: None, formula } => {
                let exists = procedure.index() < program.procedures.len();
                let formula = read(program, terms, formula).filter(|_| exists)?;
                Some(add(&mut self.anywhere, *procedure, formula))
            }
            // That is for people: engines look further than anyone who told it.
            Known::NoErrorWithin(_) => None,
            Known::State { at, values } => {
                let state = values.iter().map(|&(index, bits)| value(program, index, bits)).collect::<Option<_>>()?;
                is_known(program, *at).then(|| add(&mut self.states, *at, state))
            }
            Known::Control(variables) => {
                let variables = variables.iter().map(|&index| symbol(program, index)).collect::<Option<Vec<_>>>()?;
                let before = self.control.len();
                self.control.extend(variables);
                Some(self.control.len() > before)
            }
        }
    }
}

/// Adds something at a place. Whether it is new.
fn add<K: Ord, T: PartialEq>(map: &mut BTreeMap<K, Vec<T>>, at: K, what: T) -> bool {
    let here = map.entry(at).or_default();
    let new = !here.contains(&what);
    here.extend(new.then_some(what));
    new
}

/// A formula over the program's symbols.
fn read(program: &CfaProgram, terms: &mut Terms, formula: &Portable) -> Option<Term> {
    let own = formula.symbols().all(|symbol| symbol < program.terms.symbol_count());
    let term = formula.read(terms).filter(|_| own)?;
    (terms.sort(term) == Sort::Bool).then_some(term)
}

fn is_known(program: &CfaProgram, at: Place) -> bool {
    let procedure = program.procedures.get(at.procedure.index());
    procedure.is_some_and(|p| at.location.index() < p.locations.len())
}

fn symbol(program: &CfaProgram, index: u32) -> Option<Symbol> {
    program.terms.symbol_at(index as usize)
}

/// A variable with bits that fit into it.
fn value(program: &CfaProgram, index: u32, bits: u64) -> Option<(Symbol, u64)> {
    let symbol = symbol(program, index)?;
    let fits = match program.terms.symbol_sort(symbol) {
        Sort::Bool => bits <= 1,
        Sort::Int => true,
        Sort::BitVec(width) => *width >= 64 || bits >> width == 0,
        Sort::Real | Sort::Array(_) => false,
    };
    fits.then_some((symbol, bits))
}
