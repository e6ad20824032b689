//! A deliberately naive search with the interpreter: the oracle of the oracle.

use std::collections::{HashMap, VecDeque};

use clinch_ir::{InputDomain, Interpreter, Program, State};
use clinch_terms::EvalError;

use crate::support::Answer;

pub(crate) struct Naive {
    pub(crate) answer: Answer,
    /// Steps to the nearest error.
    pub(crate) distance: Option<usize>,
    pub(crate) states: usize,
    pub(crate) transitions: usize,
}

/// Visits all states, errors included; `None` where an integer outgrows 64 bits.
pub(crate) fn search(program: &Program) -> Option<Naive> {
    let interpreter = Interpreter::new(program);
    let mut distance: HashMap<State, usize> = HashMap::new();
    let mut queue = VecDeque::new();
    interpreter.for_each_initial(InputDomain::default(), |state| {
        distance.insert(state.clone(), 0);
        queue.push_back(state);
    });
    let (mut transitions, mut nearest, mut overflow) = (0, None, false);
    while let Some(state) = queue.pop_front() {
        let here = distance[&state];
        let (mut enabled, mut fault) = (false, false);
        for id in program.transition_ids() {
            let finite = interpreter.for_each_input(id, InputDomain::default(), |inputs| {
                match interpreter.fire(&state, id, inputs) {
                    Ok(None) => {}
                    Ok(Some(next)) => {
                        enabled = true;
                        transitions += 1;
                        if !distance.contains_key(&next) {
                            distance.insert(next.clone(), here + 1);
                            queue.push_back(next);
                        }
                    }
                    Err(EvalError::Fault(_)) => fault = true,
                    Err(EvalError::Overflow) => overflow = true,
                }
            });
            assert!(finite, "the naive search is for finite models");
        }
        let error = program.property.error.map(|e| interpreter.evaluator().holds(e, &state));
        let error = matches!(error, Some(Ok(true) | Err(EvalError::Fault(_))));
        let stuck = program.property.deadlock && !enabled && !fault;
        if nearest.is_none() && (error || fault || stuck) {
            nearest = Some(here);
        }
    }
    let answer = if nearest.is_some() { Answer::Unsafe } else { Answer::Safe };
    (!overflow).then_some(Naive { answer, distance: nearest, states: distance.len(), transitions })
}
