//! The symbolic view: a transition as a guard, a fault condition and one term per written variable, all over the
//! state before the step and the step's inputs.

use clinch_terms::{Node, Term, Terms, VarId};
use rustc_hash::FxHashMap;

use crate::definedness::{defined, in_domain};
use crate::effect::Effect;
use crate::program::{Assign, Domain, Init, Program, Rhs, TransId};

/// A transition as formulas.
#[derive(Clone, Debug)]
pub struct SymbolicTransition {
    /// Which transition.
    pub id: TransId,
    /// What it does. The guard is the data part of its enabledness, meaningful where `fault` is false; arrays are written as `Store`
    /// terms; what is open are its inputs, in their order, of which the domains are said.
    pub effect: Effect<VarId, Domain>,
    /// The step has no meaning: its guard, or an assignment of it when enabled, is undefined. Often the constant false.
    pub fault: Term,
}

impl SymbolicTransition {
    /// Reads a transition. New terms go to `terms`, which extends the program's store.
    pub fn new(program: &Program, terms: &mut Terms, id: TransId) -> Self {
        let transition = program.transition(id);
        let guard = transition.guard;
        let guard_defined = defined(program, terms, guard);
        let (mut after, mut effect_defined) = (After::default(), terms.tt());
        for block in &transition.blocks {
            let block_defined = after.run_block(program, terms, block);
            effect_defined = terms.and(effect_defined, block_defined);
        }
        let (bad_guard, bad_effect) = (terms.not(guard_defined), terms.not(effect_defined));
        let enabled_bad = terms.and(guard, bad_effect);
        let fault = terms.or(bad_guard, enabled_bad);
        let mut updates: Vec<(VarId, Term)> = after.values.into_iter().collect();
        updates.sort_unstable();
        SymbolicTransition { id, effect: Effect { guard, updates, open: after.inputs }, fault }
    }

    /// `term[e(x)/x]`: the term's value after the step, over the state before it. Program counters are replaced by
    /// their value after the step where the step moves the process.
    pub fn after(&self, program: &Program, terms: &mut Terms, term: Term) -> Term {
        let moves = &program.transition(self.id).moves;
        terms.replace(term, &mut |terms, t| match terms.node(t) {
            Node::Var(v) => self.effect.value_of(v),
            Node::At(process, location) => {
                let moved = moves.iter().find(|m| m.process == process)?;
                Some(terms.bool(moved.to == location))
            }
            _ => None,
        })
    }
}

/// What is known after some blocks of a transition.
#[derive(Default)]
struct After {
    values: FxHashMap<VarId, Term>,
    inputs: Vec<Domain>,
}

impl After {
    /// Executes one block on top of the updates so far; returns where that is defined.
    fn run_block(&mut self, program: &Program, terms: &mut Terms, block: &[Assign]) -> Term {
        let before = self.values.clone();
        let mut all_defined = terms.tt();
        for assign in block {
            let (value, value_defined) = match assign.value {
                Rhs::Term(value) => {
                    let mut ok = defined(program, terms, value);
                    let fits = in_domain(program, terms, &program.var(assign.var).domain, value);
                    ok = terms.and(ok, fits);
                    (terms.substitute(value, &before), terms.substitute(ok, &before))
                }
                Rhs::Input => {
                    self.inputs.push(program.var(assign.var).domain.clone());
                    let input = terms.intern(Node::Input(self.inputs.len() as u32 - 1));
                    (input_value(terms, &program.var(assign.var).domain, input), terms.tt())
                }
            };
            all_defined = terms.and(all_defined, value_defined);
            let new = match assign.index {
                None => value,
                Some(index) => {
                    let var = terms.var(assign.var);
                    let whole = terms.intern(Node::Binary(clinch_terms::BinOp::Select, var, index));
                    let ok = defined(program, terms, whole);
                    let ok = terms.substitute(ok, &before);
                    all_defined = terms.and(all_defined, ok);
                    let index = terms.substitute(index, &before);
                    let base = self.values.get(&assign.var).copied().unwrap_or(var);
                    terms.store(base, index, value)
                }
            };
            self.values.insert(assign.var, new);
        }
        all_defined
    }
}

/// What a variable of the domain gets from an input, which is a number.
fn input_value(terms: &mut Terms, domain: &Domain, input: Term) -> Term {
    match domain {
        Domain::Bool => {
            let zero = terms.int(0);
            let is_zero = terms.eq(input, zero);
            terms.not(is_zero)
        }
        _ => input,
    }
}

/// The inputs are in their domains.
pub fn input_condition(terms: &mut Terms, inputs: &[Domain]) -> Term {
    let mut conjuncts = Vec::new();
    for (i, domain) in inputs.iter().enumerate() {
        if let Some((lo, hi)) = domain.bounds() {
            let input = terms.intern(Node::Input(i as u32));
            let (lo, hi) = (terms.int(lo), terms.int(hi));
            conjuncts.extend([terms.le(lo, input), terms.le(input, hi)]);
        }
    }
    terms.all(conjuncts)
}

/// The term with program counters replaced by what they are at these locations.
pub fn at_locations(terms: &mut Terms, locs: &[clinch_terms::LocId], term: Term) -> Term {
    terms.replace(term, &mut |terms, t| match terms.node(t) {
        Node::At(process, location) => Some(terms.bool(locs[process.index()] == location)),
        _ => None,
    })
}

/// The initial states as a formula over the cells: every cell that has an initial value holds it.
pub fn initial_condition(program: &Program, terms: &mut Terms) -> Term {
    let mut conjuncts = Vec::new();
    for (i, var) in program.vars.iter().enumerate() {
        for (offset, init) in var.init.iter().enumerate() {
            let Init::Value(value) = *init else { continue };
            let cell = cell_term(program, terms, VarId::from_index(i), offset as i64);
            conjuncts.push(cell_equals(terms, &var.domain, cell, value));
        }
    }
    terms.all(conjuncts)
}

/// The term that reads one cell: a variable, or an element with a constant index.
pub fn cell_term(program: &Program, terms: &mut Terms, var: VarId, offset: i64) -> Term {
    let whole = terms.var(var);
    if program.var(var).len.is_none() {
        return whole;
    }
    let index = terms.int(offset);
    terms.select(whole, index)
}

/// The terms that read the cells, in their order.
pub fn cell_terms(program: &Program, terms: &mut Terms) -> Vec<Term> {
    let vars = program.vars.iter().enumerate();
    let cells = vars.flat_map(|(i, var)| (0..var.cells()).map(move |offset| (VarId::from_index(i), offset)));
    cells.map(|(var, offset)| cell_term(program, terms, var, offset.into())).collect()
}

/// `cell = value` for a cell of the domain.
pub fn cell_equals(terms: &mut Terms, domain: &Domain, cell: Term, value: i64) -> Term {
    match domain {
        Domain::Bool if value != 0 => cell,
        Domain::Bool => terms.not(cell),
        _ => {
            let value = terms.int(value);
            terms.eq(cell, value)
        }
    }
}
