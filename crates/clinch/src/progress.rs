//! The progress line: on a terminal, and nowhere else.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clinch_engine::{Observer, Progress};
use indicatif::{ProgressBar, ProgressStyle};

/// Shows how a run goes on, on standard error.
pub(crate) struct Line {
    bar: Option<ProgressBar>,
    last: Instant,
}

impl Line {
    /// A line if standard error is a terminal.
    pub(crate) fn new(engine: &'static str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_prefix(engine);
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Line { bar, last: Instant::now() }
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
        let Some(bar) = &self.bar else { return };
        if self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        let Progress { iteration, predicates, states } = progress;
        bar.set_message(match iteration {
            0 => format!("{states} states"),
            _ => format!("iteration {iteration}, {predicates} predicates, {states} states"),
        });
    }
}
