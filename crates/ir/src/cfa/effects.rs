//! The meaning of an operation in formulas: when it may be taken, and what the variables are afterwards.
//!
//! Every array cell may be read and written here: undefined behaviour is not seen, as if memory had no bounds. What is open
//! (inputs, contents of fresh memory) is any value: each reading declares a fresh symbol for it.

use clinch_terms::{Sort, Symbol, Term, Terms};

use super::addresses::{self, Addresses};
use super::{Assign, CfaProgram, Integers, Object, ObjectId, Op, Target};
use crate::effect::Effect;

/// Reads edges symbolically. Fresh memory comes from a counter, which is one more variable of the program.
#[derive(Clone, Debug)]
pub struct Effects<'p> {
    /// The least address that was never allocated.
    pub next_address: Symbol,
    program: &'p CfaProgram,
    /// An object with more cells than this is forgotten with its whole region.
    cells: u64,
}

/// Cells of an object that are forgotten one by one: formulas that are used again and again are to be small.
const CELLS: u64 = 16;

impl<'p> Effects<'p> {
    /// For a program; the counter is declared in the store.
    pub fn new(program: &'p CfaProgram, terms: &mut Terms) -> Self {
        let sort = match program.integers {
            Integers::Machine => Sort::BitVec(program.pointer_bits),
            Integers::Mathematical => Sort::Int,
        };
        Effects { next_address: terms.declare("next#address", sort), program, cells: CELLS }
    }

    /// The same where larger objects are forgotten cell by cell.
    pub fn with_cells(self, cells: u64) -> Self {
        Effects { cells, ..self }
    }

    /// The variables that have a value at the start, with it; the others have any.
    pub fn initial_values(&self, terms: &mut Terms) -> Vec<(Symbol, Term)> {
        let mut values = self.program.initial_values(terms);
        // Behind all objects with fixed addresses.
        let first = Addresses::new(self.program).next();
        values.push((self.next_address, self.program.address(terms, first)));
        values
    }

    /// What an operation does to the variables. Calls, returns and the ends of runs do nothing here: they are control.
    pub fn of(&self, terms: &mut Terms, op: &Op) -> Effect {
        match op {
            Op::Assume(condition) => Effect { guard: *condition, updates: Vec::new(), open: Vec::new() },
            Op::Assign(assigns) => {
                let updates = updates(terms, assigns);
                Effect::of_updates(terms, updates)
            }
            Op::Input(symbol, _) | Op::BlockSize(symbol, _) => {
                let open = fresh_like(terms, *symbol);
                let value = terms.symbol(open);
                Effect { guard: terms.tt(), updates: vec![(*symbol, value)], open: vec![open] }
            }
            Op::Alloc { target, size, .. } => self.allocation(terms, *target, *size),
            Op::Enter(object) => self.forgotten(terms, *object),
            _ => Effect::of_updates(terms, Vec::new()),
        }
    }

    /// The contents of a local object that comes to life again are any. Of a large object the whole region is forgotten,
    /// with what else is in it.
    fn forgotten(&self, terms: &mut Terms, object: ObjectId) -> Effect {
        let object = &self.program.objects[object.index()];
        let mut effect = Effect::of_updates(terms, Vec::new());
        for &region in &object.regions {
            let bytes = self.program.region(region).map_or(1, |r| u64::from(r.cell_bytes.max(1)));
            let value = if object.size / bytes > self.cells {
                let open = fresh_like(terms, region);
                effect.open.push(open);
                terms.symbol(open)
            } else {
                self.forgotten_cells(terms, object, region, bytes, &mut effect)
            };
            effect.updates.push((region, value));
        }
        effect
    }

    fn forgotten_cells(
        &self,
        terms: &mut Terms,
        object: &Object,
        region: Symbol,
        bytes: u64,
        effect: &mut Effect,
    ) -> Term {
        let mut value = terms.symbol(region);
        let Sort::Array(of) = terms.symbol_sort(region).clone() else { return value };
        for offset in (0..object.size).step_by(bytes as usize) {
            let open = terms.declare(format!("{}?", object.name), of.1.clone());
            effect.open.push(open);
            let (address, contents) = (self.program.address(terms, object.address + offset), terms.symbol(open));
            value = terms.store(value, address, contents);
        }
        value
    }

    /// The target gets the counter, the counter moves behind the block. A block that does not fit is never allocated.
    fn allocation(&self, terms: &mut Terms, target: Symbol, size: Term) -> Effect {
        let next = terms.symbol(self.next_address);
        let (behind, fits) = addresses::behind(self.program, terms, next, size);
        Effect { guard: fits, updates: vec![(target, next), (self.next_address, behind)], open: Vec::new() }
    }
}

/// A fresh symbol of the sort of another one.
pub fn fresh_like(terms: &mut Terms, symbol: Symbol) -> Symbol {
    let sort = terms.symbol_sort(symbol).clone();
    let name = format!("{}?", terms.symbol_name(symbol));
    terms.declare(name, sort)
}

/// What assignments that happen at once write: a region is written as a whole.
pub fn updates(terms: &mut Terms, assigns: &[Assign]) -> Vec<(Symbol, Term)> {
    let mut updates: Vec<(Symbol, Term)> = Vec::with_capacity(assigns.len());
    for assign in assigns {
        match assign.target {
            Target::Var(symbol) => updates.push((symbol, assign.value)),
            Target::Cell(region, address) => {
                // Cells of one region that are written at once are distinct, so the order does not matter.
                let at = updates.iter().position(|(s, _)| *s == region);
                let before = at.map_or_else(|| terms.symbol(region), |i| updates[i].1);
                let after = terms.store(before, address, assign.value);
                match at {
                    Some(i) => updates[i].1 = after,
                    None => updates.push((region, after)),
                }
            }
        }
    }
    updates
}
