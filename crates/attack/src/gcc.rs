//! What gcc makes of a program: many programs in one file, or one in several, and one run for each program and list of inputs.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::{End, Outcome};
use crate::sources::Sources;

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
float __VERIFIER_nondet_float(void) { union { unsigned u; float f; } x = { driver_input() }; return x.f; }
double __VERIFIER_nondet_double(void) { union { unsigned long long u; double d; } x = { driver_input() }; return x.d; }
static void driver_end(int number) { fflush(stdout); raise(number); }
void reach_error(void) { driver_end(SIGUSR2); }
void __VERIFIER_assume(int c) { if (!c) driver_end(SIGUSR1); }
void driver_observe(int program, int number, long long value) { printf("observe %d %d %lld\n", program, number, value); }
void driver_abort(void) { fflush(stdout); abort(); }
"#;

/// What programs have to know of it.
const INTERFACE: &str = "\
extern void driver_observe(int, int, long long);
extern void driver_abort(void);
#define observe(program, number, ...) driver_observe(program, number, (long long)(__VA_ARGS__))
#define abort driver_abort
";

/// What the address sanitiser prints where `malloc` returns a null pointer, which is no error.
const NO_MEMORY: &str = "WARNING: AddressSanitizer failed to allocate";

/// Flags of the comparison. Without the last one gcc 12 makes `-n` of `0.0 - n` if `n` was an integer, which is another zero for 0.
pub const PLAIN: &[&str] = &["-O1", "-fwrapv", "-w", "-frounding-math"];
/// The same for 32 bits: floats are computed in their own precision, 64-bit integers that become floats are rounded too.
pub const PLAIN_ILP32: &[&str] =
    &["-O1", "-fwrapv", "-w", "-frounding-math", "-m32", "-msse2", "-mfpmath=sse", "-fexcess-precision=standard"];
/// Flags that find undefined behaviour.
pub const SANITISED: &[&str] = &["-O0", "-fwrapv", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Whether there is a gcc.
pub fn available() -> bool {
    Command::new("gcc").arg("--version").output().is_ok_and(|o| o.status.success())
}

/// Whether it compiles for 32 bits, and there is a C library for them.
pub fn available_for_ilp32(folder: &Path) -> bool {
    available()
        && Batch::compile(folder, "ilp32", &["int main_0(void) { return 0; }\n".to_owned()], PLAIN_ILP32).is_ok()
}

/// Programs compiled into one file.
pub struct Batch {
    executable: PathBuf,
}

impl Batch {
    /// Compiles texts whose `main`s are called `main_0`, `main_1`, ...
    pub fn compile(folder: &Path, name: &str, texts: &[String], flags: &[&str]) -> Result<Batch, String> {
        let mut source = format!("{DRIVER}{INTERFACE}");
        texts.iter().for_each(|text| source.push_str(text));
        source.push_str(&main_function(texts.len()));
        let (file, executable) = (folder.join(format!("{name}.c")), folder.join(name));
        std::fs::write(&file, source).map_err(|e| e.to_string())?;
        gcc(Command::new("gcc").args(flags).arg("-o").arg(&executable).arg(&file).arg("-lm"))?;
        Ok(Batch { executable })
    }

    /// Compiles one program, whose `main` is `main_0`, apart from the driver. It may define functions that the C library
    /// has, of which the compiler then must not know better.
    pub fn compile_alone(folder: &Path, name: &str, sources: &Sources, flags: &[&str]) -> Result<Batch, String> {
        let (driver, executable) = (folder.join(format!("{name}.c")), folder.join(name));
        let text = format!("{DRIVER}int main_0(void);\n{}", main_function(1));
        std::fs::write(&driver, text).map_err(|e| e.to_string())?;
        let mut sources = sources.clone();
        sources.main.insert_str(0, INTERFACE);
        let second = sources.beside.iter_mut().filter(|(path, _)| path.ends_with(".c"));
        second.for_each(|(_, text)| text.insert_str(0, INTERFACE));
        let written = sources.write(folder, &format!("{name}-program")).map_err(|e| e.to_string())?;
        let compiled = gcc(Command::new("gcc")
            .args(flags)
            .arg("-fno-builtin")
            .args(&written.flags)
            .arg("-o")
            .args([&executable, &driver])
            .args(&written.files));
        written.remove();
        compiled.map(|()| Batch { executable })
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
        let output = output.env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1").output();
        let output = match output {
            Ok(output) => output,
            Err(error) => return Outcome { stdout: Vec::new(), end: End::Other(error.to_string()) },
        };
        let complaints = String::from_utf8_lossy(&output.stderr);
        let is_clean = complaints.lines().all(|line| line.contains(NO_MEMORY));
        let end = match (output.status.code(), output.status.signal()) {
            (_, Some(BLOCKED)) => End::Blocked,
            (_, Some(ERROR)) => End::Error,
            (Some(code), _) if is_clean => End::Exit(code),
            (_, Some(6)) if is_clean => End::Abort,
            _ => End::Other(format!("{}\n{complaints}", output.status)),
        };
        Outcome { stdout: output.stdout, end }
    }
}

/// The `main` that calls one of so many programs, with the inputs on the command line.
fn main_function(programs: usize) -> String {
    let names: Vec<String> = (0..programs).map(|i| format!("main_{i}")).collect();
    format!(
        "int main(int argc, char **argv) {{ int (*const programs[])(void) = {{ {} }}; alarm(20);\n\
         driver_next = argv + 2; return programs[atoi(argv[1])](); }}\n",
        names.join(", ")
    )
}

/// Runs the compiler; the error is what it prints.
fn gcc(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| e.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
