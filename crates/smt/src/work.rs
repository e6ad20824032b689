//! The solver's work, for clocks that go by it ([`clinch_terms::work`]): Z3 counts its steps.

use std::cell::RefCell;
use std::time::Duration;

use clinch_terms::work::{add, done};
use z3::{ApplyResult, Goal, Params, Solver, StatisticsValue, Tactic};

/// What Z3 counts as a step takes about as many nanoseconds.
const STEP: u64 = 500;
/// What a question takes beside Z3's steps.
const QUESTION: u64 = 50_000;
/// How much longer than counted a query may take: some work Z3 does not count.
const UNCOUNTED: u32 = 40;
/// The part of the time that a tactic may count as its work: most of it Z3 does not count, and there must be time left on a busy machine.
const COUNTED_BY_TACTICS: u32 = 25;

thread_local! {
    static Z3: RefCell<Option<(Solver, u32)>> = const { RefCell::new(None) };
}

/// This thread has asked Z3 something.
pub(crate) fn asked() {
    if done().is_some() {
        let steps = Z3.with_borrow_mut(steps);
        add(QUESTION + u64::from(steps) * STEP);
    }
}

/// Z3's steps in this thread since this was asked the last time. Any solver tells those of all.
fn steps(z3: &mut Option<(Solver, u32)>) -> u32 {
    let (solver, before) = z3.get_or_insert_with(|| (Solver::new(), 0));
    let now = match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(now)) => now,
        _ => *before,
    };
    now.wrapping_sub(std::mem::replace(before, now))
}

/// Limits a query: in steps (0: as many as there is time for) and milliseconds. Where work is counted, the steps are what counts. Returns the
/// milliseconds.
pub(crate) fn limit(params: &mut Params, steps: u32, milliseconds: u32) -> u32 {
    let (mut steps, mut milliseconds) = (steps, milliseconds);
    if done().is_some() {
        let of_time = u32::try_from(u64::from(milliseconds) * 1_000_000 / STEP).unwrap_or(u32::MAX).max(1);
        steps = if steps == 0 { of_time } else { steps.min(of_time) };
        milliseconds = milliseconds.saturating_mul(UNCOUNTED);
    }
    params.set_u32("rlimit", steps);
    params.set_u32("timeout", milliseconds);
    milliseconds
}

/// What becomes of a goal, if the tactic is done within so many milliseconds. A tactic cannot be limited in steps: where work is counted, what
/// took too many of them does not count. Tactics that succeed are done very soon.
pub(crate) fn apply(tactic: &Tactic, goal: &Goal, milliseconds: u32) -> Option<ApplyResult> {
    let patience = Duration::from_millis(milliseconds.into());
    let before = done();
    let result = tactic.try_for(patience).apply(goal, None).ok();
    if result.is_some() {
        asked();
    } else if before.is_some() {
        // How many steps it made until its time was over is another matter each time.
        Z3.with_borrow_mut(steps);
        add(u64::from(milliseconds) * 1_000_000);
    }
    let counted = done().zip(before).map(|(now, before)| now - before);
    result.filter(|_| counted.is_none_or(|counted| counted <= patience / COUNTED_BY_TACTICS))
}
