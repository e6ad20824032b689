//! The interpreter against gcc: random programs print the same and end the same way.
//!
//! `CLINCH_EFFORT` multiplies how many programs (500), `CLINCH_CONFORMANCE_SEED` is the first seed (0).
//! Where no gcc is found there is nothing to compare with, and the tests say so.
#![allow(clippy::print_stderr)] // A skipped comparison is told.

mod bounds;
mod examples;
mod interpret;
mod regressions;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clinch_attack::batches::{on_batches, threads};
use clinch_attack::gcc::{self, Batch};
use clinch_attack::outcome::{End, Outcome};
use clinch_attack::program::Program;
use clinch_attack::rng::Rng;
use clinch_attack::{generate, shrink};
use clinch_frontend::c::types::DataModel;
use clinch_testing::cases;
use interpret::Lowered;

/// Programs in one call of gcc.
const BATCH: u64 = 40;
/// Lists of inputs each program runs on.
const RUNS: u64 = 3;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// A folder for the files of a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

fn inputs(seed: u64, run: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed.wrapping_mul(31).wrapping_add(run) ^ 0xabcd);
    (0..24).map(|_| rng.value()).collect()
}

/// What is compared: programs, for a machine.
#[derive(Clone, Copy)]
struct Comparison {
    make: fn(u64) -> Program,
    flags: &'static [&'static str],
    data_model: DataModel,
}

impl Comparison {
    fn lp64(make: fn(u64) -> Program) -> Comparison {
        Comparison { make, flags: gcc::PLAIN, data_model: DataModel::Lp64 }
    }

    fn ilp32(make: fn(u64) -> Program) -> Comparison {
        Comparison { make, flags: gcc::PLAIN_ILP32, data_model: DataModel::Ilp32 }
    }
}

/// A seed and a run on which the two sides differ.
struct Disagreement {
    of: Comparison,
    seed: u64,
    run: u64,
    gcc: Outcome,
    ours: Outcome,
}

fn compare_batch(folder: &Path, of: Comparison, first: u64, count: u64) -> Vec<Disagreement> {
    let programs: Vec<Program> = (first..first + count).map(of.make).collect();
    let texts: Vec<String> = programs.iter().enumerate().map(|(i, p)| p.text(&format!("_{i}"))).collect();
    let batch = match Batch::compile(folder, &format!("batch{first}"), &texts, of.flags) {
        Ok(batch) => batch,
        // gcc 12 crashes on some programs, `(_Bool)(-38, 7)` for one: those have no outcome to compare with.
        Err(error) if error.contains("internal compiler error") && count == 1 => {
            eprintln!("skipped: gcc crashes on the program of seed {first}");
            return Vec::new();
        }
        Err(error) if error.contains("internal compiler error") => {
            let half = count / 2;
            let mut found = compare_batch(folder, of, first, half);
            found.extend(compare_batch(folder, of, first + half, count - half));
            return found;
        }
        Err(error) => panic!("gcc rejects a program of seeds {first}..{}: {error}", first + count),
    };
    let mut found = Vec::new();
    for (i, program) in programs.iter().enumerate() {
        let (seed, lowered) = (first + i as u64, Lowered::for_model(&program.text(""), of.data_model));
        for run in 0..RUNS {
            let inputs = inputs(seed, run);
            let (gcc, ours) = (batch.run(i, &inputs), lowered.run(&inputs));
            if gcc != ours {
                found.push(Disagreement { of, seed, run, gcc, ours });
                break;
            }
        }
    }
    remove(folder, &format!("batch{first}"));
    found
}

/// Whether gcc and ours differ, in the way known, on a program that gcc accepts and the sanitisers find nothing in.
fn disagrees(folder: &Path, of: Comparison, program: &Program, inputs: &[u64], known: &Outcome) -> bool {
    let text = [program.text("_0")];
    let Ok(batch) = Batch::compile(folder, "shrink", &text, of.flags) else { return false };
    let gcc = batch.run(0, inputs);
    let ours = Lowered::for_model(&program.text(""), of.data_model).run(inputs);
    if gcc == ours || !ours.ends_like(known) || matches!(gcc.end, End::Other(_)) {
        return false;
    }
    if of.data_model == DataModel::Ilp32 {
        // There may be no sanitisers for it.
        return true;
    }
    let sane = Batch::compile(folder, "shrink-sane", &text, gcc::SANITISED);
    sane.is_ok_and(|sane| sane.run(0, inputs) == gcc)
}

/// A small program for a disagreement, and where it is.
fn explain(folder: &Path, found: &Disagreement, time: u64) -> String {
    let inputs = inputs(found.seed, found.run);
    let fails = |p: &Program| disagrees(folder, found.of, p, &inputs, &found.ours);
    let program = (found.of.make)(found.seed);
    let small = shrink::shrink(&program, Duration::from_secs(time), &fails);
    let difference = found.gcc.difference(&found.ours);
    format!("seed {}, run {}: {difference}\ninputs {inputs:x?}\n{}", found.seed, found.run, small.text(""))
}

/// Programs with floats; half as many for 32 bits.
const FLOATS: u32 = 240;

/// How many of a hundred random programs may use something that is not modelled: an order of evaluation that seems to
/// matter, the bits of an address.
const MOST_OPEN: u64 = 25;

#[test]
fn random_programs_run_as_gcc_says() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to compare with");
        return;
    }
    compare("conformance", Comparison::lp64(generate::program), cases(500).into());
}

/// The same for programs that compute with floats, bit by bit.
#[test]
fn random_floats_are_those_of_gcc() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to compare with");
        return;
    }
    compare("conformance-floats", Comparison::lp64(generate::float_program), cases(FLOATS).into());
}

#[test]
fn random_floats_are_those_of_gcc_on_32_bits() {
    let name = "conformance-floats-ilp32";
    if !gcc::available_for_ilp32(&folder(name)) {
        eprintln!("skipped: no gcc for 32 bits to compare with");
        return;
    }
    compare(name, Comparison::ilp32(generate::float_program), cases(FLOATS / 2).into());
}

fn compare(name: &str, of: Comparison, count: u64) {
    let (folder, first) = (folder(name), setting("CLINCH_CONFORMANCE_SEED", 0));
    let mut found =
        on_batches((first, count), BATCH, threads(), |first, count| compare_batch(&folder, of, first, count));
    found.sort_by_key(|d| d.seed);
    let (open, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|d| d.ours.has_no_verdict());
    let reason = open.first().map(|d| &d.ours.end);
    assert!(
        open.len() as u64 * 100 <= count * MOST_OPEN,
        "{} of {count} programs are not modelled: {reason:?}",
        open.len()
    );
    if let Some(one) = found.first() {
        let list: Vec<String> =
            found.iter().take(60).map(|d| format!("{}: {}", d.seed, d.gcc.difference(&d.ours))).collect();
        let time = setting("CLINCH_CONFORMANCE_SHRINK", 60);
        panic!("{} of {count} programs differ:\n{}\n{}", found.len(), list.join("\n"), explain(&folder, one, time));
    }
}

/// What sanitisers complain about, and programs that optimisation changes, among the programs of some seeds.
fn ill_defined(folder: &Path, first: u64, count: u64) -> Vec<String> {
    let texts: Vec<String> = (0..count).map(|i| generate::program(first + i).text(&format!("_{i}"))).collect();
    let compile = |name: &str, flags: &[&str]| {
        let name = format!("{name}{first}");
        let batch = Batch::compile(folder, &name, &texts, flags).map_err(|e| format!("seeds from {first}: {e}"));
        (batch, name)
    };
    let (sane, sane_name) = compile("sane", gcc::SANITISED);
    let (plain, plain_name) = compile("plain", gcc::PLAIN);
    let (sane, plain) = match (sane, plain) {
        (Ok(sane), Ok(plain)) => (sane, plain),
        (Err(error), _) | (_, Err(error)) => return vec![error],
    };
    let mut bad = Vec::new();
    for i in 0..count {
        for run in 0..RUNS {
            let inputs = inputs(first + i, run);
            let (one, other) = (sane.run(i as usize, &inputs), plain.run(i as usize, &inputs));
            if one != other || matches!(one.end, End::Other(_)) {
                bad.push(format!("seed {}, run {run}: {}", first + i, one.difference(&other)));
            }
        }
    }
    for name in [sane_name, plain_name] {
        remove(folder, &name);
    }
    bad
}

fn remove(folder: &Path, name: &str) {
    for ending in ["", ".c"] {
        // Left behind, it is in nobody's way.
        let _ = std::fs::remove_file(folder.join(format!("{name}{ending}")));
    }
}

/// The generator keeps its promise: no undefined behaviour that gcc's sanitisers see.
#[test]
fn random_programs_are_well_defined() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to compare with");
        return;
    }
    let folder = folder("conformance-sanitised");
    let (first, count) = (setting("CLINCH_CONFORMANCE_SEED", 0), u64::from(cases(40)));
    let bad = on_batches((first, count), 10, threads(), |first, count| ill_defined(&folder, first, count));
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Of programs without undefined behaviour the checks of memory and arithmetic have nothing to say, and change nothing.
#[test]
fn checks_find_nothing_in_well_defined_programs() {
    let (first, count) = (setting("CLINCH_CONFORMANCE_SEED", 0), u64::from(cases(400)));
    let differ = on_batches((first, count), 10, threads(), |first, count| {
        let seeds = first..first + count;
        seeds.filter_map(|seed| difference_by_checks(seed).map(|text| (seed, text))).collect()
    });
    let (open, wrong): (Vec<_>, Vec<_>) = differ.into_iter().partition(|(_, (_, open))| *open);
    assert!(
        open.len() as u64 * 100 <= count * MOST_OPEN,
        "{} of {count} have no verdict: {:?}",
        open.len(),
        open.first()
    );
    assert!(wrong.is_empty(), "{} of {count} differ: {:?}", wrong.len(), wrong.iter().take(5).collect::<Vec<_>>());
}

/// How a program with checks behaves otherwise than without, and whether that is no verdict.
fn difference_by_checks(seed: u64) -> Option<(String, bool)> {
    let text = generate::program(seed).text("");
    let (plain, checked) = (Lowered::new(&text).run(&[]), Lowered::checked(&text).run(&[]));
    let differs = !plain.has_no_verdict() && plain != checked;
    differs.then(|| (plain.difference(&checked), checked.has_no_verdict()))
}

/// Writes the program of a seed, for people: `CLINCH_CONFORMANCE_SHOW=7`.
#[test]
fn show_a_program() {
    if let Ok(seed) = std::env::var("CLINCH_CONFORMANCE_SHOW") {
        let text = generate::program(seed.parse().expect("a seed")).text("");
        std::fs::write(folder("conformance").join(format!("seed{seed}.c")), text).expect("a file");
    }
}
