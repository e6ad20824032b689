//! Reports about processes.

use clinch_ir::cfa::CfaProof;
use clinch_ir::print::{show, show_cells, show_locations};
use clinch_ir::{Evaluator, Program, Proof as IrProof, State, Trace, TraceEnd, Verdict as IrVerdict};
use clinch_terms::EvalError;

use super::procedures::told;
use super::{Bound, Cells, Counterexample, ProcessStep, ProcessTrace, Proof, Report, Subject, Telling, Verdict};
use crate::check::Outcome;
use crate::property;

/// The report of a check of processes.
pub(crate) fn of_processes(program: &Program, outcome: Outcome<IrVerdict>) -> Report {
    let verdict = match outcome.verdict.verdict() {
        IrVerdict::Safe(found) => match property::missing_in_program(program) {
            None => Verdict::Safe { proof: proof(program, found), under: Vec::new() },
            Some(reason) => {
                Verdict::Unknown { reason, telling: Telling::Unsupported, proof: Some(proof(program, found)) }
            }
        },
        IrVerdict::Unsafe(found) => {
            Verdict::Unsafe { counterexample: Counterexample::Processes(trace(program, found)), under: Vec::new() }
        }
        IrVerdict::Unknown(reason) => Verdict::unknown(reason),
    };
    outcome.report(verdict, Subject::Processes)
}

fn proof(program: &Program, proof: &IrProof) -> Proof {
    match proof {
        IrProof::ReachedSet(set) => Proof::ReachedSet { states: set.len() as u64, reduced: false, forgetful: false },
        IrProof::ForgetfulSet(set, _) => {
            Proof::ReachedSet { states: set.len() as u64, reduced: false, forgetful: true }
        }
        IrProof::ReducedSet(set, dead) => {
            Proof::ReachedSet { states: set.states.len() as u64, reduced: true, forgetful: !dead.is_empty() }
        }
        IrProof::ReachedElsewhere(states) => Proof::ReachedSet { states: *states, reduced: false, forgetful: false },
        IrProof::AbstractStates(proof) => Proof::AbstractStates {
            states: proof.states.len() as u64,
            predicates: proof.predicates.iter().map(|&p| show(program, &proof.terms, p)).collect(),
        },
        IrProof::Interleaved(proof) => interleaved(program, proof),
    }
}

/// A proof about the one procedure that the processes were read as.
fn interleaved(program: &Program, proof: &CfaProof) -> Proof {
    let bounds = match proof {
        CfaProof::Unrolled(proof) => {
            let times = proof.loops.iter().map(|&(_, _, times)| times).max().unwrap_or(0);
            vec![Bound { file: program.source.name.clone(), line: 1, what: "steps".to_owned(), times }]
        }
        _ => Vec::new(),
    };
    told(proof, Vec::new(), bounds)
}

fn trace(program: &Program, trace: &Trace) -> ProcessTrace {
    let mut before = &trace.initial;
    let mut steps = Vec::with_capacity(trace.steps.len());
    for step in &trace.steps {
        steps.push(ProcessStep {
            transition: program.transition(step.transition).name.clone(),
            inputs: step.inputs.clone(),
            changed: cells(program, Some(before), &step.state),
        });
        before = &step.state;
    }
    ProcessTrace { error: end(program, trace), initial: cells(program, None, &trace.initial), steps }
}

fn cells(program: &Program, before: Option<&State>, state: &State) -> Cells {
    Cells { locations: show_locations(program, before, state), variables: show_cells(program, before, state) }
}

/// What is wrong at the end of a trace.
fn end(program: &Program, trace: &Trace) -> String {
    match &trace.end {
        TraceEnd::Error => match program.property.error.map(|e| Evaluator::new(program).holds(e, trace.last())) {
            Some(Err(EvalError::Fault(fault))) => format!("the error condition has no value: {fault}"),
            _ => "the error condition holds".to_owned(),
        },
        TraceEnd::Deadlock => "no transition is enabled".to_owned(),
        TraceEnd::Fault(transition, _, fault) => {
            let transition = program.transition(*transition);
            let (line, column) = program.source.line_column(transition.span.start);
            format!("run-time error in `{}` ({}:{line}:{column}): {fault}", transition.name, program.source.name)
        }
    }
}
