//! Functions as procedures.

use clinch_ir::Span;
use clinch_ir::cfa::Procedure;
use clinch_terms::{LocId, Symbol};

use super::super::hir::{FunctionId, VariableId};
use super::super::points_to::{Residence, is_record, leaves, residence};
use super::super::types::TypeId;
use super::Lowering;
use super::body::{Body, Scope};
use super::place::Lvalue;
use super::storage::{Home, Spot};
use super::values::Value;

/// A parameter that lives in memory, with the variables that bring its value.
struct Incoming {
    variable: VariableId,
    scalars: Vec<(u64, TypeId, Symbol)>,
}

impl Lowering<'_> {
    /// The procedure of a function.
    pub(super) fn function(&mut self, function: FunctionId) -> Procedure {
        let hir = self.hir;
        let f = &hir.functions[function.0 as usize];
        self.body = Body::new(Some(function));
        let entry = self.body.here();
        let incoming = self.parameters(function);
        self.local_variables(function);
        if let Some(ty) = self.result_type(function)
            && !is_record(&hir.types, ty)
        {
            let result = self.local("return", ty, true);
            self.body.result = Some(result);
            self.body.locals.push(result);
        }
        let statements = f.body.as_deref().unwrap_or_default();
        self.scan(statements);
        self.body.scopes.push(Scope::default());
        self.receive(&incoming, f.span);
        self.create_whole_call(function, f.span);
        self.open_scope(statements);
        self.body.mark(f.span);
        self.statements(statements);
        self.close_scope(f.span);
        let value = self.body.result.is_some().then(|| self.missing_result(f.span));
        self.finish(value, f.span);
        self.finished(entry, f.name.clone(), self.storage.functions.get(&function).copied(), f.span)
    }

    /// Declares the parameters. Those in memory are brought by hidden variables.
    fn parameters(&mut self, function: FunctionId) -> Vec<Incoming> {
        let hir = self.hir;
        let mut incoming = Vec::new();
        for &parameter in &hir.functions[function.0 as usize].parameters {
            let v = &hir.variables[parameter.0 as usize];
            match residence(hir, parameter) {
                Residence::Symbol => {
                    let symbol = self.local(&v.name, v.ty, false);
                    self.body.params.push(symbol);
                    self.storage.variables.insert(parameter, Spot::Symbol(symbol));
                }
                Residence::Split(leaves) => {
                    let split = leaves.into_iter().map(|leaf| {
                        let symbol = self.local(&format!("{}{}", v.name, leaf.path), leaf.ty, false);
                        self.body.params.push(symbol);
                        (leaf, symbol)
                    });
                    let split = split.collect();
                    self.storage.variables.insert(parameter, Spot::Split(split));
                }
                Residence::Memory => {
                    let whole = vec![(0, v.ty, String::new())];
                    let parts = match leaves(&hir.types, v.ty) {
                        _ if !is_record(&hir.types, v.ty) => whole,
                        Some(leaves) => leaves.into_iter().map(|l| (l.offset, l.ty, l.path)).collect(),
                        None => Vec::new(),
                    };
                    let scalars = parts.into_iter().map(|(offset, ty, path)| {
                        let symbol = self.local(&format!("{}{path}", v.name), ty, true);
                        self.body.params.push(symbol);
                        (offset, ty, symbol)
                    });
                    let scalars = scalars.collect();
                    incoming.push(Incoming { variable: parameter, scalars });
                }
            }
        }
        incoming
    }

    /// Declares the other variables.
    fn local_variables(&mut self, function: FunctionId) {
        let hir = self.hir;
        for id in self.locals_of.get(&function).cloned().unwrap_or_default() {
            if self.storage.variables.contains_key(&id) {
                continue;
            }
            let v = &hir.variables[id.0 as usize];
            match residence(hir, id) {
                Residence::Symbol => {
                    let symbol = self.local(&v.name, v.ty, false);
                    self.body.locals.push(symbol);
                    self.storage.variables.insert(id, Spot::Symbol(symbol));
                }
                Residence::Split(leaves) => {
                    let split = leaves.into_iter().map(|leaf| {
                        let symbol = self.local(&format!("{}{}", v.name, leaf.path), leaf.ty, false);
                        self.body.locals.push(symbol);
                        (leaf, symbol)
                    });
                    let split = split.collect();
                    self.storage.variables.insert(id, Spot::Split(split));
                }
                Residence::Memory => {
                    let symbol = self.address_variable(&v.name);
                    self.storage.variables.insert(id, Spot::Memory(Home::Dynamic(symbol)));
                }
            }
        }
    }

    /// A variable that holds the address of a local object.
    fn address_variable(&mut self, name: &str) -> Symbol {
        let name = super::storage::unique(&mut self.body.names, &format!("&{name}"));
        let symbol = self.terms.declare(name.clone(), self.sort_of_bits(self.pointer_bits()));
        let info = clinch_ir::cfa::VariableInfo { name, ty: String::new(), signed: false, pointer: true, hidden: true };
        self.variables.insert(symbol, info);
        self.body.locals.push(symbol);
        symbol
    }

    /// Stores the parameters that live in memory.
    fn receive(&mut self, incoming: &[Incoming], span: Span) {
        for parameter in incoming {
            let Some(Spot::Memory(home)) = self.storage.variables.get(&parameter.variable).cloned() else { continue };
            self.create(parameter.variable, home, span);
            let (address, cell) = (self.home(home), self.cell_of(parameter.variable));
            let ty = self.hir.variables[parameter.variable.0 as usize].ty;
            let target = Lvalue::Memory { address, cell, bits: None };
            if let Some(&object) = self.storage.parameters.get(&parameter.variable) {
                let from = Value::Block { address: self.object_address(object), cell };
                self.store_record(&target, ty, &from, span);
                continue;
            }
            if cell.is_none_or(|c| self.points.region(c).is_none()) && parameter.scalars.len() == 1 {
                continue;
            }
            let values = parameter.scalars.iter().map(|&(o, t, s)| (o, t, self.terms.symbol(s))).collect();
            self.store_record(&target, ty, &Value::Leaves(values), span);
        }
    }

    /// Makes the objects that live during the whole call.
    fn create_whole_call(&mut self, function: FunctionId, span: Span) {
        for id in self.locals_of.get(&function).cloned().unwrap_or_default() {
            let fixed_size = self.hir.variables[id.0 as usize].runtime_length.is_none();
            if !self.body.whole_call.contains(&id) {
                continue;
            }
            if !fixed_size {
                self.body.whole_call.remove(&id);
            } else if let Some(Spot::Memory(home)) = self.storage.variables.get(&id).cloned() {
                self.create(id, home, span);
            }
        }
    }

    /// The procedure at work, tidied.
    pub(super) fn finished(&mut self, entry: LocId, name: String, address: Option<u64>, span: Span) -> Procedure {
        let body = std::mem::take(&mut self.body);
        let tidy = super::tidy::tidy(&mut self.terms, body, entry);
        for symbol in &tidy.dropped {
            self.variables.remove(symbol);
        }
        Procedure {
            name,
            params: tidy.params,
            locals: tidy.locals,
            result: tidy.result,
            locations: tidy.locations,
            edges: tidy.edges,
            entry: tidy.entry,
            exit: tidy.exit,
            address,
            span,
        }
    }
}
