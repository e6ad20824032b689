//! gcc's builtins that count and move bits.

use clinch_ir::cfa::Op;
use clinch_terms::{BinOp, Node, Term};

use super::super::hir::{Call, Expr};
use super::super::points_to::Bits;
use super::Lowering;
use super::values::Value;

impl Lowering<'_> {
    /// Counting and moving bits.
    pub(super) fn bits_function(&mut self, bits: Bits, a: Term, call: &Call, e: &Expr) -> Value {
        let Some(arg) = call.args.first() else { return self.void_result(e) };
        if self.mathematical() {
            self.body.stop(Op::Unsupported("bits of mathematical integers".to_owned()), e.span);
            return self.void_result(e);
        }
        let width = self.bits(arg.ty);
        let value = match bits {
            Bits::Bswap => {
                let bytes: Vec<Term> = (0..width / 8).map(|i| self.terms.extract(i * 8 + 7, i * 8, a)).collect();
                let swapped = bytes.into_iter().reduce(|high, low| self.terms.bv(BinOp::BvConcat, high, low));
                swapped.unwrap_or(a)
            }
            Bits::Popcount | Bits::Parity => {
                let mut sum = self.terms.bit_vec(32, 0);
                for i in 0..width {
                    let bit = self.terms.extract(i, i, a);
                    let bit = self.terms.zero_extend(31, bit);
                    sum = self.terms.bv(BinOp::BvAdd, sum, bit);
                }
                if bits == Bits::Parity {
                    let bit = self.terms.extract(0, 0, sum);
                    sum = self.terms.zero_extend(31, bit);
                }
                sum
            }
            Bits::Ctz | Bits::Ffs => self.first_bit(a, (0..width).rev(), |i| i + u32::from(bits == Bits::Ffs)),
            Bits::Clz => self.first_bit(a, 0..width, |i| width - 1 - i),
        };
        let value = if matches!(self.terms.node(value), Node::BitVec(..)) { value } else { self.save(value, e.span) };
        Value::Scalar(self.fit(value, e))
    }

    /// A number for the last bit of the list that is set; 0 for none.
    fn first_bit(&mut self, a: Term, bits: impl Iterator<Item = u32>, number: impl Fn(u32) -> u32) -> Term {
        let mut value = self.terms.bit_vec(32, 0);
        for i in bits {
            let bit = self.terms.extract(i, i, a);
            let set = self.nonzero(bit);
            let this = self.terms.bit_vec(32, u64::from(number(i)));
            value = self.terms.ite(set, this, value);
        }
        value
    }
}
