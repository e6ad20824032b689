//! Control: branches, loops, calls, ends, limits.

use super::{Edges, Printed, outcome, run};
use crate::cfa::testing::{Build, ENTRY, EXIT, set};
use crate::cfa::{Assign, InputKind, Op, Print, ProcedureId, Target};
use crate::machine::{InputList, Limit, Limits, Machine, Stop};
use crate::sort::Sort;
use crate::term::BinOp;

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
fn speed() {
    let b = counting(20_000_000);
    let machine = Machine::new(&b.program);
    let start = std::time::Instant::now();
    let mut state = machine.initial();
    machine.run(&mut state, &mut InputList::default(), &mut (), &Limits::default());
    let seconds = start.elapsed().as_secs_f64();
    let rate = state.steps() as f64 / seconds / 1e6;
    eprintln!("{} steps, {rate:.0} million per second", state.steps());
}
