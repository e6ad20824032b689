//! Evidence: lemmas as invariants, ways as a run.

use clinch_ir::Reason;
use clinch_ir::cfa::unfold::{Point, PointId};
use clinch_ir::cfa::{CfaProgram, EdgeId, InputTrace, Invariants, ProcedureId};
use clinch_machine::guided::run_guided;
use clinch_machine::{InputRequest, InputSource};
use rustc_hash::FxHashMap;

use super::needed::Invariant;
use super::search::Counterexample;
use super::system::System;

/// What holds at each location that is reached.
pub(super) fn invariants(system: &System<'_>, invariants: &[Option<Invariant>]) -> Invariants {
    let mut terms = system.terms.clone();
    let mut points = Vec::new();
    for (location, invariant) in system.locations.iter().zip(invariants) {
        let (Some(point), Some(invariant)) = (location.point, invariant) else { continue };
        // All states are in a cube without bits.
        if invariant.excluded.iter().any(|cube| cube.bits().is_empty()) {
            continue;
        }
        let mut formula = system.formula(&mut terms, &invariant.constants);
        for cube in &invariant.excluded {
            let cube = system.formula(&mut terms, cube);
            let outside = terms.not(cube);
            formula = terms.and(formula, outside);
        }
        points.push((system.unfolding.point(point).clone(), formula));
    }
    Invariants { terms, points, bound: None }
}

/// Where an input is asked for: how many loop heads were passed before, and the point and edge.
type Site = (usize, PointId, EdgeId);

/// The run that takes these ways, executed.
pub(super) fn trace(program: &CfaProgram, system: &System<'_>, found: &Counterexample) -> Result<InputTrace, Reason> {
    let mut inputs: FxHashMap<Site, u64> = FxHashMap::default();
    for (passed, taken) in found.taken.iter().enumerate() {
        inputs.extend(taken.inputs.iter().map(|(open, value)| ((passed, open.point, open.edge), *value)));
    }
    let cells = found.memory.iter().filter_map(|&(variable, value)| {
        let variable = &system.variables[variable];
        Some(((variable.address?, variable.width), value))
    });
    let memory: FxHashMap<(u64, u32), u64> = cells.collect();
    let trace = run_guided(program, |passed, request, calls| match request.source {
        InputSource::Memory { address, .. } => memory.get(&(address, request.width)).copied().unwrap_or(0),
        InputSource::Site(_) => {
            site(system, passed, request, calls).and_then(|site| inputs.get(&site)).copied().unwrap_or(0)
        }
    });
    trace.map_err(|_| Reason::Inconclusive("a run was found that is none: it depends on memory".to_owned()))
}

fn site(system: &System<'_>, passed: usize, request: &InputRequest, calls: &[(ProcedureId, EdgeId)]) -> Option<Site> {
    let (procedure, edge) = (request.at.procedure, request.at.edge?);
    let location = system.unfolding.program().procedure(procedure).edges[edge.index()].from;
    let point = Point { calls: calls.into(), procedure, location };
    Some((passed, system.unfolding.find(&point)?, edge))
}
