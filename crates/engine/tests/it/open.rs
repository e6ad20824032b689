//! Open systems ([Alpha, section 7.1]), limits and faults.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clinch_engine::alpha::{self, Inputs};
use clinch_engine::{Budget, Silent, explicit};
use clinch_ir::{InputDomain, Reason, TraceEnd, Verdict};
use clinch_terms::Fault;

use crate::support::{Answer, gcl, reason, run_alpha, run_explicit};

const OPEN: &str = "
var x: int; var y: int = 0;
process P { loc read, test, bad;
  read -> test do y := input;
  test -> bad when y > x + 5 and y < x + 7;
}
error P.bad;";

/// One value per satisfiable combination finds the needle without a domain.
#[test]
fn inputs_are_solved_for() {
    let (answer, _, _) = run_alpha(&gcl(OPEN), &alpha::Config::default(), 5);
    assert_eq!(answer, Answer::Unsafe);
    let safe = OPEN.replace("y < x + 7", "y < x + 6");
    let (answer, _, _) = run_alpha(&gcl(&safe), &alpha::Config::default(), 5);
    assert_eq!(answer, Answer::Safe);
}

#[test]
fn brute_force_proves_nothing_on_a_restricted_domain() {
    let domain = InputDomain(Some((-3, 3)));
    let safe = gcl(&OPEN.replace("y < x + 7", "y < x + 6"));
    let config = alpha::Config { inputs: Inputs::BruteForce(domain), ..alpha::Config::default() };
    let (_, verdict, _) = run_alpha(&safe, &config, 9);
    assert_eq!(reason(&verdict), &Reason::RestrictedInputs(-3, 3));
    let (_, verdict, _) = run_explicit(&safe, &explicit::Config { inputs: domain, ..Default::default() });
    assert_eq!(reason(&verdict), &Reason::RestrictedInputs(-3, 3));
    let (answer, _, _) = run_explicit(&gcl(OPEN), &explicit::Config { inputs: domain, ..Default::default() });
    assert_eq!(answer, Answer::Unsafe);
    let (_, verdict, _) = run_explicit(&safe, &Default::default());
    assert!(matches!(reason(&verdict), Reason::InfiniteInputs(_)));
}

#[test]
fn faults_are_errors() {
    let cases = [
        ("var x: 0..3 = 0; command do x := x + 2;", Fault::ValueOutOfRange { value: 4, lo: 0, hi: 3 }),
        ("var x: -1..3 = 1; var y: int = 0; command do y := 7 / x, x := x - 1;", Fault::DivisionByZero),
        (
            "var x: 0..3 = 0; var a: bool[2] = false; command do a[x] := true, x := x + 1;",
            Fault::IndexOutOfRange { index: 2, len: 2 },
        ),
        (
            "var x: int = 1; command when (x & 1) = 1 or x < 3000000000 do x := x * 3001;",
            Fault::BitOperand(27_027_009_001),
        ),
    ];
    for (text, expected) in cases {
        let program = gcl(text);
        for verdict in [run_explicit(&program, &Default::default()).1, run_alpha(&program, &Default::default(), 5).1] {
            match verdict {
                Verdict::Unsafe(trace) => match trace.end {
                    TraceEnd::Fault(_, _, fault) => assert_eq!(fault, expected, "{text}"),
                    end => panic!("{text}: {end:?}"),
                },
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}

#[test]
fn integers_beyond_64_bits_are_unknown() {
    let program = gcl("var x: int = 3; command do x := x * x; error x < 0;");
    let (_, verdict, _) = run_explicit(&program, &Default::default());
    assert!(matches!(reason(&verdict), Reason::Overflow(_)), "{verdict:?}");
    // The error condition, too, may not be passed over.
    let program = gcl("var x: int = 4000000000; command do x := x + 1; error x * x * x < 0;");
    let (_, verdict, _) = run_explicit(&program, &Default::default());
    assert!(matches!(reason(&verdict), Reason::Overflow(_)), "{verdict:?}");
}

#[test]
fn limits_end_a_run() {
    let program = gcl("var x: int = 0; command do x := x + 1;");
    let run = |budget: Budget| explicit::check(&program, &Default::default(), &budget, &mut Silent);
    let timeout = Duration::from_millis(30);
    let (verdict, stats) = run(Budget::unlimited().with_timeout(Some(timeout)));
    assert_eq!(reason(&verdict), &Reason::Timeout(timeout));
    assert!(stats.states > 0, "statistics so far are kept");
    let (verdict, _) = run(Budget::unlimited().with_stop(Arc::new(AtomicBool::new(true))));
    assert_eq!(reason(&verdict), &Reason::Interrupted);
    let (verdict, _) = run(Budget::unlimited().with_memory(Some(1 << 20)));
    assert_eq!(reason(&verdict), &Reason::Memory(1));
}

/// Same seed, same run; threads do not matter.
#[test]
fn runs_are_reproducible() {
    let program = crate::support::example("hyman.gcl", &[]);
    let random = explicit::Config { order: explicit::Order::RandomDepthFirst, seed: 7, ..Default::default() };
    let show = |config: &explicit::Config| {
        let (_, verdict, stats) = run_explicit(&program, config);
        format!("{verdict:?} {stats:?}")
    };
    assert_eq!(show(&random), show(&random));
    let one = explicit::Config { threads: 1, ..Default::default() };
    assert_eq!(show(&one), show(&explicit::Config { threads: 2, ..one.clone() }));
}
