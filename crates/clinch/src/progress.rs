//! The progress line: on a terminal, or a line for each refinement where that is asked for.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clinch_checker::Watcher;
use clinch_engine::{Observer, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::console;

/// Shows how a run goes on, on standard error.
pub(crate) struct Line {
    bar: Option<ProgressBar>,
    last: Option<Instant>,
    /// Whether every refinement is a line of its own.
    each_refinement: bool,
}

impl Line {
    /// A line if standard error is a terminal, or one for each refinement if that is asked for.
    pub(crate) fn new(engine: &'static str, each_refinement: bool) -> Self {
        let bar = (!each_refinement && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_prefix(engine);
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Line { bar, last: None, each_refinement }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watcher for Line {
    fn found(&mut self) {
        if let Some(bar) = &self.bar {
            bar.set_message("re-checking the verdict");
        }
    }
}

impl Observer for Line {
    fn progress(&mut self, progress: Progress) {
        const EVERY: Duration = Duration::from_millis(50);
        if self.each_refinement && progress.iteration > 0 {
            console::error(&message(progress));
        }
        if self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        if let Some(bar) = &self.bar {
            bar.set_message(message(progress));
        }
    }
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
