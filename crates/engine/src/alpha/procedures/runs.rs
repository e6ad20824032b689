//! The concrete side: states of the machine at cut points, steps with given inputs, values of terms.

use clinch_ir::Reason;
use clinch_ir::cfa::unfold::{Point, PointId, Unfolding};
use clinch_ir::cfa::{EdgeId, InputTrace, InputValue, Integers};
use clinch_machine::guided::input_value;
use clinch_machine::{
    InputRequest, InputSource, Limits, LoopHeads, Machine, MachineState, Outcome, Pause, View, as_value,
};
use clinch_terms::evaluate::{Environment, Memo, evaluate_with};
use clinch_terms::{Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::concrete::runs::error_of;

/// Edges of one step at most.
const STEPS: u64 = 1 << 24;

/// Values of the inputs of a step, by the point and the edge that ask for them. Others are 0.
pub(super) type Chosen = FxHashMap<(PointId, EdgeId), u64>;

/// What a step leads to.
pub(super) enum Arrival {
    /// To another cut point: the state there, and the inputs that were asked for.
    Point(PointId, Box<[u8]>, Vec<InputValue>),
    /// To the end of the run, without error.
    End,
    /// To the error.
    Error(InputTrace),
}

/// Executes steps.
pub(super) struct Runs<'a> {
    machine: Machine<'a>,
    next_address: Symbol,
    budget: &'a Budget,
}

impl<'a> Runs<'a> {
    pub(super) fn new(unfolding: &Unfolding<'a>, budget: &'a Budget) -> Self {
        let (machine, next_address) = (Machine::new(unfolding.program()), unfolding.effects().next_address);
        Runs { machine, next_address, budget }
    }

    /// The state at the start.
    pub(super) fn start(&self) -> Box<[u8]> {
        self.stored(&self.machine.initial())
    }

    fn stored(&self, state: &MachineState) -> Box<[u8]> {
        let mut bytes = Vec::new();
        self.machine.encode(state, &mut bytes);
        bytes.into_boxed_slice()
    }

    fn state(&self, bytes: &[u8]) -> MachineState {
        self.machine.decode(bytes).expect("what was encoded can be decoded")
    }

    /// The step from a state with these inputs.
    pub(super) fn step(&self, unfolding: &mut Unfolding<'_>, bytes: &[u8], chosen: &Chosen) -> Result<Arrival, Reason> {
        let interrupt = || self.budget.check().is_err();
        let mut state = self.state(bytes);
        let limits = Limits { steps: state.steps() + STEPS, interrupt: Some(&interrupt), ..Limits::default() };
        let mut inputs = Vec::new();
        loop {
            match self.machine.run_until_input(&mut state, &mut (), LoopHeads::Stop, &limits) {
                Pause::LoopHead(..) => {}
                Pause::Input(request) => {
                    let bits = self.answer(unfolding, &state, &request, chosen);
                    inputs.push(input_value(&request, bits));
                    self.machine.supply(&mut state, &request, bits);
                    // Behind an input the machine goes on, also if that is the head of a loop.
                    let is_taken = matches!(request.source, InputSource::Site(_));
                    let point = unfolding.intern_point(self.point(&state));
                    if !is_taken || !unfolding.is_loop_head(point) {
                        continue;
                    }
                }
                Pause::Stopped(outcome) => return self.end(&outcome, inputs),
            }
            let point = unfolding.intern_point(self.point(&state));
            return Ok(Arrival::Point(point, self.stored(&state), inputs));
        }
    }

    fn point(&self, state: &MachineState) -> Point {
        let (procedure, location) = self.machine.location(state);
        Point { calls: self.machine.calls(state).into(), procedure, location }
    }

    fn answer(&self, unfolding: &Unfolding<'_>, state: &MachineState, request: &InputRequest, chosen: &Chosen) -> u64 {
        let Some(edge) = request.at.edge.filter(|_| matches!(request.source, InputSource::Site(_))) else { return 0 };
        let from = self.machine.program().procedure(request.at.procedure).edges[edge.index()].from;
        let calls = self.machine.calls(state).into();
        let point = unfolding.find(&Point { calls, procedure: request.at.procedure, location: from });
        point.and_then(|point| chosen.get(&(point, edge)).copied()).unwrap_or(0)
    }

    fn end(&self, outcome: &Outcome, inputs: Vec<InputValue>) -> Result<Arrival, Reason> {
        let error = error_of(self.machine.program(), outcome, self.budget)?;
        Ok(error.map_or(Arrival::End, |error| Arrival::Error(InputTrace { inputs, error, span: outcome.at.span })))
    }
}

/// A state as values of symbols.
pub(super) struct Concrete<'a> {
    runs: &'a Runs<'a>,
    view: View<'a>,
}

impl<'a> Concrete<'a> {
    pub(super) fn new(runs: &'a Runs<'a>, state: &[u8]) -> Self {
        Concrete { runs, view: View::new(&runs.machine, runs.state(state)) }
    }

    /// Whether formulas hold; `None` for those that have no value.
    pub(super) fn truths(&self, terms: &Terms, formulas: impl Iterator<Item = Term>) -> Vec<Option<bool>> {
        let mut memo = Memo::default();
        let truth = |formula| match evaluate_with(terms, self, formula, &mut memo)? {
            Value::Bool(value) => Some(value),
            _ => None,
        };
        formulas.map(truth).collect()
    }
}

impl Environment for Concrete<'_> {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        if symbol != self.runs.next_address {
            return self.view.value(symbol);
        }
        let program = self.runs.machine.program();
        let sort = match program.integers {
            Integers::Machine => Sort::BitVec(program.pointer_bits),
            Integers::Mathematical => Sort::Int,
        };
        as_value(&sort, self.view.next_address())
    }

    fn element(&self, array: Symbol, index: &Value) -> Option<Value> {
        self.view.element(array, index)
    }
}
