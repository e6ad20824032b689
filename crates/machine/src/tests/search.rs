//! States as a search uses them: stepwise, stored, restored.

use clinch_ir::cfa::{AllocKind, InputKind, ObjectKind, Op, ProcedureId};
use clinch_terms::{BinOp, Sort};
use clinch_testing::{Build, ENTRY, EXIT, Random, set, store};

use super::control::{counting, fibonacci};
use crate::{InputList, InputRequest, Limits, LoopHeads, Machine, MachineState, Outcome, Pause, Stop};

const START: ProcedureId = ProcedureId(0);

fn round_trip(machine: &Machine<'_>, state: &MachineState) -> MachineState {
    let mut bytes = Vec::new();
    machine.encode(state, &mut bytes);
    let decoded = machine.decode(&bytes).expect("bytes of a state");
    let mut again = Vec::new();
    machine.encode(&decoded, &mut again);
    assert_eq!(bytes, again);
    for cut in 0..bytes.len() {
        assert!(machine.decode(&bytes[..cut]).is_none());
    }
    decoded
}

/// Runs with a stop at each loop head and input, where the state is stored and restored.
fn stepwise(b: &Build, inputs: &[u64]) -> (Stop, usize) {
    let machine = Machine::new(&b.program);
    let mut state = machine.initial();
    let mut inputs = inputs.iter();
    let mut pauses = 0;
    loop {
        match machine.run_until_input(&mut state, &mut (), LoopHeads::Stop, &Limits::default()) {
            Pause::Stopped(Outcome { stop, .. }) => return (stop, pauses),
            Pause::LoopHead(procedure, location) => {
                assert_eq!(machine.location(&state), (procedure, location));
                state = round_trip(&machine, &state);
            }
            Pause::Input(request) => {
                state = round_trip(&machine, &state);
                machine.supply(&mut state, &request, *inputs.next().expect("enough inputs"));
                state = round_trip(&machine, &state);
            }
        }
        pauses += 1;
    }
}

#[test]
fn loop_heads_are_reached_once_for_each_round() {
    assert_eq!(stepwise(&counting(10), &[]), (Stop::Exit(45), 11));
    assert_eq!(stepwise(&fibonacci(10), &[]), (Stop::Exit(55), 0));
}

/// A loop that reads an input into fresh memory each time, and adds it up; an opaque value is carried along.
fn busy() -> Build {
    let mut b = Build::new();
    let region = b.region("r", 4);
    b.object("table", 0x10000, 400, ObjectKind::Static);
    let local = b.object("l", 0x10400, 8, ObjectKind::Local(START));
    let f = b.procedure("f");
    let n = b.param(f, "n", Sort::BitVec(32));
    b.result(f, Sort::BitVec(32));
    let (x, q) = (b.local(f, "x", Sort::BitVec(32)), b.local(f, "q", Sort::BitVec(64)));
    let site = b.nondet();
    let (tn, tx, tq, size) = (b.var(n), b.var(x), b.var(q), b.bv(64, 4));
    let cell = b.load(region, tq);
    let ops = [
        Op::Alloc { target: q, size, kind: AllocKind::Stack, zeroed: false },
        Op::Input(x, site),
        store(region, tq, tx),
    ];
    let last = b.chain(f, ENTRY, ops);
    let sum = b.op(BinOp::BvAdd, cell, tn);
    b.edge(f, last, EXIT, Op::Return(Some(sum)));

    let opaque = b.input(InputKind::Opaque("a float".to_owned()));
    let (i, s, u) = (
        b.local(START, "i", Sort::BitVec(32)),
        b.local(START, "s", Sort::BitVec(32)),
        b.local(START, "u", Sort::BitVec(32)),
    );
    let (ti, ts, tu, zero, one, five) = (b.var(i), b.var(s), b.var(u), b.bv(32, 0), b.bv(32, 1), b.bv(32, 5));
    let (at, first) = (b.bv(64, 0x10008), b.bv(64, 0x10400));
    let ops = [Op::Input(u, opaque), Op::Enter(local), set(i, zero), set(s, zero), store(region, at, tu)];
    let head = b.chain(START, ENTRY, ops);
    let less = b.op(BinOp::BvSlt, ti, five);
    let (body, out) = b.branch(START, head, less);
    let next = b.op(BinOp::BvAdd, ti, one);
    let last = b.chain(START, body, [Op::Call { callee: f, args: vec![ts], result: Some(s) }]);
    b.edge(START, last, head, set(i, next));
    let cell = b.load(region, first);
    let sum = b.op(BinOp::BvAdd, ts, cell);
    b.end(START, out, Op::Exit(sum));
    b
}

#[test]
fn states_are_restored() {
    let b = busy();
    assert_eq!(stepwise(&b, &[1, 2, 3, 4, 5, 100]), (Stop::Exit(115), 12));
    assert_eq!(super::run(&b, &[1, 2, 3, 4, 5, 100]), Stop::Exit(115));
}

#[test]
fn what_is_dead_does_not_count() {
    // `x = input; y = x & 1; x is dead; input again`.
    let mut b = Build::new();
    let (x, y, z) = (
        b.local(START, "x", Sort::BitVec(32)),
        b.local(START, "y", Sort::BitVec(32)),
        b.local(START, "z", Sort::BitVec(32)),
    );
    let (i, j) = (b.nondet(), b.nondet());
    let (tx, ty, one) = (b.var(x), b.var(y), b.bv(32, 1));
    let bit = b.op(BinOp::BvAnd, tx, one);
    let last = b.chain(START, ENTRY, [Op::Input(x, i), set(y, bit), Op::Input(z, j)]);
    b.end(START, last, Op::Exit(ty));
    let machine = Machine::new(&b.program);
    let encoding = |value: u64| {
        let mut state = machine.initial();
        let limits = Limits::default();
        let request = |state: &mut MachineState| {
            let Pause::Input(r) = machine.run_until_input(state, &mut (), LoopHeads::Pass, &limits) else {
                panic!("an input")
            };
            r
        };
        let first = request(&mut state);
        machine.supply(&mut state, &first, value);
        request(&mut state);
        let mut bytes = Vec::new();
        machine.encode(&state, &mut bytes);
        bytes
    };
    assert_eq!(encoding(3), encoding(77));
    assert_ne!(encoding(3), encoding(4));
}

#[test]
fn runs_are_determined_by_their_inputs() {
    let b = busy();
    let machine = Machine::new(&b.program);
    let mut random = Random(99);
    for _ in 0..50 {
        let inputs: Vec<u64> = (0..6).map(|_| random.number()).collect();
        let run = || {
            let mut list = InputList::new(inputs.clone());
            machine.run(&mut machine.initial(), &mut list, &mut (), &Limits::default())
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn garbage_is_no_state() {
    let b = busy();
    let machine = Machine::new(&b.program);
    let mut state = machine.initial();
    let mut none = |_: &InputRequest| None;
    machine.run(&mut state, &mut none, &mut (), &Limits::default());
    let mut bytes = Vec::new();
    machine.encode(&state, &mut bytes);
    let mut random = Random(7);
    for _ in 0..20_000 {
        let mut garbage = bytes.clone();
        let at = random.below(garbage.len() as u64) as usize;
        garbage[at] = random.number() as u8;
        if let Some(mut decoded) = machine.decode(&garbage) {
            let mut list = InputList::new(vec![1; 6]);
            let limits = Limits { steps: 10_000, ..Limits::default() };
            machine.run(&mut decoded, &mut list, &mut (), &limits);
        }
    }
}
