//! Runs with random inputs.

use std::time::{Duration, Instant};

use clinch_ir::cfa::InputTrace;
use clinch_ir::machine::{InputRequest, Limit, Limits, Stop};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::candidates::Mood;
use super::{Hunt, RunsStats, input_value};

/// Edges of the first runs; later ones may be longer.
const FIRST_STEPS: u64 = 100_000;

/// Runs the program again and again, until the error is found or the time is over. A program that asks for no input is run
/// once: the search then has the last word.
pub(super) fn probe(hunt: &mut Hunt<'_>, seed: u64, time: Duration, stats: &mut RunsStats) -> Option<InputTrace> {
    let start = Instant::now();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut steps = FIRST_STEPS;
    let budget = hunt.budget;
    let interrupt = || budget.check().is_err() || start.elapsed() > time;
    while !interrupt() {
        let mood = Mood::ALL[stats.probes as usize % Mood::ALL.len()];
        stats.probes += 1;
        let mut taken = Vec::new();
        let mut inputs = |request: &InputRequest| {
            let bits = hunt.candidates.draw(request, mood, &mut rng);
            taken.push(input_value(request, bits));
            Some(bits)
        };
        let limits = Limits { steps, interrupt: Some(&interrupt), ..Limits::default() };
        let mut state = hunt.machine.initial();
        let outcome = hunt.machine.run(&mut state, &mut inputs, &mut (), &limits);
        if let Some(error) = hunt.judge(&outcome) {
            return Some(hunt.trace(error, &outcome, taken));
        }
        if taken.is_empty() && outcome.stop != Stop::Limit(Limit::Steps) {
            return None;
        }
        // Every sweep over the moods may go farther than the one before.
        if stats.probes.is_multiple_of(4 * Mood::ALL.len() as u64) {
            steps = steps.saturating_mul(2);
        }
    }
    None
}
