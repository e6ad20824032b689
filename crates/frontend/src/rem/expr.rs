//! Expressions: names resolved, types checked, quantifiers expanded, translated to terms.
//!
//! Constants are exact until they meet a variable. An operation takes place at the width of its wider operand, where a
//! constant is as wide as it must be. What has no value (an element outside its array, a quotient by zero) is noted as a
//! [`Check`] that is made before the statement; `&&`, `||` and the quantifiers look at their operands from left to right.

use clinch_ir::Span;
use clinch_terms::{BinOp, Node, Symbol, Term, Terms};

use super::scope::{Entity, Scope};
use super::types::Scalar;
use crate::diagnostic::Problem;
use crate::expr::{Binder, Comparison, ExprId, ExprKind, Exprs, Infix, Prefix, Quantifier};
use crate::parser::number_too_large;

pub(super) type Result<T> = std::result::Result<T, Problem>;

/// How many instances of quantifiers and elements of arrays one statement may have together.
const MAX_EXPANSION: u32 = 100_000;

/// The value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Constant(i128),
    Int(Term),
    Bool(Term),
}

/// A condition without which an expression has no value.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) condition: Term,
    /// What it is if the condition does not hold.
    pub(super) fault: String,
}

/// Translates the expressions of one statement.
pub(super) struct Expressions<'a, 's> {
    pub(super) terms: &'a mut Terms,
    pub(super) scope: &'a Scope<'s>,
    pub(super) exprs: &'a Exprs<'s>,
    /// Values of the quantified names, innermost last.
    pub(super) binders: Vec<(&'s str, i128)>,
    /// What must hold, in the order in which it is looked at.
    pub(super) checks: Vec<Check>,
    /// Inside a part that is never looked at, as the right side of `i == 7 || a[i + 1]` for `i = 7`.
    pub(super) dead: bool,
    /// The variables for `*` that are free, and how many of them are in use now.
    pub(super) anys: Vec<Symbol>,
    pub(super) anys_used: usize,
    expansion: u32,
}

impl<'a, 's> Expressions<'a, 's> {
    pub(super) fn new(terms: &'a mut Terms, scope: &'a Scope<'s>, exprs: &'a Exprs<'s>) -> Self {
        let (binders, checks, anys) = (Vec::new(), Vec::new(), Vec::new());
        Expressions { terms, scope, exprs, binders, checks, dead: false, anys, anys_used: 0, expansion: 0 }
    }

    /// Any truth value: a variable that gets an input before the statement.
    fn any(&mut self) -> Term {
        if self.anys_used == self.anys.len() {
            let name = format!("$any{}", self.anys_used);
            self.anys.push(self.terms.declare(name, Scalar::Bool.sort()));
        }
        self.anys_used += 1;
        self.terms.symbol(self.anys[self.anys_used - 1])
    }

    /// A truth value.
    pub(super) fn condition(&mut self, id: ExprId) -> Result<Term> {
        self.typed(id, Scalar::Bool)
    }

    /// The value of an expression as one of a type.
    pub(super) fn typed(&mut self, id: ExprId, scalar: Scalar) -> Result<Term> {
        let value = self.value(id)?;
        self.convert(value, scalar, self.exprs.span(id))
    }

    /// The value of an expression that must be known now.
    pub(super) fn constant(&mut self, id: ExprId) -> Result<i128> {
        match self.value(id)? {
            Value::Constant(value) => Ok(value),
            Value::Bool(term) => match self.terms.node(term) {
                Node::Bool(value) => Ok(i128::from(value)),
                _ => Err(not_constant(self.exprs.span(id))),
            },
            Value::Int(_) => Err(not_constant(self.exprs.span(id))),
        }
    }

    /// A value as one of a type: numbers lose their upper bits.
    pub(super) fn convert(&mut self, value: Value, scalar: Scalar, span: Span) -> Result<Term> {
        match (value, scalar) {
            (Value::Bool(term), Scalar::Bool) => Ok(term),
            (Value::Constant(value @ 0..=1), Scalar::Bool) => Ok(self.terms.bool(value == 1)),
            (Value::Int(term), Scalar::Int(bits)) => Ok(self.terms.resize(false, bits, term)),
            (Value::Constant(value), Scalar::Int(bits)) => Ok(self.terms.bit_vec(bits, value as u64)),
            (_, Scalar::Bool) => Err(mismatch(span, "a truth value", "a number")),
            (_, Scalar::Int(_)) => Err(mismatch(span, "a number", "a truth value")),
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, id: ExprId) -> Result<Value> {
        let exprs = self.exprs;
        let span = exprs.span(id);
        match exprs.kind(id) {
            ExprKind::Number(value) => Ok(Value::Constant(i128::from(*value))),
            ExprKind::Bool(value) => Ok(Value::Bool(self.terms.bool(*value))),
            ExprKind::Name(name) => match self.bound(name) {
                Some(value) => Ok(Value::Constant(value)),
                None => match self.entity(name, span)? {
                    Entity::Constant(value) => Ok(Value::Constant(value)),
                    _ => self.read(id),
                },
            },
            ExprKind::Index(..) | ExprKind::Member(..) => self.read(id),
            ExprKind::Prefix(op, inner) => self.prefix(*op, *inner),
            ExprKind::Infix(op, left, right) => self.infix(*op, *left, *right, span),
            ExprKind::Quantified(quantifier, binders, body) => self.quantified(*quantifier, binders, *body),
            ExprKind::Any => Ok(Value::Bool(self.any())),
            ExprKind::Conditional(..) | ExprKind::Foreign(..) => {
                Err(Problem::new(span, "this is no expression of Remopla"))
            }
        }
    }

    fn bound(&self, name: &str) -> Option<i128> {
        self.binders.iter().rev().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    pub(super) fn entity(&self, name: &str, span: Span) -> Result<Entity> {
        match self.scope.find(name) {
            Some(Entity::Broken) => Err(Problem::consequence()),
            Some(entity) => Ok(entity),
            None => Err(Problem::new(span, format!("`{name}` is not declared"))),
        }
    }

    fn prefix(&mut self, op: Prefix, inner: ExprId) -> Result<Value> {
        if op == Prefix::Not {
            let term = self.condition(inner)?;
            return Ok(Value::Bool(self.terms.not(term)));
        }
        let span = self.exprs.span(inner);
        match (self.value(inner)?, op) {
            (Value::Constant(value), Prefix::Minus) => exact(Some(-value), span),
            (Value::Constant(value), _) => exact(Some(-value - 1), span),
            (Value::Int(term), Prefix::Minus) => Ok(Value::Int(self.terms.bv_neg(term))),
            (Value::Int(term), _) => Ok(Value::Int(self.terms.bv_not(term))),
            (Value::Bool(_), _) => Err(mismatch(span, "a number", "a truth value")),
        }
    }

    fn infix(&mut self, op: Infix, left: ExprId, right: ExprId, span: Span) -> Result<Value> {
        match op {
            Infix::And | Infix::Or => {
                let a = self.condition(left)?;
                self.junction(op == Infix::And, a, |s| s.condition(right)).map(Value::Bool)
            }
            Infix::Compare(op) => self.compare(op, left, right).map(Value::Bool),
            Infix::Integer(op) => {
                let (a, b) = (self.value(left)?, self.value(right)?);
                self.arithmetic(op, (a, left), (b, right), span)
            }
            Infix::Implies => {
                let a = self.condition(left)?;
                let a = self.terms.not(a);
                self.junction(false, a, |s| s.condition(right)).map(Value::Bool)
            }
        }
    }

    /// `a && b` or `a || b`: the right side counts only where the left one does not decide.
    fn junction(&mut self, and: bool, a: Term, b: impl FnOnce(&mut Self) -> Result<Term>) -> Result<Term> {
        let decided = self.terms.node(a) == Node::Bool(!and);
        let outer = self.dead;
        self.dead |= decided;
        let first = self.checks.len();
        let b = b(self);
        self.dead = outer;
        let b = b?;
        if decided {
            self.checks.truncate(first);
            return Ok(a);
        }
        let irrelevant = if and { self.terms.not(a) } else { a };
        for i in first..self.checks.len() {
            self.checks[i].condition = self.terms.or(irrelevant, self.checks[i].condition);
        }
        Ok(if and { self.terms.and(a, b) } else { self.terms.or(a, b) })
    }

    fn compare(&mut self, op: Comparison, left: ExprId, right: ExprId) -> Result<Term> {
        let (a, b) = (self.value(left)?, self.value(right)?);
        if let (Value::Constant(x), Value::Constant(y)) = (a, b) {
            return Ok(self.terms.bool(holds(op, x, y)));
        }
        if let (Value::Bool(_), _) | (_, Value::Bool(_)) = (a, b) {
            let a = self.convert(a, Scalar::Bool, self.exprs.span(left))?;
            let b = self.convert(b, Scalar::Bool, self.exprs.span(right))?;
            return match op {
                Comparison::Equal => Ok(self.terms.iff(a, b)),
                Comparison::Different => {
                    let same = self.terms.iff(a, b);
                    Ok(self.terms.not(same))
                }
                _ => Err(mismatch(self.exprs.span(left), "a number", "a truth value")),
            };
        }
        let (a, b) = self.widened(a, b);
        Ok(match op {
            Comparison::Equal => self.terms.eq(a, b),
            Comparison::Different => {
                let same = self.terms.eq(a, b);
                self.terms.not(same)
            }
            Comparison::Less => self.terms.bv_ult(a, b),
            Comparison::LessEqual => self.terms.bv_ule(a, b),
            Comparison::Greater => self.terms.bv_ult(b, a),
            Comparison::GreaterEqual => self.terms.bv_ule(b, a),
        })
    }

    /// Two numbers, not both constant, at the width of the wider one.
    pub(super) fn widened(&mut self, a: Value, b: Value) -> (Term, Term) {
        let needed = |value, terms: &Terms| match value {
            Value::Int(term) => terms.bv_width(term),
            Value::Constant(value) => bits_of(value),
            Value::Bool(_) => 0,
        };
        let bits = needed(a, self.terms).max(needed(b, self.terms)).max(1);
        let mut at = |value| match value {
            Value::Constant(value) => self.terms.bit_vec(bits, value as u64),
            Value::Int(term) | Value::Bool(term) => self.terms.resize(false, bits, term),
        };
        (at(a), at(b))
    }

    fn arithmetic(
        &mut self,
        op: BinOp,
        (a, left): (Value, ExprId),
        (b, right): (Value, ExprId),
        span: Span,
    ) -> Result<Value> {
        match (a, b) {
            (Value::Constant(x), Value::Constant(y)) => fold(op, x, y, span),
            (Value::Bool(x), Value::Bool(y)) => match op {
                BinOp::BitAnd => Ok(Value::Bool(self.terms.and(x, y))),
                BinOp::BitOr => Ok(Value::Bool(self.terms.or(x, y))),
                BinOp::BitXor => {
                    let same = self.terms.iff(x, y);
                    Ok(Value::Bool(self.terms.not(same)))
                }
                _ => Err(mismatch(self.exprs.span(left), "a number", "a truth value")),
            },
            (Value::Bool(_), _) => Err(mismatch(self.exprs.span(left), "a number", "a truth value")),
            (_, Value::Bool(_)) => Err(mismatch(self.exprs.span(right), "a number", "a truth value")),
            _ => match op {
                BinOp::Shl | BinOp::Shr => Ok(Value::Int(self.shift(op, a, b))),
                BinOp::Div | BinOp::Rem => self.divide(op, a, b, right),
                _ => {
                    let (a, b) = self.widened(a, b);
                    Ok(Value::Int(self.terms.bv(on_bits(op), a, b)))
                }
            },
        }
    }

    /// Bits that leave the width of the left side are lost, distances beyond it give 0.
    fn shift(&mut self, op: BinOp, left: Value, distance: Value) -> Term {
        let left = self.left_of_shift(left);
        let bits = self.terms.bv_width(left);
        let zero = self.terms.bit_vec(bits, 0);
        match distance {
            Value::Constant(n) if (0..i128::from(bits)).contains(&n) => {
                let n = self.terms.bit_vec(bits, n as u64);
                self.terms.bv(on_bits(op), left, n)
            }
            Value::Constant(_) => zero,
            Value::Int(n) | Value::Bool(n) => {
                // Compared before it is cut to the width of the left side.
                let wider = bits.max(self.terms.bv_width(n));
                let (limit, n_wide) = (self.terms.bit_vec(wider, u64::from(bits)), self.terms.resize(false, wider, n));
                let inside = self.terms.bv_ult(n_wide, limit);
                let n = self.terms.resize(false, bits, n);
                let shifted = self.terms.bv(on_bits(op), left, n);
                self.terms.ite(inside, shifted, zero)
            }
        }
    }

    /// A constant has no width of its own: here it is an `int` without one, or as wide as it must be.
    fn left_of_shift(&mut self, left: Value) -> Term {
        match left {
            Value::Int(term) | Value::Bool(term) => term,
            Value::Constant(value) => {
                let bits = self.scope.default_bits.max(bits_of(value)).max(1);
                self.terms.bit_vec(bits, value as u64)
            }
        }
    }

    fn divide(&mut self, op: BinOp, a: Value, b: Value, right: ExprId) -> Result<Value> {
        if b == Value::Constant(0) && !self.dead {
            return Err(Problem::new(self.exprs.span(right), "division by zero"));
        }
        let (a, b) = self.widened(a, b);
        let bits = self.terms.bv_width(b);
        let zero = self.terms.bit_vec(bits, 0);
        let fails = self.terms.eq(b, zero);
        let condition = self.terms.not(fails);
        self.check(condition, || "division by zero".to_owned());
        Ok(Value::Int(self.terms.bv(on_bits(op), a, b)))
    }

    /// Notes a condition, unless it holds anyway.
    pub(super) fn check(&mut self, condition: Term, fault: impl FnOnce() -> String) {
        if self.terms.node(condition) != Node::Bool(true) {
            self.checks.push(Check { condition, fault: fault() });
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, binders: &[Binder<'s>], body: ExprId) -> Result<Value> {
        let and = quantifier == Quantifier::ForAll;
        let mut result = self.terms.bool(and);
        for values in self.instances(binders)? {
            let outer = self.binders.len();
            self.binders.extend(values);
            let joined = self.junction(and, result, |s| s.condition(body));
            self.binders.truncate(outer);
            result = joined?;
        }
        Ok(Value::Bool(result))
    }

    /// Counts what a quantifier or an index stands for.
    pub(super) fn expand(&mut self, count: u32, span: Span) -> Result<()> {
        self.expansion = self.expansion.saturating_add(count);
        if self.expansion <= MAX_EXPANSION {
            return Ok(());
        }
        let text = format!("the statement stands for more than {MAX_EXPANSION} others");
        Err(Problem::new(span, text).help("each value of a quantified name and each element of an array is one"))
    }

    /// The values of some quantified names, one after the other.
    pub(super) fn instances(&mut self, binders: &[Binder<'s>]) -> Result<Vec<Vec<(&'s str, i128)>>> {
        let mut instances: Vec<Vec<(&'s str, i128)>> = vec![Vec::new()];
        for binder in binders {
            let mut longer = Vec::new();
            for instance in instances {
                let outer = self.binders.len();
                self.binders.extend(&instance);
                let bounds = self.constant(binder.lo).and_then(|lo| Ok((lo, self.constant(binder.hi)?)));
                self.binders.truncate(outer);
                let (lo, hi) = bounds?;
                let count = u32::try_from((hi - lo + 1).max(0)).unwrap_or(u32::MAX);
                self.expand(count, binder.name.span)?;
                longer.extend((lo..=hi).map(|value| [instance.as_slice(), &[(binder.name.text, value)]].concat()));
            }
            instances = longer;
        }
        Ok(instances)
    }
}

fn on_bits(op: BinOp) -> BinOp {
    match op {
        BinOp::Add => BinOp::BvAdd,
        BinOp::Sub => BinOp::BvSub,
        BinOp::Mul => BinOp::BvMul,
        BinOp::Div => BinOp::BvUdiv,
        BinOp::Rem => BinOp::BvUrem,
        BinOp::BitAnd => BinOp::BvAnd,
        BinOp::BitOr => BinOp::BvOr,
        BinOp::BitXor => BinOp::BvXor,
        BinOp::Shl => BinOp::BvShl,
        BinOp::Shr => BinOp::BvLshr,
        other => other,
    }
}

fn holds(op: Comparison, x: i128, y: i128) -> bool {
    match op {
        Comparison::Equal => x == y,
        Comparison::Different => x != y,
        Comparison::Less => x < y,
        Comparison::LessEqual => x <= y,
        Comparison::Greater => x > y,
        Comparison::GreaterEqual => x >= y,
    }
}

/// How many bits a constant needs; a negative one takes whatever width there is.
fn bits_of(value: i128) -> u32 {
    if value > 0 { 128 - value.leading_zeros() } else { 0 }
}

/// An operation on constants.
fn fold(op: BinOp, x: i128, y: i128, span: Span) -> Result<Value> {
    let distance = u32::try_from(y).ok().filter(|d| *d < 64);
    let value = match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::Div | BinOp::Rem if y == 0 => return Err(Problem::new(span, "division by zero")),
        BinOp::Div => x.checked_div(y),
        BinOp::Rem => x.checked_rem(y),
        BinOp::BitAnd => Some(x & y),
        BinOp::BitOr => Some(x | y),
        BinOp::BitXor => Some(x ^ y),
        BinOp::Shl => distance.and_then(|d| x.checked_mul(1 << d)),
        BinOp::Shr => distance.map(|d| x >> d),
        _ => None,
    };
    exact(value, span)
}

/// A constant, which must fit in 64 bits.
fn exact(value: Option<i128>, span: Span) -> Result<Value> {
    let small = value.filter(|v| (-(1 << 63)..1 << 64).contains(v));
    small.map(Value::Constant).ok_or_else(|| number_too_large(span))
}

fn not_constant(span: Span) -> Problem {
    Problem::new(span, "the value must be a constant").label("depends on variables")
}

fn mismatch(span: Span, expected: &str, found: &str) -> Problem {
    Problem::new(span, format!("expected {expected}, found {found}")).label(format!("this is {found}"))
}
