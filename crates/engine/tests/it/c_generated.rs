//! The engines for C on the programs of the front end's generator: they agree with the exhaustive search.

use std::time::Duration;

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::Overflow;
use clinch_attack::generate;
use clinch_certify::{check_induction, check_input_trace, check_invariants, check_reached_states, check_unrolling};
use clinch_engine::explicit::{RunsConfig, check_runs};
use clinch_engine::lazy::{self, Order, Values};
use clinch_engine::{Budget, Silent, alpha, bounded, kinduction, split};
use clinch_frontend::c::{Options, Unit, read};
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict};

/// Programs that are tried, each by two engines or strategies.
const PROGRAMS: usize = 16;
/// Longer programs have their turn in the front end's tests.
const LINES: usize = 110;
/// What the exhaustive search may take; programs that need more are no oracle.
const SEARCH: Duration = Duration::from_millis(200);
/// What an engine may take.
const PROOF: Duration = Duration::from_millis(600);

/// A generated program with small domains: an input is one of two values, and the error depends on all that was computed.
fn small(seed: u64) -> Option<String> {
    let text = generate::program(seed).text("");
    if text.lines().count() > LINES {
        return None;
    }
    let mut kinds = Vec::new();
    for part in text.split("__VERIFIER_nondet_").skip(1) {
        let kind = part.split('(').next().unwrap_or_default().to_owned();
        if kind != "bool" && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let (mut head, mut body) = (String::new(), text);
    for (i, kind) in kinds.iter().enumerate() {
        body = body.replace(&format!("__VERIFIER_nondet_{kind}()"), &format!("small_{kind}()"));
        let (a, b) = (seed % 7, i64::from(seed.is_multiple_of(3)) - 3 - i as i64);
        head += &format!("static long small_{kind}(void) {{ return __VERIFIER_nondet_bool() ? {a} : {b}; }}\n");
    }
    // What the front end's tests print as a checksum is beyond solvers; a sum of few bits is not.
    let mixed = "sum = (sum ^ v) * 1099511628211ul;\n  sum ^= sum >> 29;";
    assert!(body.contains(mixed), "{body}");
    let body = body.replace(mixed, "sum = (sum + v) & 1;");
    let error = format!("if (sum == {}) reach_error();\n  return (int)(sum & 127);", seed % 2);
    let body = body.replace("return (int)(sum & 127);", &error);
    Some(format!("extern _Bool __VERIFIER_nondet_bool(void);\n{head}{body}"))
}

pub(crate) fn program(text: &str) -> CfaProgram {
    let units = [Unit { name: "test.c".to_owned(), text: text.to_owned() }];
    read(&units, &Options::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Whether the program is safe, by evidence that was checked.
fn certified(program: &CfaProgram, verdict: &CfaVerdict) -> Option<bool> {
    let accepted = match verdict {
        CfaVerdict::Safe(CfaProof::Invariants(proof)) => check_invariants(program, proof, &|| false),
        CfaVerdict::Safe(CfaProof::Unrolled(proof)) => check_unrolling(program, proof, &|| false),
        CfaVerdict::Safe(CfaProof::Induction(proof)) => check_induction(program, proof, &|| false),
        CfaVerdict::Safe(CfaProof::Reached(states)) => check_reached_states(program, states, &|| false),
        CfaVerdict::Safe(CfaProof::Summaries(_)) => unreachable!("no proof of these engines"),
        CfaVerdict::Unsafe(trace) => {
            check_input_trace(program, trace, &|| false).expect("a trace is accepted");
            return Some(false);
        }
        CfaVerdict::Unknown(_) => return None,
    };
    accepted.is_ok().then_some(true)
}

/// The engines and strategies that have their turn.
fn answers(program: &CfaProgram, turn: usize) -> (String, Option<bool>) {
    let budget = Budget::unlimited().with_timeout(Some(PROOF));
    let wraps = Encoding::Integers(Overflow::Wraps);
    let (encoding, config) = match turn % 9 {
        0 => {
            let (verdict, _) = bounded::check(program, &bounded::Config::default(), &budget, &mut Silent);
            return ("bounded".to_owned(), certified(program, &verdict));
        }
        6 => {
            let (verdict, _) = kinduction::check(program, &kinduction::Config::default(), &budget, &mut Silent);
            return ("kinduction".to_owned(), certified(program, &verdict));
        }
        7 => {
            let (verdict, _) = alpha::check_procedures(program, &alpha::Config::default(), &budget, &mut Silent);
            return ("alpha".to_owned(), certified(program, &verdict));
        }
        8 => {
            let (verdict, _) = split::check_procedures(program, &split::Config::default(), &budget, &mut Silent);
            return ("split".to_owned(), certified(program, &verdict));
        }
        1 => (Encoding::Integers(Overflow::Ignored), lazy::Config::default()),
        2 => (wraps, lazy::Config { order: Order::SubsumerFirst, ..lazy::Config::default() }),
        3 => (Encoding::Bits, lazy::Config::default()),
        4 => (Encoding::Bits, lazy::Config { values: Values::None, ..lazy::Config::default() }),
        _ => (wraps, lazy::Config::blast()),
    };
    let (verdict, _) = lazy::check(program, encoding, &config, &budget, &mut Silent);
    (format!("{encoding:?} {config:?}"), certified(program, &verdict))
}

#[test]
fn engines_agree_with_the_exhaustive_search() {
    let (mut programs, mut decided, mut bugs) = (0, 0, 0);
    let mut seeds = 0..2_000;
    while programs < PROGRAMS {
        let seed = seeds.next().expect("enough small programs");
        let Some(text) = small(seed) else { continue };
        let program = program(&text);
        let budget = Budget::unlimited().with_timeout(Some(SEARCH));
        let expected = match check_runs(&program, &RunsConfig::default(), &budget, &mut Silent).0 {
            CfaVerdict::Safe(_) => true,
            CfaVerdict::Unsafe(_) => false,
            CfaVerdict::Unknown(_) => continue,
        };
        programs += 1;
        bugs += usize::from(!expected);
        for turn in [programs, programs + 4] {
            let (who, found) = answers(&program, turn);
            assert!(found.is_none_or(|safe| safe == expected), "{who}: seed {seed}\n{text}");
            decided += usize::from(found.is_some());
        }
    }
    assert!(bugs >= PROGRAMS / 6 && programs - bugs >= PROGRAMS / 6, "{bugs} of {programs} with an error, {seeds:?}");
    assert!(decided >= programs / 2, "{decided} of {}", 2 * programs);
}
