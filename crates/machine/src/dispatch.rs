//! The inner loop: instructions of one call, until something else is to be done.

use clinch_terms::float;

use super::arithmetic::{binary, compare, signed, unary};
use super::code::{Binary, Instr, Place, mask};
use super::execute::{Execution, Leave, Slots};
use super::fault::Fault;
use super::memory::BlockKind;
use super::state::MachineState;
use super::{Change, Inputs, LoopHeads, Observer, Stop};

impl<I: Inputs, O: Observer> Execution<'_, '_, '_, I, O> {
    /// Executes from `*at` on, within one call. Afterwards `*at` is behind the last instruction, except at a loop head.
    ///
    /// One function, and long, because every instruction passes here.
    pub(super) fn dispatch<const P: bool>(
        &mut self,
        state: &mut MachineState,
        at: &mut usize,
        passed_head: usize,
        next_check: u64,
    ) -> Result<Leave, Fault> {
        let MachineState { frames, slots, poison, globals, global_poison, memory, steps } = state;
        let depth = frames.len();
        let frame = frames.last_mut().expect("a state has an active call");
        let mut slots = Slots { values: &mut slots[frame.base..], poison: &mut poison[frame.base..] };
        let (machine, code) = (self.machine, self.code);
        let instrs = code.instrs.as_slice();
        let mut pc = *at;
        let mut passed_head = passed_head;
        macro_rules! leave {
            ($leave:expr) => {{
                *at = pc;
                return $leave;
            }};
        }
        macro_rules! check {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(fault) => leave!(Err(fault.into())),
                }
            };
        }
        macro_rules! known {
            ($slot:expr, $what:literal) => {
                if slots.poison::<P>($slot) {
                    leave!(Err(Fault::Poison($what)));
                }
            };
        }
        macro_rules! put {
            ($place:expr, $value:expr, $poison:expr) => {
                match $place {
                    Place::Slot(slot) => slots.set::<P>(slot, $value, $poison),
                    Place::Global(global) => {
                        globals[global as usize] = $value;
                        global_poison[global as usize] = $poison;
                    }
                }
            };
        }
        loop {
            let instr = instrs[pc];
            pc += 1;
            match instr {
                Instr::Block { edges, head } => {
                    if head && self.heads == LoopHeads::Stop {
                        if pc - 1 != passed_head {
                            pc -= 1;
                            leave!(Ok(Leave::Head));
                        }
                        passed_head = usize::MAX;
                    }
                    *steps += u64::from(edges);
                    if *steps >= next_check {
                        leave!(Ok(Leave::Check));
                    }
                }
                Instr::Const { dst, value } => slots.set::<P>(dst, value, false),
                Instr::Move { dst, src } => slots.set::<P>(dst, slots.get(src), slots.poison::<P>(src)),
                Instr::GetGlobal { dst, global } => {
                    let unknown = P && global_poison[global as usize];
                    slots.set::<P>(dst, globals[global as usize], unknown);
                }
                Instr::SetGlobal { global, src } => {
                    globals[global as usize] = slots.get(src);
                    if P {
                        global_poison[global as usize] = slots.poison::<P>(src);
                    }
                }
                Instr::Unary { op, width, dst, a } => {
                    let value = check!(unary(op, width, slots.get(a)));
                    slots.set::<P>(dst, value, slots.poison::<P>(a));
                }
                Instr::Add { width, dst, a, b } => {
                    let value = slots.get(a).wrapping_add(slots.get(b)) & mask(width);
                    slots.set::<P>(dst, value, slots.poison::<P>(a) || slots.poison::<P>(b));
                }
                Instr::AddConst { width, dst, a, b } => {
                    let value = slots.get(a).wrapping_add(code.constants[b as usize]) & mask(width);
                    slots.set::<P>(dst, value, slots.poison::<P>(a));
                }
                Instr::Binary { op, width, dst, a, b } => {
                    let b = (slots.get(b), slots.poison::<P>(b));
                    check!(slots.binary::<P>(op, width, dst, a, b));
                }
                Instr::BinaryConst { op, width, dst, a, b } => {
                    check!(slots.binary::<P>(op, width, dst, a, (code.constants[b as usize], false)));
                }
                Instr::Extract { lo, width, dst, a } => {
                    slots.set::<P>(dst, (slots.get(a) >> lo) & mask(width), slots.poison::<P>(a));
                }
                Instr::SignExtend { from, to, dst, a } => {
                    slots.set::<P>(dst, signed(from, slots.get(a)) as u64 & mask(to), slots.poison::<P>(a));
                }
                Instr::MoveIf { dst, condition, a } => {
                    let unknown = slots.poison::<P>(condition);
                    if unknown || slots.get(condition) != 0 {
                        slots.set::<P>(dst, slots.get(a), unknown || slots.poison::<P>(a));
                    }
                }
                Instr::Wide { dst, wide } => {
                    let wide = &code.wides[wide as usize];
                    let unknown = P && wide.leaves.iter().any(|l| slots.poison::<P>(l.1));
                    match wide.value(&code.wide_terms, |slot| slots.get(slot)) {
                        Some(value) => slots.set::<P>(dst, value, unknown),
                        None => leave!(Err(Fault::Unsupported("a value of more than 64 bits"))),
                    }
                }
                Instr::Fma { format, dst, fma } => {
                    let operands = code.fmas[fma as usize];
                    let unknown = operands.iter().any(|&slot| slots.poison::<P>(slot));
                    let [a, b, c] = operands.map(|slot| slots.get(slot));
                    slots.set::<P>(dst, float::value::fma(format, a, b, c), unknown);
                }
                Instr::Load { bytes, dst, address } => {
                    known!(address, "an address");
                    let address = slots.get(address);
                    match memory.load(machine.program, address, bytes) {
                        Ok((value, unknown)) => {
                            if !P && unknown {
                                leave!(Err(Fault::Poison("a value")));
                            }
                            slots.set::<P>(dst, value, unknown);
                        }
                        Err(fault) => leave!(Err(Fault::Memory(fault, address, bytes))),
                    }
                }
                Instr::Store { bytes, address, src, region } => {
                    known!(address, "an address");
                    let (address, value) = (slots.get(address), slots.get(src));
                    let unknown = slots.poison::<P>(src);
                    if let Err(fault) = memory.store(machine.program, address, bytes, (value, unknown)) {
                        leave!(Err(Fault::Memory(fault, address, bytes)));
                    }
                    self.stored(region, address, value, !unknown);
                }
                Instr::LoadGhost { region, dst, address } => {
                    known!(address, "an address");
                    slots.set::<P>(dst, memory.ghosts.get(region, slots.get(address)), false);
                }
                Instr::StoreGhost { region, address, src } => {
                    known!(address, "an address");
                    known!(src, "the origin of an address");
                    let (address, value) = (slots.get(address), slots.get(src));
                    memory.ghosts.set(region, address, value);
                    self.stored(region, address, value, true);
                }
                Instr::Jump { target } => pc = target as usize,
                Instr::JumpIf { condition, target } => {
                    known!(condition, "a condition");
                    if slots.get(condition) != 0 {
                        pc = target as usize;
                    }
                }
                Instr::JumpUnless { condition, target } => {
                    known!(condition, "a condition");
                    if slots.get(condition) == 0 {
                        pc = target as usize;
                    }
                }
                Instr::UnlessCompare { op, width, a, b, target } => {
                    known!(a, "a condition");
                    known!(b, "a condition");
                    if !compare(op, width, slots.get(a), slots.get(b)) {
                        pc = target as usize;
                    }
                }
                Instr::UnlessCompareConst { op, width, a, b, target } => {
                    known!(a, "a condition");
                    if !compare(op, width, slots.get(a), code.constants[b as usize]) {
                        pc = target as usize;
                    }
                }
                Instr::Input { dst, input } => match self.input(pc - 1, input, (memory, globals)) {
                    Ok((value, unknown)) => put!(dst, value, unknown),
                    Err(stop) => leave!(Ok(Leave::Stop(stop))),
                },
                Instr::Call { call } => leave!(Ok(Leave::Call(call))),
                Instr::Return => leave!(Ok(Leave::Return)),
                Instr::Enter { object } => {
                    if let Err(fault) = memory.enter(object as usize) {
                        leave!(Err(Fault::Memory(fault, 0, 0)));
                    }
                }
                Instr::Leave { object } => memory.leave(object as usize),
                Instr::Alloc { alloc, dst } => {
                    let alloc = code.allocs[alloc as usize];
                    known!(alloc.size, "the size of a block");
                    let kind = if alloc.stack { BlockKind::Stack } else { BlockKind::Heap };
                    match memory.alloc(slots.get(alloc.size), kind, alloc.zeroed) {
                        Ok(address) => put!(dst, address, false),
                        Err(fault) => leave!(Err(Fault::Memory(fault, 0, 0))),
                    }
                    frame.stack_blocks += u32::from(alloc.stack);
                }
                Instr::Free { address } => {
                    known!(address, "an address");
                    if let Err(fault) = memory.free(machine.program, slots.get(address)) {
                        leave!(Err(Fault::Memory(fault, slots.get(address), 0)));
                    }
                }
                Instr::BlockSize { dst, address } => {
                    known!(address, "an address");
                    match memory.block_size(slots.get(address)) {
                        Ok(size) => put!(dst, size, false),
                        Err(fault) => leave!(Err(Fault::Memory(fault, slots.get(address), 0))),
                    }
                }
                Instr::SameObject { a, b } => {
                    known!(a, "an address");
                    known!(b, "an address");
                    if !memory.same_object(slots.get(a), slots.get(b)) {
                        leave!(Err(Fault::DifferentObjects));
                    }
                }
                Instr::Print { print } => check!(self.print(memory, &slots, print)),
                Instr::Exit { status, width } => {
                    known!(status, "the exit status");
                    let value = slots.get(status);
                    let status = if width == 0 { value as i64 } else { signed(width, value) };
                    leave!(Ok(Leave::Stop(Box::new(Stop::Exit(status)))));
                }
                Instr::End { end } => {
                    let stop = self.end(end);
                    leave!(Ok(Leave::Stop(Box::new(stop))));
                }
                Instr::Trace { edge, returned } => {
                    self.trace(frame, depth, (&slots, globals, global_poison), edge, returned);
                }
            }
        }
    }
}

impl<I: Inputs, O: Observer> Execution<'_, '_, '_, I, O> {
    /// A cell of a region has a new value.
    #[inline(always)]
    fn stored(&mut self, region: u32, address: u64, value: u64, known: bool) {
        if O::TRACES {
            let symbol = self.machine.program.regions[region as usize].symbol;
            self.changes.push(Change { symbol, address: Some(address), value, known });
        }
    }
}

/// A result of values of which some are not modelled.
impl Slots<'_> {
    #[inline(always)]
    fn binary<const P: bool>(&mut self, op: Binary, width: u8, dst: u32, a: u32, b: (u64, bool)) -> Result<(), Fault> {
        let x = self.get(a);
        let poison = self.poison::<P>(a) || b.1;
        if P && poison {
            undefined_by_poison(op, width, b)?;
        }
        let value = binary(op, width, x, b.0)?;
        self.set::<P>(dst, value, poison);
        Ok(())
    }
}

/// Whether an operation is defined may depend on what is not modelled.
fn undefined_by_poison(op: Binary, width: u8, (b, unknown): (u64, bool)) -> Result<(), Fault> {
    let divides = matches!(op, Binary::Udiv | Binary::Urem | Binary::Sdiv | Binary::Srem | Binary::Smod)
        || matches!(op, Binary::IntDiv | Binary::IntRem | Binary::IntMod | Binary::IntFloorDiv);
    let shifts = matches!(op, Binary::Shl | Binary::Lshr | Binary::Ashr | Binary::IntShl | Binary::IntShr);
    match () {
        () if unknown && divides => Err(Fault::Poison("a divisor")),
        () if unknown && shifts => Err(Fault::Poison("a shift count")),
        () if matches!(op, Binary::Sdiv | Binary::Srem) && b == mask(width) => Err(Fault::Poison("a dividend")),
        () => Ok(()),
    }
}
