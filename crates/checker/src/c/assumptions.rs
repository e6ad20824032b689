//! What a verdict rests on beyond the program: printed with it, one line each.

use std::time::Duration;

use clinch_certify::Judged;
use clinch_engine::Budget;
use clinch_engine::explicit::{RunsConfig, misbehaviour};
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, ObjectKind, Op, Target};
use clinch_terms::{BinOp, Node, Term};

/// How many runs are tried before a proof is believed that assumes something about them, and for how long.
const PROBES: u64 = 256;
const PROBING_TIME: Duration = Duration::from_millis(500);

/// What a verdict rests on, in sentences.
pub(crate) fn assumptions(program: &CfaProgram, verdict: &CfaVerdict) -> Vec<String> {
    let mut assumptions = program.assumptions.clone();
    if matches!(verdict, CfaVerdict::Unknown(_)) {
        return Vec::new();
    }
    if rests_on_memory(program, verdict) {
        assumptions.push("memory is accessed inside of live objects only".to_owned());
    }
    if let CfaVerdict::Safe(CfaProof::Summaries(proof)) = verdict
        && proof.heap_bits.is_some()
    {
        assumptions.push("pointers are written before they are read".to_owned());
    }
    assumptions
}

/// Whether a verdict is a proof that takes for granted that memory is used as it should be. A set of states is none: it comes
/// from executions, in which every access was checked.
pub(crate) fn rests_on_memory(program: &CfaProgram, verdict: &CfaVerdict) -> bool {
    // Where memory is checked, that is part of the program.
    let checked = program.regions.iter().any(|region| region.ghost);
    if checked || !matches!(verdict, CfaVerdict::Safe(proof) if !matches!(proof, CfaProof::Reached(_))) {
        return false;
    }
    program.procedures.iter().flat_map(|p| &p.edges).any(|edge| may_misuse_memory(program, &edge.op))
}

/// A proof that takes it for granted that memory is used as it should be is worth nothing where runs show that it is not.
pub(super) fn doubt(program: &CfaProgram, verdict: &mut Judged<CfaVerdict>, budget: &Budget) {
    if rests_on_memory(program, verdict.verdict())
        && let Some(reason) = misbehaviour(program, &RunsConfig::default(), budget, (PROBES, PROBING_TIME))
    {
        *verdict = Judged::Unchecked(CfaVerdict::Unknown(reason));
    }
}

/// Whether an operation may access memory where there is none, or free or compare what it must not.
fn may_misuse_memory(program: &CfaProgram, op: &Op) -> bool {
    let misplaced = |region, address| !is_in_object(program, region, address);
    let written = match op {
        Op::Free(_) | Op::BlockSize(..) | Op::SameObject(..) => return true,
        Op::Assign(assigns) => assigns.as_slice(),
        _ => &[],
    };
    let writes = |target| matches!(target, Target::Cell(region, address) if misplaced(region, address));
    written.iter().any(|a| writes(a.target)) || op.terms().into_iter().any(|term| reads_misplaced(program, term))
}

fn reads_misplaced(program: &CfaProgram, term: Term) -> bool {
    let terms = &program.terms;
    terms.parts(term).into_iter().any(|part| match terms.node(part) {
        Node::Binary(BinOp::Select, array, address) => match terms.node(array) {
            Node::Symbol(region) => !is_in_object(program, region, address),
            _ => true,
        },
        _ => false,
    })
}

/// Whether a cell is at a fixed address, inside of an object that lives for the whole run.
fn is_in_object(program: &CfaProgram, region: clinch_terms::Symbol, address: Term) -> bool {
    let address = match program.terms.node(address) {
        Node::BitVec(_, address) => address,
        Node::Int(address) => address as u64,
        _ => return false,
    };
    let bytes = program.region(region).map_or(1, |r| u64::from(r.cell_bytes));
    program.objects.iter().any(|o| {
        let lasts = !matches!(o.kind, ObjectKind::Local(_));
        lasts && o.address <= address && address.saturating_add(bytes) <= o.address.saturating_add(o.size)
    })
}
