//! What comes from outside of the program: results of the C library that are open, `errno`, the arguments of `main`.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, InputKind, Op, Target};
use clinch_terms::Term;

use super::super::hir::{BinaryOp, Expr, FunctionId, Variable, VariableId};
use super::super::points_to::{Fixed, Results, fixed_part, key};
use super::super::types::Type;
use super::Lowering;
use super::place::Lvalue;
use super::storage::Spot;
use super::values::Value;

/// The variable of the models that holds `errno`.
const ERRNO: &str = "__clinch_errno";

impl Lowering<'_> {
    /// A function of the C library that only returns something, and may set `errno`.
    pub(super) fn harmless(&mut self, results: Results, name: String, e: &Expr) -> Value {
        self.forget_errno(&name, e.span);
        if self.unused == Some(key(e)) {
            return Value::Void;
        }
        let value = self.any_value(e, &InputKind::Extern(name));
        if let (Results::Range(least, most), Value::Scalar(value), true) = (results, &value, self.is_signed_int(e)) {
            let above = self.constant(e.ty, least.into());
            let above = self.compare(BinaryOp::Le, true, above, *value);
            self.body.emit(Op::Assume(above), e.span);
            if most < i64::MAX >> (64 - self.bits(e.ty).min(64)) {
                let below = self.constant(e.ty, most.into());
                let below = self.compare(BinaryOp::Le, true, *value, below);
                self.body.emit(Op::Assume(below), e.span);
            }
        }
        value
    }

    fn is_signed_int(&self, e: &Expr) -> bool {
        matches!(self.hir.types.get(e.ty), Type::Int { signed: true, .. }) && !self.is_int128(e.ty)
    }

    /// The variable that holds `errno`, if anyone asks for it.
    pub(super) fn errno(&self) -> Option<VariableId> {
        self.hir.variables.iter().position(|v| v.name == ERRNO).map(|position| VariableId(position as u32))
    }

    /// Nobody knows what `errno` is after a call of a function that may set it.
    pub(super) fn forget_errno(&mut self, function: &str, span: Span) {
        let Some(id) = self.errno() else { return };
        if let Some(&Spot::Memory(home)) = self.storage.variables.get(&id) {
            let ty = self.hir.variables[id.0 as usize].ty;
            let value = self.opaque(ty, &format!("`errno` after `{function}`"), span);
            let target = Lvalue::Memory { address: self.home(home), cell: self.cell_of(id), bits: None };
            self.store(&target, ty, value, span);
        }
    }

    /// The result of a function of which the standard fixes only a part: any value with that part, unless the call
    /// is where only that part matters.
    pub(super) fn leave_open(&mut self, f: FunctionId, value: Value, e: &Expr) -> Value {
        let function = &self.hir.functions[f.0 as usize];
        let own = function.body.is_some() && !function.is_model;
        let only_tested = self.tested == Some(key(e)) || self.unused == Some(key(e));
        match (fixed_part(&function.name), value) {
            (Some(fixed), Value::Scalar(value)) if !own && !only_tested => {
                let name = function.name.trim_start_matches("__builtin_").to_owned();
                Value::Scalar(self.any_like(value, fixed, name, e))
            }
            (_, value) => value,
        }
    }

    /// 0 for 0, any value with the fixed part of the value otherwise.
    fn any_like(&mut self, value: Term, fixed: Fixed, function: String, e: &Expr) -> Term {
        let value = self.save(value, e.span);
        let result = self.temporary_of(e.ty);
        let (differ, after) = (self.body.fresh(), self.body.fresh());
        let zero = self.constant(e.ty, 0);
        self.assign_variable(result, zero, e.span);
        // It is written twice.
        self.body.temporaries.remove(&result);
        self.body.counters += 1;
        let different = self.nonzero(value);
        self.branch_on(different, differ, after, e.span);
        self.body.at(differ);
        let any = self.input(e.ty, InputKind::Extern(function), e.span);
        let nonzero = self.nonzero(any);
        self.body.emit(Op::Assume(nonzero), e.span);
        if fixed == Fixed::Sign {
            let (one, other) =
                (self.compare(BinaryOp::Lt, true, value, zero), self.compare(BinaryOp::Lt, true, any, zero));
            let alike = self.terms.eq(one, other);
            self.body.emit(Op::Assume(alike), e.span);
        }
        let assign = Assign { target: Target::Var(result), value: any };
        self.body.emit(Op::Assign(vec![assign]), e.span);
        self.body.goto(after, e.span);
        self.body.at(after);
        self.terms.symbol(result)
    }

    /// Where the first value of a variable comes from that is defined elsewhere: what the C library defines is not
    /// known, and not any value either.
    pub(super) fn first_value(&self, v: &Variable, name: String) -> InputKind {
        if v.external && self.source.is_system(v.span) {
            InputKind::Opaque(format!("the value of `{name}`"))
        } else {
            InputKind::Environment(name)
        }
    }
}
