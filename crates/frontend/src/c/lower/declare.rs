//! Declarations and initialisers.

use std::collections::hash_map::Entry;

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, InputKind, Op, Target};
use clinch_terms::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::hir::{Init, VariableId};
use super::super::points_to::{Cell, is_record};
use super::super::types::{Type, TypeId};
use super::Lowering;
use super::blocks::Filling;
use super::place::Lvalue;
use super::storage::{Home, Spot};
use super::values::Value;

impl Lowering<'_> {
    /// The life of a local variable begins.
    pub(super) fn declare(&mut self, variable: VariableId, init: Option<&Init>, span: Span) {
        let Some(spot) = self.storage.variables.get(&variable).cloned() else { return };
        let hir = self.hir;
        let v = &hir.variables[variable.0 as usize];
        match spot {
            Spot::Symbol(symbol) => match init.and_then(|i| i.items.last()) {
                Some(item) => {
                    let value = self.scalar(&item.value);
                    self.assign_variable(symbol, value, span);
                }
                None if init.is_some_and(|i| i.zero_fill) => {
                    let zero = self.constant(v.ty, 0);
                    self.assign_variable(symbol, zero, span);
                }
                None => self.input_into(symbol, v.ty, InputKind::Uninitialised(v.name.clone()), span),
            },
            Spot::Split(leaves) => {
                let leaves: Vec<_> = leaves.into_iter().map(|(l, s)| (l.offset, l.ty, s)).collect();
                match init {
                    Some(init) => self.init_split(&leaves, init, span),
                    None => {
                        for (_, ty, symbol) in leaves {
                            let kind = InputKind::Uninitialised(self.variables[&symbol].name.clone());
                            self.input_into(symbol, ty, kind, span);
                        }
                    }
                }
            }
            Spot::Memory(home) => {
                self.begin_life(variable, home, span);
                if let Some(init) = init {
                    let address = self.home(home);
                    let size = hir.types.size(v.ty).unwrap_or(0);
                    self.init_memory(address, self.cell_of(variable), size, init, span);
                }
            }
        }
    }

    /// An object begins to exist, with unknown contents.
    pub(super) fn begin_life(&mut self, variable: VariableId, home: Home, span: Span) {
        if self.body.whole_call.contains(&variable) {
            return;
        }
        self.create(variable, home, span);
    }

    /// Makes the object of a local variable.
    pub(super) fn create(&mut self, variable: VariableId, home: Home, span: Span) {
        match home {
            Home::Fixed(object) => self.enter(object, span),
            Home::Dynamic(symbol) => {
                let hir = self.hir;
                let v = &hir.variables[variable.0 as usize];
                let size = match &v.runtime_length {
                    Some(length) => {
                        let count = self.scalar(length);
                        let count = self.pointer_sized(count, length.ty);
                        let part = hir.types.size(hir.types.sized_part(v.ty));
                        let part = self.address(part.unwrap_or(1));
                        self.mul(count, part)
                    }
                    None => self.address(hir.types.size(v.ty).unwrap_or(0)),
                };
                self.allocate_on_stack(symbol, size, span);
                if !self.body.whole_call.contains(&variable) {
                    self.ends_with_block(symbol);
                }
            }
        }
    }

    fn pointer_sized(&mut self, value: Term, ty: TypeId) -> Term {
        let signed = self.hir.types.is_signed(ty);
        if self.mathematical() { value } else { self.terms.resize(signed, self.pointer_bits(), value) }
    }

    /// Initialises a record that is split.
    fn init_split(&mut self, leaves: &[(u64, TypeId, clinch_terms::Symbol)], init: &Init, span: Span) {
        let mut values: Vec<Option<Term>> = vec![None; leaves.len()];
        for (i, item) in init.items.iter().enumerate() {
            let later = init.items[i + 1..].iter().any(|l| l.value.has_effects());
            let mut put = |this: &mut Self, offset: u64, mut term: Term| {
                if let Some(at) = leaves.iter().position(|l| l.0 == offset) {
                    if later {
                        term = this.save(term, span);
                    }
                    values[at] = Some(term);
                }
            };
            if is_record(&self.hir.types, item.ty) {
                if let Value::Leaves(parts) = self.record(&item.value) {
                    for (offset, _, term) in parts {
                        put(self, item.offset + offset, term);
                    }
                }
            } else {
                let term = self.scalar(&item.value);
                put(self, item.offset, term);
            }
        }
        let mut assigns = Vec::new();
        for (&(_, ty, symbol), value) in leaves.iter().zip(values) {
            let value = match value {
                None if !init.zero_fill => continue,
                value => value.unwrap_or_else(|| self.constant(ty, 0)),
            };
            assigns.push(Assign { target: Target::Var(symbol), value });
        }
        if !assigns.is_empty() {
            self.body.emit(Op::Assign(assigns), span);
        }
    }

    /// Initialises an object.
    fn init_memory(&mut self, address: Term, cell: Option<Cell>, size: u64, init: &Init, span: Span) {
        let mut assigns = AtOnce::default();
        if init.zero_fill {
            assigns.extend(self.zeros(address, cell, size, span));
        }
        for item in &init.items {
            let place = Lvalue::Memory {
                address: self.plus(address, item.offset),
                cell: cell.map(|c| c.plus(item.offset as i64)),
                bits: item.bits,
            };
            let alone = item.bits.is_some() || item.value.has_effects();
            if alone || is_record(&self.hir.types, item.ty) {
                self.flush(&mut assigns, span);
            }
            if is_record(&self.hir.types, item.ty) {
                let value = self.record(&item.value);
                self.store_record(&place, item.ty, &value, span);
                continue;
            }
            let value = self.value_for(&place, &item.value);
            if alone {
                self.store(&place, item.ty, value, span);
                continue;
            }
            let Some(new) = self.assigns(&place, item.ty, value, span) else { return };
            // A later item wins, also over the zeros.
            assigns.extend(new);
        }
        self.flush(&mut assigns, span);
    }

    /// The assignments that fill an object with zeros, or edges that do.
    fn zeros(&mut self, address: Term, cell: Option<Cell>, size: u64, span: Span) -> Vec<Assign> {
        let zero = self.number(8, 0);
        if let Some(assigns) = self.fill_at_once(address, cell, size, Filling::Byte(zero), span) {
            return assigns;
        }
        let size = self.address(size);
        self.fill(address, cell, size, Filling::Byte(zero), span);
        Vec::new()
    }

    fn flush(&mut self, assigns: &mut AtOnce, span: Span) {
        let assigns = assigns.take();
        if !assigns.is_empty() {
            self.body.emit(Op::Assign(assigns), span);
        }
    }

    /// The storage units of bit-fields that nothing else in an initialiser touches, by their offset, as they are at first: zero. What a unit
    /// holds in the end is then known without reading it.
    fn units(&mut self, init: &Init) -> FxHashMap<u64, Term> {
        if init.items.iter().all(|item| item.bits.is_none()) {
            return FxHashMap::default();
        }
        let types = &self.hir.types;
        let touched = init.items.iter().map(|item| match item.bits {
            Some(bits) => (item.offset, item.offset + u64::from(bits.unit), true),
            None => (item.offset, item.offset + types.size(item.ty).unwrap_or(u64::MAX / 2), false),
        });
        let mut touched: Vec<(u64, u64, bool)> = touched.collect();
        touched.sort_unstable();
        touched.dedup();
        let mut shared = vec![false; touched.len()];
        // The one of those before that reaches farthest.
        let mut farthest = 0;
        for i in 1..touched.len() {
            if touched[i].0 < touched[farthest].1 {
                (shared[farthest], shared[i]) = (true, true);
            }
            if touched[i].1 > touched[farthest].1 {
                farthest = i;
            }
        }
        let alone = touched.iter().zip(&shared).filter(|((.., of_bits), shared)| *of_bits && !**shared);
        let alone: Vec<(u64, u64)> = alone.map(|(&(start, end, _), _)| (start, end)).collect();
        alone.into_iter().map(|(start, end)| (start, self.number(8 * (end - start) as u32, 0))).collect()
    }

    /// Initialises a static variable that lives in memory: only what is not zero, and all bytes of an address.
    pub(super) fn init_static(&mut self, address: Term, cell: Option<Cell>, init: &Init, span: Span) {
        let mut assigns = AtOnce::default();
        // What was written may be overridden with zero, which then matters.
        let mut all_zero = true;
        let mut of_addresses: FxHashSet<Target> = FxHashSet::default();
        let mut units = if self.mathematical() { FxHashMap::default() } else { self.units(init) };
        for item in &init.items {
            let (address, cell) = (self.plus(address, item.offset), cell.map(|c| c.plus(item.offset as i64)));
            let place = Lvalue::Memory { address, cell, bits: item.bits };
            if is_record(&self.hir.types, item.ty) {
                all_zero = false;
                self.flush(&mut assigns, span);
                let value = self.record(&item.value);
                self.store_record(&place, item.ty, &value, span);
                continue;
            }
            let value = self.value_for(&place, &item.value);
            if let Some(bits) = item.bits {
                if let Some(unit) = units.get_mut(&item.offset) {
                    *unit = self.with_bits(*unit, bits, value);
                    let (unit, bytes) = (*unit, bits.unit.into());
                    let Some(new) = self.write_memory(address, cell, (item.ty, bytes), unit, span) else { return };
                    assigns.extend(new);
                    continue;
                }
                all_zero = false;
                self.flush(&mut assigns, span);
                self.store(&place, item.ty, value, span);
                continue;
            }
            let Some(new) = self.assigns(&place, item.ty, value, span) else { return };
            if matches!(self.hir.types.get(item.ty), Type::Pointer(_)) && !self.is_zero(value) {
                of_addresses.extend(new.iter().map(|assign| assign.target));
            }
            assigns.extend(new);
        }
        if all_zero {
            assigns.assigns.retain(|a| !self.is_zero(a.value) || of_addresses.contains(&a.target));
        }
        self.flush(&mut assigns, span);
    }
}

/// Assignments that happen at once. A later one wins over an earlier one to the same target.
#[derive(Default)]
struct AtOnce {
    assigns: Vec<Assign>,
    at: FxHashMap<Target, usize>,
}

impl AtOnce {
    fn extend(&mut self, new: Vec<Assign>) {
        for assign in new {
            match self.at.entry(assign.target) {
                Entry::Occupied(known) => self.assigns[*known.get()] = assign,
                Entry::Vacant(free) => {
                    free.insert(self.assigns.len());
                    self.assigns.push(assign);
                }
            }
        }
    }

    fn take(&mut self) -> Vec<Assign> {
        self.at.clear();
        std::mem::take(&mut self.assigns)
    }
}
