//! Programs whose assumptions may contradict each other: then every property holds, and none was checked.

use clinch_ir::cfa::CfaProgram;
use clinch_machine::{InputRequest, InputSource, Limits, Machine, Stop};
use clinch_terms::Node;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// How many runs are tried.
const RUNS: u64 = 256;

/// How far a run goes: past the assumptions at its start.
const STEPS: u64 = 10_000;

/// The number of runs tried, if every one of them ends at an assumption that does not hold.
pub(crate) fn blocked_runs(program: &CfaProgram) -> Option<u64> {
    let values = constants(program);
    let machine = Machine::new(program);
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let is_blocked = |seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut inputs = |request: &InputRequest| {
            let value = draw(&values, &mut random);
            Some(if is_truth_value(program, request) { value & 1 } else { value })
        };
        machine.run(&mut machine.initial(), &mut inputs, &mut (), &limits).stop == Stop::Blocked
    };
    (0..RUNS).all(is_blocked).then_some(RUNS)
}

/// Whether an input is 0 or 1: with other values a run would not even start.
fn is_truth_value(program: &CfaProgram, request: &InputRequest) -> bool {
    matches!(request.source, InputSource::Site(site) if program.inputs[site.index()].ty == "_Bool")
}

/// Numbers that the program compares with, and their neighbours.
fn constants(program: &CfaProgram) -> Vec<u64> {
    let found = program.terms.all_terms().filter_map(|term| match program.terms.node(term) {
        Node::BitVec(_, value) => Some(value),
        Node::Int(value) => Some(value as u64),
        _ => None,
    });
    found.flat_map(|value| [value.wrapping_sub(1), value, value.wrapping_add(1)]).collect()
}

/// Any number, but small ones and the program's own more often than others.
fn draw(constants: &[u64], random: &mut Xoshiro256PlusPlus) -> u64 {
    match random.random_range(0..4) {
        0 => random.random_range(0..8_u64).wrapping_sub(2),
        1 => random.random(),
        _ => constants.choose(random).copied().unwrap_or(0),
    }
}
