//! Whether inputs can be such that a condition holds, together with those conditions that have to do with it.

use std::rc::Rc;

use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{Node, Sort, Symbol, Term, Terms, Value};
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use super::state::{Model, State};

/// Work that a question may do before the solver gives up, and its milliseconds.
const RESOURCES: u32 = 2_000_000;
const MILLISECONDS: u32 = 500;
/// Questions after which the solver starts anew: it keeps what it knows of all terms.
const QUESTIONS: u64 = 20_000;
/// A condition with more symbols or nodes is not guessed at.
const FEW_SYMBOLS: usize = 4;
const SMALL: usize = 200;

/// Values that make conditions hold; nothing if there are none or nobody knows.
type Found = Option<Rc<[(Symbol, Value)]>>;

pub(super) struct Queries {
    solver: Z3Solver,
    known: FxHashMap<Vec<Term>, Found>,
    symbols: FxHashMap<Term, Rc<[Symbol]>>,
    /// What is known of symbols wherever they are used.
    domains: FxHashMap<Symbol, Term>,
    /// Questions to the solver.
    pub(super) asked: u64,
    /// Questions that were answered without it.
    pub(super) saved: u64,
}

impl Queries {
    pub(super) fn new() -> Self {
        let (known, symbols, domains) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Queries { solver: solver(), known, symbols, domains, asked: 0, saved: 0 }
    }

    pub(super) fn symbols(&mut self, terms: &Terms, term: Term) -> Rc<[Symbol]> {
        Rc::clone(self.symbols.entry(term).or_insert_with(|| terms.symbols(term).into()))
    }

    /// A condition on one symbol, which zero satisfies.
    pub(super) fn restrict(&mut self, symbol: Symbol, condition: Term) {
        self.domains.insert(symbol, condition);
    }

    /// Inputs for which a run comes where the state is and the condition holds.
    pub(super) fn model(&mut self, terms: &mut Terms, state: &State, condition: Term) -> Option<Rc<Model>> {
        match terms.node(condition) {
            Node::Bool(false) => return None,
            _ if state.model.holds(terms, condition) => return Some(Rc::clone(&state.model)),
            _ => {}
        }
        let symbols = self.symbols(terms, condition).iter().copied().collect();
        let mut related = self.related(terms, state, symbols);
        related.push(condition);
        related.extend(terms.symbols_of(&related).iter().filter_map(|symbol| self.domains.get(symbol)));
        related.sort_unstable();
        related.dedup();
        let guessed = self.guess(terms, &state.model, &related, condition);
        let values = match guessed {
            Some(values) => values,
            None => self.solve(terms, related)?,
        };
        let mut model = Model::clone(&state.model);
        model.0.extend(values.iter().cloned());
        Some(Rc::new(model))
    }

    /// The conditions of the state that have to do with these symbols, by way of others too.
    pub(super) fn related(&mut self, terms: &Terms, state: &State, mut symbols: FxHashSet<Symbol>) -> Vec<Term> {
        let mut others: Vec<Term> = state.conditions.iter().copied().collect();
        let mut related = Vec::new();
        loop {
            let before = related.len();
            others.retain(|&other| {
                let own = self.symbols(terms, other);
                let shares = own.iter().any(|symbol| symbols.contains(symbol));
                if shares {
                    symbols.extend(own.iter().copied());
                    related.push(other);
                }
                !shares
            });
            if related.len() == before {
                related.sort_unstable();
                related.dedup();
                return related;
            }
        }
    }

    /// Most conditions compare one input with a constant: another value of one symbol is enough.
    fn guess(&mut self, terms: &Terms, model: &Model, related: &[Term], condition: Term) -> Found {
        let symbols = self.symbols(terms, condition);
        if symbols.len() > FEW_SYMBOLS || terms.size(condition, SMALL) >= SMALL {
            return None;
        }
        let mut constants = vec![BigUint::ZERO, BigUint::from(1u32)];
        for part in terms.parts(condition) {
            let Some((_, bits)) = terms.as_bit_vec(part) else { continue };
            constants.extend([bits.clone() + 1u32, bits.clone()]);
            constants.extend((bits != BigUint::ZERO).then(|| bits - 1u32));
        }
        for &symbol in symbols.iter() {
            let values: Vec<Value> = match *terms.symbol_sort(symbol) {
                Sort::Bool => vec![Value::Bool(true), Value::Bool(false)],
                Sort::BitVec(width) => {
                    let ones = (BigUint::from(1u32) << width) - 1u32;
                    let own = constants.iter().chain([&ones]).map(|bits| bits & &ones);
                    own.map(|bits| Value::BitVec { width, bits }).collect()
                }
                _ => continue,
            };
            let mut changed = model.clone();
            for value in values {
                changed.0.insert(symbol, value.clone());
                if changed.holds(terms, condition) && related.iter().all(|&other| changed.holds(terms, other)) {
                    self.saved += 1;
                    return Some([(symbol, value)].into());
                }
            }
        }
        None
    }

    fn solve(&mut self, terms: &Terms, related: Vec<Term>) -> Found {
        if let Some(known) = self.known.get(&related) {
            self.saved += 1;
            return known.clone();
        }
        self.asked += 1;
        if self.asked.is_multiple_of(QUESTIONS) {
            self.solver = solver();
        }
        self.solver.push();
        related.iter().for_each(|&condition| self.solver.assert(terms, condition));
        let found: Found = (self.solver.check(terms, &[]) == Answer::Sat).then(|| {
            let symbols = terms.symbols_of(&related);
            symbols.into_iter().filter_map(|symbol| Some((symbol, self.solver.symbol_value(terms, symbol)?))).collect()
        });
        self.solver.pop();
        // What the solver says is believed once it is seen to be right.
        let found = found.filter(|values| {
            let model = Model(values.iter().cloned().collect());
            related.iter().all(|&condition| model.holds(terms, condition))
        });
        self.known.insert(related, found.clone());
        found
    }
}

fn solver() -> Z3Solver {
    let solver = Z3Solver::for_formulas();
    solver.set_limits(RESOURCES, MILLISECONDS);
    solver
}
