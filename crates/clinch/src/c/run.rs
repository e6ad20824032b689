//! `clinch run`: executes a program on the model.

use std::io::Write as _;

use clinch_checker::origin_text;
use clinch_engine::Budget;
use clinch_ir::cfa::{CfaProgram, Integers};
use clinch_machine::{InputRequest, InputSource, Limits, Machine, Observer, Outcome, Stop, TracedEdge};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::check::refuse;
use crate::cli::{Format, RunArgs};
use crate::{console, exit};

/// `clinch run`: the exit code says how the run ended, as for `check`: 1 if it reached the error, 2 if there is nothing to
/// say, 0 otherwise. The program's own status is printed.
pub(crate) fn run(args: &RunArgs) -> u8 {
    let loaded = match args.program.task().read_procedures() {
        Ok(loaded) => loaded,
        Err(error) => return refuse(&error, Format::Text),
    };
    let program = &loaded.program;
    let mut source = match source(args, program) {
        Ok(source) => source,
        Err(text) => {
            console::error(&format!("error: {text}"));
            return exit::USAGE;
        }
    };
    let budget = Budget::unlimited().with_timeout(Some(args.limits.timeout)).with_memory(Some(args.limits.memory));
    let interrupt = || budget.check_memory().is_err();
    let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
    let machine = Machine::new(program);
    let mut wrong = None;
    let mut inputs = |request: &InputRequest| source.next(program, request).map_err(|text| wrong = Some(text)).ok()?;
    let outcome = machine.run(&mut machine.initial(), &mut inputs, &mut Echo, &limits);
    // A reader that went away is not an error.
    let _ = std::io::stdout().flush();
    if let Some(text) = wrong {
        console::error(&format!("error: {text}"));
        return exit::USAGE;
    }
    let (text, code) = ending(program, &outcome);
    console::error(&text);
    code
}

/// What the run came to, and the exit code.
fn ending(program: &CfaProgram, outcome: &Outcome) -> (String, u8) {
    let place = program.source.place(outcome.at.span);
    let place = format!("{}:{}:{}", place.file, place.line, place.column);
    match &outcome.stop {
        Stop::Exit(status) => (format!("exit status {}", status & 0xff), exit::SAFE),
        Stop::Abort => (format!("aborted, at {place}"), exit::SAFE),
        Stop::Blocked => (format!("an assumption does not hold: the run ends, at {place}"), exit::SAFE),
        Stop::Error(what) => (format!("error: {what}, at {place}"), exit::UNSAFE),
        Stop::Undefined(what) => (format!("undefined behaviour: {what}, at {place}"), exit::UNKNOWN),
        Stop::Unsupported(what) => (format!("unsupported: {what}, at {place}"), exit::UNKNOWN),
        Stop::OutOfInputs(request) => {
            (format!("out of inputs: {} asks for one, at {place}", asker(program, request)), exit::UNKNOWN)
        }
        Stop::Limit(limit) => (format!("limit reached: {limit:?}, at {place}"), exit::UNKNOWN),
    }
}

fn asker(program: &CfaProgram, request: &InputRequest) -> String {
    match &request.source {
        InputSource::Site(site) => origin_text(&program.inputs[site.index()].kind),
        InputSource::Memory { object, .. } => format!("memory of {object}, read before it is written,"),
    }
}

/// Where inputs come from.
enum Source {
    List(std::vec::IntoIter<Given>),
    Random(Box<Xoshiro256PlusPlus>),
}

/// A number that was given, by what the program may ask for.
struct Given {
    text: String,
    integer: Option<u64>,
    number: Option<f64>,
}

impl Given {
    /// The bits of a value of a C type.
    fn bits(&self, ty: &str) -> Result<u64, String> {
        let number = || self.number.ok_or_else(|| format!("`{}` is not a number", self.text));
        match ty {
            // From all digits: they are rounded once.
            "float" => Ok(self.text.parse().map_or(number()? as f32, |value: f32| value).to_bits().into()),
            "double" => Ok(number()?.to_bits()),
            _ => self.integer.ok_or_else(|| format!("`{}` is not an integer", self.text)),
        }
    }
}

fn source(args: &RunArgs, program: &CfaProgram) -> Result<Source, String> {
    match (&args.inputs, args.seed) {
        (None, Some(seed)) => Ok(Source::Random(Box::new(Xoshiro256PlusPlus::seed_from_u64(seed)))),
        (values, _) => {
            let values = values.iter().flatten().map(|v| v.trim()).filter(|v| !v.is_empty());
            let values = values.map(|v| parse_value(v, program)).collect::<Result<Vec<_>, _>>()?;
            Ok(Source::List(values.into_iter()))
        }
    }
}

fn parse_value(text: &str, program: &CfaProgram) -> Result<Given, String> {
    // As C writes them, too.
    let plain = text.strip_suffix(['f', 'F']).filter(|rest| !rest.ends_with(['n', 'N'])).unwrap_or(text);
    let number = plain.parse().ok();
    let integer = match text.parse::<i128>() {
        Ok(_) => Some(parse_integer(text, program)?),
        Err(_) if number.is_some() => None,
        Err(_) => return Err(format!("`{text}` is not a number")),
    };
    Ok(Given { text: plain.to_owned(), integer, number })
}

fn parse_integer(text: &str, program: &CfaProgram) -> Result<u64, String> {
    let number: i128 = text.parse().map_err(|_| format!("`{text}` is not an integer"))?;
    let bits = i64::try_from(number).map(|v| v as u64);
    match program.integers {
        Integers::Mathematical => bits.map_err(|_| format!("`{text}` does not fit in 64 bits")),
        Integers::Machine => {
            bits.or_else(|_| u64::try_from(number)).map_err(|_| format!("`{text}` does not fit in 64 bits"))
        }
    }
}

impl Source {
    fn next(&mut self, program: &CfaProgram, request: &InputRequest) -> Result<Option<u64>, String> {
        let ty = match &request.source {
            InputSource::Site(site) => program.inputs[site.index()].ty.as_str(),
            InputSource::Memory { .. } => "",
        };
        Ok(Some(match self {
            Source::List(values) => match values.next() {
                Some(value) => value.bits(ty)?,
                None => return Ok(None),
            },
            Source::Random(rng) if request.width == 0 => rng.random_range(-1000_i64..1000) as u64,
            // Small numbers are what most programs do something with.
            Source::Random(rng) => match (rng.random(), ty) {
                (false, _) => rng.random(),
                (true, "float") => (rng.random_range(-40_i16..400) as f32 / 4.0).to_bits().into(),
                (true, "double") => (f64::from(rng.random_range(-40_i16..400)) / 4.0).to_bits(),
                (true, _) => rng.random_range(-10_i64..100) as u64,
            },
        }))
    }
}

/// Prints what the program prints.
struct Echo;

impl Observer for Echo {
    const TRACES: bool = false;

    fn edge(&mut self, _: &TracedEdge<'_>) {}

    fn print(&mut self, text: &[u8], stdout: bool) {
        // A reader that went away is not an error.
        let _ = if stdout { std::io::stdout().write_all(text) } else { std::io::stderr().write_all(text) };
    }
}
