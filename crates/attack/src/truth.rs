//! What gcc makes of traps: the values of their observations.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::gcc::Batch;
use crate::outcome::End;
use crate::trap::{Says, Trap};

/// The values of observations, by their numbers.
pub type Values = BTreeMap<usize, BTreeSet<i64>>;

/// What was observed in the runs of a trap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Truth {
    /// On the hidden input.
    pub hidden: Values,
    /// On others.
    pub others: Values,
}

/// How a trap is compiled. Signed overflow wraps, as clinch has it.
pub const LEVELS: [&[&str]; 3] = [
    &["-O0", "-fwrapv", "-w", "-D_GNU_SOURCE"],
    &["-O2", "-fwrapv", "-w", "-D_GNU_SOURCE"],
    &[
        "-O1",
        "-fwrapv",
        "-w",
        "-D_GNU_SOURCE",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-fno-omit-frame-pointer",
    ],
];

/// Inputs that are not the hidden one.
const OTHERS: [u32; 3] = [0, 1, 0xdead_beef];

/// What is observed in each of the traps, or why one has no truth: it does not compile, sanitisers complain, or it depends
/// on optimisation.
pub fn truths(folder: &Path, name: &str, traps: &[Trap]) -> Vec<Result<Truth, String>> {
    let shared: Vec<&Trap> = traps.iter().filter(|trap| !trap.stands_alone()).collect();
    let mut shared = observe(folder, name, &shared).into_iter();
    let one = |trap: &Trap| if trap.stands_alone() { observe(folder, name, &[trap]).pop() } else { shared.next() };
    traps.iter().map(one).map(|truth| truth.expect("one for each trap")).collect()
}

/// The truth of one trap without optimisation and sanitisers: for first attempts.
pub fn quick(folder: &Path, name: &str, trap: &Trap) -> Option<Truth> {
    let truths = observe_all(folder, name, &[trap], &LEVELS[..1]).ok()?;
    truths.into_iter().next()?.ok()
}

/// The truths of traps that can share a file, or of one.
fn observe(folder: &Path, name: &str, traps: &[&Trap]) -> Vec<Result<Truth, String>> {
    match observe_all(folder, name, traps, &LEVELS) {
        Ok(truths) => truths,
        Err(error) if traps.len() <= 1 => vec![Err(error); traps.len()],
        Err(_) => {
            // One of them spoils the file.
            let (left, right) = traps.split_at(traps.len() / 2);
            let mut truths = observe(folder, name, left);
            truths.extend(observe(folder, name, right));
            truths
        }
    }
}

/// Compiles the traps together for each level, and runs each. The error is gcc's.
fn observe_all(
    folder: &Path,
    name: &str,
    traps: &[&Trap],
    levels: &[&[&str]],
) -> Result<Vec<Result<Truth, String>>, String> {
    let mut batches = Vec::new();
    for (i, flags) in levels.iter().enumerate() {
        batches.push(compile(folder, &format!("{name}-{i}"), traps, flags)?);
    }
    let truths = traps.iter().enumerate().map(|(i, trap)| agreed(&batches, i, trap)).collect();
    batches.iter().for_each(Batch::remove);
    Ok(truths)
}

fn compile(folder: &Path, name: &str, traps: &[&Trap], flags: &[&str]) -> Result<Batch, String> {
    if let [trap] = traps
        && trap.stands_alone()
    {
        return Batch::compile_alone(folder, name, &trap.observed(0), flags);
    }
    let texts: Vec<String> = traps.iter().enumerate().map(|(i, trap)| trap.observed(i).main).collect();
    Batch::compile(folder, name, &texts, flags)
}

/// What all levels agree on. Where C leaves a choice they need not: what the first does can happen.
fn agreed(batches: &[Batch], position: usize, trap: &Trap) -> Result<Truth, String> {
    let mut truth: Option<Truth> = None;
    for batch in batches {
        let mut here = Truth { hidden: values(batch, position, trap.hiding.input())?, ..Truth::default() };
        for input in OTHERS {
            for (number, values) in values(batch, position, input)? {
                here.others.entry(number).or_default().extend(values);
            }
        }
        match &truth {
            Some(_) if trap.says == Says::Possible => {}
            Some(before) if *before != here => return Err(format!("depends on optimisation: {before:?}, {here:?}")),
            _ => truth = Some(here),
        }
    }
    truth.ok_or_else(|| "no way to compile it".to_owned())
}

fn values(batch: &Batch, position: usize, input: u32) -> Result<Values, String> {
    let outcome = batch.run(position, &[u64::from(input)]);
    if let End::Other(why) = outcome.end {
        return Err(why);
    }
    Ok(parse(&String::from_utf8_lossy(&outcome.stdout), position))
}

/// Reads the lines `observe PROGRAM NUMBER VALUE` of one program. Constructors of others have their say as well.
fn parse(output: &str, position: usize) -> Values {
    let mut values = Values::new();
    for line in output.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let ["observe", program, number, value] = words[..] else { continue };
        let (Ok(number), Ok(value)) = (number.parse(), value.parse()) else { continue };
        if program == position.to_string() {
            values.entry(number).or_default().insert(value);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_programs_are_skipped() {
        let values = parse("observe 1 0 5\nhello\nobserve 2 0 6\nobserve 2 3 -7\nobserve 2 0 8\n", 2);
        assert_eq!(values, Values::from([(0, BTreeSet::from([6, 8])), (3, BTreeSet::from([-7]))]));
    }
}
