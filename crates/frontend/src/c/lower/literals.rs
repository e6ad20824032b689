//! String literals and their contents.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, Op, Target};

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
}
