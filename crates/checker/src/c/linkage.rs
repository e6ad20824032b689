//! Which names the C library defines: what a program gets from there is not replaced where it is executed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use super::cc::{Compiler, NATIVE};

/// How long the small program that looks at the names may run.
const TIME: Duration = Duration::from_secs(10);

/// The names among these that the machine's C library defines. A library of another word size has the same ones, and where that is not
/// installed, a function that only clinch's small library lacks must not be replaced either.
pub(crate) fn library_names(compiler: &Compiler, names: &BTreeSet<String>) -> Result<BTreeSet<String>, String> {
    // These belong to the checker, not to a library.
    let asked: Vec<&String> = names.iter().filter(|name| !name.starts_with("__VERIFIER_")).collect();
    if asked.is_empty() {
        return Ok(BTreeSet::new());
    }
    let sources = [("clinch-names.c".to_owned(), question(&asked))];
    let flags = ["-fno-builtin", "-Wl,--no-as-needed"];
    let answer = compiler.execute(&sources, NATIVE, &flags, TIME)?.stderr;
    Ok(answer.lines().map(str::to_owned).collect())
}

/// A program that prints the names that are defined: a weak reference to one that is not is null.
fn question(names: &[&String]) -> String {
    let mut text = String::from("extern long write(int, const void *, unsigned long);\n");
    for name in names {
        let _ = writeln!(text, "extern char name_{name}[] __asm__(\"{name}\") __attribute__((weak));");
    }
    text.push_str("int main(void) {\n");
    for name in names {
        let _ = writeln!(text, "    if (name_{name}) write(2, \"{name}\\n\", {});", name.len() + 1);
    }
    text.push_str("    return 0;\n}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_told_from_the_program() {
        let Some(compiler) = Compiler::find() else { return };
        let names = ["rand", "sin", "stdout", "optind", "sensor", "__VERIFIER_nondet_int", "main_loop"];
        let asked = names.into_iter().map(str::to_owned).collect();
        let found = library_names(&compiler, &asked).expect("compiles");
        assert_eq!(found, ["optind", "rand", "sin", "stdout"].into_iter().map(str::to_owned).collect());
    }
}
