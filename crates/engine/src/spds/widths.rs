//! The program that is searched: with narrow integers, and with a bounded heap.

use std::borrow::Cow;

use clinch_analyses::finite::{BoundedHeap, Mask, Narrowing, Uncut, allocates, bound_heap, narrow, narrow_heap};
use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, ProcedureId};
use clinch_machine::guided;
use clinch_terms::{LocId, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Obstacle;
use super::config::Config;
use super::model::Question;

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

impl Widths {
    /// Whether a question is whether the heap is exhausted.
    pub(super) fn is_exhaustion(&self, question: &Question) -> bool {
        self.exhausted.contains(&(question.procedure, question.edge.index()))
    }
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

/// Why there is no verdict where a question is reached that is no error.
pub(super) fn open_reason(program: &CfaProgram, widths: &Widths, config: &Config, question: &Question) -> Reason {
    if !widths.is_exhaustion(question) {
        return guided::open_reason(program, question.procedure, question.edge);
    }
    let place = program.source.place(program.procedure(question.procedure).edges[question.edge.index()].span);
    let at = format!("{}:{}:{}", place.file, place.line, place.column);
    let integers = config.int_bits.map_or(String::new(), |n| format!(" and {n}-bit integers"));
    let what = format!("safe for a heap of {} bits{integers}, but the program may need more", config.heap_bits);
    Reason::Unsupported(format!("{what}, at {at} (--heap-bits)"))
}
