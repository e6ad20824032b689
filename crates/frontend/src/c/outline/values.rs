//! Values of expressions, and their effects.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, Op, Target};
use clinch_terms::{BinOp, Symbol, Term};

use super::super::control::Branching;
use super::super::hir::{BinaryOp, Expr, ExprKind, Place, PlaceKind, UnaryOp, Update, UpdateOp};
use super::super::types::{Type, TypeId};
use super::super::walk::{Each, Visitor};
use super::Outline;

/// Operands are evaluated in an order that is open, and that may matter.
pub(super) const ORDER: &str = "the order of evaluation";

/// What is recognised in lists of variable length: it reads memory.
const VARIABLE_ARGUMENTS: [&str; 5] = ["va_arg", "va_start", "va_end", "va_copy", "c23_va_start"];

/// A value, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// Any.
    Any,
    /// Any but zero: the address of something.
    NonZero,
    /// This one.
    Is(Term),
}

impl Outline<'_> {
    /// A variable gets a value.
    pub(super) fn set(&mut self, symbol: Symbol, value: Value, span: Span) {
        match value {
            Value::Is(value) => {
                self.body.emit(Op::Assign(vec![Assign { target: Target::Var(symbol), value }]), span);
            }
            Value::Any => self.forget(symbol, span),
            Value::NonZero => {
                self.forget(symbol, span);
                let term = self.terms.symbol(symbol);
                let condition = self.nonzero(term);
                self.body.emit(Op::Assume(condition), span);
            }
        }
    }

    pub(super) fn nonzero(&mut self, term: Term) -> Term {
        let width = self.terms.bv_width(term);
        let zero = self.terms.bit_vec(width, 0);
        let is_zero = self.terms.eq(term, zero);
        self.terms.not(is_zero)
    }

    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, e: &Expr) {
        match &e.kind {
            _ if !e.has_effects() => {
                Each(|part: &Expr| self.note_address(part)).expr(e);
            }
            ExprKind::Convert(a) => self.effect(a),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.effect(b);
            }
            ExprKind::Statements(body, value) => {
                self.statements(body);
                value.iter().for_each(|value| self.effect(value));
            }
            ExprKind::Conditional(c, a, b) => {
                let (yes, no, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
                self.branch(c, yes, no);
                self.body.at(yes);
                a.iter().for_each(|a| self.effect(a));
                self.body.goto(after, e.span);
                self.body.at(no);
                self.effect(b);
                self.body.go_on_at(after, e.span);
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => {
                let after = self.body.fresh();
                self.branch(e, after, after);
                self.body.at(after);
            }
            ExprKind::Assign(place, value) => self.assign(place, value, e.span),
            ExprKind::Update(update) => drop(self.update(update, e.span, false)),
            ExprKind::Call(call) => drop(self.call(call, e, false)),
            _ => drop(self.value(e)),
        }
    }

    /// The value of an expression; of a record, or a number that is not followed, any.
    pub(super) fn value(&mut self, e: &Expr) -> Value {
        let value = self.value_of(e);
        match value {
            Value::Is(_) if !self.is_number(e.ty) => Value::Any,
            value => value,
        }
    }

    fn value_of(&mut self, e: &Expr) -> Value {
        match &e.kind {
            ExprKind::Int(n) if self.is_number(e.ty) => Value::Is(self.constant(e.ty, *n)),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Extended(_) => Value::Any,
            ExprKind::Load(place) => self.load(place),
            ExprKind::AddressOf(place) => self.address_of(place),
            ExprKind::Function(f) => {
                self.note_address(e);
                if self.hir.functions[f.0 as usize].weak { Value::Any } else { Value::NonZero }
            }
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => {
                self.truth_value(e)
            }
            ExprKind::Unary(op, a) => match (self.value(a), op) {
                (Value::Is(a), UnaryOp::Neg) => Value::Is(self.terms.bv_neg(a)),
                (Value::Is(a), _) => Value::Is(self.terms.bv_not(a)),
                _ => Value::Any,
            },
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e),
            ExprKind::Offset { pointer, index, .. } => {
                self.operands(pointer, index, e.span);
                Value::Any
            }
            ExprKind::Difference { left, right, .. } => {
                self.operands(left, right, e.span);
                Value::Any
            }
            ExprKind::Conditional(c, a, b) => self.conditional(c, a.as_deref(), b, e),
            ExprKind::Convert(a) => self.conversion(a, e),
            ExprKind::Assign(place, value) => {
                self.assign(place, value, e.span);
                self.variable_at(place)
            }
            ExprKind::Update(update) => self.update(update, e.span, true),
            ExprKind::Call(call) => self.call(call, e, true),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.value(b)
            }
            ExprKind::Statements(body, value) => {
                self.statements(body);
                value.as_ref().map_or(Value::Any, |value| self.value(value))
            }
            ExprKind::InitThen(variable, init, value) => {
                let first = self.initialiser(*variable, init, e.span);
                if let Some(symbol) = self.symbol(*variable) {
                    self.set(symbol, first, e.span);
                }
                self.value(value)
            }
            ExprKind::Unsupported(what) => {
                if !VARIABLE_ARGUMENTS.contains(&what.as_str()) {
                    self.deny(what, e.span);
                }
                Value::Any
            }
        }
    }

    /// The values of two operands that are evaluated in any order.
    pub(super) fn operands(&mut self, a: &Expr, b: &Expr, span: Span) -> (Value, Value) {
        if !self.any_order_will_do(&[a, b], &[]) {
            self.deny(ORDER, span);
        }
        (self.value(a), self.value(b))
    }

    /// What evaluating where a place is does.
    pub(super) fn place_effects(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Variable(_) | PlaceKind::String(_) => {}
            PlaceKind::Deref(e) | PlaceKind::Value(e) => self.effect(e),
            PlaceKind::Field(inner, ..) => self.place_effects(inner),
        }
    }

    fn load(&mut self, place: &Place) -> Value {
        self.place_effects(place);
        self.variable_at(place)
    }

    /// What a place holds: known only of variables.
    fn variable_at(&mut self, place: &Place) -> Value {
        match place.kind {
            PlaceKind::Variable(id) => match self.symbol(id) {
                Some(symbol) => Value::Is(self.terms.symbol(symbol)),
                None => Value::Any,
            },
            _ => Value::Any,
        }
    }

    fn address_of(&mut self, place: &Place) -> Value {
        self.place_effects(place);
        let mut whole = place;
        while let PlaceKind::Field(inner, ..) = &whole.kind {
            whole = inner;
        }
        match whole.kind {
            PlaceKind::Variable(id) if !self.hir.variables[id.0 as usize].weak => Value::NonZero,
            PlaceKind::String(_) => Value::NonZero,
            _ => Value::Any,
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr, span: Span) {
        if !self.any_order_will_do(&[value], &[place]) {
            self.deny(ORDER, span);
        }
        self.place_effects(place);
        let value = self.value(value);
        self.store(place, value, span);
    }

    fn store(&mut self, place: &Place, value: Value, span: Span) {
        if let PlaceKind::Variable(id) = place.kind
            && let Some(symbol) = self.symbol(id)
        {
            self.set(symbol, value, span);
        }
    }

    /// `place op= operand`; the value is wanted or not.
    fn update(&mut self, update: &Update, span: Span, wanted: bool) -> Value {
        let place = &update.place;
        let written = match place.kind {
            PlaceKind::Variable(_) => !update.operand.has_effects(),
            _ => self.any_order_will_do(&[&update.operand], &[place]),
        };
        if !written {
            self.deny(ORDER, span);
        }
        self.place_effects(place);
        let operand = self.value(&update.operand);
        let old = self.variable_at(place);
        let kept = match old {
            Value::Is(term) if wanted && update.postfix => {
                let bits = self.terms.bv_width(term);
                let symbol = self.temporary(bits);
                self.set(symbol, old, span);
                Value::Is(self.terms.symbol(symbol))
            }
            _ => Value::Any,
        };
        let new = match (update.op, old, operand) {
            (UpdateOp::Arithmetic(op, ty), Value::Is(old), Value::Is(operand)) if self.is_number(ty) => {
                let left = self.converted(old, place.ty, ty);
                match self.arithmetic(op, ty, left, operand) {
                    Value::Is(new) => Value::Is(self.converted(new, ty, place.ty)),
                    other => other,
                }
            }
            _ => Value::Any,
        };
        self.store(place, new, span);
        if update.postfix { kept } else { self.variable_at(place) }
    }

    fn conditional(&mut self, c: &Expr, a: Option<&Expr>, b: &Expr, e: &Expr) -> Value {
        let (yes, no, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let result = self.is_number(e.ty).then(|| self.temporary(self.bits(e.ty)));
        self.branch(c, yes, no);
        for (from, side) in [(yes, a), (no, Some(b))] {
            self.body.at(from);
            let value = side.map_or(Value::Any, |side| self.value(side));
            if let Some(result) = result {
                self.set(result, value, e.span);
            }
            self.body.goto(after, e.span);
        }
        self.body.at(after);
        result.map_or(Value::Any, |result| Value::Is(self.terms.symbol(result)))
    }

    fn conversion(&mut self, a: &Expr, e: &Expr) -> Value {
        match self.hir.types.get(e.ty) {
            Type::Void => {
                self.effect(a);
                Value::Any
            }
            Type::Bool if self.is_number(a.ty) => match self.value(a) {
                Value::Is(value) => {
                    let truth = self.nonzero(value);
                    Value::Is(self.number_of(truth, e.ty))
                }
                Value::NonZero => Value::Is(self.constant(e.ty, 1)),
                Value::Any => Value::Any,
            },
            _ => match self.value(a) {
                Value::Is(value) if self.is_number(a.ty) && self.is_number(e.ty) => {
                    Value::Is(self.converted(value, a.ty, e.ty))
                }
                Value::NonZero if self.is_number(e.ty) && self.bits(e.ty) >= self.bits(a.ty) => Value::NonZero,
                _ => Value::Any,
            },
        }
    }

    /// A number in another type than `_Bool`; gcc extends pointers with their sign.
    pub(super) fn converted(&mut self, value: Term, from: TypeId, to: TypeId) -> Term {
        if matches!(self.hir.types.get(to), Type::Bool) && from != to {
            let truth = self.nonzero(value);
            return self.number_of(truth, to);
        }
        let signed = self.hir.types.is_signed(from) || self.hir.types.is_pointer(from);
        self.terms.resize(signed, self.bits(to), value)
    }

    /// 1 or 0.
    pub(super) fn number_of(&mut self, truth: Term, ty: TypeId) -> Term {
        let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
        self.terms.ite(truth, one, zero)
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, e: &Expr) -> Value {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        if matches!(op, Eq | Ne | Lt | Le | Gt | Ge) {
            return self.truth_value(e);
        }
        match self.operands(a, b, e.span) {
            (Value::Is(x), Value::Is(y)) if self.is_number(e.ty) => self.arithmetic(op, e.ty, x, y),
            _ => Value::Any,
        }
    }

    /// An operation on numbers of a type. What is undefined for some operands is any value, unless the right one is a constant that
    /// makes it defined.
    fn arithmetic(&mut self, op: BinaryOp, ty: TypeId, x: Term, y: Term) -> Value {
        let signed = self.hir.types.is_signed(ty);
        let bits = self.terms.bv_width(x);
        let constant = self.terms.as_bit_vec(y).and_then(|(_, value)| u64::try_from(value).ok());
        let is_all_ones = |n: u64, width: u32| width >= 64 && n == u64::MAX || width < 64 && n == (1 << width) - 1;
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        if !is_shift && self.terms.bv_width(y) != bits {
            return Value::Any;
        }
        let op = match (op, constant) {
            (BinaryOp::Add, _) => BinOp::BvAdd,
            (BinaryOp::Sub, _) => BinOp::BvSub,
            (BinaryOp::Mul, _) => BinOp::BvMul,
            (BinaryOp::BitAnd, _) => BinOp::BvAnd,
            (BinaryOp::BitOr, _) => BinOp::BvOr,
            (BinaryOp::BitXor, _) => BinOp::BvXor,
            (BinaryOp::Div | BinaryOp::Rem, Some(n)) if n != 0 && !(signed && is_all_ones(n, bits)) => match op {
                BinaryOp::Div if signed => BinOp::BvSdiv,
                BinaryOp::Div => BinOp::BvUdiv,
                _ if signed => BinOp::BvSrem,
                _ => BinOp::BvUrem,
            },
            (BinaryOp::Shl | BinaryOp::Shr, Some(n)) if n < u64::from(bits) => {
                let distance = self.terms.bit_vec(bits, n);
                let op = match op {
                    BinaryOp::Shl => BinOp::BvShl,
                    _ if signed => BinOp::BvAshr,
                    _ => BinOp::BvLshr,
                };
                return Value::Is(self.terms.bv(op, x, distance));
            }
            _ => return Value::Any,
        };
        Value::Is(self.terms.bv(op, x, y))
    }
}
