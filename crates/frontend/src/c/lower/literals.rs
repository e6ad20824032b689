//! String literals: their contents, and whether two of them are one object.

use clinch_ir::cfa::{Assign, ObjectKind, Op, Target};
use clinch_ir::{Span, Term};

use super::super::hir::{BinaryOp, Expr};
use super::Lowering;

/// Most cells of a literal whose contents are known to those who do not execute the program.
const MAX_LITERAL: usize = 1024;

impl Lowering<'_> {
    /// String literals have their contents before anything happens. In the machine they have them anyway; here they are
    /// written for those who read the program symbolically.
    pub(super) fn write_literals(&mut self) {
        for string in self.points.used_strings() {
            let (hir, object) = (self.hir, self.storage.strings[&string]);
            let bytes = &hir.strings[string];
            let cell = self.points.string(string);
            let pieces = cell.and_then(|c| self.points.pieces(c, bytes.len() as u64, MAX_LITERAL).ok());
            let address = self.objects[object.index()].address;
            let mut assigns = Vec::new();
            for piece in pieces.into_iter().flatten() {
                let (region, width) = (self.regions[piece.region.0].symbol, self.regions[piece.region.0].cell_bytes);
                let part = &bytes[piece.offset as usize..][..width as usize];
                let unsigned = part.iter().rev().fold(0_i128, |n, &b| n << 8 | i128::from(b));
                // Mathematical cells of literals are characters, which have a sign.
                let negative = self.mathematical() && unsigned >> (8 * width - 1) != 0;
                let value = self.number(8 * width, if negative { unsigned - (1 << (8 * width)) } else { unsigned });
                let target = Target::Cell(region, self.address(address + piece.offset));
                assigns.push(Assign { target, value });
            }
            if !assigns.is_empty() {
                self.body.emit(Op::Assign(assigns), Span::default());
            }
        }
    }

    /// Compilers put literals with the same end into one object, or do not: where two pointers to such literals are compared,
    /// there is no verdict unless they are equal anyway.
    pub(super) fn check_literals(&mut self, op: BinaryOp, (a, x): (&Expr, Term), (b, y): (&Expr, Term)) {
        let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if !is_equality || !self.hir.types.is_pointer(a.ty) || !self.may_share(a, b) {
            return;
        }
        let (first, second) = (self.is_in_literals(x), self.is_in_literals(y));
        let same = self.terms.eq(x, y);
        let differ = self.not(same);
        let both = self.terms.and(first, second);
        let open = self.terms.and(both, differ);
        let (bad, good) = (self.body.fresh(), self.body.fresh());
        self.branch_on(open, bad, good, a.span);
        self.body.at(bad);
        self.body.stop(Op::Unsupported("whether two string literals are one object".to_owned()), a.span);
        self.body.at(good);
    }

    /// Whether two pointers may point to different literals of which one ends like the other.
    fn may_share(&mut self, a: &Expr, b: &Expr) -> bool {
        let (left, right) = (self.points.literals(a), self.points.literals(b));
        let strings = &self.hir.strings;
        left.iter().any(|&i| {
            right.iter().any(|&j| i != j && (strings[i].ends_with(&strings[j]) || strings[j].ends_with(&strings[i])))
        })
    }

    /// Whether an address is one of a literal: they are laid out one after the other.
    fn is_in_literals(&mut self, address: Term) -> Term {
        let mut literals = self.objects.iter().filter(|o| o.kind == ObjectKind::Literal);
        let first = literals.next().map_or(0, |o| o.address);
        let end = literals.next_back().map_or(first, |o| o.address + o.size);
        let (first, end) = (self.address(first), self.address(end));
        let above = self.compare(BinaryOp::Le, false, first, address);
        let below = self.compare(BinaryOp::Lt, false, address, end);
        self.terms.and(above, below)
    }
}
