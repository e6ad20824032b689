//! Words of memory that is cut into bytes: shown as the members that they are.

use clinch_terms::{BinOp, Node, Symbol, Term};

use super::expression::{Printer, Shown};

/// The first of consecutive bytes: where they are, the address of the first, how many there are.
struct Word {
    region: Symbol,
    first: Term,
    bytes: u32,
}

impl Printer<'_> {
    /// Several bytes that stand for a member, as that member.
    pub(super) fn word(&mut self, term: Term) -> Option<Shown> {
        let word = self.consecutive(term)?;
        let shown = self.cell(word.region, word.first);
        (self.width_of(shown.ty.as_deref()?) == Some(8 * word.bytes)).then_some(shown)
    }

    /// Bytes of one region, one behind the other, the first one in the lowest bits.
    fn consecutive(&self, term: Term) -> Option<Word> {
        if let Node::Binary(BinOp::BvConcat, high, low) = self.terms.node(term) {
            let (high, low) = (self.consecutive(high)?, self.consecutive(low)?);
            let ((base, offset), (same, next)) = (self.moved(low.first), self.moved(high.first));
            let follows = low.region == high.region && base == same && next == offset + u64::from(low.bytes);
            return follows.then_some(Word { bytes: low.bytes + high.bytes, ..low });
        }
        let Node::Binary(BinOp::Select, array, first) = self.terms.node(term) else { return None };
        let Node::Symbol(region) = self.terms.node(array) else { return None };
        let of_bytes = self.program.region(region).is_some_and(|region| region.cell_bytes == 1);
        of_bytes.then_some(Word { region, first, bytes: 1 })
    }

    /// An address as a pointer, or nothing for a constant, and how far it was moved.
    pub(super) fn moved(&self, address: Term) -> (Option<Term>, u64) {
        if let Some(constant) = self.constant_address(address) {
            return (None, constant);
        }
        match self.terms.node(address) {
            Node::Binary(BinOp::BvAdd | BinOp::Add, a, b) => match (self.constant_address(a), self.constant_address(b))
            {
                (Some(offset), _) => (Some(b), offset),
                (_, Some(offset)) => (Some(a), offset),
                _ => (Some(address), 0),
            },
            _ => (Some(address), 0),
        }
    }

    /// The bits of a scalar type, by its name.
    fn width_of(&self, ty: &str) -> Option<u32> {
        if ty.ends_with('*') {
            return Some(self.program.pointer_bits);
        }
        [16, 32, 64]
            .into_iter()
            .find(|&width| [true, false].into_iter().any(|signed| self.type_name(width, signed) == ty))
    }
}
