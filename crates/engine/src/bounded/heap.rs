//! The beginning of lifetimes: local objects that are entered, and blocks that are allocated.

use clinch_ir::cfa::{AllocKind, EdgeId, Integers, Object, ObjectId};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms};

use super::state::{Key, Place, State};
use super::walk::{Allocated, Opened, Walk};

/// An object with more cells than this is forgotten with its whole region.
const CELLS: u64 = 4096;

impl Walk<'_, '_> {
    /// At the beginning of its lifetime a local object has any contents.
    pub(super) fn enter(&mut self, place: &Place, state: &mut State, object: ObjectId) {
        let program = self.layout.program;
        let object = &program.objects[object.index()];
        let mut number = 0;
        for &region in &object.regions {
            let Some(slot) = self.layout.slot(region) else { continue };
            let bytes = program.region(region).map_or(1, |r| u64::from(r.cell_bytes.max(1)));
            let before = state.values[slot];
            let outside = writes_outside(&self.memory.terms, before, object);
            if outside.is_some() || object.size / bytes > CELLS {
                let any = self.memory.fresh(&place.key, number, region);
                let any = self.memory.terms.symbol(any);
                state.values[slot] = any;
                let cells = object.address..object.address.saturating_add(object.size);
                self.round.opened.push(Opened { cells, contents: any, path: state.path });
                for (address, value) in outside.unwrap_or_default().into_iter().rev() {
                    self.write(state, region, address, value);
                }
                number += 1;
                continue;
            }
            for offset in (0..object.size).step_by(bytes as usize) {
                let value = self.open_cell(&place.key, number, region);
                let first = object.address + offset;
                self.round.opened.push(Opened { cells: first..first + 1, contents: value, path: state.path });
                let address = program.address(&mut self.memory.terms, object.address + offset);
                self.write(state, region, address, value);
                number += 1;
            }
        }
    }

    fn open_cell(&mut self, key: &Key, number: u32, region: Symbol) -> Term {
        let Sort::Array(of) = self.memory.terms.symbol_sort(region).clone() else { unreachable!("regions are arrays") };
        let symbol = self.memory.fresh_of(key, number, "cell?", of.1.clone());
        self.memory.terms.symbol(symbol)
    }

    /// A fresh block; false if there is none.
    pub(super) fn allocate(
        &mut self,
        place: &Place,
        edge: EdgeId,
        state: &mut State,
        (target, size, kind): (Symbol, Term, AllocKind),
    ) -> bool {
        let program = self.layout.program;
        let size = self.evaluate(state, size);
        let constant = match self.memory.terms.node(size) {
            Node::BitVec(_, bits) => Some(bits),
            Node::Int(value) => u64::try_from(value).ok(),
            _ => None,
        };
        let block = match constant {
            Some(size) => self.memory.blocks.of(&place.key, size).map(|at| (at, size)),
            None => self.memory.blocks.of_unknown(&place.key, kind),
        };
        let Some((at, room)) = block else {
            self.round.open.push((state.path, place.procedure, edge));
            return false;
        };
        if constant.is_none() {
            // A larger block has no place.
            let most = program.address(&mut self.memory.terms, room);
            let op = if program.integers == Integers::Machine { BinOp::BvUle } else { BinOp::Le };
            let super::walk::Memory { terms, folder, paths, .. } = &mut *self.memory;
            let fits = folder.binary(terms, op, size, most);
            let large = folder.not(terms, fits);
            if let Some(path) = paths.decide(terms, state.path, large) {
                self.round.open.push((path, place.procedure, edge));
            }
            let super::walk::Memory { terms, paths, .. } = &mut *self.memory;
            match paths.decide(terms, state.path, fits) {
                Some(path) => state.path = path,
                None => return false,
            }
        }
        self.round.blocks.push(Allocated { address: at, size, path: state.path });
        let at = program.address(&mut self.memory.terms, at);
        self.set(state, target, at);
        true
    }
}

/// If an array is any contents with writes at constants: those outside of the object, the last one first.
fn writes_outside(terms: &Terms, array: Term, object: &Object) -> Option<Vec<(Term, Term)>> {
    let mut outside: Vec<(Term, Term)> = Vec::new();
    let mut at = array;
    loop {
        match terms.node(at) {
            Node::Symbol(_) => return Some(outside),
            Node::Store(below, place, value) => {
                let address = match terms.node(place) {
                    Node::BitVec(_, bits) => bits,
                    Node::Int(value) => value as u64,
                    _ => return None,
                };
                let inside = (object.address..object.address + object.size).contains(&address);
                if !inside && !outside.iter().any(|(p, _)| *p == place) {
                    outside.push((place, value));
                }
                if outside.len() > 256 {
                    return None;
                }
                at = below;
            }
            _ => return None,
        }
    }
}
