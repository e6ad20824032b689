//! The library as another program uses it.

use clinch_checker::report::{Counterexample, Verdict};
use clinch_checker::{EngineName, Error, Options, Report, Task, check};

const COUNT: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0;
    while (i < LIMIT && i < n) i++;
    if (i == 40) reach_error();
    return 0;
}
";

fn count(limit: u32) -> Report {
    let text = COUNT.replace("LIMIT", &limit.to_string());
    check(&Task::text("count.c", &text), &Options::default()).expect("a program")
}

/// Two checks at a time, in two threads of one process, with small stacks: neither knows of the other.
#[test]
fn two_checks_in_two_threads() {
    let run = |limit: u32| std::thread::spawn(move || (0..3).map(|_| count(limit)).collect::<Vec<_>>());
    let (safe, bad) = (run(39), run(41));
    for report in safe.join().expect("no panic") {
        assert!(matches!(report.verdict, Verdict::Safe { .. }) && report.certified, "{report}");
    }
    for report in bad.join().expect("no panic") {
        let Verdict::Unsafe { counterexample: Counterexample::Run(run), .. } = &report.verdict else {
            panic!("{report}")
        };
        assert!(report.certified);
        assert_eq!((run.file.as_str(), run.line), ("count.c", 6), "{report}");
    }
}

/// Reports are data: they survive being written and read.
#[test]
fn a_report_can_be_written_and_read() {
    for report in [count(39), count(41)] {
        let written = serde_json::to_string(&report).expect("plain data");
        let read: Report = serde_json::from_str(&written).expect("the same");
        assert_eq!(read.to_string(), report.to_string());
        assert_eq!(read.to_json(), report.to_json());
    }
}

#[test]
fn every_language_by_its_name() {
    let horn = "(set-logic HORN)(declare-fun p (Int) Bool)
        (assert (forall ((x Int)) (=> (= x 0) (p x))))
        (assert (forall ((x Int)) (=> (and (p x) (> x 5)) false)))(check-sat)";
    let remopla =
        "int x(3);\nmodule void main() { x = 2; if :: x == 1 -> goto error; :: else -> skip; fi return; error: skip; }";
    let guarded = "var x: 0..9 = 0; command when x < 5 do x := x + 2; error x = 9;";
    for (name, text) in [("m.smt2", horn), ("m.rem", remopla), ("m.gcl", guarded)] {
        let report = check(&Task::text(name, text), &Options::default()).expect("a model");
        assert!(matches!(report.verdict, Verdict::Safe { .. }) && report.certified, "{name}: {report}");
    }
}

#[test]
fn errors_have_their_kind_and_place() {
    let bad = check(&Task::text("bad.c", "int main(void) { return x; }\n"), &Options::default());
    assert!(matches!(&bad, Err(Error::Input(text)) if text.contains("bad.c:1:25")), "{bad:?}");
    let unknown = check(&Task::text("model.txt", ""), &Options::default());
    assert!(matches!(&unknown, Err(Error::Input(text)) if text.starts_with("model.txt:1:1")), "{unknown:?}");
    let mut options = Options { engine: EngineName::Lazy, ..Options::default() };
    options.settings = options.settings.with("strategy", "min-set");
    let wrong = check(&Task::text("m.gcl", "var x: 0..1 = 0; error x = 1;"), &options);
    let expected = "--strategy does not apply to --engine lazy on guarded commands (.gcl): it is for split";
    assert_eq!(wrong.err(), Some(Error::Usage(expected.to_owned())));
}

/// A limit is a reason, and comes in time.
#[test]
fn a_limit_is_kept() {
    let text = "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
        int main(void) { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), c = __VERIFIER_nondet_uint();
        if (a > 2 && b > 2 && c > 2 && a < 2000 && b < 2000 && c < 2000 && a * a * a + b * b * b == c * c * c) reach_error(); return 0; }";
    let mut options = Options::default();
    options.limits.timeout = Some(std::time::Duration::from_millis(300));
    let start = std::time::Instant::now();
    let report = check(&Task::text("fermat.c", text), &options).expect("a program");
    assert!(matches!(report.verdict, Verdict::Unknown { .. }), "{report}");
    assert!(start.elapsed().as_secs() < 20);
}
