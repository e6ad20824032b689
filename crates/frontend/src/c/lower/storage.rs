//! Where variables are: variables of the automaton, or objects with addresses.

use std::collections::BTreeSet;

use clinch_ir::Span;
use clinch_ir::cfa::{Object, ObjectId, ObjectKind, ProcedureId, VariableInfo};
use clinch_terms::{Symbol, Term};
use rustc_hash::FxHashMap;

use super::super::hir::{FunctionId, Storage, VariableId};
use super::super::points_to::{Cell, Leaf, Residence, leaves, residence};
use super::super::types::{DataModel, Type, TypeId};
use super::{LowerError, Lowering};

/// Functions start this far before the objects.
const FUNCTIONS: u64 = 1 << 19;
/// Bytes between the addresses of functions.
const FUNCTION_STEP: u64 = 16;
/// Objects start here, or after the functions: where no number is that a program is likely to compute, so that those that
/// are addresses can be told from others.
fn objects_start(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 0x2000_0000,
        DataModel::Lp64 => 0x1_0000_0000,
    }
}

/// How far from its object an address may be and still be known as one.
const NEARBY: u64 = 1 << 20;
/// Unused bytes between objects.
const GAP: u64 = 64;
/// Alignment of objects, unless a declaration asks for more.
const ALIGN: u64 = 16;

/// Where an object in memory is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// At a fixed address.
    Fixed(ObjectId),
    /// At an address that a variable holds.
    Dynamic(Symbol),
}

/// Where a variable is.
#[derive(Clone, Debug)]
pub(super) enum Spot {
    /// A variable of the automaton.
    Symbol(Symbol),
    /// A record, as its scalars.
    Split(Vec<(Leaf, Symbol)>),
    /// An object.
    Memory(Home),
}

/// Where everything is.
#[derive(Debug, Default)]
pub(super) struct Storages {
    pub(super) variables: FxHashMap<VariableId, Spot>,
    pub(super) strings: FxHashMap<usize, ObjectId>,
    pub(super) functions: FxHashMap<FunctionId, u64>,
    /// Functions that may be active twice.
    pub(super) recursive: BTreeSet<FunctionId>,
    /// Objects that hand over records which are not split: the result of a function, a parameter.
    pub(super) results: FxHashMap<FunctionId, ObjectId>,
    pub(super) parameters: FxHashMap<VariableId, ObjectId>,
    /// Variables that hand over the scalars of a record that is returned.
    pub(super) result_leaves: FxHashMap<FunctionId, Vec<Symbol>>,
    /// The variable that says how floating-point results are rounded, in a program that may choose it.
    pub(super) rounding: Option<Symbol>,
    /// Next free address.
    next: u64,
}

/// A name that no other one in the map is given.
pub(super) fn unique(names: &mut FxHashMap<String, u32>, name: &str) -> String {
    let count = names.entry(name.to_owned()).or_insert(0);
    *count += 1;
    if *count == 1 { name.to_owned() } else { format!("{name}#{count}") }
}

impl Lowering<'_> {
    /// Gives addresses to functions and to everything that lives in memory at a fixed place.
    pub(super) fn lay_out(&mut self) -> Result<(), LowerError> {
        self.storage.recursive = self.points.recursive();
        for (i, &function) in self.points.reached().iter().enumerate() {
            self.procedure_ids.insert(function, ProcedureId::from_index(i));
        }
        let functions = objects_start(self.hir.types.model) - FUNCTIONS;
        for (i, function) in self.points.addressed_functions().into_iter().enumerate() {
            self.storage.functions.insert(function, functions + FUNCTION_STEP * i as u64);
        }
        let functions_end = functions + FUNCTION_STEP * self.storage.functions.len() as u64;
        let start = objects_start(self.hir.types.model);
        self.storage.next = start.max(functions_end + GAP).next_multiple_of(ALIGN);
        for string in self.points.used_strings() {
            let bytes = self.hir.strings[string].clone();
            let size = bytes.len() as u64;
            let id = self.object(("string literal", None), size, ObjectKind::Literal, bytes);
            let regions = self.points.string(string).map_or(Vec::new(), |cell| self.points.regions_in(cell));
            self.objects[id.index()].regions = regions.into_iter().map(|r| self.regions[r.0].symbol).collect();
            self.storage.strings.insert(string, id);
        }
        for i in 0..self.hir.variables.len() {
            self.lay_out_variable(VariableId(i as u32))?;
        }
        for function in self.points.reached().to_vec() {
            self.lay_out_handover(function);
        }
        Ok(())
    }

    /// A range that holds the addresses of all functions and objects with fixed addresses, and what is next to them.
    pub(super) fn fixed_addresses(&self) -> (u64, u64) {
        (objects_start(self.hir.types.model) - NEARBY, self.storage.next + NEARBY)
    }

    fn lay_out_variable(&mut self, id: VariableId) -> Result<(), LowerError> {
        let hir = self.hir;
        let variable = &hir.variables[id.0 as usize];
        let owner = match variable.storage {
            Storage::Static if !self.points.is_used(id) => return Ok(()),
            Storage::Static => None,
            Storage::Local(f) | Storage::Parameter(f) => match self.procedure_ids.get(&f) {
                Some(&procedure) => Some((f, procedure)),
                None => return Ok(()),
            },
        };
        if let Some((f, _)) = owner {
            self.locals_of.entry(f).or_default().push(id);
        }
        if !matches!(residence(hir, id), Residence::Memory) {
            return Ok(());
        }
        let dynamic = owner.is_some_and(|(f, _)| self.storage.recursive.contains(&f));
        if dynamic || variable.runtime_length.is_some() {
            return Ok(());
        }
        let size = self.size_of(variable.ty, &variable.name, variable.external, variable.span)?;
        self.storage.next = self.storage.next.next_multiple_of(variable.align.unwrap_or(1).max(ALIGN));
        let kind = owner.map_or(ObjectKind::Static, |(_, procedure)| ObjectKind::Local(procedure));
        let object = self.object((&variable.name, Some(variable.ty)), size, kind, Vec::new());
        let regions = self.points.regions_of(id);
        self.objects[object.index()].regions = regions.into_iter().map(|r| self.regions[r.0].symbol).collect();
        self.storage.variables.insert(id, Spot::Memory(Home::Fixed(object)));
        Ok(())
    }

    fn size_of(&self, ty: TypeId, name: &str, external: bool, span: Span) -> Result<u64, LowerError> {
        match (self.hir.types.size(ty), self.hir.types.get(ty)) {
            (Some(size), _) if size < 1 << 40 => Ok(size),
            (Some(_), _) => Err(LowerError { message: format!("`{name}` is too large"), span }),
            // No one knows how long it is: any access is outside of it.
            (None, _) if external => Ok(0),
            (None, Type::Array(..)) => Ok(0),
            (None, _) => {
                let ty = self.hir.types.name(ty);
                Err(LowerError { message: format!("`{name}` has the incomplete type `{ty}`"), span })
            }
        }
    }

    /// Objects and variables that hand over records between caller and callee.
    fn lay_out_handover(&mut self, function: FunctionId) {
        let hir = self.hir;
        let f = &hir.functions[function.0 as usize];
        for &parameter in &f.parameters {
            let variable = &hir.variables[parameter.0 as usize];
            if super::super::points_to::is_record(&hir.types, variable.ty) && leaves(&hir.types, variable.ty).is_none()
            {
                let size = hir.types.size(variable.ty).unwrap_or(0);
                let name = format!("{}: {}", f.name, variable.name);
                let object = self.object((&name, None), size, ObjectKind::Handover, Vec::new());
                self.storage.parameters.insert(parameter, object);
            }
        }
        let Some(result) = self.result_type(function) else { return };
        if !super::super::points_to::is_record(&hir.types, result) {
            return;
        }
        match leaves(&hir.types, result) {
            None => {
                let size = hir.types.size(result).unwrap_or(0);
                let name = format!("{}: result", f.name);
                let object = self.object((&name, None), size, ObjectKind::Handover, Vec::new());
                self.storage.results.insert(function, object);
            }
            Some(leaves) => {
                let symbols = leaves.iter().map(|leaf| {
                    let name = format!("{}: result{}", f.name, leaf.path);
                    self.global(&name, leaf.ty, true)
                });
                let symbols = symbols.collect();
                self.storage.result_leaves.insert(function, symbols);
            }
        }
    }

    /// The type of a function's result, unless it is `void`.
    pub(super) fn result_type(&self, function: FunctionId) -> Option<TypeId> {
        match *self.hir.types.get(self.hir.functions[function.0 as usize].ty) {
            Type::Function { result, .. } if *self.hir.types.get(result) != Type::Void => Some(result),
            _ => None,
        }
    }

    fn object(&mut self, (name, ty): (&str, Option<TypeId>), size: u64, kind: ObjectKind, bytes: Vec<u8>) -> ObjectId {
        let ty = ty.map_or(String::new(), |ty| self.hir.types.name(ty));
        let address = self.storage.next;
        self.storage.next = (address + size + GAP).next_multiple_of(ALIGN);
        self.objects.push(Object { name: name.to_owned(), address, size, ty, kind, bytes, regions: Vec::new() });
        ObjectId::from_index(self.objects.len() - 1)
    }

    /// Declares the variables of the automaton that are global.
    pub(super) fn declare_globals(&mut self) {
        let hir = self.hir;
        for (i, variable) in hir.variables.iter().enumerate() {
            let id = VariableId(i as u32);
            if variable.storage != Storage::Static || !self.points.is_used(id) {
                continue;
            }
            match residence(hir, id) {
                Residence::Symbol => {
                    let symbol = self.global(&variable.name, variable.ty, false);
                    self.storage.variables.insert(id, Spot::Symbol(symbol));
                }
                Residence::Split(leaves) => {
                    let split = leaves.into_iter().map(|leaf| {
                        let symbol = self.global(&format!("{}{}", variable.name, leaf.path), leaf.ty, false);
                        (leaf, symbol)
                    });
                    let split = split.collect();
                    self.storage.variables.insert(id, Spot::Split(split));
                }
                Residence::Memory => {}
            }
        }
    }

    fn global(&mut self, name: &str, ty: TypeId, hidden: bool) -> Symbol {
        let symbol = self.variable(name, ty, hidden);
        let init = self.constant(ty, 0);
        self.globals.push(clinch_ir::cfa::Global { symbol, init });
        symbol
    }

    /// Declares a variable.
    pub(super) fn variable(&mut self, name: &str, ty: TypeId, hidden: bool) -> Symbol {
        let symbol = self.terms.declare(name, self.sort(ty));
        let (signed, pointer) = (self.hir.types.is_signed(ty), self.hir.types.is_pointer(ty));
        let info = VariableInfo { name: name.to_owned(), ty: self.hir.types.name(ty), signed, pointer, hidden };
        self.variables.insert(symbol, info);
        symbol
    }

    /// Declares a local variable of the procedure at work.
    pub(super) fn local(&mut self, name: &str, ty: TypeId, hidden: bool) -> Symbol {
        let name = unique(&mut self.body.names, name);
        self.variable(&name, ty, hidden)
    }

    /// The address of an object.
    pub(super) fn home(&mut self, home: Home) -> Term {
        match home {
            Home::Fixed(object) => self.object_address(object),
            Home::Dynamic(symbol) => self.terms.symbol(symbol),
        }
    }

    pub(super) fn object_address(&mut self, object: ObjectId) -> Term {
        let address = self.objects[object.index()].address;
        self.address(address)
    }

    /// Where a variable's object is in the pointer analysis.
    pub(super) fn cell_of(&self, variable: VariableId) -> Option<Cell> {
        self.points.variable(variable)
    }
}
