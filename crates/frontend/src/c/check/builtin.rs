//! Functions that gcc knows without a declaration.

use clinch_ir::Span;
use lang_c::ast::Expression;
use lang_c::span::Node;

use super::expr::Operand;
use super::literal::unsupported;
use super::signature::signature;
use super::{Checked, Checker};
use crate::c::hir::{Call, Callee, Expr, ExprKind, FunctionId, PlaceKind, Stmt};
use crate::c::types::{DataModel, Rank, Type, TypeId};
use crate::diagnostic::Problem;

impl Checker<'_> {
    /// Calls with a meaning of their own; none if the name is not special.
    pub(super) fn builtin(&mut self, name: &str, args: &[Node<Expression>], span: Span) -> Option<Checked<Operand>> {
        if let Some(value) = self.atomic(name, args, span) {
            return Some(value.map(Operand::Value));
        }
        let special = name.strip_prefix("__builtin_")?;
        let value = match (special, args) {
            ("expect" | "expect_with_probability", [value, hints @ ..]) => self.expect(value, hints),
            ("assume_aligned", [pointer, hints @ ..]) => self.assume_aligned(pointer, hints),
            ("constant_p", [value]) => self.is_constant(value, span),
            ("choose_expr", [condition, then, otherwise]) => return Some(self.choose(condition, then, otherwise)),
            ("types_compatible_p", [left, right]) => self.types_compatible(left, right, span),
            ("va_start" | "va_end" | "va_copy" | "c23_va_start", _) => Ok(unsupported(special, self.basic.void, span)),
            ("huge_val" | "inf", []) => Ok(self.infinity(64, span)),
            ("huge_valf" | "inff", []) => Ok(self.infinity(32, span)),
            ("huge_vall" | "infl", []) => Ok(self.infinity(80, span)),
            ("nan", [tag]) => Ok(self.not_a_number(64, tag, span)),
            ("nanf", [tag]) => Ok(self.not_a_number(32, tag, span)),
            ("nanl", [tag]) => Ok(self.not_a_number(80, tag, span)),
            ("isnan" | "isinf" | "isinf_sign" | "isfinite" | "finite" | "isnormal" | "signbit", [value]) => {
                self.classification(special, value, span)
            }
            ("isless" | "islessequal" | "isgreater" | "isgreaterequal" | "islessgreater" | "isunordered", [a, b]) => {
                self.quiet_comparison(special, a, b, span)
            }
            ("fpclassify", [_, _, _, _, _, _]) => self.fpclassify(args, span),
            (_, [left, right, result]) => self.checked_arithmetic(special, [left, right, result], span)?,
            _ => return None,
        };
        Some(value.map(Operand::Value))
    }

    /// `__builtin_sadd_overflow` and its relatives have parameters of a type, as their names say.
    fn checked_arithmetic(
        &mut self,
        name: &str,
        [left, right, result]: [&Node<Expression>; 3],
        span: Span,
    ) -> Option<Checked<Expr>> {
        // `saddl`: the sign, the operation, the size.
        let typed = name.strip_suffix("_overflow")?;
        let signed = match typed.get(..1)? {
            "s" => true,
            "u" => false,
            _ => return None,
        };
        let rank = match (typed.get(1..4)?, typed.get(4..)?) {
            ("add" | "sub" | "mul", "") => Rank::Int,
            ("add" | "sub" | "mul", "l") => Rank::Long,
            ("add" | "sub" | "mul", "ll") => Rank::LongLong,
            _ => return None,
        };
        let ty = self.types().intern(Type::Int { rank, signed });
        Some(self.overflow_call(&format!("__builtin_{name}"), ty, [left, right, result], span))
    }

    fn overflow_call(
        &mut self,
        name: &str,
        ty: TypeId,
        [left, right, result]: [&Node<Expression>; 3],
        span: Span,
    ) -> Checked<Expr> {
        let (left, right, result) = (self.rvalue(left)?, self.rvalue(right)?, self.rvalue(result)?);
        let (left, right) = (self.convert_assigned(left, ty, span)?, self.convert_assigned(right, ty, span)?);
        let callee = Callee::Direct(self.implicit_function(name, span));
        let call = Call { callee, args: vec![left, right, result] };
        Ok(Expr { kind: ExprKind::Call(Box::new(call)), ty: self.basic.int, span })
    }

    fn expect(&mut self, value: &Node<Expression>, hints: &[Node<Expression>]) -> Checked<Expr> {
        let value = self.scalar_rvalue(value)?;
        let value = self.convert(value, self.basic.long);
        self.beside(value, hints)
    }

    fn assume_aligned(&mut self, pointer: &Node<Expression>, hints: &[Node<Expression>]) -> Checked<Expr> {
        let pointer = self.rvalue(pointer)?;
        let span = pointer.span;
        let pointer = self.convert_assigned(pointer, self.basic.void_pointer, span)?;
        self.beside(pointer, hints)
    }

    /// A value beside arguments that do not change it. Where they have effects, these come before or after it: that must not matter.
    pub(super) fn beside(&mut self, mut value: Expr, hints: &[Node<Expression>]) -> Checked<Expr> {
        let mut effects = 0;
        for hint in hints {
            let hint = self.rvalue(hint)?;
            if !hint.has_effects() {
                continue;
            }
            effects += 1;
            if effects > 1 || self.constant(&value).is_none() {
                return Ok(unsupported("an effect in an argument that only gives a hint", value.ty, hint.span));
            }
            let (ty, span) = (value.ty, value.span);
            value = Expr { kind: ExprKind::Statements(vec![Stmt::Expr(hint)], Some(Box::new(value))), ty, span };
        }
        Ok(value)
    }

    fn is_constant(&mut self, value: &Node<Expression>, span: Span) -> Checked<Expr> {
        self.unevaluated += 1;
        let value = self.rvalue(value);
        self.unevaluated -= 1;
        let value = value?;
        let known = self.constant(&value).is_some() || is_literal(&value);
        Ok(self.int(i128::from(known), self.basic.int, span))
    }

    fn choose(
        &mut self,
        condition: &Node<Expression>,
        then: &Node<Expression>,
        otherwise: &Node<Expression>,
    ) -> Checked<Operand> {
        let chosen = if self.constant_expression(condition)? != 0 { then } else { otherwise };
        self.operand(chosen)
    }

    /// The parser made null pointers to the types.
    fn types_compatible(&mut self, left: &Node<Expression>, right: &Node<Expression>, span: Span) -> Checked<Expr> {
        let texts = [left, right].map(|node| self.source_text(self.at(node.span)).to_owned());
        let (left, right) = (self.type_of_expression(left)?, self.type_of_expression(right)?);
        // They are pointers to the types themselves.
        let same = self.are_compatible(left, right, false, 0);
        let to = self.hir.types.pointee(left).unwrap_or(left);
        if same && self.has_pointer(to) && (texts[0] != texts[1] || texts.iter().any(|t| t.contains("typeof"))) {
            let plain = |text: &String| {
                !["const", "volatile", "restrict", "typeof", "_Atomic"].iter().any(|q| text.contains(q))
            };
            if !texts.iter().all(plain) {
                return Ok(unsupported("qualifiers of what a pointer points to", self.basic.int, span));
            }
        }
        Ok(self.int(i128::from(same), self.basic.int, span))
    }

    /// The source between two offsets.
    fn source_text(&self, span: Span) -> &str {
        self.map.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Whether a type says what a pointer points to: qualifiers there make types different, and are not kept.
    pub(super) fn has_pointer(&self, ty: TypeId) -> bool {
        match *self.hir.types.get(ty) {
            Type::Pointer(_) | Type::Function { .. } => true,
            Type::Array(element, _) => self.has_pointer(element),
            _ => false,
        }
    }

    fn infinity(&mut self, bits: u32, span: Span) -> Expr {
        let ty = self.types().intern(Type::Float(bits));
        Expr { kind: ExprKind::Float(f64::INFINITY), ty, span }
    }

    fn not_a_number(&mut self, bits: u32, tag: &Node<Expression>, span: Span) -> Expr {
        let ty = self.types().intern(Type::Float(bits));
        if self.source_text(self.at(tag.span)).trim() != "\"\"" {
            return unsupported("a NaN with a payload", ty, span);
        }
        Expr { kind: ExprKind::Float(f64::NAN), ty, span }
    }

    /// A built-in function that is used like a declared one.
    pub(super) fn builtin_function(&mut self, name: &str, span: Span) -> Option<FunctionId> {
        (name.starts_with("__builtin_") || name.starts_with("__sync_") || name.starts_with("__atomic_"))
            .then(|| self.implicit_function(name, span))
    }

    /// The type of a function that is called without a declaration.
    pub(super) fn implicit_type(&mut self, name: &str) -> TypeId {
        let short = name.strip_prefix("__builtin_").unwrap_or(name);
        let Some(signature) = signature(short) else {
            let result = self.implicit_result(name);
            return self.types().intern(Type::Function {
                result,
                parameters: Vec::new(),
                variadic: false,
                unspecified: true,
            });
        };
        self.function_of(signature)
    }

    /// The type of a function with a signature in letters.
    pub(super) fn function_of(&mut self, signature: &str) -> TypeId {
        let variadic = signature.ends_with('.');
        let mut letters = signature.trim_end_matches('.').chars();
        let result = letters.next().map_or(self.basic.int, |c| self.letter_type(c));
        let parameters = letters.map(|c| self.letter_type(c)).collect();
        self.types().intern(Type::Function { result, parameters, variadic, unspecified: false })
    }

    /// The result of a function without declaration is an `int`. One of those that return any value of a narrower type returns a value of
    /// that type, which the caller reads as an `int`: the same as the type promoted.
    fn implicit_result(&mut self, name: &str) -> TypeId {
        let integer = |rank, signed| Type::Int { rank, signed };
        let narrow = match name.strip_prefix("__VERIFIER_nondet_") {
            Some("bool" | "_Bool") => Type::Bool,
            Some("char") => return self.basic.char,
            Some("uchar" | "unsigned_char") => integer(Rank::Char, false),
            Some("short") => integer(Rank::Short, true),
            Some("ushort" | "unsigned_short") => integer(Rank::Short, false),
            _ => return self.basic.int,
        };
        self.types().intern(narrow)
    }

    pub(super) fn letter_type(&mut self, letter: char) -> TypeId {
        let basic = self.basic;
        let integer = |rank, signed| Type::Int { rank, signed };
        let ty = match letter {
            'v' => return basic.void,
            'p' => return basic.void_pointer,
            's' => Type::Pointer(basic.char),
            'u' => return basic.unsigned,
            'l' => return basic.long,
            'm' => integer(Rank::Long, false),
            'L' => integer(Rank::LongLong, true),
            'U' => integer(Rank::LongLong, false),
            'w' if self.hir.types.model == DataModel::Ilp32 => integer(Rank::LongLong, false),
            'w' => integer(Rank::Long, false),
            'h' => integer(Rank::Short, false),
            'H' => integer(Rank::Short, true),
            'C' => integer(Rank::Char, false),
            'z' => return basic.size,
            'd' => return basic.double,
            'f' => Type::Float(32),
            'D' => Type::Float(80),
            _ => return basic.int,
        };
        self.types().intern(ty)
    }

    /// A conversion that must not be asked for.
    pub(super) fn wrong_initializer(&self, span: Span) -> Problem {
        Problem::new(span, "the initialiser must be a constant")
    }
}

/// A string literal, as a pointer or one of its characters.
fn is_literal(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::AddressOf(place) => matches!(place.kind, PlaceKind::String(_)),
        ExprKind::Convert(inner) => is_literal(inner),
        _ => false,
    }
}
