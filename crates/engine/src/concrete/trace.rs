//! From a path of packed states back to a trace of the program.

use clinch_ir::{Step, Trace, TraceEnd};

use super::expand::{Event, Expander};
use super::model::Model;

/// The trace along a path of states, each a successor of the one before.
pub fn trace_of(model: &Model<'_>, path: &[Box<[u64]>], end: TraceEnd) -> Trace {
    let mut expander = Expander::new(model);
    let steps = path.windows(2).map(|pair| find_step(model, &mut expander, &pair[0], &pair[1])).collect();
    Trace { initial: model.layout.unpack(&path[0]), steps, end }
}

fn find_step(model: &Model<'_>, expander: &mut Expander<'_>, from: &[u64], to: &[u64]) -> Step {
    let mut found = None;
    expander.load(from);
    expander.for_each(|event| match event {
        Event::Step(step) if found.is_none() && step.words == to => {
            found = Some((step.transition, step.inputs.to_vec()));
        }
        _ => {}
    });
    let (transition, inputs) = found.expect("each state of a path is a successor of the one before");
    Step { transition, inputs, state: model.layout.unpack(to) }
}
