//! A slow interpreter that keeps each region in a memory of its own, as the symbolic reading does. Where it and the machine,
//! which has one flat memory, agree, no pointer has confused two regions.

use std::collections::HashMap;

use clinch_ir::cfa::{Assign, CfaProgram, ObjectKind, Op, ProcedureId, Target};
use clinch_machine::format::{Argument, format};
use clinch_terms::float::{extended, value as float};
use clinch_terms::{BinOp, LocId, Node, Symbol, Term, UnOp};

/// How a run ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exit(u64),
    Abort,
    Error(String),
    Blocked,
    Undefined,
    Unsupported,
    Steps,
}

struct Frame {
    procedure: ProcedureId,
    at: LocId,
    values: HashMap<Symbol, u64>,
    result: Option<Symbol>,
}

/// A run.
pub(crate) struct Apart<'p> {
    program: &'p CfaProgram,
    successors: Vec<Vec<Vec<usize>>>,
    globals: HashMap<Symbol, u64>,
    cells: HashMap<(Symbol, u64), u64>,
    frames: Vec<Frame>,
    next: u64,
    blocks: HashMap<u64, u64>,
    pub(crate) output: Vec<u8>,
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn signed(width: u32, x: u64) -> i64 {
    ((x << (64 - width)) as i64) >> (64 - width)
}

impl<'p> Apart<'p> {
    pub(crate) fn new(program: &'p CfaProgram) -> Self {
        let successors = program
            .procedures
            .iter()
            .map(|p| p.successors().iter().map(|s| s.iter().map(|e| e.index()).collect()).collect());
        let mut apart = Apart {
            program,
            successors: successors.collect(),
            globals: HashMap::new(),
            cells: HashMap::new(),
            frames: Vec::new(),
            next: 0x4000_0000,
            blocks: HashMap::new(),
            output: Vec::new(),
        };
        for global in &program.globals {
            let Node::BitVec(_, value) = program.terms.node(global.init) else { panic!("a constant") };
            apart.globals.insert(global.symbol, value);
        }
        let literals = program.objects.iter().filter(|o| o.kind == ObjectKind::Literal);
        for object in literals {
            for region in &program.regions {
                // A literal is in the region that reads it: all of them see it.
                for start in (0..object.bytes.len()).step_by(1) {
                    let bytes = (0..region.cell_bytes as usize).rev();
                    let value = bytes.fold(0, |v, i| v << 8 | u64::from(*object.bytes.get(start + i).unwrap_or(&0)));
                    apart.cells.insert((region.symbol, object.address + start as u64), value);
                }
            }
        }
        apart.frames.push(apart.frame(program.entry, &[], None));
        apart
    }

    fn frame(&self, procedure: ProcedureId, args: &[u64], result: Option<Symbol>) -> Frame {
        let p = self.program.procedure(procedure);
        Frame { procedure, at: p.entry, values: p.params.iter().copied().zip(args.iter().copied()).collect(), result }
    }

    fn get(&self, symbol: Symbol) -> u64 {
        let frame = self.frames.last().expect("a frame");
        frame.values.get(&symbol).or_else(|| self.globals.get(&symbol)).copied().unwrap_or(0)
    }

    fn set(&mut self, symbol: Symbol, value: u64) {
        if let Some(global) = self.globals.get_mut(&symbol) {
            *global = value;
        } else {
            self.frames.last_mut().expect("a frame").values.insert(symbol, value);
        }
    }

    /// The string at an address, in whichever region of characters has one.
    fn string(&self, address: u64, limit: Option<usize>) -> Vec<u8> {
        let characters = self.program.regions.iter().filter(|r| r.cell_bytes == 1).map(|r| r.symbol);
        let at = |region: Symbol, i: u64| self.cells.get(&(region, address + i)).map(|&c| c as u8);
        let texts = characters.map(|r| (0..).map_while(|i| at(r, i).filter(|&c| c != 0)).collect::<Vec<u8>>());
        let mut text = texts.max_by_key(Vec::len).unwrap_or_default();
        text.truncate(limit.unwrap_or(usize::MAX));
        text
    }

    fn width(&self, term: Term) -> u32 {
        self.program.terms.bv_width(term)
    }

    fn value(&self, term: Term) -> u64 {
        let terms = &self.program.terms;
        match terms.node(term) {
            Node::Bool(b) => u64::from(b),
            Node::BitVec(_, v) => v,
            Node::Symbol(s) => self.get(s),
            Node::Unary(UnOp::Not, a) => 1 - self.value(a),
            Node::Unary(UnOp::BvNot, a) => !self.value(a) & mask(self.width(a)),
            Node::Unary(UnOp::Float(op, format), a) => float::unary(op, format, self.width(a), self.value(a)),
            Node::Unary(UnOp::BvNeg, a) => self.value(a).wrapping_neg() & mask(self.width(a)),
            Node::Binary(BinOp::Select, array, index) => {
                let Node::Symbol(region) = terms.node(array) else { panic!("a region") };
                self.cells.get(&(region, self.value(index))).copied().unwrap_or(0)
            }
            Node::Binary(BinOp::And, a, b) => u64::from(self.value(a) == 1 && self.value(b) == 1),
            Node::Binary(BinOp::Or, a, b) => u64::from(self.value(a) == 1 || self.value(b) == 1),
            Node::Binary(BinOp::Eq, a, b) => u64::from(self.wide(a) == self.wide(b)),
            Node::Unary(UnOp::Extended(_), _) | Node::Binary(BinOp::Extended(_), ..) => self.wide(term) as u64,
            Node::Fma(format, a, b, c) => float::fma(format, self.value(a), self.value(b), self.value(c)),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Ite(c, a, b) => {
                if self.value(c) == 1 {
                    self.value(a)
                } else {
                    self.value(b)
                }
            }
            Node::Extract { hi, lo, of } => (self.wide(of) >> lo) as u64 & mask(hi - lo + 1),
            Node::Extend { signed: false, of, .. } => self.value(of),
            Node::Extend { by, of, .. } => {
                let width = self.width(of);
                signed(width, self.value(of)) as u64 & mask(width + by)
            }
            node => panic!("{node:?} in a program"),
        }
    }

    /// A value of up to 128 bits: extended precision has 80.
    fn wide(&self, term: Term) -> u128 {
        let terms = &self.program.terms;
        match terms.node(term) {
            Node::BigBitVec(..) => {
                let (_, bits) = terms.as_bit_vec(term).expect("a constant");
                bits.iter_u64_digits().rev().fold(0, |all, digit| all << 64 | u128::from(digit))
            }
            Node::Binary(BinOp::BvConcat, a, b) => self.wide(a) << terms.bv_width(b) | self.wide(b),
            Node::Unary(UnOp::Extended(op), a) => extended::unary(op, self.width(a), self.wide(a)),
            Node::Binary(BinOp::Extended(op), a, b) => extended::binary(op, self.wide(a), self.wide(b)),
            Node::Ite(c, a, b) => self.wide(if self.value(c) == 1 { a } else { b }),
            _ => self.value(term).into(),
        }
    }

    fn binary(&self, op: BinOp, a: Term, b: Term) -> u64 {
        let width = self.width(a);
        let (x, y) = (self.value(a), self.value(b));
        let (i, j) = (signed(width, x), signed(width, y));
        let value = match op {
            BinOp::BvAdd => x.wrapping_add(y),
            BinOp::BvSub => x.wrapping_sub(y),
            BinOp::BvMul => x.wrapping_mul(y),
            BinOp::BvUdiv => x.checked_div(y).unwrap_or(u64::MAX),
            BinOp::BvUrem => x.checked_rem(y).unwrap_or(x),
            BinOp::BvSdiv => i.checked_div(j).unwrap_or(-1) as u64,
            BinOp::BvSrem => i.checked_rem(j).unwrap_or(i) as u64,
            BinOp::BvAnd => x & y,
            BinOp::BvOr => x | y,
            BinOp::BvXor => x ^ y,
            BinOp::BvShl => {
                if y < u64::from(width) {
                    x << y
                } else {
                    0
                }
            }
            BinOp::BvLshr => {
                if y < u64::from(width) {
                    x >> y
                } else {
                    0
                }
            }
            BinOp::BvAshr => (i >> y.min(63)) as u64,
            BinOp::BvConcat => return x << self.width(b) | y,
            BinOp::BvUlt => return u64::from(x < y),
            BinOp::BvUle => return u64::from(x <= y),
            BinOp::BvSlt => return u64::from(i < j),
            BinOp::BvSle => return u64::from(i <= j),
            BinOp::Float(op, format) => return float::binary(op, format, x, y),
            op => panic!("{op:?} in a program"),
        };
        value & mask(width)
    }

    /// Runs to the end. Inputs are asked for by their number.
    pub(crate) fn run(&mut self, mut input: impl FnMut(u32) -> u64, mut steps: u64) -> End {
        loop {
            steps -= 1;
            if steps == 0 {
                return End::Steps;
            }
            let frame = self.frames.last().expect("a frame");
            let procedure = self.program.procedure(frame.procedure);
            let out = &self.successors[frame.procedure.index()][frame.at.index()];
            let enabled = out.iter().copied().find(|&e| match procedure.edges[e].op {
                Op::Assume(c) => self.value(c) == 1,
                _ => true,
            });
            let Some(edge) = enabled else { return End::Blocked };
            let edge = &procedure.edges[edge];
            self.frames.last_mut().expect("a frame").at = edge.to;
            if let Some(end) = self.step(&edge.op, &mut input) {
                return end;
            }
        }
    }

    fn assign(&mut self, assigns: &[Assign]) {
        let values: Vec<(Target, u64, u64)> = assigns
            .iter()
            .map(|a| match a.target {
                Target::Cell(_, address) => (a.target, self.value(address), self.value(a.value)),
                target => (target, 0, self.value(a.value)),
            })
            .collect();
        for (target, address, value) in values {
            match target {
                Target::Var(s) => self.set(s, value),
                Target::Cell(s, _) => drop(self.cells.insert((s, address), value)),
            }
        }
    }

    fn step(&mut self, op: &Op, input: &mut impl FnMut(u32) -> u64) -> Option<End> {
        match op {
            Op::Assign(assigns) => self.assign(assigns),
            Op::Input(s, _) => {
                let width = match self.program.terms.symbol_sort(*s) {
                    clinch_terms::Sort::BitVec(w) => *w,
                    other => panic!("{other} as an input"),
                };
                let value = input(width) & mask(width);
                self.set(*s, value);
            }
            Op::Call { callee, args, result } => {
                let args: Vec<u64> = args.iter().map(|&a| self.value(a)).collect();
                let frame = self.frame(*callee, &args, *result);
                self.frames.push(frame);
            }
            Op::Return(value) => {
                let value = value.map(|v| self.value(v));
                let frame = self.frames.pop().expect("a frame");
                if let (Some(symbol), Some(value)) = (frame.result, value) {
                    self.set(symbol, value);
                }
            }
            Op::Alloc { target, size, .. } => {
                let (address, size) = (self.next, self.value(*size));
                self.next += (size + 64).next_multiple_of(16);
                self.blocks.insert(address, size);
                self.set(*target, address);
            }
            Op::BlockSize(s, address) => {
                let size = self.blocks.get(&self.value(*address)).copied().unwrap_or(0);
                self.set(*s, size);
            }
            Op::Print(print) => {
                let argument = |&a: &Term| Argument { bits: self.value(a), width: self.width(a) as u8, known: true };
                let args: Vec<Argument> = print.args.iter().map(argument).collect();
                let mut string = |address, limit: Option<usize>| Ok::<_, ()>(self.string(address, limit));
                let text = format(&print.format, &args, self.program.pointer_bits, &mut string).expect("a format");
                self.output.extend(text);
            }
            Op::Error(what) => return Some(End::Error(what.text.clone())),
            Op::Exit(status) => return Some(End::Exit(self.value(*status))),
            Op::Abort => return Some(End::Abort),
            Op::Unsupported(_) => return Some(End::Unsupported),
            Op::Undefined(_) => return Some(End::Undefined),
            Op::Skip | Op::SameObject(..) | Op::Assume(_) | Op::Enter(_) | Op::Leave(_) | Op::Free(_) => {}
        }
        None
    }
}
