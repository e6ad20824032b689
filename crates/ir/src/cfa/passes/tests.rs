//! Passes on random programs: the same inputs lead to the same end.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{
    Answer, InlineLimits, LargeBlocks, Transformed, inline, large_blocks, propagate_constants, remove_dead, slice,
};
use crate::cfa::testing::{Build, ENTRY, EXIT, Random, set, store};
use crate::cfa::{CfaProgram, InputId, ObjectId, ObjectKind, Op, ProcedureId};
use crate::horn::evaluate;
use crate::machine::{InputRequest, InputSource, Limits, Machine, Stop};
use crate::program::LocId;
use crate::sort::{Sort, Value};
use crate::term::{BinOp, Symbol, Term};

const START: ProcedureId = ProcedureId(0);
const BYTE: Sort = Sort::BitVec(8);

/// Random programs of nested statements over bytes.
struct Maker {
    b: Build,
    random: Random,
    globals: Vec<Symbol>,
    region: Symbol,
    site: InputId,
    /// The procedures that may be called.
    callees: Vec<ProcedureId>,
    locals: Vec<Symbol>,
    memory: bool,
}

impl Maker {
    fn program(seed: u64, memory: bool) -> CfaProgram {
        let mut b = Build::new();
        let five = b.bv(8, 5);
        let globals = vec![b.global("g", BYTE, five), b.global("h", BYTE, five)];
        let region = b.region("r", 1);
        b.object("a", 0x10000, 7, ObjectKind::Static);
        b.object("l", 0x10100, 8, ObjectKind::Local(START));
        let site = b.nondet();
        let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut maker = Maker { b, random, globals, region, site, callees: vec![], locals: vec![], memory };
        for name in ["f", "k"] {
            let p = maker.b.procedure(name);
            let n = maker.b.param(p, "n", BYTE);
            maker.b.result(p, BYTE);
            maker.locals = vec![n, maker.b.local(p, "x", BYTE), maker.b.local(p, "y", BYTE)];
            let last = maker.statements(p, ENTRY, 2);
            let value = maker.term(2);
            maker.b.edge(p, last, EXIT, Op::Return(Some(value)));
            maker.callees.push(p);
        }
        maker.locals = ["x", "y", "z", "c"].map(|n| maker.b.local(START, n, BYTE)).to_vec();
        let first = maker.b.chain(START, ENTRY, [Op::Enter(ObjectId(1))]);
        let last = maker.statements(START, first, 3);
        let value = maker.term(2);
        maker.b.end(START, last, Op::Exit(value));
        maker.b.program
    }

    fn symbol(&mut self) -> Symbol {
        let all = self.locals.len() + self.globals.len();
        let i = self.random.below(all as u64) as usize;
        self.locals.get(i).copied().unwrap_or_else(|| self.globals[i - self.locals.len()])
    }

    fn term(&mut self, depth: u32) -> Term {
        let choice = if depth == 0 { self.random.below(3) } else { self.random.below(10) };
        match choice {
            0 => {
                let value = self.random.below(5) as i64;
                self.b.bv(8, value)
            }
            1 | 2 => {
                let symbol = self.symbol();
                self.b.var(symbol)
            }
            9 if self.memory => {
                let address = self.address();
                self.b.load(self.region, address)
            }
            8 if self.random.below(2) == 0 => {
                let condition = self.condition(depth - 1);
                let (a, b) = (self.term(depth - 1), self.term(depth - 1));
                self.b.program.terms.ite(condition, a, b)
            }
            _ => {
                use BinOp::{BvAdd, BvAnd, BvMul, BvOr, BvShl, BvSub, BvUdiv, BvXor};
                // Few operations that may be undefined: runs are to get far.
                let ops = [BvAdd, BvSub, BvMul, BvAnd, BvXor, BvOr, BvAdd, BvSub, BvAnd, BvUdiv, BvAdd, BvShl];
                let op = ops[self.random.below(ops.len() as u64) as usize];
                let (a, b) = (self.term(depth - 1), self.term(depth - 1));
                self.b.op(op, a, b)
            }
        }
    }

    /// An element of one of the objects, or one beyond the first.
    fn address(&mut self) -> Term {
        let index = self.term(0);
        let seven = self.b.bv(8, 7);
        let index = self.b.op(BinOp::BvAnd, index, seven);
        let wide = self.b.program.terms.zero_extend(56, index);
        let base = self.b.bv(64, if self.random.below(3) == 0 { 0x10100 } else { 0x10000 });
        self.b.op(BinOp::BvAdd, wide, base)
    }

    fn condition(&mut self, depth: u32) -> Term {
        let (a, b) = (self.term(depth), self.term(depth));
        match self.random.below(4) {
            0 => self.b.program.terms.eq(a, b),
            1 => self.b.program.terms.bv_ult(a, b),
            2 => self.b.program.terms.bv_sle(a, b),
            _ => {
                let (x, y) = (self.b.program.terms.bv_ule(a, b), self.b.program.terms.eq(a, b));
                self.b.program.terms.and(x, y)
            }
        }
    }

    fn statements(&mut self, p: ProcedureId, mut at: LocId, depth: u32) -> LocId {
        for _ in 0..1 + self.random.below(4) {
            at = self.statement(p, at, depth);
        }
        at
    }

    fn statement(&mut self, p: ProcedureId, at: LocId, depth: u32) -> LocId {
        let target = self.symbol();
        match self.random.below(if depth == 0 { 8 } else { 13 }) {
            0..=3 => {
                let value = self.term(2);
                self.b.chain(p, at, [set(target, value)])
            }
            4 => self.b.chain(p, at, [Op::Input(target, self.site)]),
            5 if self.memory => {
                let (address, value) = (self.address(), self.term(1));
                self.b.chain(p, at, [store(self.region, address, value)])
            }
            6 if !self.callees.is_empty() => {
                let callee = self.callees[self.random.below(self.callees.len() as u64) as usize];
                let args = vec![self.term(1)];
                self.b.chain(p, at, [Op::Call { callee, args, result: Some(target) }])
            }
            5..=7 => {
                let condition = self.condition(1);
                let (bad, good) = self.b.branch(p, at, condition);
                let what = if self.random.below(3) == 0 { Op::Abort } else { Op::Error("bad".to_owned()) };
                self.b.end(p, bad, what);
                good
            }
            8 => {
                let condition = self.condition(1);
                self.b.chain(p, at, [Op::Assume(condition)])
            }
            9 | 10 => {
                let condition = self.condition(1);
                let (yes, no) = self.b.branch(p, at, condition);
                let (yes, no) = (self.statements(p, yes, depth - 1), self.statements(p, no, depth - 1));
                let join = self.b.chain(p, yes, [Op::Skip]);
                self.b.edge(p, no, join, Op::Skip);
                join
            }
            _ => {
                let head = self.b.chain(p, at, [Op::Skip]);
                let condition = self.condition(1);
                let (body, out) = self.b.branch(p, head, condition);
                let end = self.statements(p, body, depth - 1);
                self.b.edge(p, end, head, Op::Skip);
                out
            }
        }
    }
}

const LIMITS: Limits<'static> = Limits { steps: 3000, depth: 100, interrupt: None };

fn run(program: &CfaProgram, mut input: impl FnMut(&InputRequest) -> u64) -> (Vec<Answer>, Stop) {
    let mut answers = Vec::new();
    let mut inputs = |request: &InputRequest| {
        let value = input(request);
        answers.push((request.clone(), value));
        Some(value)
    };
    let machine = Machine::new(program);
    let stop = machine.run(&mut machine.initial(), &mut inputs, &mut (), &LIMITS).stop;
    (answers, stop)
}

/// Runs the new program with the inputs of a run of the old one.
fn forth(new: &Transformed, answers: &[Answer]) -> Stop {
    let mut sites = VecDeque::new();
    let mut memory = FxHashMap::default();
    for (request, value) in answers {
        match request.source {
            InputSource::Memory { address, .. } => _ = memory.insert(address, *value),
            InputSource::Site(_) => {
                let edge = request.at.edge.expect("an edge");
                if !new.back.dropped.contains(&(request.at.procedure, edge)) {
                    sites.push_back(*value);
                }
            }
        }
    }
    let (_, stop) = run(&new.program, |request| match request.source {
        InputSource::Memory { address, .. } => memory.get(&address).copied().unwrap_or(0),
        InputSource::Site(_) => sites.pop_front().unwrap_or(0),
    });
    stop
}

/// Every run of either program is one of the other.
fn is_exact(pass: impl Fn(&CfaProgram) -> Transformed) {
    let mut ends = FxHashMap::<String, u32>::default();
    for seed in 0..600 {
        let program = Maker::program(seed, seed % 2 == 0);
        let new = pass(&program);
        let mut random = Random(seed + 77);
        for _ in 0..4 {
            let (answers, stop) = run(&program, |_| random.below(8));
            let other = forth(&new, &answers);
            let limit = |s: &Stop| matches!(s, Stop::Limit(_));
            assert!(limit(&stop) || limit(&other) || stop == other, "seed {seed}: {stop:?} became {other:?}");
            let (answers, stop) = run(&new.program, |_| random.below(8));
            let (_, old) = new.back.inputs(&program, &answers, &LIMITS);
            assert!(limit(&stop) || limit(&old.stop) || stop == old.stop, "seed {seed}: {stop:?} was {old:?}");
            *ends.entry(format!("{stop:?}").chars().take(5).collect()).or_default() += 1;
        }
        for (procedure, locations) in new.program.procedures.iter().zip(&new.back.locations) {
            assert_eq!(procedure.locations.len(), locations.len());
        }
    }
    assert!(ends["Error"] > 100 && ends["Exit("] > 100 && ends["Undef"] > 20, "{ends:?}");
}

#[test]
fn dead_variables_change_no_run() {
    is_exact(remove_dead);
}

#[test]
fn constants_change_no_run() {
    is_exact(propagate_constants);
}

#[test]
fn inlining_changes_no_run() {
    is_exact(|p| inline(p, &InlineLimits::default()));
    is_exact(|p| inline(p, &InlineLimits { callee_edges: 10, caller_edges: 40 }));
}

/// `for (i = 0; i < 2; i++) sum += f();` where `f` is `{ x = x + 1; return x; }`: each call has an `x` of its own.
#[test]
fn each_call_starts_anew() {
    let mut b = Build::new();
    let f = b.procedure("f");
    let x = b.local(f, "x", BYTE);
    b.result(f, BYTE);
    let (tx, zero, one, two) = (b.var(x), b.bv(8, 0), b.bv(8, 1), b.bv(8, 2));
    let next = b.op(BinOp::BvAdd, tx, one);
    let last = b.chain(f, ENTRY, [set(x, next)]);
    b.edge(f, last, EXIT, Op::Return(Some(tx)));
    let (i, r, sum) = (b.local(START, "i", BYTE), b.local(START, "r", BYTE), b.local(START, "sum", BYTE));
    let (ti, tr, ts) = (b.var(i), b.var(r), b.var(sum));
    let head = b.chain(START, ENTRY, [set(i, zero), set(sum, zero)]);
    let less = b.op(BinOp::BvUlt, ti, two);
    let (body, out) = b.branch(START, head, less);
    let (next_sum, next_i) = (b.op(BinOp::BvAdd, ts, tr), b.op(BinOp::BvAdd, ti, one));
    let call = Op::Call { callee: f, args: vec![], result: Some(r) };
    let last = b.chain(START, body, [call, set(sum, next_sum)]);
    b.edge(START, last, head, set(i, next_i));
    b.end(START, out, Op::Exit(ts));
    let new = inline(&b.program, &InlineLimits::default());
    assert_eq!(run(&b.program, |_| 0).1, Stop::Exit(2));
    assert_eq!(run(&new.program, |_| 0).1, Stop::Exit(2));
}

#[test]
fn passes_compose() {
    let edges = |p: &CfaProgram| p.procedures[0].edges.len();
    let (mut before, mut after) = (0, 0);
    for seed in 0..100 {
        let program = Maker::program(seed, true);
        let inlined = inline(&program, &InlineLimits::default());
        let constant = propagate_constants(&inlined.program);
        let dead = remove_dead(&constant.program);
        before += edges(&inlined.program);
        after += edges(&dead.program);
        let mut random = Random(seed + 5);
        let (answers, stop) = run(&dead.program, |_| random.below(8));
        let (answers, _) = dead.back.inputs(&constant.program, &answers, &LIMITS);
        let (answers, _) = constant.back.inputs(&inlined.program, &answers, &LIMITS);
        let (_, old) = inlined.back.inputs(&program, &answers, &LIMITS);
        let limit = matches!(stop, Stop::Limit(_)) || matches!(old.stop, Stop::Limit(_));
        assert!(limit || stop == old.stop, "seed {seed}: {stop:?} was {old:?}");
    }
    assert!(after < before, "{after} of {before}");
}

#[test]
fn slices_reach_every_error() {
    let (mut errors, mut smaller) = (0, 0);
    for seed in 0..1500 {
        let program = Maker::program(seed, seed % 2 == 0);
        let new = slice(&program);
        let edges = |p: &CfaProgram| p.procedures.iter().map(|p| p.edges.len()).sum::<usize>();
        smaller += usize::from(edges(&new.program) < edges(&program));
        let mut random = Random(seed + 77);
        for _ in 0..4 {
            let (answers, stop) = run(&program, |_| random.below(8));
            if matches!(stop, Stop::Error(_)) {
                errors += 1;
                assert_eq!(forth(&new, &answers), stop, "seed {seed}");
            }
        }
    }
    assert!(errors > 300 && smaller > 1000, "{errors} {smaller}");
}

#[test]
fn a_loop_beside_the_point_is_sliced_away() {
    let mut b = Build::new();
    let (i, x) = (b.local(START, "i", BYTE), b.local(START, "x", BYTE));
    let site = b.nondet();
    let (ti, tx, zero, one, ten) = (b.var(i), b.var(x), b.bv(8, 0), b.bv(8, 1), b.bv(8, 10));
    let head = b.chain(START, ENTRY, [Op::Input(x, site), set(i, zero)]);
    let less = b.op(BinOp::BvUlt, ti, ten);
    let (body, out) = b.branch(START, head, less);
    let next = b.op(BinOp::BvAdd, ti, one);
    b.edge(START, body, head, set(i, next));
    let is = b.program.terms.eq(tx, ten);
    let (bad, good) = b.branch(START, out, is);
    b.end(START, bad, Op::Error("x".to_owned()));
    b.edge(START, good, EXIT, Op::Skip);
    let new = slice(&b.program);
    // The input, two conditions and the error; the last step collapses into the exit.
    assert_eq!(new.program.procedures[0].edges.len(), 4);
    assert_eq!(run(&new.program, |_| 10).1, Stop::Error("x".to_owned()));
}

/// Executes blocks of the first procedure, which has no calls.
fn run_blocks(program: &CfaProgram, large: &LargeBlocks, random: &mut Random) -> Option<(Vec<u64>, Op)> {
    let procedure = program.procedure(START);
    let mut state = FxHashMap::default();
    let value = |bits: u64| Value::BitVec { width: 8, bits: bits.into() };
    for &local in &procedure.locals {
        state.insert(local, value(0));
    }
    for global in &program.globals {
        state.insert(global.symbol, value(5));
    }
    let mut at = procedure.entry;
    let mut taken = Vec::new();
    for _ in 0..200 {
        if let Some(edge) = large.edges.iter().map(|e| &procedure.edges[e.index()]).find(|e| e.from == at) {
            match &edge.op {
                Op::Enter(_) => at = edge.to,
                op => return Some((taken, op.clone())),
            }
            continue;
        }
        let own: Vec<_> = large.blocks.iter().filter(|b| b.from == at).collect();
        let mut full = state.clone();
        for input in own.first().map_or(&[][..], |b| &b.inputs) {
            full.insert(input.symbol, value(random.below(8)));
        }
        let enabled: Vec<_> =
            own.iter().filter(|b| evaluate(&program.terms, &full, b.guard) == Some(Value::Bool(true))).collect();
        assert!(enabled.len() <= 1, "blocks exclude each other");
        let Some(block) = enabled.first() else { return Some((taken, Op::Skip)) };
        for &(symbol, term) in &block.updates {
            state.insert(symbol, evaluate(&program.terms, &full, term).expect("a value"));
        }
        // Which inputs were on the way is told by the run of the machine below.
        taken.extend(
            block
                .inputs
                .iter()
                .map(|i| match &full[&i.symbol] {
                    Value::BitVec { bits, .. } => (u64::try_from(bits.clone()).expect("a byte"), i.edge),
                    other => panic!("{other}"),
                })
                .map(|(bits, edge)| bits << 32 | u64::from(edge.0)),
        );
        at = block.to;
    }
    None
}

#[test]
fn blocks_do_what_their_edges_do() {
    let mut compared = 0;
    for seed in 0..400 {
        let program = Maker::program(seed, false);
        // Without calls.
        let mut program = inline(&program, &InlineLimits { callee_edges: 10_000, caller_edges: 100_000 }).program;
        let large = large_blocks(&mut program, START);
        let mut random = Random(seed + 3);
        let Some((taken, end)) = run_blocks(&program, &large, &mut random) else { continue };
        // The inputs of each block in turn, by their edges: those off the way are passed over.
        let mut next = 0;
        let (_, stop) = run(&program, |request| {
            let edge = u64::from(request.at.edge.expect("an edge").0);
            while next < taken.len() && taken[next] & 0xffff_ffff != edge {
                next += 1;
            }
            next += 1;
            taken.get(next - 1).map_or(0, |t| t >> 32)
        });
        let same = match (&stop, &end) {
            // Blocks know no undefined behaviour.
            (Stop::Undefined(_) | Stop::Limit(_), _) => continue,
            (Stop::Error(a), Op::Error(b)) => a == b,
            (Stop::Exit(_), Op::Exit(_)) | (Stop::Abort, Op::Abort) | (Stop::Blocked, Op::Skip) => true,
            _ => false,
        };
        assert!(same, "seed {seed}: {stop:?} and {end:?}");
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}
