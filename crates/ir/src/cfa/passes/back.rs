//! From a run of a transformed program to a run of the original.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfa::{CfaProgram, EdgeId, ProcedureId};
use crate::machine::{InputRequest, InputSource, Limits, Machine, Outcome};
use crate::program::LocId;

/// A location of the original program.
pub type OldLocation = (ProcedureId, LocId);

/// An input that was asked for, and its value.
pub type Answer = (InputRequest, u64);

/// What a transformed program has to do with its original.
#[derive(Clone, Debug, Default)]
pub struct Back {
    /// Edges of the original that take no input any more: any value will do there.
    pub dropped: FxHashSet<(ProcedureId, EdgeId)>,
    /// For each procedure and location of the new program, the one of the old program.
    pub locations: Vec<Vec<OldLocation>>,
}

impl Back {
    /// A pass that changes nothing yet.
    pub fn identity(program: &CfaProgram) -> Self {
        let own = |p: ProcedureId, count| (0..count).map(|l| (p, LocId::from_index(l))).collect();
        let procedures = program.procedures.iter().enumerate();
        let locations = procedures.map(|(i, p)| own(ProcedureId::from_index(i), p.locations.len())).collect();
        Back { dropped: FxHashSet::default(), locations }
    }

    /// The location of the original that a location of the new program stands for.
    pub fn location(&self, procedure: ProcedureId, location: LocId) -> OldLocation {
        self.locations[procedure.index()][location.index()]
    }

    /// The run of the original that belongs to a run of the new program with these inputs: its inputs, and its end. Sites
    /// that were dropped take 0; sites that were kept take their values in order; memory takes the values by address.
    pub fn inputs(&self, original: &CfaProgram, trace: &[Answer], limits: &Limits<'_>) -> (Vec<Answer>, Outcome) {
        let mut sites: VecDeque<u64> = VecDeque::new();
        let mut memory: FxHashMap<u64, VecDeque<u64>> = FxHashMap::default();
        for (request, value) in trace {
            match request.source {
                InputSource::Site(_) => sites.push_back(*value),
                InputSource::Memory { address, .. } => memory.entry(address).or_default().push_back(*value),
            }
        }
        let mut answers = Vec::new();
        let mut inputs = |request: &InputRequest| {
            let dropped = request.at.edge.is_some_and(|e| self.dropped.contains(&(request.at.procedure, e)));
            let value = match request.source {
                InputSource::Site(_) if dropped => 0,
                InputSource::Site(_) => sites.pop_front()?,
                InputSource::Memory { address, .. } => {
                    memory.get_mut(&address).and_then(VecDeque::pop_front).unwrap_or(0)
                }
            };
            answers.push((request.clone(), value));
            Some(value)
        };
        let machine = Machine::new(original);
        let outcome = machine.run(&mut machine.initial(), &mut inputs, &mut (), limits);
        (answers, outcome)
    }
}
