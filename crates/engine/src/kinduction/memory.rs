//! Candidates about memory: what is checked inside of a loop holds at its head, the last cell of a block is zero as that of a string, two pointers have
//! the same offset in their blocks, and blocks do not overlap.

use std::collections::BTreeSet;

use clinch_ir::cfa::{CfaProgram, Edge, Op, ProcedureId};
use clinch_terms::{BinOp, LocId, Node, Symbol, Term, Terms};

use super::places::is_known_at;
use crate::bounded::Layout;

/// Blocks of which pairs are made.
const IN_PAIRS: usize = 4;

/// Candidates for the loop with a head.
pub(super) fn about_memory(layout: &Layout<'_>, terms: &mut Terms, at: (ProcedureId, LocId)) -> Vec<Term> {
    let program = layout.program;
    let checks = checked_inside(layout, terms, at);
    let mut found: Vec<Term> = checks.iter().copied().filter(|&check| is_known_at(layout, terms, at, check)).collect();
    let pointers = pointers_in(program, terms, &checks);
    let pointers: Vec<Pointer> =
        pointers.into_iter().filter(|pointer| is_known_at(layout, terms, at, pointer.offset)).collect();
    let read = read_inside(layout, terms, at);
    for pointer in &pointers {
        for &(region, bytes) in &read {
            let last = pointer.last_cell(terms, region, bytes, program.pointer_bits);
            let zero = terms.bit_vec(8 * bytes, 0);
            found.push(terms.eq(last, zero));
        }
    }
    let first = &pointers[..pointers.len().min(IN_PAIRS)];
    for (i, a) in first.iter().enumerate() {
        for b in first.iter().skip(i + 1) {
            found.extend(a.beside(terms, b));
        }
    }
    found
}

/// A pointer that is checked: how far it is in its block, where that starts, and how many bytes it has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Pointer {
    offset: Term,
    start: Term,
    size: Term,
}

impl Pointer {
    /// What the last cell of the block holds.
    fn last_cell(&self, terms: &mut Terms, region: Symbol, bytes: u32, pointer_bits: u32) -> Term {
        let cell = terms.bit_vec(pointer_bits, u64::from(bytes));
        let end = terms.bv(BinOp::BvAdd, self.start, self.size);
        let last = terms.bv(BinOp::BvSub, end, cell);
        let array = terms.symbol(region);
        terms.select(array, last)
    }

    /// How two pointers and their blocks are to each other.
    fn beside(&self, terms: &mut Terms, other: &Pointer) -> Vec<Term> {
        let mut found = vec![terms.eq(self.offset, other.offset)];
        for (a, b) in [(self, other), (other, self)] {
            let end = terms.bv(BinOp::BvAdd, a.start, a.size);
            found.push(terms.binary(BinOp::BvUle, end, b.start));
            found.push(terms.binary(BinOp::BvUle, a.size, b.size));
            found.push(terms.binary(BinOp::BvUle, a.offset, b.offset));
        }
        found
    }
}

/// The edges inside of a loop.
fn inside<'l>(layout: &'l Layout<'_>, (procedure, head): (ProcedureId, LocId)) -> impl Iterator<Item = &'l Edge> {
    let order = &layout.of(procedure).order;
    let own = order.loops_around(head).pop();
    let edges = layout.program.procedure(procedure).edges.iter();
    edges.filter(move |edge| own.is_some_and(|own| order.loops_around(edge.from).contains(&own)))
}

/// The conditions that have to hold inside of a loop.
fn checked_inside(layout: &Layout<'_>, terms: &mut Terms, at: (ProcedureId, LocId)) -> BTreeSet<Term> {
    let edges = &layout.program.procedure(at.0).edges;
    let bad: BTreeSet<LocId> = edges.iter().filter(|e| matches!(e.op, Op::Error(_))).map(|e| e.from).collect();
    let mut checks = BTreeSet::new();
    for edge in inside(layout, at).filter(|edge| bad.contains(&edge.to)) {
        if let Op::Assume(fails) = edge.op {
            checks.insert(terms.not(fails));
        }
    }
    checks
}

/// The regions that a loop reads, with the bytes of their cells.
fn read_inside(layout: &Layout<'_>, terms: &Terms, at: (ProcedureId, LocId)) -> BTreeSet<(Symbol, u32)> {
    let mut regions = BTreeSet::new();
    for term in inside(layout, at).flat_map(|edge| edge.op.terms()) {
        for part in terms.parts(term) {
            if let Node::Binary(BinOp::Select, array, _) = terms.node(part)
                && let Node::Symbol(region) = terms.node(array)
                && let Some(info) = layout.program.region(region).filter(|region| !region.ghost)
            {
                regions.insert((region, info.cell_bytes));
            }
        }
    }
    regions
}

/// The pointers that conditions say something about: an offset is at most what a table has for the start of the block, less something.
fn pointers_in(program: &CfaProgram, terms: &Terms, conditions: &BTreeSet<Term>) -> BTreeSet<Pointer> {
    let mut pointers = BTreeSet::new();
    for part in conditions.iter().flat_map(|&condition| terms.parts(condition)) {
        let Node::Binary(BinOp::BvUle, offset, most) = terms.node(part) else { continue };
        let Node::Binary(BinOp::BvSub, _, start) = terms.node(offset) else { continue };
        let size = terms.parts(most).into_iter().find(|&part| match terms.node(part) {
            Node::Binary(BinOp::Select, table, index) => index == start && is_table(program, terms, table),
            _ => false,
        });
        pointers.extend(size.map(|size| Pointer { offset, start, size }));
    }
    pointers
}

fn is_table(program: &CfaProgram, terms: &Terms, array: Term) -> bool {
    match terms.node(array) {
        Node::Symbol(symbol) => program.region(symbol).is_some_and(|region| region.ghost),
        _ => false,
    }
}
