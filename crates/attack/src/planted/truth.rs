//! What gcc's sanitizers say of a pair.

use std::path::Path;
use std::process::Command;

use super::Pair;

/// Inputs come from the environment; then they are zero.
const DRIVER: &str = r#"
#include <stdlib.h>
int __VERIFIER_nondet_int(void) {
  static char *next;
  if (!next) next = getenv("INPUTS");
  return next ? (int)strtol(next, &next, 10) : 0;
}
"#;

const FLAGS: &[&str] = &["-O0", "-g", "-w", "-fsanitize=address,undefined,bounds-strict", "-fno-sanitize-recover=all"];

/// Values that the version without error gets beside those that lead to the error in the other one.
const OTHERS: [i64; 8] = [0, 1, -1, 2, 7, 31, i32::MAX as i64, i32::MIN as i64];

/// What the sanitizers complain about in the version with the error.
pub fn complaint(folder: &Path, pair: &Pair) -> Result<String, String> {
    let right = run_all(folder, "right", (pair, &pair.right), &inputs_of_right(pair))?;
    if let Some(complaint) = right {
        return Err(format!("{}: the version without error: {complaint}\n{}", pair.name, pair.right));
    }
    let wrong = run_all(folder, "wrong", (pair, &pair.wrong), std::slice::from_ref(&pair.inputs))?;
    wrong.ok_or_else(|| format!("{}: nobody complains\n{}", pair.name, pair.wrong))
}

fn inputs_of_right(pair: &Pair) -> Vec<Vec<i64>> {
    let before = &pair.inputs[..pair.inputs.len() - 1];
    let others = OTHERS.iter().map(|&value| [before, &[value]].concat());
    std::iter::once(pair.inputs.clone()).chain(others).collect()
}

/// The first complaint of a program on some inputs.
fn run_all(
    folder: &Path,
    name: &str,
    (pair, text): (&Pair, &str),
    inputs: &[Vec<i64>],
) -> Result<Option<String>, String> {
    let (file, driver, program) = (folder.join(format!("{name}.c")), folder.join("driver.c"), folder.join(name));
    std::fs::write(&file, text).and_then(|()| std::fs::write(&driver, DRIVER)).map_err(|error| error.to_string())?;
    let output = Command::new("gcc").args(FLAGS).arg("-o").args([&program, &file, &driver]).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}\n{text}", String::from_utf8_lossy(&output.stderr)));
    }
    for list in inputs {
        let words: Vec<String> = list.iter().map(i64::to_string).collect();
        let mut command = Command::new(&program);
        // Memory that is never freed is nobody's concern elsewhere.
        let options = format!("detect_leaks={}:detect_stack_use_after_return=1", u8::from(pair.is_leak()));
        command.env("INPUTS", words.join(" ")).env("ASAN_OPTIONS", options);
        let output = command.output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        let complains = |line: &&str| {
            ["ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:"].iter().any(|what| line.contains(what))
        };
        let complaint = said.lines().find(complains);
        if let Some(complaint) = complaint {
            return Ok(Some(complaint.to_owned()));
        }
    }
    Ok(None)
}
