//! The program that is searched: with narrow integers, and with a bounded heap.

use std::borrow::Cow;

use clinch_analyses::finite::{BoundedHeap, Mask, Narrowing, Uncut, allocates, bound_heap, narrow, narrow_heap};
use clinch_ir::cfa::{CfaProgram, ProcedureId};
use clinch_terms::{LocId, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Obstacle;
use super::config::Config;

/// Which bits of variables and cells are not known.
#[derive(Clone, Debug, Default)]
pub(super) struct Widths {
    /// Bits of dynamic memory, where there is some.
    pub(super) heap_bits: Option<u32>,
    /// Variables and regions with fewer bits than their sorts have.
    pub(super) variables: FxHashMap<Symbol, Narrowing>,
    /// Where something has all its bits for a moment.
    pub(super) uncut: FxHashMap<(ProcedureId, LocId), Uncut>,
    /// Variables and regions of which some bits are known.
    pub(super) masks: FxHashMap<Symbol, Mask>,
    /// Where they are not known for a moment.
    pub(super) unmasked: FxHashMap<(ProcedureId, LocId), Uncut>,
    /// Variables and regions that hold addresses.
    pub(super) addresses: FxHashSet<Symbol>,
    /// The cells of regions, if it is not the objects that say.
    pub(super) cells: Option<FxHashMap<Symbol, Vec<u64>>>,
    /// The steps that allocate: where, and how much.
    pub(super) taken: FxHashMap<(ProcedureId, usize), (u64, Term)>,
    /// The edges where the heap is exhausted.
    pub(super) exhausted: FxHashSet<(ProcedureId, usize)>,
}

/// The program, and its widths.
pub(super) fn meant<'p>(original: &'p CfaProgram, config: &Config) -> Result<(Cow<'p, CfaProgram>, Widths), Obstacle> {
    if !allocates(original) {
        let Some(bits) = config.int_bits else { return Ok((Cow::Borrowed(original), Widths::default())) };
        let narrowed = narrow(original, bits);
        let widths = Widths { variables: narrowed.variables, uncut: narrowed.uncut, ..Widths::default() };
        return Ok((Cow::Owned(narrowed.program), widths));
    }
    let mut heap = bound_heap(original, config.heap_bits).map_err(Obstacle::Unsupported)?;
    let narrowed = config.int_bits.map(|bits| narrow_heap(&mut heap, bits));
    let BoundedHeap { program, masks, addresses, cells, uncut, taken, exhausted, .. } = heap;
    let heap_bits = Some(config.heap_bits);
    let widths = Widths {
        heap_bits,
        masks,
        unmasked: uncut,
        addresses,
        cells: Some(cells),
        taken,
        exhausted,
        ..Widths::default()
    };
    Ok(match narrowed {
        Some(narrowed) => {
            let widths = Widths { variables: narrowed.variables, uncut: narrowed.uncut, ..widths };
            (Cow::Owned(narrowed.program), widths)
        }
        None => (Cow::Owned(program), widths),
    })
}
