//! Recovery of control flow that is encoded in data.
//!
//! Translators from transition systems keep the program counter in Boolean or integer parameters of one predicate, and
//! all transitions in one constraint. Here each reachable valuation of such parameters becomes a predicate of its own, a
//! *location*, and each clause is specialised to the locations it connects: constraints fold to those of single
//! transitions.
//!
//! 1. [`choose`] says which parameters may be control: Boolean ones, and integers that only ever take constants.
//! 2. [`explore`] finds the reachable locations. If they are many, or the graph is not sparse as control flow is,
//!    parameters are dropped that do not only depend on the location before, and it starts again.
//! 3. [`specialise`] makes a clause for each step between locations.
//!
//! *Why it is sound.* The valuations are those that the clauses allow without regard to the other parameters, so
//! unreached ones are false in the least solution; a specialised clause is an instance of the original one. A solution is a
//! case distinction over locations; a refutation is one of the original clauses, step by step.

mod choose;
mod explore;
mod specialise;

use clinch_ir::{ClauseId, Derivation, DerivationStep, HornSystem, Interpretation, PredId, Predicate, Reason};
use clinch_terms::{Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::Size;
use explore::{Explorer, Found};
use specialise::Specialiser;

/// How far control flow is recovered.
#[derive(Clone, Debug)]
pub struct ControlOptions {
    /// How many locations there may be beyond one for each predicate.
    pub max_locations: usize,
    /// How many there must be for it to pay: a solution becomes a case distinction.
    pub min_locations: usize,
    /// How many locations a clause may lead to from given ones.
    pub max_successors: usize,
    /// How many clauses there may be more for each additional location: where there are more, it is no control flow.
    pub max_degree: usize,
    /// How many clauses there may be more in all.
    pub max_clauses: usize,
    /// How many questions the solver is asked to find locations.
    pub max_checks: usize,
    /// A clause whose constraint is a disjunction becomes at most so many clauses.
    pub split_disjunctions: usize,
}

impl Default for ControlOptions {
    fn default() -> Self {
        ControlOptions {
            max_locations: 100,
            min_locations: 3,
            max_successors: 16,
            max_degree: 4,
            max_clauses: 1000,
            max_checks: 600,
            split_disjunctions: 4,
        }
    }
}

/// What recovery did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct ControlStats {
    /// Parameters that became control.
    pub explicit: usize,
    /// Parameters that looked like control, but took too many values.
    pub dropped: usize,
    /// Questions to the solver.
    pub checks: usize,
    /// The size of the system afterwards.
    pub after: Size,
}

/// Clauses in which control is explicit, and how their evidence becomes evidence of the original ones.
#[derive(Clone, Debug)]
pub struct Split {
    /// The clauses; their terms extend those of the original.
    pub system: HornSystem,
    /// What was done.
    pub stats: ControlStats,
    /// For each predicate of `system` what it stands for.
    locations: Vec<Location>,
    /// For each original predicate the positions of its explicit parameters, ascending.
    explicit: Vec<Vec<usize>>,
    /// For each clause of `system` the one it is an instance of.
    origins: Vec<Instance>,
}

/// A predicate together with values of its explicit parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Location {
    predicate: PredId,
    /// One per explicit parameter; 0 and 1 for truth values.
    values: Vec<i64>,
}

/// The clause that was specialised, and what became of its symbols; those not listed may take any value.
#[derive(Clone, Debug)]
struct Instance {
    clause: ClauseId,
    symbols: Vec<(Symbol, Meaning)>,
}

#[derive(Clone, Debug)]
enum Meaning {
    Renamed(Symbol),
    Constant(Value),
}

/// Makes control explicit. `None` if there is none, or too much of it, or `stop` says so.
pub fn recover_control(system: &HornSystem, options: &ControlOptions, stop: &dyn Fn() -> bool) -> Option<Split> {
    let mut explorer = Explorer::new(system, options, stop);
    let mut explicit = choose::candidates(&mut explorer)?;
    let before: usize = explicit.iter().map(Vec::len).sum();
    let found = loop {
        if explicit.iter().all(Vec::is_empty) {
            return None;
        }
        match explorer.run(&explicit) {
            Found::Graph(graph) if graph.additional_locations() < options.min_locations => return None,
            Found::Graph(graph) => break graph,
            Found::TooMany(varying) if !varying.is_empty() => {
                varying.iter().for_each(|(p, position)| explicit[*p].retain(|i| i != position));
            }
            Found::TooMany(_) | Found::Stopped => return None,
        }
    };
    let (checks, terms) = (explorer.checks, explorer.terms);
    let mut split = Specialiser::new(system, terms, options, &explicit).run(&found, stop)?;
    let left = explicit.iter().map(Vec::len).sum();
    split.stats = ControlStats { explicit: left, dropped: before - left, checks, after: Size::of(&split.system) };
    Some(split)
}

impl Split {
    /// A solution of these clauses as one of the original clauses.
    pub fn solution(&self, original: &HornSystem, solution: Interpretation) -> Interpretation {
        let Interpretation { mut terms, formulas } = solution;
        let mut cases: Vec<Vec<Term>> = vec![Vec::new(); original.predicates.len()];
        for ((location, predicate), formula) in self.locations.iter().zip(&self.system.predicates).zip(formulas) {
            let case = self.case(original, &mut terms, (location, predicate), formula);
            cases[location.predicate.index()].push(case);
        }
        let formulas = cases.into_iter().map(|c| terms.any(c)).collect();
        Interpretation { terms, formulas }
    }

    /// The formula of a location, and that control is there.
    fn case(
        &self,
        original: &HornSystem,
        terms: &mut Terms,
        (location, predicate): (&Location, &Predicate),
        formula: Term,
    ) -> Term {
        let explicit = &self.explicit[location.predicate.index()];
        let params = &original.predicate(location.predicate).params;
        let data = (0..params.len()).filter(|i| explicit.binary_search(i).is_err());
        let map: FxHashMap<Symbol, Term> =
            predicate.params.iter().zip(data).map(|(&new, old)| (new, terms.symbol(params[old]))).collect();
        let formula = terms.substitute_symbols(formula, &map);
        let mut here = Vec::new();
        for (&i, &value) in explicit.iter().zip(&location.values) {
            let param = terms.symbol(params[i]);
            here.push(has_value(terms, param, params[i], value));
        }
        here.push(formula);
        terms.all(here)
    }

    /// A refutation of these clauses as one of the original clauses.
    pub fn refutation(&self, original: &HornSystem, derivation: &Derivation) -> Result<Derivation, Reason> {
        let malformed = || Reason::Uncertified("a derivation without its clause".to_owned());
        let steps = derivation.steps.iter().map(|step| {
            let instance = self.origins.get(step.clause.index()).ok_or_else(malformed)?;
            let vars = &self.system.clause(step.clause).vars;
            let values: FxHashMap<Symbol, &Value> = vars.iter().copied().zip(&step.values).collect();
            let meanings: FxHashMap<Symbol, &Meaning> = instance.symbols.iter().map(|(s, m)| (*s, m)).collect();
            let value = |&symbol: &Symbol| {
                let known = match meanings.get(&symbol) {
                    Some(Meaning::Renamed(new)) => values.get(new).copied().cloned(),
                    Some(Meaning::Constant(value)) => Some(value.clone()),
                    None => None,
                };
                known.unwrap_or_else(|| Value::default_of(original.terms.symbol_sort(symbol)))
            };
            let values = original.clause(instance.clause).vars.iter().map(value).collect();
            Ok(DerivationStep { clause: instance.clause, values, premises: step.premises.clone() })
        });
        Ok(Derivation { steps: steps.collect::<Result<_, Reason>>()? })
    }
}

/// That a term has a value of the symbol's sort.
fn has_value(terms: &mut Terms, term: Term, symbol: Symbol, value: i64) -> Term {
    if *terms.symbol_sort(symbol) == Sort::Bool {
        return if value != 0 { term } else { terms.not(term) };
    }
    let value = terms.int(value);
    terms.eq(term, value)
}
