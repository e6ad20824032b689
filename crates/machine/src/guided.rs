//! Runs of the machine that are guided by a counterexample: what an engine believes becomes what happens.

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, EdgeId, InputOrigin, InputTrace, InputValue, Op, ProcedureId};
use clinch_terms::Value;
use num_traits::ToPrimitive;

use crate::{InputRequest, InputSource, Limits, LoopHeads, Machine, Pause, Stop};

/// Executes the program. `input` says the bits of each input: it is told how many loop heads the run has passed, what asks, and
/// the calls that wait. If the run ends in no error, the counterexample is none.
pub fn run_guided(
    program: &CfaProgram,
    mut input: impl FnMut(usize, &InputRequest, &[(ProcedureId, EdgeId)]) -> u64,
) -> Result<InputTrace, Reason> {
    let machine = Machine::new(program);
    let mut state = machine.initial();
    let mut inputs = Vec::new();
    let mut passed = 0;
    let heads: Vec<Vec<bool>> = program.procedures.iter().map(|p| p.loop_heads()).collect();
    loop {
        let limits = Limits { steps: 100_000_000, ..Limits::default() };
        match machine.run_until_input(&mut state, &mut (), LoopHeads::Stop, &limits) {
            Pause::LoopHead(..) => passed += 1,
            Pause::Input(request) => {
                let bits = input(passed, &request, &machine.calls(&state));
                inputs.push(input_value(&request, bits));
                machine.supply(&mut state, &request, bits);
                // The machine does not stop at a head that the input itself leads to.
                let (procedure, location) = machine.location(&state);
                let moved = matches!(request.source, InputSource::Site(_));
                passed += usize::from(moved && heads[procedure.index()][location.index()]);
            }
            Pause::Stopped(outcome) => {
                return match outcome.stop {
                    Stop::Error(error) => Ok(InputTrace { inputs, error, span: outcome.at.span }),
                    _ => Err(Reason::Uncertified("the counterexample is none in exact arithmetic".to_owned())),
                };
            }
        }
    }
}

/// The lowest 64 bits of a value.
pub fn value_bits(value: &Value) -> Option<u64> {
    match value {
        Value::Bool(b) => Some((*b).into()),
        Value::Int(n) => clinch_terms::bitvec::of_integer(64, n).to_u64(),
        Value::BitVec { bits, .. } => bits.to_u64(),
        _ => None,
    }
}

/// The input that answers a request with these bits.
pub fn input_value(request: &InputRequest, bits: u64) -> InputValue {
    let origin = match &request.source {
        InputSource::Site(site) => InputOrigin::Site(*site),
        InputSource::Memory { object, .. } => InputOrigin::Memory(object.clone()),
    };
    let bits = if (1..64).contains(&request.width) { bits & ((1 << request.width) - 1) } else { bits };
    InputValue { origin, bits, width: request.width }
}

/// Why an edge has no verdict: it is not modelled, it is undefined behaviour, or a recursive call.
pub fn open_reason(program: &CfaProgram, procedure: ProcedureId, edge: EdgeId) -> Reason {
    let edge = &program.procedure(procedure).edges[edge.index()];
    let place = program.source.place(edge.span);
    let at = format!("at {}:{}:{}", place.file, place.line, place.column);
    match &edge.op {
        Op::Undefined(what) => Reason::Undefined(format!("{what}, {at}")),
        Op::Unsupported(what) => Reason::Unsupported(format!("{what}, {at}")),
        Op::Call { callee, .. } => Reason::Recursion(format!(
            "{} calls itself, {at}; --engine cegar and spds treat recursion",
            program.procedure(*callee).name
        )),
        _ => Reason::Unsupported(at),
    }
}
