//! Replays traces of processes with the interpreter.

use clinch_ir::{InputDomain, Interpreter, Program, State, Trace, TraceEnd, TransId};
use clinch_terms::{EvalError, Term};

use crate::Rejection;

/// Executes the trace with the interpreter and checks every state of it, and its end.
pub fn check_trace(program: &Program, trace: &Trace) -> Result<(), Rejection> {
    let interpreter = Interpreter::new(program);
    if !interpreter.is_initial(&trace.initial) {
        return wrong("its first state is not initial");
    }
    let mut state = trace.initial.clone();
    for (number, step) in trace.steps.iter().enumerate() {
        check_inputs(program, step.transition, &step.inputs)?;
        match interpreter.fire(&state, step.transition, &step.inputs)? {
            None => return wrong(&format!("step {} is not enabled", number + 1)),
            Some(next) if next != step.state => {
                return wrong(&format!("step {} leads to another state", number + 1));
            }
            Some(next) => state = next,
        }
    }
    check_end(program, &interpreter, &state, &trace.end)
}

fn check_inputs(program: &Program, transition: TransId, inputs: &[i64]) -> Result<(), Rejection> {
    let domains: Vec<_> = program.transition(transition).inputs().map(|a| &program.var(a.var).domain).collect();
    let fit = domains.len() == inputs.len() && domains.iter().zip(inputs).all(|(d, &v)| d.contains(v));
    if fit { Ok(()) } else { wrong("an input is not in its domain") }
}

fn check_end(program: &Program, interpreter: &Interpreter<'_>, state: &State, end: &TraceEnd) -> Result<(), Rejection> {
    match end {
        TraceEnd::Error => match program.property.error {
            Some(error) if is_error(interpreter, error, state)? => Ok(()),
            _ => wrong("its last state is not an error"),
        },
        TraceEnd::Fault(transition, inputs, fault) => {
            check_inputs(program, *transition, inputs)?;
            match interpreter.fire(state, *transition, inputs) {
                Err(EvalError::Fault(found)) if found == *fault => Ok(()),
                _ => wrong("its last step is no such fault"),
            }
        }
        TraceEnd::Deadlock if !program.property.deadlock => wrong("deadlocks are not errors"),
        TraceEnd::Deadlock => {
            if is_deadlock(program, interpreter, state)? {
                Ok(())
            } else {
                wrong("its last state has successors")
            }
        }
    }
}

/// Whether the condition holds, or has no value.
fn is_error(interpreter: &Interpreter<'_>, error: Term, state: &State) -> Result<bool, EvalError> {
    match interpreter.evaluator().holds(error, state) {
        Err(EvalError::Fault(_)) => Ok(true),
        value => value,
    }
}

/// Whether no transition is enabled. Guards do not depend on inputs, so any inputs show it.
pub(crate) fn is_deadlock(program: &Program, interpreter: &Interpreter<'_>, state: &State) -> Result<bool, EvalError> {
    let any = InputDomain(Some((0, 0)));
    for id in program.transition_ids() {
        let mut enabled = Ok(None);
        interpreter.for_each_input(id, any, |inputs| {
            if matches!(enabled, Ok(None)) {
                enabled = interpreter.fire(state, id, inputs);
            }
        });
        if enabled?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn wrong(what: &str) -> Result<(), Rejection> {
    Err(Rejection::Wrong(format!("the trace is wrong: {what}")))
}
