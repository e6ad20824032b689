//! Invariants at call boundaries: what holds where a function is entered, and behind its calls.

use std::collections::BTreeMap;

use clinch_analyses::intervals::{Intervals, bounds};
use clinch_certify::{Candidates, Stop, consequences};
use clinch_ir::cfa::{CfaProgram, Invariants, Op, ProcedureId};
use clinch_terms::predicate::{Atom, atoms};
use clinch_terms::{BinOp, LocId, Node, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// Boundaries that are looked at.
const BOUNDARIES: usize = 40;
/// Formulas tried at one of them.
const CANDIDATES: usize = 30;

/// Formulas that hold at boundaries, as their conjunction. The candidates are the literals of the proof and the bounds that a
/// data-flow pass finds; each was checked against what was proved at the loop heads.
pub(super) fn at_calls(
    program: &CfaProgram,
    proof: &Invariants,
    terms: &mut Terms,
    is_in_scope: &dyn Fn(&Terms, ProcedureId, Term) -> bool,
    stop: Stop<'_>,
) -> Vec<(ProcedureId, LocId, Term)> {
    let intervals = Intervals::new(program);
    let literals = literals(proof, terms);
    let mut candidates = Vec::new();
    for ((procedure, location), arguments) in boundaries(program).into_iter().take(BOUNDARIES) {
        let mut formulas = Vec::new();
        if let Some(known) = intervals.as_ref().and_then(|i| i.at(procedure, location)) {
            let with_sign = |s: Symbol| program.variables.get(&s).is_none_or(|v| v.signed);
            let is_number = |s: Symbol| program.variables.get(&s).is_some_and(|v| !v.pointer);
            let known = known.facts().filter(|(s, _)| is_number(*s));
            formulas.extend(known.flat_map(|(s, fact)| bounds(terms, s, fact, with_sign(s))));
        }
        for &literal in &literals {
            formulas.push(literal);
            formulas.push(terms.substitute_symbols(literal, &arguments));
        }
        formulas.retain(|&formula| is_in_scope(terms, procedure, formula));
        if location == program.procedure(procedure).entry {
            // No variable of the body has been declared there.
            let locals = &program.procedure(procedure).locals;
            formulas.retain(|&formula| !terms.symbols(formula).iter().any(|symbol| locals.contains(symbol)));
        }
        formulas.sort_unstable();
        formulas.dedup();
        formulas.truncate(CANDIDATES);
        candidates.push(Candidates { procedure, location, formulas });
    }
    let found = consequences(program, proof, terms, candidates, stop).unwrap_or_default();
    let conjunction = |p: Candidates| {
        let formulas = without_implied(terms, p.formulas);
        (p.procedure, p.location, terms.all(formulas))
    };
    found.into_iter().map(conjunction).collect()
}

/// Where a variable has a known value, nothing else need be said of it alone.
fn without_implied(terms: &Terms, formulas: Vec<Term>) -> Vec<Term> {
    let value = |formula: Term| match terms.node(formula) {
        Node::Binary(BinOp::Eq, a, b) if terms.as_bit_vec(a).is_some() || terms.as_bit_vec(b).is_some() => {
            Some(terms.symbols(formula)).filter(|s| s.len() == 1)
        }
        _ => None,
    };
    let valued: Vec<(Term, Vec<Symbol>)> = formulas.iter().filter_map(|&f| Some((f, value(f)?))).collect();
    let implied = |f: Term| valued.iter().any(|(v, symbols)| *v != f && terms.symbols(f) == *symbols);
    formulas.into_iter().filter(|&f| value(f).is_some() || !implied(f)).collect()
}

/// The literals of the invariants: atoms and their negations.
fn literals(proof: &Invariants, terms: &mut Terms) -> Vec<Term> {
    let mut found = Vec::new();
    for (_, formula) in &proof.points {
        for atom in atoms(terms, *formula) {
            let Atom::Predicate { term, .. } = atom else { continue };
            for literal in [term, terms.not(term)] {
                if !found.contains(&literal) {
                    found.push(literal);
                }
            }
        }
    }
    found
}

/// Variables that are passed, with the parameters that take them.
type Arguments = FxHashMap<Symbol, Term>;

/// Where functions of the program are entered, with what callers pass, and where calls return to.
fn boundaries(program: &CfaProgram) -> BTreeMap<(ProcedureId, LocId), Arguments> {
    let mut found: BTreeMap<(ProcedureId, LocId), Arguments> = BTreeMap::new();
    let mut terms = program.terms.clone();
    // What calls `main` is not written anywhere.
    for (i, procedure) in program.procedures.iter().enumerate().filter(|(i, _)| *i != program.entry.index()) {
        for edge in &procedure.edges {
            let Op::Call { callee, args, .. } = &edge.op else { continue };
            let called = program.procedure(*callee);
            let passed = args.iter().zip(&called.params).filter_map(|(arg, parameter)| match terms.node(*arg) {
                Node::Symbol(variable) => Some((variable, terms.symbol(*parameter))),
                _ => None,
            });
            found.entry((*callee, called.entry)).or_default().extend(passed);
            found.entry((ProcedureId::from_index(i), edge.to)).or_default();
        }
    }
    found
}
