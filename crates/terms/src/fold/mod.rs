//! Folding of large formulas: what symbolic execution builds.
//!
//! [`Terms`] folds constants. Here more is seen: a choice between few constants is carried through every operation, so that
//! `(c ? 5 : 7) == 5` is `c` and a program counter stays one of few constants; a read of memory finds its write behind other
//! writes and behind choices between memories. What is learned about a term is kept, for large formulas share their parts.

mod memory;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};

/// A choice between more constants than this is not carried through operations.
const FEW: usize = 16;

/// Folds terms of one store.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// The constants that a term chooses between, if they are few.
    constants: FxHashMap<Term, Option<Rc<[Term]>>>,
    /// Operations that were carried into a choice.
    carried: FxHashMap<(BinOp, Term, Term), Term>,
    /// The same for operations with one argument.
    wrapped: FxHashMap<Node, Term>,
    reads: FxHashMap<(Term, Term), Term>,
    stripped: FxHashMap<Term, Term>,
}

impl Folder {
    /// A term with other terms for its symbols.
    pub fn substitute(&mut self, terms: &mut Terms, term: Term, value: &mut impl FnMut(Symbol) -> Term) -> Term {
        match terms.node(term) {
            Node::Symbol(symbol) => value(symbol),
            Node::Bool(_) | Node::BitVec(..) | Node::Int(_) | Node::Big(_) | Node::BigBitVec(..) => term,
            _ => self.substitute_memo(terms, term, value, &mut FxHashMap::default()),
        }
    }

    fn substitute_memo(
        &mut self,
        terms: &mut Terms,
        term: Term,
        value: &mut impl FnMut(Symbol) -> Term,
        memo: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if let Some(&done) = memo.get(&term) {
            return done;
        }
        let node = terms.node(term);
        let mut part = |this: &mut Self, terms: &mut Terms, t: Term| this.substitute_memo(terms, t, value, memo);
        let result = match node {
            Node::Symbol(symbol) => value(symbol),
            Node::Unary(op, a) => {
                let a = part(self, terms, a);
                self.unary(terms, op, a)
            }
            Node::Binary(op, a, b) => {
                let a = part(self, terms, a);
                match (op, terms.node(a)) {
                    (BinOp::And, Node::Bool(false)) | (BinOp::Or, Node::Bool(true)) => a,
                    _ => {
                        let b = part(self, terms, b);
                        self.binary(terms, op, a, b)
                    }
                }
            }
            Node::Ite(c, a, b) => {
                let c = part(self, terms, c);
                match terms.node(c) {
                    Node::Bool(true) => part(self, terms, a),
                    Node::Bool(false) => part(self, terms, b),
                    _ => {
                        let (a, b) = (part(self, terms, a), part(self, terms, b));
                        self.ite(terms, c, a, b)
                    }
                }
            }
            Node::Store(array, index, element) => {
                let array = part(self, terms, array);
                let (index, element) = (part(self, terms, index), part(self, terms, element));
                self.store(terms, array, index, element)
            }
            Node::Fma(format, a, b, c) => {
                let [a, b, c] = [a, b, c].map(|operand| part(self, terms, operand));
                terms.fma(format, a, b, c)
            }
            Node::Extract { of, .. } | Node::Extend { of, .. } | Node::IntToBv(_, of) | Node::ConstArray(_, of) => {
                let of = part(self, terms, of);
                self.around(terms, node, of)
            }
            _ => term,
        };
        memo.insert(term, result);
        result
    }

    /// The constants that a term chooses between.
    fn constants(&mut self, terms: &Terms, term: Term) -> Option<Rc<[Term]>> {
        let (a, b) = match terms.node(term) {
            Node::BitVec(..) | Node::Int(_) | Node::BigBitVec(..) | Node::Big(_) => return Some(Rc::new([term])),
            Node::Ite(_, a, b) => (a, b),
            _ => return None,
        };
        if let Some(known) = self.constants.get(&term) {
            return known.clone();
        }
        let both = self.constants(terms, a).and_then(|a| Some((a, self.constants(terms, b)?)));
        let found = both.and_then(|(a, b)| {
            let mut all: Vec<Term> = a.iter().chain(b.iter()).copied().collect();
            all.sort_unstable();
            all.dedup();
            (all.len() <= FEW).then(|| Rc::from(all))
        });
        self.constants.insert(term, found.clone());
        found
    }

    /// A unary operation.
    pub fn unary(&mut self, terms: &mut Terms, op: UnOp, a: Term) -> Term {
        if op == UnOp::Not { self.not(terms, a) } else { self.around(terms, Node::Unary(op, a), a) }
    }

    /// Negation; of comparisons of bit-vectors the converse.
    pub fn not(&mut self, terms: &mut Terms, a: Term) -> Term {
        terms.not(a)
    }

    /// The operation of `node`, which has one argument, around another one.
    fn around(&mut self, terms: &mut Terms, node: Node, of: Term) -> Term {
        let node = match node {
            Node::Unary(op, _) => Node::Unary(op, of),
            Node::Extract { hi, lo, .. } => Node::Extract { hi, lo, of },
            Node::Extend { signed, by, .. } => Node::Extend { signed, by, of },
            Node::IntToBv(width, _) => Node::IntToBv(width, of),
            Node::ConstArray(sort, _) => Node::ConstArray(sort, of),
            other => unreachable!("{other:?} has no argument"),
        };
        let Node::Ite(c, x, y) = terms.node(of) else { return plain_unary(terms, node) };
        if let Some(&known) = self.wrapped.get(&node) {
            return known;
        }
        let result = if self.constants(terms, of).is_some() {
            let (x, y) = (self.around(terms, node, x), self.around(terms, node, y));
            self.ite(terms, c, x, y)
        } else {
            plain_unary(terms, node)
        };
        self.wrapped.insert(node, result);
        result
    }

    /// A binary operation.
    pub fn binary(&mut self, terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
        match op {
            BinOp::And => self.and(terms, a, b),
            BinOp::Or => self.or(terms, a, b),
            BinOp::Select => self.select(terms, a, b),
            _ => self.operation(terms, op, a, b),
        }
    }

    fn operation(&mut self, terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
        if !is_ite(terms, a) && !is_ite(terms, b) {
            return self.plain(terms, op, a, b);
        }
        if let Some(&known) = self.carried.get(&(op, a, b)) {
            return known;
        }
        let result = self.carry(terms, op, a, b).unwrap_or_else(|| self.plain(terms, op, a, b));
        self.carried.insert((op, a, b), result);
        result
    }

    /// An operation on a choice as a choice between operations, where that is simpler.
    fn carry(&mut self, terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return None;
        }
        if let (Node::Ite(c, x, y), Node::Ite(d, v, w)) = (terms.node(a), terms.node(b))
            && c == d
            && (self.constants(terms, a).is_some() || self.constants(terms, b).is_some())
        {
            let (x, y) = (self.operation(terms, op, x, v), self.operation(terms, op, y, w));
            return Some(self.ite(terms, c, x, y));
        }
        let (left, right) = (self.constants(terms, a), self.constants(terms, b));
        if let (Some(left), Some(right)) = (left, right) {
            if left.len() * right.len() > FEW {
                return None;
            }
            return Some(match (terms.node(a), terms.node(b)) {
                (Node::Ite(c, x, y), _) => {
                    let (x, y) = (self.operation(terms, op, x, b), self.operation(terms, op, y, b));
                    self.ite(terms, c, x, y)
                }
                (_, Node::Ite(c, x, y)) => {
                    let (x, y) = (self.operation(terms, op, a, x), self.operation(terms, op, a, y));
                    self.ite(terms, c, x, y)
                }
                _ => self.plain(terms, op, a, b),
            });
        }
        let compares = op == BinOp::Eq || matches!(op, BinOp::Le | BinOp::Lt) || op.compares_bit_vectors();
        if !compares {
            return None;
        }
        if is_constant(terms, b) { self.compare(terms, op, a, b) } else { None }
    }

    /// A comparison of a choice, one branch of which is constant, with a constant.
    fn compare(&mut self, terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let Node::Ite(c, x, y) = terms.node(a) else { return None };
        if !is_constant(terms, x) && !is_constant(terms, y) {
            return None;
        }
        let (x, y) = (self.operation(terms, op, x, b), self.operation(terms, op, y, b));
        Some(self.ite(terms, c, x, y))
    }

    /// An operation without a choice to look into.
    fn plain(&mut self, terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
        let (a, b) = match op {
            BinOp::Eq | BinOp::BvAdd | BinOp::BvMul if is_constant(terms, a) => (b, a),
            BinOp::Eq if !is_constant(terms, b) && b < a => (b, a),
            _ => (a, b),
        };
        match op {
            BinOp::Eq => self.equal(terms, a, b),
            BinOp::BvAdd | BinOp::BvSub => self.sum(terms, op, a, b),
            _ => terms.binary(op, a, b),
        }
    }

    /// Sums with a constant have it last, and one only.
    fn sum(&mut self, terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
        if !is_constant(terms, b) {
            if let (BinOp::BvAdd, Node::Binary(BinOp::BvAdd, x, k)) = (op, terms.node(b))
                && is_constant(terms, k)
            {
                let rest = self.sum(terms, op, a, x);
                return self.sum(terms, op, rest, k);
            }
            if let Node::Binary(BinOp::BvAdd, x, k) = terms.node(a)
                && is_constant(terms, k)
            {
                let rest = terms.bv(op, x, b);
                return terms.bv(BinOp::BvAdd, rest, k);
            }
            return terms.bv(op, a, b);
        }
        let by = if op == BinOp::BvSub { terms.bv_neg(b) } else { b };
        match terms.node(a) {
            Node::Binary(BinOp::BvAdd, x, k) if is_constant(terms, k) => {
                let k = terms.bv(BinOp::BvAdd, k, by);
                terms.bv(BinOp::BvAdd, x, k)
            }
            _ => terms.bv(BinOp::BvAdd, a, by),
        }
    }

    fn equal(&mut self, terms: &mut Terms, a: Term, b: Term) -> Term {
        if terms.sort(a) == Sort::Bool {
            return self.equivalent(terms, a, b);
        }
        if let (Some((x, k)), Some((y, l))) = (offset(terms, a), offset(terms, b))
            && x == y
        {
            return terms.bool(k == l);
        }
        match (terms.node(a), terms.node(b)) {
            (Node::Binary(BinOp::BvAdd, x, k), Node::BitVec(..)) if is_constant(terms, k) => {
                let rest = terms.bv(BinOp::BvSub, b, k);
                self.operation(terms, BinOp::Eq, x, rest)
            }
            (Node::Extend { signed, by, of }, Node::BitVec(width, bits)) => {
                let own = terms.bit_vec(width - by, bits);
                if terms.extend(signed, by, own) == b { self.operation(terms, BinOp::Eq, of, own) } else { terms.ff() }
            }
            (Node::Binary(BinOp::BvMul, x, k), Node::BitVec(width @ 1..=64, bits)) => match terms.node(k) {
                Node::BitVec(_, factor) if factor != 0 => self.quotient(terms, x, factor, (width, bits)),
                _ => terms.eq(a, b),
            },
            _ => terms.eq(a, b),
        }
    }

    /// `x * factor == product`: odd factors have an inverse, and what a power of two shifts out does not matter.
    fn quotient(&mut self, terms: &mut Terms, x: Term, factor: u64, (width, product): (u32, u64)) -> Term {
        let shift = factor.trailing_zeros();
        if product & ((1 << shift) - 1) != 0 {
            return terms.ff();
        }
        let quotient = (product >> shift).wrapping_mul(inverse(factor >> shift));
        let (low, quotient) = (terms.extract(width - shift - 1, 0, x), terms.bit_vec(width - shift, quotient));
        self.operation(terms, BinOp::Eq, low, quotient)
    }

    fn equivalent(&mut self, terms: &mut Terms, a: Term, b: Term) -> Term {
        match (terms.node(a), terms.node(b)) {
            (Node::Bool(true), _) => b,
            (_, Node::Bool(true)) => a,
            (Node::Bool(false), _) => self.not(terms, b),
            (_, Node::Bool(false)) => self.not(terms, a),
            _ => terms.eq(a, b),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, terms: &mut Terms, a: Term, b: Term) -> Term {
        connected(terms, BinOp::And, a, b)
    }

    /// Disjunction.
    pub fn or(&mut self, terms: &mut Terms, a: Term, b: Term) -> Term {
        connected(terms, BinOp::Or, a, b)
    }

    /// If-then-else.
    pub fn ite(&mut self, terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Term {
        match terms.node(condition) {
            Node::Bool(true) => return then,
            Node::Bool(false) => return otherwise,
            Node::Unary(UnOp::Not, c) => return self.ite(terms, c, otherwise, then),
            _ if then == otherwise => return then,
            _ => {}
        }
        // What the condition decides once it decides inside too.
        let then = match terms.node(then) {
            Node::Ite(c, x, _) if c == condition => x,
            _ => then,
        };
        let otherwise = match terms.node(otherwise) {
            Node::Ite(c, _, y) if c == condition => y,
            _ => otherwise,
        };
        match (terms.node(then), terms.node(otherwise)) {
            _ if then == otherwise => then,
            (Node::Bool(true), _) => self.or(terms, condition, otherwise),
            (Node::Bool(false), _) => {
                let not = self.not(terms, condition);
                self.and(terms, not, otherwise)
            }
            (_, Node::Bool(true)) => {
                let not = self.not(terms, condition);
                self.or(terms, not, then)
            }
            (_, Node::Bool(false)) => self.and(terms, condition, then),
            (_, Node::Ite(d, x, y)) if x == then => {
                let either = self.or(terms, condition, d);
                self.ite(terms, either, then, y)
            }
            (_, Node::Ite(d, x, y)) if y == then => {
                let not = self.not(terms, d);
                let either = self.or(terms, condition, not);
                self.ite(terms, either, then, x)
            }
            (Node::Ite(d, x, y), _) if y == otherwise => {
                let both = self.and(terms, condition, d);
                self.ite(terms, both, x, otherwise)
            }
            (Node::Ite(d, x, y), _) if x == otherwise => {
                let not = self.not(terms, d);
                let both = self.and(terms, condition, not);
                self.ite(terms, both, y, otherwise)
            }
            _ => terms.ite(condition, then, otherwise),
        }
    }
}

fn plain_unary(terms: &mut Terms, node: Node) -> Term {
    match node {
        Node::Unary(op, of) => terms.unary(op, of),
        Node::Extract { hi, lo, of } => terms.extract(hi, lo, of),
        Node::Extend { signed, by, of } => terms.extend(signed, by, of),
        Node::IntToBv(width, of) => terms.int_to_bv(width, of),
        other => terms.intern(other),
    }
}

/// A conjunction, or a disjunction, without what one side says of the other.
fn connected(terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
    let dual = if op == BinOp::And { BinOp::Or } else { BinOp::And };
    if are_opposite(terms, a, b) {
        return terms.bool(op == BinOp::Or);
    }
    match (terms.node(a), terms.node(b)) {
        (Node::Binary(o, x, y), _) if o == op && (x == b || y == b) => a,
        (_, Node::Binary(o, x, y)) if o == op && (x == a || y == a) => b,
        (Node::Binary(o, x, y), _) if o == dual && (x == b || y == b) => b,
        (_, Node::Binary(o, x, y)) if o == dual && (x == a || y == a) => a,
        (_, Node::Binary(o, x, y)) if o == dual && are_opposite(terms, x, a) => terms.binary(op, a, y),
        (_, Node::Binary(o, x, y)) if o == dual && are_opposite(terms, y, a) => terms.binary(op, a, x),
        _ => terms.binary(op, a, b),
    }
}

/// Whether one is the negation of the other.
pub fn are_opposite(terms: &Terms, a: Term, b: Term) -> bool {
    match (terms.node(a), terms.node(b)) {
        (Node::Unary(UnOp::Not, x), _) if x == b => true,
        (_, Node::Unary(UnOp::Not, y)) if y == a => true,
        (Node::Binary(op, x, y), Node::Binary(other, v, w)) => {
            op.converse_of_negation() == Some(other) && (x, y) == (w, v)
        }
        _ => false,
    }
}

fn is_ite(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Ite(..))
}

fn is_constant(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::BitVec(..) | Node::Int(_) | Node::BigBitVec(..) | Node::Big(_))
}

/// The inverse of an odd number modulo `2^64`.
fn inverse(odd: u64) -> u64 {
    // Every step of Newton's method doubles the number of right bits; three are right to begin with.
    (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// A bit-vector as a term and a constant that is added to it.
fn offset(terms: &Terms, term: Term) -> Option<(Term, Option<Term>)> {
    match terms.node(term) {
        Node::Binary(BinOp::BvAdd, x, k) if is_constant(terms, k) => Some((x, Some(k))),
        Node::BitVec(..) | Node::BigBitVec(..) | Node::Int(_) | Node::Big(_) => None,
        _ => Some((term, None)),
    }
}
