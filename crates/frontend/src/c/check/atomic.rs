//! `__atomic_*` and `__sync_*`: in a program with one thread they are assignments.

use clinch_ir::Span;
use lang_c::ast::Expression;
use lang_c::span::Node;

use super::expr::Operand;
use super::literal::unsupported;
use super::{Checked, Checker};
use crate::c::hir::{BinaryOp, Expr, ExprKind, Init, InitItem, Place, Stmt, Storage, UnaryOp, VariableId};
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

/// The operation in the middle of a name such as `__atomic_fetch_add`.
#[derive(Clone, Copy)]
enum Operation {
    Plain(BinaryOp),
    Nand,
}

fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "add" => Operation::Plain(BinaryOp::Add),
        "sub" => Operation::Plain(BinaryOp::Sub),
        "and" => Operation::Plain(BinaryOp::BitAnd),
        "or" => Operation::Plain(BinaryOp::BitOr),
        "xor" => Operation::Plain(BinaryOp::BitXor),
        "nand" => Operation::Nand,
        _ => return None,
    })
}

/// How many arguments of a builtin say what it does. Those behind them say in which order other threads may see it.
fn operands(name: &str) -> usize {
    match name.trim_start_matches("__atomic_").trim_start_matches("__sync_") {
        "synchronize" | "thread_fence" | "signal_fence" => 0,
        "load_n" | "clear" | "test_and_set" | "is_lock_free" | "always_lock_free" => 1,
        name if name.starts_with("lock_release") => 1,
        name if name.contains("compare_") || name == "exchange" => 3,
        _ => 2,
    }
}

impl Checker<'_> {
    /// The meaning of an atomic builtin; none if there is no such builtin, or none that is known.
    pub(super) fn atomic(&mut self, name: &str, args: &[Node<Expression>], span: Span) -> Option<Checked<Expr>> {
        self.function.as_ref()?;
        let value = match name.strip_prefix("__atomic_") {
            Some(rest) => self.atomic_named(rest, args, span),
            None => self.sync_named(name.strip_prefix("__sync_")?, args, span),
        }?;
        let hints = args.get(operands(name)..).unwrap_or_default();
        Some(value.and_then(|value| self.beside(value, hints)))
    }

    fn sync_named(&mut self, rest: &str, args: &[Node<Expression>], span: Span) -> Option<Checked<Expr>> {
        // `__sync_fetch_and_add_4` is what old compilers called.
        let rest = rest.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        match (rest, args) {
            ("synchronize", _) => Some(Ok(self.nothing(span))),
            ("lock_test_and_set", [object, value, ..]) => Some(self.exchange(object, value, span)),
            ("lock_release", [object, ..]) => {
                Some(self.store(object, span, |this| Ok(this.int(0, this.basic.int, span))))
            }
            ("bool_compare_and_swap", [object, old, new, ..]) => Some(self.swap(object, old, new, true, span)),
            ("val_compare_and_swap", [object, old, new, ..]) => Some(self.swap(object, old, new, false, span)),
            _ => self.fetch_named(rest, ("fetch_and_", "_and_fetch"), args, span),
        }
    }

    fn atomic_named(&mut self, name: &str, args: &[Node<Expression>], span: Span) -> Option<Checked<Expr>> {
        match (name, args) {
            ("thread_fence" | "signal_fence", _) => Some(Ok(self.nothing(span))),
            ("load_n", [object, ..]) => Some(self.load(object, span)),
            ("store_n", [object, value, ..]) => Some(self.store(object, span, |this| this.rvalue(value))),
            ("exchange_n", [object, value, ..]) => Some(self.exchange(object, value, span)),
            ("load", [object, into, ..]) => Some(self.store(into, span, |this| this.load(object, span))),
            ("store", [object, from, ..]) => Some(self.store(object, span, |this| this.load(from, span))),
            ("exchange", [object, new, old, ..]) => Some(self.exchange_objects(object, new, old, span)),
            ("clear", [object, ..]) => Some(self.clear(object, span)),
            ("test_and_set", [object, ..]) => Some(self.test_and_set(object, span)),
            ("compare_exchange_n", [object, expected, new, ..]) => {
                Some(self.compare_exchange(object, expected, new, false, span))
            }
            ("compare_exchange", [object, expected, new, ..]) => {
                Some(self.compare_exchange(object, expected, new, true, span))
            }
            ("is_lock_free" | "always_lock_free", [size, ..]) => Some(self.is_lock_free(size, span)),
            _ => self.fetch_named(name, ("fetch_", "_fetch"), args, span),
        }
    }

    /// An operation that is fetched before or after: which of the two, and which operation, the name says.
    fn fetch_named(
        &mut self,
        name: &str,
        (before, behind): (&str, &str),
        args: &[Node<Expression>],
        span: Span,
    ) -> Option<Checked<Expr>> {
        let [object, value, ..] = args else { return None };
        let (op, fetch_first) = match name.strip_prefix(before) {
            Some(op) => (op, true),
            None => (name.strip_suffix(behind)?, false),
        };
        Some(self.fetch(operation(op)?, object, value, fetch_first, span))
    }

    fn nothing(&self, span: Span) -> Expr {
        let zero = self.int(0, self.basic.int, span);
        Expr { kind: ExprKind::Convert(Box::new(zero)), ty: self.basic.void, span }
    }

    /// x86 has instructions for objects up to eight bytes.
    fn is_lock_free(&mut self, size: &Node<Expression>, span: Span) -> Checked<Expr> {
        let size = self.rvalue(size)?;
        Ok(match self.constant_int(&size) {
            Some(size) => self.int(i128::from(matches!(size, 1 | 2 | 4 | 8)), self.basic.bool, span),
            None => unsupported("__atomic_is_lock_free", self.basic.bool, span),
        })
    }

    /// A hidden variable that holds a value, and the statement that sets it.
    fn hidden(&mut self, value: Expr, out: &mut Vec<Stmt>) -> Checked<VariableId> {
        let Some(function) = self.function.as_ref().map(|f| f.id) else { return Err(Problem::consequence()) };
        let (ty, span) = (value.ty, value.span);
        let id = self.new_variable("value".to_owned(), ty, Storage::Local(function), span);
        let item = InitItem { offset: 0, ty, bits: None, value };
        out.push(Stmt::Declare(id, Some(Init { zero_fill: false, items: vec![item] }), span));
        Ok(id)
    }

    fn read(&mut self, id: VariableId, span: Span) -> Checked<Expr> {
        let place = self.variable_place(id, span);
        self.value(Operand::Place(place))
    }

    /// What the hidden pointer points to.
    fn object(&mut self, pointer: VariableId, span: Span) -> Checked<Place> {
        let pointer = self.read(pointer, span)?;
        match self.deref(pointer, span)? {
            Operand::Place(place) => Ok(place),
            _ => Err(Problem::new(span, "expected a pointer to an object")),
        }
    }

    /// Evaluates the pointer argument once.
    fn pointer(&mut self, node: &Node<Expression>, out: &mut Vec<Stmt>) -> Checked<VariableId> {
        let value = self.rvalue(node)?;
        if self.hir.types.pointee(value.ty).is_none() {
            return Err(Problem::new(value.span, format!("expected a pointer, found `{}`", self.name_of(value.ty))));
        }
        self.hidden(value, out)
    }

    fn pointee_type(&self, pointer: VariableId) -> TypeId {
        let ty = self.hir.variables[pointer.0 as usize].ty;
        self.hir.types.pointee(ty).unwrap_or(ty)
    }

    fn statements(&self, statements: Vec<Stmt>, value: Option<Expr>, span: Span) -> Expr {
        let ty = value.as_ref().map_or(self.basic.void, |v| v.ty);
        Expr { kind: ExprKind::Statements(statements, value.map(Box::new)), ty, span }
    }

    fn assign_object(&mut self, pointer: VariableId, value: Expr, span: Span, out: &mut Vec<Stmt>) -> Checked<()> {
        let place = self.object(pointer, span)?;
        let ty = place.ty;
        let value = self.convert_assigned(value, ty, span)?;
        out.push(Stmt::Expr(Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty, span }));
        Ok(())
    }

    fn load(&mut self, object: &Node<Expression>, span: Span) -> Checked<Expr> {
        let pointer = self.rvalue(object)?;
        let operand = self.deref(pointer, span)?;
        self.value(operand)
    }

    /// `*object = value`
    fn store(
        &mut self,
        object: &Node<Expression>,
        span: Span,
        value: impl FnOnce(&mut Self) -> Checked<Expr>,
    ) -> Checked<Expr> {
        let mut out = Vec::new();
        let pointer = self.pointer(object, &mut out)?;
        let value = value(self)?;
        self.assign_object(pointer, value, span, &mut out)?;
        Ok(self.statements(out, None, span))
    }

    fn clear(&mut self, object: &Node<Expression>, span: Span) -> Checked<Expr> {
        let mut out = Vec::new();
        let pointer = self.flag(object, &mut out)?;
        let zero = self.int(0, self.basic.bool, span);
        self.assign_object(pointer, zero, span, &mut out)?;
        Ok(self.statements(out, None, span))
    }

    /// What the hidden pointer points to now, in a hidden variable.
    fn fetched(&mut self, pointer: VariableId, span: Span, out: &mut Vec<Stmt>) -> Checked<VariableId> {
        let place = self.object(pointer, span)?;
        let value = self.value(Operand::Place(place))?;
        self.hidden(value, out)
    }

    /// An argument, converted as if by assignment, in a hidden variable.
    fn argument(&mut self, value: Expr, ty: TypeId, span: Span, out: &mut Vec<Stmt>) -> Checked<VariableId> {
        let value = self.convert_assigned(value, ty, span)?;
        self.hidden(value, out)
    }

    /// A pointer to the byte that is a flag.
    fn flag(&mut self, node: &Node<Expression>, out: &mut Vec<Stmt>) -> Checked<VariableId> {
        let value = self.rvalue(node)?;
        let byte = self.pointer_to(self.basic.bool);
        let value = self.convert(value, byte);
        self.hidden(value, out)
    }

    fn test_and_set(&mut self, object: &Node<Expression>, span: Span) -> Checked<Expr> {
        let mut out = Vec::new();
        let pointer = self.flag(object, &mut out)?;
        let old = self.fetched(pointer, span, &mut out)?;
        let one = self.int(1, self.basic.bool, span);
        self.assign_object(pointer, one, span, &mut out)?;
        let old = self.read(old, span)?;
        Ok(self.statements(out, Some(old), span))
    }

    fn exchange(&mut self, object: &Node<Expression>, value: &Node<Expression>, span: Span) -> Checked<Expr> {
        let mut out = Vec::new();
        let pointer = self.pointer(object, &mut out)?;
        let value = self.rvalue(value)?;
        let value = self.argument(value, self.pointee_type(pointer), span, &mut out)?;
        let old = self.fetched(pointer, span, &mut out)?;
        let value = self.read(value, span)?;
        self.assign_object(pointer, value, span, &mut out)?;
        let old = self.read(old, span)?;
        Ok(self.statements(out, Some(old), span))
    }

    /// `*old = *object; *object = *new`
    fn exchange_objects(
        &mut self,
        object: &Node<Expression>,
        new: &Node<Expression>,
        old: &Node<Expression>,
        span: Span,
    ) -> Checked<Expr> {
        let mut out = Vec::new();
        let object = self.pointer(object, &mut out)?;
        let new = self.load(new, span)?;
        let new = self.hidden(new, &mut out)?;
        let old = self.pointer(old, &mut out)?;
        let place = self.object(object, span)?;
        let value = self.value(Operand::Place(place))?;
        self.assign_object(old, value, span, &mut out)?;
        let new = self.read(new, span)?;
        self.assign_object(object, new, span, &mut out)?;
        Ok(self.statements(out, None, span))
    }

    /// Adds and the like; pointers move by bytes.
    fn fetch(
        &mut self,
        operation: Operation,
        object: &Node<Expression>,
        value: &Node<Expression>,
        fetch_first: bool,
        span: Span,
    ) -> Checked<Expr> {
        let mut out = Vec::new();
        let pointer = self.pointer(object, &mut out)?;
        let ty = self.pointee_type(pointer);
        let word = if self.hir.types.is_pointer(ty) { self.basic.size } else { ty };
        if !self.hir.types.is_integer(word) {
            return Ok(unsupported("an atomic operation on this type", ty, span));
        }
        let value = self.rvalue(value)?;
        let value = self.argument(value, word, span, &mut out)?;
        let old = self.fetched(pointer, span, &mut out)?;
        let (left, right) = (self.read(old, span)?, self.read(value, span)?);
        let left = self.convert(left, word);
        let new = match operation {
            Operation::Plain(op) => self.binary_values(op, left, right, span)?,
            Operation::Nand => {
                let both = self.binary_values(BinaryOp::BitAnd, left, right, span)?;
                let ty = both.ty;
                Expr { kind: ExprKind::Unary(UnaryOp::BitNot, Box::new(both)), ty, span }
            }
        };
        let new = self.convert(self.convert(new, word), ty);
        let new = self.hidden(new, &mut out)?;
        let written = self.read(new, span)?;
        self.assign_object(pointer, written, span, &mut out)?;
        let result = self.read(if fetch_first { old } else { new }, span)?;
        Ok(self.statements(out, Some(result), span))
    }

    /// `__sync_bool_compare_and_swap`, `__sync_val_compare_and_swap`
    fn swap(
        &mut self,
        object: &Node<Expression>,
        expected: &Node<Expression>,
        new: &Node<Expression>,
        truth: bool,
        span: Span,
    ) -> Checked<Expr> {
        let mut out = Vec::new();
        let pointer = self.pointer(object, &mut out)?;
        let ty = self.pointee_type(pointer);
        let expected = self.rvalue(expected)?;
        let expected = self.argument(expected, ty, span, &mut out)?;
        let new = self.rvalue(new)?;
        let new = self.argument(new, ty, span, &mut out)?;
        let old = self.fetched(pointer, span, &mut out)?;
        let equal = self.equal(old, expected, span)?;
        let equal = self.hidden(equal, &mut out)?;
        let (condition, new) = (self.read(equal, span)?, self.read(new, span)?);
        let mut then = Vec::new();
        self.assign_object(pointer, new, span, &mut then)?;
        out.push(Stmt::If(condition, then, Vec::new()));
        let result = self.read(if truth { equal } else { old }, span)?;
        let result = if truth { self.convert(result, self.basic.bool) } else { result };
        Ok(self.statements(out, Some(result), span))
    }

    fn equal(&mut self, left: VariableId, right: VariableId, span: Span) -> Checked<Expr> {
        let (left, right) = (self.read(left, span)?, self.read(right, span)?);
        self.binary_values(BinaryOp::Eq, left, right, span)
    }

    /// `__atomic_compare_exchange`: where the object is not as expected, the expectation is set to what it is. A weak one
    /// may fail without reason, which this one never does; its users try again.
    fn compare_exchange(
        &mut self,
        object: &Node<Expression>,
        expected: &Node<Expression>,
        new: &Node<Expression>,
        new_is_pointer: bool,
        span: Span,
    ) -> Checked<Expr> {
        let mut out = Vec::new();
        let pointer = self.pointer(object, &mut out)?;
        let ty = self.pointee_type(pointer);
        let expectation = self.pointer(expected, &mut out)?;
        let new = if new_is_pointer { self.load(new, span)? } else { self.rvalue(new)? };
        let new = self.convert_assigned(new, ty, span)?;
        if !matches!(self.hir.types.get(ty), Type::Bool | Type::Int { .. } | Type::Pointer(_)) {
            return Ok(unsupported("an atomic operation on this type", self.basic.bool, span));
        }
        let new = self.hidden(new, &mut out)?;
        let old = self.fetched(pointer, span, &mut out)?;
        let wanted = self.fetched(expectation, span, &mut out)?;
        let equal = self.equal(old, wanted, span)?;
        let equal = self.hidden(equal, &mut out)?;
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        let (new, seen) = (self.read(new, span)?, self.read(old, span)?);
        self.assign_object(pointer, new, span, &mut then)?;
        self.assign_object(expectation, seen, span, &mut otherwise)?;
        out.push(Stmt::If(self.read(equal, span)?, then, otherwise));
        let result = self.read(equal, span)?;
        let result = self.convert(result, self.basic.bool);
        Ok(self.statements(out, Some(result), span))
    }
}
