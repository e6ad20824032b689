//! Iterations that are skipped: the run ends as it does when all of them are executed.

use clinch_ir::cfa::{Op, ProcedureId};
use clinch_terms::{BinOp, LocId, Sort, Symbol, Term};
use clinch_testing::{Build, ENTRY, EXIT, Random, set};

use crate::{InputList, Limit, Limits, Machine, Outcome, Stop};

const START: ProcedureId = ProcedureId(0);

/// How a run ends: at once, and in pieces that are too short for iterations to be skipped.
fn both_ways(build: &Build) -> [Outcome; 2] {
    let machine = Machine::new(&build.program);
    let run = |piece: u64| {
        let (mut state, mut none) = (machine.initial(), InputList::new(Vec::new()));
        loop {
            let limits = Limits { steps: state.steps().saturating_add(piece), ..Limits::default() };
            let outcome = machine.run(&mut state, &mut none, &mut (), &limits);
            if outcome.stop != Stop::Limit(Limit::Steps) {
                return outcome;
            }
        }
    };
    [run(u64::MAX), run(1000)]
}

/// How a run ends, and after how many steps.
fn end(build: &Build) -> (Stop, u64) {
    let machine = Machine::new(&build.program);
    let mut state = machine.initial();
    let outcome = machine.run(&mut state, &mut InputList::new(Vec::new()), &mut (), &Limits::default());
    (outcome.stop, state.steps())
}

/// A loop from `head`, which is entered from `at`, as long as the condition holds; the body leads back. Where it is left.
fn while_loop(
    b: &mut Build,
    p: ProcedureId,
    at: LocId,
    condition: Term,
    body: impl FnOnce(&mut Build, LocId) -> LocId,
) -> LocId {
    let head = b.location(p);
    b.edge(p, at, head, Op::Skip);
    let (inside, out) = b.branch(p, head, condition);
    let last = body(b, inside);
    b.edge(p, last, head, Op::Skip);
    out
}

fn add(b: &mut Build, width: u32, symbol: Symbol, number: i64) -> Op {
    let (now, number) = (b.var(symbol), b.bv(width, number));
    let sum = b.op(BinOp::BvAdd, now, number);
    set(symbol, sum)
}

/// `for (x = 0; x < n; x += 3) for (y = 0; y < 10; y++) z++; exit(z)`.
fn nested(n: i64) -> Build {
    let mut b = Build::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| b.local(START, name, Sort::BitVec(64)));
    let (zero, bound, ten) = (b.bv(64, 0), b.bv(64, n), b.bv(64, 10));
    let (tx, ty, tz) = (b.var(x), b.var(y), b.var(z));
    let at = b.chain(START, ENTRY, [set(x, zero), set(z, zero)]);
    let (outer, inner) = (b.op(BinOp::BvUlt, tx, bound), b.op(BinOp::BvUlt, ty, ten));
    let out = while_loop(&mut b, START, at, outer, |b, at| {
        let at = b.chain(START, at, [set(y, zero)]);
        let at = while_loop(b, START, at, inner, |b, at| {
            let (next_y, next_z) = (add(b, 64, y, 1), add(b, 64, z, 1));
            b.chain(START, at, [next_z, next_y])
        });
        let next = add(b, 64, x, 3);
        b.chain(START, at, [next])
    });
    b.end(START, out, Op::Exit(tz));
    b
}

#[test]
fn loops_whose_end_nobody_would_live_to_see() {
    let [(_, ten), (_, eleven)] = [30, 33].map(|n| end(&nested(n)));
    let iterations = 1 << 55;
    let (stop, steps) = end(&nested(3 * iterations));
    assert_eq!(stop, Stop::Exit(10 * iterations));
    assert_eq!(steps, ten + (iterations as u64 - 10) * (eleven - ten));
}

/// `while (x < 10^12) x = twice(x + 1) - x;` with `twice(v) { return v + v; }`.
#[test]
fn calls_are_followed() {
    let mut b = Build::new();
    let twice = b.procedure("twice");
    let v = b.param(twice, "v", Sort::BitVec(64));
    b.result(twice, Sort::BitVec(64));
    let tv = b.var(v);
    let sum = b.op(BinOp::BvAdd, tv, tv);
    b.edge(twice, ENTRY, EXIT, Op::Return(Some(sum)));
    let [x, r] = ["x", "r"].map(|name| b.local(START, name, Sort::BitVec(64)));
    let (tx, tr, zero, one, bound) = (b.var(x), b.var(r), b.bv(64, 0), b.bv(64, 1), b.bv(64, 1_000_000_000_001));
    let at = b.chain(START, ENTRY, [set(x, zero)]);
    let less = b.op(BinOp::BvUlt, tx, bound);
    let (argument, next) = (b.op(BinOp::BvAdd, tx, one), b.op(BinOp::BvSub, tr, tx));
    let out = while_loop(&mut b, START, at, less, |b, at| {
        let call = Op::Call { callee: twice, args: vec![argument], result: Some(r) };
        b.chain(START, at, [call, set(x, next)])
    });
    b.end(START, out, Op::Exit(tx));
    assert_eq!(end(&b).0, Stop::Exit(1_000_000_000_002));
}

/// A statement over variables of 16 bits, and one of 32.
fn statement(b: &mut Build, random: &mut Random, small: &[Symbol], wide: Symbol, at: LocId) -> LocId {
    let pick = |random: &mut Random| small[random.below(small.len() as u64) as usize];
    let number = |random: &mut Random| random.below(7) as i64 - 3;
    let (target, other) = (pick(random), pick(random));
    let (now, that) = (b.var(target), b.var(other));
    match random.below(7) {
        0 | 1 => {
            let op = add(b, 16, target, number(random));
            b.chain(START, at, [op])
        }
        2 => {
            let (factor, more) = (b.bv(16, number(random)), b.bv(16, number(random)));
            let product = b.op(BinOp::BvMul, that, factor);
            let value = b.op(BinOp::BvAdd, product, more);
            b.chain(START, at, [set(target, value)])
        }
        3 => {
            let value = b.op(BinOp::BvSub, that, now);
            b.chain(START, at, [set(target, value)])
        }
        4 => {
            let long = b.program.terms.sign_extend(16, that);
            let low = b.program.terms.extract(15, 0, long);
            b.chain(START, at, [set(wide, long), set(target, low)])
        }
        _ => {
            let ops = [BinOp::BvUlt, BinOp::BvUle, BinOp::BvSlt, BinOp::BvSle];
            let bound = b.bv(16, random.below(1 << 16) as i64);
            let condition = match random.below(8) {
                4..=6 => b.program.terms.eq(that, bound),
                7 => b.op(BinOp::BvSlt, bound, that),
                index => b.op(ops[index as usize], that, bound),
            };
            let (then, otherwise) = b.branch(START, at, condition);
            let (one, two) = (add(b, 16, target, number(random)), add(b, 16, target, number(random)));
            let join = b.chain(START, then, [one]);
            b.edge(START, otherwise, join, two);
            join
        }
    }
}

#[test]
fn random_loops_end_as_they_do_step_by_step() {
    for seed in 0..400 {
        let mut random = Random(seed * 7919 + 1);
        let mut b = Build::new();
        let small = ["x", "y", "z"].map(|name| b.local(START, name, Sort::BitVec(16)));
        let [wide, n, sum] = ["wide", "n", "sum"].map(|name| b.local(START, name, Sort::BitVec(32)));
        let (zero, one, short) = (b.bv(32, 0), b.bv(32, 1), b.bv(16, random.below(1 << 16) as i64));
        let mut at = b.chain(START, ENTRY, [set(n, zero), set(wide, zero), set(small[0], short)]);
        for &variable in &small[1..] {
            let value = b.bv(16, random.below(4) as i64);
            at = b.chain(START, at, [set(variable, value)]);
        }
        let (tn, bound) = (b.var(n), b.bv(32, 30_000));
        let less = b.op(BinOp::BvSlt, tn, bound);
        let statements = 1 + random.below(3);
        let out = while_loop(&mut b, START, at, less, |b, mut at| {
            for _ in 0..statements {
                at = statement(b, &mut random, &small, wide, at);
            }
            let next = b.op(BinOp::BvAdd, tn, one);
            b.chain(START, at, [set(n, next)])
        });
        let mut total = b.var(wide);
        for variable in small {
            let value = b.var(variable);
            let long = b.program.terms.zero_extend(16, value);
            let (thousand, scaled) = (b.bv(32, 1003), total);
            let scaled = b.op(BinOp::BvMul, scaled, thousand);
            total = b.op(BinOp::BvAdd, scaled, long);
        }
        let end = b.chain(START, out, [set(sum, total)]);
        let status = b.var(sum);
        b.end(START, end, Op::Exit(status));
        let [at_once, in_pieces] = both_ways(&b);
        assert_eq!(at_once, in_pieces, "seed {seed}");
    }
}
