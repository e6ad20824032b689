//! Builtins that take numbers of any floating type: classification, and comparison without exceptions.

use clinch_ir::Span;
use lang_c::ast::Expression;
use lang_c::span::Node;

use super::literal::unsupported;
use super::{Checked, Checker};
use crate::c::hir::{BinaryOp, Call, Callee, Expr, ExprKind};
use crate::c::types::Type;

impl Checker<'_> {
    /// `__builtin_isnan` and its relatives.
    pub(super) fn classification(&mut self, name: &str, value: &Node<Expression>, span: Span) -> Checked<Expr> {
        let value = self.rvalue(value)?;
        let suffix = match *self.hir.types.get(value.ty) {
            Type::Float(32) => "f",
            Type::Float(64) => "",
            Type::Float(80) => "l",
            _ => return Ok(unsupported(&format!("`__builtin_{name}` of this type"), self.basic.int, span)),
        };
        let (function, result) = match name {
            "isnan" => ("__isnan", None),
            "isinf" | "isinf_sign" => ("__isinf", None),
            "isfinite" | "finite" => ("__finite", None),
            "signbit" => ("__signbit", None),
            _ => ("__fpclassify", Some(4)),
        };
        let call = self.model_call(&format!("{function}{suffix}"), vec![value], span);
        // A number is normal if that is its class.
        Ok(match result {
            Some(class) => {
                let class = self.int(class, self.basic.int, span);
                let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(call), Box::new(class));
                Expr { kind, ty: self.basic.int, span }
            }
            None => call,
        })
    }

    /// `__builtin_isless` and its relatives.
    pub(super) fn quiet_comparison(
        &mut self,
        name: &str,
        left: &Node<Expression>,
        right: &Node<Expression>,
        span: Span,
    ) -> Checked<Expr> {
        let (left, right) = (self.rvalue(left)?, self.rvalue(right)?);
        let is_extended = |e: &Expr| matches!(self.hir.types.get(e.ty), Type::Float(80));
        let (ty, suffix) = match [&left, &right].into_iter().find(|e| is_extended(e)) {
            Some(e) => (e.ty, "l"),
            None => (self.basic.double, ""),
        };
        let is_exact = |this: &Self, e: &Expr| match this.hir.types.get(e.ty) {
            Type::Float(bits) => *bits <= 80,
            // Doubles hold them all.
            Type::Int { .. } | Type::Bool => this.hir.types.scalar_bits(e.ty).is_some_and(|bits| bits <= 32),
            _ => false,
        };
        if !is_exact(self, &left) || !is_exact(self, &right) {
            return Ok(unsupported(&format!("`__builtin_{name}` of these types"), self.basic.int, span));
        }
        let (left, right) = (self.convert(left, ty), self.convert(right, ty));
        let op = match name {
            "isless" => BinaryOp::Lt,
            "islessequal" => BinaryOp::Le,
            "isgreater" => BinaryOp::Gt,
            "isgreaterequal" => BinaryOp::Ge,
            _ => return Ok(self.model_call(&format!("__clinch_{name}{suffix}"), vec![left, right], span)),
        };
        let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
        Ok(Expr { kind, ty: self.basic.int, span })
    }

    /// `__builtin_fpclassify`: the first arguments say what is returned for each class.
    pub(super) fn fpclassify(&mut self, args: &[Node<Expression>], span: Span) -> Checked<Expr> {
        let mut classes = Vec::new();
        for class in &args[..5] {
            classes.push(self.constant_expression(class)?);
        }
        // Those of glibc, in the order of the arguments.
        if classes != [0, 1, 4, 3, 2] {
            return Ok(unsupported("`__builtin_fpclassify` with other classes", self.basic.int, span));
        }
        let value = self.rvalue(&args[5])?;
        match *self.hir.types.get(value.ty) {
            Type::Float(32) => Ok(self.model_call("__fpclassifyf", vec![value], span)),
            Type::Float(64) => Ok(self.model_call("__fpclassify", vec![value], span)),
            Type::Float(80) => Ok(self.model_call("__fpclassifyl", vec![value], span)),
            _ => Ok(unsupported("`__builtin_fpclassify` of this type", self.basic.int, span)),
        }
    }

    fn model_call(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Expr {
        let callee = Callee::Direct(self.implicit_function(name, span));
        Expr { kind: ExprKind::Call(Box::new(Call { callee, args })), ty: self.basic.int, span }
    }
}
