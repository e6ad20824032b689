//! Concrete execution of programs with procedures: the judge of every counterexample, and the core of explicit search.
//!
//! [`Machine::new`] compiles a [`CfaProgram`] once. A [`MachineState`] is a state of it; [`Machine::run`] goes from there to
//! the end with inputs from an [`Inputs`], [`Machine::run_until_input`] only to the next input (or loop head), which
//! [`Machine::supply`] answers.
//!
//! A run is determined by its inputs. It never goes on behind undefined behaviour, nor where control or an address depends
//! on a value that is not modelled.

mod accelerate;
mod arithmetic;
mod code;
mod compile;
mod dispatch;
mod encode;
mod execute;
mod expression;
mod fault;
pub mod format;
mod ghosts;
pub mod guided;
mod leaks;
mod memory;
mod relevance;
mod simplify;
mod state;
mod view;
mod wide;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use clinch_ir::cfa::{CfaProgram, EdgeId, Failure, InputId, InputKind, Liveness, ProcedureId};
use clinch_ir::program::Span;
use clinch_terms::{LocId, Sort, Symbol};

use code::Code;
use compile::{Tracing, compile};
use execute::{Event, Execution};

pub use encode::{Cell, Parts};
pub use simplify::simplified;
pub use state::MachineState;
pub use view::{View, as_value};

/// Gives the values of inputs.
pub trait Inputs {
    /// The next value: bits, or an `i64` where the request is for a mathematical integer. `None` if there are no more.
    fn next(&mut self, request: &InputRequest) -> Option<u64>;
}

impl<F: FnMut(&InputRequest) -> Option<u64>> Inputs for F {
    fn next(&mut self, request: &InputRequest) -> Option<u64> {
        self(request)
    }
}

/// Values in the order they are asked for.
#[derive(Clone, Debug, Default)]
pub struct InputList {
    values: Vec<u64>,
    next: usize,
}

impl InputList {
    /// A list of values.
    pub fn new(values: Vec<u64>) -> Self {
        InputList { values, next: 0 }
    }
}

impl Inputs for InputList {
    fn next(&mut self, _: &InputRequest) -> Option<u64> {
        let value = self.values.get(self.next).copied();
        self.next += usize::from(value.is_some());
        value
    }
}

/// What an input is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputSource {
    /// An [`Op::Input`](clinch_ir::cfa::Op::Input).
    Site(InputId),
    /// Memory that is read before it was written. The value stays there.
    Memory {
        /// The object's name, or what kind of block it is.
        object: String,
        /// The address of the cell.
        address: u64,
        /// Where in the object that is.
        offset: u64,
    },
}

/// A request for an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputRequest {
    /// What it is for.
    pub source: InputSource,
    /// How many bits; 1 for a truth value, 0 for a mathematical integer.
    pub width: u32,
    /// Where the run is.
    pub at: At,
}

/// Where a run is: the edge it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The edge; none at a location that nothing leaves.
    pub edge: Option<EdgeId>,
    /// The edge's place in the text.
    pub span: Span,
}

/// A bound that a run hits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// [`Limits::steps`].
    Steps,
    /// [`Limits::depth`].
    CallDepth,
    /// Memory, or addresses.
    Memory,
    /// A mathematical integer beyond 64 bits.
    Integer,
    /// [`Limits::interrupt`].
    Interrupted,
}

/// Why a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// By itself, with a status.
    Exit(i64),
    /// By a signal.
    Abort,
    /// The error is reached.
    Error(Failure),
    /// No edge is enabled: an assumption fails.
    Blocked,
    /// Undefined behaviour: what it is.
    Undefined(String),
    /// Something that is not modelled counts here.
    Unsupported(String),
    /// An input is needed and there is none.
    OutOfInputs(InputRequest),
    /// A bound.
    Limit(Limit),
}

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Why it ends.
    pub stop: Stop,
    /// Where.
    pub at: At,
    /// The address that must not be accessed, if it ends so.
    pub address: Option<u64>,
}

/// What [`Machine::run_until_input`] comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pause {
    /// An input is needed.
    Input(InputRequest),
    /// The head of a loop is reached.
    LoopHead(ProcedureId, LocId),
    /// The run ends.
    Stopped(Outcome),
}

/// Whether [`Machine::run_until_input`] stops at loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopHeads {
    /// It goes through them.
    Pass,
    /// It stops at each.
    Stop,
}

/// Bounds on a run.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Edges, counted from the start of the state's run (in stretches of code without branching).
    pub steps: u64,
    /// Active calls.
    pub depth: usize,
    /// Asked now and then; the run ends if it says so.
    pub interrupt: Option<&'a dyn Fn() -> bool>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { steps: u64::MAX, depth: 100_000, interrupt: None }
    }
}

/// What an edge changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The variable, or the region of the cell.
    pub symbol: Symbol,
    /// The cell's address.
    pub address: Option<u64>,
    /// The new value.
    pub value: u64,
    /// Whether the value is modelled.
    pub known: bool,
}

/// An edge that was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TracedEdge<'a> {
    /// Where.
    pub at: At,
    /// How many calls are active.
    pub depth: usize,
    /// For an edge with a call: whether it comes back now. Such an edge is seen twice: with the parameters, and with the
    /// result.
    pub returned: bool,
    /// What is different now.
    pub changes: &'a [Change],
}

/// Sees what a run does.
pub trait Observer {
    /// Whether [`Observer::edge`] is to be called; runs are slower then.
    const TRACES: bool;

    /// An edge was taken.
    fn edge(&mut self, edge: &TracedEdge<'_>);

    /// Text was printed.
    fn print(&mut self, _text: &[u8], _stdout: bool) {}
}

/// Sees nothing.
impl Observer for () {
    const TRACES: bool = false;

    fn edge(&mut self, _: &TracedEdge<'_>) {}
}

/// A program, ready to be executed.
pub struct Machine<'p> {
    program: &'p CfaProgram,
    code: Code,
    traced: OnceLock<Code>,
    liveness: OnceLock<Vec<Liveness>>,
    /// Objects in the order of their addresses.
    by_address: Vec<u32>,
    block_of_object: Vec<u32>,
    /// Whether values may be unknown.
    has_opaque: bool,
    /// Whether there are ghost regions.
    has_ghosts: bool,
}

impl<'p> Machine<'p> {
    /// Compiles a program.
    pub fn new(program: &'p CfaProgram) -> Self {
        let mut by_address: Vec<u32> = (0..program.objects.len() as u32).collect();
        by_address.sort_by_key(|&o| program.objects[o as usize].address);
        let mut block_of_object = vec![0; by_address.len()];
        for (block, &object) in by_address.iter().enumerate() {
            block_of_object[object as usize] = block as u32;
        }
        let code = compile(program, &block_of_object, Tracing::Off);
        let has_opaque = program.inputs.iter().any(|i| matches!(i.kind, InputKind::Opaque(_)));
        let (traced, liveness) = (OnceLock::new(), OnceLock::new());
        let has_ghosts = program.regions.iter().any(|r| r.ghost);
        Machine { program, code, traced, liveness, by_address, block_of_object, has_opaque, has_ghosts }
    }

    /// The program.
    pub fn program(&self) -> &'p CfaProgram {
        self.program
    }

    /// Runs to the end.
    pub fn run<I: Inputs, O: Observer>(
        &self,
        state: &mut MachineState,
        inputs: &mut I,
        observer: &mut O,
        limits: &Limits<'_>,
    ) -> Outcome {
        match self.execute(state, inputs, observer, limits, LoopHeads::Pass) {
            Event::Stopped(outcome) => outcome,
            Event::LoopHead(..) => unreachable!("loop heads are passed"),
        }
    }

    /// Runs until an input is needed, the head of a loop is reached (if that is wanted), or the run ends. A state that is
    /// at a loop head moves on.
    pub fn run_until_input<O: Observer>(
        &self,
        state: &mut MachineState,
        observer: &mut O,
        heads: LoopHeads,
        limits: &Limits<'_>,
    ) -> Pause {
        let mut none = |_: &InputRequest| None;
        match self.execute(state, &mut none, observer, limits, heads) {
            Event::Stopped(Outcome { stop: Stop::OutOfInputs(request), .. }) => Pause::Input(request),
            Event::Stopped(outcome) => Pause::Stopped(outcome),
            Event::LoopHead(procedure, location) => Pause::LoopHead(procedure, location),
        }
    }

    fn execute<I: Inputs, O: Observer>(
        &self,
        state: &mut MachineState,
        inputs: &mut I,
        observer: &mut O,
        limits: &Limits<'_>,
        heads: LoopHeads,
    ) -> Event {
        let code = if O::TRACES {
            self.traced.get_or_init(|| compile(self.program, &self.block_of_object, Tracing::On))
        } else {
            &self.code
        };
        let mut run = Execution { machine: self, code, inputs, observer, limits, heads, changes: Vec::new() };
        if self.has_opaque { run.execute::<true>(state) } else { run.execute::<false>(state) }
    }

    /// Answers a request: the state goes on behind it.
    pub fn supply(&self, state: &mut MachineState, request: &InputRequest, value: u64) {
        let value = cut(request.width, value);
        match request.source {
            InputSource::Memory { address, .. } => {
                let bytes = request.width.div_ceil(8).max(1) as u8;
                // The cell is inside a live object: that is where the request came from.
                _ = state.memory.fill(self.program, address, bytes, value);
            }
            InputSource::Site(_) => self.supply_site(state, request.at, value),
        }
    }

    /// The width of a value of a sort in a slot.
    fn width_of(&self, symbol: Symbol) -> u32 {
        match self.program.terms.symbol_sort(symbol) {
            Sort::Bool => 1,
            Sort::BitVec(width) => *width,
            _ => 0,
        }
    }

    fn at(&self, procedure: u32, edge: EdgeId) -> At {
        let procedure = ProcedureId(procedure);
        let edges = &self.program.procedure(procedure).edges;
        let span = edges.get(edge.index()).map_or(self.program.procedure(procedure).span, |e| e.span);
        At { procedure, edge: (edge != code::NO_EDGE).then_some(edge), span }
    }
}

/// The bits of a value that count.
fn cut(width: u32, value: u64) -> u64 {
    if (1..64).contains(&width) { value & code::mask(width as u8) } else { value }
}
