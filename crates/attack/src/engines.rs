//! Asks clinch, as users do.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::sources::{Written, clinch_flags};
use crate::twin::Expected;

/// The engines that take C.
pub const ENGINES: [&str; 13] = [
    "auto",
    "explicit",
    "bounded",
    "kinduction",
    "lazy",
    "cegar",
    "spacer",
    "spds",
    "alpha",
    "split",
    "outline",
    "symex",
    "ic3",
];

/// What an engine says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A verdict.
    Verdict(Expected),
    /// None, and why.
    Unknown(String),
    /// It was not answered: a diagnostic, a crash, a hang.
    Failure(String),
}

impl Answer {
    /// Whether the program's verdict contradicts.
    pub fn is_wrong(&self, expected: Expected) -> bool {
        matches!(self, Answer::Verdict(verdict) if *verdict != expected)
    }
}

/// The command and what it may take.
#[derive(Clone, Debug)]
pub struct Asker {
    /// The executable.
    pub clinch: PathBuf,
    /// The time limit of a question.
    pub timeout: Duration,
}

/// How much longer than its time limit clinch may take before it counts as hanging: the machine may be busy.
const GRACE: Duration = Duration::from_secs(20);

impl Asker {
    /// Runs `clinch check` on the files of a program.
    pub fn ask(&self, program: &Written, engine: &str) -> Answer {
        let output = program.files[0].with_extension(format!("{engine}.out"));
        let answer = self.run(program, engine, &output).unwrap_or_else(|error| Answer::Failure(error.to_string()));
        // Left behind, it is in nobody's way.
        let _ = std::fs::remove_file(&output);
        answer
    }

    fn run(&self, program: &Written, engine: &str, output: &Path) -> std::io::Result<Answer> {
        let stdout = File::create(output)?;
        let stderr = stdout.try_clone()?;
        let mut child = Command::new(&self.clinch)
            .args([
                "check",
                "--check",
                "assertions",
                "--engine",
                engine,
                "--timeout",
                &format!("{}ms", self.timeout.as_millis()),
            ])
            .args(clinch_flags(&program.flags))
            .args(&program.files)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > self.timeout + GRACE {
                child.kill()?;
                child.wait()?;
                return Ok(Answer::Failure("does not end".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(4));
        };
        let text = String::from_utf8_lossy(&std::fs::read(output)?).into_owned();
        let line = text.lines().next().unwrap_or_default().to_owned();
        Ok(match status.code() {
            Some(0) => Answer::Verdict(Expected::Safe),
            Some(1) => Answer::Verdict(Expected::Unsafe),
            Some(2) => Answer::Unknown(line),
            _ => Answer::Failure(format!("{status}: {line}")),
        })
    }
}
