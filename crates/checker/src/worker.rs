//! The process that checks, as [`crate::supervisor`] sees it.
//!
//! At a limit, or when it is asked to stop, it interrupts the solver's queries, which ends most runs with a report of
//! their own. A run that goes on is ended and reported by the supervisor.

use std::io::{BufRead, Write};
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clinch_engine::share::{Fact, Known, Quota};
use clinch_engine::turns::{Rota, Turn};
use clinch_engine::{Budget, Observer, Progress};
use clinch_terms::work;
use serde_json::json;

use crate::check;
use crate::options::Options;
use crate::protocol::{Assignment, Message, Request};
use crate::report::{GivenUp, Report, Verdict};
use crate::store::Counts;
use crate::task::{Error, Task};
use crate::watcher::Watcher;

/// How often the limits are looked at.
const EVERY: Duration = Duration::from_millis(20);
/// How long a turn goes on when there is a verdict to re-check, or as long as the search took: most take no longer, and those that do may
/// fail.
const WORK_FOR_RECHECK: Duration = Duration::from_secs(2);

/// Does the work of a check, and tells the supervisor.
pub fn run(task: &Task, options: &Options, assignment: &Assignment) {
    let (options, task) = (&assignment.limits(options), &assignment.narrowed(task));
    let (budget, stop) = check::budget(&options.limits, Duration::from_millis(assignment.elapsed_ms));
    clinch_smt::allow_interrupts();
    std::panic::set_hook(Box::new(tell_panic));
    let watched = budget.clone();
    spawn("limits", move || interrupt_at_limit(&watched));
    let heard = Arc::new(Heard::default());
    let arriving = Arc::clone(&heard);
    spawn("supervisor", move || listen(&stop, &arriving));
    if options.threads == Some(1) {
        work::count();
    }
    let turn = assignment.takes_turns.then(|| Arc::new(Turn::first(heard.clone())));
    let budget = turn.iter().fold(budget, |budget, turn| budget.with_turn(Arc::clone(turn)));
    let (mut input, engine) = match check::prepare(task, options, assignment.member) {
        Ok(prepared) => prepared,
        Err(Error::Input(text)) => return tell(&Message::BadInput(text)),
        Err(Error::Usage(text)) => return tell(&Message::BadUsage(text)),
        Err(Error::Unsupported(reason)) => {
            let report = Report::unknown("none", Verdict::unknown(&reason), budget.elapsed(), json!({}));
            return tell(&Message::Report(Box::new(report)));
        }
    };
    tell(&Message::Engine(engine.name().to_owned()));
    let helpful = check::helpful(&input).into_iter();
    let engines = helpful.map(|engine| (engine, check::prospects(&input, engine))).collect();
    tell(&Message::Helpful { engines, one_run: check::has_one_run(&input), sites: input.sites() });
    input.leave_out(&assignment.left_out);
    let others = assignment.member.is_some() && check::shares(&input, options);
    let sharing = others.then(|| Sharing { heard, quota: Quota::default(), counts: Counts::default() });
    let mut watcher = Link { last: None, unsaid: None, sharing, turn };
    let mut report = check::run(&input, &engine, options, &budget, &mut watcher);
    watcher.say_the_rest();
    watcher.sharing.map(|sharing| sharing.counts).unwrap_or_default().add_to(&mut report);
    tell(&match (assignment.member, report) {
        (Some(member), Report { verdict: Verdict::Unknown { reason, telling, proof: None }, internal_errors, .. }) => {
            Message::GaveUp(GivenUp { engine: member.name().to_owned(), reason, telling }, internal_errors)
        }
        (_, report) => Message::Report(Box::new(report)),
    });
}

/// Tells the supervisor how a run goes on.
struct Link {
    /// When it was last told how far the engine is, and how far it has come since then.
    last: Option<Instant>,
    unsaid: Option<Progress>,
    /// Where other engines are at work as well.
    sharing: Option<Sharing>,
    /// Where they take turns.
    turn: Option<Arc<Turn>>,
}

/// What other engines are told and what they tell.
struct Sharing {
    heard: Arc<Heard>,
    quota: Quota,
    counts: Counts,
}

/// What arrived and nobody asked for yet.
#[derive(Default)]
struct Heard {
    news: Mutex<News>,
    /// There is a turn.
    changed: Condvar,
}

#[derive(Default)]
struct News {
    facts: Vec<Fact>,
    turn: Option<Duration>,
    /// No turns are given any more: whoever waits finds out that it is over.
    over: bool,
}

impl Heard {
    /// What no engine asks for must not fill the memory.
    const MOST: usize = 10_000;

    fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, fact: Fact) {
        let mut news = self.news();
        if news.facts.len() < Self::MOST {
            news.facts.push(fact);
        }
    }

    fn take(&self) -> Vec<Fact> {
        std::mem::take(&mut self.news().facts)
    }

    fn start_turn(&self, length: Duration) {
        self.news().turn = Some(length);
        self.changed.notify_all();
    }

    fn end_turns(&self) {
        self.news().over = true;
        self.changed.notify_all();
    }
}

impl Rota for Heard {
    fn over(&self, done: Duration) {
        tell(&Message::TurnOver(done.as_millis() as u64));
    }

    fn wait(&self) -> Duration {
        let news = self.changed.wait_while(self.news(), |news| news.turn.is_none() && !news.over);
        news.unwrap_or_else(PoisonError::into_inner).turn.take().unwrap_or_default()
    }
}

impl Link {
    fn say_the_rest(&mut self) {
        if let Some(progress) = self.unsaid.take() {
            tell(&Message::Progress(progress.into()));
        }
    }
}

impl Observer for Link {
    fn progress(&mut self, progress: Progress) {
        const EVERY: Duration = Duration::from_millis(50);
        self.unsaid = Some(progress);
        if self.last.is_none_or(|last| last.elapsed() >= EVERY) {
            self.last = Some(Instant::now());
            self.say_the_rest();
        }
    }

    fn spurious(&mut self, shape: &str) {
        tell(&Message::Busy(shape.to_owned()));
    }

    fn shares(&self) -> bool {
        self.sharing.is_some()
    }

    fn tell(&mut self, fact: Known) {
        if let Some(sharing) = &mut self.sharing
            && sharing.quota.admits(&fact)
        {
            sharing.counts.told += 1;
            tell(&Message::Fact(fact));
        }
    }

    fn heard(&mut self) -> Vec<Fact> {
        let Some(sharing) = &mut self.sharing else { return Vec::new() };
        let facts = sharing.heard.take();
        sharing.counts.heard += facts.len();
        facts
    }
}

impl Watcher for Link {
    fn found(&mut self) {
        if let Some(turn) = &self.turn {
            turn.extend(WORK_FOR_RECHECK);
        }
        tell(&Message::Found);
        tell(&Message::Busy("a verdict was found, and its re-check did not end".to_owned()));
    }

    fn rejected(&mut self) {
        if let Some(turn) = &self.turn {
            turn.no_longer_extended();
        }
        tell(&Message::Rejected);
    }

    fn settled(&mut self) {
        if let Some(turn) = &self.turn {
            turn.keep();
        }
        tell(&Message::Settled);
    }
}

fn tell(message: &Message) {
    let Ok(line) = serde_json::to_string(message) else { return };
    // One write for each line, so that those of several threads do not mix.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush());
}

fn tell_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    let what = info.payload_as_str().unwrap_or("no message");
    tell(&Message::Panicked(format!("panic{place}: {what}")));
}

/// Without these threads the supervisor ends the process at a limit: that is a report less.
fn spawn(name: &str, run: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().name(name.to_owned()).spawn(run);
}

fn interrupt_at_limit(budget: &Budget) {
    let mut over = false;
    loop {
        std::thread::sleep(EVERY);
        over = over || budget.check_memory().is_err();
        if over {
            // Again and again: the run may start new queries before it looks at its limits.
            clinch_smt::interrupt_all();
        }
    }
}

/// Listens to the supervisor. Without one nobody prints the outcome.
fn listen(stop: &AtomicBool, heard: &Heard) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match Request::read(&line) {
            Request::Fact(fact) => heard.push(fact),
            Request::Turn(milliseconds) => heard.start_turn(Duration::from_millis(milliseconds)),
            Request::Stop => {
                stop.store(true, Ordering::Relaxed);
                heard.end_turns();
            }
        }
    }
    #[allow(clippy::exit, reason = "nobody waits for an answer")]
    std::process::exit(0);
}
