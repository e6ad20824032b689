//! How a check goes on, on standard error: on a terminal a line for each engine at work, which is there as long as the check, and where it is
//! asked for a log.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::time::Duration;

use clinch_checker::{AtWork, Counted, Doing, Onlooker, words};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::console;

/// Shows how a check goes on.
pub(crate) enum Display {
    Nothing,
    Lines(Lines),
    Log(Log),
}

impl Display {
    /// Lines if standard error is a terminal, or a log if that is asked for.
    pub(crate) fn new(log: bool) -> Self {
        match (log, std::io::stderr().is_terminal()) {
            (true, _) => Display::Log(Log::default()),
            (false, true) => Display::Lines(Lines::default()),
            (false, false) => Display::Nothing,
        }
    }
}

impl Onlooker for Display {
    fn look(&mut self, elapsed: Duration, at_work: &[AtWork]) {
        if let Display::Lines(lines) = self {
            lines.show(elapsed, at_work);
        }
    }

    fn hear(&mut self, elapsed: Duration, engine: &str, counted: Counted) {
        if let Display::Log(log) = self
            && let Some(line) = log.line(elapsed, engine, counted)
        {
            console::error(&line);
        }
    }
}

/// A line for each engine.
#[derive(Default)]
pub(crate) struct Lines {
    all: MultiProgress,
    bars: Vec<ProgressBar>,
    paces: HashMap<String, Pace>,
}

impl Lines {
    fn show(&mut self, elapsed: Duration, at_work: &[AtWork]) {
        while self.bars.len() > at_work.len() {
            self.bars.pop().iter().for_each(ProgressBar::finish_and_clear);
        }
        while self.bars.len() < at_work.len() {
            let style = ProgressStyle::with_template("{spinner} {prefix:10} {wide_msg}");
            let bar = ProgressBar::new_spinner();
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            self.bars.push(self.all.add(bar));
        }
        for (bar, engine) in self.bars.iter().zip(at_work) {
            let pace = self.paces.entry(engine.engine.clone()).or_default().after(elapsed, engine.counted.states);
            bar.set_prefix(engine.engine.clone());
            bar.set_message(format!("{:.0} s  {}", elapsed.as_secs_f64(), doing(engine, pace)));
            bar.tick();
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.bars.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// What an engine does, and how far it is.
fn doing(engine: &AtWork, pace: Option<u64>) -> String {
    let far = engine.counted.text(&engine.engine);
    let pace = pace.filter(|&pace| pace > 0 && engine.doing == Doing::Searching);
    let pace = pace.map(|pace| format!(", {pace} {}/s", words(&engine.engine).1)).unwrap_or_default();
    match (engine.doing, far.is_empty()) {
        (Doing::Reading, _) => "reads the input".to_owned(),
        (Doing::Searching, true) => "searches".to_owned(),
        (Doing::Searching, false) => format!("{far}{pace}"),
        (Doing::Waiting, true) => "waits".to_owned(),
        (Doing::Waiting, false) => format!("waits; {far}"),
        (Doing::Checking, _) => "has a verdict, which is re-checked".to_owned(),
    }
}

/// How fast states are found.
#[derive(Clone, Copy, Default)]
struct Pace {
    since: Duration,
    states: u64,
    pace: Option<u64>,
}

impl Pace {
    /// States per second, as of the last second or two.
    fn after(&mut self, elapsed: Duration, states: u64) -> Option<u64> {
        let seconds = elapsed.saturating_sub(self.since).as_secs_f64();
        if seconds >= 1.0 {
            let pace =
                (self.since > Duration::ZERO).then(|| (states.saturating_sub(self.states) as f64 / seconds) as u64);
            *self = Pace { since: elapsed, states, pace };
        }
        self.pace
    }
}

/// Lines that stay: an engine has one when it has refined again, but not two within the fiftieth part of the time that is gone. So the first second
/// has twenty lines of an engine at most, and every further hour some hundred.
#[derive(Default)]
pub(crate) struct Log {
    /// When which engine had its last line, and its iterations at that time.
    last: HashMap<String, (Duration, u64)>,
}

impl Log {
    const LEAST_GAP: Duration = Duration::from_millis(50);
    /// Engines that do not refine have a line this often, at most.
    const WITHOUT_REFINEMENT: Duration = Duration::from_secs(1);

    fn line(&mut self, elapsed: Duration, engine: &str, counted: Counted) -> Option<String> {
        if let Some((at, iterations)) = self.last.get(engine) {
            let refined = *iterations != counted.iterations;
            let gap = if refined { Self::LEAST_GAP } else { Self::WITHOUT_REFINEMENT };
            if elapsed.saturating_sub(*at) < gap.max(elapsed / 50) {
                return None;
            }
        }
        self.last.insert(engine.to_owned(), (elapsed, counted.iterations));
        Some(format!("{:.2} s: {engine}: {}", elapsed.as_secs_f64(), counted.text(engine)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(iterations: u64, states: u64) -> Counted {
        Counted { iterations, states, ..Counted::default() }
    }

    #[test]
    fn a_log_is_never_flooded() {
        let (mut log, mut lines) = (Log::default(), Vec::new());
        for millisecond in 0..3_600_000 {
            lines.extend(log.line(Duration::from_millis(millisecond), "lazy", counted(millisecond, 7)));
        }
        assert!((200..800).contains(&lines.len()), "{}", lines.len());
        assert_eq!(lines[0], "0.00 s: lazy: 7 nodes");
        let (mut log, mut seconds) = (Log::default(), 0);
        for tick in 0..100 {
            seconds += usize::from(log.line(Duration::from_millis(100 * tick), "explicit", counted(0, tick)).is_some());
        }
        assert_eq!(seconds, 10, "a line a second where nothing is refined");
    }

    #[test]
    fn engines_have_a_pace() {
        let mut pace = Pace::default();
        let after = |pace: &mut Pace, tenths: u64, states| pace.after(Duration::from_millis(100 * tenths), states);
        assert_eq!([after(&mut pace, 5, 10), after(&mut pace, 12, 100), after(&mut pace, 15, 900)], [None; 3]);
        assert_eq!(after(&mut pace, 32, 5_100), Some(2_500));
        let engine = AtWork { engine: "explicit".to_owned(), doing: Doing::Searching, counted: counted(0, 5_100) };
        assert_eq!(doing(&engine, Some(2_500)), "5100 states, 2500 states/s");
        let rechecks = AtWork { doing: Doing::Checking, ..engine };
        assert!(doing(&rechecks, None).contains("re-checked"));
    }
}
