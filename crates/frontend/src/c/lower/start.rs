//! The procedure where a run starts.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, InputKind, Op, Procedure, Target};
use clinch_terms::{Symbol, Term};

use super::super::hir::{BinaryOp, FunctionId, InitItem, Storage, VariableId};
use super::super::models::{RUN_AT_EXIT, arguments};
use super::super::points_to::{is_record, leaves};
use super::super::types::{Type, TypeId};
use super::Lowering;
use super::blocks::Filling;
use super::body::{Body, EXIT, Scope};
use super::call::POINTERS_FROM_OUTSIDE;
use super::storage::Spot;
use super::values::Value;

impl Lowering<'_> {
    /// Initialises memory, calls the entry function, and exits.
    pub(super) fn start(&mut self) -> Procedure {
        self.body = Body::new(None);
        self.body.scopes.push(Scope::default());
        let entry = self.body.here();
        self.write_literals();
        for i in 0..self.hir.variables.len() {
            let id = VariableId(i as u32);
            if self.hir.variables[i].storage == Storage::Static {
                self.initialise(id);
            }
        }
        for function in self.hir.constructors_and_destructors().0 {
            self.call_without_arguments(function);
        }
        self.call_entry();
        let span = self.hir.functions[self.entry.0 as usize].span;
        self.finished(entry, "__start".to_owned(), None, span)
    }

    fn initialise(&mut self, id: VariableId) {
        let hir = self.hir;
        let v = &hir.variables[id.0 as usize];
        let Some(spot) = self.storage.variables.get(&id).cloned() else { return };
        if v.external || self.options.globals_are_inputs {
            self.any_contents(id, &spot);
            return;
        }
        let Some(init) = &v.init else { return };
        match spot {
            Spot::Memory(home) => {
                let address = self.home(home);
                self.init_static(address, self.cell_of(id), init, v.span);
            }
            Spot::Symbol(symbol) => {
                if let Some(item) = init.items.last() {
                    let value = self.scalar(&item.value);
                    self.set_global(symbol, value, v.span);
                }
            }
            Spot::Split(split) => {
                for item in &init.items {
                    for (offset, value) in self.initial_leaves(item) {
                        if let Some((_, symbol)) = split.iter().find(|(l, _)| l.offset == offset) {
                            self.set_global(*symbol, value, v.span);
                        }
                    }
                }
            }
        }
    }

    /// The scalars of an item of an initialiser, with their offsets.
    fn initial_leaves(&mut self, item: &InitItem) -> Vec<(u64, Term)> {
        if !is_record(&self.hir.types, item.ty) {
            return vec![(item.offset, self.scalar(&item.value))];
        }
        match self.record(&item.value) {
            Value::Leaves(leaves) => leaves.into_iter().map(|(at, _, value)| (item.offset + at, value)).collect(),
            _ => {
                let what = "this initialiser of a record that lives for the whole run".to_owned();
                self.body.stop(Op::Unsupported(what), item.value.span);
                Vec::new()
            }
        }
    }

    /// The first value of a global.
    fn set_global(&mut self, symbol: Symbol, value: Term, span: Span) {
        if self.is_constant(value)
            && let Some(global) = self.globals.iter_mut().find(|g| g.symbol == symbol)
        {
            global.init = value;
        } else {
            let assign = Assign { target: Target::Var(symbol), value };
            self.body.emit(Op::Assign(vec![assign]), span);
        }
    }

    /// A variable whose first value comes from outside.
    fn any_contents(&mut self, id: VariableId, spot: &Spot) {
        let hir = self.hir;
        let v = &hir.variables[id.0 as usize];
        match spot {
            Spot::Symbol(symbol) => {
                self.input_into(*symbol, v.ty, self.first_value(v, v.name.clone()), v.span);
            }
            Spot::Split(split) => {
                for (leaf, symbol) in split {
                    let kind = self.first_value(v, format!("{}{}", v.name, leaf.path));
                    self.input_into(*symbol, leaf.ty, kind, v.span);
                }
            }
            Spot::Memory(home) => {
                let address = self.home(*home);
                self.any_memory(id, address, v.ty);
            }
        }
    }

    fn any_memory(&mut self, id: VariableId, address: Term, ty: TypeId) {
        let v = &self.hir.variables[id.0 as usize];
        match self.hir.types.size(ty) {
            Some(size) => {
                let (size, cell) = (self.address(size), self.cell_of(id));
                self.fill(address, cell, size, Filling::Any(id), v.span);
            }
            None => self.assume(format!("nothing is known of `{}`, which is defined elsewhere", v.name)),
        }
    }

    /// The first argument of `main` is its name: systems start no program without one any more.
    fn assume_count(&mut self, count: Term, span: Span) {
        let one = self.number(32, 1);
        let counts = self.compare(BinaryOp::Le, true, one, count);
        self.body.emit(Op::Assume(counts), span);
    }

    /// The arguments of `main`, as many as it is told.
    fn make_arguments(&mut self, model: FunctionId, count: Term, span: Span) -> Term {
        let result = self.temporary(self.sort_of_bits(self.pointer_bits()), false);
        let callee = self.procedure_ids[&model];
        self.body.emit(Op::Call { callee, args: vec![count], result: Some(result) }, span);
        self.terms.symbol(result)
    }

    /// The program ends as by a call of `exit`: what is registered for that runs first.
    pub(super) fn exit(&mut self, status: Term, span: Span) {
        let destructors = self.hir.constructors_and_destructors().1;
        let status = if destructors.is_empty() { status } else { self.save(status, span) };
        // What a destructor registers runs after all of them.
        let registered = destructors.iter().copied().filter(|_| destructors.len() > 1);
        let late = registered.filter(|f| self.hir.functions[f.0 as usize].name == RUN_AT_EXIT);
        for function in destructors.iter().copied().chain(late) {
            self.call_without_arguments(function);
        }
        self.body.stop(Op::Exit(status), span);
    }

    /// Calls a constructor or destructor.
    fn call_without_arguments(&mut self, function: FunctionId) {
        let f = &self.hir.functions[function.0 as usize];
        let result = self.result_type(function);
        let plain = f.parameters.is_empty() && result.is_none_or(|ty| !is_record(&self.hir.types, ty));
        let Some(&callee) = self.procedure_ids.get(&function).filter(|_| plain && f.unsupported.is_none()) else {
            let what = format!("the constructor or destructor `{}`", f.name);
            return self.body.stop(Op::Unsupported(what), f.span);
        };
        let result = result.map(|ty| self.temporary_of(ty));
        self.body.emit(Op::Call { callee, args: Vec::new(), result }, f.span);
    }

    fn has_pointers(&self, ty: TypeId) -> bool {
        match self.hir.types.get(ty) {
            Type::Pointer(_) => true,
            Type::Array(element, _) => self.has_pointers(*element),
            Type::Record(record) => self.hir.types.record(*record).fields.iter().any(|f| self.has_pointers(f.ty)),
            _ => false,
        }
    }

    /// Calls the entry function with any arguments.
    fn call_entry(&mut self) {
        let hir = self.hir;
        let entry = self.entry;
        let f = &hir.functions[entry.0 as usize];
        let mut args = Vec::new();
        let made = arguments(hir, entry).filter(|(_, model)| self.procedure_ids.contains_key(model));
        for &parameter in &f.parameters {
            if let Some((_, model)) = made.filter(|(texts, _)| *texts == parameter) {
                args.push(self.make_arguments(model, args[0], f.span));
                continue;
            }
            let v = &hir.variables[parameter.0 as usize];
            let scalars = match leaves(&hir.types, v.ty) {
                _ if !is_record(&hir.types, v.ty) => vec![(v.ty, String::new())],
                Some(leaves) => leaves.into_iter().map(|l| (l.ty, l.path)).collect(),
                None => {
                    self.body.stop(Op::Unsupported("a union as a parameter of the entry function".to_owned()), v.span);
                    Vec::new()
                }
            };
            for (ty, path) in scalars {
                let kind = InputKind::Parameter(format!("{}{path}", v.name));
                args.push(self.input(ty, kind, v.span));
            }
        }
        if arguments(hir, entry).is_some() {
            self.assume_count(args[0], f.span);
        }
        if !f.parameters.is_empty() && made.is_none() {
            self.assume(format!("the parameters of `{}` hold any values", f.name));
            let types = f.parameters.iter().map(|p| hir.variables[p.0 as usize].ty);
            if types.into_iter().any(|ty| self.has_pointers(ty)) {
                self.assume(POINTERS_FROM_OUTSIDE.to_owned());
            }
        }
        let result = self.result_type(entry).filter(|&t| !is_record(&hir.types, t));
        let symbol = result.map(|t| self.temporary_of(t));
        let callee = self.procedure_ids[&entry];
        self.body.emit(Op::Call { callee, args, result: symbol }, f.span);
        let status = match (symbol, result) {
            (Some(symbol), Some(ty)) if matches!(hir.types.get(ty), Type::Int { .. } | Type::Bool) => {
                self.terms.symbol(symbol)
            }
            _ => self.number(32, 0),
        };
        self.exit(status, f.span);
        // Nothing returns from here.
        let here = self.body.here();
        self.body.edge(here, EXIT, Op::Return(None), f.span);
    }
}
