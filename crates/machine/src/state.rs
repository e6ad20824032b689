//! The state of a run.

use clinch_ir::cfa::{EdgeId, Op, ProcedureId};
use clinch_terms::{LocId, Node, Symbol, work};

use super::code::Place;
use super::memory::Memory;
use super::{At, Machine};

/// The nanoseconds that it takes to start, about, and those for each block of memory.
const START: u64 = 1000;
const BLOCK: u64 = 100;

/// An active call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    pub(super) procedure: u32,
    /// Where its slots start.
    pub(super) base: usize,
    /// Where it is; for a call that waits for another one, the location where that is called.
    pub(super) location: u32,
    /// For a call that waits: the edge with the call.
    pub(super) call_edge: u32,
    /// How many blocks on the stack end with it.
    pub(super) stack_blocks: u32,
}

/// A state of a run. States of one machine are the same for what comes if their [`Machine::encode`] is.
#[derive(Debug)]
pub struct MachineState {
    pub(super) frames: Vec<Frame>,
    pub(super) slots: Vec<u64>,
    /// Which slots hold values that are not modelled; used only by programs that have such values.
    pub(super) poison: Vec<bool>,
    pub(super) globals: Vec<u64>,
    pub(super) global_poison: Vec<bool>,
    pub(super) memory: Memory,
    pub(super) steps: u64,
}

/// Searches go on from one state with many inputs: its copy is made in the room of the one before.
impl Clone for MachineState {
    fn clone(&self) -> Self {
        MachineState {
            frames: self.frames.clone(),
            slots: self.slots.clone(),
            poison: self.poison.clone(),
            globals: self.globals.clone(),
            global_poison: self.global_poison.clone(),
            memory: self.memory.clone(),
            steps: self.steps,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        let MachineState { frames, slots, poison, globals, global_poison, memory, steps } = source;
        self.frames.clone_from(frames);
        self.slots.clone_from(slots);
        self.poison.clone_from(poison);
        self.globals.clone_from(globals);
        self.global_poison.clone_from(global_poison);
        self.memory.clone_from(memory);
        self.steps = *steps;
    }
}

impl MachineState {
    /// How many edges were taken since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

impl Machine<'_> {
    /// The state at the start of the program.
    pub fn initial(&self) -> MachineState {
        let program = self.program;
        let globals: Vec<u64> = program.globals.iter().map(|g| self.constant(g.init)).collect();
        let mut state = MachineState {
            frames: Vec::new(),
            slots: Vec::new(),
            poison: Vec::new(),
            global_poison: vec![false; globals.len()],
            globals,
            memory: Memory::new(program, &self.by_address),
            steps: 0,
        };
        let entry = program.procedure(program.entry).entry.0;
        state.frames.push(Frame {
            procedure: program.entry.0,
            base: 0,
            location: entry,
            call_edge: u32::MAX,
            stack_blocks: 0,
        });
        let slots = self.code.procedures[program.entry.index()].slots as usize;
        state.slots.resize(slots, 0);
        state.poison.resize(slots, false);
        work::add(START + state.memory.blocks.len() as u64 * BLOCK);
        state
    }

    fn constant(&self, term: clinch_terms::Term) -> u64 {
        match self.program.terms.node(term) {
            Node::Bool(b) => b.into(),
            Node::Int(v) => v as u64,
            Node::BitVec(_, bits) => bits,
            _ => 0,
        }
    }

    /// The calls that wait, the outermost first: the procedure and its edge with the call. Meaningful between runs.
    pub fn calls(&self, state: &MachineState) -> Vec<(ProcedureId, EdgeId)> {
        let waiting = &state.frames[..state.frames.len().saturating_sub(1)];
        waiting.iter().map(|f| (ProcedureId(f.procedure), EdgeId(f.call_edge))).collect()
    }

    /// Where the state is. Meaningful between runs.
    pub fn location(&self, state: &MachineState) -> (ProcedureId, LocId) {
        let frame = state.frames.last().expect("a state has an active call");
        (ProcedureId(frame.procedure), LocId(frame.location))
    }

    /// The value of a global variable, or of one of the innermost active call of its procedure. `None` for others, and for values that
    /// are not modelled.
    pub fn value(&self, state: &MachineState, symbol: Symbol) -> Option<u64> {
        for frame in state.frames.iter().rev() {
            let procedure = self.program.procedure(ProcedureId(frame.procedure));
            let own = procedure.params.iter().chain(&procedure.locals).position(|&s| s == symbol);
            if let Some(slot) = own {
                let index = frame.base + slot;
                return (!state.poison.get(index)?).then(|| state.slots[index]);
            }
        }
        let global = self.program.globals.iter().position(|g| g.symbol == symbol)?;
        (!state.global_poison[global]).then(|| state.globals[global])
    }

    /// The least address that was never allocated.
    pub fn next_address(&self, state: &MachineState) -> u64 {
        state.memory.addresses.next()
    }

    /// The cell of so many bytes at an address, if it is in a live object and known.
    pub fn cell(&self, state: &mut MachineState, address: u64, bytes: u8) -> Option<u64> {
        match state.memory.load(self.program, address, bytes) {
            Ok((cell, false)) => Some(cell),
            _ => None,
        }
    }

    /// An entry of a ghost region.
    pub fn ghost(&self, state: &MachineState, region: Symbol, address: u64) -> Option<u64> {
        let number = self.program.regions.iter().position(|r| r.symbol == region && r.ghost)?;
        Some(state.memory.ghosts.get(number as u32, address))
    }

    /// The input edge is taken with this value.
    pub(super) fn supply_site(&self, state: &mut MachineState, at: At, value: u64) {
        let edges = &self.program.procedure(at.procedure).edges;
        let Some(edge) = at.edge.and_then(|e| edges.get(e.index())) else { return };
        let Op::Input(symbol, _) = edge.op else { return };
        let Some(frame) = state.frames.last_mut() else { return };
        frame.location = edge.to.0;
        let base = frame.base;
        match self.place(at.procedure, symbol) {
            Some(Place::Slot(slot)) => {
                state.slots[base + slot as usize] = value;
                state.poison[base + slot as usize] = false;
            }
            Some(Place::Global(global)) => {
                state.globals[global as usize] = value;
                state.global_poison[global as usize] = false;
            }
            None => {}
        }
    }

    pub(super) fn place(&self, procedure: ProcedureId, symbol: Symbol) -> Option<Place> {
        let procedure = self.program.procedure(procedure);
        let own = procedure.params.iter().chain(&procedure.locals).position(|&s| s == symbol);
        let global = || self.program.globals.iter().position(|g| g.symbol == symbol);
        own.map(|i| Place::Slot(i as u32)).or_else(|| global().map(|i| Place::Global(i as u32)))
    }
}
