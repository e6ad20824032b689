//! A check in threads of the calling process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clinch_engine::share::{Fact, Known, Quota};
use clinch_engine::turns::Turn;
use clinch_engine::{Budget, Observer, Progress};
use clinch_ir::Reason;
use clinch_terms::work;
use serde_json::json;

use crate::asked::Asked;
use crate::baton::{Baton, Hand};
use crate::check::{self, Engine};
use crate::given::Given;
use crate::options::{EngineName, Limits, Options};
use crate::report::{GivenUp, Report, Verdict};
use crate::rounds::{self, Played, Round};
use crate::store::{Counts, Store};
use crate::supervisor::first_engine;
use crate::task::{Error, Input, Reading, Task};
use crate::watcher::Watcher;

/// Terms are walked by recursion, and programs may hold deep ones.
const STACK: usize = 1 << 30;

/// How often the limits are looked at.
const EVERY: Duration = Duration::from_millis(20);

/// Checks a task: the engines that may help run at a time, or take turns if one thread is all there is. The first verdict that was
/// re-checked is the answer, and the others stop.
///
/// An engine that is in a query of the solver when the check ends goes on until the query does.
pub fn check(task: &Task, options: &Options) -> Result<Report, Error> {
    check_with(task, options, Store::default)
}

/// The same with stores in which facts may be late.
fn check_with(task: &Task, options: &Options, store: impl Fn() -> Store) -> Result<Report, Error> {
    rounds::verdicts(task.checks(), options.limits.timeout, || false, |round| play(task, options, round, store()))
}

/// One round.
fn play(task: &Task, options: &Options, round: &Round, store: Store) -> Result<Played, Error> {
    let reading = Reading { asked: round.checks.map(Asked::Checks).or(task.reading.asked), ..task.reading.clone() };
    let task = &task.clone().with(reading);
    let limits = Limits { timeout: round.until, ..options.limits };
    let (budget, stop) = check::budget(&limits, round.elapsed);
    let alone = options.engine != EngineName::Auto || Given::new(&task.reading, options).is_for_some_engine();
    let first = if alone { None } else { Some(first_engine(task)) };
    let (mut input, engine) = match prepare(task, options, first) {
        Ok(prepared) => prepared,
        Err(Error::Unsupported(reason)) => {
            let report = Report::unknown("none", Verdict::unknown(&reason), budget.elapsed(), json!({}));
            return Ok(Played { report, sites: Vec::new() });
        }
        Err(error) => return Err(error),
    };
    let sites = input.sites();
    input.leave_out(&round.left_out);
    let until = round.until_if_several.filter(|_| sites.len() > 1);
    let budget = if until.is_some() { budget.with_timeout(until) } else { budget };
    let mut engines = vec![engine];
    if !alone {
        let others = check::helpful(&input).into_iter().filter(|name| Some(*name) != first);
        engines.extend(others.filter_map(|name| check::member(task, options, &input, name).ok()));
    }
    let report = first_verdict(Arc::new(input), engines, options, &budget, store);
    stop.store(true, Ordering::Relaxed);
    Ok(Played { report, sites })
}

/// Reads the task, on a stack that is deep enough.
fn prepare(task: &Task, options: &Options, first: Option<EngineName>) -> Result<(Input, Engine), Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, || check::prepare(task, options, first));
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(_)) => Err(Error::Unsupported(Reason::Crashed("the input could not be read".to_owned()))),
            Err(error) => Err(Error::Unsupported(Reason::Crashed(format!("no thread could be started: {error}")))),
        }
    })
}

/// Runs the engines, each in a thread of its own, until one has a verdict.
fn first_verdict(input: Arc<Input>, engines: Vec<Engine>, options: &Options, budget: &Budget, store: Store) -> Report {
    let (sender, answers) = channel();
    let mut given_up: Vec<GivenUp> = Vec::new();
    let several = engines.len() > 1;
    let store = (several && check::shares(&input, options)).then(|| Arc::new(Mutex::new(store)));
    let baton = (options.threads == Some(1)).then(|| Arc::new(Baton::new(engines.len())));
    for (number, engine) in engines.into_iter().enumerate() {
        let name = engine.name();
        let hand = baton.as_ref().map(|baton| baton.hand(number));
        let member = Member { number, name: engine.own_name(), store: store.clone(), hand, ..Member::default() };
        let answers = (member, sender.clone());
        if let Err(error) = start(Arc::clone(&input), engine, options.clone(), budget.clone(), answers) {
            given_up.push(GivenUp::new(name, &Reason::Crashed(format!("it could not be started: {error}"))));
        }
    }
    drop(sender);
    loop {
        match answers.recv_timeout(EVERY) {
            Ok(Report { verdict: Verdict::Unknown { reason, telling, proof: None }, engine, .. }) if several => {
                given_up.push(GivenUp { engine, reason, telling });
            }
            Ok(report) if report.is_contradicted_by(&given_up) => given_up.push(GivenUp::contradicted(report.engine)),
            Ok(report) => return Report { given_up, ..report },
            Err(RecvTimeoutError::Timeout) if budget.check().is_ok() => {}
            Err(_) => return without_verdict(given_up, budget),
        }
    }
}

fn start(
    input: Arc<Input>,
    engine: Engine,
    options: Options,
    budget: Budget,
    (mut member, answers): (Member, Sender<Report>),
) -> std::io::Result<()> {
    let run = move || {
        let budget = member.in_turns(budget);
        let run = || check::run(&input, &engine, &options, &budget, &mut member);
        let mut report = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            let reason = Reason::Crashed("panic".to_owned());
            Report::unknown(engine.name(), Verdict::unknown(&reason), budget.elapsed(), json!({}))
        });
        member.counts.add_to(&mut report);
        // Nobody may wait for it any more.
        let _ = answers.send(report);
        // Only then it is another one's turn.
        drop(member.hand);
    };
    std::thread::Builder::new().stack_size(STACK).spawn(run).map(|_| ())
}

/// An engine among others.
#[derive(Default)]
struct Member {
    number: usize,
    name: &'static str,
    /// What all of them told, if they share.
    store: Option<Arc<Mutex<Store>>>,
    quota: Quota,
    counts: Counts,
    /// Where they take turns.
    hand: Option<Hand>,
}

impl Member {
    /// Where engines take turns, this one waits for its first, and has the others in between.
    fn in_turns(&self, budget: Budget) -> Budget {
        let Some(hand) = &self.hand else { return budget };
        work::count();
        budget.with_turn(Arc::new(Turn::first(hand.rota())))
    }

    fn store(&self) -> Option<MutexGuard<'_, Store>> {
        self.store.as_ref().map(|store| store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Member {
    fn progress(&mut self, _: Progress) {}

    fn shares(&self) -> bool {
        self.store.is_some()
    }

    fn tell(&mut self, fact: Known) {
        if self.shares() && self.quota.admits(&fact) {
            self.counts.told += 1;
            let (number, name) = (self.number, self.name);
            if let Some(mut store) = self.store() {
                store.tell(number, name, fact);
            }
        }
    }

    fn heard(&mut self) -> Vec<Fact> {
        let number = self.number;
        let facts = self.store().map(|mut store| store.hand_to(number)).unwrap_or_default();
        self.counts.heard += facts.len();
        facts
    }
}

impl Watcher for Member {}

fn without_verdict(given_up: Vec<GivenUp>, budget: &Budget) -> Report {
    let verdict = Verdict::of_none(&given_up, budget.check().err().as_ref(), None);
    Report { given_up, ..Report::unknown(EngineName::Auto.name(), verdict, budget.elapsed(), json!({})) }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use clinch_testing::together::{bits, without_times};
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::asked::Property;

    /// A proof that comes after a run with undefined behaviour does not count.
    #[test]
    fn a_program_that_was_seen_to_misbehave_is_not_safe() {
        let misuse = "int main(void) { int *p = malloc(4); if (!p) return 0; free(p); *p = 1;";
        let text = bits(0).replace("int main(void) {", misuse);
        let task = about_assertions(Task::text(
            "misuse.c",
            &format!("void *malloc(unsigned long); void free(void *);\n{text}"),
        ));
        let limits = Limits { timeout: Some(Duration::from_secs(5)), ..Limits::default() };
        let report = check(&task, &Options { limits, ..Options::default() }).expect("a C program");
        let Verdict::Unknown { reason, .. } = &report.verdict else { panic!("{report}") };
        assert!(reason.contains("undefined behaviour"), "{reason}");
    }

    /// Other errors of a C program do not count.
    fn about_assertions(task: Task) -> Task {
        let is_c = task.kinds().contains(&crate::Kind::C);
        let asked = is_c.then_some(Asked::Property(Property::UnreachCall));
        let reading = Reading { asked, ..task.reading.clone() };
        task.with(reading)
    }

    fn bits_task(rest: u32) -> Task {
        about_assertions(Task::text("bits.c", &bits(rest)))
    }

    fn example(name: &str) -> Task {
        let name_alone = name.rsplit('/').next().expect("a name");
        about_assertions(Task::text(name_alone, &text_of_example(name)))
    }

    fn text_of_example(name: &str) -> String {
        let file = clinch_testing::package().join("../../examples").join(name);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The example mouse-bug1.c, which includes mouse.c: a text in memory includes nothing from its folder.
    fn mouse_bug() -> Task {
        about_assertions(Task::text(
            "mouse-bug1.c",
            &format!("#define KEEP_INTERRUPTS\n{}", text_of_example("c/mouse.c")),
        ))
    }

    fn word(verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::Safe { .. } => "safe",
            Verdict::Unsafe { .. } => "unsafe",
            Verdict::Unknown { .. } => "unknown",
        }
    }

    /// Keeps the processors busy, now and then, until it goes out of scope.
    struct Load(Arc<std::sync::atomic::AtomicBool>);

    impl Load {
        fn new(threads: usize) -> Load {
            let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
            for _ in 0..threads {
                let over = Arc::clone(&over);
                std::thread::spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        let start = Instant::now();
                        while start.elapsed() < Duration::from_millis(3) {}
                        std::thread::sleep(Duration::from_millis(5));
                    }
                });
            }
            Load(over)
        }
    }

    impl Drop for Load {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// However late facts are, and whatever else the machine does, the verdict is the same: a hundred runs.
    #[test]
    fn verdicts_do_not_depend_on_when_facts_arrive() {
        let examples = [
            ("c/funlock.c", "safe"),
            ("c/funlock-bug1.c", "unsafe"),
            ("c/ring-bug.c", "unsafe"),
            ("c/bucket-bug.c", "unsafe"),
            ("c/parity-bug.c", "unsafe"),
            ("gcl/ticket-err.gcl", "unsafe"),
            ("armc/seesaw-err.armc", "unsafe"),
            ("rem/parity.rem", "safe"),
            ("bp/lock.bp", "safe"),
            ("bp/lock-bug.bp", "unsafe"),
        ];
        let tasks = examples.map(|(name, expected)| (example(name), expected));
        let tasks =
            tasks.into_iter().chain([(bits_task(0), "safe"), (bits_task(1), "unsafe"), (mouse_bug(), "unsafe")]);
        let _load = Load::new(1);
        for (task, expected) in tasks {
            for seed in 0..8 {
                let late = || {
                    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                    Store::with_delay(Box::new(move || Duration::from_millis(rng.random_range(0..60))))
                };
                let report = check_with(&task, &Options::default(), late);
                let report = report.expect("a program");
                assert_eq!((word(&report.verdict), report.certified), (expected, true), "seed {seed}: {report}");
            }
        }
    }

    /// What one thread does, it does again, whatever else the machine does: verdict, evidence, statistics.
    #[test]
    fn one_thread_repeats_itself() {
        let options = Options { threads: Some(1), ..Options::default() };
        for task in [bits_task(0), bits_task(1), example("gcl/ticket-err.gcl"), example("rem/parity.rem")] {
            let run = || {
                let report = check(&task, &options).expect("a program");
                assert_ne!(word(&report.verdict), "unknown", "{report}");
                without_times(serde_json::to_value(&report).expect("a report"))
            };
            let alone = run();
            let _load = Load::new(2);
            assert_eq!(alone, run());
        }
    }
}
