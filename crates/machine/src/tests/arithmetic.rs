//! The code of terms against the reference evaluator of formulas, and what is undefined.

use clinch_ir::cfa::{InputKind, Op, ProcedureId};
use clinch_terms::evaluate::evaluate;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, Value};
use clinch_testing::{Build, ENTRY, Random, set};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::{run, undefined};
use crate::{InputList, Limit, Limits, Machine, Stop};

const START: ProcedureId = ProcedureId(0);

/// Random terms over some variables, of given widths.
struct Maker<'a> {
    random: &'a mut Random,
    variables: Vec<(Symbol, u32)>,
}

impl Maker<'_> {
    fn leaf(&mut self, terms: &mut Terms, width: u32) -> Term {
        let fitting: Vec<Symbol> = self.variables.iter().filter(|v| v.1 == width).map(|v| v.0).collect();
        if !fitting.is_empty() && self.random.below(3) > 0 {
            let choice = self.random.below(fitting.len() as u64) as usize;
            return terms.symbol(fitting[choice]);
        }
        let value = match self.random.below(4) {
            0 => self.random.below(4),
            1 => u64::MAX,
            2 => 1 << (width - 1).min(63),
            _ => self.random.number(),
        };
        terms.bit_vec(width, value)
    }

    fn term(&mut self, terms: &mut Terms, width: u32, depth: u32) -> Term {
        if depth == 0 {
            return self.leaf(terms, width);
        }
        match self.random.below(12) {
            0..=4 => self.operation(terms, width, depth),
            5 => {
                let a = self.term(terms, width, depth - 1);
                if self.random.below(2) == 0 { terms.bv_not(a) } else { terms.bv_neg(a) }
            }
            6 if width > 1 => {
                let below = 1 + self.random.below(u64::from(width) - 1) as u32;
                let (a, b) = (self.term(terms, width - below, depth - 1), self.term(terms, below, depth - 1));
                terms.bv(BinOp::BvConcat, a, b)
            }
            7 => {
                let more = self.random.below(64 - u64::from(width) + 1) as u32;
                let a = self.term(terms, width + more, depth - 1);
                let lo = self.random.below(u64::from(more) + 1) as u32;
                terms.extract(lo + width - 1, lo, a)
            }
            8 if width > 1 => {
                let by = 1 + self.random.below(u64::from(width) - 1) as u32;
                let a = self.term(terms, width - by, depth - 1);
                if self.random.below(2) == 0 { terms.sign_extend(by, a) } else { terms.zero_extend(by, a) }
            }
            9 => {
                // Through twice the width, and back.
                let (a, b) = (self.term(terms, width, depth - 1), self.term(terms, width, depth - 1));
                let (a, b) = (terms.sign_extend(width, a), terms.zero_extend(width, b));
                let product = terms.bv(BinOp::BvMul, a, b);
                terms.extract(2 * width - 1, width, product)
            }
            _ => {
                let condition = self.condition(terms, depth - 1);
                let (a, b) = (self.term(terms, width, depth - 1), self.term(terms, width, depth - 1));
                terms.ite(condition, a, b)
            }
        }
    }

    fn operation(&mut self, terms: &mut Terms, width: u32, depth: u32) -> Term {
        use BinOp::{
            BvAdd, BvAnd, BvAshr, BvLshr, BvMul, BvOr, BvSdiv, BvShl, BvSmod, BvSrem, BvSub, BvUdiv, BvUrem, BvXor,
        };
        let ops = [
            BvAdd, BvSub, BvMul, BvAnd, BvOr, BvXor, BvAdd, BvSub, BvUdiv, BvUrem, BvSdiv, BvSrem, BvSmod, BvShl,
            BvLshr, BvAshr,
        ];
        let op = ops[self.random.below(ops.len() as u64) as usize];
        let a = self.term(terms, width, depth - 1);
        let b = if matches!(op, BvShl | BvLshr | BvAshr) && self.random.below(4) > 0 {
            let distance = self.random.below(width.into());
            terms.bit_vec(width, distance)
        } else {
            self.term(terms, width, depth - 1)
        };
        terms.bv(op, a, b)
    }

    fn condition(&mut self, terms: &mut Terms, depth: u32) -> Term {
        let width = 1 + self.random.below(64) as u32;
        match self.random.below(if depth == 0 { 5 } else { 8 }) {
            kind @ 0..=4 => {
                let (a, b) = (self.term(terms, width, depth), self.term(terms, width, depth));
                match kind {
                    0 => terms.eq(a, b),
                    1 => terms.bv_ult(a, b),
                    2 => terms.bv_ule(a, b),
                    3 => terms.bv_slt(a, b),
                    _ => terms.bv_sle(a, b),
                }
            }
            5 => {
                let a = self.condition(terms, depth - 1);
                terms.not(a)
            }
            kind => {
                let (a, b) = (self.condition(terms, depth - 1), self.condition(terms, depth - 1));
                if kind == 6 { terms.and(a, b) } else { terms.or(a, b) }
            }
        }
    }
}

/// Whether a term has a value in C, with the reference evaluator for its parts.
fn is_defined(terms: &Terms, values: &FxHashMap<Symbol, Value>, term: Term) -> bool {
    let value = |t| evaluate(terms, values, t).expect("total");
    let defined = |t| is_defined(terms, values, t);
    let bits = |t| match value(t) {
        Value::BitVec { width, bits } => (width, bits),
        other => panic!("{other}"),
    };
    match terms.node(term) {
        Node::Binary(BinOp::And, a, b) => defined(a) && (value(a) == Value::Bool(false) || defined(b)),
        Node::Binary(BinOp::Or, a, b) => defined(a) && (value(a) == Value::Bool(true) || defined(b)),
        Node::Ite(c, a, b) => defined(c) && if value(c) == Value::Bool(true) { defined(a) } else { defined(b) },
        Node::Binary(op, a, b) => {
            defined(a) && defined(b) && {
                let zero = || bits(b).1 == BigUint::ZERO;
                let overflows = || {
                    let ((width, x), (_, y)) = (bits(a), bits(b));
                    width > 1 && x == BigUint::from(1u32) << (width - 1) && y == clinch_terms::bitvec::all_ones(width)
                };
                match op {
                    BinOp::BvUdiv | BinOp::BvUrem | BinOp::BvSmod => !zero(),
                    BinOp::BvSdiv | BinOp::BvSrem => !zero() && !overflows(),
                    BinOp::BvShl | BinOp::BvLshr | BinOp::BvAshr => bits(b).1 < BigUint::from(bits(b).0),
                    _ => true,
                }
            }
        }
        _ => terms.children(term).all(defined),
    }
}

#[test]
fn random_terms_have_the_values_of_the_reference() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut exact, mut faults) = (0, 0);
    for round in 0..6000u32 {
        let mut b = Build::new();
        let width = 1 + round % 64;
        let mut variables = Vec::new();
        for _ in 0..4 {
            let w = if random.below(2) == 0 { width } else { 1 + random.below(64) as u32 };
            variables.push((b.local(START, "x", Sort::BitVec(w)), w));
        }
        let mut values = FxHashMap::default();
        let mut ops = Vec::new();
        for &(symbol, w) in &variables {
            let bits = match random.below(4) {
                0 => random.below(3) & (u64::MAX >> (64 - w)),
                1 => u64::MAX >> (64 - w),
                _ => random.number() >> (64 - w),
            };
            values.insert(symbol, Value::BitVec { width: w, bits: bits.into() });
            let constant = b.bv(w, bits as i64);
            ops.push(set(symbol, constant));
        }
        let result = b.local(START, "y", Sort::BitVec(width));
        let depth = 1 + random.below(4) as u32;
        let term = Maker { random: &mut random, variables }.term(&mut b.program.terms, width, depth);
        ops.push(set(result, term));
        let last = b.chain(START, ENTRY, ops);
        b.end(START, last, Op::Abort);
        let machine = Machine::new(&b.program);
        let mut state = machine.initial();
        let stop = machine.run(&mut state, &mut InputList::default(), &mut (), &Limits::default()).stop;
        let terms = &b.program.terms;
        match stop {
            Stop::Abort => {
                assert!(is_defined(terms, &values, term));
                let bits = machine.value(&state, result).expect("a value");
                let expected = evaluate(terms, &values, term).expect("total");
                assert_eq!(expected, Value::BitVec { width, bits: bits.into() }, "round {round}");
                exact += 1;
            }
            Stop::Undefined(what) => {
                assert!(
                    !is_defined(terms, &values, term),
                    "round {round}: {what} {values:?} {}",
                    clinch_testing::show(terms, term)
                );
                faults += 1;
            }
            // Divisions and shifts beyond 64 bits.
            Stop::Unsupported(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(exact > 3000 && faults > 100, "{exact} {faults}");
}

/// `exit(a op b)` with both operands from inputs.
fn of_inputs(op: BinOp, width: u32) -> Build {
    let mut b = Build::new();
    let (x, y) = (b.local(START, "x", Sort::BitVec(width)), b.local(START, "y", Sort::BitVec(width)));
    let (i, j) = (b.nondet(), b.nondet());
    let (tx, ty) = (b.var(x), b.var(y));
    let term = b.op(op, tx, ty);
    let last = b.chain(START, ENTRY, [Op::Input(x, i), Op::Input(y, j)]);
    b.end(START, last, Op::Exit(term));
    b
}

#[test]
fn undefined_arithmetic_stops() {
    let least = 0x8000_0000;
    let minus_one = 0xffff_ffff;
    for op in [BinOp::BvSdiv, BinOp::BvSrem, BinOp::BvUdiv, BinOp::BvUrem] {
        assert_eq!(run(&of_inputs(op, 32), &[7, 0]), undefined("division by zero"));
    }
    for op in [BinOp::BvSdiv, BinOp::BvSrem] {
        let text = "the quotient of the least number and -1 overflows";
        assert_eq!(run(&of_inputs(op, 32), &[least, minus_one]), undefined(text));
        assert_eq!(run(&of_inputs(op, 64), &[1 << 63, u64::MAX]), undefined(text));
    }
    for op in [BinOp::BvShl, BinOp::BvLshr, BinOp::BvAshr] {
        assert_eq!(run(&of_inputs(op, 32), &[1, 32]), undefined("shift count out of range"));
        assert_eq!(run(&of_inputs(op, 32), &[1, minus_one]), undefined("shift count out of range"));
    }
    assert_eq!(run(&of_inputs(BinOp::BvSdiv, 32), &[minus_one - 6, 2]), Stop::Exit(-3));
    assert_eq!(run(&of_inputs(BinOp::BvSrem, 32), &[minus_one - 6, 2]), Stop::Exit(-1));
    assert_eq!(run(&of_inputs(BinOp::BvAshr, 32), &[least, 31]), Stop::Exit(-1));
    assert_eq!(run(&of_inputs(BinOp::BvUdiv, 32), &[least, minus_one]), Stop::Exit(0));
}

/// `exit(c ? x / y : 5)`, `exit(y != 0 && x / y == 1)`.
#[test]
fn only_the_chosen_branch_is_computed() {
    let mut b = Build::new();
    let (x, y) = (b.local(START, "x", Sort::BitVec(32)), b.local(START, "y", Sort::BitVec(32)));
    let (i, j) = (b.nondet(), b.nondet());
    let (tx, ty, zero, one, five) = (b.var(x), b.var(y), b.bv(32, 0), b.bv(32, 1), b.bv(32, 5));
    let quotient = b.op(BinOp::BvSdiv, tx, ty);
    let terms = &mut b.program.terms;
    let is_zero = terms.eq(ty, zero);
    let safe = terms.not(is_zero);
    let chosen = terms.ite(safe, quotient, five);
    let is_one = terms.eq(quotient, one);
    let both = terms.and(safe, is_one);
    let either = terms.or(is_zero, is_one);
    // The quotient is shared by what is and what is not always computed.
    let flags = terms.ite(both, one, zero);
    let other = terms.ite(either, one, zero);
    let ten = terms.bit_vec(32, 10);
    let sum = terms.bv(BinOp::BvMul, chosen, ten);
    let sum = terms.bv(BinOp::BvAdd, sum, flags);
    let sum = terms.bv(BinOp::BvMul, sum, ten);
    let sum = terms.bv(BinOp::BvAdd, sum, other);
    let last = b.chain(START, ENTRY, [Op::Input(x, i), Op::Input(y, j)]);
    b.end(START, last, Op::Exit(sum));
    assert_eq!(run(&b, &[9, 0]), Stop::Exit(501));
    assert_eq!(run(&b, &[9, 9]), Stop::Exit(111));
    assert_eq!(run(&b, &[9, 3]), Stop::Exit(300));
}

#[test]
fn mathematical_integers_are_checked() {
    let make = |op| {
        let mut b = Build::mathematical();
        let (x, y) = (b.local(START, "x", Sort::Int), b.local(START, "y", Sort::Int));
        let (i, j) = (b.nondet(), b.nondet());
        let (tx, ty) = (b.var(x), b.var(y));
        let term = b.op(op, tx, ty);
        let last = b.chain(START, ENTRY, [Op::Input(x, i), Op::Input(y, j)]);
        b.end(START, last, Op::Exit(term));
        b
    };
    let minus = |v: i64| (-v) as u64;
    assert_eq!(run(&make(BinOp::Add), &[5_000_000_000, 1]), Stop::Exit(5_000_000_001));
    assert_eq!(run(&make(BinOp::Add), &[i64::MAX as u64, 1]), Stop::Limit(Limit::Integer));
    assert_eq!(run(&make(BinOp::Mul), &[1 << 40, 1 << 40]), Stop::Limit(Limit::Integer));
    assert_eq!(run(&make(BinOp::Div), &[minus(7), 2]), Stop::Exit(-3));
    assert_eq!(run(&make(BinOp::Rem), &[minus(7), 2]), Stop::Exit(-1));
    assert_eq!(run(&make(BinOp::Div), &[7, 0]), undefined("division by zero"));
    assert_eq!(run(&make(BinOp::Sub), &[3, 5]), Stop::Exit(-2));
    assert_eq!(run(&make(BinOp::Shl), &[3, 70]), undefined("shift count out of range"));
    assert_eq!(run(&make(BinOp::BitAnd), &[minus(2), 7]), Stop::Exit(6));
}

/// `u = opaque; ...`
fn opaque(then: impl FnOnce(&mut Build, Symbol) -> Vec<Op>) -> Build {
    let mut b = Build::new();
    let u = b.local(START, "u", Sort::BitVec(32));
    let i = b.input(InputKind::Opaque("a float".to_owned()));
    let mut ops = vec![Op::Input(u, i)];
    ops.extend(then(&mut b, u));
    let last = b.chain(START, ENTRY, ops);
    let zero = b.bv(32, 0);
    b.end(START, last, Op::Exit(zero));
    b
}

#[test]
fn unknown_values_may_be_copied_but_not_used() {
    let stops = |b: Build, what: &str| {
        let text = format!("{what} depends on a value that is not modelled");
        assert_eq!(run(&b, &[]), Stop::Unsupported(text));
    };
    // Arithmetic and choices go through.
    let fine = opaque(|b, u| {
        let v = b.local(START, "v", Sort::BitVec(32));
        let (tu, three) = (b.var(u), b.bv(32, 3));
        let sum = b.op(BinOp::BvAdd, tu, three);
        let quotient = b.op(BinOp::BvSdiv, tu, three);
        let is = b.op(BinOp::BvSlt, tu, three);
        let choice = b.program.terms.ite(is, sum, quotient);
        vec![set(v, choice), set(v, three)]
    });
    assert_eq!(run(&fine, &[]), Stop::Exit(0));
    stops(
        opaque(|b, u| {
            let (tu, three) = (b.var(u), b.bv(32, 3));
            vec![Op::Assume(b.op(BinOp::BvSlt, tu, three))]
        }),
        "a condition",
    );
    stops(
        opaque(|b, u| {
            let (tu, three) = (b.var(u), b.bv(32, 3));
            vec![set(u, b.op(BinOp::BvSdiv, three, tu))]
        }),
        "a divisor",
    );
    stops(
        opaque(|b, u| {
            let (tu, minus_one) = (b.var(u), b.bv(32, -1));
            vec![set(u, b.op(BinOp::BvSdiv, tu, minus_one))]
        }),
        "a dividend",
    );
    stops(
        opaque(|b, u| {
            let (tu, three) = (b.var(u), b.bv(32, 3));
            vec![set(u, b.op(BinOp::BvShl, three, tu))]
        }),
        "a shift count",
    );
    stops(opaque(|b, u| vec![Op::Exit(b.var(u))]), "the exit status");
}

#[test]
fn unknown_values_are_tracked_through_memory_and_calls() {
    let mut b = Build::new();
    let (u, v) = (b.local(START, "u", Sort::BitVec(32)), b.local(START, "v", Sort::BitVec(32)));
    let g = {
        let zero = b.bv(32, 0);
        b.global("g", Sort::BitVec(32), zero)
    };
    let region = b.region("r", 4);
    b.object("r", 0x10000, 8, clinch_ir::cfa::ObjectKind::Static);
    let identity = b.procedure("identity");
    let p = b.param(identity, "p", Sort::BitVec(32));
    b.result(identity, Sort::BitVec(32));
    let tp = b.var(p);
    b.edge(identity, ENTRY, clinch_testing::EXIT, Op::Return(Some(tp)));
    let i = b.input(InputKind::Opaque("a float".to_owned()));
    let (tu, tv, tg, at) = (b.var(u), b.var(v), b.var(g), b.bv(64, 0x10004));
    let cell = b.load(region, at);
    let zero = b.bv(32, 0);
    let is = b.program.terms.eq(tv, zero);
    let ops = [
        Op::Input(u, i),
        clinch_testing::store(region, at, tu),
        set(g, cell),
        Op::Call { callee: identity, args: vec![tg], result: Some(v) },
        Op::Assume(is),
    ];
    let last = b.chain(START, ENTRY, ops.clone());
    b.end(START, last, Op::Abort);
    let stop = run(&b, &[]);
    assert_eq!(stop, Stop::Unsupported("a condition depends on a value that is not modelled".to_owned()));
    // A known value written over it is known.
    let edge = b.program.procedures[0].edges.iter_mut().find(|e| e.op == ops[2]).expect("the edge");
    edge.op = set(g, zero);
    assert_eq!(run(&b, &[]), Stop::Abort);
}

#[test]
fn negation_of_truth_values() {
    let mut b = Build::new();
    let x = b.local(START, "x", Sort::Bool);
    let i = b.nondet();
    let tx = b.var(x);
    let not = b.program.terms.unary(UnOp::Not, tx);
    let (one, two) = (b.bv(8, 1), b.bv(8, 2));
    let choice = b.program.terms.ite(not, one, two);
    let last = b.chain(START, ENTRY, [Op::Input(x, i)]);
    b.end(START, last, Op::Exit(choice));
    assert_eq!(run(&b, &[0]), Stop::Exit(1));
    assert_eq!(run(&b, &[1]), Stop::Exit(2));
}
