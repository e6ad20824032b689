//! Calls.

use clinch_ir::Span;
use lang_c::ast::{CallExpression, Expression, UnaryOperator};
use lang_c::span::Node;

use super::expr::Operand;
use super::scope::Symbol;
use super::{Checked, Checker};
use crate::c::hir::{Call, Callee, Expr, ExprKind, FunctionId, Init, InitItem, Storage};
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

impl Checker<'_> {
    pub(super) fn call(&mut self, call: &CallExpression, span: Span) -> Checked<Operand> {
        if let Expression::Identifier(name) = &call.callee.node
            && !matches!(self.lookup(&name.node.name), Some(Symbol::Variable(_)))
        {
            let name = &name.node.name;
            if let Some(result) = self.builtin(name, &call.arguments, span) {
                return result;
            }
            if self.lookup(name).is_none() {
                self.implicit_function(name, self.at(call.callee.span));
            }
        }
        let (callee, ty) = self.callee(&call.callee)?;
        let mut args = self.arguments(ty, &callee, &call.arguments, span)?;
        if let Some(formatted) = self.formatted_to_memory(&callee, &mut args, span) {
            return Ok(Operand::Value(formatted));
        }
        let Type::Function { result, .. } = *self.hir.types.get(ty) else { return Err(Problem::consequence()) };
        if let Type::Record(record) = *self.hir.types.get(result)
            && !self.hir.types.record(record).complete
        {
            return Err(Problem::new(span, format!("`{}` is incomplete", self.name_of(result))));
        }
        let kind = ExprKind::Call(Box::new(Call { callee, args }));
        Ok(Operand::Value(Expr { kind, ty: result, span }))
    }

    /// Who is called, and the type of the function.
    fn callee(&mut self, node: &Node<Expression>) -> Checked<(Callee, TypeId)> {
        if let Some(id) = self.named_function(node) {
            return Ok((Callee::Direct(id), self.hir.functions[id.0 as usize].ty));
        }
        let pointer = self.rvalue(node)?;
        let to = self.hir.types.pointee(pointer.ty).unwrap_or(pointer.ty);
        match self.hir.types.get(to) {
            Type::Function { .. } => Ok((Callee::Indirect(pointer), to)),
            _ => Err(Problem::new(pointer.span, format!("expected a function, found `{}`", self.name_of(pointer.ty)))),
        }
    }

    /// The function that `f`, `*f` or `&f` names: a call of it does not take its address.
    fn named_function(&self, node: &Node<Expression>) -> Option<FunctionId> {
        let mut node = node;
        while let Expression::UnaryOperator(unary) = &node.node {
            if !matches!(unary.node.operator.node, UnaryOperator::Indirection | UnaryOperator::Address) {
                return None;
            }
            node = &unary.node.operand;
        }
        let Expression::Identifier(name) = &node.node else { return None };
        match self.lookup(&name.node.name) {
            Some(Symbol::Function(id)) => Some(id),
            _ => None,
        }
    }

    fn arguments(&mut self, ty: TypeId, callee: &Callee, nodes: &[Node<Expression>], span: Span) -> Checked<Vec<Expr>> {
        let Type::Function { parameters, variadic, unspecified, .. } = self.hir.types.get(ty).clone() else {
            return Err(Problem::consequence());
        };
        let wrong = nodes.len() < parameters.len() || nodes.len() > parameters.len() && !variadic;
        if wrong && !unspecified {
            let least = if variadic { "at least " } else { "" };
            let who = match callee {
                Callee::Direct(id) => format!("`{}`", self.hir.functions[id.0 as usize].name),
                Callee::Indirect(_) => "the function".to_owned(),
            };
            let (wanted, found) = (parameters.len(), nodes.len());
            return Err(Problem::new(
                span,
                format!("{who} has {least}{wanted} parameter(s), found {found} argument(s)"),
            ));
        }
        let mut args = Vec::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            let value = self.rvalue(node)?;
            let at = value.span;
            args.push(match parameters.get(i) {
                Some(&ty) => match self.transparent_member(&value, ty) {
                    Some(member) => self.transparent_argument(value, ty, member)?,
                    None => self.convert_assigned(value, ty, at)?,
                },
                None if value.ty == self.basic.void => return Err(Problem::new(at, "an argument of type `void`")),
                None => self.default_promote(value),
            });
        }
        Ok(args)
    }

    /// The type of the member that takes an argument for a parameter that is a transparent union.
    fn transparent_member(&self, value: &Expr, ty: TypeId) -> Option<TypeId> {
        let types = &self.hir.types;
        let &Type::Record(union) = types.get(ty) else { return None };
        if !types.record(union).transparent || !types.is_scalar(value.ty) {
            return None;
        }
        let members = || types.record(union).fields.iter().map(|f| f.ty);
        let pointer = types.is_pointer(value.ty) || self.is_null(value);
        let same = members().find(|&member| member == value.ty);
        same.or_else(|| members().find(|&member| pointer && types.is_pointer(member)))
    }

    /// An object of the union with one member set.
    fn transparent_argument(&mut self, value: Expr, ty: TypeId, member: TypeId) -> Checked<Expr> {
        let span = value.span;
        let Some(function) = self.function.as_ref().map(|f| f.id) else { return Err(Problem::consequence()) };
        let value = self.convert_assigned(value, member, span)?;
        let id = self.new_variable("argument".to_owned(), ty, Storage::Local(function), span);
        let item = InitItem { offset: 0, ty: member, bits: None, value };
        let init = Init { zero_fill: true, items: vec![item] };
        let union = self.value(Operand::Place(self.variable_place(id, span)))?;
        Ok(Expr { kind: ExprKind::InitThen(id, Box::new(init), Box::new(union)), ty, span })
    }
}
