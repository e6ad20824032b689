//! States as bytes, for searches that store many. What cannot be read any more is left out: dead variables, dead blocks.

use clinch_ir::cfa::{Liveness, OUTSIDE_SIZE, Op, ProcedureId, partial_terms};
use clinch_terms::{LocId, work};

use super::Machine;
use super::memory::{Block, BlockKind, tag};
use super::state::{Frame, MachineState};

/// In a call that waits, and in its caller: nothing.
const NONE: u32 = u32::MAX;
/// The nanoseconds that a state takes, about, with what is done to look it up and to go on from it; a byte written; and one of memory, most
/// of which is often zero.
const STATE: u64 = 250;
const BYTE: u64 = 3;
const MEMORY: u64 = 1;

/// A place of a state that holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cell {
    /// A variable of a call: how many calls wait below it, its procedure, the number of the variable.
    Slot(u32, ProcedureId, u32),
    /// A global variable.
    Global(u32),
    /// Eight bytes of memory, or those up to the end of an object.
    Memory(u64),
}

/// A state in parts.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Where control is, which objects there are and what of them is known: states are compared by the rest only where this is the same.
    pub shape: Vec<u64>,
    /// The values that may be read later.
    pub cells: Vec<(Cell, i64)>,
}

impl Machine<'_> {
    /// A state that is between two runs, in parts. States with the same parts behave alike.
    pub fn parts(&self, state: &MachineState) -> Parts {
        let mut parts = Parts::default();
        for (depth, frame) in state.frames.iter().enumerate() {
            let numbers = [frame.procedure, frame.location, frame.call_edge, frame.stack_blocks];
            parts.shape.extend(numbers.map(u64::from));
            for slot in self.live_slots(frame, depth + 1 == state.frames.len()) {
                let index = frame.base + slot;
                let cell = Cell::Slot(depth as u32, ProcedureId(frame.procedure), slot as u32);
                parts.shape.push(state.poison[index].into());
                parts.cells.push((cell, state.slots[index] as i64));
            }
        }
        for (i, (&value, &poison)) in state.globals.iter().zip(&state.global_poison).enumerate() {
            parts.shape.push(poison.into());
            parts.cells.push((Cell::Global(i as u32), value as i64));
        }
        parts.shape.push(state.memory.addresses.next());
        for block in state.memory.blocks.iter().filter(|b| b.alive && !matches!(b.kind, BlockKind::Literal(_))) {
            parts.shape.extend([block.address, block.size, kind_number(block.kind).into()]);
            parts.shape.extend(block.tags.iter().map(|&tag| u64::from(tag)));
            for (i, bytes) in block.bytes.chunks(8).enumerate() {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                parts.cells.push((Cell::Memory(block.address + 8 * i as u64), i64::from_le_bytes(word)));
            }
        }
        parts.shape.extend(state.memory.ghosts.iter().flatten());
        parts
    }

    /// Appends the bytes of a state that is between two runs. States with the same bytes behave alike. The count of steps
    /// is not part of it.
    pub fn encode(&self, state: &MachineState, out: &mut Vec<u8>) {
        let before = out.len();
        self.put_state(state, out);
        let memory: usize = state.memory.blocks.iter().map(|block| block.bytes.len()).sum();
        work::add(STATE + (out.len() - before) as u64 * BYTE + memory as u64 * MEMORY);
    }

    fn put_state(&self, state: &MachineState, out: &mut Vec<u8>) {
        put(out, state.frames.len() as u64);
        for (i, frame) in state.frames.iter().enumerate() {
            put(out, frame.procedure.into());
            put(out, frame.location.into());
            put(out, frame.call_edge.wrapping_add(1).into());
            put(out, frame.stack_blocks.into());
            let top = i + 1 == state.frames.len();
            for slot in self.live_slots(frame, top) {
                let index = frame.base + slot;
                self.put_value(out, state.slots[index], state.poison[index]);
            }
        }
        for (&value, &poison) in state.globals.iter().zip(&state.global_poison) {
            self.put_value(out, value, poison);
        }
        let memory = &state.memory;
        for block in &memory.blocks[..memory.fixed] {
            match block.kind {
                BlockKind::Literal(_) => {}
                _ if !block.alive => out.push(0),
                _ => {
                    out.push(1);
                    put_contents(out, block);
                }
            }
        }
        put(out, memory.addresses.next());
        let dynamic = memory.blocks[memory.fixed..].iter().filter(|b| b.alive);
        put(out, dynamic.clone().count() as u64);
        for block in dynamic {
            put(out, block.address);
            put(out, block.size);
            out.push(kind_number(block.kind));
            put_contents(out, block);
        }
        if self.has_ghosts {
            put(out, memory.ghosts.iter().len() as u64);
            memory.ghosts.iter().flatten().for_each(|number| put(out, number));
        }
    }

    /// The state of these bytes. `None` if they are not those of a state of this machine. The steps count from 0.
    pub fn decode(&self, bytes: &[u8]) -> Option<MachineState> {
        let mut reader = Reader(bytes);
        let mut state = self.initial();
        state.frames.clear();
        let (frames, mut base) = (reader.number()?, 0);
        for i in 0..frames {
            let frame = self.decode_frame(&mut reader, &mut state, base, i + 1 == frames)?;
            base += self.code.procedures[frame.procedure as usize].variables as usize;
            state.frames.push(frame);
        }
        for i in 0..state.globals.len() {
            (state.globals[i], state.global_poison[i]) = self.value_of(&mut reader)?;
        }
        let stride = state.memory.stride;
        for i in 0..state.memory.fixed {
            if matches!(state.memory.blocks[i].kind, BlockKind::Literal(_)) {
                continue;
            }
            state.memory.leave(i);
            if reader.byte()? == 1 {
                state.memory.revive(i);
                reader.contents(&mut state.memory.blocks[i], stride)?;
            }
        }
        let next = reader.number()?;
        for _ in 0..reader.number()? {
            let (address, size) = (reader.number()?, reader.number()?);
            let kind = match reader.byte()? {
                HEAP => BlockKind::Heap,
                STACK => BlockKind::Stack,
                OUTSIDE if self.program.outside_object_at(address) == Some(address) => BlockKind::Outside,
                _ => return None,
            };
            let mut block = Block { address, size, kind, alive: true, bytes: Vec::new(), tags: Vec::new() };
            reader.contents(&mut block, stride)?;
            state.memory.restore(block);
        }
        if self.has_ghosts {
            for _ in 0..reader.number()? {
                let (region, address) = (u32::try_from(reader.number()?).ok()?, reader.number()?);
                state.memory.ghosts.set(region, address, reader.number()?);
            }
        }
        let consistent = self.is_consistent(&state, next);
        state.memory.addresses.resume(next);
        (reader.0.is_empty() && consistent).then_some(state)
    }

    /// Whether calls, stack blocks and addresses fit together.
    fn is_consistent(&self, state: &MachineState, next: u64) -> bool {
        let called = |pair: &[Frame]| {
            let edges = &self.program.procedure(ProcedureId(pair[0].procedure)).edges;
            let call = edges.get(pair[0].call_edge as usize).map(|e| &e.op);
            matches!(call, Some(Op::Call { callee, .. }) if callee.0 == pair[1].procedure)
        };
        let blocks: u64 = state.frames.iter().map(|f| u64::from(f.stack_blocks)).sum();
        let memory = &state.memory;
        let dynamic = &memory.blocks[memory.fixed..memory.blocks.len() - memory.outside];
        let outside = &memory.blocks[memory.fixed + dynamic.len()..];
        let starts = dynamic.iter().map(|b| b.address).chain([next]);
        let ends =
            [memory.addresses.next()].into_iter().chain(dynamic.iter().map(|b| b.address.saturating_add(b.size)));
        !state.frames.is_empty()
            && state.frames.windows(2).all(called)
            && blocks == memory.stack.len() as u64
            && starts.zip(ends).all(|(start, end)| start >= end)
            && outside.iter().all(|b| b.kind == BlockKind::Outside && b.size == OUTSIDE_SIZE)
            && outside.windows(2).all(|pair| pair[0].address < pair[1].address)
            && memory.fits()
    }

    fn decode_frame(&self, reader: &mut Reader<'_>, state: &mut MachineState, base: usize, top: bool) -> Option<Frame> {
        let mut small = || u32::try_from(reader.number()?).ok();
        let (procedure, location, call_edge, stack_blocks) = (small()?, small()?, small()?, small()?);
        let call_edge = call_edge.wrapping_sub(1);
        let frame = Frame { procedure, base, location, call_edge, stack_blocks };
        let code = self.code.procedures.get(procedure as usize)?;
        let edges = &self.program.procedure(ProcedureId(procedure)).edges;
        if location as usize >= code.locations.len() || (!top && edges.len() <= call_edge as usize) {
            return None;
        }
        let end = base + code.slots as usize;
        state.slots.resize(end.max(state.slots.len()), 0);
        state.poison.resize(end.max(state.slots.len()), false);
        for slot in self.live_slots(&frame, top) {
            (state.slots[base + slot], state.poison[base + slot]) = self.value_of(reader)?;
        }
        Some(frame)
    }

    /// The slots of a frame that may be read later.
    fn live_slots(&self, frame: &Frame, top: bool) -> impl Iterator<Item = usize> + use<'_> {
        let procedure = self.program.procedure(ProcedureId(frame.procedure));
        let liveness = &self.liveness()[frame.procedure as usize];
        let edge = (!top && frame.call_edge != NONE).then(|| &procedure.edges[frame.call_edge as usize]);
        let location = edge.map_or(LocId(frame.location), |e| e.to);
        let written = edge.map(|e| procedure.writes(&e.op)).unwrap_or_default();
        let mut variables = procedure.params.iter().chain(&procedure.locals);
        let count = self.code.procedures[frame.procedure as usize].variables as usize;
        (0..count).filter(move |&slot| {
            let variable = variables.next();
            liveness.is_live(location, slot) && variable.is_none_or(|v| !written.contains(v))
        })
    }

    pub(super) fn liveness(&self) -> &[Liveness] {
        self.liveness.get_or_init(|| {
            let terms = &self.program.terms;
            let (partial, dead) = (partial_terms(terms), Default::default());
            self.program.procedures.iter().map(|p| Liveness::new(terms, p, &partial, &dead)).collect()
        })
    }

    fn put_value(&self, out: &mut Vec<u8>, value: u64, poison: bool) {
        if self.has_opaque {
            out.push(poison.into());
        }
        put(out, value);
    }

    fn value_of(&self, reader: &mut Reader<'_>) -> Option<(u64, bool)> {
        let poison = self.has_opaque && reader.byte()? == 1;
        Some((reader.number()?, poison))
    }
}

/// What blocks are that have no fixed address.
const HEAP: u8 = 0;
const STACK: u8 = 1;
const OUTSIDE: u8 = 2;

fn kind_number(kind: BlockKind) -> u8 {
    match kind {
        BlockKind::Stack => STACK,
        BlockKind::Outside => OUTSIDE,
        BlockKind::Static(_) | BlockKind::Literal(_) | BlockKind::Local(_) | BlockKind::Heap => HEAP,
    }
}

/// A number in groups of seven bits.
fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes as runs: so many zeros, so many others, those.
fn put_runs(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let zeros = leading_zeros(rest);
        rest = &rest[zeros..];
        // A short gap of zeros does not end a run.
        let others = rest.windows(4).position(|w| w == [0; 4]).unwrap_or(rest.len());
        put(out, zeros as u64);
        put(out, others as u64);
        out.extend_from_slice(&rest[..others]);
        rest = &rest[others..];
    }
}

/// How many bytes are zero before the first that is not.
fn leading_zeros(bytes: &[u8]) -> usize {
    // Many at a time, where there are many.
    const MANY: usize = 64;
    let many = bytes.chunks_exact(MANY).take_while(|chunk| **chunk == [0; MANY]).count() * MANY;
    many + bytes[many..].iter().take_while(|&&b| b == 0).count()
}

fn put_contents(out: &mut Vec<u8>, block: &Block) {
    let all_known = block.tags.iter().all(|&t| t == tag::KNOWN);
    out.push(all_known.into());
    put_runs(out, &block.bytes);
    if !all_known {
        put_runs(out, &block.tags);
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }

    fn runs(&mut self, length: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let (zeros, others) = (self.number()? as usize, self.number()? as usize);
            if zeros > length - bytes.len() || others > length - bytes.len() - zeros || others > self.0.len() {
                return None;
            }
            bytes.resize(bytes.len() + zeros, 0);
            bytes.extend_from_slice(&self.0[..others]);
            self.0 = &self.0[others..];
        }
        Some(bytes)
    }

    fn contents(&mut self, block: &mut Block, stride: usize) -> Option<()> {
        let all_known = self.byte()? == 1;
        let size = usize::try_from(block.size).ok().filter(|&s| s as u64 <= super::memory::MEMORY_LIMIT)?;
        block.bytes = self.runs(size * stride)?;
        block.tags = if all_known { Vec::new() } else { self.runs(size)? };
        Some(())
    }
}
