//! The experiments of the papers, their numbers beside ours.

mod alpha;
mod armc_models;
mod lazy;
mod spds;
mod split;
mod subsumer;

use std::path::PathBuf;
use std::time::Duration;

use clinch_frontend::{Language, Options, parse};
use clinch_ir::Program;
use clinch_reports::document::Document;
use serde_json::Value;

pub use lazy::{Driver, drivers};

/// Whose tables.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paper {
    /// Păsăreanu, Pelánek, Visser: tables 1 to 3.
    Alpha,
    /// Kudra: tables 5.1 to 5.5.
    Split,
    /// Rybalchenko, Singh: tables 1 and 2.
    Subsumer,
    /// Henzinger, Jhala, Majumdar, Sutre: table 1.
    Lazy,
    /// Esparza, Kiefer, Schwoon: tables 2 to 6.
    Spds,
}

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whose tables.
    pub paper: Paper,
    /// Time bound of each search, or of each run.
    pub bound: Duration,
    /// How many seeds (\[Split\]).
    pub seeds: u64,
    /// Only the systems or tables whose name contains this.
    pub only: String,
    /// Random error states per model (\[Split\]).
    pub errors: usize,
    /// The program `clinch`, for what runs in a process of its own (\[Lazy\]).
    pub clinch: PathBuf,
    /// Published drivers beside our own (\[Lazy\]).
    pub drivers: Vec<Driver>,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The tables, with the paper's numbers beside ours.
    pub document: Document,
    /// The data, as JSON.
    pub data: Value,
}

/// Runs the experiments of a paper. `progress` hears of every search that takes long.
pub fn run(request: &Request, progress: &mut dyn FnMut(&str)) -> Result<Measured, String> {
    match request.paper {
        Paper::Alpha => alpha::run(request),
        Paper::Spds => spds::run(request),
        Paper::Split => split::run(request, progress),
        Paper::Subsumer => subsumer::run(request),
        Paper::Lazy => lazy::run(request, progress),
    }
}

macro_rules! models {
    ($($name:literal),* $(,)?) => {
        /// The models of the experiments, part of the binary.
        const MODELS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../examples/gcl/", $name, ".gcl")))),*
        ];
    };
}

models! {
    "ticket", "ticket-err", "rax", "rax-deadlock", "bakery", "bakery-err", "driver", "driver-err",
    "branches", "sum-to-n", "sum-to-n-big", "cust-workers", "multiply-to-n", "hyman", "dining-phil", "barbershop",
    "fibonacci", "factorial", "handshake", "stack",
}

fn text_of(name: &str) -> &'static str {
    MODELS.iter().find(|(n, _)| *n == name).map(|(_, text)| *text).expect("a model of the experiments")
}

/// One of the models.
fn model(name: &str, defines: &[(String, i64)], predicates: &[&str]) -> Result<Program, String> {
    let options = Options {
        defines: defines.to_vec(),
        predicates: predicates.iter().map(|&p| p.to_owned()).collect(),
        ..Options::default()
    };
    parse(Language::Gcl, &format!("{name}.gcl"), text_of(name).as_bytes(), &options).map_err(|e| e.render(false))
}

/// The constants that make a model as large as the thesis' (its header's line `scale: N=11 P=3 -> ...`).
fn scale(name: &str) -> Vec<(String, i64)> {
    let line = text_of(name).lines().find_map(|line| line.strip_prefix("// scale: ")).unwrap_or_default();
    let constants = line.split("->").next().unwrap_or_default().split_whitespace();
    constants.filter_map(|c| c.split_once('=')).filter_map(|(n, v)| Some((n.to_owned(), v.parse().ok()?))).collect()
}
