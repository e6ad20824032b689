//! Which states runs were in at the heads of loops.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use clinch_ir::cfa::{CfaProgram, Liveness, partial_terms};
use clinch_terms::{LocId, Node, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::query::Queries;
use super::state::{Frame, State};

/// Prints of states. Two states with one print are taken for the same: that loses runs, at worst.
pub(super) struct Seen {
    prints: FxHashSet<u64>,
    /// How many states there were with the same numbers in variables.
    profiles: FxHashMap<u64, u32>,
    liveness: Vec<Liveness>,
}

impl Seen {
    pub(super) fn new(program: &CfaProgram) -> Self {
        let (partial, dead) = (partial_terms(&program.terms), Default::default());
        let of = |procedure| Liveness::new(&program.terms, procedure, &partial, &dead);
        Seen {
            prints: FxHashSet::default(),
            profiles: FxHashMap::default(),
            liveness: program.procedures.iter().map(of).collect(),
        }
    }

    /// Whether no state was like this one: with the same terms where it may read them, and the same conditions on what they are about.
    pub(super) fn is_new(&mut self, queries: &mut Queries, terms: &Terms, program: &CfaProgram, state: &State) -> bool {
        let mut print = FxHasher::default();
        let mut values: Vec<Term> = Vec::new();
        for frame in &state.frames {
            let at = frame.continues_at(program);
            (frame.procedure, at, &frame.blocks).hash(&mut print);
            values.extend(self.live(frame, at));
        }
        values.extend(state.globals.iter());
        for (address, block) in state.memory.blocks.iter().filter(|(_, block)| block.alive) {
            (address, block.size, block.kind, block.cells.len()).hash(&mut print);
            for (offset, &(value, bytes)) in &block.cells {
                (offset, bytes).hash(&mut print);
                values.push(value);
            }
        }
        for (place, &value) in state.memory.ghosts.iter() {
            place.hash(&mut print);
            values.push(value);
        }
        values.hash(&mut print);
        let mut symbols: FxHashSet<Symbol> = FxHashSet::default();
        for value in values {
            symbols.extend(queries.symbols(terms, value).iter());
        }
        queries.related(terms, state, symbols).hash(&mut print);
        self.prints.insert(print.finish())
    }

    /// How often runs were where a state goes next, with the same numbers in global variables and those of the innermost call: these are what
    /// programs keep their state in.
    pub(super) fn alike(&mut self, terms: &Terms, state: &State, next: LocId) -> u32 {
        let mut print = FxHasher::default();
        for frame in &state.frames {
            (frame.procedure, frame.call_edge).hash(&mut print);
        }
        next.hash(&mut print);
        let is_number = |value: &Term| matches!(terms.node(*value), Node::BitVec(..) | Node::Bool(_));
        let own = self.live(state.frames.last().expect("a run has an active call"), next);
        own.chain(state.globals.iter().copied()).filter(is_number).for_each(|value| value.hash(&mut print));
        let alike = self.profiles.entry(print.finish()).or_default();
        *alike += 1;
        *alike
    }

    /// The variables of a call that it may read later.
    fn live(&self, frame: &Rc<Frame>, at: LocId) -> impl Iterator<Item = Term> {
        let liveness = &self.liveness[frame.procedure.index()];
        frame.values.iter().enumerate().filter(move |(slot, _)| liveness.is_live(at, *slot)).map(|(_, &value)| value)
    }
}
