//! Blocks of random programs against the machine: the same inputs lead to the same end.

use clinch_ir::cfa::blocks::blocks_from;
use clinch_ir::cfa::unfold::{Destination, Step};
use clinch_ir::cfa::unfold::{Open, Unfolding};
use clinch_ir::cfa::{CfaProgram, EdgeId, Failure, InputId, ObjectId, ObjectKind, Op, ProcedureId};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{BinOp, LocId, Sort, Symbol, Term, Value};
use clinch_testing::{Build, ENTRY, EXIT, Random, set, store};
use rustc_hash::FxHashMap;

use crate::{InputRequest, InputSource, Limits, Machine, Stop};

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
        b.program.regions[0].starts_zero = true;
        b.object("a", 0x10000, 7, ObjectKind::Static);
        b.object("l", 0x10100, 8, ObjectKind::Local(START));
        b.program.objects.iter_mut().for_each(|object| object.regions.push(region));
        let site = b.nondet();
        let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut maker = Maker { b, random, globals, region, site, callees: vec![], locals: vec![], memory };
        for name in ["f", "k"] {
            let p = maker.b.procedure(name);
            let n = maker.b.param(p, "n", BYTE);
            maker.b.result(p, BYTE);
            maker.locals = vec![n, maker.b.local(p, "x", BYTE), maker.b.local(p, "y", BYTE)];
            // To the symbolic reading a variable that was not written holds anything, to the machine it is 0.
            let zero = maker.b.bv(8, 0);
            let cleared: Vec<Op> = maker.locals[1..].iter().map(|&local| set(local, zero)).collect();
            let first = maker.b.chain(p, ENTRY, cleared);
            let last = maker.statements(p, first, 2);
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
                let what = if self.random.below(3) == 0 { Op::Abort } else { Op::Error(Failure::assertion("bad")) };
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

/// What a run reads: it depends on the place alone, so that blocks and the machine read the same, in whatever order they ask.
struct Oracle(u64);

impl Oracle {
    fn byte(&self, place: u64) -> u64 {
        let mixed = (place ^ self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 61
    }

    fn at_edge(&self, procedure: ProcedureId, edge: EdgeId) -> u64 {
        self.byte(u64::from(procedure.0) << 32 | u64::from(edge.0))
    }

    fn in_memory(&self, address: u64) -> u64 {
        self.byte(address << 40)
    }
}

/// How a run ends: in an error, or quietly (a block says no more).
#[derive(PartialEq, Eq, Hash, Debug)]
enum End {
    Error(Failure),
    Quiet,
}

fn run_machine(program: &CfaProgram, oracle: &Oracle) -> Option<End> {
    let mut inputs = |request: &InputRequest| {
        Some(match request.source {
            InputSource::Memory { address, .. } => oracle.in_memory(address),
            InputSource::Site(_) => oracle.at_edge(request.at.procedure, request.at.edge.expect("an edge")),
        })
    };
    let machine = Machine::new(program);
    let limits = Limits { steps: 3000, depth: 100, interrupt: None };
    match machine.run(&mut machine.initial(), &mut inputs, &mut (), &limits).stop {
        Stop::Error(text) => Some(End::Error(text)),
        Stop::Exit(_) | Stop::Abort | Stop::Blocked => Some(End::Quiet),
        // Blocks do not see undefined behaviour.
        _ => None,
    }
}

/// What is open in a block, as the oracle says.
fn opened(program: &CfaProgram, unfolding: &Unfolding<'_>, block: &Step, oracle: &Oracle) -> Assignment {
    let mut values = Assignment::default();
    let mut cells = FxHashMap::default();
    for &Open { point, edge, symbol } in &block.effect.open {
        let procedure = unfolding.point(point).procedure;
        let bits = match program.procedure(procedure).edges[edge.index()].op {
            Op::Enter(object) => {
                let cell = cells.entry((point, edge)).or_insert(0);
                *cell += 1;
                oracle.in_memory(program.objects[object.index()].address + *cell - 1)
            }
            _ => oracle.at_edge(procedure, edge),
        };
        values.insert(symbol, Value::BitVec { width: 8, bits: bits.into() });
    }
    values
}

fn run_blocks(program: &CfaProgram, oracle: &Oracle) -> Option<End> {
    let mut terms = program.terms.clone();
    let mut unfolding = Unfolding::new(program, &mut terms);
    let mut state = Assignment::default();
    for &local in program.procedures.iter().flat_map(|p| p.params.iter().chain(&p.locals)) {
        state.insert(local, Value::BitVec { width: 8, bits: 0_u8.into() });
    }
    for (symbol, value) in unfolding.initial_values(&mut terms) {
        state.insert(symbol, evaluate(&terms, &state, value).expect("a constant"));
    }
    let mut at = unfolding.start();
    for _ in 0..200 {
        let blocks = blocks_from(&mut unfolding, &mut terms, at, 10_000).expect("small blocks");
        let mut full = state.clone();
        full.extend(blocks.first().map(|b| opened(program, &unfolding, b, oracle)).unwrap_or_default());
        let is_taken = |b: &&Step| evaluate(&terms, &full, b.effect.guard) == Some(Value::Bool(true));
        let taken: Vec<&Step> = blocks.iter().filter(is_taken).collect();
        assert!(taken.len() <= 1, "blocks exclude each other");
        let Some(block) = taken.first() else { return Some(End::Quiet) };
        match block.target {
            Destination::Point(to) => at = to,
            Destination::End => return Some(End::Quiet),
            Destination::Open(..) => return None,
            Destination::Error(procedure, edge) => match &program.procedure(procedure).edges[edge.index()].op {
                Op::Error(text) => return Some(End::Error(text.clone())),
                op => panic!("{op:?} is no error"),
            },
        }
        for &(symbol, term) in &block.effect.updates {
            state.insert(symbol, evaluate(&terms, &full, term).expect("a value"));
        }
    }
    None
}

#[test]
fn blocks_do_what_the_machine_does() {
    let mut ends = FxHashMap::<End, u32>::default();
    for seed in 0..3000 {
        let program = Maker::program(seed, seed % 2 == 0);
        let oracle = Oracle(seed + 77);
        let (Some(machine), Some(blocks)) = (run_machine(&program, &oracle), run_blocks(&program, &oracle)) else {
            continue;
        };
        assert_eq!(machine, blocks, "seed {seed}");
        *ends.entry(machine).or_default() += 1;
    }
    assert!(ends[&End::Error(Failure::assertion("bad"))] > 300 && ends[&End::Quiet] > 300, "{ends:?}");
}
