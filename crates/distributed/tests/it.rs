//! Several workers find what one does.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use clinch_certify::Judged;
use clinch_distributed::{Cluster, Config, Found, check};
use clinch_engine::{Budget, Silent, explicit};
use clinch_frontend::{Language, Options, parse};
use clinch_ir::{InputDomain, Program, Reason, Verdict};

/// A model, with constants, an error and whether deadlocks are errors.
type Asked = (&'static str, &'static [(&'static str, i64)], Option<&'static str>, bool);

/// Models that end soon: safe ones, shallow and deep errors, deadlocks and faults.
const MODELS: [Asked; 9] = [
    ("barbershop.gcl", &[], None, false),
    ("multiply-to-n.gcl", &[], None, false),
    ("stack.gcl", &[], None, false),
    ("dining-phil.gcl", &[], None, false),
    ("dining-phil.gcl", &[], None, true),
    ("hyman.gcl", &[], None, false),
    ("driver-err.gcl", &[], None, false),
    ("sum-to-n-big.gcl", &[], None, true),
    ("fibonacci.gcl", &[("LIMIT", 5)], None, false),
];

fn model(name: &str, defines: &[(&str, i64)], error: Option<&str>, deadlock: bool) -> Program {
    let file = clinch_testing::package().join("../../examples/gcl").join(name);
    let text = std::fs::read(&file).expect("an example");
    let defines = defines.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let options = Options { defines, error: error.map(str::to_owned), deadlock, ..Options::default() };
    parse(Language::Gcl, name, &text, &options).unwrap_or_else(|_| panic!("{name} is a model"))
}

fn config(cluster: Cluster) -> Config {
    let inputs = InputDomain::default();
    Config { cluster, inputs, certify: true, checkpoint: None, resume: None, spill: None, memory: None }
}

fn threads(threads: usize) -> Cluster {
    Cluster { threads, hosts: Vec::new(), process: 0 }
}

fn run(program: &Program, config: &Config) -> Found {
    check(program, config, &Budget::unlimited(), &mut Silent).expect("what is found holds")
}

/// Addresses at which nobody listens.
fn hosts(number: usize) -> Vec<String> {
    let listeners: Vec<TcpListener> = (0..number).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("an address").to_string()).collect()
}

/// What each of several processes finds, played by threads of this one.
fn run_processes(program: &Program, number: usize, change: impl Fn(&mut Config) + Sync) -> Vec<Found> {
    let hosts = hosts(number);
    std::thread::scope(|scope| {
        let start = |process| {
            let mut config = config(Cluster { threads: 1, hosts: hosts.clone(), process });
            change(&mut config);
            scope.spawn(move || run(program, &config))
        };
        let running: Vec<_> = (0..number).map(start).collect();
        running.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// Holds what a team found against the search on one machine.
fn assert_same(name: &str, program: &Program, found: &Found) {
    let alone = explicit::Config { threads: 1, ..explicit::Config::default() };
    let (verdict, stats) = explicit::check(program, &alone, &Budget::unlimited(), &mut Silent);
    assert!(found.verdict.is_certified(), "{name}: {:?}", found.verdict);
    match (found.verdict.verdict(), &verdict) {
        (Verdict::Safe(_), Verdict::Safe(_)) => {
            let (ours, theirs) = (&found.stats, &stats);
            assert_eq!((ours.states, ours.transitions), (theirs.states, theirs.transitions), "{name}");
        }
        (Verdict::Unsafe(ours), Verdict::Unsafe(theirs)) => {
            assert_eq!(ours.steps.len(), theirs.steps.len(), "{name}");
        }
        (ours, theirs) => panic!("{name}: {ours:?} is not {theirs:?}"),
    }
    assert_eq!(found.stats.depth, stats.depth, "{name}");
}

fn models() -> impl Iterator<Item = (&'static str, Program)> {
    MODELS.iter().map(|(name, defines, error, deadlock)| (*name, model(name, defines, *error, *deadlock)))
}

#[test]
fn threads_agree_with_one_machine() {
    for (name, program) in models() {
        let mut before: Option<Found> = None;
        for number in [1, 2, 4] {
            let found = run(&program, &config(threads(number)));
            assert_same(name, &program, &found);
            let counts = |found: &Found| (found.stats.states, found.stats.transitions, found.stats.depth);
            if let Some(before) = before {
                assert_eq!(counts(&found), counts(&before), "{name} with {number} workers");
            }
            before = Some(found);
        }
    }
}

#[test]
fn processes_agree_with_one_machine() {
    for (name, program) in models() {
        for number in [2, 4] {
            for found in run_processes(&program, number, |_| {}) {
                assert_same(name, &program, &found);
            }
        }
    }
}

fn reason(found: &Found) -> String {
    match &found.verdict {
        Judged::Unchecked(Verdict::Unknown(reason)) => reason.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn processes_with_different_models_do_not_work_together() {
    let programs = [model("stack.gcl", &[], None, false), model("stack.gcl", &[("V", 3)], None, false)];
    let hosts = hosts(2);
    let budget = Budget::unlimited().with_timeout(Some(std::time::Duration::from_secs(2)));
    std::thread::scope(|scope| {
        let running: Vec<_> = programs
            .iter()
            .enumerate()
            .map(|(process, program)| {
                let config = config(Cluster { threads: 1, hosts: hosts.clone(), process });
                let budget = &budget;
                scope.spawn(move || check(program, &config, budget, &mut Silent).expect("no verdict"))
            })
            .collect();
        let reasons: Vec<String> = running.into_iter().map(|t| reason(&t.join().expect("no panic"))).collect();
        assert!(reasons[0].contains("process 1 at 127.0.0.1"), "{reasons:?}");
        assert!(reasons[1].contains("another model"), "{reasons:?}");
    });
}

#[test]
fn a_limit_ends_the_search_of_all() {
    let program = model("multiply-to-n.gcl", &[("N", 60)], None, false);
    let budget = Budget::unlimited().with_timeout(Some(std::time::Duration::from_millis(200)));
    let found = check(&program, &config(threads(3)), &budget, &mut Silent).expect("no verdict");
    assert!(matches!(found.verdict.verdict(), Verdict::Unknown(Reason::Timeout(_))), "{:?}", found.verdict);
    assert!(found.stats.states > 0);
}

/// A checkpoint of a search with so many workers, which reached its time limit early on if the machine is not too fast.
fn checkpoint(program: &Program, folder: &Path, workers: usize) {
    let mut config = config(threads(workers));
    config.checkpoint = Some(folder.to_owned());
    for milliseconds in [5, 20, 60, 200, 1000, 5000] {
        let _ = std::fs::remove_dir_all(folder);
        let budget = Budget::unlimited().with_timeout(Some(std::time::Duration::from_millis(milliseconds)));
        check(program, &config, &budget, &mut Silent).expect("what is found holds");
        let complete = std::fs::read_to_string(folder.join("complete.json"));
        if complete.is_ok_and(|text| !text.contains("\"level\":0,")) {
            return;
        }
    }
    panic!("no level was completed");
}

fn resumed(folder: &Path, workers: usize) -> Config {
    Config { resume: Some(folder.to_owned()), ..config(threads(workers)) }
}

#[test]
fn a_search_goes_on_with_any_number_of_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("safe", model("multiply-to-n.gcl", &[("N", 24)], None, false)),
        ("unsafe", model("multiply-to-n.gcl", &[("N", 24)], Some("product = 300"), false)),
    ];
    for (name, program) in cases {
        let first = folder.path().join(name);
        checkpoint(&program, &first, 2);
        for workers in [1, 2, 3] {
            let found = run(&program, &resumed(&first, workers));
            assert_same(name, &program, &found);
        }
        let found = run_processes(&program, 2, |config| config.resume = Some(first.clone()));
        found.iter().for_each(|found| assert_same(name, &program, found));
        // What goes on may write a checkpoint itself.
        let second = folder.path().join(format!("{name}-again"));
        run(&program, &Config { checkpoint: Some(second.clone()), ..resumed(&first, 3) });
        assert_same(name, &program, &run(&program, &resumed(&second, 2)));
    }
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = model("multiply-to-n.gcl", &[("N", 24)], None, false);
    let whole = folder.path().join("whole");
    checkpoint(&program, &whole, 2);
    let files: Vec<PathBuf> = ["complete.json", "states-0", "states-1"].iter().map(|name| whole.join(name)).collect();
    let refused = |config: &Config, what: &str| {
        let reason = reason(&run(&program, config));
        assert!(reason.contains("checkpoint") && reason.contains(what), "{reason}");
    };
    for file in &files {
        let good = std::fs::read(file).expect("readable");
        for place in [10, 40, good.len() / 2, good.len() * 3 / 4] {
            let mut bad = good.clone();
            // What stands behind the last complete level is not read; complete.json is short.
            let place = place.min(good.len() - 2);
            bad[place] ^= 4;
            std::fs::write(file, &bad).expect("written");
            let name = file.display().to_string();
            let found = run(&program, &resumed(&whole, 2));
            if found.verdict.is_certified() {
                assert!(place > good.len() / 4, "{name}: damage at {place} was not noticed");
                assert_same(&name, &program, &found);
            } else {
                assert!(reason(&found).contains("checkpoint"), "{name}");
            }
        }
        std::fs::write(file, &good[..40]).expect("written");
        refused(&resumed(&whole, 3), "damaged");
        std::fs::remove_file(file).expect("removed");
        refused(&resumed(&whole, 1), "No such file");
        std::fs::write(file, &good).expect("written");
    }
    let other = model("multiply-to-n.gcl", &[("N", 23)], None, false);
    let reason = reason(&run(&other, &resumed(&whole, 2)));
    assert!(reason.contains("another model"), "{reason}");
    refused(&Config { checkpoint: Some(whole.clone()), ..config(threads(1)) }, "there is one already");
}

/// States go to disk when they take more than a worker's part of this.
fn spilling(folder: &Path, workers: usize, memory: u64) -> Config {
    Config { spill: Some(folder.to_owned()), memory: Some(memory), ..config(threads(workers)) }
}

#[test]
fn states_that_do_not_fit_go_to_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let large = model("multiply-to-n.gcl", &[("N", 16)], None, false);
    let cases = models().map(|(name, program)| (name, program, 1)).chain([("large", large, 600_000)]);
    for (name, program, memory) in cases {
        for workers in [1, 3] {
            let found = run(&program, &spilling(folder.path(), workers, memory));
            assert_same(name, &program, &found);
            assert!(found.stats.bytes_on_disk > 0, "{name} {:?}", found.stats);
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left");
}

#[test]
fn a_disk_that_takes_nothing_is_a_reason() {
    let program = model("stack.gcl", &[], None, false);
    let found = run(&program, &spilling(Path::new("/nowhere/at/all"), 2, 1));
    assert!(reason(&found).contains("states cannot be kept in /nowhere/at/all"), "{:?}", found.verdict);
}

#[test]
fn a_search_on_disk_goes_on_from_a_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = model("multiply-to-n.gcl", &[("N", 24)], None, false);
    let first = folder.path().join("first");
    checkpoint(&program, &first, 2);
    let config = Config { resume: Some(first), ..spilling(folder.path(), 3, 600_000) };
    assert_same("resumed on disk", &program, &run(&program, &config));
}
