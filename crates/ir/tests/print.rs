//! Tests of printing.

use num_bigint::BigUint;

use clinch_ir::cfa::print::{dot, json, text};
use clinch_ir::cfa::show_c;
use clinch_ir::cfa::{Failure, ObjectKind, Op, ProcedureId};
use clinch_terms::{BinOp, Sort, Symbol, Term, Terms};
use clinch_testing::{Build, ENTRY, set, store};

const START: ProcedureId = ProcedureId(0);

/// Signed `x`, `y`, `c` (8 bits) and unsigned `u`, `v` (32), `b` (8).
struct World {
    b: Build,
    x: Term,
    y: Term,
    u: Term,
    v: Term,
    c: Term,
    d: Term,
}

fn world() -> World {
    let mut b = Build::new();
    let mut declare = |name: &str, width, signed| {
        let symbol = b.local(START, name, Sort::BitVec(width));
        b.program.variables.get_mut(&symbol).expect("declared").signed = signed;
        b.var(symbol)
    };
    let (x, y) = (declare("x", 32, true), declare("y", 32, true));
    let (u, v) = (declare("u", 32, false), declare("v", 32, false));
    let (c, d) = (declare("c", 8, true), declare("d", 8, false));
    World { b, x, y, u, v, c, d }
}

fn shows(make: impl FnOnce(&mut Terms, &[Term; 6]) -> Term, expected: &str) {
    let World { mut b, x, y, u, v, c, d } = world();
    let term = make(&mut b.program.terms, &[x, y, u, v, c, d]);
    assert_eq!(show_c(&b.program, term), expected);
}

#[test]
fn comparisons_show_the_sign_they_have() {
    shows(|t, v| t.bv_slt(v[0], v[1]), "x < y");
    shows(|t, v| t.bv_ult(v[2], v[3]), "u < v");
    shows(|t, v| t.bv_ult(v[0], v[2]), "(unsigned int)x < u");
    shows(|t, v| t.bv_sle(v[2], v[1]), "(int)u <= y");
    shows(|t, v| t.eq(v[0], v[2]), "x == u");
    shows(|t, v| t.eq(v[4], v[5]), "c == (signed char)d");
    let negated = |t: &mut Terms, v: &[Term; 6]| {
        let less = t.bv_slt(v[0], v[1]);
        t.not(less)
    };
    shows(negated, "x >= y");
    let constant = |t: &mut Terms, v: &[Term; 6], i: usize| {
        let minus_one = t.bit_vec(32, u64::MAX);
        let eq = t.eq(v[i], minus_one);
        t.not(eq)
    };
    shows(|t, v| constant(t, v, 0), "x != -1");
    shows(|t, v| constant(t, v, 2), "u != 4294967295u");
}

#[test]
fn arithmetic_shows_casts_where_they_count() {
    shows(|t, v| t.bv(BinOp::BvUdiv, v[0], v[1]), "(unsigned int)x / (unsigned int)y");
    shows(|t, v| t.bv(BinOp::BvSdiv, v[0], v[1]), "x / y");
    shows(|t, v| t.bv(BinOp::BvLshr, v[0], v[1]), "(unsigned int)x >> y");
    shows(|t, v| t.bv(BinOp::BvAdd, v[4], v[4]), "(signed char)(c + c)");
    shows(|t, v| t.sign_extend(24, v[4]), "c");
    shows(|t, v| t.zero_extend(24, v[4]), "(unsigned char)c");
    shows(|t, v| t.sign_extend(32, v[0]), "(long)x");
    shows(|t, v| t.extract(7, 0, v[0]), "(signed char)x");
    shows(|t, v| t.extract(15, 8, v[2]), "(unsigned char)(u >> 8)");
    let nested = |t: &mut Terms, v: &[Term; 6]| {
        let three = t.bit_vec(32, -3i64 as u64);
        let sum = t.bv(BinOp::BvAdd, v[0], three);
        t.bv(BinOp::BvMul, sum, v[1])
    };
    shows(nested, "(x - 3) * y");
    let minus = |t: &mut Terms, v: &[Term; 6]| {
        let difference = t.bv(BinOp::BvSub, v[1], v[0]);
        t.bv(BinOp::BvSub, v[0], difference)
    };
    shows(minus, "x - (y - x)");
}

#[test]
fn connectives_bind_as_in_c() {
    let make = |t: &mut Terms, v: &[Term; 6]| {
        let (a, b, c) = (t.bv_slt(v[0], v[1]), t.eq(v[0], v[1]), t.bv_ult(v[2], v[3]));
        let either = t.or(a, b);
        let both = t.and(either, c);
        let not = t.not(both);
        let (one, zero) = (t.bit_vec(32, 1), t.bit_vec(32, 0));
        t.ite(not, one, zero)
    };
    shows(make, "!((x < y || x == y) && u < v) ? 1 : 0");
}

/// A literal of C has 64 bits at most.
#[test]
fn wide_constants_are_made_of_halves() {
    let make = |t: &mut Terms, v: &[Term; 6]| {
        let (wide, large) = (t.sign_extend(96, v[0]), t.big_bit_vec(128, (BigUint::from(3_u32) << 64_u32) + 7_u32));
        t.bv_slt(wide, large)
    };
    shows(make, "(__int128)x < (__int128)((unsigned __int128)3u << 64 | 7u)");
}

fn program() -> (Build, Symbol) {
    let World { mut b, x, .. } = world();
    let region = b.region("node.next", 4);
    b.object("head", 0x10000, 16, ObjectKind::Static);
    let (at, five) = (b.bv(64, 0x10004), b.bv(32, 5));
    let wide = b.program.terms.sign_extend(32, x);
    let index = b.op(BinOp::BvAdd, wide, at);
    let cell = b.load(region, index);
    let symbol = b.program.procedures[0].locals[0];
    let last = b.chain(START, ENTRY, [store(region, at, five), set(symbol, cell)]);
    let less = b.op(BinOp::BvSlt, x, five);
    let (yes, no) = b.branch(START, last, less);
    b.end(START, yes, Op::Error(Failure::assertion("say \"no\"")));
    b.edge(START, no, last, Op::Skip);
    (b, symbol)
}

#[test]
fn automata_as_text() {
    let (b, _) = program();
    let expected = "\
object head at 0x10000, 16 bytes, static
region node.next, cells of 4 bytes

procedure start()
  locals int x, int y, int u, int v, int c, int d
  from 0 to 1
  0 -> 2: *(int *)((char *)&head + 4) = 5
  2 -> 3: x = *(int *)((char *)&head + 4 + (long)x)
  3 is the head of a loop
  3 -> 4: [x < 5]
  3 -> 5: [x >= 5]
  4 -> 6: error: say \"no\"
  5 -> 3: skip

";
    assert_eq!(text(&b.program, None), expected);
}

#[test]
fn automata_for_tools() {
    let (b, _) = program();
    let graph = dot(&b.program, Some(START));
    assert!(graph.contains("p0_4 -> p0_6 [label=\"error: say \\\"no\\\"\", color=red];"), "{graph}");
    let value = json(&b.program, None);
    assert_eq!(value["procedures"][0]["edges"][2]["text"], "[x < 5]");
    assert_eq!(value["procedures"][0]["locations"][3]["loop_head"], true);
}

#[test]
fn deep_terms_are_cut() {
    let World { mut b, x, y, .. } = world();
    let mut term = x;
    for i in 0..100_000 {
        let op = if i % 2 == 0 { BinOp::BvAdd } else { BinOp::BvXor };
        term = b.op(op, term, y);
    }
    assert!(show_c(&b.program, term).contains("..."));
    let mut shared = x;
    for _ in 0..90 {
        shared = b.program.terms.intern(clinch_terms::term::Node::Binary(BinOp::BvMul, shared, shared));
    }
    assert!(show_c(&b.program, shared).len() < 1_000_000);
}
