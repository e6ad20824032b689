//! `clinch reproduce`: the experiments of the papers, their numbers beside ours.

mod alpha;
mod armc_models;
mod lazy;
mod spds;
mod split;
mod subsumer;

use clinch_frontend::{Language, Options, parse};
use clinch_ir::Program;

use crate::cli::{Paper, ReproduceArgs};
use crate::{console, exit};

/// `clinch reproduce`.
pub(crate) fn run(args: &ReproduceArgs) -> u8 {
    let result = match args.paper {
        Paper::Alpha => alpha::run(args),
        Paper::Spds => spds::run(args),
        Paper::Split => split::run(args),
        Paper::Subsumer => subsumer::run(args),
        Paper::Lazy => lazy::run(args),
    };
    match result {
        Ok(()) => exit::SAFE,
        Err(text) => {
            console::error(&format!("internal error: {text}"));
            exit::INTERNAL
        }
    }
}

macro_rules! models {
    ($($name:literal),* $(,)?) => {
        /// The models of the experiments, part of the binary.
        const MODELS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../examples/gcl/", $name, ".gcl")))),*
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
