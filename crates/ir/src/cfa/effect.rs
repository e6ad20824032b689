//! The symbolic reading of an edge: when it may be taken, and what the variables are afterwards, as terms over the values
//! before.
//!
//! Every array cell may be read and written here: undefined behaviour is not seen, as if memory had no bounds. What is open
//! (inputs, contents of fresh memory) is any value: each reading declares a fresh symbol for it.

use super::{Assign, CfaProgram, Integers, Object, ObjectId, Op, Target};
use crate::machine::first_block;
use crate::sort::Sort;
use crate::term::{BinOp, Symbol, Term, Terms};

/// What an edge does.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// When it may be taken; `None` is always.
    pub guard: Option<Term>,
    /// The variables it writes, with their values afterwards.
    pub updates: Vec<(Symbol, Term)>,
    /// The symbols that stand for what is open.
    pub open: Vec<Symbol>,
}

/// Reads edges symbolically. Fresh memory comes from a counter, which is one more variable of the program.
#[derive(Clone, Debug)]
pub struct Effects<'p> {
    /// The least address that was never allocated.
    pub next_address: Symbol,
    program: &'p CfaProgram,
    pointer_bits: u32,
    integers: Integers,
}

/// Objects with more cells than this are not forgotten cell by cell.
const CELLS: u64 = 16;

/// The room between two blocks.
const GAP: u64 = 64;

impl<'p> Effects<'p> {
    /// For a program; the counter is declared in the store.
    pub fn new(program: &'p CfaProgram, terms: &mut Terms) -> Self {
        let (pointer_bits, integers) = (program.pointer_bits, program.integers);
        let sort = match integers {
            Integers::Machine => Sort::BitVec(pointer_bits),
            Integers::Mathematical => Sort::Int,
        };
        Effects { next_address: terms.declare("next#address", sort), program, pointer_bits, integers }
    }

    /// Where the counter starts: behind all objects with fixed addresses.
    pub fn first_address(&self, terms: &mut Terms) -> Term {
        self.address(terms, first_block(self.program))
    }

    /// The variables that have a value at the start, with it; the others have any.
    pub fn initial_values(&self, terms: &mut Terms) -> Vec<(Symbol, Term)> {
        let mut values: Vec<(Symbol, Term)> = self.program.globals.iter().map(|g| (g.symbol, g.init)).collect();
        values.push((self.next_address, self.first_address(terms)));
        for region in self.program.regions.iter().filter(|r| r.starts_zero) {
            if let Sort::Array(of) = terms.symbol_sort(region.symbol).clone() {
                let zero = match of.1 {
                    Sort::BitVec(width) => terms.bit_vec(width, 0),
                    Sort::Bool => terms.ff(),
                    _ => terms.int(0),
                };
                values.push((region.symbol, terms.const_array(Sort::Array(of), zero)));
            }
        }
        values
    }

    fn address(&self, terms: &mut Terms, value: u64) -> Term {
        match self.integers {
            Integers::Machine => terms.bit_vec(self.pointer_bits, value),
            Integers::Mathematical => terms.int(value as i64),
        }
    }

    /// What an operation does to the variables. Calls, returns and the ends of runs do nothing here: they are control.
    pub fn of(&self, terms: &mut Terms, op: &Op) -> Effect {
        match op {
            Op::Assume(condition) => Effect { guard: Some(*condition), ..Effect::default() },
            Op::Assign(assigns) => Effect { updates: updates(terms, assigns), ..Effect::default() },
            Op::Input(symbol, _) | Op::BlockSize(symbol, _) => {
                let open = fresh_like(terms, *symbol);
                let value = terms.symbol(open);
                Effect { updates: vec![(*symbol, value)], open: vec![open], ..Effect::default() }
            }
            Op::Alloc { target, size, .. } => self.allocation(terms, *target, *size),
            Op::Enter(object) => self.forgotten(terms, *object),
            _ => Effect::default(),
        }
    }

    /// The contents of a local object that comes to life again are any. Of a large object the whole region is forgotten,
    /// with what else is in it.
    fn forgotten(&self, terms: &mut Terms, object: ObjectId) -> Effect {
        let object = &self.program.objects[object.index()];
        let mut effect = Effect::default();
        for &region in &object.regions {
            let bytes = self.program.region(region).map_or(1, |r| u64::from(r.cell_bytes.max(1)));
            let value = if object.size / bytes > CELLS {
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
            let (address, contents) = (self.address(terms, object.address + offset), terms.symbol(open));
            value = terms.store(value, address, contents);
        }
        value
    }

    /// The target gets the counter, the counter moves behind the block. A block that does not fit is never allocated.
    fn allocation(&self, terms: &mut Terms, target: Symbol, size: Term) -> Effect {
        let next = terms.symbol(self.next_address);
        let gap = self.address(terms, GAP);
        let (behind, fits) = match self.integers {
            Integers::Mathematical => {
                let behind = terms.add(next, size);
                let zero = terms.int(0);
                (terms.add(behind, gap), terms.le(zero, size))
            }
            Integers::Machine => {
                // Blocks start at multiples of 16.
                let round = terms.bit_vec(self.pointer_bits, 15);
                let mask = terms.bit_vec(self.pointer_bits, !15);
                let rounded = terms.bv(BinOp::BvAdd, size, round);
                let rounded = terms.bv(BinOp::BvAnd, rounded, mask);
                let behind = terms.bv(BinOp::BvAdd, next, rounded);
                let behind = terms.bv(BinOp::BvAdd, behind, gap);
                let most = terms.bit_vec(self.pointer_bits, 1 << (self.pointer_bits - 2));
                let small = terms.bv_ult(size, most);
                let forward = terms.bv_ult(next, behind);
                (behind, terms.and(small, forward))
            }
        };
        Effect { guard: Some(fits), updates: vec![(target, next), (self.next_address, behind)], open: Vec::new() }
    }
}

/// A fresh symbol of the sort of another one.
pub fn fresh_like(terms: &mut Terms, symbol: Symbol) -> Symbol {
    let sort = terms.symbol_sort(symbol).clone();
    let name = format!("{}?", terms.symbol_name(symbol));
    terms.declare(name, sort)
}

fn updates(terms: &mut Terms, assigns: &[Assign]) -> Vec<(Symbol, Term)> {
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
