//! The progress line: on a terminal, or a line for each refinement where that is asked for.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clinch_engine::{Observer, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::report;
use crate::worker::Link;

/// Shows how a run goes on, on standard error.
pub(crate) struct Line {
    bar: Option<ProgressBar>,
    last: Option<Instant>,
    log: Log,
    link: Option<Link>,
}

/// Whether every refinement is a line of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Log {
    Refinements,
    Nothing,
}

impl Line {
    /// A line if standard error is a terminal, or lines if that is asked for. The supervisor is told as well.
    pub(crate) fn new(engine: &'static str, log: Log, link: Option<Link>) -> Self {
        let bar = (log == Log::Nothing && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_prefix(engine);
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Line { bar, last: None, log, link }
    }

    /// What happens now.
    pub(crate) fn say(&self, text: &'static str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text);
        }
    }

    /// Removes the line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Line {
    fn progress(&mut self, progress: Progress) {
        const EVERY: Duration = Duration::from_millis(50);
        if self.log == Log::Refinements && progress.iteration > 0 {
            report::error(&message(progress));
        }
        if self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        if let Some(link) = self.link {
            link.progress(numbers(progress));
        }
        if let Some(bar) = &self.bar {
            bar.set_message(message(progress));
        }
    }

    fn spurious(&mut self, shape: &str) {
        if let Some(link) = self.link {
            link.busy(shape);
        }
    }
}

/// What is known of a run, as statistics.
fn numbers(progress: Progress) -> Value {
    let Progress { iteration, predicates, states, prover_calls, .. } = progress;
    let all =
        [("iterations", iteration), ("predicates", predicates), ("states", states), ("prover_calls", prover_calls)];
    all.into_iter().filter(|&(_, n)| n > 0).map(|(name, n)| (name.to_owned(), Value::from(n))).collect()
}

/// A run in a line.
fn message(progress: Progress) -> String {
    let Progress { iteration, predicates, states, active, prover_calls, cached_calls } = progress;
    match (iteration, prover_calls) {
        (0, _) => format!("{states} states"),
        (_, 0) => format!("iteration {iteration}, {predicates} predicates, {states} states"),
        _ => {
            let rate = 100 * cached_calls / prover_calls;
            format!(
                "refinement {iteration}: {states} nodes, {predicates} predicates ({active} active), \
                 {prover_calls} prover calls ({rate} % cached)"
            )
        }
    }
}
