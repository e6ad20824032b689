//! Tables 2.1 and 5.1 to 5.5 of \[Split\].

use std::fmt::Write as _;
use std::time::Duration;

use clinch_checker::engines::ProcessEngine;
use clinch_checker::{Outcome, check_program};
use clinch_engine::{Budget, Silent, alpha, explicit};
use clinch_ir::{InputDomain, Verdict};
use serde_json::json;

use crate::searches::{self, AMCS_ERROR_FREE, AmcsEnd, Setup};
use crate::{Request, model, scale};

/// The models of tables 5.1 to 5.5.
const MODELS: [&str; 7] =
    ["branches", "sum-to-n-big", "cust-workers", "multiply-to-n", "hyman", "dining-phil", "barbershop"];

/// Memory a search may use.
const MEMORY: u64 = 8 << 30;

/// The tables.
pub(super) fn run(request: &Request, progress: &mut dyn FnMut(&str)) -> Result<String, String> {
    let models = MODELS.iter().map(|name| Ok(((*name).to_owned(), model(name, &scale(name), &[])?)));
    let models = models.collect::<Result<Vec<_>, String>>()?;
    let setup = Setup {
        seeds: (1..=request.seeds).collect(),
        errors: request.errors,
        bound: request.bound,
        memory: Some(MEMORY),
        ..Setup::default()
    };
    let tables = searches::run(&models, &setup, progress).map_err(|e| e.to_string())?;
    let error_free = error_free(request.bound)?;
    Ok(match request.json {
        true => json!({ "tables": tables, "error_free": error_free }).to_string(),
        false => format!("{}\n{}", tables.render(), render_error_free(&error_free)),
    })
}

/// A line of table 2.1: model, what AMCS came to, what it came to in the thesis.
type ErrorFree = (String, String, String);

/// Table 2.1: AMCS without error, on models of some hundred states.
fn error_free(bound: Duration) -> Result<Vec<ErrorFree>, String> {
    let mut rows = Vec::new();
    for (name, thesis) in AMCS_ERROR_FREE {
        let mut program = model(&file_name(name), &[], &[])?;
        program.property = Default::default();
        let states = explore(&program, &ProcessEngine::Explicit(explicit::Config::default()), bound)?;
        let inputs = alpha::Inputs::BruteForce(InputDomain::default());
        let amcs =
            explore(&program, &ProcessEngine::Alpha(alpha::Config { inputs, ..alpha::Config::default() }), bound)?;
        let concrete = states.stats["states"].as_u64().unwrap_or(0);
        let abstracts = amcs.stats["per_iteration"].as_array().and_then(|i| i.last()?["abstract_states"].as_u64());
        let ours = match (amcs.verdict.verdict(), abstracts) {
            (Verdict::Safe(_), Some(n)) if n == concrete => format!("{n} states (no gain)"),
            (Verdict::Safe(_), Some(n)) => format!("{n}/{concrete} bisimulation"),
            _ => format!("NT (of {concrete} states)"),
        };
        let thesis = match thesis {
            AmcsEnd::NonTerminating => "NT".to_owned(),
            AmcsEnd::NoGain(n) => format!("{n} states (no gain)"),
            AmcsEnd::Bisimulation { explored, of } => format!("{explored}/{of} bisimulation"),
        };
        rows.push(((*name).to_owned(), ours, thesis));
    }
    Ok(rows)
}

fn explore(program: &clinch_ir::Program, engine: &ProcessEngine, bound: Duration) -> Result<Outcome, String> {
    check_program(program, engine, &Budget::unlimited().with_timeout(Some(bound)), true, &mut Silent)
}

/// `SumToN` is in `sum-to-n.gcl`.
fn file_name(model: &str) -> String {
    let mut name = String::new();
    for (i, c) in model.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            name.push('-');
        }
        name.extend(c.to_lowercase());
    }
    name
}

fn render_error_free(rows: &[ErrorFree]) -> String {
    let mut out =
        String::from("[Split] table 2.1: AMCS, error-free search (small models; the thesis' result beside)\n\n");
    for (name, ours, thesis) in rows {
        let _ = writeln!(out, "{name:<14} {ours:<28} ({thesis})");
    }
    out.trim_end().to_owned()
}
