//! How machine integers are read by engines that work on formulas: one encoding after the other, until a verdict holds in exact
//! arithmetic.

use std::time::{Duration, Instant};

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::{Overflow, modulo_width};
use clinch_certify::{Judged, Rejection, Stop, certify};
use clinch_engine::Budget;
use clinch_engine::share::{Known, Place};
use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, Integers, Invariants};
use serde_json::json;

use super::Found;
use super::chosen::{CHECKED, Chosen, UNCHECKED};
use crate::watcher::Watcher;

/// The encodings, with the time that each gets in the first round.
const ENCODINGS: [(Encoding, Duration); 3] = [
    (UNCHECKED, Duration::from_millis(3000)),
    (Encoding::Integers(Overflow::Wraps), Duration::from_millis(400)),
    (Encoding::Bits, Duration::from_millis(700)),
];

/// The same for programs with floating-point operations: to integers their results are any numbers.
const FLOATS: [(Encoding, Duration); 2] =
    [(Encoding::Bits, Duration::from_millis(3000)), (UNCHECKED, Duration::from_millis(700))];

/// How much longer than the last one a round is.
const GROWTH: u32 = 3;

/// Long enough for everybody.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// The encodings to try, with the time that each gets in the first round.
fn encodings_of(program: &CfaProgram, only: Chosen) -> Vec<(Encoding, Duration)> {
    match (program.integers, only.0) {
        (Integers::Mathematical, _) => vec![(Encoding::Bits, FOREVER)],
        (Integers::Machine, Some(encoding)) => vec![(encoding, FOREVER)],
        (Integers::Machine, None) if has_floats(program) => FLOATS.to_vec(),
        (Integers::Machine, None) => ENCODINGS.to_vec(),
    }
}

/// Whether a program computes with floating-point numbers.
fn has_floats(program: &CfaProgram) -> bool {
    let terms = &program.terms;
    terms.all_terms().any(|term| terms.is_float_operation(term))
}

/// Tries the encodings one after the other, in rounds that grow: how long an answer takes does not depend on the limit. One that
/// gives up before its time is over does not take part in the next round; the last one left gets all the time there is.
pub(super) fn one_after_the_other(
    program: &CfaProgram,
    only: Chosen,
    budget: &Budget,
    watcher: &mut dyn Watcher,
    mut check: impl FnMut(Encoding, &Budget, &mut dyn Watcher) -> Found<CfaVerdict>,
) -> Found<CfaVerdict> {
    let mut last = Found::without_stats(CfaVerdict::Unknown(Reason::NoProgress));
    let mut left = encodings_of(program, only);
    let mut given_up: Vec<serde_json::Value> = Vec::new();
    let mut factor = 1;
    while !left.is_empty() {
        for (encoding, first) in left.clone() {
            let alone = left.len() == 1;
            let part = if alone { FOREVER } else { first * factor };
            // The re-check gets as much time again.
            let found = check(encoding, &budget.part(part), watcher);
            last = settled(program, found, budget, &budget.part(part), watcher);
            last.stats["encoding"] = name(encoding).into();
            let unknown = match last.verdict.verdict() {
                CfaVerdict::Unknown(reason) => Some(reason.clone()),
                _ => None,
            };
            if let Some(reason) = &unknown {
                given_up.push(json!({ "encoding": name(encoding), "reason": reason.to_string() }));
            }
            last.stats["given_up"] = given_up.clone().into();
            let Some(reason) = unknown.filter(|_| budget.check().is_ok()) else { return last };
            if !is_timeout(&reason) || alone {
                left.retain(|(other, _)| *other != encoding);
            }
            if encoding == UNCHECKED && matches!(reason, Reason::Uncertified(_)) && only.0.is_none() {
                // It may hold for runs in which nothing overflows, and they may be all.
                left.insert(0, (CHECKED, first));
            }
        }
        factor *= GROWTH;
    }
    last
}

fn is_timeout(reason: &Reason) -> bool {
    match reason {
        Reason::Timeout(_) => true,
        Reason::Busy(reason, _) => is_timeout(reason),
        _ => false,
    }
}

/// What is left of a verdict in exact arithmetic, and at the limit of all encodings.
fn settled(
    program: &CfaProgram,
    found: Found<CfaVerdict>,
    budget: &Budget,
    part: &Budget,
    watcher: &mut dyn Watcher,
) -> Found<CfaVerdict> {
    let start = Instant::now();
    let is_safe = matches!(found.verdict.verdict(), CfaVerdict::Safe(_));
    let checked = match found.verdict {
        verdict if !is_safe => Ok(verdict),
        verdict => {
            tell_candidates(program, verdict.verdict(), watcher);
            watcher.found();
            certify_one(program, verdict, &|| part.check().is_err())
        }
    };
    if checked.is_err() {
        watcher.rejected();
    }
    let unknown = |reason| Judged::Unchecked(CfaVerdict::Unknown(reason));
    let verdict = match (budget.check(), checked) {
        (_, Ok(verdict @ Judged::Certified(_))) => verdict,
        // What kept the last one busy is still worth knowing.
        (Err(reason), Ok(Judged::Unchecked(CfaVerdict::Unknown(Reason::Busy(_, what))))) => {
            unknown(Reason::Busy(Box::new(reason), what))
        }
        (Err(reason), _) => unknown(reason),
        (Ok(()), Ok(verdict)) => verdict,
        (Ok(()), Err(_)) => unknown(
            part.check()
                .err()
                .unwrap_or_else(|| Reason::Uncertified("the invariants do not hold in exact arithmetic".to_owned())),
        ),
    };
    Found { verdict, certify_time: found.certify_time + start.elapsed(), ..found }
}

/// Certifies a proof, or one that says less of equations: that is quickly seen to hold, or not to.
fn certify_one(
    program: &CfaProgram,
    verdict: Judged<CfaVerdict>,
    stop: Stop<'_>,
) -> Result<Judged<CfaVerdict>, Rejection> {
    let weaker = match &verdict {
        Judged::Unchecked(CfaVerdict::Safe(proof)) => modulo_width(proof),
        _ => None,
    };
    let weaker = weaker.map(|proof| certify(program, Judged::Unchecked(CfaVerdict::Safe(proof)), stop));
    match weaker {
        Some(Ok(certified)) => Ok(certified),
        _ => certify(program, verdict, stop),
    }
}

/// What a proof says about loop heads may hold even if the proof as a whole does not.
fn tell_candidates(program: &CfaProgram, verdict: &CfaVerdict, watcher: &mut dyn Watcher) {
    let CfaVerdict::Safe(CfaProof::Invariants(Invariants { terms, points, bound: None })) = verdict else { return };
    if !watcher.shares() {
        return;
    }
    for (point, formula) in points {
        let at = Place { procedure: point.procedure, location: point.location };
        for conjunct in terms.conjuncts(*formula) {
            if let Some(fact) = Known::candidate(program, terms, at, conjunct) {
                watcher.tell(fact);
            }
        }
    }
}

fn name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Bits => "bv",
        Encoding::Integers(Overflow::Ignored) => "int",
        Encoding::Integers(Overflow::Excluded) => "int without overflow",
        Encoding::Integers(Overflow::Wraps) => "int with wrap-around",
    }
}
