//! Bits that have the same value whenever a run passes a location: most of those that hold small numbers.
//!
//! G. Kildall: *A Unified Approach to Global Program Optimization*, POPL 1973, gate by gate: what is known of the inputs of a block says what
//! is known of its end.

use clinch_ir::Reason;
use clinch_smt::Wire;
use rustc_hash::FxHashMap;

use super::cube::{Bit, Cube};
use super::system::{BEFORE, System, Target};
use crate::budget::Budget;

/// The constant bits of each location; none for those that no run comes to.
pub(super) fn constants(system: &System<'_>, budget: &Budget) -> Result<Vec<Option<Cube>>, Reason> {
    let mut found: Vec<Option<Vec<(Bit, bool)>>> = vec![None; system.locations.len()];
    found[BEFORE] = Some(Vec::new());
    let mut waiting = vec![BEFORE];
    while let Some(from) = waiting.pop() {
        budget.check()?;
        let constants = found[from].as_deref().unwrap_or_default();
        // A predicate is no input: what it says follows from others, or is not seen.
        let known: FxHashMap<Wire, bool> =
            constants.iter().map(|&(bit, value)| (system.now(from, bit), value)).collect();
        let evaluated = system.locations[from].gates.evaluate(&known);
        for (number, way) in system.locations[from].ways.iter().enumerate() {
            let Target::Location(to) = way.target else { continue };
            if evaluated.value(way.guard) == Some(false) {
                continue;
            }
            let then = |bit: Bit| evaluated.value(system.then(from, number, bit));
            let before = found[to].as_ref().map(Vec::len);
            match &mut found[to] {
                Some(constants) => constants.retain(|&(bit, value)| then(bit) == Some(value)),
                none => *none = Some(system.bits().filter_map(|bit| Some((bit, then(bit)?))).collect()),
            }
            if found[to].as_ref().map(Vec::len) != before && !waiting.contains(&to) {
                waiting.push(to);
            }
        }
    }
    Ok(found.into_iter().map(|bits| bits.map(Cube::new)).collect())
}
