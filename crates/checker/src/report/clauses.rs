//! Reports about Horn clauses.

use clinch_ir::print::show_formula;
use clinch_ir::{Application, Derivation, DerivationStep, HornSystem, HornVerdict, Interpretation, PredId};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{Term, Terms};
use rustc_hash::FxHashMap;

use super::{Counterexample, Derived, Proof, Report, Solved, Subject, Verdict};
use crate::check::Outcome;
use crate::{property, smtlib};

/// Larger formulas are not shown to people.
const SHOWN_NODES: u64 = 2_000;

/// The report of a check of clauses; with the answer in SMT-LIB where that is wanted.
pub(crate) fn of_clauses(system: &HornSystem, outcome: Outcome<HornVerdict>, in_smtlib: bool) -> Report {
    let written = in_smtlib.then(|| in_smt(system, outcome.verdict.verdict()));
    let mut notes = Vec::new();
    let verdict = match outcome.verdict.verdict() {
        HornVerdict::Safe(found) => {
            notes.extend(property::missing_in_clauses(system));
            Verdict::Safe { proof: solution(system, found), under: Vec::new() }
        }
        HornVerdict::Unsafe(found) => Verdict::Unsafe { counterexample: refutation(system, found), under: Vec::new() },
        HornVerdict::Unknown(reason) => Verdict::unknown(reason),
    };
    let mut report = outcome.report(verdict, Subject::Clauses);
    report.notes = notes;
    report.artifacts.smtlib = written;
    report
}

/// The answer as a solver of SMT-LIB prints it.
fn in_smt(system: &HornSystem, verdict: &HornVerdict) -> String {
    match verdict {
        HornVerdict::Safe(solution) => format!("sat\n{}", smtlib::model(system, solution).trim_end()),
        HornVerdict::Unsafe(derivation) => format!("unsat\n{}", smtlib::refutation(system, derivation).trim_end()),
        HornVerdict::Unknown(reason) => format!("unknown\n; {reason}"),
    }
}

fn solution(system: &HornSystem, solution: &Interpretation) -> Proof {
    let solved = |id: PredId| {
        let predicate = system.predicate(id);
        let sorted = |&p: &_| (system.terms.symbol_name(p).to_owned(), system.terms.symbol_sort(p).to_string());
        Solved {
            predicate: predicate.name.clone(),
            params: predicate.params.iter().map(sorted).collect(),
            formula: readable(&solution.terms, solution.formulas[id.index()]),
        }
    };
    Proof::Solution(system.predicate_ids().map(solved).collect())
}

/// A formula, unless it is too large to be read.
fn readable(terms: &Terms, formula: Term) -> String {
    match written_nodes(terms, formula) {
        n if n <= SHOWN_NODES => show_formula(terms, formula),
        n => format!("a formula of {n} operations (--format smtlib writes it)"),
    }
}

/// How many nodes are written where shared terms are written again each time.
fn written_nodes(terms: &Terms, term: Term) -> u64 {
    fn count(terms: &Terms, term: Term, known: &mut FxHashMap<Term, u64>) -> u64 {
        if let Some(&n) = known.get(&term) {
            return n;
        }
        let n = terms.children(term).fold(1_u64, |n, child| n.saturating_add(count(terms, child, known)));
        known.insert(term, n);
        n
    }
    count(terms, term, &mut FxHashMap::default())
}

fn refutation(system: &HornSystem, derivation: &Derivation) -> Counterexample {
    let derived = |step: &DerivationStep| {
        let clause = system.clause(step.clause);
        let (line, column) = system.source.line_column(clause.span.start);
        let values = clause.vars.iter().zip(&step.values);
        Derived {
            clause: step.clause.index(),
            line,
            column,
            values: values.map(|(&v, value)| (system.terms.symbol_name(v).to_owned(), value.to_string())).collect(),
            premises: step.premises.clone(),
            conclusion: conclusion(system, step),
        }
    };
    Counterexample::Refutation(derivation.steps.iter().map(derived).collect())
}

/// What a step derives, with values.
fn conclusion(system: &HornSystem, step: &DerivationStep) -> String {
    let clause = system.clause(step.clause);
    let values: Assignment = clause.vars.iter().copied().zip(step.values.iter().cloned()).collect();
    let show = |head: &Application| {
        let args = head.args.iter().map(|&arg| match evaluate(&system.terms, &values, arg) {
            Some(value) => value.to_string(),
            None => "?".to_owned(),
        });
        let args: Vec<String> = args.collect();
        let name = &system.predicate(head.predicate).name;
        if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(", ")) }
    };
    clause.head.as_ref().map_or_else(|| "false".to_owned(), show)
}
