//! Procedure summaries: checked edge by edge, calls by composition, in exact arithmetic.

use std::borrow::Cow;

use clinch_analyses::finite::{bound_heap, narrow, narrow_heap};
use clinch_ir::Effect;
use clinch_ir::cfa::effects::{Effects, fresh_like};
use clinch_ir::cfa::{CfaProgram, Edge, Op, ProcedureId, Summaries};
use clinch_smt::Z3Solver;
use clinch_terms::{LocId, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cells::Cells;
use crate::diagrams::Diagrams;
use crate::unsatisfiable::{Limits, unsatisfiable};
use crate::{Rejection, Stop};

/// Formulas with so many parts are large.
const LARGE: usize = 1000;

/// Limits of a query: work, milliseconds.
const LIMITS: Limits = (100_000_000, 20_000);

/// Checks that the formulas hold at the start and whenever a procedure is called, are kept by every edge and by every call
/// that comes back, and exclude every error and everything without verdict.
pub fn check_summaries(original: &CfaProgram, proof: &Summaries, stop: Stop<'_>) -> Result<(), Rejection> {
    let program = meant(original, proof)?;
    let program = program.as_ref();
    if !proof.terms.extends(&program.terms) {
        return Err(Rejection::Wrong("it is about another program".to_owned()));
    }
    let effects = effects(program, &proof.terms)?;
    let entries = entries(program, proof, effects.next_address)?;
    let formulas = proof.points.iter().map(|p| ((p.procedure, p.location), p.formula)).collect();
    let mut globals: Vec<Symbol> = program.globals.iter().map(|g| g.symbol).collect();
    globals.extend(program.regions.iter().map(|r| r.symbol));
    globals.push(effects.next_address);
    let solver = Z3Solver::for_formulas();
    let terms = proof.terms.clone();
    let cells = Cells::default();
    let diagrams = Diagrams::new(&proof.order);
    let mut checker = Checker { program, terms, effects, entries, formulas, globals, cells, solver, diagrams, stop };
    checker.check_start()?;
    for point in &proof.points {
        let procedure = program.procedure(point.procedure);
        for edge in procedure.edges.iter().filter(|e| e.from == point.location) {
            checker.check_edge(point.procedure, edge, point.formula)?;
        }
    }
    Ok(())
}

/// The program that the proof is about. A heap of so many bits is no other program, since the proof excludes that it is exhausted.
fn meant<'p>(original: &'p CfaProgram, proof: &Summaries) -> Result<Cow<'p, CfaProgram>, Rejection> {
    let Some(heap_bits) = proof.heap_bits else {
        return Ok(match proof.int_bits {
            Some(bits) => Cow::Owned(narrow(original, bits).program),
            None => Cow::Borrowed(original),
        });
    };
    let mut heap = bound_heap(original, heap_bits).map_err(Rejection::Wrong)?;
    Ok(Cow::Owned(match proof.int_bits {
        Some(bits) => narrow_heap(&mut heap, bits).program,
        None => heap.program,
    }))
}

/// The reading of edges; its counter of addresses is the first symbol behind the program's.
fn effects<'p>(program: &'p CfaProgram, terms: &Terms) -> Result<Effects<'p>, Rejection> {
    let mut probe = program.terms.clone();
    let effects = Effects::new(program, &mut probe);
    let counter = effects.next_address;
    let known = counter.index() < terms.symbol_count()
        && terms.symbol_name(counter) == probe.symbol_name(counter)
        && terms.symbol_sort(counter) == probe.symbol_sort(counter);
    known.then_some(effects).ok_or_else(|| Rejection::Wrong("it does not know the counter of addresses".to_owned()))
}

/// The symbols for values at the entry: new ones, one for each variable.
fn entries(program: &CfaProgram, proof: &Summaries, counter: Symbol) -> Result<FxHashMap<Symbol, Symbol>, Rejection> {
    let mut seen = FxHashSet::default();
    for &(variable, entry) in &proof.entries {
        let new = entry.index() >= program.terms.symbol_count() && entry != counter && seen.insert(entry);
        if !new || proof.terms.symbol_sort(variable) != proof.terms.symbol_sort(entry) {
            return Err(Rejection::Wrong("its values at the entry are others".to_owned()));
        }
    }
    let entries: FxHashMap<Symbol, Symbol> = proof.entries.iter().copied().collect();
    if entries.len() != proof.entries.len() {
        return Err(Rejection::Wrong("a variable has several values at the entry".to_owned()));
    }
    Ok(entries)
}

struct Checker<'p, 'a> {
    program: &'p CfaProgram,
    terms: Terms,
    effects: Effects<'p>,
    entries: FxHashMap<Symbol, Symbol>,
    formulas: FxHashMap<(ProcedureId, LocId), Term>,
    globals: Vec<Symbol>,
    cells: Cells,
    solver: Z3Solver,
    diagrams: Diagrams,
    stop: Stop<'a>,
}

type Values = FxHashMap<Symbol, Term>;

impl Checker<'_, '_> {
    /// The initial values satisfy the formula of the start.
    fn check_start(&mut self) -> Result<(), Rejection> {
        let program = self.program;
        let values = self.effects.initial_values(&mut self.terms).into_iter().collect();
        let values = self.entered(program.entry, values);
        let entry = program.procedure(program.entry).entry;
        let broken = self.broken(program.entry, entry, &values);
        self.exclude(&[broken], "the initial values")
    }

    /// All values of a procedure that is entered with these values of globals and parameters: those at the entry are the same,
    /// other locals have any.
    fn entered(&mut self, procedure: ProcedureId, mut values: Values) -> Values {
        let procedure = self.program.procedure(procedure);
        for &variable in procedure.params.iter().chain(&procedure.locals) {
            let any = fresh_like(&mut self.terms, variable);
            let any = self.terms.symbol(any);
            values.entry(variable).or_insert(any);
        }
        for variable in self.globals.iter().chain(&procedure.params) {
            if let Some(&entry) = self.entries.get(variable) {
                let now = self.terms.symbol(*variable);
                let value = values.get(variable).copied().unwrap_or(now);
                values.insert(entry, value);
            }
        }
        values
    }

    /// That the formula of a location does not hold for some values.
    fn broken(&mut self, procedure: ProcedureId, location: LocId, values: &Values) -> Term {
        match self.formulas.get(&(procedure, location)) {
            Some(&formula) => {
                let after = self.terms.substitute_symbols(formula, values);
                self.terms.not(after)
            }
            None => self.terms.tt(),
        }
    }

    fn check_edge(&mut self, procedure: ProcedureId, edge: &Edge, formula: Term) -> Result<(), Rejection> {
        let program = self.program;
        let what = format!("an edge of {} from location {}", program.procedure(procedure).name, edge.from.index());
        let effect = match &edge.op {
            Op::Exit(_) | Op::Abort => return Ok(()),
            Op::Error(_) | Op::Unsupported(_) | Op::Undefined(_) => return self.exclude(&[formula], &what),
            Op::Call { callee, args, result } => {
                return self.check_call(procedure, edge, formula, (*callee, args, *result));
            }
            Op::Return(value) => {
                let updates = program.procedure(procedure).result.zip(*value).into_iter().collect();
                Effect::of_updates(&mut self.terms, updates)
            }
            op => self.effects.of(&mut self.terms, op),
        };
        let values: Values = effect.updates.iter().copied().collect();
        let guard = effect.guard;
        if self.formulas.get(&(procedure, edge.to)) == Some(&formula)
            && self.terms.substitute_symbols(formula, &values) == formula
        {
            // Nothing that it speaks of is written.
            return Ok(());
        }
        if let Some(kept) = self.kept_in_diagrams((formula, guard), (procedure, edge.to), &values) {
            return if kept { Ok(()) } else { Err(Rejection::Wrong(format!("it is broken by {what}"))) };
        }
        let broken = self.broken(procedure, edge.to, &values);
        self.exclude(&[formula, guard, broken], &what)
    }

    /// Whether the formula of a location is kept by a step into it: for large formulas about bits, which decision diagrams know more of
    /// than the solver does. `None` if they do not.
    fn kept_in_diagrams(
        &mut self,
        (formula, guard): (Term, Term),
        to: (ProcedureId, LocId),
        values: &Values,
    ) -> Option<bool> {
        let after = self.formulas.get(&to).copied();
        let is_large = |formula: Term| self.terms.size(formula, LARGE) >= LARGE;
        if !self.program.regions.is_empty() || !(is_large(formula) || after.is_some_and(is_large)) || (self.stop)() {
            return None;
        }
        let after = after.unwrap_or_else(|| self.terms.ff());
        self.diagrams.implies(&self.terms, &[formula, guard], after, values)
    }

    /// The callee may be entered, and what it does leads to where the call comes back.
    fn check_call(
        &mut self,
        procedure: ProcedureId,
        edge: &Edge,
        formula: Term,
        (callee, args, result): (ProcedureId, &[Term], Option<Symbol>),
    ) -> Result<(), Rejection> {
        let program = self.program;
        let called = program.procedure(callee);
        let what = format!("a call of {} in {}", called.name, program.procedure(procedure).name);
        if args.len() != called.params.len() {
            return Err(Rejection::Wrong(format!("{what} has other arguments")));
        }
        let arguments: Values = called.params.iter().copied().zip(args.iter().copied()).collect();
        let inside = self.entered(callee, arguments);
        let broken = self.broken(callee, called.entry, &inside);
        self.exclude(&[formula, broken], &what)?;
        let Some(&summary) = self.formulas.get(&(callee, called.exit)) else { return Ok(()) };
        let mut at_exit = inside;
        for &variable in called.params.iter().chain(&called.locals).chain(&self.globals) {
            let any = fresh_like(&mut self.terms, variable);
            let any = self.terms.symbol(any);
            at_exit.insert(variable, any);
        }
        let summary = self.terms.substitute_symbols(summary, &at_exit);
        let mut after: Values = self.globals.iter().map(|g| (*g, at_exit[g])).collect();
        if let Some(target) = result {
            let value = called.result.and_then(|r| at_exit.get(&r).copied());
            let value = value.ok_or_else(|| Rejection::Wrong(format!("{what} has no result")))?;
            after.insert(target, value);
        }
        let broken = self.broken(procedure, edge.to, &after);
        self.exclude(&[formula, summary, broken], &what)
    }

    fn exclude(&mut self, conditions: &[Term], what: &str) -> Result<(), Rejection> {
        let conditions = self.cells.separate(&mut self.terms, conditions);
        unsatisfiable((&mut self.solver, &mut self.terms), &conditions, LIMITS, what, self.stop)
    }
}
