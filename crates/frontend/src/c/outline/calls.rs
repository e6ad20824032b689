//! Calls: of the program's functions, of the library's, through pointers.

use clinch_ir::Span;
use clinch_ir::cfa::{Op, Procedure, ProcedureId};
use clinch_terms::{Symbol, Term};

use super::super::control::Branching;
use super::super::hir::{Call, Callee, Expr, ExprKind, FunctionId};
use super::super::points_to::{Library, library, library_by_pointer};
use super::super::types::{Type, TypeId};
use super::super::walk::{Each, Visitor};
use super::Outline;
use super::automaton::Automaton;
use super::members::{Member, member_read};
use super::values::{ORDER, Value};

/// What arguments and results are passed as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// Nothing.
    Void,
    /// An integer of so many bits.
    Integer(u32),
    /// An address.
    Pointer,
    /// A floating-point number of so many bits.
    Float(u32),
    /// A record of so many bytes.
    Record(Option<u64>),
}

/// What a call through a pointer passes, and what it wants back.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Signature {
    args: Vec<Kind>,
    result: Kind,
    /// The member that the pointer is read from, where that says something.
    pub(super) member: Option<Member>,
}

impl Outline<'_> {
    pub(super) fn kind(&self, ty: TypeId) -> Kind {
        let types = &self.hir.types;
        match *types.get(ty) {
            Type::Pointer(_) => Kind::Pointer,
            Type::Bool | Type::Int { .. } => Kind::Integer(self.bits(ty)),
            Type::Float(bits) => Kind::Float(bits),
            Type::Record(_) => Kind::Record(types.size(ty)),
            _ => Kind::Void,
        }
    }

    /// Bits of the variable that holds a value of a kind.
    fn bits_of_kind(&self, kind: Kind) -> Option<u32> {
        match kind {
            Kind::Pointer => Some(self.hir.types.model.pointer_bits()),
            Kind::Integer(bits) if bits <= 64 => Some(bits),
            _ => None,
        }
    }

    /// Whether a call through a pointer may reach a function.
    pub(super) fn may_call(&self, signature: &Signature, f: FunctionId) -> bool {
        let may_hold = |member| self.members.as_ref().is_none_or(|members| members.may_hold(member, f));
        self.takes(f, signature) && signature.member.is_none_or(may_hold)
    }

    /// Whether a function takes what a call passes.
    fn takes(&self, f: FunctionId, signature: &Signature) -> bool {
        let function = &self.hir.functions[f.0 as usize];
        let Type::Function { parameters, variadic, unspecified, .. } = self.hir.types.get(function.ty) else {
            return false;
        };
        let enough = parameters.len() == signature.args.len() || *variadic && parameters.len() < signature.args.len();
        *unspecified
            || self.retyped.contains(f)
            || enough && parameters.iter().zip(&signature.args).all(|(&ty, &kind)| self.kind(ty) == kind)
    }

    /// The type of a function's result, if values of it are numbers here.
    pub(super) fn result_type(&self, f: FunctionId) -> Option<TypeId> {
        match *self.hir.types.get(self.hir.functions[f.0 as usize].ty) {
            Type::Function { result, .. } if self.is_number(result) => Some(result),
            _ => None,
        }
    }

    /// A call, and what it returns if that is wanted.
    pub(super) fn call(&mut self, call: &Call, e: &Expr, wanted: bool) -> Value {
        let args: Vec<&Expr> = call.args.iter().collect();
        match &call.callee {
            Callee::Direct(f) => {
                if !self.any_order_will_do(&args, &[]) {
                    self.deny(ORDER, e.span);
                }
                match library(self.hir, *f) {
                    Some(known) => self.library(known, *f, call, e),
                    None => {
                        let values: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect();
                        self.call_function(*f, &values, call, e, wanted)
                    }
                }
            }
            Callee::Indirect(pointer) => {
                let operands: Vec<&Expr> = args.iter().copied().chain([pointer]).collect();
                if !self.any_order_will_do(&operands, &[]) {
                    self.deny(ORDER, e.span);
                }
                self.value(pointer);
                let values: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect();
                self.call_pointer(&values, call, e, wanted)
            }
        }
    }

    fn call_function(&mut self, f: FunctionId, args: &[Value], call: &Call, e: &Expr, wanted: bool) -> Value {
        let function = &self.hir.functions[f.0 as usize];
        if function.body.is_none() {
            let name = &function.name;
            self.assumptions.insert(format!("`{name}` has no body: it returns any value and changes nothing"));
            return Value::Any;
        }
        if function.is_model && self.is_closed(f, &mut Vec::new()) {
            return Value::Any;
        }
        let types: Vec<TypeId> = call.args.iter().map(|arg| arg.ty).collect();
        let args: Vec<(Value, Kind)> = args.iter().zip(types).map(|(&value, ty)| (value, self.kind(ty))).collect();
        let result = self.result_type(f).filter(|_| wanted).map(|ty| (ty, self.temporary(self.bits(ty))));
        self.invoke(f, &args, result.map(|(_, symbol)| symbol), e.span);
        match result {
            // What a model returns is one of the values that are allowed.
            Some((ty, symbol)) if self.kind(ty) == self.kind(e.ty) && !function.is_model => {
                Value::Is(self.terms.symbol(symbol))
            }
            _ => Value::Any,
        }
    }

    /// Whether a model only computes: it calls nothing through pointers, and nothing that ends a run.
    fn is_closed(&self, f: FunctionId, seen: &mut Vec<FunctionId>) -> bool {
        if seen.contains(&f) {
            return true;
        }
        seen.push(f);
        let Some(body) = &self.hir.functions[f.0 as usize].body else { return true };
        let (mut called, mut closed) = (Vec::new(), true);
        let see = |e: &Expr| match &e.kind {
            ExprKind::Call(call) => match call.callee {
                Callee::Direct(callee) => called.push(callee),
                Callee::Indirect(_) => closed = false,
            },
            ExprKind::Unsupported(_) => closed = false,
            _ => {}
        };
        Each(see).statements(body);
        let harmless = |this: &Self, callee: FunctionId| match library(this.hir, callee) {
            Some(known) => matches!(
                known,
                Library::Any
                    | Library::AssumeThat
                    | Library::ForgetErrno
                    | Library::Malloc
                    | Library::Memcpy { .. }
                    | Library::Strlen
                    | Library::Nothing
                    | Library::First
                    | Library::Memset
                    | Library::Free
            ),
            None => false,
        };
        closed
            && called.into_iter().all(|callee| {
                harmless(self, callee)
                    || (self.hir.functions[callee.0 as usize].is_model && self.is_closed(callee, seen))
            })
    }

    /// Calls a function with a body. What it is not passed, or not as it takes it, is any value.
    fn invoke(&mut self, f: FunctionId, args: &[(Value, Kind)], result: Option<Symbol>, span: Span) {
        let hir = self.hir;
        let callee = self.procedure_of(f);
        let mut terms = Vec::new();
        for (i, &parameter) in hir.functions[f.0 as usize].parameters.iter().enumerate() {
            if !self.is_tracked(parameter) {
                continue;
            }
            let ty = hir.variables[parameter.0 as usize].ty;
            let value = match args.get(i) {
                Some(&(value, kind)) if kind == self.kind(ty) => value,
                _ => Value::Any,
            };
            terms.push(self.argument(value, self.bits(ty), i, span));
        }
        self.body.emit(Op::Call { callee, args: terms, result }, span);
    }

    /// A term for an argument.
    fn argument(&mut self, value: Value, bits: u32, position: usize, span: Span) -> Term {
        if let Value::Is(term) = value {
            return term;
        }
        let symbol = match self.body.arguments.get(&(bits, position)) {
            Some(&symbol) => symbol,
            None => {
                let symbol = self.temporary(bits);
                self.body.arguments.insert((bits, position), symbol);
                symbol
            }
        };
        self.set(symbol, value, span);
        self.terms.symbol(symbol)
    }

    /// The entry function gets any arguments.
    pub(super) fn call_with_any_arguments(&mut self, f: FunctionId, span: Span) {
        let result = self.result_type(f).map(|ty| self.temporary(self.bits(ty)));
        self.invoke(f, &[], result, span);
    }

    fn call_pointer(&mut self, args: &[Value], call: &Call, e: &Expr, wanted: bool) -> Value {
        let kinds: Vec<Kind> = call.args.iter().map(|arg| self.kind(arg.ty)).collect();
        let member = match &call.callee {
            Callee::Indirect(pointer) if self.members.is_some() => member_read(&self.hir.types, pointer),
            _ => None,
        };
        let signature = Signature { args: kinds, result: self.kind(e.ty), member };
        let callee = self.site(signature.clone());
        let mut terms = Vec::new();
        for (i, (&value, &kind)) in args.iter().zip(&signature.args).enumerate() {
            if let Some(bits) = self.bits_of_kind(kind) {
                terms.push(self.argument(value, bits, i, e.span));
            }
        }
        let result = self.bits_of_kind(signature.result).filter(|_| wanted).map(|bits| self.temporary(bits));
        self.body.emit(Op::Call { callee, args: terms, result }, e.span);
        result.map_or(Value::Any, |symbol| Value::Is(self.terms.symbol(symbol)))
    }

    /// The procedure that stands for all calls through pointers of a kind.
    fn site(&mut self, signature: Signature) -> ProcedureId {
        if let Some(&known) = self.sites.get(&signature) {
            return known;
        }
        let id = ProcedureId::from_index(self.procedures.len());
        self.procedures.push(None);
        self.sites.insert(signature, id);
        id
    }

    /// Calls any function that a pointer may lead to, or none of the program's.
    pub(super) fn dispatcher(&mut self, signature: &Signature) -> Procedure {
        self.body = Automaton::new();
        let span = Span::default();
        let mut args = Vec::new();
        for (i, &kind) in signature.args.iter().enumerate() {
            let value = match self.bits_of_kind(kind) {
                Some(bits) => {
                    let symbol = self.temporary(bits);
                    let name = format!("argument {}", i + 1);
                    self.body.locals.pop();
                    self.body.params.push(symbol);
                    if let Some(info) = self.variables.get_mut(&symbol) {
                        info.name = name;
                    }
                    Value::Is(self.terms.symbol(symbol))
                }
                None => Value::Any,
            };
            args.push((value, kind));
        }
        self.body.result = self.bits_of_kind(signature.result).map(|bits| self.temporary(bits));
        let targets: Vec<FunctionId> =
            self.addressed.iter().copied().filter(|&f| self.may_call(signature, f)).collect();
        let ways: Vec<_> = targets.iter().map(|_| self.body.fresh()).collect();
        let elsewhere = self.body.fresh();
        self.any_of(&ways.iter().copied().chain([elsewhere]).collect::<Vec<_>>(), span);
        for (&target, &way) in targets.iter().zip(&ways) {
            self.body.at(way);
            self.call_target(target, &args, signature, span);
        }
        self.body.at(elsewhere);
        self.return_value(Value::Any, span);
        self.finished("a call through a pointer".to_owned(), span)
    }

    fn call_target(&mut self, f: FunctionId, args: &[(Value, Kind)], signature: &Signature, span: Span) {
        if let Some(known) = library_by_pointer(self.hir, f) {
            self.library_function(known, span);
            return self.return_value(Value::Any, span);
        }
        let function = &self.hir.functions[f.0 as usize];
        if function.body.is_none() {
            return self.return_value(Value::Any, span);
        }
        let same = self.result_type(f).filter(|&ty| self.kind(ty) == signature.result);
        let result = self.body.result.filter(|_| same.is_some() && !function.is_model);
        self.invoke(f, args, result, span);
        let value = result.map_or(Value::Any, |symbol| Value::Is(self.terms.symbol(symbol)));
        self.return_value(value, span);
    }

    /// A call of a function that is known by its name.
    fn library(&mut self, known: Library, f: FunctionId, call: &Call, e: &Expr) -> Value {
        let span = e.span;
        if let (Library::Assume | Library::Assert, Some(condition)) = (known, call.args.first()) {
            let (good, bad) = (self.body.fresh(), self.body.fresh());
            self.branch(condition, good, bad);
            self.body.at(bad);
            match known {
                Library::Assert => self.fail(format!("assertion {}", self.hir.functions[f.0 as usize].name), span),
                _ => self.body.stop(Op::Abort, span),
            }
            self.body.at(good);
            return Value::Any;
        }
        let values: Vec<Value> = call.args.iter().map(|arg| self.value(arg)).collect();
        if let Library::Error { .. } = known {
            self.fail(self.hir.functions[f.0 as usize].name.clone(), span);
        }
        self.library_function(known, span);
        match (known, values.first()) {
            (Library::First, Some(&Value::Is(term))) if call.args[0].ty == e.ty => Value::Is(term),
            _ => Value::Any,
        }
    }

    /// What a function of the library does to control: the rest is memory, and results that are any.
    fn library_function(&mut self, known: Library, span: Span) {
        match known {
            Library::Error { .. } | Library::Assert => self.fail("an assertion".to_owned(), span),
            Library::Abort | Library::Exit | Library::ExitAtOnce => self.body.stop(Op::Abort, span),
            Library::Unreachable => self.body.stop(Op::Undefined("__builtin_unreachable was reached".to_owned()), span),
            Library::Stop | Library::NotModelled => self.deny("a library function that is not modelled", span),
            Library::Unsupported(what) if what != FORMATTED => self.deny(what, span),
            _ => {}
        }
    }
}

/// The one thing that is not modelled elsewhere and is here: it only writes text to memory.
const FORMATTED: &str = "formatted output to memory";
