//! The system's C compiler: preprocesses programs, and compiles and runs them to confirm a counterexample.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use clinch_frontend::c::types::DataModel;

/// How long the compiler may take. It is not ours, so it gets a limit.
const COMPILE_TIME: Duration = Duration::from_secs(60);

/// The standard library for programs of another word size than the machine's.
const RUNTIME: &str = include_str!("runtime.c");

/// A C compiler on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    program: String,
}

/// How a compiled program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// With an exit status.
    Status(i32),
    /// By a signal.
    Signal,
    /// Not within its time.
    Timeout,
}

/// What a compiled program did.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    pub(crate) ended: Ended,
    pub(crate) stderr: String,
}

impl Compiler {
    /// The first of `$CC`, `cc`, `gcc`, `clang` that works.
    pub(crate) fn find() -> Option<Compiler> {
        let named = std::env::var("CC").ok();
        named.into_iter().chain(["cc", "gcc", "clang"].map(str::to_owned)).find_map(|program| {
            let works = Command::new(&program).arg("--version").stdin(Stdio::null()).output().ok()?.status.success();
            works.then_some(Compiler { program })
        })
    }

    /// The text of a file after preprocessing, or what the compiler says against it.
    pub(crate) fn preprocess(&self, file: &Path, model: DataModel, flags: &[String]) -> Result<String, String> {
        let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
        let run = |width: &[&str]| {
            let mut command = Command::new(&self.program);
            // -w: what the compiler thinks of the program is not asked for here.
            command.args(["-E", "-w"]).args(width).arg("-I").arg(scratch.path()).args(flags).arg(file);
            output(command, COMPILE_TIME)
        };
        if model == DataModel::Ilp32 {
            // The C library's headers ask for this file, which is there only with a 32-bit library. It may be empty.
            let stubs = scratch.path().join("gnu");
            let made = std::fs::create_dir(&stubs).and_then(|()| std::fs::write(stubs.join("stubs-32.h"), ""));
            made.map_err(|e| e.to_string())?;
            if let Ok(output) = run(&["-m32"])
                && output.status.success()
            {
                return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
            }
        }
        let output = run(&[])?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
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
            std::fs::write(&file, text).map_err(|e| e.to_string())?;
            files.push(file);
        }
        let program = scratch.path().join("program");
        self.compile(&files, &program, model, flags)?;
        run(&program, time)
    }

    fn compile(&self, files: &[PathBuf], program: &Path, model: DataModel, flags: &[&str]) -> Result<(), String> {
        let attempt = |extra: &[&str], files: &[PathBuf], libraries: &[&str]| {
            let mut command = Command::new(&self.program);
            // -fwrapv: signed arithmetic wraps around, as it does in the model.
            command.args(["-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-std=gnu11"]).args(flags).args(extra);
            // Functions that no run calls need not be there.
            command.arg("-Wl,--unresolved-symbols=ignore-all").args(files).args(["-x", "none"]);
            command.args(libraries).arg("-o").arg(program);
            let output = output(command, COMPILE_TIME)?;
            if output.status.success() { Ok(()) } else { Err(first_line(&output.stderr)) }
        };
        let native = if cfg!(target_pointer_width = "64") { DataModel::Lp64 } else { DataModel::Ilp32 };
        let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
        if model == native {
            return attempt(&[], files, &["-lm"]);
        }
        attempt(&[width], files, &["-lm"]).or_else(|_| {
            // No library of that word size: ours is enough.
            let runtime = program.with_file_name("clinch-runtime.c");
            std::fs::write(&runtime, RUNTIME).map_err(|e| e.to_string())?;
            let files: Vec<PathBuf> = files.iter().cloned().chain([runtime]).collect();
            attempt(
                &[width, "-nostdlib", "-static", "-fno-builtin", "-fno-stack-protector", "-fno-pie", "-no-pie"],
                &files,
                &[],
            )
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
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot run the compiled program: {e}"))?;
    let stderr = reader(child.stderr.take());
    let ended = match wait(&mut child, time)? {
        None => Ended::Timeout,
        Some(status) => status.code().map_or(Ended::Signal, Ended::Status),
    };
    let stderr = String::from_utf8_lossy(&stderr.join().unwrap_or_default()).into_owned();
    Ok(Execution { ended, stderr })
}
