//! Tables 2 to 6 of \[Spds\].

mod programs;
mod tables;

use std::time::{Duration, Instant};

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::Overflow;
use clinch_certify::{Judged, Rejection, certify};
use clinch_engine::spds::{self, Abstraction, Interpolants};
use clinch_engine::{Budget, Silent, lazy};
use clinch_ir::cfa::{CfaProgram, CfaVerdict};
use clinch_reports::document::{Document, Part};
use serde_json::{Value, json};

use crate::{Measured, Request};
use programs::Branches;

/// One run of an engine on a program.
#[derive(Debug)]
struct Run {
    answer: String,
    /// Whether the time was not enough.
    late: bool,
    time: Duration,
    stats: Value,
}

impl Run {
    fn number(&self, key: &str) -> u64 {
        self.stats[key].as_u64().unwrap_or(0)
    }

    fn json(&self) -> Value {
        json!({ "answer": self.answer, "time_s": self.time.as_secs_f64(), "stats": self.stats })
    }
}

/// Symbolic pushdown systems: no abstraction, or some kind of interpolants.
type Way = (Abstraction, Interpolants);
const NONE: Way = (Abstraction::None, Interpolants::Conciliated);
const WEAKEST: Way = (Abstraction::Dag, Interpolants::Weakest);
const CONCILIATED: Way = (Abstraction::Dag, Interpolants::Conciliated);
const STRONGEST: Way = (Abstraction::Dag, Interpolants::Strongest);

/// More memory is not taken.
const MEMORY: u64 = 4 << 30;

/// Sizes beyond those of the paper, for the engine that is linear in them.
const LARGE_DAGS: [u32; 4] = [25, 50, 100, 200];
const LARGE_LEVELS: [u32; 3] = [50, 200, 1000];

/// Runs an experiment, with a bound on the time of each search.
type Conduct = fn(Duration) -> Result<Experiment, String>;

/// The tables.
pub(super) fn run(request: &Request) -> Result<Measured, String> {
    let experiments: [(&str, Conduct); 5] =
        [("table 2", locking), ("table 3", equality), ("table 4", linked_list), ("table 5", dag), ("table 6", level)];
    let mut object = serde_json::Map::new();
    let mut document = Document::new("[Spds] The paper's numbers are in parentheses");
    for (name, experiment) in experiments.into_iter().filter(|(name, _)| name.contains(&request.only)) {
        let done = experiment(request.bound)?;
        object.insert(name.to_owned(), done.json());
        document.parts.extend(tables::parts(name, &done));
    }
    document.parts.push(Part::Text(tables::NOTES.trim().to_owned()));
    Ok(Measured { document, data: object.into() })
}

/// The runs of a table: a label for each row, with a run for each column.
#[derive(Debug, Default)]
struct Experiment {
    rows: Vec<(String, Vec<Option<Run>>)>,
}

impl Experiment {
    fn add(&mut self, label: impl ToString, runs: Vec<Option<Run>>) {
        self.rows.push((label.to_string(), runs));
    }

    fn json(&self) -> Value {
        let row = |(label, runs): &(String, Vec<Option<Run>>)| {
            let runs: Vec<Value> = runs.iter().map(|r| r.as_ref().map_or(Value::Null, Run::json)).collect();
            json!({ "row": label, "runs": runs })
        };
        self.rows.iter().map(row).collect()
    }
}

fn locking(bound: Duration) -> Result<Experiment, String> {
    let ways = [("w/o CEGAR", NONE), ("weakest", WEAKEST), ("conciliated", CONCILIATED)];
    let mut done = one_program(&programs::locking(8)?, &ways, &programs::locking_in_c()?, bound)?;
    // What the text says of other widths: exponential without abstraction, flat with it.
    for bits in [2, 3, 4, 5, 6, 7, 12, 16] {
        let program = programs::locking(bits)?;
        let runs = ways.map(|(_, how)| pushdown(&program, how, bound));
        done.add(format!("{bits} bits"), runs.into_iter().map(|r| r.map(Some)).collect::<Result<_, _>>()?);
    }
    Ok(done)
}

fn equality(bound: Duration) -> Result<Experiment, String> {
    let ways = [("w/o CEGAR", NONE), ("weakest", WEAKEST), ("conciliated", CONCILIATED), ("strongest", STRONGEST)];
    one_program(&programs::equality()?, &ways, &programs::equality_in_c()?, bound)
}

/// A row for each way, and one for lazy abstraction of the same program in C.
fn one_program(
    program: &CfaProgram,
    ways: &[(&str, Way)],
    in_c: &CfaProgram,
    bound: Duration,
) -> Result<Experiment, String> {
    let mut done = Experiment::default();
    for &(label, how) in ways {
        done.add(label, vec![Some(pushdown(program, how, bound)?)]);
    }
    done.add("lazy (in C)", vec![Some(lazily(in_c, bound)?)]);
    Ok(done)
}

fn linked_list(bound: Duration) -> Result<Experiment, String> {
    let mut done = Experiment::default();
    for bits in [40, 50, 60, 70, 80, 90, 100] {
        let program = programs::linked_list(bits)?;
        let ours = [NONE, CONCILIATED].map(|how| pushdown(&program, how, bound));
        let mut runs = ours.into_iter().collect::<Result<Vec<_>, _>>()?;
        runs.push(lazily(&programs::linked_list_in_c(bits)?, bound)?);
        done.add(bits, runs.into_iter().map(Some).collect());
    }
    Ok(done)
}

fn dag(bound: Duration) -> Result<Experiment, String> {
    let mut done = Experiment::default();
    for n in (1..=8).chain(LARGE_DAGS) {
        let ours = pushdown(&programs::dag(n)?, CONCILIATED, bound)?;
        let other = if n <= 8 { Some(lazily(&programs::dag_in_c(n)?, bound)?) } else { None };
        done.add(n, vec![Some(ours), other]);
    }
    Ok(done)
}

fn level(bound: Duration) -> Result<Experiment, String> {
    let mut done = Experiment::default();
    for n in (1..=9).chain(LARGE_LEVELS) {
        let mut runs = Vec::new();
        for branches in [Branches::Initial, Branches::Changed] {
            runs.push(Some(pushdown(&programs::level(n, branches)?, CONCILIATED, bound)?));
        }
        for branches in [Branches::Initial, Branches::Changed] {
            runs.push(if n <= 9 { Some(lazily(&programs::level_in_c(n, branches)?, bound)?) } else { None });
        }
        done.add(n, runs);
    }
    Ok(done)
}

/// A run of symbolic pushdown systems, re-checked.
fn pushdown(program: &CfaProgram, how: Way, bound: Duration) -> Result<Run, String> {
    let config = spds::Config { abstraction: how.0, interpolants: how.1, ..spds::Config::default() };
    judged(program, bound, Proofs::Exact, |budget| {
        let (verdict, stats) = spds::check(program, &config, budget, &mut Silent);
        (verdict, serde_json::to_value(stats).unwrap_or_default())
    })
}

/// A run of lazy abstraction as BLAST does it: one counterexample at a time.
fn lazily(program: &CfaProgram, bound: Duration) -> Result<Run, String> {
    judged(program, bound, Proofs::Integers, |budget| {
        let encoding = Encoding::Integers(Overflow::Ignored);
        let (verdict, stats) = lazy::check(program, encoding, &lazy::Config::blast(), budget, &mut Silent);
        (verdict, serde_json::to_value(stats).unwrap_or_default())
    })
}

/// What a proof is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Proofs {
    Exact,
    /// Unbounded integers: it need not hold for the machine's.
    Integers,
}

fn judged(
    program: &CfaProgram,
    bound: Duration,
    proofs: Proofs,
    search: impl FnOnce(&Budget) -> (CfaVerdict, Value),
) -> Result<Run, String> {
    /// Time to re-check a verdict, in which nobody is interested here.
    const PATIENCE: Duration = Duration::from_secs(60);
    let budget = Budget::unlimited().with_timeout(Some(bound)).with_memory(Some(MEMORY));
    let start = Instant::now();
    let (verdict, stats) = search(&budget);
    let time = start.elapsed();
    let patience = Budget::unlimited().with_timeout(Some(PATIENCE));
    let checked = match certify(program, Judged::Unchecked(verdict.clone()), &|| patience.check().is_err()) {
        Err(Rejection::Wrong(text)) if proofs == Proofs::Exact => return Err(text),
        checked => checked.is_ok(),
    };
    let mut answer = match &verdict {
        CfaVerdict::Safe(_) => "safe".to_owned(),
        CfaVerdict::Unsafe(_) => "unsafe".to_owned(),
        CfaVerdict::Unknown(reason) => format!("unknown: {reason}"),
    };
    if !checked {
        answer.push_str(", not re-checked");
    }
    let late = matches!(verdict, CfaVerdict::Unknown(_)) && budget.check().is_err();
    Ok(Run { answer, late, time, stats })
}
