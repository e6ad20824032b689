//! Blocks of memory: copied, set, compared.
//!
//! A block is cut into the cells that the rest of the program uses, so a typed object stays typed. Bytes that nothing
//! reads are not copied.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, InputId, InputSite, Op, Target};
use clinch_terms::{BinOp, Node, Symbol, Term};

use super::super::hir::{BinaryOp, Expr, VariableId};
use super::super::points_to::{Cell, Elements, Piece, Uncut};
use super::Lowering;
use super::values::Value;

/// Most cells that are written by one edge.
const MAX_PIECES: usize = 1024;

/// Most members that are written one by one, as far as a size covers them.
const MAX_GUARDED: usize = 64;

/// What a block is filled with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Filling {
    /// A byte, repeated.
    Byte(Term),
    /// What is at an address.
    From(Term),
    /// Any values, from outside the program.
    Any(VariableId),
}

impl Filling {
    fn moved(self, lowering: &mut Lowering<'_>, by: Term) -> Filling {
        match self {
            Filling::From(address) => Filling::From(lowering.add(address, by)),
            byte => byte,
        }
    }
}

impl Lowering<'_> {
    /// Copies a block of a fixed size between places that the pointer analysis does not tell apart.
    pub(super) fn copy_block(&mut self, to: Term, from: Term, cell: Option<Cell>, size: u64, span: Span) {
        let size = self.address(size);
        self.fill(to, cell, size, Filling::From(from), span);
    }

    /// A block is read, or written, as a whole.
    pub(super) fn touch(&mut self, address: Term, size: Term, writes: bool, span: Span) {
        if let Some(ranges) = self.ranges {
            let mark = if writes { ranges.written } else { ranges.read };
            self.body.emit(Op::Assign(vec![Assign { target: Target::Cell(mark, address), value: size }]), span);
        }
    }

    /// How many bytes may be written from an address on: the checks of memory know.
    pub(super) fn room(&mut self, args: &[Value], e: &Expr) -> Value {
        let address = self.scalar_arg(args, 0);
        let Some(ranges) = self.ranges else {
            let what = "what functions without body write, where memory is not checked";
            return Value::Scalar(self.unsupported(what, e.ty, e.span));
        };
        let room = self.counter(0, e.span);
        let value = self.terms.symbol(room);
        self.body.emit(Op::Assign(vec![Assign { target: Target::Cell(ranges.room, address), value }]), e.span);
        Value::Scalar(self.fit(value, e))
    }

    /// A block is copied to where it must not overlap: one operation reads and writes it.
    pub(super) fn touch_apart(&mut self, to: Term, from: Term, size: Term, span: Span) {
        if let Some(ranges) = self.ranges {
            let marks = [(ranges.read, from), (ranges.written, to)];
            let mark = |(mark, address)| Assign { target: Target::Cell(mark, address), value: size };
            self.body.emit(Op::Assign(marks.map(mark).to_vec()), span);
        }
    }

    /// Writes `size` bytes at an address.
    pub(super) fn fill(&mut self, to: Term, cell: Option<Cell>, size: Term, filling: Filling, span: Span) {
        self.touch(to, size, true, span);
        if let Filling::From(from) = filling {
            self.touch(from, size, false, span);
        }
        self.fill_touched(to, cell, size, filling, span);
    }

    fn fill_touched(&mut self, to: Term, cell: Option<Cell>, size: Term, filling: Filling, span: Span) {
        let Some(cell) = cell else {
            self.body.stop(Op::Unsupported("an access to unknown memory".to_owned()), span);
            return;
        };
        if let Some(size) = self.constant_size(size) {
            match self.points.pieces(cell, size, MAX_PIECES) {
                Ok(pieces) => return self.fill_pieces(to, &pieces, filling, span),
                Err(Uncut::Ragged) => return self.ragged(span),
                Err(Uncut::Large) => {}
            }
        }
        self.fill_elements(to, cell, size, filling, span);
    }

    /// The assignments that write a block of a fixed size, if they are not too many.
    pub(super) fn fill_at_once(
        &mut self,
        to: Term,
        cell: Option<Cell>,
        size: u64,
        filling: Filling,
        span: Span,
    ) -> Option<Vec<Assign>> {
        let pieces = self.points.pieces(cell?, size, MAX_PIECES).ok()?;
        self.piece_assigns(to, &pieces, filling, span)
    }

    pub(super) fn constant_size(&self, size: Term) -> Option<u64> {
        match self.terms.node(size) {
            Node::BitVec(_, n) => Some(n),
            Node::Int(n) => u64::try_from(n).ok(),
            _ => None,
        }
    }

    fn ragged(&mut self, span: Span) {
        self.body.stop(Op::Unsupported("a block of memory that ends inside a value".to_owned()), span);
    }

    fn fill_pieces(&mut self, to: Term, pieces: &[Piece], filling: Filling, span: Span) {
        let Some(assigns) = self.piece_assigns(to, pieces, filling, span) else { return };
        if !assigns.is_empty() {
            self.body.emit(Op::Assign(assigns), span);
        }
    }

    fn piece_assigns(&mut self, to: Term, pieces: &[Piece], filling: Filling, span: Span) -> Option<Vec<Assign>> {
        let mut assigns = Vec::new();
        for piece in pieces {
            let region = &self.regions[piece.region.0];
            let (symbol, bytes) = (region.symbol, region.cell_bytes);
            let at = self.plus(to, piece.offset);
            let value = match filling {
                Filling::From(from) => {
                    let from = self.plus(from, piece.offset);
                    let array = self.terms.symbol(symbol);
                    self.terms.select(array, from)
                }
                Filling::Any(variable) => self.any_cell(variable, bytes),
                Filling::Byte(byte) => match self.repeated(byte, bytes) {
                    Some(value) => value,
                    None => {
                        let what = "bytes of mathematical integers".to_owned();
                        self.body.stop(Op::Unsupported(what), span);
                        return None;
                    }
                },
            };
            assigns.push(Assign { target: Target::Cell(symbol, at), value });
        }
        Some(assigns)
    }

    /// Any contents of a cell of a variable.
    fn any_cell(&mut self, variable: VariableId, bytes: u32) -> Term {
        let v = &self.hir.variables[variable.0 as usize];
        let symbol = self.temporary(self.sort_of_bits(bytes * 8), false);
        let id = InputId::from_index(self.inputs.len());
        let kind = self.first_value(v, v.name.clone());
        self.inputs.push(InputSite { kind, ty: self.hir.types.name(v.ty), signed: false, span: v.span });
        self.body.emit(Op::Input(symbol, id), v.span);
        self.terms.symbol(symbol)
    }

    /// A value that consists of equal bytes.
    fn repeated(&mut self, byte: Term, bytes: u32) -> Option<Term> {
        if self.mathematical() {
            return (self.is_zero(byte) || bytes == 1).then_some(byte);
        }
        let byte = self.terms.resize(false, 8, byte);
        let mut value = byte;
        for _ in 1..bytes {
            value = self.terms.bv(BinOp::BvConcat, value, byte);
        }
        Some(value)
    }

    /// Writes element by element.
    fn fill_elements(&mut self, to: Term, cell: Cell, size: Term, filling: Filling, span: Span) {
        let Some(Elements { stride, limit }) = self.points.elements(cell) else {
            return self.fill_members(to, cell, size, filling, span);
        };
        let pieces = match self.points.pieces(cell, stride, MAX_PIECES) {
            Ok(pieces) => pieces,
            Err(Uncut::Ragged) => return self.ragged(span),
            Err(Uncut::Large) => {
                self.body.stop(Op::Unsupported("a block of memory with too many members".to_owned()), span);
                return;
            }
        };
        if pieces.is_empty() {
            return;
        }
        let (to, size) = (self.save(to, span), self.save(size, span));
        let filling = self.save_filling(filling, span);
        self.check_limit(size, limit, span);
        self.check_multiple(size, stride, span);
        let counter = self.counter(0, span);
        let i = self.terms.symbol(counter);
        self.while_less(i, size, span, |this| {
            let at = this.add(to, i);
            let filling = filling.moved(this, i);
            let Some(mut assigns) = this.piece_assigns(at, &pieces, filling, span) else { return };
            let next = this.plus(i, stride);
            assigns.push(Assign { target: Target::Var(counter), value: next });
            this.body.emit(Op::Assign(assigns), span);
        });
    }

    fn save_filling(&mut self, filling: Filling, span: Span) -> Filling {
        match filling {
            Filling::From(from) => Filling::From(self.save(from, span)),
            Filling::Byte(byte) => Filling::Byte(self.save(byte, span)),
            any => any,
        }
    }

    /// Writes those members of a record that a size covers.
    fn fill_members(&mut self, to: Term, cell: Cell, size: Term, filling: Filling, span: Span) {
        let extent = self.points.extent(cell);
        let Some(Ok(pieces)) = extent.map(|e| self.points.pieces(cell, e, MAX_GUARDED)) else {
            self.body.stop(Op::Unsupported("a block of memory of unknown size".to_owned()), span);
            return;
        };
        let (to, size) = (self.save(to, span), self.save(size, span));
        let filling = self.save_filling(filling, span);
        let after = self.body.fresh();
        for piece in pieces {
            let (whole, not_whole, part) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
            let bytes = u64::from(self.regions[piece.region.0].cell_bytes);
            let (start, end) = (self.address(piece.offset), self.address(piece.offset + bytes));
            let covered = self.compare(BinaryOp::Le, false, end, size);
            self.branch_on(covered, whole, not_whole, span);
            self.body.at(not_whole);
            let none = self.compare(BinaryOp::Le, false, size, start);
            self.branch_on(none, after, part, span);
            self.body.at(part);
            self.ragged(span);
            self.body.at(whole);
            self.fill_pieces(to, &[piece], filling, span);
        }
        self.body.go_on_at(after, span);
    }

    /// Stops where a block is longer than the array it is in.
    fn check_limit(&mut self, size: Term, limit: Option<u64>, span: Span) {
        let Some(limit) = limit else { return };
        let limit = self.address(limit);
        let fits = self.compare(BinaryOp::Le, false, size, limit);
        self.require(fits, "a block of memory that is longer than its array", span);
    }

    /// Stops where a block ends inside an element.
    fn check_multiple(&mut self, size: Term, stride: u64, span: Span) {
        if stride <= 1 {
            return;
        }
        let divisor = self.address(stride);
        let rest = if self.mathematical() {
            self.terms.binary(BinOp::Mod, size, divisor)
        } else {
            self.terms.bv(BinOp::BvUrem, size, divisor)
        };
        let ragged = self.nonzero(rest);
        let (bad, good) = (self.body.fresh(), self.body.fresh());
        self.branch_on(ragged, bad, good, span);
        self.body.at(bad);
        self.ragged(span);
        self.body.at(good);
    }

    /// A hidden variable that changes.
    pub(super) fn counter(&mut self, start: u64, span: Span) -> Symbol {
        let symbol = self.temporary(self.sort_of_bits(self.pointer_bits()), false);
        // It is not a name for one value.
        self.body.temporaries.remove(&symbol);
        self.body.counters += 1;
        let start = self.address(start);
        self.assign_variable(symbol, start, span);
        symbol
    }

    /// `while (i < n) body`, without sign.
    pub(super) fn while_less(&mut self, i: Term, n: Term, span: Span, body: impl FnOnce(&mut Self)) {
        let (head, inside, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.go_on_at(head, span);
        let condition = self.compare(BinaryOp::Lt, false, i, n);
        self.branch_on(condition, inside, after, span);
        self.body.at(inside);
        body(self);
        self.body.goto(head, span);
        self.body.at(after);
    }

    /// `memcpy` or `memmove`: with overlap, in the direction that reads before it writes.
    pub(super) fn copy(&mut self, to: Term, from: Term, cell: Option<Cell>, size: Term, overlap: bool, span: Span) {
        if !overlap {
            self.touch_apart(to, from, size, span);
            return self.fill_touched(to, cell, size, Filling::From(from), span);
        }
        let at_once = match (self.constant_size(size), cell) {
            (Some(size), Some(cell)) => !matches!(self.points.pieces(cell, size, MAX_PIECES), Err(Uncut::Large)),
            _ => false,
        };
        if at_once {
            return self.fill(to, cell, size, Filling::From(from), span);
        }
        let (to, from, size) = (self.save(to, span), self.save(from, span), self.save(size, span));
        let (down, up, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let condition = self.compare(BinaryOp::Lt, false, from, to);
        self.branch_on(condition, down, up, span);
        self.body.at(up);
        self.fill(to, cell, size, Filling::From(from), span);
        self.body.goto(after, span);
        self.body.at(down);
        self.copy_down(to, from, cell, size, span);
        self.body.go_on_at(after, span);
    }

    fn copy_down(&mut self, to: Term, from: Term, cell: Option<Cell>, size: Term, span: Span) {
        self.touch(to, size, true, span);
        self.touch(from, size, false, span);
        let elements = cell.and_then(|c| self.points.elements(c));
        let pieces = match (cell, elements) {
            (Some(cell), Some(elements)) => self.points.pieces(cell, elements.stride, MAX_PIECES).ok(),
            _ => None,
        };
        let (Some(pieces), Some(Elements { stride, limit })) = (pieces, elements) else {
            self.body.stop(Op::Unsupported("a block of memory of unknown size".to_owned()), span);
            return;
        };
        self.check_limit(size, limit, span);
        self.check_multiple(size, stride, span);
        let counter = self.counter(0, span);
        self.assign_variable(counter, size, span);
        let (i, zero) = (self.terms.symbol(counter), self.address(0));
        self.while_less(zero, i, span, |this| {
            let step = this.address(stride);
            let next = this.sub(i, step);
            let (to, from) = (this.add(to, next), this.add(from, next));
            let Some(mut assigns) = this.piece_assigns(to, &pieces, Filling::From(from), span) else { return };
            assigns.push(Assign { target: Target::Var(counter), value: next });
            this.body.emit(Op::Assign(assigns), span);
        });
    }
}
