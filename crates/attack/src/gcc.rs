//! What gcc makes of a program: many programs in one file, one run for each program and list of inputs.

use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::{End, Outcome};

/// The signal (`SIGUSR1`) that ends a run which an assumption blocks: any status may be a program's own.
const BLOCKED: i32 = 10;
/// The signal (`SIGUSR2`) that ends a run which reaches the error.
const ERROR: i32 = 12;

/// The environment: inputs come from the command line, zero when they are used up.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>
static char **driver_next;
static unsigned long long driver_input(void) { return *driver_next ? strtoull(*driver_next++, 0, 16) : 0; }
#define NONDET(type, suffix) __attribute__((noinline)) type __VERIFIER_nondet_##suffix(void) { return (type)driver_input(); }
_Bool __VERIFIER_nondet_bool(void) { return driver_input() & 1; }
NONDET(char, char)
NONDET(unsigned char, uchar)
NONDET(short, short)
NONDET(unsigned short, ushort)
NONDET(int, int)
NONDET(unsigned int, uint)
NONDET(long, long)
NONDET(unsigned long, ulong)
NONDET(long long, longlong)
NONDET(unsigned long long, ulonglong)
static void driver_end(int number) { fflush(stdout); raise(number); }
void reach_error(void) { driver_end(SIGUSR2); }
void __VERIFIER_assume(int c) { if (!c) driver_end(SIGUSR1); }
static void driver_observe(int program, int number, long long value) { printf("observe %d %d %lld\n", program, number, value); }
#define observe(program, number, ...) driver_observe(program, number, (long long)(__VA_ARGS__))
void driver_abort(void) { fflush(stdout); abort(); }
#define abort driver_abort
"#;

/// Flags of the comparison.
pub const PLAIN: &[&str] = &["-O1", "-fwrapv", "-w"];
/// Flags that find undefined behaviour.
pub const SANITISED: &[&str] = &["-O0", "-fwrapv", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Whether there is a gcc.
pub fn available() -> bool {
    Command::new("gcc").arg("--version").output().is_ok_and(|o| o.status.success())
}

/// Programs compiled into one file.
pub struct Batch {
    executable: PathBuf,
}

impl Batch {
    /// Compiles texts whose `main`s are called `main_0`, `main_1`, ...
    pub fn compile(folder: &Path, name: &str, texts: &[String], flags: &[&str]) -> Result<Batch, String> {
        let mut source = DRIVER.to_owned();
        let mut names = Vec::new();
        for (i, text) in texts.iter().enumerate() {
            source.push_str(text);
            names.push(format!("main_{i}"));
        }
        write!(
            source,
            "int main(int argc, char **argv) {{ int (*const programs[])(void) = {{ {} }}; alarm(20);\n\
             driver_next = argv + 2; return programs[atoi(argv[1])](); }}\n",
            names.join(", ")
        )
        .expect("a string");
        let (file, executable) = (folder.join(format!("{name}.c")), folder.join(name));
        std::fs::write(&file, source).map_err(|e| e.to_string())?;
        let output = Command::new("gcc").args(flags).arg("-o").arg(&executable).arg(&file).output();
        let output = output.map_err(|e| e.to_string())?;
        if output.status.success() {
            Ok(Batch { executable })
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// Deletes its files.
    pub fn remove(&self) {
        for file in [&self.executable, &self.executable.with_extension("c")] {
            // Left behind, it is in nobody's way.
            let _ = std::fs::remove_file(file);
        }
    }

    /// Runs a program.
    pub fn run(&self, program: usize, inputs: &[u64]) -> Outcome {
        let inputs = inputs.iter().map(|v| format!("{v:x}"));
        let mut output = Command::new(&self.executable);
        output.arg(program.to_string()).args(inputs);
        // Memory that is never freed is nobody's concern here.
        let output = output.env("ASAN_OPTIONS", "detect_leaks=0").output();
        let output = match output {
            Ok(output) => output,
            Err(error) => return Outcome { stdout: Vec::new(), end: End::Other(error.to_string()) },
        };
        let end = match (output.status.code(), output.status.signal()) {
            (_, Some(BLOCKED)) => End::Blocked,
            (_, Some(ERROR)) => End::Error,
            (Some(code), _) if output.stderr.is_empty() => End::Exit(code),
            (_, Some(6)) if output.stderr.is_empty() => End::Abort,
            _ => End::Other(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr))),
        };
        Outcome { stdout: output.stdout, end }
    }
}
