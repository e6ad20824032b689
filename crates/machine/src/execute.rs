//! The loop that executes code.

use clinch_ir::cfa::{EdgeId, InputKind, Op, ProcedureId};
use clinch_terms::{LocId, work};

use super::accelerate::{Patience, accelerate};
use super::code::{Code, End, NO_EDGE, Place};
use super::fault::Fault;
use super::format::{Argument, FormatFault, format};
use super::memory::{Memory, MemoryFault};
use super::state::{Frame, MachineState};
use super::{
    Change, InputRequest, InputSource, Inputs, Limit, Limits, LoopHeads, Machine, Observer, Outcome, Stop, TracedEdge,
    cut,
};

/// How many steps pass between two looks at the limits.
const CHECK_EVERY: u64 = 1 << 16;
/// The nanoseconds that a step takes, about, and what is done to start and to end.
const STEP: u64 = 8;
const RUN: u64 = 50;

/// Why the inner loop is left.
pub(super) enum Leave {
    Head,
    Check,
    Call(u32),
    Return,
    Stop(Box<Stop>),
}

/// What an execution comes to.
pub(super) enum Event {
    Stopped(Outcome),
    LoopHead(ProcedureId, LocId),
}

/// An execution.
pub(super) struct Execution<'r, 'p, 'l, I, O> {
    pub(super) machine: &'r Machine<'p>,
    pub(super) code: &'r Code,
    pub(super) inputs: &'r mut I,
    pub(super) observer: &'r mut O,
    pub(super) limits: &'r Limits<'l>,
    pub(super) heads: LoopHeads,
    pub(super) changes: Vec<Change>,
}

/// The slots of the current frame.
pub(super) struct Slots<'s> {
    pub(super) values: &'s mut [u64],
    pub(super) poison: &'s mut [bool],
}

impl Slots<'_> {
    #[inline(always)]
    pub(super) fn get(&self, slot: u32) -> u64 {
        self.values[slot as usize]
    }

    /// Whether the value is not modelled.
    #[inline(always)]
    pub(super) fn poison<const P: bool>(&self, slot: u32) -> bool {
        P && self.poison[slot as usize]
    }

    #[inline(always)]
    pub(super) fn set<const P: bool>(&mut self, slot: u32, value: u64, poison: bool) {
        self.values[slot as usize] = if P && poison { 0 } else { value };
        if P {
            self.poison[slot as usize] = poison;
        }
    }
}

impl<I: Inputs, O: Observer> Execution<'_, '_, '_, I, O> {
    /// Executes from the state on. `P`: values that are not modelled are tracked.
    pub(super) fn execute<const P: bool>(&mut self, state: &mut MachineState) -> Event {
        let before = state.steps;
        let event = self.execute_on::<P>(state);
        // The rest was counted on the way.
        work::add(RUN + (state.steps - before) % CHECK_EVERY * STEP);
        event
    }

    fn execute_on<const P: bool>(&mut self, state: &mut MachineState) -> Event {
        let frame = state.frames.last().expect("a state has an active call");
        let (procedure, location) = (frame.procedure, frame.location);
        let start = self.code.procedures[procedure as usize].locations[location as usize];
        if start == u32::MAX || !state.memory.fits() {
            let limit = if start == u32::MAX { Stop::Blocked } else { Stop::Limit(Limit::Memory) };
            return Event::Stopped(Outcome { stop: limit, at: self.machine.at(procedure, NO_EDGE), address: None });
        }
        let mut next_check = self.next_check(state.steps);
        let may_accelerate = !P && !O::TRACES && self.heads == LoopHeads::Pass;
        let mut patience = Patience::default();
        let mut pc = start as usize;
        // The run does not stop at the head where it starts.
        let mut passed_head = start as usize;
        loop {
            let left = self.dispatch::<P>(state, &mut pc, passed_head, next_check);
            passed_head = usize::MAX;
            match left {
                Ok(Leave::Head) => return self.at_head(state, pc),
                Ok(Leave::Check) => {
                    work::add(CHECK_EVERY * STEP);
                    if let Some(limit) = self.exceeded(state.steps) {
                        return self.stopped(state, pc - 1, Stop::Limit(limit));
                    }
                    if may_accelerate && patience.is_over() {
                        patience.learn(accelerate(self.machine, self.code, self.limits.steps, state, pc));
                    }
                    next_check = self.next_check(state.steps);
                }
                Ok(Leave::Call(call)) => match self.call::<P>(state, call) {
                    Some(entry) => pc = entry,
                    None => return self.stopped(state, pc - 1, Stop::Limit(Limit::CallDepth)),
                },
                Ok(Leave::Return) => match self.return_from::<P>(state) {
                    Some(resume) => pc = resume,
                    None => return self.stopped(state, pc - 1, Stop::Exit(0)),
                },
                Ok(Leave::Stop(stop)) => return self.stopped(state, pc - 1, *stop),
                Err(Fault::Memory(MemoryFault::Unknown(block), address, bytes)) => {
                    match self.ask_for_memory(state, pc - 1, block, address, bytes) {
                        // The edge starts again.
                        None => pc = self.edge_start(state, pc - 1),
                        Some(request) => return self.stopped(state, pc - 1, Stop::OutOfInputs(request)),
                    }
                }
                Err(fault) => {
                    let stop = self.machine.stop_of(&state.memory, fault);
                    let address = if let Fault::Memory(_, address, _) = fault { Some(address) } else { None };
                    return self.stopped_at(state, pc - 1, stop, address);
                }
            }
        }
    }

    fn next_check(&self, steps: u64) -> u64 {
        (steps + CHECK_EVERY).min(self.limits.steps)
    }

    fn exceeded(&self, steps: u64) -> Option<Limit> {
        if steps >= self.limits.steps {
            return Some(Limit::Steps);
        }
        self.limits.interrupt.is_some_and(|stop| stop()).then_some(Limit::Interrupted)
    }

    /// The run ends at an instruction, before its edge.
    fn stopped(&self, state: &mut MachineState, pc: usize, stop: Stop) -> Event {
        self.stopped_at(state, pc, stop, None)
    }

    fn stopped_at(&self, state: &mut MachineState, pc: usize, stop: Stop, address: Option<u64>) -> Event {
        let (procedure, edge) = self.code.origin[pc];
        self.locate(state, procedure, edge);
        Event::Stopped(Outcome { stop, at: self.machine.at(procedure, edge), address })
    }

    fn locate(&self, state: &mut MachineState, procedure: u32, edge: EdgeId) {
        let procedure = self.machine.program.procedure(ProcedureId(procedure));
        let location = procedure.edges.get(edge.index()).map_or(procedure.exit, |e| e.from);
        if let Some(frame) = state.frames.last_mut() {
            frame.location = location.0;
        }
    }

    fn at_head(&self, state: &mut MachineState, pc: usize) -> Event {
        let (procedure, edge) = self.code.origin[pc];
        self.locate(state, procedure, edge);
        let (procedure, location) = self.machine.location(state);
        Event::LoopHead(procedure, location)
    }

    /// Where the edge of an instruction starts.
    fn edge_start(&self, state: &mut MachineState, pc: usize) -> usize {
        let (procedure, edge) = self.code.origin[pc];
        self.locate(state, procedure, edge);
        let location = self.machine.program.procedure(ProcedureId(procedure)).edges[edge.index()].from;
        self.code.procedures[procedure as usize].locations[location.index()] as usize
    }

    /// Asks for memory that was never written. The request, if there is no answer.
    fn ask_for_memory(
        &mut self,
        state: &mut MachineState,
        pc: usize,
        block: u32,
        address: u64,
        bytes: u8,
    ) -> Option<InputRequest> {
        let (procedure, edge) = self.code.origin[pc];
        let block = &state.memory.blocks[block as usize];
        let source =
            InputSource::Memory { object: self.machine.block_name(block), address, offset: address - block.address };
        // The bytes of a mathematical cell do not bound its value.
        let width = if state.memory.stride == 1 { 8 * u32::from(bytes) } else { 0 };
        let request = InputRequest { source, width, at: self.machine.at(procedure, edge) };
        let Some(value) = self.inputs.next(&request) else { return Some(request) };
        // The cell is inside a live object.
        _ = state.memory.fill(self.machine.program, address, bytes, cut(width, value));
        None
    }

    /// A call: the arguments are in place already. `None` beyond the limit.
    fn call<const P: bool>(&mut self, state: &mut MachineState, call: u32) -> Option<usize> {
        let call = self.code.calls[call as usize];
        if state.frames.len() >= self.limits.depth {
            return None;
        }
        let frame = state.frames.last_mut().expect("a state has an active call");
        frame.call_edge = call.edge.0;
        let base = frame.base + self.code.procedures[frame.procedure as usize].variables as usize;
        let callee = &self.code.procedures[call.callee as usize];
        let (params, variables) = (base + callee.params as usize, base + callee.variables as usize);
        let top = base + callee.slots as usize;
        if state.slots.len() < top {
            state.slots.resize(top, 0);
            state.poison.resize(top, false);
        }
        state.slots[params..variables].fill(0);
        if P {
            state.poison[params..variables].fill(false);
        }
        state.frames.push(Frame { procedure: call.callee, base, location: 0, call_edge: u32::MAX, stack_blocks: 0 });
        Some(callee.entry as usize)
    }

    /// The end of a call: where its caller goes on. `None` for the first one.
    fn return_from<const P: bool>(&mut self, state: &mut MachineState) -> Option<usize> {
        if state.frames.len() == 1 {
            return None;
        }
        let callee = state.frames.pop().expect("a state has an active call");
        state.memory.end_stack(callee.stack_blocks);
        let code = &self.code.procedures[callee.procedure as usize];
        for &object in &code.objects {
            state.memory.leave(object as usize);
        }
        let frame = state.frames.last().expect("the caller");
        let call = self.code.procedures[frame.procedure as usize].call_of_edge[frame.call_edge as usize];
        let call = &self.code.calls[call as usize];
        if let (Some(place), Some(result)) = (call.result, code.result) {
            let from = callee.base + result as usize;
            let (value, poison) = (state.slots[from], P && state.poison[from]);
            match place {
                Place::Slot(slot) => {
                    let to = frame.base + slot as usize;
                    state.slots[to] = value;
                    state.poison[to] = poison;
                }
                Place::Global(global) => {
                    state.globals[global as usize] = value;
                    state.global_poison[global as usize] = poison;
                }
            }
        }
        Some(call.resume as usize)
    }

    /// What the edge changed.
    #[cold]
    pub(super) fn trace(
        &mut self,
        frame: &Frame,
        depth: usize,
        values: (&Slots<'_>, &[u64], &[bool]),
        edge: EdgeId,
        returned: bool,
    ) {
        let program = self.machine.program;
        let procedure = ProcedureId(frame.procedure);
        let (slots, globals, global_poison) = values;
        let mut changes = std::mem::take(&mut self.changes);
        let mut push = |symbol| {
            let (value, poison) = match self.machine.place(procedure, symbol) {
                Some(Place::Slot(slot)) => (slots.get(slot), slots.poison[slot as usize]),
                Some(Place::Global(global)) => (globals[global as usize], global_poison[global as usize]),
                None => return,
            };
            changes.push(Change { symbol, address: None, value, known: !poison });
        };
        match &program.procedure(procedure).edges[edge.index()].op {
            Op::Assign(assigns) => {
                for assign in assigns {
                    if let clinch_ir::cfa::Target::Var(symbol) = assign.target {
                        push(symbol);
                    }
                }
            }
            Op::Input(symbol, _) | Op::BlockSize(symbol, _) | Op::Alloc { target: symbol, .. } => push(*symbol),
            Op::Return(Some(_)) => program.procedure(procedure).result.into_iter().for_each(push),
            Op::Call { result, .. } if returned => result.iter().for_each(|&s| push(s)),
            Op::Call { callee, .. } => {
                let first = self.code.procedures[frame.procedure as usize].variables;
                for (i, &symbol) in program.procedure(*callee).params.iter().enumerate() {
                    let slot = first + i as u32;
                    let known = !slots.poison[slot as usize];
                    changes.push(Change { symbol, address: None, value: slots.get(slot), known });
                }
            }
            _ => {}
        }
        let at = self.machine.at(frame.procedure, edge);
        self.observer.edge(&TracedEdge { at, depth, returned, changes: &changes });
        changes.clear();
        self.changes = changes;
    }

    #[cold]
    pub(super) fn print(&mut self, memory: &mut Memory, slots: &Slots<'_>, print: u32) -> Result<(), Fault> {
        let print = &self.code.prints[print as usize];
        let arg =
            |&(slot, width): &(u32, u8)| Argument { bits: slots.get(slot), width, known: !slots.poison[slot as usize] };
        let args: Vec<Argument> = print.args.iter().map(arg).collect();
        let program = self.machine.program;
        let mut string = |address: u64, limit: Option<usize>| read_string(program, memory, address, limit);
        let text = format(&print.format, &args, program.pointer_bits, &mut string).map_err(|fault| match fault {
            FormatFault::String(fault) => fault,
            FormatFault::Unsupported(what) => Fault::Unsupported(what),
        })?;
        self.observer.print(&text, print.stdout);
        Ok(())
    }

    pub(super) fn end(&self, end: u32) -> Stop {
        match &self.code.ends[end as usize] {
            End::Error(what) => Stop::Error(what.clone()),
            End::Abort => Stop::Abort,
            End::Blocked => Stop::Blocked,
            End::Undefined(what) => Stop::Undefined(what.clone()),
            End::Unsupported(what) => Stop::Unsupported(what.clone()),
            End::Limit => Stop::Limit(Limit::Integer),
        }
    }

    /// The value of an input: not modelled, or from outside, or what memory and the globals say.
    pub(super) fn input(
        &mut self,
        pc: usize,
        input: clinch_ir::cfa::InputId,
        (memory, globals): (&Memory, &[u64]),
    ) -> Result<(u64, bool), Box<Stop>> {
        let program = self.machine.program;
        match program.inputs.get(input.index()).map(|i| &i.kind) {
            Some(InputKind::Opaque(_)) => return Ok((0, true)),
            Some(InputKind::Lost) => {
                // What the checks note for themselves holds nothing.
                let is_own = |symbol| !program.variables.get(&symbol).is_some_and(|info| info.hidden);
                let own = program.globals.iter().zip(globals).filter(|(global, _)| is_own(global.symbol));
                let roots: Vec<u64> = own.map(|(_, &value)| value).collect();
                return memory.lost(&roots, program.pointer_bits / 8).map(|lost| (lost, false)).ok_or_else(|| {
                    Box::new(Stop::Unsupported("whether something still points to memory that is not freed".to_owned()))
                });
            }
            _ => {}
        }
        let (procedure, edge) = self.code.origin[pc];
        let at = self.machine.at(procedure, edge);
        let width = match program.procedure(at.procedure).edges[edge.index()].op {
            Op::Input(symbol, _) => self.machine.width_of(symbol),
            _ => 0,
        };
        let request = InputRequest { source: InputSource::Site(input), width, at };
        match self.inputs.next(&request) {
            Some(value) => Ok((cut(width, value), false)),
            None => Err(Box::new(Stop::OutOfInputs(request))),
        }
    }
}

fn read_string(
    program: &clinch_ir::cfa::CfaProgram,
    memory: &mut Memory,
    address: u64,
    limit: Option<usize>,
) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    while limit.is_none_or(|l| text.len() < l) {
        let at = address.wrapping_add(text.len() as u64);
        match memory.load(program, at, 1) {
            Ok((0, false)) => break,
            Ok((byte, false)) => text.push(byte as u8),
            Ok((_, true)) => text.push(b'?'),
            Err(fault) => return Err(Fault::Memory(fault, at, 1)),
        }
    }
    Ok(text)
}
