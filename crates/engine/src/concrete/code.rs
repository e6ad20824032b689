//! Terms compiled to a small stack machine over the slots of an unpacked state.
//!
//! Evaluation allocates nothing and returns a plain number: whatever goes wrong (a fault of the model, an integer beyond
//! 64 bits) sets a flag, and the caller asks the interpreter what it was. Comparisons of slots and constants, the bulk
//! of all guards, are single instructions.

use clinch_ir::Program;
use clinch_terms::{BinOp, Node, ProcId, Term, Terms, UnOp};

/// Where locations and cells lie among the slots.
#[derive(Clone, Copy, Debug)]
pub struct SlotMap {
    processes: u32,
}

impl SlotMap {
    /// For a program.
    pub fn new(program: &Program) -> Self {
        SlotMap { processes: program.processes.len() as u32 }
    }

    /// The slot of a process's location.
    pub fn process(&self, process: ProcId) -> u32 {
        process.0
    }

    /// The slot of a cell.
    pub fn cell(&self, cell: u32) -> u32 {
        self.processes + cell
    }
}

/// A compiled scalar term. Booleans are 0 and 1.
#[derive(Clone, Debug, Default)]
pub struct Code {
    instructions: Box<[Instruction]>,
    /// Operands below the top that are needed at most.
    depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Compare {
    fn apply(self, x: i64, y: i64) -> bool {
        match self {
            Compare::Eq => x == y,
            Compare::Ne => x != y,
            Compare::Lt => x < y,
            Compare::Le => x <= y,
            Compare::Gt => x > y,
            Compare::Ge => x >= y,
        }
    }

    fn of(op: BinOp) -> Option<Compare> {
        match op {
            BinOp::Eq => Some(Compare::Eq),
            BinOp::Le => Some(Compare::Le),
            BinOp::Lt => Some(Compare::Lt),
            _ => None,
        }
    }

    fn swapped(self) -> Compare {
        match self {
            Compare::Eq | Compare::Ne => self,
            Compare::Lt => Compare::Gt,
            Compare::Le => Compare::Ge,
            Compare::Gt => Compare::Lt,
            Compare::Ge => Compare::Le,
        }
    }

    fn negated(self) -> Compare {
        match self {
            Compare::Eq => Compare::Ne,
            Compare::Ne => Compare::Eq,
            Compare::Lt => Compare::Ge,
            Compare::Le => Compare::Gt,
            Compare::Gt => Compare::Le,
            Compare::Ge => Compare::Lt,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Instruction {
    Constant(i64),
    Slot(u32),
    /// Pops an index, pushes the element.
    Element {
        first: u32,
        len: u32,
    },
    CompareConstant(Compare, u32, i64),
    CompareSlots(Compare, u32, u32),
    /// Slot plus constant.
    Offset(u32, i64),
    Compare(Compare),
    Binary(BinOp),
    Unary(UnOp),
    /// For `and`/`or`: leaves the top and jumps if it is false (true), else pops it.
    JumpIfFalse(u32),
    JumpIfTrue(u32),
    /// For if-then-else: pops and jumps if false.
    PopJumpIfFalse(u32),
    Jump(u32),
}

/// Working memory of evaluation.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    stack: Vec<i64>,
    /// Set when the last evaluations met a fault or an overflow.
    pub trap: bool,
}

impl Code {
    /// Compiles a scalar term.
    pub fn new(program: &Program, terms: &Terms, slots: &SlotMap, term: Term) -> Code {
        let mut compiler = Compiler { program, terms, slots, out: Vec::new() };
        compiler.emit(term);
        // Every instruction adds at most one operand.
        Code { depth: compiler.out.len(), instructions: compiler.out.into() }
    }

    /// The value on the slots. Meaningless if it sets `scratch.trap`.
    #[inline]
    pub fn eval(&self, slots: &[i64], scratch: &mut Scratch) -> i64 {
        match *self.instructions {
            [Instruction::CompareConstant(c, slot, k)] => i64::from(c.apply(slots[slot as usize], k)),
            [Instruction::Constant(k)] => k,
            [Instruction::Offset(slot, k)] => {
                let (sum, overflow) = slots[slot as usize].overflowing_add(k);
                scratch.trap |= overflow;
                sum
            }
            _ => self.run(slots, scratch),
        }
    }

    /// The top of the stack is kept apart, `below` counts the operands under it.
    fn run(&self, slots: &[i64], scratch: &mut Scratch) -> i64 {
        if scratch.stack.len() < self.depth {
            scratch.stack.resize(self.depth, 0);
        }
        let Scratch { stack, trap } = scratch;
        let stack = stack.as_mut_slice();
        let (mut top, mut below, mut at) = (0_i64, 0, 0);
        macro_rules! push {
            ($value:expr) => {{
                let value = $value;
                stack[below] = top;
                below += 1;
                top = value;
            }};
        }
        macro_rules! pop {
            () => {{
                below -= 1;
                stack[below]
            }};
        }
        while let Some(&instruction) = self.instructions.get(at) {
            at += 1;
            match instruction {
                Instruction::Constant(k) => push!(k),
                Instruction::Slot(slot) => push!(slots[slot as usize]),
                Instruction::CompareConstant(c, slot, k) => push!(i64::from(c.apply(slots[slot as usize], k))),
                Instruction::CompareSlots(c, a, b) => {
                    push!(i64::from(c.apply(slots[a as usize], slots[b as usize])))
                }
                Instruction::Offset(slot, k) => {
                    let (sum, overflow) = slots[slot as usize].overflowing_add(k);
                    *trap |= overflow;
                    push!(sum);
                }
                Instruction::Element { first, len } => {
                    let inside = (0..i64::from(len)).contains(&top);
                    *trap |= !inside;
                    top = if inside { slots[first as usize + top as usize] } else { 0 };
                }
                Instruction::Compare(c) => top = i64::from(c.apply(pop!(), top)),
                Instruction::Binary(op) => top = binary(op, pop!(), top, trap),
                Instruction::Unary(op) => top = unary(op, top, trap),
                Instruction::JumpIfFalse(target) => match top {
                    0 => at = target as usize,
                    _ => top = pop!(),
                },
                Instruction::JumpIfTrue(target) => match top {
                    0 => top = pop!(),
                    _ => at = target as usize,
                },
                Instruction::PopJumpIfFalse(target) => {
                    if top == 0 {
                        at = target as usize;
                    }
                    top = pop!();
                }
                Instruction::Jump(target) => at = target as usize,
            }
        }
        top
    }
}

fn binary(op: BinOp, x: i64, y: i64, trap: &mut bool) -> i64 {
    let (value, overflow) = match op {
        BinOp::Add => x.overflowing_add(y),
        BinOp::Sub => x.overflowing_sub(y),
        BinOp::Mul => x.overflowing_mul(y),
        BinOp::Mod => (x.rem_euclid(y), false),
        BinOp::FloorDiv => x.overflowing_div_euclid(y),
        _ => match clinch_terms::integers::integer_op(op, x, y) {
            Ok(value) => (value, false),
            Err(_) => (0, true),
        },
    };
    *trap |= overflow;
    value
}

fn unary(op: UnOp, x: i64, trap: &mut bool) -> i64 {
    match op {
        UnOp::Not => i64::from(x == 0),
        UnOp::BoolToInt => x,
        _ => clinch_terms::integers::unary_op(op, x).unwrap_or_else(|_| {
            *trap = true;
            0
        }),
    }
}

struct Compiler<'a> {
    program: &'a Program,
    terms: &'a Terms,
    slots: &'a SlotMap,
    out: Vec<Instruction>,
}

impl Compiler<'_> {
    fn emit(&mut self, term: Term) {
        if let Some(fused) = self.fused(term) {
            self.out.push(fused);
            return;
        }
        match self.terms.node(term) {
            Node::Bool(b) => self.out.push(Instruction::Constant(i64::from(b))),
            Node::Int(k) => self.out.push(Instruction::Constant(k)),
            Node::Var(_) => unreachable!("scalar variables are slots"),
            Node::At(..) => unreachable!("a fused comparison"),
            Node::Unary(op, a) => {
                self.emit(a);
                self.out.push(Instruction::Unary(op));
            }
            Node::Binary(BinOp::And, a, b) => self.short_circuit(a, b, Instruction::JumpIfFalse),
            Node::Binary(BinOp::Or, a, b) => self.short_circuit(a, b, Instruction::JumpIfTrue),
            Node::Binary(BinOp::Select, array, index) => {
                self.emit(index);
                let Node::Var(var) = self.terms.node(array) else {
                    unreachable!("reads over writes are resolved when terms are built")
                };
                let var = self.program.var(var);
                self.out.push(Instruction::Element { first: self.slots.cell(var.first_cell), len: var.cells() });
            }
            Node::Binary(op, a, b) => {
                self.emit(a);
                self.emit(b);
                self.out.push(match Compare::of(op) {
                    Some(compare) => Instruction::Compare(compare),
                    None => Instruction::Binary(op),
                });
            }
            Node::Ite(c, a, b) => {
                self.emit(c);
                let to_else = self.placeholder();
                self.emit(a);
                let to_end = self.placeholder();
                self.out[to_else] = Instruction::PopJumpIfFalse(self.here());
                self.emit(b);
                self.out[to_end] = Instruction::Jump(self.here());
            }
            node => unreachable!("{node:?} is not in the terms of a program"),
        }
    }

    fn short_circuit(&mut self, a: Term, b: Term, jump: fn(u32) -> Instruction) {
        self.emit(a);
        let skip = self.placeholder();
        self.emit(b);
        self.out[skip] = jump(self.here());
    }

    fn placeholder(&mut self) -> usize {
        self.out.push(Instruction::Jump(0));
        self.out.len() - 1
    }

    fn here(&self) -> u32 {
        self.out.len() as u32
    }

    /// A single instruction for the whole term, if there is one.
    fn fused(&self, term: Term) -> Option<Instruction> {
        if let Some(slot) = self.slot(term) {
            return Some(Instruction::Slot(slot));
        }
        match self.terms.node(term) {
            Node::At(process, location) => {
                Some(Instruction::CompareConstant(Compare::Eq, self.slots.process(process), i64::from(location.0)))
            }
            Node::Unary(UnOp::Not, a) => match self.fused(a)? {
                Instruction::CompareConstant(c, s, k) => Some(Instruction::CompareConstant(c.negated(), s, k)),
                Instruction::CompareSlots(c, a, b) => Some(Instruction::CompareSlots(c.negated(), a, b)),
                Instruction::Slot(s) => Some(Instruction::CompareConstant(Compare::Eq, s, 0)),
                _ => None,
            },
            Node::Binary(BinOp::Add, a, b) => match (self.slot(a), self.terms.node(b)) {
                (Some(slot), Node::Int(k)) => Some(Instruction::Offset(slot, k)),
                _ => None,
            },
            Node::Binary(BinOp::Sub, a, b) => match (self.slot(a), self.terms.node(b)) {
                (Some(slot), Node::Int(k)) => Some(Instruction::Offset(slot, k.checked_neg()?)),
                _ => None,
            },
            Node::Binary(op, a, b) => {
                let compare = Compare::of(op)?;
                match (self.slot(a), self.slot(b), self.terms.node(a), self.terms.node(b)) {
                    (Some(x), Some(y), ..) => Some(Instruction::CompareSlots(compare, x, y)),
                    (Some(x), _, _, Node::Int(k)) => Some(Instruction::CompareConstant(compare, x, k)),
                    (_, Some(y), Node::Int(k), _) => Some(Instruction::CompareConstant(compare.swapped(), y, k)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The slot a term reads: a scalar variable, or an element with a constant index inside its array.
    fn slot(&self, term: Term) -> Option<u32> {
        match self.terms.node(term) {
            Node::Var(v) => self.program.var(v).len.is_none().then(|| self.slots.cell(self.program.var(v).first_cell)),
            Node::Binary(BinOp::Select, array, index) => match (self.terms.node(array), self.terms.node(index)) {
                (Node::Var(v), Node::Int(i)) => {
                    let var = self.program.var(v);
                    let offset = u32::try_from(i).ok().filter(|&i| i < var.cells())?;
                    Some(self.slots.cell(var.first_cell + offset))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
