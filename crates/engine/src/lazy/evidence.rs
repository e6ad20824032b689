//! Evidence: the tree as invariants, a path as a run.

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::widen;
use clinch_ir::Reason;
use clinch_ir::cfa::unfold::{Destination, Open, PointId};
use clinch_ir::cfa::{CfaProgram, CfaProof, EdgeId, InputTrace, Invariants, ProcedureId};
use clinch_machine::guided::{run_guided, value_bits};
use clinch_machine::{InputRequest, InputSource};
use clinch_terms::{Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::label::{INITIAL, Labels};
use super::path::Path;
use super::predicates::Predicates;
use super::tree::Tree;

/// Invariants at the start and where large blocks end: the union of the regions there. `None` where they cannot be said in bits.
pub(super) fn proof(
    terms: &Terms,
    labels: &Labels<'_>,
    predicates: &Predicates,
    tree: &Tree,
    encoding: Encoding,
) -> Option<CfaProof> {
    let mut terms = terms.clone();
    let start = labels.unfolding.start();
    let mut points: Vec<(PointId, Vec<Term>)> = Vec::new();
    for ((point, values), regions) in tree.regions().ok()? {
        let ends = labels.unfolding.is_loop_head(point) || labels.tracking.is_cut(point);
        if point != start && !ends {
            continue;
        }
        if points.last().is_none_or(|(last, _)| *last != point) {
            points.push((point, Vec::new()));
        }
        let valuation = labels.tracking.valuation(values).clone();
        let (known, values) = (valuation.formula(&mut terms), valuation.values());
        for region in regions {
            let formula = predicates.concretise(&mut terms, &region);
            let formula = match encoding {
                Encoding::Bits => formula,
                Encoding::Integers(_) => widen(&mut terms, formula, &labels.variables)?,
            };
            // Bounds of what has a value there say nothing more.
            let formula = terms.substitute_symbols(formula, &values);
            let formula = terms.and(known, formula);
            points.last_mut()?.1.push(formula);
        }
    }
    let points = points
        .into_iter()
        .map(|(point, formulas)| (labels.unfolding.point(point).clone(), terms.any(formulas)))
        .collect();
    Some(CfaProof::Invariants(Invariants { terms, points, bound: None }))
}

/// Where an input is asked for: how many loop heads were passed before, and the point and edge.
type Site = (usize, PointId, EdgeId);

/// A path as a run of the machine.
pub(super) fn trace(
    program: &CfaProgram,
    labels: &Labels<'_>,
    path: &Path,
    values: &FxHashMap<Symbol, Value>,
) -> Result<InputTrace, Reason> {
    let mut inputs: FxHashMap<Site, u64> = FxHashMap::default();
    let mut passed = 0;
    for step in &path.steps {
        for &Open { point, edge, symbol } in &step.open {
            if let Some(bits) = values.get(&symbol).and_then(value_bits) {
                inputs.insert((passed, point, edge), bits);
            }
        }
        if let Destination::Point(to) = labels.get(step.label).step.target
            && step.label != INITIAL
            && labels.unfolding.is_loop_head(to)
        {
            passed += 1;
        }
    }
    run_guided(program, |passed, request, calls| {
        if let InputSource::Memory { address, .. } = request.source {
            return contents(program, labels, values, request, address).unwrap_or(0);
        }
        let site = site(labels, passed, request, calls);
        site.and_then(|s| inputs.get(&s)).copied().unwrap_or(0)
    })
}

/// What a model says of memory that was never written: in a region that is read there.
fn contents(
    program: &CfaProgram,
    labels: &Labels<'_>,
    values: &FxHashMap<Symbol, Value>,
    request: &InputRequest,
    address: u64,
) -> Option<u64> {
    let op = &program.procedure(request.at.procedure).edges[request.at.edge?.index()].op;
    let reads = op.reads(&program.terms);
    let mut found = None;
    for region in program.regions.iter().filter(|r| r.cell_bytes * 8 == request.width && reads.contains(&r.symbol)) {
        let Some(Value::Array { default, entries }) = values.get(&labels.symbol_of(region.symbol)) else { continue };
        let is_it = |index: &Value| {
            value_bits(index).map(|b| if program.pointer_bits == 32 { b & 0xffff_ffff } else { b }) == Some(address)
        };
        match entries.iter().find(|(index, _)| is_it(index)) {
            Some((_, value)) => return value_bits(value),
            None => found = found.or_else(|| value_bits(default)),
        }
    }
    found
}

fn site(labels: &Labels<'_>, passed: usize, request: &InputRequest, calls: &[(ProcedureId, EdgeId)]) -> Option<Site> {
    let (procedure, edge) = (request.at.procedure, request.at.edge?);
    let location = labels.unfolding.program().procedure(procedure).edges[edge.index()].from;
    let point = clinch_ir::cfa::unfold::Point { calls: calls.into(), procedure, location };
    Some((passed, labels.unfolding.find(&point)?, edge))
}
