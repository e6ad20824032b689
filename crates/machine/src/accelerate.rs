//! Loops that do the same again and again: many iterations at a time.
//!
//! Where each variable changes by the same number in every iteration, and no condition turns out otherwise, the state after
//! so many iterations is known without going through them. A loop that has run for long is looked at: one iteration says how much
//! the variables change, the next one is executed on [`Line`]s instead of numbers. What comes out must be the same lines, one
//! iteration further; then, by induction, all iterations in which no value leaves its width and no condition turns go like this one.

use super::Machine;
use super::arithmetic::{binary, compare, signed, unary};
use super::code::{Binary, Code, Instr, Place, Unary, mask};
use super::memory::Memory;
use super::state::MachineState;

/// Instructions of an iteration, at most.
const LENGTH: usize = 1 << 12;
/// Calls inside one another in it, at most.
const DEPTH: usize = 16;
/// How often an iteration may pass the place where it starts: iterations of an inner loop.
const ROUNDS: usize = 64;
/// It is worth it if so many steps are saved.
const WORTH: u64 = 1 << 16;

/// The values of a slot: `start + n * slope` in the iteration `n` from now, which is never below zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    start: u64,
    slope: i128,
}

impl Line {
    fn constant(start: u64) -> Self {
        Line { start, slope: 0 }
    }

    fn is_constant(self) -> bool {
        self.slope == 0
    }
}

/// When to look again whether a loop can be accelerated: ever more seldom where it was in vain.
#[derive(Default)]
pub(super) struct Patience {
    wait: u32,
    failures: u32,
}

impl Patience {
    pub(super) fn is_over(&mut self) -> bool {
        self.wait = self.wait.saturating_sub(1);
        self.wait == 0
    }

    pub(super) fn learn(&mut self, success: bool) {
        self.failures = if success { 0 } else { (self.failures + 1).min(10) };
        self.wait = 1 << self.failures;
    }
}

/// An iteration on lines.
#[derive(Clone)]
struct Iteration<'m> {
    code: &'m Code,
    /// From the call on that has the loop.
    slots: Vec<Line>,
    globals: Vec<Line>,
    /// Calls inside the loop that are active: their numbers, their callers, and where the slots of those start.
    calls: Vec<(u32, u32, usize)>,
    /// The procedure that is active, and where its slots start.
    procedure: u32,
    base: usize,
    /// For so many iterations the lines are right; `None`: for ever.
    times: Option<u64>,
    pc: usize,
    steps: u64,
    length: usize,
}

/// Goes through many iterations at once, if `pc`, which is behind the start of a block, is inside a loop where that can be done.
/// The run has at most `limit` steps.
pub(super) fn accelerate(machine: &Machine<'_>, code: &Code, limit: u64, state: &mut MachineState, pc: usize) -> bool {
    let start = Iteration::new(code, state, pc);
    let mut plain = start.clone();
    for _ in 0..ROUNDS {
        if plain.round(machine, &mut state.memory, pc).is_none() {
            return false;
        }
        let Some(lines) = start.lines_to(&plain, machine, &mut state.memory) else { continue };
        // A run that goes round in a circle is left to those who look for circles.
        let room = (limit - state.steps).checked_div(lines.steps).unwrap_or(0);
        let times = lines.times.unwrap_or(0).min(room);
        if times.saturating_mul(lines.steps) >= WORTH {
            lines.jump(state, times);
            return true;
        }
    }
    false
}

impl<'m> Iteration<'m> {
    fn new(code: &'m Code, state: &MachineState, pc: usize) -> Self {
        let frame = state.frames.last().expect("a state has an active call");
        let top = frame.base + code.procedures[frame.procedure as usize].slots as usize;
        let constants = |values: &[u64]| values.iter().map(|&value| Line::constant(value)).collect();
        Iteration {
            code,
            slots: constants(&state.slots[frame.base..top]),
            globals: constants(&state.globals),
            calls: Vec::new(),
            procedure: frame.procedure,
            base: 0,
            times: None,
            pc,
            steps: 0,
            length: 0,
        }
    }

    /// The iteration that led from here to `next`, once more from here, on lines. `None` if they are not right.
    fn lines_to(&self, next: &Self, machine: &Machine<'_>, memory: &mut Memory) -> Option<Self> {
        let line = |(a, b): (&Line, &Line)| Line { start: a.start, slope: i128::from(b.start) - i128::from(a.start) };
        let lines = Iteration {
            slots: self.slots.iter().zip(&next.slots).map(line).collect(),
            globals: self.globals.iter().zip(&next.globals).map(line).collect(),
            ..self.clone()
        };
        let mut after = lines.clone();
        while after.length < next.length {
            after.round(machine, memory, self.pc)?;
        }
        after.slots.truncate(self.slots.len());
        let follows =
            |(a, b): (&Line, &Line)| a.slope == b.slope && i128::from(a.start) + a.slope == i128::from(b.start);
        let mut all = lines.slots.iter().zip(&after.slots).chain(lines.globals.iter().zip(&after.globals));
        (after.length == next.length && all.all(follows)).then_some(after)
    }

    /// The state after so many iterations; these lines are at the end of the first one.
    fn jump(&self, state: &mut MachineState, times: u64) {
        let base = state.frames.last().expect("a state has an active call").base;
        // Below 2^64, since the iteration before ended there.
        let value = |line: &Line| (i128::from(line.start) + i128::from(times - 1) * line.slope) as u64;
        for (slot, line) in state.slots[base..].iter_mut().zip(&self.slots) {
            *slot = value(line);
        }
        for (global, line) in state.globals.iter_mut().zip(&self.globals) {
            *global = value(line);
        }
        state.steps += times * self.steps;
    }

    /// Goes on until the block before `home` starts again. `None` if that is not certain, or not soon.
    fn round(&mut self, machine: &Machine<'_>, memory: &mut Memory, home: usize) -> Option<()> {
        loop {
            let instr = self.code.instrs[self.pc];
            self.pc += 1;
            self.length += 1;
            match instr {
                Instr::Block { edges, .. } => {
                    self.steps += u64::from(edges);
                    if self.pc == home && self.calls.is_empty() {
                        return Some(());
                    }
                }
                Instr::LoadGhost { region, dst, address } => {
                    let address = self.fixed(address)?;
                    self.set(dst, Line::constant(memory.ghosts.get(region, address)));
                }
                Instr::Load { bytes, dst, address } => {
                    // Nothing is stored meanwhile.
                    let address = self.fixed(address)?;
                    let (value, poison) = memory.load(machine.program, address, bytes).ok()?;
                    self.set(dst, Line::constant((!poison).then_some(value)?));
                }
                _ => self.step(instr)?,
            }
            if self.length > LENGTH {
                return None;
            }
        }
    }

    fn step(&mut self, instr: Instr) -> Option<()> {
        match instr {
            Instr::Const { dst, value } => self.set(dst, Line::constant(value)),
            Instr::Move { dst, src } => self.set(dst, self.get(src)),
            Instr::GetGlobal { dst, global } => self.set(dst, self.globals[global as usize]),
            Instr::SetGlobal { global, src } => self.globals[global as usize] = self.get(src),
            Instr::Unary { op, width, dst, a } => {
                let line = self.unary(op, width, self.get(a))?;
                self.set(dst, line);
            }
            Instr::Add { width, dst, a, b } => self.binary(Binary::Add, width, dst, a, self.get(b))?,
            Instr::AddConst { width, dst, a, b } => self.binary(Binary::Add, width, dst, a, self.constant(b))?,
            Instr::Binary { op, width, dst, a, b } => self.binary(op, width, dst, a, self.get(b))?,
            Instr::BinaryConst { op, width, dst, a, b } => self.binary(op, width, dst, a, self.constant(b))?,
            Instr::Extract { lo: 0, width, dst, a } => {
                let line = self.within(width, self.get(a).start, self.get(a).slope);
                self.set(dst, line);
            }
            Instr::Extract { lo, width, dst, a } => {
                let value = self.fixed(a)?;
                self.set(dst, Line::constant((value >> lo) & mask(width)));
            }
            Instr::SignExtend { from, to, dst, a } => {
                let Line { start, slope } = self.get(a);
                self.keep_half(from, self.get(a));
                self.set(dst, Line { start: signed(from, start) as u64 & mask(to), slope });
            }
            Instr::MoveIf { dst, condition, a } => {
                if self.fixed(condition)? != 0 {
                    self.set(dst, self.get(a));
                }
            }
            Instr::Jump { target } => self.pc = target as usize,
            Instr::JumpIf { condition, target } => self.jump_if(self.fixed(condition)? != 0, target),
            Instr::JumpUnless { condition, target } => self.jump_if(self.fixed(condition)? == 0, target),
            Instr::UnlessCompare { op, width, a, b, target } => {
                let holds = self.compare(op, width, self.get(a), self.get(b));
                self.jump_if(!holds, target);
            }
            Instr::UnlessCompareConst { op, width, a, b, target } => {
                let holds = self.compare(op, width, self.get(a), self.constant(b));
                self.jump_if(!holds, target);
            }
            Instr::Call { call } => self.call(call)?,
            Instr::Return => self.return_from()?,
            // What goes beyond numbers in variables.
            _ => return None,
        }
        Some(())
    }

    fn get(&self, slot: u32) -> Line {
        self.slots[self.base + slot as usize]
    }

    fn set(&mut self, slot: u32, line: Line) {
        self.slots[self.base + slot as usize] = line;
    }

    /// A call, whose arguments are in place already, of a procedure that has variables alone.
    fn call(&mut self, call: u32) -> Option<()> {
        let caller = &self.code.procedures[self.procedure as usize];
        let callee = self.code.calls[call as usize].callee;
        let code = &self.code.procedures[callee as usize];
        if self.calls.len() >= DEPTH || !code.objects.is_empty() {
            return None;
        }
        self.calls.push((call, self.procedure, self.base));
        (self.base, self.procedure) = (self.base + caller.variables as usize, callee);
        let top = self.base + code.slots as usize;
        self.slots.resize(top.max(self.slots.len()), Line::constant(0));
        self.slots[self.base + code.params as usize..self.base + code.variables as usize].fill(Line::constant(0));
        self.pc = code.entry as usize;
        Some(())
    }

    /// The end of a call inside the loop.
    fn return_from(&mut self) -> Option<()> {
        let (call, caller, base) = self.calls.pop()?;
        let call = &self.code.calls[call as usize];
        let result = self.code.procedures[self.procedure as usize].result.map(|slot| self.get(slot));
        (self.procedure, self.base) = (caller, base);
        match (call.result, result) {
            (Some(Place::Slot(slot)), Some(line)) => self.set(slot, line),
            (Some(Place::Global(global)), Some(line)) => self.globals[global as usize] = line,
            _ => {}
        }
        self.pc = call.resume as usize;
        Some(())
    }

    fn constant(&self, index: u32) -> Line {
        Line::constant(self.code.constants[index as usize])
    }

    /// A value that is the same in all iterations.
    fn fixed(&self, slot: u32) -> Option<u64> {
        let line = self.get(slot);
        line.is_constant().then_some(line.start)
    }

    fn jump_if(&mut self, jumps: bool, target: u32) {
        if jumps {
            self.pc = target as usize;
        }
    }

    fn unary(&mut self, op: Unary, width: u8, a: Line) -> Option<Line> {
        if a.is_constant() {
            return unary(op, width, a.start).ok().map(Line::constant);
        }
        match op {
            Unary::BvNot => Some(self.within(width, !a.start, -a.slope)),
            Unary::BvNeg => Some(self.within(width, a.start.wrapping_neg(), -a.slope)),
            Unary::Truncate => Some(self.within(width, a.start, a.slope)),
            _ => None,
        }
    }

    fn binary(&mut self, op: Binary, width: u8, dst: u32, a: u32, b: Line) -> Option<()> {
        let a = self.get(a);
        let line = match op {
            _ if a.is_constant() && b.is_constant() => Line::constant(binary(op, width, a.start, b.start).ok()?),
            Binary::Add => self.within(width, a.start.wrapping_add(b.start), a.slope + b.slope),
            Binary::Sub => self.within(width, a.start.wrapping_sub(b.start), a.slope - b.slope),
            Binary::Mul if a.is_constant() || b.is_constant() => {
                let (factor, line) = if a.is_constant() { (a, b) } else { (b, a) };
                let slope = line.slope.checked_mul(factor.start.into()).filter(|s| s.unsigned_abs() < 1 << 66)?;
                self.within(width, a.start.wrapping_mul(b.start), slope)
            }
            // The upper part is constant, the lower one stays within its width.
            Binary::Concat if a.is_constant() => Line { start: (a.start << width) | b.start, slope: b.slope },
            Binary::Eq | Binary::Ne | Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle => {
                Line::constant(self.compare(op, width, a, b).into())
            }
            _ => return None,
        };
        self.set(dst, line);
        Some(())
    }

    /// The lowest bits of these values, as long as they are a line.
    fn within(&mut self, width: u8, start: u64, slope: i128) -> Line {
        let start = start & mask(width);
        self.keep(start.into(), slope);
        self.keep(i128::from(mask(width) - start), -slope);
        Line { start, slope }
    }

    /// Whether a comparison holds, as long as it does not turn.
    fn compare(&mut self, op: Binary, width: u8, a: Line, b: Line) -> bool {
        let holds = compare(op, width, a.start, b.start);
        if a.is_constant() && b.is_constant() {
            return holds;
        }
        let is_signed = matches!(op, Binary::Slt | Binary::Sle);
        if is_signed {
            self.keep_half(width, a);
            self.keep_half(width, b);
        }
        let number = |line: Line| if is_signed { signed(width, line.start).into() } else { i128::from(line.start) };
        let (distance, slope) = (number(b) - number(a), b.slope - a.slope);
        match op {
            Binary::Ult | Binary::Slt => self.keep(distance - 1, slope),
            Binary::Ule | Binary::Sle => self.keep(distance, slope),
            // Equal only now, or where they meet.
            _ if distance == 0 && slope != 0 => self.limit(1),
            _ if slope != 0 && distance % slope == 0 && (distance < 0) != (slope < 0) => {
                self.limit(-(distance / slope))
            }
            _ => {}
        }
        holds
    }

    /// As long as the highest bit stays what it is.
    fn keep_half(&mut self, width: u8, line: Line) {
        self.keep(i128::from(line.start) - (1 << (width - 1)), line.slope);
    }

    /// As long as a number that changes stays at least zero, or stays below.
    fn keep(&mut self, number: i128, slope: i128) {
        if number >= 0 && slope < 0 {
            self.limit(number / -slope + 1);
        } else if number < 0 && slope > 0 {
            self.limit((-number - 1) / slope + 1);
        }
    }

    fn limit(&mut self, times: i128) {
        let times = u64::try_from(times).unwrap_or(u64::MAX);
        self.times = Some(self.times.map_or(times, |now| now.min(times)));
    }
}
