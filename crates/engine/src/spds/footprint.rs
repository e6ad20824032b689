//! What procedures read and change, with all they call.

use rustc_hash::FxHashSet;

use super::system::{Bit, Frame, Kind, PointId, Spds, Version};

/// What the procedures of a system touch.
pub(super) fn frames(
    spds: &Spds,
    globals: &FxHashSet<Bit>,
    entries: Vec<PointId>,
    parameters: Vec<Vec<Bit>>,
    results: Vec<Vec<Bit>>,
    only_first: Option<usize>,
) -> Vec<Frame> {
    let count = entries.len();
    let mut read: Vec<FxHashSet<Bit>> = vec![FxHashSet::default(); count];
    let mut changed: Vec<FxHashSet<Bit>> = vec![FxHashSet::default(); count];
    let mut calls: Vec<Vec<usize>> = vec![Vec::new(); count];
    for rule in spds.rules.iter().filter(|r| r.from != spds.start) {
        let frame = spds.points[rule.from.index()].index();
        let current =
            rule.relation.support().into_iter().map(Bit::of).filter(|(_, version)| *version == Version::Current);
        read[frame].extend(current.map(|(bit, _)| bit).filter(|b| globals.contains(b)));
        changed[frame].extend(rule.written.iter().copied());
        if let Kind::Push(callee, _) = rule.kind {
            calls[frame].push(callee.index());
        }
    }
    let own_changes = changed.clone();
    changed.iter_mut().for_each(|c| c.retain(|b| globals.contains(b)));
    close(&calls, &mut read);
    close(&calls, &mut changed);
    let sorted = |set: &FxHashSet<Bit>| {
        let mut bits: Vec<Bit> = set.iter().copied().collect();
        bits.sort_unstable();
        bits
    };
    (0..count)
        .map(|f| {
            let touched: FxHashSet<Bit> = read[f].union(&changed[f]).copied().collect();
            let outputs: FxHashSet<Bit> = changed[f].iter().copied().chain(results[f].iter().copied()).collect();
            let own = parameters[f].iter().copied().filter(|b| own_changes[f].contains(b));
            // The first procedure never comes back: what it began with does not matter.
            let moved: FxHashSet<Bit> = if only_first == Some(f) {
                FxHashSet::default()
            } else {
                changed[f].iter().copied().chain(own).collect()
            };
            Frame {
                entry: entries[f],
                parameters: parameters[f].clone(),
                globals: sorted(&touched),
                changed: sorted(&moved),
                outputs: sorted(&outputs),
            }
        })
        .collect()
}

/// Adds what is true of callees.
fn close(calls: &[Vec<usize>], sets: &mut [FxHashSet<Bit>]) {
    loop {
        let mut moved = false;
        for caller in 0..calls.len() {
            for &callee in &calls[caller] {
                if callee != caller {
                    let more = sets[callee].clone();
                    let before = sets[caller].len();
                    sets[caller].extend(more);
                    moved |= sets[caller].len() > before;
                }
            }
        }
        if !moved {
            return;
        }
    }
}
