//! Operators with one operand, casts, `sizeof` and its relatives.

use clinch_ir::Span;
use lang_c::ast::{
    CastExpression, Expression, OffsetMember, OffsetOfExpression, SpecifierQualifier, TypeName, TypeSpecifier,
    UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::Node;

use super::expr::Operand;
use super::literal::unsupported;
use super::{Checked, Checker};
use crate::c::hir::{BinaryOp, Expr, ExprKind, Place, PlaceKind, UnaryOp, Update, UpdateOp, VariableId};
use crate::c::parse::{COMPLEX_PART, LABEL_ADDRESS};
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

impl Checker<'_> {
    pub(super) fn unary(&mut self, unary: &UnaryOperatorExpression, span: Span) -> Checked<Operand> {
        let operand = &unary.operand;
        let value = match unary.operator.node {
            UnaryOperator::PostIncrement => self.step(operand, BinaryOp::Add, true, span)?,
            UnaryOperator::PostDecrement => self.step(operand, BinaryOp::Sub, true, span)?,
            UnaryOperator::PreIncrement => self.step(operand, BinaryOp::Add, false, span)?,
            UnaryOperator::PreDecrement => self.step(operand, BinaryOp::Sub, false, span)?,
            UnaryOperator::Address => self.address_of(operand, span)?,
            UnaryOperator::Indirection => {
                let pointer = self.rvalue(operand)?;
                return self.deref(pointer, span);
            }
            UnaryOperator::Plus => {
                let value = self.arithmetic_rvalue(operand)?;
                self.promote(value)
            }
            UnaryOperator::Minus => {
                let value = self.arithmetic_rvalue(operand)?;
                self.apply_unary(UnaryOp::Neg, value, span)
            }
            UnaryOperator::Complement => {
                let value = self.arithmetic_rvalue(operand)?;
                if !self.hir.types.is_integer(value.ty) {
                    let ty = self.name_of(value.ty);
                    return Err(Problem::new(span, format!("expected an integer, found `{ty}`")));
                }
                self.apply_unary(UnaryOp::BitNot, value, span)
            }
            UnaryOperator::Negate => {
                let value = self.scalar_rvalue(operand)?;
                Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(value)), ty: self.basic.int, span }
            }
        };
        Ok(Operand::Value(value))
    }

    fn apply_unary(&self, op: UnaryOp, value: Expr, span: Span) -> Expr {
        let value = self.promote(value);
        let ty = value.ty;
        match (&value.kind, op) {
            (ExprKind::Int(number), UnaryOp::Neg) => self.int(number.wrapping_neg(), ty, span),
            _ => Expr { kind: ExprKind::Unary(op, Box::new(value)), ty, span },
        }
    }

    pub(super) fn arithmetic_rvalue(&mut self, node: &Node<Expression>) -> Checked<Expr> {
        let value = self.rvalue(node)?;
        self.arithmetic(value)
    }

    pub(super) fn arithmetic(&self, value: Expr) -> Checked<Expr> {
        if let Some(unsupported) = self.opaque_value(&value, self.basic.int) {
            return Ok(unsupported);
        }
        if self.hir.types.is_arithmetic(value.ty) {
            return Ok(value);
        }
        Err(Problem::new(value.span, format!("expected a number, found `{}`", self.name_of(value.ty))))
    }

    /// An object that can be written.
    pub(super) fn writable(&mut self, node: &Node<Expression>) -> Checked<Place> {
        let span = self.at(node.span);
        let refuse = || Err(Problem::new(span, "the left side cannot be assigned"));
        match self.operand(node)? {
            Operand::Place(place) => {
                let is_value = is_part_of_value(&place);
                match self.hir.types.get(place.ty) {
                    Type::Array(..) | Type::Void | Type::Function { .. } => refuse(),
                    _ if is_value => refuse(),
                    _ => Ok(place),
                }
            }
            _ => refuse(),
        }
    }

    fn step(&mut self, operand: &Node<Expression>, op: BinaryOp, postfix: bool, span: Span) -> Checked<Expr> {
        let place = self.writable(operand)?;
        let ty = place.ty;
        let one = self.int(1, self.basic.int, span);
        self.update(place, op, one, postfix, span).map(|expr| Expr { ty, ..expr })
    }

    /// `place op= operand`
    pub(super) fn update(
        &mut self,
        place: Place,
        op: BinaryOp,
        operand: Expr,
        postfix: bool,
        span: Span,
    ) -> Checked<Expr> {
        let ty = place.ty;
        for opaque in [ty, operand.ty] {
            if let Some(what) = self.hir.types.opaque(opaque) {
                return Ok(unsupported(what, ty, span));
            }
        }
        let (how, operand) = match *self.hir.types.get(ty) {
            Type::Pointer(to) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => {
                let Some(size) = self.step_size(to, span)? else {
                    return Ok(unsupported(self.unknown_step(to), ty, span));
                };
                (UpdateOp::Pointer(size), self.element_index(operand, op == BinaryOp::Sub)?)
            }
            _ => {
                let width = self.bit_field_width(&place);
                let high_bits_count = matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr);
                if high_bits_count && width.is_some_and(|w| (33..64).contains(&w)) {
                    return Ok(unsupported(super::convert::WIDE_BIT_FIELD, ty, span));
                }
                self.arithmetic_update(ty, width, op, operand, span)?
            }
        };
        let update = Update { place, op: how, operand, postfix };
        Ok(Expr { kind: ExprKind::Update(Box::new(update)), ty, span })
    }

    fn arithmetic_update(
        &mut self,
        place: TypeId,
        width: Option<u32>,
        op: BinaryOp,
        operand: Expr,
        span: Span,
    ) -> Checked<(UpdateOp, Expr)> {
        let bitwise = matches!(
            op,
            BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
        );
        for ty in [place, operand.ty] {
            let fine = if bitwise { self.hir.types.is_integer(ty) } else { self.hir.types.is_arithmetic(ty) };
            if !fine {
                let wanted = if bitwise { "an integer" } else { "a number" };
                return Err(Problem::new(span, format!("expected {wanted}, found `{}`", self.name_of(ty))));
            }
        }
        let left = self.promoted_type(place, width);
        let operand = self.promote(operand);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return Ok((UpdateOp::Arithmetic(op, left), operand));
        }
        let ty = self.common_type(left, operand.ty);
        Ok((UpdateOp::Arithmetic(op, ty), self.convert(operand, ty)))
    }

    fn address_of(&mut self, node: &Node<Expression>, span: Span) -> Checked<Expr> {
        if let Expression::Identifier(name) = &node.node
            && name.node.name.starts_with(LABEL_ADDRESS)
        {
            return Ok(unsupported("the address of a label", self.basic.void_pointer, span));
        }
        match self.operand(node)? {
            Operand::Function(id, _) => Ok(self.function_pointer(id, span)),
            Operand::Value(expr) => match self.hir.types.pointee(expr.ty) {
                // `&*f`, where `f` points to a function.
                Some(to) if matches!(self.hir.types.get(to), Type::Function { .. }) => Ok(expr),
                _ => Err(Problem::new(span, "only an object has an address")),
            },
            Operand::Place(place) => {
                if self.bit_field_width(&place).is_some() {
                    return Err(Problem::new(span, "a bit-field has no address"));
                }
                if is_part_of_value(&place) {
                    return Err(Problem::new(span, "only an object has an address"));
                }
                let ty = self.pointer_to(place.ty);
                Ok(Expr { span, ..self.address(place, ty) })
            }
        }
    }

    pub(super) fn cast(&mut self, cast: &CastExpression, span: Span) -> Checked<Expr> {
        let ty = self.type_name(&cast.type_name)?;
        if let Some(value) = self.cast_literal(ty, &cast.expression.node) {
            return Ok(Expr { kind: ExprKind::Float(value), ty, span });
        }
        let value = self.rvalue(&cast.expression)?;
        if is_complex_part(&cast.type_name.node) {
            return Ok(self.complex_part(&value, span));
        }
        if let Some(what) = self.hir.types.opaque(ty).or_else(|| self.hir.types.opaque(value.ty)) {
            return Ok(unsupported(what, ty, span));
        }
        if let ExprKind::Unsupported(_) = value.kind {
            return Ok(Expr { ty, span, ..value });
        }
        let types = &self.hir.types;
        let fine = match (types.get(ty), types.get(value.ty)) {
            (Type::Void, _) => true,
            _ if ty == value.ty => true,
            (Type::Float(_), Type::Pointer(_)) | (Type::Pointer(_), Type::Float(_)) => false,
            (Type::Record(_), _) => return self.cast_to_union(ty, value, span),
            _ => types.is_scalar(ty) && types.is_scalar(value.ty),
        };
        if !fine {
            let (from, to) = (self.name_of(value.ty), self.name_of(ty));
            return Err(Problem::new(span, format!("cannot convert `{from}` to `{to}`")));
        }
        if ty == value.ty && matches!(value.kind, ExprKind::Load(_)) && self.hir.types.is_integer(ty) {
            // Says that the value is not a bit-field any more, which would be promoted another way.
            return Ok(Expr { kind: ExprKind::Convert(Box::new(value)), ty, span });
        }
        Ok(Expr { span, ..self.convert(value, ty) })
    }

    /// GNU C: a value becomes the member of a union that has its type.
    fn cast_to_union(&self, ty: TypeId, value: Expr, span: Span) -> Checked<Expr> {
        match *self.hir.types.get(ty) {
            Type::Record(id) if self.hir.types.record(id).is_union => Ok(unsupported("a cast to a union", ty, span)),
            _ => {
                let (from, to) = (self.name_of(value.ty), self.name_of(ty));
                Err(Problem::new(span, format!("cannot convert `{from}` to `{to}`")))
            }
        }
    }

    pub(super) fn sizeof_type(&mut self, name: &Node<TypeName>, span: Span) -> Checked<Expr> {
        self.length_of_type = None;
        let (base, attributes) = self.qualified(&name.node.specifiers, span)?;
        let length = self.length_of_type.take();
        let base = self.with_attributes(base, &attributes);
        let Some(declarator) = &name.node.declarator else {
            return match (length, self.hir.types.get(base)) {
                (Some(length), &Type::Array(element, None)) => self.runtime_size(length, element, span),
                _ => self.size_of(base, span),
            };
        };
        let declared = self.declarator(base, declarator)?;
        match (declared.runtime_length, self.hir.types.get(declared.ty)) {
            (Some(length), &Type::Array(element, None)) => self.runtime_size(length, element, span),
            _ => self.size_of(declared.ty, span),
        }
    }

    pub(super) fn sizeof_value(&mut self, node: &Node<Expression>, span: Span) -> Checked<Expr> {
        let operand = self.unevaluated_operand(node)?;
        if let Operand::Place(place) = &operand {
            if self.bit_field_width(place).is_some() {
                return Err(Problem::new(span, "a bit-field has no size"));
            }
            if let PlaceKind::Variable(id) = place.kind
                && let Some(&length) = self.runtime_lengths.get(&id)
            {
                return self.variable_size(id, length, span);
            }
        }
        let ty = self.operand_type(&operand);
        match self.unclear_type(&operand) {
            Some(what) => Ok(unsupported(&format!("the type of {what}"), self.basic.size, span)),
            None => self.size_of(ty, span),
        }
    }

    fn variable_size(&mut self, id: VariableId, length: VariableId, span: Span) -> Checked<Expr> {
        let Type::Array(element, _) = *self.hir.types.get(self.hir.variables[id.0 as usize].ty) else {
            return Ok(unsupported("the size of an array of run-time length", self.basic.size, span));
        };
        let length = self.load_length(length, span)?;
        self.runtime_size(length, element, span)
    }

    fn runtime_size(&mut self, length: Expr, element: TypeId, span: Span) -> Checked<Expr> {
        let ty = self.basic.size;
        let part = self.hir.types.size(self.hir.types.sized_part(element));
        let (Some(length), Some(size)) = (self.parts_of_elements(length, element, span)?, part) else {
            return Ok(unsupported("the size of an array of arrays of run-time length", ty, span));
        };
        let (length, size) = (self.convert(length, ty), self.int(i128::from(size), ty, span));
        Ok(Expr { kind: ExprKind::Binary(BinaryOp::Mul, Box::new(length), Box::new(size)), ty, span })
    }

    fn size_of(&mut self, ty: TypeId, span: Span) -> Checked<Expr> {
        if let Some(what) = self.hir.types.unknown_layout(ty) {
            return Ok(unsupported(what, self.basic.size, span));
        }
        let size = match self.hir.types.get(ty) {
            // As gcc has it.
            Type::Void | Type::Function { .. } => 1,
            _ => match self.hir.types.size(ty) {
                Some(size) => size,
                None if self.is_runtime_array(ty) => return self.row_size(ty, span),
                None => return Err(Problem::new(span, format!("`{}` is incomplete", self.name_of(ty)))),
            },
        };
        Ok(self.int(i128::from(size), self.basic.size, span))
    }

    fn is_runtime_array(&self, ty: TypeId) -> bool {
        matches!(self.hir.types.get(ty), Type::Array(..)) && self.function.is_some()
    }

    fn row_size(&mut self, ty: TypeId, span: Span) -> Checked<Expr> {
        let part = self.hir.types.sized_part(ty);
        match self.parts(ty, span)? {
            Some(parts) => self.runtime_size(parts, part, span),
            None => Ok(unsupported("the size of an array of run-time length", self.basic.size, span)),
        }
    }

    pub(super) fn offset_of(&mut self, offset: &OffsetOfExpression, span: Span) -> Checked<Expr> {
        let mut ty = self.type_name(&offset.type_name)?;
        if let Some(what) = self.hir.types.unknown_layout(ty) {
            return Ok(unsupported(what, self.basic.size, span));
        }
        let base = &offset.designator.node.base;
        let mut total = self.member_offset(&mut ty, &base.node.name, self.at(base.span))?;
        for member in &offset.designator.node.members {
            total += match &member.node {
                OffsetMember::Member(name) => self.member_offset(&mut ty, &name.node.name, self.at(name.span))?,
                OffsetMember::IndirectMember(name) => {
                    self.element_offset(&mut ty, 0, self.at(name.span))?;
                    self.member_offset(&mut ty, &name.node.name, self.at(name.span))?
                }
                OffsetMember::Index(index) => {
                    let at = self.at(index.span);
                    let value = self.unevaluated_index(index)?;
                    let Some(value) = value else {
                        return Ok(unsupported("an offset that is not constant", self.basic.size, span));
                    };
                    self.element_offset(&mut ty, value, at)?
                }
            };
        }
        Ok(self.int(total, self.basic.size, span))
    }

    fn unevaluated_index(&mut self, index: &Node<Expression>) -> Checked<Option<i128>> {
        self.unevaluated += 1;
        let value = self.rvalue(index);
        self.unevaluated -= 1;
        Ok(self.constant_int(&value?))
    }

    fn member_offset(&mut self, ty: &mut TypeId, name: &str, span: Span) -> Checked<i128> {
        let path = match *self.hir.types.get(*ty) {
            Type::Record(record) => self.field_path(record, name),
            _ => None,
        };
        let Some(path) = path else {
            return Err(Problem::new(span, format!("`{}` has no member `{name}`", self.name_of(*ty))));
        };
        let mut offset = 0;
        for (record, field) in path {
            let field = &self.hir.types.record(record).fields[field];
            offset += i128::from(field.offset);
            *ty = field.ty;
        }
        Ok(offset)
    }

    fn element_offset(&mut self, ty: &mut TypeId, index: i128, span: Span) -> Checked<i128> {
        let Type::Array(element, _) = *self.hir.types.get(*ty) else {
            return Err(Problem::new(span, format!("expected an array, found `{}`", self.name_of(*ty))));
        };
        *ty = element;
        Ok(index.wrapping_mul(i128::from(self.hir.types.size(element).unwrap_or(0))))
    }
}

/// `__real__` and `__imag__`, as the parser says them.
fn is_complex_part(name: &TypeName) -> bool {
    name.specifiers.iter().any(|s| match &s.node {
        SpecifierQualifier::TypeSpecifier(Node { node: TypeSpecifier::TypedefName(name), .. }) => {
            name.node.name == COMPLEX_PART
        }
        _ => false,
    })
}

/// Whether a place is a part of something that is not an object, such as the result of a call.
fn is_part_of_value(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Value(_) => true,
        PlaceKind::Field(inner, ..) => is_part_of_value(inner),
        _ => false,
    }
}
