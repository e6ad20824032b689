//! Runs with random inputs.

use std::time::Duration;

use clinch_ir::cfa::{EdgeId, InputTrace, ProcedureId};
use clinch_machine::{InputRequest, Limit, Limits, Stop};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;

use super::candidates::Mood;
use super::{Hunt, RunsStats, input_value};

/// Edges of the first runs; later ones may be longer.
const FIRST_STEPS: u64 = 100_000;

/// How often inputs of one place are the same all the time: such runs may be long.
const STEADY_EVERY: u64 = 4 * Mood::LIVELY.len() as u64 + 1;

/// Runs the program again and again, until the error is found, or so many times, or until the time is over. A program that asks for no input is run
/// once: the search then has the last word.
pub(super) fn probe(
    hunt: &mut Hunt<'_>,
    seed: u64,
    (runs, time): (u64, Duration),
    stats: &mut RunsStats,
) -> Option<InputTrace> {
    let [mut rng, mut steady] = [seed, !seed].map(Xoshiro256PlusPlus::seed_from_u64);
    let mut steps = FIRST_STEPS;
    // Runs since then that were cut off.
    let mut cut_off = 0;
    let budget = hunt.budget.part(time);
    let interrupt = || budget.check().is_err();
    while stats.probes < runs && !interrupt() {
        let mood = match stats.probes % STEADY_EVERY {
            0 if stats.probes > 0 => Mood::Steady,
            number => Mood::LIVELY[number as usize % Mood::LIVELY.len()],
        };
        stats.probes += 1;
        let mut taken = Vec::new();
        let mut first: FxHashMap<(ProcedureId, Option<EdgeId>), u64> = FxHashMap::default();
        let mut inputs = |request: &InputRequest| {
            let bits = match mood {
                Mood::Steady => *first
                    .entry((request.at.procedure, request.at.edge))
                    .or_insert_with(|| hunt.candidates.draw(request, mood, &mut steady)),
                _ => hunt.candidates.draw(request, mood, &mut rng),
            };
            taken.push(input_value(request, bits));
            Some(bits)
        };
        let limits = Limits { steps, interrupt: Some(&interrupt), ..Limits::default() };
        let mut state = hunt.machine.initial();
        let outcome = hunt.machine.run(&mut state, &mut inputs, &mut (), &limits);
        if let Some(error) = hunt.judge(&outcome, Some(&taken)) {
            return Some(hunt.trace(error, &outcome, taken));
        }
        if taken.is_empty() && outcome.stop != Stop::Limit(Limit::Steps) {
            return None;
        }
        // Where no run comes to an end, the next sweep over the moods goes farther; without inputs, the next run.
        cut_off += u64::from(outcome.stop == Stop::Limit(Limit::Steps));
        let sweep = if taken.is_empty() { 1 } else { Mood::LIVELY.len() as u64 };
        if cut_off == sweep || stats.probes.is_multiple_of(4 * sweep) {
            steps = steps.saturating_mul(if cut_off == sweep { 16 } else { 2 });
            cut_off = 0;
        }
    }
    None
}
