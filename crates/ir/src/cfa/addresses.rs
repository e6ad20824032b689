//! Where memory is that a program allocates: behind all objects with fixed addresses, one block after the other, with room between
//! them. Nothing is ever put where something else was.

use clinch_terms::{BinOp, Term, Terms};

use super::{AllocKind, CfaProgram, Integers};

/// Blocks made at run time start here, or behind the last fixed object.
pub const DYNAMIC_BASE: u64 = 0x4000_0000;

/// Blocks start at multiples of this.
const ALIGN: u64 = 16;
/// Bytes between a fixed object and the first block, at least.
const FIXED_GAP: u64 = 64;
/// Bytes between two blocks, at least.
const GAP: u64 = 16;

/// No block on the stack has more bytes.
pub const MOST_ON_STACK: u64 = 1 << 26;
/// What a block of the heap may have whose size is not known, if there is room, and at least.
const MOST_ROOM: u64 = 1 << 36;
const LEAST_ROOM: u64 = 1 << 20;

/// Where the objects are that pointers from outside lead to: one after the other, each with room before and behind the place that is pointed to.
const OUTSIDE_64: u64 = 0x5000_0000_0000;
const OUTSIDE_32: u64 = 0xf000_0000;
/// How many bytes such an object has.
pub const OUTSIDE_SIZE: u64 = 1 << 16;
/// Where in it pointers from outside lead to: programs go back from there to what is around it.
pub const OUTSIDE_MIDDLE: u64 = OUTSIDE_SIZE / 2;
/// How many there are.
const MOST_OUTSIDE: u64 = 1024;

/// The addresses of blocks made at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addresses {
    next: u64,
    end: u64,
}

impl Addresses {
    /// Those of a program that has not allocated anything.
    pub fn new(program: &CfaProgram) -> Self {
        let ends = program.objects.iter().map(|o| o.address.saturating_add(o.size));
        let next = ends.max().unwrap_or(0).saturating_add(FIXED_GAP).next_multiple_of(ALIGN).max(DYNAMIC_BASE);
        Addresses { next, end: if program.pointer_bits == 32 { OUTSIDE_32 } else { 1 << 46 } }
    }

    /// The same with the next block at an address.
    pub fn resume(&mut self, next: u64) {
        self.next = next;
    }

    /// Where the next block goes.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The bytes that a block of unknown size may have: many for the first ones, fewer when there is little room left.
    pub fn room(&self, kind: AllocKind) -> u64 {
        match kind {
            AllocKind::Stack => MOST_ON_STACK,
            AllocKind::Heap => (self.end.saturating_sub(self.next) / 2).clamp(LEAST_ROOM, MOST_ROOM),
        }
    }

    /// The address of the next block, which has so many bytes; `None` if there is no room.
    pub fn make(&mut self, size: u64) -> Option<u64> {
        let address = self.next;
        let behind = address.checked_add(size)?.checked_add(GAP)?.checked_next_multiple_of(ALIGN)?;
        (behind <= self.end).then(|| {
            self.next = behind;
            address
        })
    }
}

/// The same in formulas: the address behind a block, and whether there is room for it.
pub(super) fn behind(program: &CfaProgram, terms: &mut Terms, next: Term, size: Term) -> (Term, Term) {
    let bits = program.pointer_bits;
    match program.integers {
        Integers::Mathematical => {
            let (zero, gap) = (terms.int(0), terms.int((GAP + ALIGN) as i64));
            let behind = terms.add(next, size);
            (terms.add(behind, gap), terms.le(zero, size))
        }
        Integers::Machine => {
            let (round, mask) = (terms.bit_vec(bits, GAP + ALIGN - 1), terms.bit_vec(bits, !(ALIGN - 1)));
            let end = terms.bv(BinOp::BvAdd, next, size);
            let end = terms.bv(BinOp::BvAdd, end, round);
            let behind = terms.bv(BinOp::BvAnd, end, mask);
            let most = terms.bit_vec(bits, 1 << (bits - 2));
            let (small, forward) = (terms.bv_ult(size, most), terms.bv_ult(next, behind));
            (behind, terms.and(small, forward))
        }
    }
}

impl CfaProgram {
    /// Where the object starts that the n-th pointer from outside leads to, if there is one for it.
    pub fn outside_object(&self, number: u64) -> Option<u64> {
        (self.outside_is_valid && number < MOST_OUTSIDE).then(|| self.outside() + number * OUTSIDE_SIZE)
    }

    /// The start of the object from outside that an address is in.
    pub fn outside_object_at(&self, address: u64) -> Option<u64> {
        let number = address.checked_sub(self.outside())? / OUTSIDE_SIZE;
        self.outside_object(number)
    }

    fn outside(&self) -> u64 {
        if self.pointer_bits == 32 { OUTSIDE_32 } else { OUTSIDE_64 }
    }

    /// An address as a term.
    pub fn address(&self, terms: &mut Terms, value: u64) -> Term {
        match self.integers {
            Integers::Machine => terms.bit_vec(self.pointer_bits, value),
            Integers::Mathematical => terms.int(value as i64),
        }
    }
}
