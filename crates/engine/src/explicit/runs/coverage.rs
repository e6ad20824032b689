//! Coverage: which edges of a program runs with random inputs take.

use std::collections::BTreeSet;

use clinch_ir::cfa::{CfaProgram, EdgeId, ProcedureId};
use clinch_machine::{InputRequest, Limits, Machine, Observer, TracedEdge};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::candidates::Mood;
use super::{Candidates, RunsConfig};

/// How many runs there are, and how many edges they take: counted, so that they are the same everywhere.
const RUNS: usize = 100;
const STEPS_OF_ONE: u64 = 20_000;
const STEPS_OF_ALL: u64 = 400_000;

/// The edges of a program that some random runs take.
pub fn covered(program: &CfaProgram) -> BTreeSet<(ProcedureId, EdgeId)> {
    let config = RunsConfig::default();
    let (machine, candidates) = (Machine::new(program), Candidates::new(program, &config));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(config.seed);
    let mut passed = Passed::default();
    for number in 0..RUNS {
        let mood = Mood::LIVELY[number % Mood::LIVELY.len()];
        let mut inputs = |request: &InputRequest| Some(candidates.draw(request, mood, &mut rng));
        let limits = Limits { steps: STEPS_OF_ONE, ..Limits::default() };
        machine.run(&mut machine.initial(), &mut inputs, &mut passed, &limits);
        if passed.steps > STEPS_OF_ALL || program.has_one_run() {
            break;
        }
    }
    passed.edges
}

#[derive(Default)]
struct Passed {
    edges: BTreeSet<(ProcedureId, EdgeId)>,
    steps: u64,
}

impl Observer for Passed {
    const TRACES: bool = true;

    fn edge(&mut self, edge: &TracedEdge<'_>) {
        self.steps += 1;
        self.edges.extend(edge.at.edge.map(|id| (edge.at.procedure, id)));
    }
}
