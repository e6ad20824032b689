//! Wrong verdicts: reduced to small programs, and kept as tests.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::engines::{Answer, Asker};
use crate::family::Family;
use crate::program::Program;
use crate::shrink;
use crate::sources::{Sources, clinch_flags};
use crate::trap::Trap;
use crate::truth;
use crate::twin::{self, Expected, Twin};

/// A program that an engine answers wrongly.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The seed it was drawn from.
    pub seed: u64,
    /// The family it was drawn from.
    pub family: Family,
    /// The templates in it.
    pub origin: String,
    /// An engine that is wrong.
    pub engine: String,
    /// What it says.
    pub answer: Answer,
    /// Whether it has no verdict at all.
    pub failure: bool,
    /// What gcc says.
    pub expected: Expected,
    /// The program.
    pub sources: Sources,
    trap: Trap,
    observation: usize,
}

impl Finding {
    /// A disagreement, as it was found.
    pub fn new(seed: u64, trap: &Trap, twin: &Twin, (engine, answer): (&str, &Answer)) -> Finding {
        Finding {
            seed,
            family: trap.family,
            origin: trap.origin.clone(),
            engine: engine.to_owned(),
            answer: answer.clone(),
            failure: matches!(answer, Answer::Failure(_)),
            expected: twin.expected,
            sources: twin.sources.clone(),
            trap: trap.clone(),
            observation: twin.observation,
        }
    }

    /// The name of its file, without the extension.
    pub fn name(&self) -> String {
        format!("attack_{}_{}_{}", self.family.name(), self.seed, self.expected.name().to_lowercase())
    }

    /// The program with its verdict and its origin above it.
    pub fn file_text(&self) -> String {
        format!(
            "// EXPECT: {}\n// FLAGS: {}\n// Found by the attack: seed {}, {}; the engine said {:?}.\n{}",
            self.expected.name(),
            self.flags(),
            self.seed,
            self.origin,
            self.answer,
            self.sources.main
        )
    }

    /// The options of `clinch check`, the engine last.
    fn flags(&self) -> String {
        let mut flags = clinch_flags(&self.sources.flags);
        flags.push(format!("--engine {}", self.engine));
        flags.join(" ")
    }

    /// Writes the program into the folder `tasks` of a folder, its other files into a folder beside it, and a line about it
    /// into the index.
    pub fn keep(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder.join("tasks"))?;
        let sources = Sources { main: self.file_text(), ..self.sources.clone() };
        sources.write(&folder.join("tasks"), &self.name())?;
        let index = folder.join("index.csv");
        let is_new = !index.exists();
        let mut index = std::fs::OpenOptions::new().create(true).append(true).open(index)?;
        if is_new {
            writeln!(index, "file,expected,property,family,data_model,integers,flags")?;
        }
        let expected = self.expected == Expected::Safe;
        let (name, family, flags) = (self.name(), self.family.name(), self.flags());
        writeln!(index, "{name}.c,{expected},unreach-call,{family},LP64,machine,{flags}")
    }
}

/// The smallest program found within a time on which the engine is still wrong.
pub fn reduce(mut finding: Finding, asker: &Asker, folder: &Path, time: Duration) -> Finding {
    let fails = |program: &Program| still_wrong(&finding, program, asker, folder).is_some();
    let small = shrink::shrink(&finding.trap.program, time, &fails);
    if let Some((twin, answer)) = still_wrong(&finding, &small, asker, folder) {
        finding.sources = twin.sources;
        finding.answer = answer;
    }
    finding
}

/// The twin of a changed program and the engine's answer, if that is wrong in the same way. The cheap questions come first:
/// most attempts do not compile.
fn still_wrong(finding: &Finding, program: &Program, asker: &Asker, folder: &Path) -> Option<(Twin, Answer)> {
    let trap = Trap { program: program.clone(), ..finding.trap.clone() };
    let name = format!("shrink{}", finding.seed);
    let quick = truth::quick(folder, &name, &trap)?;
    let twin = twin::twin(&trap, &quick, finding.observation, finding.expected)?;
    let written = twin.sources.write(folder, &format!("{name}-twin")).ok()?;
    let answer = asker.ask(&written, &finding.engine);
    written.remove();
    let same = match (&answer, finding.failure) {
        (Answer::Failure(_), true) => true,
        (_, true) => false,
        (answer, false) => answer.is_wrong(finding.expected),
    };
    let truths = if same { truth::truths(folder, &name, std::slice::from_ref(&trap)) } else { return None };
    (truths.first()?.as_ref().ok()? == &quick).then_some((twin, answer))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::families;
    use crate::sources::SECOND;
    use crate::truth::Truth;

    #[test]
    fn a_second_file_is_kept_beside_the_first() {
        let trap = families::draw(3, &[Family::Files]);
        let truth = Truth { hidden: [(0, BTreeSet::from([1]))].into(), ..Truth::default() };
        let twin = twin::twin(&trap, &truth, 0, Expected::Unsafe).expect("a value");
        let finding = Finding::new(3, &trap, &twin, ("auto", &Answer::Verdict(Expected::Safe)));
        let folder = tempfile::tempdir().expect("a folder");
        finding.keep(folder.path()).expect("files");
        let tasks = folder.path().join("tasks");
        assert!(tasks.join("attack_files_3_unsafe.c").exists());
        assert!(tasks.join("attack_files_3_unsafe").join(SECOND).exists());
    }
}
