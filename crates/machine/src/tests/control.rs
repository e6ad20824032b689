//! Control: branches, loops, calls, ends, limits.

use clinch_ir::cfa::{Assign, Failure, InputKind, Op, Print, ProcedureId, Target};
use clinch_terms::{BinOp, Sort};
use clinch_testing::{Build, ENTRY, EXIT, set};

use super::{Edges, Printed, outcome, run};
use crate::{InputList, Limit, Limits, Machine, Stop};

const START: ProcedureId = ProcedureId(0);
const INT: Sort = Sort::BitVec(32);

/// `for (i = 0; i < n; i++) sum += i; exit(sum)`.
pub(super) fn counting(n: i64) -> Build {
    let mut b = Build::new();
    let (i, sum) = (b.local(START, "i", INT), b.local(START, "sum", INT));
    let (zero, one, n) = (b.bv(32, 0), b.bv(32, 1), b.bv(32, n));
    let (ti, ts) = (b.var(i), b.var(sum));
    let head = b.chain(START, ENTRY, [set(i, zero), set(sum, zero)]);
    let less = b.op(BinOp::BvSlt, ti, n);
    let (body, out) = b.branch(START, head, less);
    let (next_sum, next_i) = (b.op(BinOp::BvAdd, ts, ti), b.op(BinOp::BvAdd, ti, one));
    let last = b.chain(START, body, [set(sum, next_sum)]);
    b.edge(START, last, head, set(i, next_i));
    b.end(START, out, Op::Exit(ts));
    b
}

#[test]
fn a_loop_counts() {
    assert_eq!(run(&counting(10), &[]), Stop::Exit(45));
    assert_eq!(run(&counting(100_000), &[]), Stop::Exit(704_982_704));
}

#[test]
fn ends_of_runs() {
    let end = |op: Op| {
        let mut b = Build::new();
        b.end(START, ENTRY, op);
        run(&b, &[])
    };
    let status = {
        let mut b = Build::new();
        let status = b.bv(32, -3);
        b.end(START, ENTRY, Op::Exit(status));
        run(&b, &[])
    };
    assert_eq!(status, Stop::Exit(-3));
    assert_eq!(end(Op::Abort), Stop::Abort);
    assert_eq!(end(Op::Error(Failure::assertion("reach_error"))), Stop::Error(Failure::assertion("reach_error")));
    assert_eq!(end(Op::Unsupported("asm".to_owned())), Stop::Unsupported("asm".to_owned()));
    assert_eq!(end(Op::Undefined("call".to_owned())), Stop::Undefined("call".to_owned()));
    assert_eq!(end(Op::Skip), Stop::Blocked);
    let mut b = Build::new();
    b.edge(START, ENTRY, EXIT, Op::Return(None));
    assert_eq!(run(&b, &[]), Stop::Exit(0));
    let mut b = Build::new();
    let no = b.program.terms.ff();
    let edge = b.edge(START, ENTRY, EXIT, Op::Assume(no));
    let outcome = outcome(&b, &[]);
    assert_eq!((outcome.stop, outcome.at.edge), (Stop::Blocked, Some(edge)));
}

#[test]
fn a_choice_of_three() {
    let mut b = Build::new();
    let x = b.local(START, "x", INT);
    let input = b.nondet();
    let tx = b.var(x);
    let at = b.chain(START, ENTRY, [Op::Input(x, input)]);
    for case in [10, 20, 30] {
        let (case, to) = (b.bv(32, case), b.location(START));
        let is = b.program.terms.eq(tx, case);
        b.edge(START, at, to, Op::Assume(is));
        b.end(START, to, Op::Exit(case));
    }
    assert_eq!(run(&b, &[20]), Stop::Exit(20));
    assert_eq!(run(&b, &[30]), Stop::Exit(30));
    assert_eq!(run(&b, &[5]), Stop::Blocked);
}

#[test]
fn assignments_are_simultaneous() {
    let mut b = Build::new();
    let (x, y, z) = (b.local(START, "x", INT), b.local(START, "y", INT), b.local(START, "z", INT));
    let (tx, ty, tz) = (b.var(x), b.var(y), b.var(z));
    let (one, two, hundred) = (b.bv(32, 1), b.bv(32, 2), b.bv(32, 100));
    let sum = b.op(BinOp::BvAdd, tx, ty);
    let all = [(x, ty), (y, tx), (z, sum)];
    let assigns = all.map(|(s, value)| Assign { target: Target::Var(s), value });
    let last = b.chain(START, ENTRY, [set(x, one), set(y, two), Op::Assign(assigns.to_vec())]);
    let value = b.op(BinOp::BvMul, tx, hundred);
    let value = b.op(BinOp::BvAdd, value, ty);
    let value = b.op(BinOp::BvMul, value, hundred);
    let value = b.op(BinOp::BvAdd, value, tz);
    b.end(START, last, Op::Exit(value));
    assert_eq!(run(&b, &[]), Stop::Exit(20_103));
}

/// `int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }`
pub(super) fn fibonacci(n: i64) -> Build {
    let mut b = Build::new();
    let f = b.procedure("f");
    let (p, x, y) = (b.param(f, "n", INT), b.local(f, "x", INT), b.local(f, "y", INT));
    b.result(f, INT);
    let (tp, tx, ty, one, two) = (b.var(p), b.var(x), b.var(y), b.bv(32, 1), b.bv(32, 2));
    let small = b.op(BinOp::BvSlt, tp, two);
    let (yes, no) = b.branch(f, ENTRY, small);
    b.edge(f, yes, EXIT, Op::Return(Some(tp)));
    let (n1, n2) = (b.op(BinOp::BvSub, tp, one), b.op(BinOp::BvSub, tp, two));
    let call = |n, result| Op::Call { callee: f, args: vec![n], result: Some(result) };
    let last = b.chain(f, no, [call(n1, x), call(n2, y)]);
    let sum = b.op(BinOp::BvAdd, tx, ty);
    b.edge(f, last, EXIT, Op::Return(Some(sum)));
    let (r, n) = (b.local(START, "r", INT), b.bv(32, n));
    let tr = b.var(r);
    let last = b.chain(START, ENTRY, [call(n, r)]);
    b.end(START, last, Op::Exit(tr));
    b
}

#[test]
fn recursion() {
    assert_eq!(run(&fibonacci(20), &[]), Stop::Exit(6765));
}

#[test]
fn limits_end_a_run() {
    let b = counting(1_000_000);
    let machine = Machine::new(&b.program);
    let stop =
        |limits: Limits<'_>| machine.run(&mut machine.initial(), &mut InputList::default(), &mut (), &limits).stop;
    assert_eq!(stop(Limits { steps: 1000, ..Limits::default() }), Stop::Limit(Limit::Steps));
    let interrupt = || true;
    assert_eq!(stop(Limits { interrupt: Some(&interrupt), ..Limits::default() }), Stop::Limit(Limit::Interrupted));
    let mut b = Build::new();
    let f = b.procedure("f");
    let call = Op::Call { callee: f, args: vec![], result: None };
    b.edge(f, ENTRY, EXIT, call.clone());
    b.edge(START, ENTRY, EXIT, call);
    assert_eq!(run(&b, &[]), Stop::Limit(Limit::CallDepth));
}

#[test]
fn edges_are_traced() {
    let b = fibonacci(2);
    let machine = Machine::new(&b.program);
    let mut edges = Edges::default();
    machine.run(&mut machine.initial(), &mut InputList::default(), &mut edges, &Limits::default());
    let expected = [
        "0.0 0=2", "1.1 ", "1.3 0=1", "1.0 ", "1.2 3=1", "1.3< 1=1", "1.4 0=0", "1.0 ", "1.2 3=0", "1.4< 2=0",
        "1.5 3=1", "0.0< 4=1", "0.1 ",
    ];
    assert_eq!(edges.0, expected);
}

#[test]
fn inputs_run_out() {
    let mut b = Build::new();
    let x = b.local(START, "x", Sort::BitVec(8));
    let input = b.input(InputKind::Uninitialised("x".to_owned()));
    let tx = b.var(x);
    let last = b.chain(START, ENTRY, [Op::Input(x, input)]);
    b.end(START, last, Op::Exit(tx));
    assert!(matches!(run(&b, &[]), Stop::OutOfInputs(_)));
    assert_eq!(run(&b, &[0x1ff]), Stop::Exit(-1));
}

#[test]
fn outputs_go_to_the_observer() {
    let mut b = Build::new();
    let args = vec![b.bv(32, -1), b.bv(32, 255)];
    let print = Print { format: b"%d %#x%%\n".to_vec(), args, stdout: true };
    b.edge(START, ENTRY, EXIT, Op::Print(print));
    let machine = Machine::new(&b.program);
    let mut printed = Printed::default();
    machine.run(&mut machine.initial(), &mut InputList::default(), &mut printed, &Limits::default());
    assert_eq!(printed.0, b"-1 0xff%\n");
}
