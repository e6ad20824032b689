//! Expressions: names, members, elements, and how an object becomes a value.

use clinch_ir::Span;
use lang_c::ast::{
    CompoundLiteral, Expression, GenericAssociation, GenericSelection, MemberExpression, MemberOperator,
    SpecifierQualifier, TypeName, UnaryOperator,
};
use lang_c::span::Node;

use super::literal::unsupported;
use super::scope::Symbol;
use super::{Checked, Checker};
use crate::c::hir::{Callee, Expr, ExprKind, FunctionId, Init, InitItem, Place, PlaceKind, Storage, VariableId};
use crate::c::parse::{ASSEMBLY, LABEL_ADDRESS, OUTPUTS, TIED};
use crate::c::types::{RecordId, Type, TypeId};
use crate::diagnostic::Problem;

/// What an expression denotes.
pub(super) enum Operand {
    /// An object.
    Place(Place),
    /// A value.
    Value(Expr),
    /// A function.
    Function(FunctionId, Span),
}

impl Checker<'_> {
    /// The value of an expression: objects are read, arrays and functions become pointers.
    pub(super) fn rvalue(&mut self, node: &Node<Expression>) -> Checked<Expr> {
        if let Expression::CompoundLiteral(literal) = &node.node {
            return self.compound_literal_value(&literal.node, self.at(node.span));
        }
        let operand = self.operand(node)?;
        self.value(operand)
    }

    /// A value that is a number or a pointer.
    pub(super) fn scalar_rvalue(&mut self, node: &Node<Expression>) -> Checked<Expr> {
        let value = self.rvalue(node)?;
        self.scalar(value)
    }

    pub(super) fn operand(&mut self, node: &Node<Expression>) -> Checked<Operand> {
        let span = self.at(node.span);
        self.deeper(span, |c| c.operand_at(node, span))
    }

    fn operand_at(&mut self, node: &Node<Expression>, span: Span) -> Checked<Operand> {
        let value = match &node.node {
            Expression::Identifier(name) => return self.identifier(&name.node.name, span),
            Expression::Constant(constant) => self.literal(&constant.node, span)?,
            Expression::StringLiteral(parts) => {
                let text = self.string_parts(&parts.node, span)?;
                return Ok(Operand::Place(self.string_place(text, span)));
            }
            Expression::GenericSelection(selection) => return self.generic_selection(&selection.node, span),
            Expression::Member(member) => return self.member(&member.node, span),
            Expression::Call(call) => return self.call(&call.node, span),
            Expression::CompoundLiteral(literal) => return self.compound_literal(&literal.node, span),
            Expression::SizeOfTy(node) => self.sizeof_type(&node.node.0, span)?,
            Expression::SizeOfVal(node) => self.sizeof_value(&node.node.0, span)?,
            Expression::AlignOf(node) => self.alignof(node, span)?,
            Expression::UnaryOperator(unary) => return self.unary(&unary.node, span),
            Expression::Cast(cast) => self.cast(&cast.node, span)?,
            Expression::BinaryOperator(binary) => return self.binary(&binary.node, span),
            Expression::Conditional(conditional) => self.conditional(&conditional.node, span)?,
            Expression::Comma(list) => self.comma(list, span)?,
            Expression::OffsetOf(offset) => self.offset_of(&offset.node, span)?,
            Expression::VaArg(va_arg) => {
                let ty = self.type_name(&va_arg.node.type_name)?;
                unsupported("va_arg", ty, span)
            }
            Expression::Statement(statement) => self.statement_expression(statement, span)?,
        };
        Ok(Operand::Value(value))
    }

    /// What an expression denotes, where it is not evaluated.
    pub(super) fn unevaluated_operand(&mut self, node: &Node<Expression>) -> Checked<Operand> {
        self.unevaluated += 1;
        let operand = self.operand(node);
        self.unevaluated -= 1;
        operand
    }

    pub(super) fn type_of_expression(&mut self, node: &Node<Expression>) -> Checked<TypeId> {
        if let Expression::Identifier(name) = &node.node
            && let Some(Symbol::Typedef(ty, ..)) = self.lookup(&name.node.name)
        {
            return Ok(ty); // lang-c reads `typeof(T)` as an expression.
        }
        let operand = self.unevaluated_operand(node)?;
        let ty = self.operand_type(&operand);
        if let Some(what) = self.unclear_type(&operand) {
            return Ok(self.opaque_type(ty, &format!("the type of {what}")));
        }
        let is_deref =
            matches!(&node.node, Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection);
        match (operand, self.hir.types.pointee(ty)) {
            // `*f` is a function, which is a pointer to itself again everywhere else.
            (Operand::Value(_), Some(function)) if is_deref => Ok(function),
            _ => Ok(ty),
        }
    }

    /// The type in `typeof(e)`, with its length.
    pub(super) fn type_of_evaluated(&mut self, node: &Node<Expression>) -> Checked<TypeId> {
        let ty = self.type_of_expression(node)?;
        self.length_of_type = None;
        if let Expression::Identifier(name) = &node.node
            && let Some(Symbol::Variable(id)) = self.lookup(&name.node.name)
            && let Some(&length) = self.runtime_lengths.get(&id)
        {
            self.length_of_type = Some(self.load_length(length, self.at(node.span))?);
        } else if let Some(&length) = self.row_lengths.get(&ty) {
            self.length_of_type = Some(self.load_length(length, self.at(node.span))?);
        }
        Ok(ty)
    }

    /// What an operand has in it whose type is only guessed, for it is not modelled.
    pub(super) fn unclear_type(&self, operand: &Operand) -> Option<String> {
        match operand {
            Operand::Place(place) => self.unclear_type_of_place(place),
            Operand::Value(value) => self.unclear_type_of_value(value),
            Operand::Function(..) => None,
        }
    }

    fn unclear_type_of_place(&self, place: &Place) -> Option<String> {
        match &place.kind {
            // What is not modelled is the value, not the type.
            PlaceKind::Deref(_) if self.hir.types.opaque(place.ty).is_some() => None,
            PlaceKind::Deref(e) | PlaceKind::Value(e) => self.unclear_type_of_value(e),
            PlaceKind::Field(inner, ..) => self.unclear_type_of_place(inner),
            PlaceKind::Variable(_) | PlaceKind::String(_) => None,
        }
    }

    fn unclear_type_of_value(&self, value: &Expr) -> Option<String> {
        match &value.kind {
            ExprKind::Unsupported(what) => Some(what.clone()),
            ExprKind::Load(place) | ExprKind::AddressOf(place) => self.unclear_type_of_place(place),
            ExprKind::Unary(_, a) | ExprKind::Comma(_, a) | ExprKind::Offset { pointer: a, .. } => {
                self.unclear_type_of_value(a)
            }
            ExprKind::Statements(_, Some(last)) => self.unclear_type_of_value(last),
            ExprKind::Binary(_, a, b) => self.unclear_type_of_value(a).or_else(|| self.unclear_type_of_value(b)),
            ExprKind::Conditional(_, a, b) => {
                let first = a.as_ref().and_then(|a| self.unclear_type_of_value(a));
                first.or_else(|| self.unclear_type_of_value(b))
            }
            // An implicit conversion may be the wrong one.
            ExprKind::Convert(a) => self.unclear_type_of_value(a),
            ExprKind::Call(call) => {
                let Callee::Direct(f) = call.callee else { return None };
                let function = &self.hir.functions[f.0 as usize];
                let guessed = matches!(self.hir.types.get(function.ty), Type::Function { unspecified: true, .. });
                (guessed && function.name.starts_with("__builtin_")).then(|| format!("`{}`", function.name))
            }
            _ => None,
        }
    }

    pub(super) fn operand_type(&self, operand: &Operand) -> TypeId {
        match operand {
            Operand::Place(place) => place.ty,
            Operand::Value(expr) => expr.ty,
            Operand::Function(id, _) => self.hir.functions[id.0 as usize].ty,
        }
    }

    fn identifier(&mut self, name: &str, span: Span) -> Checked<Operand> {
        let int = self.basic.int;
        match self.lookup(name) {
            Some(Symbol::Variable(id)) => {
                let place = self.variable_place(id, span);
                Ok(Operand::Place(self.modelled(place)))
            }
            Some(Symbol::Function(id)) => Ok(Operand::Function(id, span)),
            Some(Symbol::Enumerator(value, ty)) => Ok(Operand::Value(self.int(value, ty, span))),
            Some(Symbol::Typedef(..)) => Err(Problem::new(span, format!("`{name}` is a type, not a value"))),
            Some(Symbol::Poison) => Err(Problem::consequence()),
            None => match name {
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => Ok(Operand::Place(self.function_name(span))),
                ASSEMBLY | OUTPUTS | TIED => Ok(Operand::Value(unsupported("inline assembly", int, span))),
                "__null" => Ok(Operand::Value(self.int(0, self.basic.long, span))),
                _ if name.starts_with(LABEL_ADDRESS) => {
                    Ok(Operand::Value(unsupported("the address of a label", self.basic.void, span)))
                }
                _ => match self.builtin_function(name, span) {
                    Some(id) => Ok(Operand::Function(id, span)),
                    None => Err(Problem::new(span, format!("`{name}` is not declared"))),
                },
            },
        }
    }

    fn function_name(&mut self, span: Span) -> Place {
        let name = self.function.as_ref().map(|f| self.hir.functions[f.id.0 as usize].name.clone());
        let mut bytes = name.unwrap_or_default().into_bytes();
        bytes.push(0);
        let text = super::literal::Text { length: bytes.len() as u64, bytes, element: self.basic.char };
        self.string_place(text, span)
    }

    pub(super) fn variable_place(&self, id: VariableId, span: Span) -> Place {
        let ty = self.flexible.get(&id).copied().unwrap_or(self.hir.variables[id.0 as usize].ty);
        Place { kind: PlaceKind::Variable(id), ty, span }
    }

    /// Reads an object, or makes a pointer of an array or a function.
    pub(super) fn value(&mut self, operand: Operand) -> Checked<Expr> {
        match operand {
            Operand::Value(expr) => Ok(expr),
            Operand::Function(id, span) => Ok(self.function_pointer(id, span)),
            Operand::Place(place) => {
                let (ty, span) = (place.ty, place.span);
                match *self.hir.types.get(ty) {
                    Type::Array(element, _) => {
                        let pointer = self.pointer_to(element);
                        Ok(self.address(place, pointer))
                    }
                    Type::Record(record) if !self.hir.types.record(record).complete => {
                        Err(Problem::new(span, format!("`{}` is incomplete", self.name_of(ty))))
                    }
                    Type::Void => match place.kind {
                        PlaceKind::Deref(pointer) => Ok(Expr { kind: ExprKind::Convert(pointer), ty, span }),
                        _ => Err(Problem::new(span, "a value of type `void`")),
                    },
                    _ => Ok(Expr { kind: ExprKind::Load(Box::new(place)), ty, span }),
                }
            }
        }
    }

    pub(super) fn function_pointer(&mut self, id: FunctionId, span: Span) -> Expr {
        if self.unevaluated == 0 {
            self.hir.functions[id.0 as usize].address_taken = true;
        }
        let ty = self.pointer_to(self.hir.functions[id.0 as usize].ty);
        Expr { kind: ExprKind::Function(id), ty, span }
    }

    /// The address of a place, as a pointer of the given type.
    pub(super) fn address(&mut self, mut place: Place, ty: TypeId) -> Expr {
        let span = place.span;
        if let PlaceKind::Deref(pointer) = place.kind {
            if pointer.ty == ty {
                return *pointer;
            }
            let kind = PlaceKind::Deref(pointer);
            return Expr { kind: ExprKind::AddressOf(Box::new(Place { kind, ..place })), ty, span };
        }
        let temporary = self.with_object(&mut place);
        self.mark_address(&place);
        let address = Expr { kind: ExprKind::AddressOf(Box::new(place)), ty, span };
        match temporary {
            Some((id, init)) => Expr { kind: ExprKind::InitThen(id, Box::new(init), Box::new(address)), ty, span },
            None => address,
        }
    }

    /// An array inside a record that is no lvalue (`f().a`) decays to a pointer: the record becomes an object with
    /// temporary lifetime (C11 6.2.4, 8).
    fn with_object(&mut self, place: &mut Place) -> Option<(VariableId, Init)> {
        if let PlaceKind::Field(inner, ..) = &mut place.kind {
            return self.with_object(inner);
        }
        if !matches!(place.kind, PlaceKind::Value(_)) {
            return None;
        }
        let storage = Storage::Local(self.function.as_ref()?.id);
        let (ty, span) = (place.ty, place.span);
        let id = self.new_variable("result".to_owned(), ty, storage, span);
        match std::mem::replace(&mut place.kind, PlaceKind::Variable(id)) {
            PlaceKind::Value(value) => {
                let item = InitItem { offset: 0, ty, bits: None, value: *value };
                Some((id, Init { zero_fill: false, items: vec![item] }))
            }
            _ => None,
        }
    }

    fn mark_address(&mut self, place: &Place) {
        let mut place = place;
        while let PlaceKind::Field(inner, ..) = &place.kind {
            place = inner;
        }
        if let PlaceKind::Variable(id) = place.kind
            && self.unevaluated == 0
        {
            self.hir.variables[id.0 as usize].address_taken = true;
        }
    }

    /// What a pointer points to.
    pub(super) fn deref(&mut self, pointer: Expr, span: Span) -> Checked<Operand> {
        let Some(to) = self.hir.types.pointee(pointer.ty) else {
            return Err(Problem::new(span, format!("expected a pointer, found `{}`", self.name_of(pointer.ty))));
        };
        if let Type::Function { .. } = self.hir.types.get(to) {
            return Ok(Operand::Value(pointer));
        }
        let place = Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: to, span };
        Ok(Operand::Place(self.modelled(place)))
    }

    fn member(&mut self, member: &MemberExpression, span: Span) -> Checked<Operand> {
        let object = match member.operator.node {
            MemberOperator::Indirect => {
                let pointer = self.rvalue(&member.expression)?;
                let at = pointer.span;
                self.deref(pointer, at)?
            }
            MemberOperator::Direct => self.operand(&member.expression)?,
        };
        let place = match object {
            Operand::Place(place) => place,
            Operand::Value(expr) if !self.hir.types.is_scalar(expr.ty) => {
                let (ty, span) = (expr.ty, expr.span);
                Place { kind: PlaceKind::Value(Box::new(expr)), ty, span }
            }
            other => {
                let ty = self.operand_type(&other);
                return Err(Problem::new(span, format!("expected a struct or union, found `{}`", self.name_of(ty))));
            }
        };
        let name = &member.identifier.node.name;
        let at = self.at(member.identifier.span);
        self.field(place, name, at).map(|place| Operand::Place(Place { span, ..place }))
    }

    /// A member of a record, found through anonymous members.
    fn field(&mut self, place: Place, name: &str, span: Span) -> Checked<Place> {
        let Type::Record(record) = *self.hir.types.get(place.ty) else {
            let ty = self.name_of(place.ty);
            return Err(Problem::new(place.span, format!("expected a struct or union, found `{ty}`")));
        };
        if !self.hir.types.record(record).complete {
            return Err(Problem::new(place.span, format!("`{}` is incomplete", self.name_of(place.ty))));
        }
        let Some(path) = self.field_path(record, name) else {
            return Err(Problem::new(span, format!("`{}` has no member `{name}`", self.name_of(place.ty))));
        };
        let mut place = place;
        for (record, field) in path {
            let ty = self.hir.types.record(record).fields[field].ty;
            let span = place.span;
            place = Place { kind: PlaceKind::Field(Box::new(place), record, field), ty, span };
        }
        Ok(place)
    }

    /// The steps from a record to a member, through anonymous members.
    pub(super) fn field_path(&self, record: RecordId, name: &str) -> Option<Vec<(RecordId, usize)>> {
        let fields = &self.hir.types.record(record).fields;
        if let Some(i) = fields.iter().position(|f| f.name == name && !name.is_empty()) {
            return Some(vec![(record, i)]);
        }
        fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()).find_map(|(i, f)| {
            let Type::Record(inner) = *self.hir.types.get(f.ty) else { return None };
            let mut path = vec![(record, i)];
            path.extend(self.field_path(inner, name)?);
            Some(path)
        })
    }

    fn generic_selection(&mut self, selection: &GenericSelection, span: Span) -> Checked<Operand> {
        let operand = self.unevaluated_operand(&selection.expression)?;
        // gcc gives a bit-field a type of its own.
        let unclear = match &operand {
            Operand::Place(place) if self.bit_field_width(place).is_some() => Some("a bit-field".to_owned()),
            operand => self.unclear_type(operand),
        };
        let control = self.value(operand)?.ty;
        let (mut default, mut chosen) = (None, None);
        for association in &selection.associations {
            match &association.node {
                GenericAssociation::Default(expression) => default = Some(expression),
                GenericAssociation::Type(node) => {
                    let same = self.type_name(&node.node.type_name)?;
                    let same = self.are_compatible(same, control, false, 0);
                    // The value has no qualifiers.
                    let qualified = !self.has_pointer(control) && is_qualified(&node.node.type_name.node);
                    if same && !qualified {
                        chosen = Some(&node.node.expression);
                    }
                }
            }
        }
        let unclear = unclear.map(|what| format!("the type of {what}"));
        let qualifiers = || self.has_pointer(control).then(|| "qualifiers of what a pointer points to".to_owned());
        let unclear = unclear.or_else(|| chosen.and_then(|_| qualifiers()));
        match (chosen.or(default), unclear) {
            (Some(expression), Some(what)) => {
                // At least its type is mostly that of the others.
                self.unevaluated += 1;
                let value = self.rvalue(expression);
                self.unevaluated -= 1;
                let ty = value?.ty;
                Ok(Operand::Value(unsupported(&what, ty, span)))
            }
            (Some(expression), None) => self.operand(expression),
            (None, _) => Err(Problem::new(span, format!("no association for type `{}`", self.name_of(control)))),
        }
    }

    /// A compound literal as an object.
    fn compound_literal(&mut self, literal: &CompoundLiteral, span: Span) -> Checked<Operand> {
        let (id, init) = self.literal_variable(literal, span)?;
        let place = self.variable_place(id, span);
        let Some(init) = init else { return Ok(Operand::Place(place)) };
        let pointer = self.pointer_to(place.ty);
        let ty = place.ty;
        let address = self.address(place, pointer);
        let kind = ExprKind::InitThen(id, Box::new(init), Box::new(address));
        let pointer = Expr { kind, ty: pointer, span };
        Ok(Operand::Place(Place { kind: PlaceKind::Deref(Box::new(pointer)), ty, span }))
    }

    fn compound_literal_value(&mut self, literal: &CompoundLiteral, span: Span) -> Checked<Expr> {
        let (id, init) = self.literal_variable(literal, span)?;
        let place = self.variable_place(id, span);
        let value = self.value(Operand::Place(place))?;
        let ty = value.ty;
        match init {
            Some(init) => Ok(Expr { kind: ExprKind::InitThen(id, Box::new(init), Box::new(value)), ty, span }),
            None => Ok(value),
        }
    }

    /// The hidden variable of a compound literal; at file scope it is a static one that holds its value already.
    fn literal_variable(
        &mut self,
        literal: &CompoundLiteral,
        span: Span,
    ) -> Checked<(VariableId, Option<crate::c::hir::Init>)> {
        let ty = self.type_name(&literal.type_name)?;
        let (completed, init) = self.initializer_list(ty, &literal.initializer_list, span)?;
        let storage = self.function.as_ref().map_or(Storage::Static, |f| Storage::Local(f.id));
        let id = self.new_variable("compound literal".to_owned(), ty, storage, span);
        self.complete_variable(id, ty, completed);
        if storage == Storage::Static {
            self.hir.variables[id.0 as usize].init = Some(self.fold_init(init));
            return Ok((id, None));
        }
        Ok((id, Some(init)))
    }
}

/// Whether a qualifier stands among the specifiers.
fn is_qualified(name: &TypeName) -> bool {
    name.specifiers.iter().any(|s| matches!(s.node, SpecifierQualifier::TypeQualifier(_)))
}
