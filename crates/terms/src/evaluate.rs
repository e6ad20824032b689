//! Evaluation of formulas under an assignment to their symbols, with integers of any size. All operations are total, as in
//! SMT-LIB; those that only programs use have no value here.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

use crate::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, Value, bitvec, float};

/// Values of symbols.
pub type Assignment = FxHashMap<Symbol, Value>;

/// What symbols stand for.
pub trait Environment {
    /// The value of a symbol.
    fn value(&self, symbol: Symbol) -> Option<Value>;

    /// The element of an array at an index. Where arrays are memory this is all that is known of them.
    fn element(&self, array: Symbol, index: &Value) -> Option<Value> {
        self.value(array)?.element(index)
    }
}

impl Environment for Assignment {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        self.get(&symbol).cloned()
    }
}

/// Values of terms that are known already, for one environment and one store, which may grow.
pub type Memo = FxHashMap<Term, Value>;

/// The value of a formula's term. `None` if a symbol has no value, or an operation has none.
pub fn evaluate(terms: &Terms, environment: &impl Environment, term: Term) -> Option<Value> {
    evaluate_with(terms, environment, term, &mut Memo::default())
}

/// The same, with what is known from terms before.
pub fn evaluate_with(terms: &Terms, environment: &impl Environment, term: Term, memo: &mut Memo) -> Option<Value> {
    Evaluation { terms, environment, memo }.value(term)
}

struct Evaluation<'a, E> {
    terms: &'a Terms,
    environment: &'a E,
    memo: &'a mut Memo,
}

impl<E: Environment> Evaluation<'_, E> {
    fn value(&mut self, term: Term) -> Option<Value> {
        if let Some(known) = self.memo.get(&term) {
            return Some(known.clone());
        }
        let value = self.compute(term)?;
        self.memo.insert(term, value.clone());
        Some(value)
    }

    fn compute(&mut self, term: Term) -> Option<Value> {
        match self.terms.node(term) {
            Node::Bool(b) => Some(Value::Bool(b)),
            Node::Int(v) => Some(Value::int(v)),
            Node::Big(id) => Some(Value::Int(self.terms.big_value(id).clone())),
            Node::BitVec(..) | Node::BigBitVec(..) => {
                self.terms.as_bit_vec(term).map(|(width, bits)| Value::BitVec { width, bits })
            }
            Node::Symbol(symbol) => self.environment.value(symbol),
            Node::ConstArray(sort, element) => {
                let default = Box::new(self.value(element)?);
                let array = Value::Array { default, entries: Default::default() };
                Some(array.into_sort(self.terms.sort_of_id(sort)))
            }
            Node::Binary(BinOp::Select, array, index) => {
                let Sort::Array(of) = self.terms.sort(array) else { return None };
                let index = self.value(index)?.into_sort(&of.0);
                self.element(array, &index)
            }
            Node::Unary(op, a) => unary(op, self.value(a)?),
            Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => match self.value(a)? {
                Value::Bool(left) if left == (op == BinOp::Or) => Some(Value::Bool(left)),
                _ => self.value(b),
            },
            Node::Binary(op, a, b) => binary(op, self.value(a)?, self.value(b)?),
            Node::Ite(c, a, b) => match self.value(c)? {
                Value::Bool(true) => self.value(a),
                _ => self.value(b),
            },
            Node::Store(array, index, value) => {
                let Sort::Array(of) = self.terms.sort(array) else { return None };
                let (index, value) = (self.value(index)?.into_sort(&of.0), self.value(value)?.into_sort(&of.1));
                Some(self.value(array)?.store(index, value))
            }
            Node::Fma(format, a, b, c) => {
                let [a, b, c] = [a, b, c].map(|operand| self.bit_vec(operand)?.1.to_u64());
                let bits = float::value::fma(format, a?, b?, c?).into();
                Some(Value::BitVec { width: format.width(), bits })
            }
            Node::Extract { hi, lo, of } => {
                let (_, bits) = self.bit_vec(of)?;
                Some(Value::BitVec { width: hi - lo + 1, bits: bitvec::extract(hi, lo, &bits) })
            }
            Node::Extend { signed, by, of } => {
                let (width, bits) = self.bit_vec(of)?;
                Some(Value::BitVec { width: width + by, bits: bitvec::extend(signed, by, width, &bits) })
            }
            Node::IntToBv(width, a) => match self.value(a)? {
                Value::Int(n) => Some(Value::BitVec { width, bits: bitvec::of_integer(width, &n) }),
                _ => None,
            },
            Node::Var(_) | Node::At(..) | Node::Input(_) => None,
        }
    }

    /// The element of an array at an index; the whole array is looked at only where there is no other way.
    fn element(&mut self, array: Term, index: &Value) -> Option<Value> {
        match self.terms.node(array) {
            Node::Symbol(symbol) => self.environment.element(symbol, index),
            Node::Store(base, at, value) => {
                let Sort::Array(of) = self.terms.sort(base) else { return None };
                if self.value(at)?.into_sort(&of.0) == *index {
                    return Some(self.value(value)?.into_sort(&of.1));
                }
                self.element(base, index)
            }
            Node::Ite(condition, a, b) => {
                let chosen = if self.value(condition)? == Value::Bool(true) { a } else { b };
                self.element(chosen, index)
            }
            _ => self.value(array)?.element(index),
        }
    }

    fn bit_vec(&mut self, term: Term) -> Option<(u32, BigUint)> {
        match self.value(term)? {
            Value::BitVec { width, bits } => Some((width, bits)),
            _ => None,
        }
    }
}

fn unary(op: UnOp, a: Value) -> Option<Value> {
    match (op, a) {
        (UnOp::Not, Value::Bool(b)) => Some(Value::Bool(!b)),
        (UnOp::Neg, Value::Int(n)) => Some(Value::Int(-n)),
        (UnOp::Neg, Value::Real(q)) => Some(Value::Real(-q)),
        (UnOp::BoolToInt, Value::Bool(b)) => Some(Value::int(b.into())),
        (UnOp::BitNot, Value::Int(n)) => Some(Value::Int(-n - 1)),
        (UnOp::Float(op, format), Value::BitVec { width, bits }) => {
            let result = float::value::unary(op, format, width, bits.to_u64()?);
            Some(Value::BitVec { width: op.width(format), bits: result.into() })
        }
        (UnOp::Extended(op), Value::BitVec { width, bits }) => {
            let result = float::extended::unary(op, width, bits.to_u128()?);
            Some(Value::BitVec { width: op.width(), bits: result.into() })
        }
        (op, Value::BitVec { width, bits }) => bitvec::unary(op, width, &bits),
        _ => None,
    }
}

fn binary(op: BinOp, a: Value, b: Value) -> Option<Value> {
    match (op, a, b) {
        (op, Value::Int(x), Value::Int(y)) => integer(op, x, y),
        (op, a @ (Value::Int(_) | Value::Real(_)), b @ (Value::Int(_) | Value::Real(_))) => {
            rational(op, as_rational(a)?, as_rational(b)?)
        }
        (BinOp::Float(op, format), Value::BitVec { bits: x, .. }, Value::BitVec { bits: y, .. }) => {
            let result = float::value::binary(op, format, x.to_u64()?, y.to_u64()?);
            let bits = Value::BitVec { width: format.width(), bits: result.into() };
            Some(if op.compares() { Value::Bool(result == 1) } else { bits })
        }
        (BinOp::Extended(op), Value::BitVec { bits: x, .. }, Value::BitVec { bits: y, .. }) => {
            let result = float::extended::binary(op, x.to_u128()?, y.to_u128()?);
            let bits = Value::BitVec { width: float::extended::WIDTH, bits: result.into() };
            Some(if op.compares() { Value::Bool(result == 1) } else { bits })
        }
        (op, Value::BitVec { width, bits: x }, Value::BitVec { width: other, bits: y }) => {
            bitvec::binary(op, (width, &x), (other, &y))
        }
        (BinOp::Eq, a, b) => a.same(&b).map(Value::Bool),
        _ => None,
    }
}

fn integer(op: BinOp, x: BigInt, y: BigInt) -> Option<Value> {
    Some(match op {
        BinOp::Eq => Value::Bool(x == y),
        BinOp::Le => Value::Bool(x <= y),
        BinOp::Lt => Value::Bool(x < y),
        BinOp::Add => Value::Int(x + y),
        BinOp::Sub => Value::Int(x - y),
        BinOp::Mul => Value::Int(x * y),
        BinOp::Div if !y.is_zero() => Value::Int(x / y),
        BinOp::Rem if !y.is_zero() => Value::Int(x % y),
        BinOp::Mod if y.is_positive() => Value::Int(x.mod_floor(&y)),
        BinOp::FloorDiv if y.is_positive() => Value::Int(x.div_floor(&y)),
        _ => return None,
    })
}

fn rational(op: BinOp, x: BigRational, y: BigRational) -> Option<Value> {
    Some(match op {
        BinOp::Eq => Value::Bool(x == y),
        BinOp::Le => Value::Bool(x <= y),
        BinOp::Lt => Value::Bool(x < y),
        BinOp::Add => Value::Real(x + y),
        BinOp::Sub => Value::Real(x - y),
        BinOp::Mul => Value::Real(x * y),
        _ => return None,
    })
}

fn as_rational(value: Value) -> Option<BigRational> {
    match value {
        Value::Int(n) => Some(BigRational::from_integer(n)),
        Value::Real(q) => Some(q),
        _ => None,
    }
}
