//! Modules become procedures.

use std::sync::Arc;

use clinch_ir::cfa::{
    CfaProgram, Edge, InputId, InputKind, InputSite, Liveness, Location, Op, Procedure, ProcedureId, VariableInfo,
    partial_terms,
};
use clinch_ir::{Source, Span};
use clinch_terms::{LocId, Sort, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{ModuleDecl, Text, ValueExpr, VarDecl};
use super::body::{Body, to_scalar};
use super::declare::{Declare, twice};
use super::expr::Expressions;
use super::scope::{Entity, Scope, declare};
use super::types::Scalar;
use crate::diagnostic::{Bag, Problem};
use crate::expr::Exprs;

/// The name of the procedure where runs start.
const START: &str = "__start";

/// Translates modules.
pub(super) struct Lower<'a, 's> {
    pub(super) source: &'a Arc<Source>,
    pub(super) exprs: &'a Exprs<'s>,
    pub(super) program: &'a mut CfaProgram,
    pub(super) scope: &'a mut Scope<'s>,
    pub(super) bag: &'a mut Bag,
    /// The labels whose locations must not be reached.
    pub(super) error_labels: &'a [&'a str],
    /// The module at hand.
    pub(super) body: Body,
    pub(super) result: Option<Scalar>,
    pub(super) labels: FxHashMap<&'s str, LocId>,
    /// Variables for values on their way, free for the next statement, by type.
    pub(super) temporaries: Vec<(Scalar, Symbol, bool)>,
    /// The variables that choose between alternatives, by type.
    pub(super) choices: Vec<(Scalar, Symbol)>,
    /// The variables for `*`, and how many of them the statement at hand uses.
    pub(super) anys: (Vec<Symbol>, usize),
}

impl<'a, 's> Lower<'a, 's> {
    /// All modules, and the procedure that starts the initial one; `open` are the globals that start with any value.
    pub(super) fn text(&mut self, text: &'a Text<'s>, open: &[usize], entry: usize) {
        self.start(text, open, entry);
        for (index, module) in text.modules.iter().enumerate() {
            self.module(module, index);
        }
        self.forget_initial_values();
    }

    /// Gives open globals and the parameters of the initial module any value, calls it, and exits.
    fn start(&mut self, text: &Text<'s>, open: &[usize], entry: usize) {
        self.body = Body::new();
        for &variable in open {
            let span = self.scope.variables[variable].span;
            for symbol in self.scope.variables[variable].symbols.clone() {
                let name = self.program.terms.symbol_name(symbol).to_owned();
                self.input(symbol, InputKind::Environment(name), span);
            }
        }
        let module = &text.modules[entry];
        let mut args = Vec::new();
        for (param, scalar) in module.params.iter().zip(self.scope.signatures[entry].params.clone()) {
            let symbol = declare(self.program, param.name.text.to_owned(), scalar, false);
            self.body.locals.push(symbol);
            self.input(symbol, InputKind::Parameter(param.name.text.to_owned()), param.name.span);
            args.push(self.program.terms.symbol(symbol));
        }
        let callee = ProcedureId::from_index(entry + 1);
        self.body.emit(Op::Call { callee, args, result: None }, module.name.span);
        let status = self.program.terms.bit_vec(32, 0);
        self.body.end(Op::Exit(status), module.name.span);
        self.procedure(START.to_owned(), Vec::new(), None, module.name.span);
    }

    fn module(&mut self, module: &'a ModuleDecl<'s>, index: usize) {
        self.body = Body::new();
        self.scope.locals.clear();
        self.labels.clear();
        self.temporaries.clear();
        self.choices.clear();
        self.anys = (Vec::new(), 0);
        self.result = self.scope.signatures[index].result;
        let mut params = Vec::new();
        for param in &module.params {
            if let Some(variable) = self.local(param) {
                params.extend(self.scope.variables[variable].symbols.iter().copied());
            }
        }
        for var in &module.vars {
            if let Some(variable) = self.local(var) {
                let symbols = &self.scope.variables[variable].symbols;
                self.body.locals.extend(symbols.iter().copied());
            }
        }
        let result = self.result.map(|scalar| {
            let symbol = declare(self.program, "result".to_owned(), scalar, true);
            self.body.locals.push(symbol);
            symbol
        });
        for var in &module.vars {
            self.initial_value(var);
        }
        self.find_labels(&module.body);
        self.statements(&module.body);
        self.fall_off(module.end);
        self.procedure(module.name.text.to_owned(), params, result, module.name.span);
    }

    fn local(&mut self, var: &VarDecl<'s>) -> Option<usize> {
        let (source, exprs) = (self.source, self.exprs);
        let mut declare = Declare { source, exprs, program: self.program, scope: self.scope, bag: self.bag };
        let declared = declare.type_of(var).and_then(|ty| self.scope.variable(self.program, var.name, ty));
        let variable = self.bag.check(source, declared);
        let entity = variable.map_or(Entity::Broken, Entity::Variable);
        if self.scope.locals.insert(var.name.text, entity).is_some() {
            self.bag.report(source, twice(var.name, "variable"));
        }
        variable
    }

    /// The value a local is declared with.
    fn initial_value(&mut self, var: &VarDecl<'s>) {
        let (Some(value), Some(&Entity::Variable(variable))) = (var.init, self.scope.locals.get(var.name.text)) else {
            return;
        };
        let ty = &self.scope.variables[variable].ty;
        let Some(scalar) = ty.scalar() else {
            let text = format!("{} has no initial value", ty.text(&self.scope.structs));
            self.bag.report(self.source, Problem::new(var.name.span, text).help("assign its elements one by one"));
            return;
        };
        let symbol = self.scope.variables[variable].symbols[0];
        let done = self.set_scalar(symbol, scalar, value, var.name.span);
        self.bag.check(self.source, done);
    }

    /// The end of the text of a module is a `return`; where a value is wanted, it is any.
    fn fall_off(&mut self, end: Span) {
        let value = self.result.map(|scalar| {
            let symbol = self.temporary(scalar);
            self.input(symbol, InputKind::Nondet("undef".to_owned()), end);
            self.program.terms.symbol(symbol)
        });
        self.body.give_back(value, end);
    }

    fn procedure(&mut self, name: String, params: Vec<Symbol>, result: Option<Symbol>, span: Span) {
        let mut body = std::mem::replace(&mut self.body, Body::new());
        let locals = std::mem::take(&mut body.locals);
        let finished = body.finish();
        self.program.procedures.push(Procedure {
            name,
            params,
            locals,
            result,
            locations: finished.locations,
            edges: finished.edges,
            entry: finished.entry,
            exit: finished.exit,
            address: None,
            span,
        });
    }

    /// Locals that may be read before they are written start with any value.
    fn forget_initial_values(&mut self) {
        let partial = partial_terms(&self.program.terms);
        let declared = self.scope.variables.iter().flat_map(|v| v.symbols.iter().map(|s| (*s, v.span)));
        let declared: FxHashMap<Symbol, Span> = declared.collect();
        for index in 0..self.program.procedures.len() {
            let procedure = &self.program.procedures[index];
            let liveness = Liveness::new(&self.program.terms, procedure, &partial, &FxHashSet::default());
            let first = procedure.params.len();
            let live = |i: &usize| liveness.is_live(procedure.entry, first + i);
            let open: Vec<Symbol> = (0..procedure.locals.len()).filter(live).map(|i| procedure.locals[i]).collect();
            for symbol in open.into_iter().rev() {
                self.open_local(index, symbol, declared.get(&symbol).copied().unwrap_or_default());
            }
        }
    }

    /// An input before the entry.
    fn open_local(&mut self, index: usize, symbol: Symbol, span: Span) {
        let name = self.program.variables.get(&symbol).map(|info| info.name.clone()).unwrap_or_default();
        let site = self.site(InputKind::Uninitialised(name), symbol, span);
        let procedure = &mut self.program.procedures[index];
        let from = LocId::from_index(procedure.locations.len());
        procedure.locations.push(Location { label: None, span });
        procedure.edges.push(Edge { from, to: procedure.entry, op: Op::Input(symbol, site), span });
        procedure.entry = from;
    }

    fn site(&mut self, kind: InputKind, symbol: Symbol, span: Span) -> InputId {
        let ty = match self.program.terms.symbol_sort(symbol) {
            Sort::BitVec(bits) => Scalar::Int(*bits).text(),
            _ => Scalar::Bool.text(),
        };
        self.program.inputs.push(InputSite { kind, ty, signed: false, span });
        InputId::from_index(self.program.inputs.len() - 1)
    }

    /// Any value for a variable.
    pub(super) fn input(&mut self, symbol: Symbol, kind: InputKind, span: Span) {
        let site = self.site(kind, symbol, span);
        self.body.emit(Op::Input(symbol, site), span);
    }

    /// A value that is chosen, not shown as a step.
    pub(super) fn silent_input(&mut self, symbol: Symbol, kind: InputKind, span: Span) {
        let site = self.site(kind, symbol, span);
        self.body.emit(Op::Input(symbol, site), Span::default());
    }

    /// A variable for a value that lives during one statement.
    pub(super) fn temporary(&mut self, scalar: Scalar) -> Symbol {
        if let Some(free) = self.temporaries.iter_mut().find(|(s, _, used)| *s == scalar && !used) {
            free.2 = true;
            return free.1;
        }
        let name = format!("${}", self.temporaries.len());
        let symbol = declare(self.program, name, scalar, true);
        self.body.locals.push(symbol);
        self.temporaries.push((scalar, symbol, true));
        symbol
    }

    /// Translates the expressions of one statement, and makes the checks they need.
    pub(super) fn expressions<T>(
        &mut self,
        span: Span,
        translate: impl FnOnce(&mut Expressions<'_, 's>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let mut expressions = Expressions::new(&mut self.program.terms, self.scope, self.exprs);
        let (known, used) = (self.anys.0.len(), self.anys.1);
        (expressions.anys, expressions.anys_used) = (std::mem::take(&mut self.anys.0), used);
        let result = translate(&mut expressions);
        let checks = std::mem::take(&mut expressions.checks);
        self.anys = (expressions.anys, expressions.anys_used);
        self.open_anys(known, used, span);
        let result = result?;
        for check in checks {
            let fails = self.program.terms.not(check.condition);
            let (good, bad) = (self.body.fresh(), self.body.fresh());
            let here = self.body.here();
            self.body.edge(here, good, Op::Assume(check.condition), Span::default());
            self.body.edge(here, bad, Op::Assume(fails), Span::default());
            self.body.go_on_at(bad);
            self.body.end(Op::Undefined(check.fault), span);
            self.body.go_on_at(good);
        }
        Ok(result)
    }

    /// Values for the variables of `*` that a statement uses from now on; those beyond `known` are new.
    fn open_anys(&mut self, known: usize, used: usize, span: Span) {
        for &symbol in &self.anys.0[known..] {
            let name = self.program.terms.symbol_name(symbol).to_owned();
            let info = VariableInfo { name, ty: Scalar::Bool.text(), signed: false, pointer: false, hidden: true };
            self.program.variables.insert(symbol, info);
            self.body.locals.push(symbol);
        }
        for i in used..self.anys.1 {
            let symbol = self.anys.0[i];
            self.silent_input(symbol, InputKind::Nondet("*".to_owned()), span);
        }
    }

    /// One assignment to one scalar.
    fn set_scalar(&mut self, symbol: Symbol, scalar: Scalar, value: ValueExpr, span: Span) -> Result<(), Problem> {
        let term = self.handed_over(value, scalar, span)?;
        self.body.emit(Op::Assign(vec![to_scalar(symbol, term)]), span);
        Ok(())
    }
}
