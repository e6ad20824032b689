//! Tests of the machine.

mod accelerate;
mod arithmetic;
mod blocks;
mod control;
mod format;
mod memory;
mod search;

use clinch_testing::Build;

use super::{InputList, Limits, Machine, Observer, Outcome, Stop, TracedEdge};

/// Keeps what is printed.
#[derive(Default)]
pub(super) struct Printed(Vec<u8>);

impl Observer for Printed {
    const TRACES: bool = false;

    fn edge(&mut self, _: &TracedEdge<'_>) {}

    fn print(&mut self, text: &[u8], _: bool) {
        self.0.extend_from_slice(text);
    }
}

/// Keeps the edges.
#[derive(Default)]
pub(super) struct Edges(Vec<String>);

impl Observer for Edges {
    const TRACES: bool = true;

    fn edge(&mut self, edge: &TracedEdge<'_>) {
        let changes: Vec<String> = edge
            .changes
            .iter()
            .map(|c| match c.address {
                Some(address) => format!("[{address:#x}]={}", c.value),
                None => format!("{}={}", c.symbol.index(), c.value),
            })
            .collect();
        let edge_id = edge.at.edge.expect("an edge").index();
        let arrow = if edge.returned { "<" } else { "" };
        self.0.push(format!("{}.{edge_id}{arrow} {}", edge.at.procedure.index(), changes.join(" ")));
    }
}

/// Runs a program, plain and traced, and says how it ends.
pub(super) fn run(build: &Build, inputs: &[u64]) -> Stop {
    outcome(build, inputs).stop
}

pub(super) fn outcome(build: &Build, inputs: &[u64]) -> Outcome {
    let machine = Machine::new(&build.program);
    let plain = machine.run(&mut machine.initial(), &mut InputList::new(inputs.to_vec()), &mut (), &Limits::default());
    let mut list = InputList::new(inputs.to_vec());
    let traced = machine.run(&mut machine.initial(), &mut list, &mut Edges::default(), &Limits::default());
    assert_eq!(plain, traced);
    plain
}

pub(super) fn undefined(what: &str) -> Stop {
    Stop::Undefined(what.to_owned())
}
