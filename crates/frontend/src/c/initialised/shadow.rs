//! Which bits of a value were set.

use clinch_ir::cfa::{CfaProgram, ObjectKind};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, UnOp};

use super::Initialised;

/// Shorter literals are written at the start.
const LONG_LITERAL: u64 = 256;

impl Initialised<'_> {
    pub(super) fn ones(&mut self, width: u32) -> Term {
        let terms = &mut self.program.terms;
        match width {
            1..=64 => terms.bit_vec(width, u64::MAX >> (64 - width)),
            _ => {
                let zero = terms.bit_vec(width, 0);
                terms.unary(UnOp::BvNot, zero)
            }
        }
    }

    /// The bits of a term that are set; for a truth value, whether it is.
    pub(super) fn shadow_bits(&mut self, term: Term) -> Term {
        let Sort::BitVec(width) = self.program.terms.sort(term) else { return self.is_whole(term) };
        if let Some(&bits) = self.bits.get(&term) {
            return bits;
        }
        let bits = match self.bit_by_bit(term, width) {
            Some(bits) => bits,
            None => {
                let whole = self.operands_are_whole(term);
                let (all, none) = (self.ones(width), self.program.terms.bit_vec(width, 0));
                self.program.terms.ite(whole, all, none)
            }
        };
        self.bits.insert(term, bits);
        bits
    }

    /// Whether all bits of a term are set.
    pub(super) fn is_whole(&mut self, term: Term) -> Term {
        if let Some(&whole) = self.whole.get(&term) {
            return whole;
        }
        let whole = match self.program.terms.sort(term) {
            Sort::BitVec(width) => match self.bit_by_bit(term, width) {
                Some(bits) => {
                    let all = self.ones(width);
                    self.program.terms.eq(bits, all)
                }
                None => self.operands_are_whole(term),
            },
            _ => self.is_truth_set(term),
        };
        self.whole.insert(term, whole);
        whole
    }

    fn is_truth_set(&mut self, term: Term) -> Term {
        match self.program.terms.node(term) {
            Node::Symbol(symbol) => match self.companions.get(&symbol) {
                Some(&companion) => self.program.terms.symbol(companion),
                None => self.program.terms.tt(),
            },
            Node::Ite(condition, a, b) => {
                let (decided, a_set, b_set) = (self.is_whole(condition), self.is_whole(a), self.is_whole(b));
                let chosen = self.program.terms.ite(condition, a_set, b_set);
                self.program.terms.and(decided, chosen)
            }
            _ => self.operands_are_whole(term),
        }
    }

    fn operands_are_whole(&mut self, term: Term) -> Term {
        let operands: Vec<Term> = self.program.terms.children(term).collect();
        let whole: Vec<Term> = operands.into_iter().map(|operand| self.is_whole(operand)).collect();
        self.program.terms.all(whole)
    }

    /// Bit by bit, for what moves bits; nothing for what computes with them.
    fn bit_by_bit(&mut self, term: Term, width: u32) -> Option<Term> {
        Some(match self.program.terms.node(term) {
            Node::Symbol(symbol) => match self.companions.get(&symbol) {
                Some(&companion) => self.program.terms.symbol(companion),
                None => self.ones(width),
            },
            Node::BitVec(..) | Node::BigBitVec(..) => self.ones(width),
            Node::Binary(BinOp::Select, array, address) => match self.program.terms.node(array) {
                Node::Symbol(region) if self.companions.contains_key(&region) => self.cell(region, address, width),
                _ => self.ones(width),
            },
            Node::Extract { hi, lo, of } => {
                let bits = self.shadow_bits(of);
                self.program.terms.extract(hi, lo, bits)
            }
            Node::Extend { signed: true, of, .. } => {
                let bits = self.shadow_bits(of);
                self.program.terms.resize(true, width, bits)
            }
            Node::Extend { signed: false, by, of } => {
                let (bits, above) = (self.shadow_bits(of), self.ones(by));
                self.program.terms.bv(BinOp::BvConcat, above, bits)
            }
            Node::Binary(BinOp::BvConcat, a, b) => {
                let (a, b) = (self.shadow_bits(a), self.shadow_bits(b));
                self.program.terms.bv(BinOp::BvConcat, a, b)
            }
            Node::Binary(op @ (BinOp::BvAnd | BinOp::BvOr), a, b) => self.masked(op, a, b),
            Node::Binary(BinOp::BvXor, a, b) => {
                let (a, b) = (self.shadow_bits(a), self.shadow_bits(b));
                self.program.terms.bv(BinOp::BvAnd, a, b)
            }
            Node::Unary(UnOp::BvNot, a) => self.shadow_bits(a),
            Node::Binary(op @ (BinOp::BvShl | BinOp::BvLshr), a, by) => return self.shifted(op, a, by, width),
            Node::Ite(condition, a, b) => {
                let (decided, a, b) = (self.is_whole(condition), self.shadow_bits(a), self.shadow_bits(b));
                let none = self.program.terms.bit_vec(width, 0);
                let chosen = self.program.terms.ite(condition, a, b);
                self.program.terms.ite(decided, chosen, none)
            }
            _ => return None,
        })
    }

    /// A cell of memory. Objects that live for ever start with a value.
    fn cell(&mut self, region: Symbol, address: Term, width: u32) -> Term {
        let table = self.program.terms.symbol(self.companions[&region]);
        let all = self.ones(width);
        let mut bits = self.program.terms.select(table, address);
        for (start, size) in lasting(self.program, region) {
            let terms = &mut self.program.terms;
            let pointer = self.program.pointer_bits;
            let (start, size) = (terms.bit_vec(pointer, start), terms.bit_vec(pointer, size));
            let offset = terms.bv(BinOp::BvSub, address, start);
            let inside = terms.binary(BinOp::BvUlt, offset, size);
            bits = terms.ite(inside, all, bits);
        }
        bits
    }

    /// A bit that is set decides where it is 0 in a conjunction, and 1 in a disjunction.
    fn masked(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let (a_set, b_set) = (self.shadow_bits(a), self.shadow_bits(b));
        let terms = &mut self.program.terms;
        let (a_decides, b_decides) = match op {
            BinOp::BvOr => (a, b),
            _ => (terms.unary(UnOp::BvNot, a), terms.unary(UnOp::BvNot, b)),
        };
        let both = terms.bv(BinOp::BvAnd, a_set, b_set);
        let (a_alone, b_alone) = (terms.bv(BinOp::BvAnd, a_set, a_decides), terms.bv(BinOp::BvAnd, b_set, b_decides));
        let one = terms.bv(BinOp::BvOr, a_alone, b_alone);
        terms.bv(BinOp::BvOr, both, one)
    }

    /// Bits that are shifted by a constant; those that come in are set.
    fn shifted(&mut self, op: BinOp, a: Term, by: Term, width: u32) -> Option<Term> {
        let Node::BitVec(_, count) = self.program.terms.node(by) else { return None };
        let (bits, all) = (self.shadow_bits(a), self.ones(width));
        if count >= u64::from(width) {
            return Some(all);
        }
        let terms = &mut self.program.terms;
        let (moved, kept) = (terms.bv(op, bits, by), terms.bv(op, all, by));
        let coming = terms.unary(UnOp::BvNot, kept);
        Some(terms.bv(BinOp::BvOr, moved, coming))
    }
}

/// The objects in a region that live for ever: where they start, and their sizes. Of a literal nobody knows its region, but its contents are bytes.
fn lasting(program: &CfaProgram, region: Symbol) -> Vec<(u64, u64)> {
    let holds_bytes = program.region(region).is_some_and(|r| r.cell_bytes == 1);
    let is_here = |o: &&clinch_ir::cfa::Object| match o.kind {
        ObjectKind::Static | ObjectKind::Handover => o.regions.contains(&region),
        ObjectKind::Literal => holds_bytes && o.size > LONG_LITERAL,
        ObjectKind::Local(_) => false,
    };
    program.objects.iter().filter(is_here).map(|o| (o.address, o.size)).collect()
}
