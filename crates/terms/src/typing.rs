//! The sort of a term, from those of its arguments.

use crate::float::extended;
use crate::term::SortId;
use crate::{BinOp, Node, Sort, Term, Terms, UnOp};

impl Terms {
    /// The sort of a term with this outermost node. Nothing for terms over program variables and
    /// for what makes no sense, which may be made but has no meaning.
    pub(crate) fn node_sort(&mut self, node: Node) -> Option<SortId> {
        let sort = match node {
            Node::Bool(_) | Node::At(..) | Node::Unary(UnOp::Not, _) => Sort::Bool,
            Node::Int(_) | Node::Big(_) | Node::Input(_) => Sort::Int,
            Node::BitVec(width, _) | Node::BigBitVec(width, _) | Node::IntToBv(width, _) => Sort::BitVec(width),
            Node::Symbol(symbol) => self.symbol_sort(symbol).clone(),
            Node::ConstArray(id, _) => return Some(id),
            Node::Var(_) => return None,
            Node::Store(a, ..) | Node::Unary(UnOp::Neg | UnOp::BvNot | UnOp::BvNeg, a) => return self.sort_id(a),
            Node::Unary(UnOp::Float(op, format), _) => Sort::BitVec(op.width(format)),
            Node::Unary(UnOp::Extended(op), _) => Sort::BitVec(op.width()),
            Node::Unary(UnOp::BoolToInt | UnOp::BitNot | UnOp::BvToNat, _) => Sort::Int,
            Node::Binary(op, a, b) => return self.binary_sort(op, a, b),
            Node::Ite(_, a, b) => return self.joint_sort(a, b),
            Node::Fma(format, ..) => Sort::BitVec(format.width()),
            Node::Extract { hi, lo, .. } => Sort::BitVec(hi.checked_sub(lo)? + 1),
            Node::Extend { by, of, .. } => Sort::BitVec(self.width(of)? + by),
        };
        Some(self.intern_sort(sort))
    }

    fn binary_sort(&mut self, op: BinOp, a: Term, b: Term) -> Option<SortId> {
        let sort = match op {
            BinOp::And | BinOp::Or | BinOp::Eq | BinOp::Le | BinOp::Lt => Sort::Bool,
            BinOp::Add | BinOp::Sub | BinOp::Mul => return self.joint_sort(a, b),
            BinOp::Select => match self.sort_of_id(self.sort_id(a)?) {
                Sort::Array(of) => of.1.clone(),
                _ => return None,
            },
            BinOp::Float(op, _) | BinOp::Extended(op) if op.compares() => Sort::Bool,
            BinOp::Extended(_) => Sort::BitVec(extended::WIDTH),
            BinOp::Float(_, format) => Sort::BitVec(format.width()),
            BinOp::BvConcat => Sort::BitVec(self.width(a)? + self.width(b)?),
            op if op.compares_bit_vectors() => Sort::Bool,
            op if op.on_bit_vectors() => return self.sort_id(a),
            _ => Sort::Int,
        };
        Some(self.intern_sort(sort))
    }

    fn width(&self, term: Term) -> Option<u32> {
        match self.sort_of_id(self.sort_id(term)?) {
            Sort::BitVec(width) => Some(*width),
            _ => None,
        }
    }

    /// The sort of a sum or choice. An integer constant may be a real number.
    fn joint_sort(&self, a: Term, b: Term) -> Option<SortId> {
        let (a, b) = (self.sort_id(a)?, self.sort_id(b)?);
        Some(if *self.sort_of_id(b) == Sort::Real { b } else { a })
    }
}
