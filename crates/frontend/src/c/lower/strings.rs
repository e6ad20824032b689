//! Functions on strings, as loops over their characters.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, Check, Op, Target};
use clinch_terms::{Symbol, Term};

use super::super::hir::{BinaryOp, Call, Expr, ExprKind, PlaceKind};
use super::super::points_to::Cell;
use super::super::types::Type;
use super::Lowering;

/// A pointer with what it points to.
pub(super) type Text = (Term, Option<Cell>);

/// The member of a record that a string is written to.
pub(super) struct Room {
    /// How many characters are there before what is written.
    before: Option<Term>,
    /// How many there are at most, with the zero at the end.
    length: u64,
}

impl Lowering<'_> {
    /// The region of characters that a pointer points to. Nothing, after an edge that says why, where they are not
    /// accessed one by one.
    fn characters(&mut self, cell: Option<Cell>, span: Span) -> Option<Symbol> {
        let region = cell.and_then(|c| self.points.region(c)).map(|r| &self.regions[r.0]);
        match region {
            Some(region) if region.cell_bytes == 1 => Some(region.symbol),
            _ => {
                self.body.stop(Op::Unsupported("characters in memory of another type".to_owned()), span);
                None
            }
        }
    }

    fn character(&mut self, region: Symbol, text: Term, i: Term) -> Term {
        let array = self.terms.symbol(region);
        let at = self.add(text, i);
        self.terms.select(array, at)
    }

    /// `i++` as an assignment.
    fn increment(&mut self, i: Symbol) -> Assign {
        let value = self.terms.symbol(i);
        Assign { target: Target::Var(i), value: self.plus(value, 1) }
    }

    /// The length of a string.
    pub(super) fn string_length(&mut self, text: Term, cell: Option<Cell>, span: Span) -> Term {
        let Some(region) = self.characters(cell, span) else { return self.address(0) };
        let text = self.save(text, span);
        let counter = self.counter(0, span);
        let i = self.terms.symbol(counter);
        let (head, inside, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.go_on_at(head, span);
        let c = self.character(region, text, i);
        let more = self.nonzero(c);
        self.branch_on(more, inside, after, span);
        self.body.at(inside);
        let next = self.increment(counter);
        self.body.emit(Op::Assign(vec![next]), span);
        self.body.goto(head, span);
        self.body.at(after);
        i
    }

    /// The member that a call writes a string to, where it counts that the string stays inside. So many characters are there before.
    pub(super) fn room_in_member(&self, call: &Call, before: Option<Term>) -> Option<Room> {
        let length = call.args.first().and_then(|to| self.length_of_member(to))?;
        let span = call.args.first()?.span;
        self.counts(Check::MemberText, span).then_some(Room { before, length })
    }

    /// How many characters a member has that is given by its name. The last one of a record may be meant to be longer.
    fn length_of_member(&self, to: &Expr) -> Option<u64> {
        let place = match &to.kind {
            ExprKind::Convert(inner) => return self.length_of_member(inner),
            ExprKind::AddressOf(place) => place,
            _ => return None,
        };
        let PlaceKind::Field(record, id, index) = &place.kind else { return None };
        let (types, known) = (&self.hir.types, self.hir.types.record(*id));
        let may_be_longer = matches!(record.kind, PlaceKind::Deref(_)) && index + 1 == known.fields.len();
        match *types.get(place.ty) {
            Type::Array(of, length) if types.size(of) == Some(1) && !known.is_union && !may_be_longer => length,
            _ => None,
        }
    }

    /// The characters up to this number, or so many, stay in the member.
    fn stay_inside(&mut self, room: Option<&Room>, i: Term, op: BinaryOp, span: Span) {
        let Some(room) = room else { return };
        let length = self.address(room.length);
        let last = room.before.map_or(i, |before| self.add(before, i));
        let inside = self.compare(op, false, last, length);
        self.check(Check::MemberText, inside, "string copied behind the end of a member", span);
    }

    /// `strcpy`; with a limit `strncpy`, which fills up with zeros.
    pub(super) fn copy_string(&mut self, to: Text, from: Text, limit: Option<Term>, at: (Option<Room>, Span)) {
        let (room, span) = at;
        let (Some(region), Some(source)) = (self.characters(to.1, span), self.characters(from.1, span)) else { return };
        let (to, from) = (self.save(to.0, span), self.save(from.0, span));
        let counter = self.counter(0, span);
        let i = self.terms.symbol(counter);
        if let Some(limit) = limit {
            let limit = self.save(limit, span);
            self.stay_inside(room.as_ref(), limit, BinaryOp::Le, span);
            return self.copy_bounded((region, to), (source, from), counter, limit, span);
        }
        let (head, inside, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.go_on_at(head, span);
        self.stay_inside(room.as_ref(), i, BinaryOp::Lt, span);
        let c = self.character(source, from, i);
        let at = self.add(to, i);
        let more = self.nonzero(c);
        self.branch_on(more, inside, after, span);
        self.body.at(inside);
        let next = self.increment(counter);
        self.body.emit(Op::Assign(vec![Assign { target: Target::Cell(region, at), value: c }, next]), span);
        self.body.goto(head, span);
        self.body.at(after);
        let zero = self.number(8, 0);
        self.body.emit(Op::Assign(vec![Assign { target: Target::Cell(region, at), value: zero }]), span);
        if region == source {
            let size = self.plus(i, 1);
            self.touch_apart(to, from, size, span);
        }
    }

    fn copy_bounded(&mut self, to: (Symbol, Term), from: (Symbol, Term), counter: Symbol, limit: Term, span: Span) {
        let ended = self.counter(0, span);
        let (i, done) = (self.terms.symbol(counter), self.terms.symbol(ended));
        self.while_less(i, limit, span, |this| {
            let (copy, pad, next) = (this.body.fresh(), this.body.fresh(), this.body.fresh());
            let padding = this.nonzero(done);
            this.branch_on(padding, pad, copy, span);
            let at = this.add(to.1, i);
            this.body.at(copy);
            let c = this.character(from.0, from.1, i);
            let is_end = {
                let more = this.nonzero(c);
                let (zero, one) = (this.address(0), this.address(1));
                this.terms.ite(more, zero, one)
            };
            let step = this.increment(counter);
            let note = Assign { target: Target::Var(ended), value: is_end };
            let write = Assign { target: Target::Cell(to.0, at), value: c };
            this.body.emit(Op::Assign(vec![write, note, step]), span);
            this.body.goto(next, span);
            this.body.at(pad);
            let zero = this.number(8, 0);
            let write = Assign { target: Target::Cell(to.0, at), value: zero };
            this.body.emit(Op::Assign(vec![write, step]), span);
            this.body.go_on_at(next, span);
        });
    }

    /// The difference of the first characters that differ. `strcmp` stops at the end of the strings.
    pub(super) fn compare_bytes(&mut self, a: Text, b: Text, limit: Option<Term>, strings: bool, e: &Expr) -> Term {
        let span = e.span;
        let zero = self.constant(e.ty, 0);
        let (Some(left), Some(right)) = (self.characters(a.1, span), self.characters(b.1, span)) else { return zero };
        let (a, b) = (self.save(a.0, span), self.save(b.0, span));
        let limit = limit.map(|n| self.save(n, span));
        let counter = self.counter(0, span);
        let i = self.terms.symbol(counter);
        let result = self.temporary_of(e.ty);
        let (head, look, same, next) = (self.body.fresh(), self.body.fresh(), self.body.fresh(), self.body.fresh());
        let (equal, differ, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.go_on_at(head, span);
        match limit {
            Some(n) => {
                let inside = self.compare(BinaryOp::Lt, false, i, n);
                self.branch_on(inside, look, equal, span);
            }
            None => self.body.goto(look, span),
        }
        self.body.at(look);
        let (x, y) = (self.character(left, a, i), self.character(right, b, i));
        let alike = self.terms.eq(x, y);
        self.branch_on(alike, same, differ, span);
        self.body.at(same);
        if strings {
            let more = self.nonzero(x);
            self.branch_on(more, next, equal, span);
        } else {
            self.body.goto(next, span);
        }
        self.body.at(next);
        let step = self.increment(counter);
        self.body.emit(Op::Assign(vec![step]), span);
        self.body.goto(head, span);
        self.body.at(equal);
        self.assign_variable(result, zero, span);
        self.body.goto(after, span);
        self.body.at(differ);
        let difference = self.character_difference(x, y, e);
        self.assign_variable(result, difference, span);
        self.body.go_on_at(after, span);
        self.terms.symbol(result)
    }

    /// The sign is what the standard fixes; glibc's difference is what programs see.
    fn character_difference(&mut self, x: Term, y: Term, e: &Expr) -> Term {
        if self.mathematical() {
            return self.terms.sub(x, y);
        }
        let bits = self.bits(e.ty);
        let (x, y) = (self.terms.resize(false, bits, x), self.terms.resize(false, bits, y));
        self.sub(x, y)
    }

    /// `strchr`
    pub(super) fn find_character(&mut self, text: Term, c: Term, cell: Option<Cell>, span: Span) -> Term {
        let Some(region) = self.characters(cell, span) else { return self.address(0) };
        let text = self.save(text, span);
        let c = if self.mathematical() { c } else { self.terms.resize(false, 8, c) };
        let c = self.save(c, span);
        let counter = self.counter(0, span);
        let i = self.terms.symbol(counter);
        let result = self.temporary(self.sort_of_bits(self.pointer_bits()), false);
        let (head, other, next) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let (found, missing, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.go_on_at(head, span);
        let here = self.character(region, text, i);
        let hit = self.terms.eq(here, c);
        self.branch_on(hit, found, other, span);
        self.body.at(other);
        let more = self.nonzero(here);
        self.branch_on(more, next, missing, span);
        self.body.at(next);
        let step = self.increment(counter);
        self.body.emit(Op::Assign(vec![step]), span);
        self.body.goto(head, span);
        self.body.at(found);
        let at = self.add(text, i);
        self.assign_variable(result, at, span);
        self.body.goto(after, span);
        self.body.at(missing);
        let null = self.address(0);
        self.assign_variable(result, null, span);
        self.body.go_on_at(after, span);
        self.terms.symbol(result)
    }
}
