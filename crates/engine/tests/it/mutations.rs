//! Evidence that was spoiled is not accepted: every kind of it, in every part.

use std::time::Duration;

use clinch_analyses::clauses::Encoding;
use clinch_certify::{Judged, certify};
use clinch_engine::explicit::{RunsConfig, check_runs};
use clinch_engine::{Budget, Silent, bounded, kinduction, lazy, spds};
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, Failure, InputTrace};
use clinch_terms::{Term, Terms};

use crate::c_generated::program;

const HEAD: &str = "void reach_error(void);\nint __VERIFIER_nondet_int(void);\n_Bool __VERIFIER_nondet_bool(void);\n";

/// A loop that inputs end.
const OPEN: &str = "int main(void) {
    unsigned char x = 0;
    while (__VERIFIER_nondet_int()) { x += 2; if (x > 100) x = 0; }
    if (x % 2) reach_error();
    return 0;
}";

/// A loop with an end of its own.
const COUNTED: &str = "int main(void) {
    unsigned x = 0;
    for (unsigned i = 0; i < 5; i++) x += __VERIFIER_nondet_int() ? 2 : 4;
    if (x < 10) reach_error();
    return 0;
}";

/// A function that calls itself.
const CALLS: &str =
    "unsigned char twice(unsigned char n) { return n == 0 ? 0 : (unsigned char)(2 + twice((unsigned char)(n - 1))); }
int main(void) {
    if (twice((unsigned char)(__VERIFIER_nondet_int() & 3)) % 2) reach_error();
    return 0;
}";

const BUG: &str = "int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x == 4711 && y == 13) reach_error();
    return 0;
}";

fn read(text: &str) -> CfaProgram {
    program(&format!("{HEAD}{text}"))
}

fn budget() -> Budget {
    Budget::unlimited().with_timeout(Some(Duration::from_secs(30)))
}

fn is_accepted(program: &CfaProgram, verdict: CfaVerdict) -> bool {
    assert!(verdict.is_known(), "there is evidence");
    certify(program, Judged::Unchecked(verdict), &|| false).is_ok()
}

/// The evidence holds, and none of what was made of it does.
fn all_rejected(program: &CfaProgram, proof: &CfaProof, spoiled: Vec<(String, CfaProof)>) {
    assert!(is_accepted(program, CfaVerdict::Safe(proof.clone())));
    assert!(!spoiled.is_empty());
    for (how, proof) in spoiled {
        assert!(!is_accepted(program, CfaVerdict::Safe(proof)), "accepted: {how}");
    }
}

fn proof(verdict: CfaVerdict) -> CfaProof {
    match verdict {
        CfaVerdict::Safe(proof) => proof,
        other => panic!("{other:?}"),
    }
}

/// What a formula may be replaced by: nothing satisfies it, and what satisfied it does not any more.
fn wrong_formulas(terms: &mut Terms, formula: Term) -> [(&'static str, Term); 2] {
    [("false", terms.ff()), ("the contrary", terms.not(formula))]
}

#[test]
fn invariants() {
    for text in [OPEN, COUNTED] {
        let program = read(text);
        let found = proof(lazy::check(&program, Encoding::Bits, &lazy::Config::default(), &budget(), &mut Silent).0);
        let CfaProof::Invariants(invariants) = &found else { panic!("{found:?}") };
        let mut spoiled = Vec::new();
        for i in 0..invariants.points.len() {
            for (how, formula) in wrong_formulas(&mut invariants.terms.clone(), invariants.points[i].1) {
                let mut new = invariants.clone();
                wrong_formulas(&mut new.terms, new.points[i].1);
                new.points[i].1 = formula;
                spoiled.push((format!("{how} at point {i}"), CfaProof::Invariants(new)));
            }
            let mut new = invariants.clone();
            new.points.remove(i);
            spoiled.push((format!("without point {i}"), CfaProof::Invariants(new)));
        }
        let mut new = invariants.clone();
        let tt = new.terms.tt();
        new.points.iter_mut().for_each(|point| point.1 = tt);
        spoiled.push(("true everywhere".to_owned(), CfaProof::Invariants(new)));
        all_rejected(&program, &found, spoiled);
    }
}

#[test]
fn bounds() {
    for text in [COUNTED, CALLS] {
        let program = read(text);
        let found = proof(bounded::check(&program, &bounded::Config::default(), &budget(), &mut Silent).0);
        let CfaProof::Unrolled(bounds) = &found else { panic!("{found:?}") };
        let mut spoiled = Vec::new();
        for i in 0..bounds.loops.len() {
            let mut new = bounds.clone();
            new.loops[i].2 = 2;
            spoiled.push((format!("two iterations of loop {i}"), CfaProof::Unrolled(new)));
        }
        for i in 0..bounds.calls.len() {
            let mut new = bounds.clone();
            new.calls[i].1 = 2;
            spoiled.push((format!("two activations of procedure {i}"), CfaProof::Unrolled(new)));
        }
        all_rejected(&program, &found, spoiled);
    }
}

#[test]
fn induction() {
    let program = read(OPEN);
    let found = proof(kinduction::check(&program, &kinduction::Config::default(), &budget(), &mut Silent).0);
    let CfaProof::Induction(induction) = &found else { panic!("{found:?}") };
    let mut spoiled = Vec::new();
    for i in 0..induction.loops.len() {
        for (how, formula) in wrong_formulas(&mut induction.terms.clone(), induction.loops[i].invariant) {
            let mut new = induction.clone();
            wrong_formulas(&mut new.terms, new.loops[i].invariant);
            new.loops[i].invariant = formula;
            spoiled.push((format!("{how} at loop {i}"), CfaProof::Induction(new)));
        }
        let mut new = induction.clone();
        new.loops.remove(i);
        spoiled.push((format!("without loop {i}"), CfaProof::Induction(new)));
    }
    all_rejected(&program, &found, spoiled);
}

#[test]
fn summaries() {
    for text in [CALLS, OPEN] {
        let program = read(text);
        let config = spds::Config { abstraction: spds::Abstraction::None, ..spds::Config::default() };
        let found = proof(spds::check(&program, &config, &budget(), &mut Silent).0);
        let CfaProof::Summaries(summaries) = &found else { panic!("{found:?}") };
        let mut spoiled = Vec::new();
        let is_entry = |i: usize| {
            let point = summaries.points[i];
            program.procedure(point.procedure).entry == point.location
        };
        for i in (0..summaries.points.len()).filter(|&i| is_entry(i)) {
            let mut new = summaries.clone();
            new.points[i].formula = new.terms.ff();
            spoiled.push((format!("false at the entry {i}"), CfaProof::Summaries(new)));
            let mut new = summaries.clone();
            new.points.remove(i);
            spoiled.push((format!("without the entry {i}"), CfaProof::Summaries(new)));
        }
        let mut new = summaries.clone();
        let tt = new.terms.tt();
        new.points.iter_mut().for_each(|point| point.formula = tt);
        spoiled.push(("true everywhere".to_owned(), CfaProof::Summaries(new)));
        all_rejected(&program, &found, spoiled);
    }
}

#[test]
fn reached_states() {
    // All inputs are tried where there are few.
    let program = read(&OPEN.replace("nondet_int", "nondet_bool"));
    let found = proof(check_runs(&program, &RunsConfig::default(), &budget(), &mut Silent).0);
    let CfaProof::Reached(reached) = &found else { panic!("{found:?}") };
    let mut spoiled = Vec::new();
    for i in 0..reached.states.len() {
        let mut new = reached.clone();
        new.states.remove(i);
        spoiled.push((format!("without state {i}"), CfaProof::Reached(new)));
    }
    all_rejected(&program, &found, spoiled);
}

#[test]
fn inputs() {
    let program = read(BUG);
    let CfaVerdict::Unsafe(trace) = bounded::check(&program, &bounded::Config::default(), &budget(), &mut Silent).0
    else {
        panic!("there is an error");
    };
    assert!(is_accepted(&program, CfaVerdict::Unsafe(trace.clone())));
    assert_eq!(trace.inputs.len(), 2);
    let mut spoiled = vec![InputTrace { error: Failure::assertion("another error"), ..trace.clone() }];
    for i in 0..trace.inputs.len() {
        let mut other = trace.clone();
        other.inputs[i].bits ^= 1;
        let mut shorter = trace.clone();
        shorter.inputs.remove(i);
        spoiled.extend([other, shorter]);
    }
    for trace in spoiled {
        assert!(!is_accepted(&program, CfaVerdict::Unsafe(trace.clone())), "accepted: {trace:?}");
    }
}
