//! What the front end and the machine make of a program.

use clinch_frontend::c::lower::{LowerOptions, lower};
use clinch_frontend::c::types::DataModel;
use clinch_frontend::c::{CheckOptions, Options, Unit, check, read, split_long_doubles};
use clinch_ir::cfa::{CfaProgram, Check, InputKind};
use clinch_machine::{InputRequest, InputSource, Limits, Machine, Observer, Stop, TracedEdge};

use clinch_attack::outcome::{End, Outcome};

/// More steps than any generated program takes.
const STEPS: u64 = 50_000_000;

/// What is found where nothing was written.
const UNWRITTEN: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// A program, lowered.
pub(crate) struct Lowered(Result<CfaProgram, String>);

/// Keeps what goes to the standard output.
struct Output(Vec<u8>);

impl Observer for Output {
    const TRACES: bool = false;

    fn edge(&mut self, _: &TracedEdge<'_>) {}

    fn print(&mut self, text: &[u8], stdout: bool) {
        if stdout {
            self.0.extend_from_slice(text);
        }
    }
}

impl Lowered {
    /// Preprocessed text to automata.
    pub(crate) fn new(text: &str) -> Self {
        Lowered::for_model(text, DataModel::default())
    }

    pub(crate) fn for_model(text: &str, data_model: DataModel) -> Self {
        let unit = Unit { name: "program.c".to_owned(), text: text.to_owned() };
        let (mut hir, map) = match check(&[unit], &CheckOptions { data_model, ..CheckOptions::default() }) {
            Ok(checked) => checked,
            Err(error) => return Lowered(Err(format!("check: {:?}", error.first()))),
        };
        split_long_doubles(&mut hir);
        Lowered(lower(&hir, map, &LowerOptions::default()).map_err(|error| format!("lower: {error}")))
    }

    /// The same, with everything checked that its sanitised compilation checks too.
    pub(crate) fn checked(text: &str) -> Self {
        let unit = Unit { name: "program.c".to_owned(), text: text.to_owned() };
        let checks = [Check::Assertion, Check::Division, Check::ShiftCount, Check::Dereference, Check::Free];
        let options = Options { checks: checks.into_iter().collect(), ..Options::default() };
        Lowered(read(&[unit], &options).map_err(|error| format!("{error:?}")))
    }

    /// Runs it on inputs; zero when they are used up. What is read without being written (padding, when a record is
    /// copied) has a value that would show.
    pub(crate) fn run(&self, inputs: &[u64]) -> Outcome {
        let program = match &self.0 {
            Ok(program) => program,
            Err(error) => return Outcome { stdout: Vec::new(), end: End::Other(error.clone()) },
        };
        let mut values = inputs.iter().copied();
        let mut provider = |request: &InputRequest| match &request.source {
            InputSource::Site(site) => match &program.inputs[site.index()].kind {
                InputKind::Nondet(name) => {
                    let value = values.next().unwrap_or(0);
                    Some(if name.ends_with("bool") { value & 1 } else { value })
                }
                // The first value of a local is asked for before it is assigned.
                _ => Some(UNWRITTEN),
            },
            InputSource::Memory { .. } => Some(UNWRITTEN),
        };
        let machine = Machine::new(program);
        let (mut state, mut output) = (machine.initial(), Output(Vec::new()));
        let limits = Limits { steps: STEPS, ..Limits::default() };
        let outcome = machine.run(&mut state, &mut provider, &mut output, &limits);
        let end = match outcome.stop {
            Stop::Exit(status) => End::Exit((status & 0xff) as i32),
            Stop::Abort => End::Abort,
            Stop::Error(_) => End::Error,
            Stop::Blocked => End::Blocked,
            stop => End::Other(format!("{stop:?} at {:?}", outcome.at.span)),
        };
        Outcome { stdout: output.0, end }
    }
}

/// Runs a program on inputs.
pub(crate) fn interpret(text: &str, inputs: &[u64]) -> Outcome {
    Lowered::new(text).run(inputs)
}
