//! Memory: what may be read and written.

use clinch_ir::cfa::{AllocKind, ObjectKind, Op, Print, ProcedureId};
use clinch_terms::{BinOp, Sort, Symbol, Term};
use clinch_testing::{Build, ENTRY, EXIT, set, store};

use super::{Printed, run, undefined};
use crate::{InputList, InputRequest, InputSource, Limit, Limits, LoopHeads, Machine, Pause, Stop};

const START: ProcedureId = ProcedureId(0);

/// A static object of 16 bytes at 0x10000, a local one of 8 at 0x10100, a literal at 0x10200, one region of 4-byte cells,
/// and a pointer `p`.
fn world() -> (Build, Symbol, Symbol) {
    let mut b = Build::new();
    let region = b.region("r", 4);
    b.object("a", 0x10000, 16, ObjectKind::Static);
    b.object("l", 0x10100, 8, ObjectKind::Local(START));
    b.literal(0x10200, b"abcdefg\0");
    let p = b.local(START, "p", Sort::BitVec(64));
    (b, region, p)
}

fn exit_with(b: &mut Build, ops: Vec<Op>, value: Term) {
    let last = b.chain(START, ENTRY, ops);
    b.end(START, last, Op::Exit(value));
}

fn read_at(address: i64, before: impl FnOnce(&mut Build) -> Vec<Op>) -> Build {
    let (mut b, region, _) = world();
    let at = b.bv(64, address);
    let value = b.load(region, at);
    let ops = before(&mut b);
    exit_with(&mut b, ops, value);
    b
}

fn write_at(address: i64) -> Build {
    let (mut b, region, _) = world();
    let (at, seven) = (b.bv(64, address), b.bv(32, 7));
    let value = b.load(region, at);
    exit_with(&mut b, vec![store(region, at, seven)], value);
    b
}

#[test]
fn cells_of_live_objects() {
    assert_eq!(run(&read_at(0x1000c, |_| vec![]), &[]), Stop::Exit(0));
    assert_eq!(run(&write_at(0x10008), &[]), Stop::Exit(7));
    assert_eq!(run(&read_at(0x10200, |_| vec![]), &[]), Stop::Exit(0x6463_6261));
}

#[test]
fn accesses_without_meaning() {
    let beyond = |offset| undefined(&format!("access of 4 bytes at offset {offset} of `a`, which has 16 bytes"));
    assert_eq!(run(&read_at(0, |_| vec![]), &[]), undefined("null pointer dereference"));
    assert_eq!(run(&write_at(0), &[]), undefined("null pointer dereference"));
    assert_eq!(run(&read_at(0x10010, |_| vec![]), &[]), beyond(16));
    assert_eq!(run(&write_at(0x1000e), &[]), beyond(14));
    assert_eq!(run(&read_at(0x8000, |_| vec![]), &[]), undefined("access outside any object, at address 0x8000"));
    assert_eq!(
        run(&read_at(-4, |_| vec![]), &[]),
        undefined("access outside any object, at address 0xfffffffffffffffc")
    );
    assert_eq!(run(&write_at(0x10200), &[]), undefined("write to a string literal"));
    assert_eq!(run(&write_at(0x10100), &[]), undefined("use of `l` after the end of its life"));
}

#[test]
fn a_local_object_lives_between_enter_and_leave() {
    let object = clinch_ir::cfa::ObjectId(1);
    let enter = || vec![Op::Enter(object)];
    assert_eq!(run(&read_at(0x10104, |_| enter()), &[42]), Stop::Exit(42));
    let leave = || vec![Op::Enter(object), Op::Leave(object)];
    assert_eq!(run(&read_at(0x10104, |_| leave()), &[42]), undefined("use of `l` after the end of its life"));
}

#[test]
fn memory_that_was_never_written_is_an_input_that_stays() {
    let (mut b, region, p) = world();
    let (size, tp) = (b.bv(64, 8), b.var(p));
    let four = b.bv(64, 4);
    let next = b.op(BinOp::BvAdd, tp, four);
    let (x, y) = (b.load(region, tp), b.load(region, next));
    let sum = b.op(BinOp::BvAdd, x, y);
    let twice = b.op(BinOp::BvAdd, sum, x);
    let alloc = Op::Alloc { target: p, size, kind: AllocKind::Heap, zeroed: false };
    exit_with(&mut b, vec![alloc], twice);
    let mut asked = Vec::new();
    let mut inputs = |request: &InputRequest| {
        asked.push(request.clone());
        Some(10 * asked.len() as u64)
    };
    let machine = Machine::new(&b.program);
    let stop = machine.run(&mut machine.initial(), &mut inputs, &mut (), &Limits::default()).stop;
    assert_eq!(stop, Stop::Exit(40));
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[1].width, 32);
    let address = 0x4000_0004;
    assert_eq!(asked[1].source, InputSource::Memory { object: "an allocated block".to_owned(), address, offset: 4 });
    assert!(matches!(run(&b, &[1]), Stop::OutOfInputs(_)));
}

#[test]
fn bytes_of_a_cell_may_be_known_in_part() {
    let mut b = Build::new();
    let (bytes, words) = (b.region("bytes", 1), b.region("words", 4));
    let p = b.local(START, "p", Sort::BitVec(64));
    let (size, tp, one, value) = (b.bv(64, 4), b.var(p), b.bv(64, 1), b.bv(8, 0x55));
    let second = b.op(BinOp::BvAdd, tp, one);
    let alloc = Op::Alloc { target: p, size, kind: AllocKind::Heap, zeroed: false };
    let cell = b.load(words, tp);
    exit_with(&mut b, vec![alloc, store(bytes, second, value)], cell);
    assert_eq!(run(&b, &[0x1122_3344]), Stop::Exit(0x1122_5544));
}

fn heap(ops: impl FnOnce(&mut Build, Symbol, Symbol) -> Vec<Op>) -> Stop {
    let (mut b, region, p) = world();
    let (size, zero) = (b.bv(64, 8), b.bv(32, 0));
    let mut all = vec![Op::Alloc { target: p, size, kind: AllocKind::Heap, zeroed: true }];
    all.extend(ops(&mut b, region, p));
    exit_with(&mut b, all, zero);
    run(&b, &[])
}

#[test]
fn blocks_are_freed_once() {
    assert_eq!(heap(|b, _, p| vec![Op::Free(b.var(p))]), Stop::Exit(0));
    assert_eq!(heap(|b, _, _| vec![Op::Free(b.bv(64, 0))]), Stop::Exit(0));
    assert_eq!(heap(|b, _, p| vec![Op::Free(b.var(p)), Op::Free(b.var(p))]), undefined("memory is freed twice"));
    let not_start = |address: u64| undefined(&format!("address {address:#x} is not the start of an allocated block"));
    let inside = heap(|b, _, p| {
        let (tp, four) = (b.var(p), b.bv(64, 4));
        vec![Op::Free(b.op(BinOp::BvAdd, tp, four))]
    });
    assert_eq!(inside, not_start(0x4000_0004));
    assert_eq!(heap(|b, _, _| vec![Op::Free(b.bv(64, 0x10000))]), not_start(0x10000));
    // What a pointer from outside leads to stays, for nobody knows who else has it.
    let outside = heap(|b, _, _| {
        b.program.outside_is_valid = true;
        let inside = b.program.outside_object(0).expect("there is one") as i64 + 8;
        vec![Op::Free(b.bv(64, inside)), Op::Free(b.bv(64, inside))]
    });
    assert_eq!(outside, Stop::Exit(0));
    let dangling = heap(|b, region, p| {
        let (tp, one) = (b.var(p), b.bv(32, 1));
        vec![Op::Free(tp), store(region, tp, one)]
    });
    assert_eq!(dangling, undefined("use of memory that was freed"));
}

#[test]
fn sizes_of_blocks() {
    let (mut b, _, p) = world();
    let (size, tp) = (b.bv(64, 24), b.var(p));
    let q = b.local(START, "q", Sort::BitVec(64));
    let tq = b.var(q);
    let alloc = Op::Alloc { target: p, size, kind: AllocKind::Heap, zeroed: true };
    exit_with(&mut b, vec![alloc, Op::BlockSize(q, tp)], tq);
    assert_eq!(run(&b, &[]), Stop::Exit(24));
    let large = heap(|b, _, p| {
        let size = b.bv(64, 1 << 40);
        vec![Op::Alloc { target: p, size, kind: AllocKind::Heap, zeroed: true }]
    });
    assert_eq!(large, Stop::Limit(Limit::Memory));
}

#[test]
fn stack_blocks_end_with_their_call() {
    let (mut b, region, p) = world();
    let f = b.procedure("f");
    let (q, _) = (b.local(f, "q", Sort::BitVec(64)), b.result(f, Sort::BitVec(64)));
    let (size, tq, tp) = (b.bv(64, 8), b.var(q), b.var(p));
    let last = b.chain(f, ENTRY, [Op::Alloc { target: q, size, kind: AllocKind::Stack, zeroed: true }]);
    b.edge(f, last, EXIT, Op::Return(Some(tq)));
    let cell = b.load(region, tp);
    exit_with(&mut b, vec![Op::Call { callee: f, args: vec![], result: Some(p) }], cell);
    assert_eq!(run(&b, &[]), undefined("use of a block on the stack after the end of its life"));
}

#[test]
fn many_blocks_that_come_and_go() {
    let (mut b, region, p) = world();
    let i = b.local(START, "i", Sort::BitVec(32));
    let (tp, ti, zero, one) = (b.var(p), b.var(i), b.bv(32, 0), b.bv(32, 1));
    let (size, n) = (b.bv(64, 4), b.bv(32, 100_000));
    let head = b.chain(START, ENTRY, [set(i, zero)]);
    let less = b.op(BinOp::BvSlt, ti, n);
    let (body, out) = b.branch(START, head, less);
    let cell = b.load(region, tp);
    let (same, next) = (b.program.terms.eq(cell, ti), b.op(BinOp::BvAdd, ti, one));
    let alloc = Op::Alloc { target: p, size, kind: AllocKind::Heap, zeroed: false };
    let last = b.chain(START, body, [alloc, store(region, tp, ti), Op::Assume(same)]);
    let last = b.chain(START, last, [Op::Free(tp)]);
    b.edge(START, last, head, set(i, next));
    b.end(START, out, Op::Exit(ti));
    assert_eq!(run(&b, &[]), Stop::Exit(100_000));
}

#[test]
fn mathematical_cells_hold_large_numbers() {
    let mut b = Build::mathematical();
    let region = b.region("r", 4);
    b.object("a", 0x10000, 16, ObjectKind::Static);
    let terms = &mut b.program.terms;
    let (at, next, large) = (terms.int(0x10004), terms.int(0x10008), terms.int(1 << 40));
    let (x, y) = (b.load(region, at), b.load(region, next));
    let sum = b.program.terms.add(x, y);
    exit_with(&mut b, vec![store(region, at, large)], sum);
    assert_eq!(run(&b, &[]), Stop::Exit(1 << 40));
}

#[test]
fn strings_are_printed_from_memory() {
    let (mut b, _, _) = world();
    let (text, zero, number) = (b.bv(64, 0x10202), b.bv(32, 0), b.bv(32, -5));
    let print = Print { format: b"<%s|%.2s|%5d>\n".to_vec(), args: vec![text, text, number], stdout: true };
    exit_with(&mut b, vec![Op::Print(print)], zero);
    let machine = Machine::new(&b.program);
    let mut printed = Printed::default();
    machine.run(&mut machine.initial(), &mut InputList::default(), &mut printed, &Limits::default());
    assert_eq!(String::from_utf8_lossy(&printed.0), "<cdefg|cd|   -5>\n");
}

/// A program that reads and writes where the first pointer from outside leads to.
fn with_outside() -> (Build, u64) {
    let (mut b, region, _) = world();
    b.program.outside_is_valid = true;
    let start = b.program.outside_object(0).expect("there are objects");
    let (at, next) = (b.bv(64, start as i64 + 8), b.bv(64, start as i64 + 12));
    let (value, seven) = (b.load(region, at), b.bv(32, 7));
    let written = b.load(region, next);
    let both = b.op(BinOp::BvAdd, value, written);
    exit_with(&mut b, vec![store(region, next, seven)], both);
    (b, start)
}

#[test]
fn objects_from_outside_have_any_contents() {
    let (b, start) = with_outside();
    assert_eq!(run(&b, &[35]), Stop::Exit(42));
    let machine = Machine::new(&b.program);
    let mut asked = Vec::new();
    let mut inputs = |request: &InputRequest| {
        asked.push(request.source.clone());
        Some(0)
    };
    machine.run(&mut machine.initial(), &mut inputs, &mut (), &Limits::default());
    let object = "an object from outside".to_owned();
    assert_eq!(asked, [InputSource::Memory { object, address: start + 8, offset: 8 }]);
    let (mut without, _) = with_outside();
    without.program.outside_is_valid = false;
    assert!(matches!(run(&without, &[35]), Stop::Undefined(_)));
}

#[test]
fn states_with_objects_from_outside_are_read_back() {
    let (mut b, region, p) = world();
    b.program.outside_is_valid = true;
    let start = b.program.outside_object(1).expect("there are objects");
    let (at, size, seven) = (b.bv(64, start as i64), b.bv(64, 24), b.bv(32, 7));
    let alloc = |target| Op::Alloc { target, size, kind: AllocKind::Heap, zeroed: false };
    let (value, input) = (b.load(region, at), b.nondet());
    exit_with(&mut b, vec![alloc(p), store(region, at, seven), alloc(p), Op::Input(p, input)], value);
    let machine = Machine::new(&b.program);
    let mut state = machine.initial();
    let Pause::Input(request) = machine.run_until_input(&mut state, &mut (), LoopHeads::Pass, &Limits::default())
    else {
        panic!("the run asks for an input")
    };
    let mut bytes = Vec::new();
    machine.encode(&state, &mut bytes);
    let mut again = machine.decode(&bytes).expect("it is a state");
    let mut encoded = Vec::new();
    machine.encode(&again, &mut encoded);
    assert_eq!(bytes, encoded);
    machine.supply(&mut again, &request, 0);
    let mut none = InputList::default();
    assert_eq!(machine.run(&mut again, &mut none, &mut (), &Limits::default()).stop, Stop::Exit(7));
    // Another program has no such objects.
    b.program.outside_is_valid = false;
    assert!(Machine::new(&b.program).decode(&bytes).is_none());
}
