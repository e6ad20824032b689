//! Formulas from one store in another.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::{BinOp, Node, Symbol, Term, Terms};

impl Terms {
    /// A formula of another store, with its symbols replaced. Nothing, if a symbol has no replacement or the term is not
    /// a formula.
    pub fn import(
        &mut self,
        other: &Terms,
        root: Term,
        symbol: &mut impl FnMut(Symbol) -> Option<Term>,
    ) -> Option<Term> {
        let mut parts = BTreeSet::from([root]);
        let mut waiting = vec![root];
        while let Some(part) = waiting.pop() {
            waiting.extend(other.children(part).filter(|&child| parts.insert(child)));
        }
        // Parts have smaller indices than what they are parts of.
        let mut here: FxHashMap<Term, Term> = FxHashMap::default();
        for part in parts {
            let node = match other.node(part) {
                Node::Bool(b) => self.bool(b),
                Node::Int(v) => self.int(v),
                Node::Big(id) => self.big(other.big_value(id).clone()),
                Node::Symbol(s) => symbol(s)?,
                Node::ConstArray(id, a) => self.const_array(other.sort_of_id(id).clone(), here[&a]),
                Node::Unary(op, a) => self.unary(op, here[&a]),
                Node::Binary(BinOp::Select, a, b) => self.select(here[&a], here[&b]),
                Node::Binary(op, a, b) => self.binary(op, here[&a], here[&b]),
                Node::Ite(c, a, b) => self.ite(here[&c], here[&a], here[&b]),
                Node::Store(a, i, v) => self.store(here[&a], here[&i], here[&v]),
                Node::Fma(format, a, b, c) => self.fma(format, here[&a], here[&b], here[&c]),
                Node::BitVec(width, bits) => self.bit_vec(width, bits),
                Node::BigBitVec(width, id) => self.big_bit_vec(width, other.big_value(id).magnitude().clone()),
                Node::Extract { hi, lo, of } => self.extract(hi, lo, here[&of]),
                Node::Extend { signed, by, of } => self.extend(signed, by, here[&of]),
                Node::IntToBv(width, a) => self.int_to_bv(width, here[&a]),
                Node::Var(_) | Node::At(..) | Node::Input(_) => return None,
            };
            here.insert(part, node);
        }
        here.get(&root).copied()
    }
}
