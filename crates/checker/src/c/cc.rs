//! The system's C compiler: preprocesses programs, and compiles and runs them to confirm a counterexample.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use clinch_frontend::c::types::DataModel;
use clinch_frontend::c::{decode, encode};

/// How long the compiler may take. It is not ours, so it gets a limit.
const COMPILE_TIME: Duration = Duration::from_secs(60);

/// The status of a program that the loader refuses.
const NOT_LOADED: i32 = 127;

/// The standard library for programs of another word size than the machine's.
const RUNTIME: &str = include_str!("runtime.c");

/// The data model of this machine.
pub(crate) const NATIVE: DataModel = if cfg!(target_pointer_width = "64") { DataModel::Lp64 } else { DataModel::Ilp32 };

/// What tells the compiler the data model.
fn width_flag(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    }
}

/// What makes floating-point results not depend on the data model, where the processor can be told. Without the last flag gcc does not
/// round 64-bit integers that become floats if it can use them as x87 has them.
fn sse(model: DataModel) -> impl Iterator<Item = &'static str> {
    let x86 = cfg!(target_arch = "x86_64") && model == DataModel::Ilp32;
    x86.then_some(["-msse2", "-mfpmath=sse", "-fexcess-precision=standard"]).into_iter().flatten()
}

/// A C compiler on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    program: String,
}

/// The number of the signal of an instruction that is none.
const ILLEGAL_INSTRUCTION: i32 = 4;

/// How a compiled program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// With an exit status.
    Status(i32),
    /// By a signal.
    Signal,
    /// By that of an instruction that is none: a trap that the compiler put there.
    Trap,
    /// Not within its time.
    Timeout,
}

/// What a compiled program did.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    pub(crate) ended: Ended,
    pub(crate) stderr: String,
}

/// Whether there is a program of this name.
fn is_installed(name: &str) -> bool {
    let is_program = |path: &Path| path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_program(&folder.join(name)))
}

impl Compiler {
    /// `$CC` if it works, or the first of `cc`, `gcc`, `clang` that is installed: to run these as well would cost as much as to preprocess
    /// a small file.
    pub(crate) fn find() -> Option<Compiler> {
        let works = |program: &String| {
            let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
            output.is_ok_and(|output| output.status.success())
        };
        let named = std::env::var("CC").ok().filter(works);
        let usual = || ["cc", "gcc", "clang"].into_iter().find(|name| is_installed(name)).map(str::to_owned);
        named.or_else(usual).map(|program| Compiler { program })
    }

    /// The text of a file after preprocessing, or what is wrong with it. The compiler runs in the folder, if one is given.
    ///
    /// Headers must be those of the data model: where 32-bit ones are missing, a file that needs no more than the compiler's own is read
    /// with them, and every other one is an error.
    pub(crate) fn preprocess(
        &self,
        file: &Path,
        folder: Option<&Path>,
        model: DataModel,
        flags: &[String],
    ) -> Result<String, String> {
        let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
        let run = |extra: &[OsString]| -> Result<Result<String, String>, String> {
            let mut command = Command::new(&self.program);
            // -w: what the compiler thinks of the program is not asked for here.
            command.args(["-E", "-w"]).args(extra).args(flags).arg(file);
            folder.map(|folder| command.current_dir(folder));
            let output = output(command, COMPILE_TIME)?;
            Ok(if output.status.success() { Ok(decode(&output.stdout)) } else { Err(decode(&output.stderr)) })
        };
        if model == NATIVE {
            return run(&[])?;
        }
        let mut last = String::new();
        for extra in self.other_headers(scratch.path(), model)? {
            match run(&extra)? {
                Ok(text) => return Ok(text),
                Err(text) => last = text,
            }
        }
        // The file may be wrong for every data model: then that is what is to be said.
        run(&[])??;
        Err(format!(
            "{}:1:1: error: the headers of the C library for {} are missing; install them (on Debian: apt-get install \
             gcc-multilib), or preprocess the file elsewhere and give the .i file\n{last}",
            file.display(),
            if model == DataModel::Ilp32 { "32-bit programs (ilp32)" } else { "64-bit programs (lp64)" },
        ))
    }

    /// Arguments with which headers of another word size than the machine's may be found, the best first: as they are installed; the
    /// machine's own, which serve both word sizes but for a list of missing functions; the compiler's alone.
    fn other_headers(&self, scratch: &Path, model: DataModel) -> Result<[Vec<OsString>; 3], String> {
        // The C library's headers ask for this file, which is there only with a library of that word size. It may be empty.
        let stubs = scratch.join("gnu");
        let made = std::fs::create_dir(&stubs).and_then(|()| std::fs::write(stubs.join("stubs-32.h"), ""));
        made.map_err(|e| e.to_string())?;
        let installed = vec![OsString::from(width_flag(model)), "-idirafter".into(), scratch.into()];
        let mut shared = installed.clone();
        let mut own = Command::new(&self.program);
        own.arg("-print-multiarch");
        if let Ok(output) = output(own, COMPILE_TIME)
            && let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned()
            && !folder.is_empty()
        {
            shared.extend(["-idirafter".into(), Path::new("/usr/include").join(folder).into()]);
        }
        Ok([installed, shared, vec![width_flag(model).into(), "-ffreestanding".into()]])
    }

    /// Compiles sources (name and text) into one program for the data model and runs it, or says why it cannot.
    pub(crate) fn execute(
        &self,
        sources: &[(String, String)],
        model: DataModel,
        flags: &[&str],
        time: Duration,
    ) -> Result<Execution, String> {
        let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
        let mut files = Vec::new();
        for (name, text) in sources {
            let file = scratch.path().join(name);
            std::fs::write(&file, encode(text)).map_err(|e| e.to_string())?;
            files.push(file);
        }
        let program = scratch.path().join("program");
        let execution = self.compile(&files, &program, model, flags).and_then(|()| run(&program, time));
        let is_loaded = |execution: &Result<Execution, String>| matches!(execution, Ok(execution) if execution.ended != Ended::Status(NOT_LOADED));
        // Assembly, variables and functions that nobody defines do not get into a program that can be loaded anywhere.
        let mut last = execution;
        for fixed in [&["-fno-pie", "-no-pie"][..], &["-static", "-fno-pie", "-no-pie"]] {
            if is_loaded(&last) {
                break;
            }
            let again = self.compile(&files, &program, model, &[flags, fixed].concat());
            last = again.and_then(|()| run(&program, time)).or(last);
        }
        last
    }

    fn compile(&self, files: &[PathBuf], program: &Path, model: DataModel, flags: &[&str]) -> Result<(), String> {
        let attempt = |extra: &[&str], files: &[PathBuf], libraries: &[&str]| {
            let mut command = Command::new(&self.program);
            // -fwrapv: signed arithmetic wraps around, as it does in the model.
            // -ffp-contract=off: every floating-point operation is rounded.
            // -frounding-math: gcc does not make `-n` of `0.0 - n`, which are two zeros where n is 0.
            command.args(["-w", "-O0", "-fwrapv", "-ffp-contract=off", "-frounding-math"]);
            command.args(["-fno-strict-aliasing", "-std=gnu11"]).args(flags).args(extra);
            // Functions that no run calls need not be there.
            command.arg("-Wl,--unresolved-symbols=ignore-all").args(files).args(["-x", "none"]);
            command.args(libraries).arg("-o").arg(program);
            let output = output(command, COMPILE_TIME)?;
            if output.status.success() { Ok(()) } else { Err(first_line(&output.stderr)) }
        };
        if model == NATIVE {
            return attempt(&[], files, &["-lm"]);
        }
        // Floats are computed in their own precision, as on 64 bits.
        let width = [width_flag(model)].into_iter().chain(sse(model)).collect::<Vec<_>>();
        attempt(&width, files, &["-lm"]).or_else(|_| {
            // No library of that word size: ours is enough.
            let runtime = program.with_file_name("clinch-runtime.c");
            std::fs::write(&runtime, RUNTIME).map_err(|e| e.to_string())?;
            let files: Vec<PathBuf> = files.iter().cloned().chain([runtime]).collect();
            let alone = ["-nostdlib", "-static", "-fno-builtin", "-fno-stack-protector", "-fno-pie", "-no-pie"];
            attempt(&[&width[..], &alone].concat(), &files, &[])
        })
    }
}

fn first_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.lines()
        .find(|l| l.contains("error") || l.contains("undefined"))
        .or(text.lines().next())
        .unwrap_or("")
        .to_owned()
}

/// Runs a command to its end; its output is read meanwhile.
fn output(mut command: Command, time: Duration) -> Result<Output, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| format!("cannot run {name}: {e}"))?;
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let status = wait(&mut child, time)?.ok_or_else(|| format!("{name} did not finish in {} s", time.as_secs()))?;
    Ok(Output { status, stdout: stdout.join().unwrap_or_default(), stderr: stderr.join().unwrap_or_default() })
}

/// Reads a stream to its end on a thread of its own; what comes after the first 64 MiB is dropped.
fn reader(stream: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    const KEPT: u64 = 64 << 20;
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            use std::io::Read as _;
            // A stream that breaks off ends there.
            let _ = stream.by_ref().take(KEPT).read_to_end(&mut kept);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
        kept
    })
}

/// The exit status, or nothing if the time is over; the process is then ended.
fn wait(child: &mut std::process::Child, time: Duration) -> Result<Option<std::process::ExitStatus>, String> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(Some(status));
        }
        if start.elapsed() >= time {
            // It may have ended just now: then there is nothing to end.
            let _ = child.kill();
            child.wait().map_err(|e| e.to_string())?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn run(program: &Path, time: Duration) -> Result<Execution, String> {
    let mut child = Command::new(program)
        .env("ASAN_OPTIONS", "detect_stack_use_after_return=1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot run the compiled program: {e}"))?;
    let stderr = reader(child.stderr.take());
    let ended = match wait(&mut child, time)? {
        None => Ended::Timeout,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Status(code),
            (None, Some(ILLEGAL_INSTRUCTION)) => Ended::Trap,
            (None, _) => Ended::Signal,
        },
    };
    let stderr = String::from_utf8_lossy(&stderr.join().unwrap_or_default()).into_owned();
    Ok(Execution { ended, stderr })
}
