//! The three readings of a transition agree: interpreter, compiled code, formulas.

use clinch_engine::concrete::{Event, Expander, Model};
use clinch_ir::symbolic::cell_term;
use clinch_ir::{Evaluator, InputDomain, Interpreter, Program, State, SymbolicTransition, TransId};
use clinch_terms::{EvalError, LocId, Node, VarId};
use proptest::prelude::*;

use crate::random::model;
use crate::support::gcl;

/// What a step leads to: nothing, a fault, or a state.
#[derive(PartialEq, Debug)]
enum Outcome {
    Disabled,
    Fault,
    Next(State),
}

fn interpreted(program: &Program, state: &State, id: TransId, inputs: &[i64]) -> Option<Outcome> {
    match Interpreter::new(program).fire(state, id, inputs) {
        Ok(None) => Some(Outcome::Disabled),
        Ok(Some(next)) => Some(Outcome::Next(next)),
        Err(EvalError::Fault(_)) => Some(Outcome::Fault),
        Err(EvalError::Overflow) => None,
    }
}

fn compiled(model: &Model<'_>, state: &State, id: TransId, inputs: &[i64]) -> Outcome {
    let mut words = vec![0; model.layout.words];
    model.layout.pack(state, &mut words);
    let mut expander = Expander::new(model);
    expander.load(&words);
    let mut outcome = Outcome::Disabled;
    expander.for_transition_with(id, inputs, |event| {
        outcome = match event {
            Event::Step(step) => Outcome::Next(model.layout.unpack(step.words)),
            Event::Fault(..) => Outcome::Fault,
            Event::Overflow(_) => panic!("small numbers"),
        };
    });
    outcome
}

fn symbolic(program: &Program, state: &State, id: TransId, inputs: &[i64]) -> Outcome {
    let mut terms = program.terms.clone();
    let symbolic = SymbolicTransition::new(program, &mut terms, id);
    let moves = &program.transition(id).moves;
    let mut value = |term| {
        let term = terms.replace(term, &mut |terms, t| match terms.node(t) {
            Node::Input(k) => Some(terms.int(inputs[k as usize])),
            _ => None,
        });
        Evaluator::with_terms(program, &terms).value(term, state).expect("defined")
    };
    if !moves.iter().all(|m| state.locs[m.process.index()] == m.from) {
        return Outcome::Disabled;
    }
    if value(symbolic.fault) != 0 {
        return Outcome::Fault;
    }
    if value(symbolic.effect.guard) == 0 {
        return Outcome::Disabled;
    }
    let mut next = state.clone();
    for (v, var) in program.vars.iter().enumerate() {
        for offset in 0..var.cells() {
            let mut terms = program.terms.clone();
            let symbolic = SymbolicTransition::new(program, &mut terms, id);
            let cell = cell_term(program, &mut terms, VarId::from_index(v), offset.into());
            let after = symbolic.after(program, &mut terms, cell);
            let after = terms.replace(after, &mut |terms, t| match terms.node(t) {
                Node::Input(k) => Some(terms.int(inputs[k as usize])),
                _ => None,
            });
            next.cells[(var.first_cell + offset) as usize] =
                Evaluator::with_terms(program, &terms).value(after, state).expect("defined");
        }
    }
    for m in moves {
        next.locs[m.process.index()] = m.to;
    }
    Outcome::Next(next)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: clinch_testing::cases(150), ..ProptestConfig::default() })]

    /// On every transition, from arbitrary states, reachable or not.
    #[test]
    fn interpreter_compiled_code_and_formulas_agree(
        text in model(),
        states in prop::collection::vec((0..2_i64, 0..4_i64, -1..3_i64, 0..3_i64, 0..3_i64, 0..3_u32, 0..3_u32), 8),
    ) {
        let program = gcl(&text);
        let model = Model::new(&program, InputDomain::default()).expect("finite");
        for (b, x, y, a0, a1, p, q) in states {
            let state = State { locs: vec![LocId(p), LocId(q)], cells: vec![b, x, y, a0, a1] };
            for id in program.transition_ids() {
                let inputs: Vec<i64> = program.transition(id).inputs().map(|_| 1).collect();
                let Some(expected) = interpreted(&program, &state, id, &inputs) else { continue };
                prop_assert_eq!(&compiled(&model, &state, id, &inputs), &expected, "compiled, {:?}", state);
                prop_assert_eq!(&symbolic(&program, &state, id, &inputs), &expected, "symbolic, {:?}", state);
            }
        }
    }
}
