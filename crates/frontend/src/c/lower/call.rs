//! Calls.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, InputKind, Op, Target};
use clinch_terms::Term;

use super::super::hir::{Call, Callee, Expr, FunctionId};
use super::super::points_to::{is_record, key, leaves, library, library_by_pointer};
use super::super::types::{Type, TypeId};
use super::Lowering;
use super::place::Lvalue;
use super::values::Value;

/// The bits of an int, to which smaller arguments are promoted.
const INT: u32 = 32;

/// Caller and function do not agree on the type.
const OTHER_TYPE: &str = "a call with another type than that of the function";

/// What pointers may be that the program does not make.
pub(in crate::c) const POINTERS_FROM_OUTSIDE: &str = "pointers from outside point to globals, or to memory of their own, of the type that they have; those that are found in such memory do not lead into the middle of a record";

impl Lowering<'_> {
    /// A call; its value.
    pub(super) fn call(&mut self, call: &Call, e: &Expr) -> Value {
        match &call.callee {
            Callee::Direct(f) => {
                let value = match library(self.hir, *f) {
                    Some(known) => self.library(known, *f, call, e),
                    None => {
                        let args = self.arguments(&call.args);
                        self.call_function(*f, &args, call, e)
                    }
                };
                self.leave_open(*f, value, e)
            }
            Callee::Indirect(pointer) => self.call_pointer(pointer, call, e),
        }
    }

    /// The arguments, from left to right.
    pub(super) fn arguments(&mut self, args: &[Expr]) -> Vec<Value> {
        let mut values = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let mut value = if is_record(&self.hir.types, arg.ty) {
                self.record(arg)
            } else if matches!(self.hir.types.get(arg.ty), Type::Void) {
                self.effect(arg);
                Value::Void
            } else {
                Value::Scalar(self.scalar(arg))
            };
            if args[i + 1..].iter().any(|later| later.has_effects()) {
                value = self.save_value(value, arg.ty, arg.span);
            }
            values.push(value);
        }
        values
    }

    /// Keeps a value from now on.
    fn save_value(&mut self, value: Value, ty: TypeId, span: Span) -> Value {
        match value {
            Value::Scalar(term) => Value::Scalar(self.save(term, span)),
            Value::Leaves(values) => self.save_leaves(values, span),
            Value::Block { address, cell } => {
                let symbol = self.temporary(self.sort_of_bits(self.pointer_bits()), false);
                let bytes = self.hir.types.size(ty).unwrap_or(0);
                let size = self.address(bytes);
                let kind = clinch_ir::cfa::AllocKind::Stack;
                self.body.emit(Op::Alloc { target: symbol, size, kind, zeroed: false }, span);
                let copy = self.terms.symbol(symbol);
                self.copy_block(copy, address, cell, bytes, span);
                Value::Block { address: copy, cell }
            }
            Value::Void => Value::Void,
        }
    }

    /// A call of a function that is not known by its name.
    fn call_function(&mut self, f: FunctionId, args: &[Value], call: &Call, e: &Expr) -> Value {
        if self.hir.functions[f.0 as usize].body.is_some() {
            return self.invoke(f, args, call, e);
        }
        let passes_pointers = call.args.iter().any(|arg| self.hir.types.is_pointer(arg.ty));
        if self.options.externs_write && passes_pointers {
            let name = &self.hir.functions[f.0 as usize].name;
            let what = format!("what `{name}`, which has no body, writes through its arguments");
            self.body.stop(Op::Unsupported(what), e.span);
            return self.nothing(e);
        }
        self.outside(f, e)
    }

    /// A call of a function without body.
    fn outside(&mut self, f: FunctionId, e: &Expr) -> Value {
        let name = self.hir.functions[f.0 as usize].name.clone();
        self.assume(format!("`{name}` has no body: it returns any value and changes nothing"));
        self.any_value(e, &InputKind::Extern(name))
    }

    /// Any value of the type of an expression.
    pub(super) fn any_value(&mut self, e: &Expr, kind: &InputKind) -> Value {
        if matches!(self.hir.types.get(e.ty), Type::Void) {
            return Value::Void;
        }
        if self.hir.types.is_pointer(e.ty) {
            self.assume(POINTERS_FROM_OUTSIDE.to_owned());
        }
        if !is_record(&self.hir.types, e.ty) {
            let value = self.input(e.ty, kind.clone(), e.span);
            return Value::Scalar(self.returned_float(value, e.ty));
        }
        match leaves(&self.hir.types, e.ty) {
            Some(leaves) => {
                let values = leaves.iter().map(|l| (l.offset, l.ty, self.input(l.ty, kind.clone(), e.span)));
                Value::Leaves(values.collect())
            }
            None => {
                let what = "a union or large record from a function without body";
                self.body.stop(Op::Unsupported(what.to_owned()), e.span);
                Value::Leaves(Vec::new())
            }
        }
    }

    /// A call of a procedure.
    fn invoke(&mut self, f: FunctionId, args: &[Value], call: &Call, e: &Expr) -> Value {
        let Some(&callee) = self.procedure_ids.get(&f) else {
            self.body.stop(Op::Unsupported("a call that was not analysed".to_owned()), e.span);
            return self.nothing(e);
        };
        let result_type = self.result_type(f);
        if !self.shapes_agree(f, call, result_type, e) {
            self.body.stop(Op::Unsupported(OTHER_TYPE.to_owned()), e.span);
            return self.nothing(e);
        }
        let terms = self.pass(f, args, call, e.span);
        let unused = self.unused == Some(key(e)) || matches!(self.hir.types.get(e.ty), Type::Void);
        let wanted = result_type.filter(|_| !unused);
        let scalar = wanted.filter(|&t| !is_record(&self.hir.types, t));
        let result = scalar.map(|t| self.temporary_of(t));
        self.body.emit(Op::Call { callee, args: terms, result }, e.span);
        match (wanted, result) {
            (Some(ty), Some(symbol)) => {
                let value = self.terms.symbol(symbol);
                let value = self.returned_float(value, ty);
                Value::Scalar(self.adapt(value, ty, e.ty, e.span))
            }
            (Some(ty), None) => self.returned_record(f, ty, e.span),
            (None, _) if result_type.is_none() && !unused => {
                self.any_value(e, &InputKind::Uninitialised("result".to_owned()))
            }
            (None, _) => Value::Void,
        }
    }

    fn nothing(&mut self, e: &Expr) -> Value {
        match self.hir.types.get(e.ty) {
            Type::Void => Value::Void,
            Type::Record(_) => Value::Leaves(Vec::new()),
            _ => Value::Scalar(self.constant(e.ty, 0)),
        }
    }

    fn returned_record(&mut self, f: FunctionId, ty: TypeId, span: Span) -> Value {
        if let Some(&object) = self.storage.results.get(&f) {
            let address = self.object_address(object);
            return Value::Block { address, cell: self.points.result_object(f) };
        }
        let symbols = self.storage.result_leaves.get(&f).cloned().unwrap_or_default();
        let leaves = leaves(&self.hir.types, ty).unwrap_or_default();
        let values = leaves.iter().zip(symbols).map(|(l, s)| (l.offset, l.ty, self.terms.symbol(s))).collect();
        self.save_leaves(values, span)
    }

    /// The arguments as the procedure takes them. Records that are not split are handed over in memory.
    fn pass(&mut self, f: FunctionId, args: &[Value], call: &Call, span: Span) -> Vec<Term> {
        let hir = self.hir;
        let mut terms = Vec::new();
        for (i, &parameter) in hir.functions[f.0 as usize].parameters.iter().enumerate() {
            let ty = hir.variables[parameter.0 as usize].ty;
            match args.get(i) {
                Some(Value::Block { address, .. }) => {
                    if let Some(&object) = self.storage.parameters.get(&parameter) {
                        let to = self.object_address(object);
                        let size = hir.types.size(ty).unwrap_or(0);
                        self.copy_block(to, *address, self.cell_of(parameter), size, span);
                    }
                }
                Some(Value::Leaves(values)) => terms.extend(values.iter().map(|v| v.2)),
                Some(Value::Scalar(term)) => terms.push(self.adapt(*term, call.args[i].ty, ty, span)),
                _ => {
                    let kind = InputKind::Uninitialised(hir.variables[parameter.0 as usize].name.clone());
                    terms.push(self.input(ty, kind, span));
                }
            }
        }
        terms
    }

    /// Whether caller and function mean records by the same arguments, and by the result.
    fn shapes_agree(&self, f: FunctionId, call: &Call, result: Option<TypeId>, e: &Expr) -> bool {
        let types = &self.hir.types;
        let record = |ty| is_record(types, ty).then(|| types.size(ty));
        let parameters = &self.hir.functions[f.0 as usize].parameters;
        let mut passed = parameters.iter().enumerate().map(|(i, parameter)| {
            (call.args.get(i).and_then(|arg| record(arg.ty)), record(self.hir.variables[parameter.0 as usize].ty))
        });
        let unused = matches!(types.get(e.ty), Type::Void);
        passed.all(|(from, to)| from == to) && (unused || result.and_then(record) == record(e.ty))
    }

    /// A value where one of another type is expected, as in calls without prototype.
    pub(super) fn adapt(&mut self, value: Term, from: TypeId, to: TypeId, span: Span) -> Term {
        if from == to || matches!(self.hir.types.get(to), Type::Void) {
            return value;
        }
        match (self.is_float(from), self.is_float(to)) {
            (false, false) if !self.fits(from, to) => {
                self.body.stop(Op::Unsupported(OTHER_TYPE.to_owned()), span);
                self.constant(to, 0)
            }
            (false, false) => self.convert(value, from, to),
            (true, true) if self.hir.types.scalar_bits(from) == self.hir.types.scalar_bits(to) => value,
            // A function without prototype looks where its own arguments would be.
            _ => {
                self.body.stop(Op::Unsupported(OTHER_TYPE.to_owned()), span);
                self.constant(to, 0)
            }
        }
    }

    /// Whether a value of one type may be taken for one of the other, where caller and function do not agree: both fill as many
    /// bits, or the function takes the lower ones of a promoted argument. What else there would be in a register, nobody
    /// knows, and how much of an address fits depends on where objects are.
    fn fits(&self, from: TypeId, to: TypeId) -> bool {
        let (wide, narrow) = (self.bits(from), self.bits(to));
        wide == narrow || wide == INT && narrow < INT && !self.hir.types.is_pointer(from)
    }

    /// A call through a pointer: one branch for each function it may hold.
    fn call_pointer(&mut self, pointer: &Expr, call: &Call, e: &Expr) -> Value {
        let mut address = self.scalar(pointer);
        if call.args.iter().any(|a| a.has_effects()) {
            address = self.save(address, pointer.span);
        }
        let args = self.arguments(&call.args);
        let targets = self.points.targets(e).to_vec();
        if targets.len() > 1 {
            address = self.save(address, pointer.span);
        }
        let origin = self.body.here();
        let after = self.body.fresh();
        let mut others = self.terms.tt();
        let mut result = None;
        for target in targets {
            let at = self.storage.functions.get(&target).copied().unwrap_or(0);
            let at = self.address(at);
            let hit = self.terms.eq(address, at);
            let miss = self.not(hit);
            others = self.terms.and(others, miss);
            let branch = self.body.fresh();
            self.body.edge(origin, branch, Op::Assume(hit), e.span);
            self.body.at(branch);
            let value = self.call_target(target, &args, call, e);
            let value = self.leave_open(target, value, e);
            self.join_result(&mut result, value, e.span);
            self.body.goto(after, e.span);
        }
        let nowhere = self.body.fresh();
        self.body.edge(origin, nowhere, Op::Assume(others), e.span);
        self.body.at(nowhere);
        let what = "a call through a pointer that holds no function of a suitable type";
        self.body.stop(Op::Undefined(what.to_owned()), e.span);
        self.body.at(after);
        result.unwrap_or_else(|| self.nothing(e))
    }

    fn call_target(&mut self, f: FunctionId, args: &[Value], call: &Call, e: &Expr) -> Value {
        match library_by_pointer(self.hir, f) {
            Some(known) => self.library_with(known, f, args, call, e),
            None => self.call_function(f, args, call, e),
        }
    }

    /// Brings the values of several branches into the same hidden variables.
    fn join_result(&mut self, result: &mut Option<Value>, value: Value, span: Span) {
        let common = match (&*result, &value) {
            (Some(known), _) => known.clone(),
            (None, Value::Scalar(term)) => {
                let symbol = self.temporary(self.terms.sort(*term), false);
                Value::Scalar(self.terms.symbol(symbol))
            }
            (None, Value::Leaves(values)) => {
                let fresh = values.iter().map(|&(o, t, _)| {
                    let symbol = self.temporary_of(t);
                    (o, t, self.terms.symbol(symbol))
                });
                Value::Leaves(fresh.collect())
            }
            (None, Value::Block { cell, .. }) => {
                let symbol = self.temporary(self.sort_of_bits(self.pointer_bits()), false);
                Value::Block { address: self.terms.symbol(symbol), cell: *cell }
            }
            (None, Value::Void) => Value::Void,
        };
        if let (Value::Scalar(to), Value::Scalar(from)) = (&common, &value) {
            if let clinch_terms::Node::Symbol(symbol) = self.terms.node(*to) {
                let assign = Assign { target: Target::Var(symbol), value: *from };
                self.body.emit(Op::Assign(vec![assign]), span);
            }
        } else {
            self.copy_value(&common, &value, span);
        }
        *result = Some(common);
    }

    /// Copies the record that is returned to where the caller finds it; the term that is returned otherwise.
    pub(super) fn return_value(&mut self, f: FunctionId, e: &Expr) -> Option<Term> {
        if !is_record(&self.hir.types, e.ty) {
            return Some(self.scalar(e));
        }
        let value = self.record(e);
        if let (Value::Leaves(values), Some(symbols)) = (&value, self.storage.result_leaves.get(&f)) {
            let assigns: Vec<Assign> =
                values.iter().zip(symbols).map(|(v, &s)| Assign { target: Target::Var(s), value: v.2 }).collect();
            if !assigns.is_empty() {
                self.body.emit(Op::Assign(assigns), e.span);
            }
        } else if let Some(&object) = self.storage.results.get(&f) {
            let address = self.object_address(object);
            let target = Lvalue::Memory { address, cell: self.points.result_object(f), bits: None };
            self.store_record(&target, e.ty, &value, e.span);
        }
        None
    }
}
