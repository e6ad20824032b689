//! What clinch prints about Horn clauses.

use std::fmt::Write as _;

use clinch_ir::horn::{Assignment, evaluate};
use clinch_ir::print::show_formula;
use clinch_ir::{
    Application, Derivation, DerivationStep, HornSystem, HornVerdict, Interpretation, PredId, Term, Terms,
};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::check::Outcome;
use crate::report::{json_head, push, push_stats, times};
use crate::{property, smtlib};

/// Larger formulas are not shown to people.
const SHOWN_NODES: u64 = 2_000;

/// The outcome for people.
pub(crate) fn text(system: &HornSystem, outcome: &Outcome<HornVerdict>) -> String {
    let mut out = String::new();
    let (time, checked) = times(outcome);
    match &outcome.verdict {
        HornVerdict::Sat(solution) => {
            push(&mut out, &format!("SAFE: the clauses have a solution, sat ({time})"));
            push(&mut out, &format!("solution ({checked}):"));
            for id in system.predicate_ids() {
                let head = predicate_text(system, id);
                let formula = readable(&solution.terms, solution.formulas[id.index()]);
                push(&mut out, &format!("  {head}: {formula}"));
            }
        }
        HornVerdict::Unsat(derivation) => {
            let steps = derivation.steps.len();
            push(&mut out, &format!("UNSAFE: the clauses contradict each other, unsat ({time})"));
            push(&mut out, &format!("refutation in {steps} steps ({checked}):"));
            for (number, step) in derivation.steps.iter().enumerate() {
                push_step(&mut out, system, number, step);
            }
        }
        HornVerdict::Unknown(reason) => push(&mut out, &format!("UNKNOWN: {reason} ({time})")),
    }
    if let Some(note) = note(system, outcome) {
        push(&mut out, &format!("note: {note}"));
    }
    push_stats(&mut out, &outcome.stats);
    out.trim_end().to_owned()
}

/// Why a solution shows nothing, if so.
pub(crate) fn note(system: &HornSystem, outcome: &Outcome<HornVerdict>) -> Option<String> {
    matches!(outcome.verdict, HornVerdict::Sat(_)).then(|| property::missing_in_clauses(system)).flatten()
}

/// The outcome as one JSON object.
pub(crate) fn json(system: &HornSystem, outcome: &Outcome<HornVerdict>) -> String {
    let verdict = match outcome.verdict {
        HornVerdict::Sat(_) => "safe",
        HornVerdict::Unsat(_) => "unsafe",
        HornVerdict::Unknown(_) => "unknown",
    };
    let mut object = json_head(verdict, outcome);
    match &outcome.verdict {
        HornVerdict::Sat(solution) => object["solution"] = json_solution(system, solution),
        HornVerdict::Unsat(derivation) => object["refutation"] = json_refutation(system, derivation),
        HornVerdict::Unknown(reason) => object["reason"] = reason.to_string().into(),
    }
    if let Some(note) = note(system, outcome) {
        object["notes"] = json!([note]);
    }
    object["stats"] = outcome.stats.clone();
    object.to_string()
}

/// The outcome as a solver of SMT-LIB prints it.
pub(crate) fn smtlib(system: &HornSystem, outcome: &Outcome<HornVerdict>) -> String {
    match &outcome.verdict {
        HornVerdict::Sat(solution) => format!("sat\n{}", smtlib::model(system, solution).trim_end()),
        HornVerdict::Unsat(derivation) => format!("unsat\n{}", smtlib::refutation(system, derivation).trim_end()),
        HornVerdict::Unknown(reason) => format!("unknown\n; {reason}"),
    }
}

/// A predicate with its parameters.
fn predicate_text(system: &HornSystem, id: PredId) -> String {
    let predicate = system.predicate(id);
    let params: Vec<&str> = predicate.params.iter().map(|&p| system.terms.symbol_name(p)).collect();
    if params.is_empty() { predicate.name.clone() } else { format!("{}({})", predicate.name, params.join(", ")) }
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

fn push_step(out: &mut String, system: &HornSystem, number: usize, step: &DerivationStep) {
    let clause = system.clause(step.clause);
    let (line, _) = system.source.line_column(clause.span.start);
    let premises: Vec<String> = step.premises.iter().map(|p| (p + 1).to_string()).collect();
    let from = if premises.is_empty() { String::new() } else { format!(" from {}", premises.join(", ")) };
    let _ = writeln!(
        out,
        "  {:>3}  {}  (clause {}, line {line}{from})",
        number + 1,
        conclusion(system, step),
        step.clause.index() + 1
    );
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

fn json_solution(system: &HornSystem, solution: &Interpretation) -> Value {
    let entries = system.predicate_ids().map(|id| {
        let predicate = system.predicate(id);
        let params = predicate
            .params
            .iter()
            .map(|&p| json!({ "name": system.terms.symbol_name(p), "sort": system.terms.symbol_sort(p).to_string() }));
        json!({
            "predicate": predicate.name,
            "params": params.collect::<Vec<_>>(),
            "formula": readable(&solution.terms, solution.formulas[id.index()]),
        })
    });
    entries.collect()
}

fn json_refutation(system: &HornSystem, derivation: &Derivation) -> Value {
    let steps = derivation.steps.iter().map(|step| {
        let clause = system.clause(step.clause);
        let (line, column) = system.source.line_column(clause.span.start);
        let values = clause.vars.iter().zip(&step.values);
        let values = values.map(|(&v, value)| (system.terms.symbol_name(v).to_owned(), value.to_string().into()));
        json!({
            "clause": step.clause.index(),
            "line": line,
            "column": column,
            "values": values.collect::<serde_json::Map<_, _>>(),
            "premises": step.premises,
            "conclusion": conclusion(system, step),
        })
    });
    steps.collect()
}
