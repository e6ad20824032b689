//! Operators with two and three operands, and assignments.

use clinch_ir::Span;
use lang_c::ast::{BinaryOperator, BinaryOperatorExpression, ConditionalExpression, Expression};
use lang_c::span::Node;

use super::expr::Operand;
use super::literal::unsupported;
use super::{Checked, Checker};
use crate::c::hir::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::c::parse::SAME;
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

/// What lang-c's operator is.
enum Operation {
    Plain(BinaryOp),
    Update(BinaryOp),
    Assign,
    Index,
    And,
    Or,
}

fn operation(operator: &BinaryOperator) -> Operation {
    use Operation::{Plain, Update};
    match operator {
        BinaryOperator::Index => Operation::Index,
        BinaryOperator::Multiply => Plain(BinaryOp::Mul),
        BinaryOperator::Divide => Plain(BinaryOp::Div),
        BinaryOperator::Modulo => Plain(BinaryOp::Rem),
        BinaryOperator::Plus => Plain(BinaryOp::Add),
        BinaryOperator::Minus => Plain(BinaryOp::Sub),
        BinaryOperator::ShiftLeft => Plain(BinaryOp::Shl),
        BinaryOperator::ShiftRight => Plain(BinaryOp::Shr),
        BinaryOperator::Less => Plain(BinaryOp::Lt),
        BinaryOperator::Greater => Plain(BinaryOp::Gt),
        BinaryOperator::LessOrEqual => Plain(BinaryOp::Le),
        BinaryOperator::GreaterOrEqual => Plain(BinaryOp::Ge),
        BinaryOperator::Equals => Plain(BinaryOp::Eq),
        BinaryOperator::NotEquals => Plain(BinaryOp::Ne),
        BinaryOperator::BitwiseAnd => Plain(BinaryOp::BitAnd),
        BinaryOperator::BitwiseXor => Plain(BinaryOp::BitXor),
        BinaryOperator::BitwiseOr => Plain(BinaryOp::BitOr),
        BinaryOperator::LogicalAnd => Operation::And,
        BinaryOperator::LogicalOr => Operation::Or,
        BinaryOperator::Assign => Operation::Assign,
        BinaryOperator::AssignMultiply => Update(BinaryOp::Mul),
        BinaryOperator::AssignDivide => Update(BinaryOp::Div),
        BinaryOperator::AssignModulo => Update(BinaryOp::Rem),
        BinaryOperator::AssignPlus => Update(BinaryOp::Add),
        BinaryOperator::AssignMinus => Update(BinaryOp::Sub),
        BinaryOperator::AssignShiftLeft => Update(BinaryOp::Shl),
        BinaryOperator::AssignShiftRight => Update(BinaryOp::Shr),
        BinaryOperator::AssignBitwiseAnd => Update(BinaryOp::BitAnd),
        BinaryOperator::AssignBitwiseXor => Update(BinaryOp::BitXor),
        BinaryOperator::AssignBitwiseOr => Update(BinaryOp::BitOr),
    }
}

impl Checker<'_> {
    pub(super) fn binary(&mut self, node: &BinaryOperatorExpression, span: Span) -> Checked<Operand> {
        let value = match operation(&node.operator.node) {
            Operation::Index => return self.index(&node.lhs, &node.rhs, span),
            Operation::Assign => self.assign(&node.lhs, &node.rhs, span)?,
            Operation::Update(op) => {
                let place = self.writable(&node.lhs)?;
                let operand = self.rvalue(&node.rhs)?;
                self.update(place, op, operand, false, span)?
            }
            Operation::And | Operation::Or => {
                let left = Box::new(self.scalar_rvalue(&node.lhs)?);
                let right = Box::new(self.scalar_rvalue(&node.rhs)?);
                let is_and = node.operator.node == BinaryOperator::LogicalAnd;
                let kind = if is_and { ExprKind::LogicalAnd(left, right) } else { ExprKind::LogicalOr(left, right) };
                Expr { kind, ty: self.basic.int, span }
            }
            Operation::Plain(op) => {
                let left = self.rvalue(&node.lhs)?;
                let right = self.rvalue(&node.rhs)?;
                self.binary_values(op, left, right, span)?
            }
        };
        Ok(Operand::Value(value))
    }

    pub(super) fn binary_values(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Checked<Expr> {
        for ty in [left.ty, right.ty] {
            if let Some(what) = self.hir.types.opaque(ty) {
                return Ok(unsupported(what, ty, span));
            }
        }
        let pointers = (self.hir.types.is_pointer(left.ty), self.hir.types.is_pointer(right.ty));
        match (op, pointers) {
            (BinaryOp::Add, (true, false)) => self.offset(left, right, false, span),
            (BinaryOp::Add, (false, true)) => self.offset(right, left, false, span),
            (BinaryOp::Sub, (true, false)) => self.offset(left, right, true, span),
            (BinaryOp::Sub, (true, true)) => self.difference(left, right, span),
            (BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, _) => {
                self.compare(op, left, right, span)
            }
            (BinaryOp::Shl | BinaryOp::Shr, _) => {
                let (left, right) = (self.integer_operand(left)?, self.integer_operand(right)?);
                let (left, right) = (self.promote(left), self.promote(right));
                let ty = left.ty;
                Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span })
            }
            (BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, _) => {
                let (left, right) = (self.integer_operand(left)?, self.integer_operand(right)?);
                Ok(self.arithmetic_binary(op, left, right, span))
            }
            _ => {
                let (left, right) = (self.arithmetic(left)?, self.arithmetic(right)?);
                Ok(self.arithmetic_binary(op, left, right, span))
            }
        }
    }

    /// What an index into a value of an opaque type gives.
    fn element_of_opaque(&self, ty: TypeId) -> TypeId {
        let first = match *self.hir.types.get(ty) {
            Type::Record(record) => self.hir.types.record(record).fields.first().map(|f| f.ty),
            _ => None,
        };
        match first.map(|ty| self.hir.types.get(ty)) {
            Some(&Type::Array(element, _)) => element,
            _ => self.basic.int,
        }
    }

    fn integer_operand(&self, value: Expr) -> Checked<Expr> {
        if let Some(unsupported) = self.opaque_value(&value, self.basic.int) {
            return Ok(unsupported);
        }
        if self.hir.types.is_integer(value.ty) {
            return Ok(value);
        }
        Err(Problem::new(value.span, format!("expected an integer, found `{}`", self.name_of(value.ty))))
    }

    fn arithmetic_binary(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, right, ty) = self.usual(left, right);
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
    }

    fn compare(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Checked<Expr> {
        let (left, right) = (self.scalar(left)?, self.scalar(right)?);
        let types = &self.hir.types;
        let (left, right) = match (types.is_pointer(left.ty), types.is_pointer(right.ty)) {
            (false, false) => {
                let (left, right, _) = self.usual(left, right);
                (left, right)
            }
            (true, _) => {
                let ty = left.ty;
                (left, self.convert_compared(right, ty)?)
            }
            (false, true) => {
                let ty = right.ty;
                (self.convert_compared(left, ty)?, right)
            }
        };
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty: self.basic.int, span })
    }

    fn convert_compared(&self, value: Expr, pointer: TypeId) -> Checked<Expr> {
        let span = value.span;
        self.convert_assigned(value, pointer, span)
    }

    /// Bytes of what a pointer steps over; none if that is known at run time only, or not at all.
    pub(super) fn step_size(&self, to: TypeId, span: Span) -> Checked<Option<u64>> {
        match self.hir.types.get(to) {
            Type::Void | Type::Function { .. } => Ok(Some(1)),
            Type::Array(_, None) => Ok(None),
            _ if self.hir.types.unknown_layout(to).is_some() => Ok(None),
            _ => match self.hir.types.size(to) {
                Some(size) => Ok(Some(size)),
                None if matches!(self.hir.types.get(to), Type::Array(..)) => Ok(None),
                None => Err(Problem::new(span, format!("`{}` is incomplete", self.name_of(to)))),
            },
        }
    }

    /// Why there is no [`Checker::step_size`].
    pub(super) fn unknown_step(&self, to: TypeId) -> &str {
        self.hir.types.unknown_layout(to).unwrap_or("an array of arrays of run-time length")
    }

    /// A number of elements, as a signed integer of pointer width.
    pub(super) fn element_index(&self, index: Expr, negate: bool) -> Checked<Expr> {
        let index = self.integer_operand(index)?;
        let index = self.convert(index, self.basic.difference);
        if !negate {
            return Ok(index);
        }
        let (ty, span) = (index.ty, index.span);
        Ok(match index.kind {
            ExprKind::Int(value) => self.int(value.wrapping_neg(), ty, span),
            _ => Expr { kind: ExprKind::Unary(UnaryOp::Neg, Box::new(index)), ty, span },
        })
    }

    fn offset(&mut self, pointer: Expr, index: Expr, negate: bool, span: Span) -> Checked<Expr> {
        let ty = pointer.ty;
        let to = self.hir.types.pointee(ty).expect("the caller saw a pointer");
        let mut index = self.element_index(index, negate)?;
        let size = match (self.step_size(to, span)?, self.parts(to, span)?) {
            (Some(size), _) => size,
            (None, Some(parts)) if self.hir.types.unknown_layout(to).is_none() => {
                index = self.index_of_part(index, parts);
                self.hir.types.size(self.hir.types.sized_part(to)).unwrap_or(1)
            }
            _ => return Ok(unsupported(self.unknown_step(to), ty, span)),
        };
        let index = Box::new(index);
        Ok(Expr { kind: ExprKind::Offset { pointer: Box::new(pointer), index, size }, ty, span })
    }

    /// The index of the first part of an element that has several.
    fn index_of_part(&self, index: Expr, parts: Expr) -> Expr {
        let (ty, span) = (index.ty, index.span);
        let parts = self.convert(parts, ty);
        Expr { kind: ExprKind::Binary(BinaryOp::Mul, Box::new(index), Box::new(parts)), ty, span }
    }

    fn difference(&mut self, left: Expr, right: Expr, span: Span) -> Checked<Expr> {
        let ty = self.basic.difference;
        let to = self.hir.types.pointee(left.ty).expect("the caller saw a pointer");
        let Some(size) = self.step_size(to, span)? else {
            return Ok(unsupported(self.unknown_step(to), ty, span));
        };
        let right = self.convert(right, left.ty);
        Ok(Expr { kind: ExprKind::Difference { left: Box::new(left), right: Box::new(right), size }, ty, span })
    }

    fn index(&mut self, left: &Node<Expression>, right: &Node<Expression>, span: Span) -> Checked<Operand> {
        let (left, right) = (self.rvalue(left)?, self.rvalue(right)?);
        if let Some(what) = self.hir.types.opaque(left.ty).map(str::to_owned) {
            let element = self.element_of_opaque(left.ty);
            return Ok(Operand::Place(self.unsupported_place(&what, element, span)));
        }
        let pointer = match (self.hir.types.is_pointer(left.ty), self.hir.types.is_pointer(right.ty)) {
            (true, _) => self.offset(left, right, false, span)?,
            (false, true) => self.offset(right, left, false, span)?,
            _ => {
                return Err(Problem::new(
                    span,
                    format!("expected an array or a pointer, found `{}`", self.name_of(left.ty)),
                ));
            }
        };
        self.deref(pointer, span)
    }

    fn assign(&mut self, left: &Node<Expression>, right: &Node<Expression>, span: Span) -> Checked<Expr> {
        let place = self.writable(left)?;
        let value = self.rvalue(right)?;
        let ty = place.ty;
        let at = value.span;
        let value = self.convert_assigned(value, ty, at)?;
        Ok(Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty, span })
    }

    pub(super) fn comma(&mut self, list: &[Node<Expression>], span: Span) -> Checked<Expr> {
        let mut values = list.iter();
        let first = values.next().ok_or_else(|| Problem::new(span, "an empty list of expressions"))?;
        let mut result = self.rvalue(first)?;
        for value in values {
            let value = self.rvalue(value)?;
            let ty = value.ty;
            result = Expr { kind: ExprKind::Comma(Box::new(result), Box::new(value)), ty, span };
        }
        Ok(result)
    }

    pub(super) fn conditional(&mut self, node: &ConditionalExpression, span: Span) -> Checked<Expr> {
        let condition = self.scalar_rvalue(&node.condition)?;
        let same = matches!(&node.then_expression.node, Expression::Identifier(name) if name.node.name == SAME);
        if same {
            let otherwise = self.rvalue(&node.else_expression)?;
            let null = self.is_null(&otherwise);
            let promoted = self.promoted_type(condition.ty, self.bit_field(&condition));
            let otherwise = if self.hir.types.is_arithmetic(promoted) { self.promote(otherwise) } else { otherwise };
            let ty = self.conditional_type((promoted, false), (otherwise.ty, null), span)?;
            let otherwise = Box::new(self.convert(otherwise, ty));
            return Ok(Expr { kind: ExprKind::Conditional(Box::new(condition), None, otherwise), ty, span });
        }
        let then = self.rvalue(&node.then_expression)?;
        let otherwise = self.rvalue(&node.else_expression)?;
        let both_arithmetic = self.hir.types.is_arithmetic(then.ty) && self.hir.types.is_arithmetic(otherwise.ty);
        let (then, otherwise) =
            if both_arithmetic { (self.promote(then), self.promote(otherwise)) } else { (then, otherwise) };
        let nulls = (self.is_null(&then), self.is_null(&otherwise));
        let ty = self.conditional_type((then.ty, nulls.0), (otherwise.ty, nulls.1), span)?;
        let (then, otherwise) = (self.convert(then, ty), self.convert(otherwise, ty));
        let kind = ExprKind::Conditional(Box::new(condition), Some(Box::new(then)), Box::new(otherwise));
        Ok(Expr { kind, ty, span })
    }

    /// The type of `c ? a : b` by those of `a` and `b`, and whether these are null pointer constants.
    fn conditional_type(&mut self, then: (TypeId, bool), otherwise: (TypeId, bool), span: Span) -> Checked<TypeId> {
        let ((a, a_null), (b, b_null)) = (then, otherwise);
        let void = self.basic.void;
        let types = &self.hir.types;
        match (types.get(a), types.get(b)) {
            _ if types.opaque(a).is_some() => Ok(a),
            _ if types.opaque(b).is_some() => Ok(b),
            _ if a == b && types.is_arithmetic(a) => Ok(self.promoted_type(a, None)),
            _ if a == b => Ok(a),
            _ if a == void || b == void => Ok(void),
            _ if types.is_arithmetic(a) && types.is_arithmetic(b) => Ok(self.common_type(a, b)),
            (Type::Pointer(to), Type::Pointer(_))
                if a_null || *to != void && types.pointee(b) == Some(void) && !b_null =>
            {
                Ok(b)
            }
            (Type::Pointer(_), Type::Pointer(_)) => Ok(a),
            (Type::Pointer(_), Type::Int { .. } | Type::Bool) => Ok(a),
            (Type::Int { .. } | Type::Bool, Type::Pointer(_)) => Ok(b),
            _ => {
                let (a, b) = (self.name_of(a), self.name_of(b));
                Err(Problem::new(span, format!("`{a}` and `{b}` have no common type")))
            }
        }
    }
}
