//! The C tasks, where they are at hand: all become automata, and no run confuses regions.

use clinch_frontend::c::lower::{LowerOptions, lower};
use clinch_frontend::c::types::DataModel;
use clinch_frontend::c::{CheckOptions, Unit, check, split_long_doubles};
use clinch_ir::cfa::{CfaProgram, InputKind, Integers};
use clinch_machine::{InputRequest, InputSource, Limits, Machine, Stop};

use crate::c_apart::{Apart, End};
use crate::c_corpus::{corpus, preprocessed};
use crate::c_wellformed::problems;

const STEPS: u64 = 5_000;

/// Small numbers of either sign, mostly.
fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    let bits = *seed >> 20;
    match *seed % 4 {
        0 => bits & 1,
        1 => bits & 7,
        2 => (bits & 15).wrapping_neg(),
        _ => bits,
    }
}

/// Whether a run ends alike in one memory and in one for each region. Nothing where it is undefined or too long.
fn ends_alike(program: &CfaProgram, seed: u64) -> Option<bool> {
    let (mut one, mut other) = (seed, seed);
    let mut inputs = |request: &InputRequest| match request.source {
        InputSource::Site(_) => Some(next(&mut one)),
        InputSource::Memory { .. } => Some(0),
    };
    let machine = Machine::new(program);
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let outcome = machine.run(&mut machine.initial(), &mut inputs, &mut (), &limits);
    match (outcome.stop, Apart::new(program).run(|_| next(&mut other), 3 * STEPS)) {
        (Stop::Undefined(_) | Stop::Unsupported(_) | Stop::Limit(_), _) | (_, End::Steps) => None,
        (Stop::Exit(a), End::Exit(b)) => Some(a as u32 == b as u32),
        (Stop::Abort, End::Abort) | (Stop::Blocked, End::Blocked) => Some(true),
        (Stop::Error(a), End::Error(b)) => Some(a.text == b),
        _ => Some(false),
    }
}

#[test]
fn all_tasks_become_automata() {
    let Some(dir) = corpus() else { return };
    let (mut lowered, mut runs, mut wrong) = (0, 0, Vec::new());
    for index in ["index.csv"] {
        let index = std::fs::read_to_string(dir.join(index)).expect("index");
        for line in index.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let Some(text) = preprocessed(&dir.join("tasks").join(fields[0])) else { continue };
            let data_model = if fields[4] == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
            let units = [Unit { name: fields[0].to_owned(), text }];
            let Ok((mut hir, source)) = check(&units, &CheckOptions { data_model, ..CheckOptions::default() }) else {
                continue;
            };
            let mathematical = fields[5] == "mathematical";
            let integers = if mathematical { Integers::Mathematical } else { Integers::Machine };
            split_long_doubles(&mut hir);
            let program = match lower(&hir, source, &LowerOptions { integers, ..LowerOptions::default() }) {
                Ok(program) => program,
                Err(e) => {
                    wrong.push(format!("{}: {e}", fields[0]));
                    continue;
                }
            };
            lowered += 1;
            wrong.extend(problems(&program).into_iter().map(|p| format!("{}: {p}", fields[0])));
            let opaque = program.inputs.iter().any(|i| matches!(i.kind, InputKind::Opaque(_)));
            for seed in if mathematical || opaque { 0..0 } else { 1..4 } {
                match ends_alike(&program, seed * 7919) {
                    Some(true) => runs += 1,
                    Some(false) => wrong.push(format!("{}: regions are confused, seed {seed}", fields[0])),
                    None => {}
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{lowered} tasks lowered, {runs} runs compared:\n{}", wrong.join("\n"));
    assert!(runs > 300, "only {runs} runs");
}
