//! The states of a worker on disk, with delayed duplicate detection \[Ddd\].
//!
//! In memory are only the *candidates*: successors that arrived for the next level, each once. When the level is complete they are sorted and
//! held against the runs of all states that are known; what is not there is the next level. Candidates that do not fit
//! become runs themselves.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use clinch_engine::concrete::StateTable;

use crate::run::{Cursor, Run, RunWriter, merge, read_words};
use crate::store::Memory;

/// States that are known, and candidates that do not fit into memory.
#[derive(Debug)]
pub(crate) struct Disk {
    folder: PathBuf,
    words: usize,
    /// All states by their numbers, each with its parent.
    log: BufWriter<File>,
    len: u64,
    /// The same states without parents, each in one of the runs.
    runs: Vec<Run>,
    /// Runs of candidates, with parents.
    candidates: Vec<Run>,
}

impl Disk {
    /// Files in a folder, which are gone when the process is.
    pub(crate) fn new(folder: &Path, words: usize) -> io::Result<Self> {
        let log = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder)?);
        let (runs, candidates) = (Vec::new(), Vec::new());
        Ok(Disk { folder: folder.to_owned(), words, log, len: 0, runs, candidates })
    }

    /// How many states are known.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// The known states in one run.
    pub(crate) fn into_run(mut self) -> io::Result<Run> {
        while let [.., longer, shorter] = self.runs.as_slice() {
            let merged = merge(&self.folder, longer, shorter)?;
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(merged);
        }
        match self.runs.pop() {
            Some(run) => Ok(run),
            None => RunWriter::new(&self.folder, self.words)?.finish(),
        }
    }

    /// Takes all states from memory: those in the range are known, the others are candidates.
    pub(crate) fn take_all(&mut self, memory: &Memory, known: Range<usize>) -> io::Result<()> {
        for number in known.clone() {
            self.append(memory.table.get(number), memory.packed_parent(number))?;
        }
        let mut run = RunWriter::new(&self.folder, self.words)?;
        sorted(&memory.table, known.clone())
            .iter()
            .try_for_each(|&number| run.push(memory.table.get(number as usize)))?;
        self.runs.push(run.finish()?);
        self.log.flush()?;
        self.take_candidates(memory, known.end)
    }

    /// Takes candidates from memory, those from a number on.
    pub(crate) fn take_candidates(&mut self, memory: &Memory, first: usize) -> io::Result<()> {
        let mut run = RunWriter::new(&self.folder, self.words + 1)?;
        let mut record = Vec::with_capacity(self.words + 1);
        for number in sorted(&memory.table, first..memory.len()) {
            record.clear();
            record.extend_from_slice(memory.table.get(number as usize));
            record.push(memory.packed_parent(number as usize));
            run.push(&record)?;
        }
        self.candidates.push(run.finish()?);
        merge_short(&self.folder, &mut self.candidates)
    }

    fn append(&mut self, state: &[u64], parent: u64) -> io::Result<()> {
        self.len += 1;
        state.iter().chain([&parent]).try_for_each(|word| self.log.write_all(&word.to_le_bytes()))
    }

    /// The candidates that are new become known, those in memory too; the others are forgotten.
    pub(crate) fn settle(&mut self, memory: &Memory) -> io::Result<()> {
        self.take_candidates(memory, 0)?;
        let candidates = std::mem::take(&mut self.candidates);
        let runs = std::mem::take(&mut self.runs);
        let mut sources = candidates.iter().map(Run::cursor).collect::<io::Result<Vec<_>>>()?;
        let mut known = runs.iter().map(Run::cursor).collect::<io::Result<Vec<_>>>()?;
        let mut new = RunWriter::new(&self.folder, self.words)?;
        let mut state = vec![0; self.words];
        while let Some(from) = least(&sources, self.words) {
            let record = sources[from].record().expect("it is not at its end");
            state.copy_from_slice(&record[..self.words]);
            let parent = record[self.words];
            for source in &mut sources {
                while source.record().is_some_and(|record| record[..state.len()] == state) {
                    source.advance()?;
                }
            }
            let mut is_known = false;
            for run in &mut known {
                run.seek(&state)?;
                is_known |= run.record() == Some(&state);
            }
            if !is_known {
                new.push(&state)?;
                self.append(&state, parent)?;
            }
        }
        drop((sources, known));
        self.runs = runs;
        self.runs.push(new.finish()?);
        merge_short(&self.folder, &mut self.runs)?;
        self.log.flush()
    }

    /// Appends known states to `into`, each with its parent.
    pub(crate) fn read(&self, states: Range<usize>, into: &mut Vec<u64>) -> io::Result<()> {
        let stride = self.words + 1;
        read_words(self.log.get_ref(), (states.start * stride) as u64, states.len() * stride, into)
    }
}

/// Leaves few runs, each more than twice as long as the next: so a state is copied as often as the logarithm of their number.
fn merge_short(folder: &Path, runs: &mut Vec<Run>) -> io::Result<()> {
    while let [.., longer, shorter] = runs.as_slice()
        && longer.records() <= 2 * shorter.records()
    {
        let merged = merge(folder, longer, shorter)?;
        runs.truncate(runs.len() - 2);
        runs.push(merged);
    }
    Ok(())
}

/// The source with the least state.
fn least(sources: &[Cursor<'_>], words: usize) -> Option<usize> {
    let with_record = |(number, source): (usize, &Cursor<'_>)| source.record().map(|_| number);
    let state = |number: &usize| sources[*number].record().map(|record| &record[..words]);
    sources.iter().enumerate().filter_map(with_record).min_by(|a, b| state(a).cmp(&state(b)))
}

/// The numbers of states, in the order of the states.
fn sorted(table: &StateTable, range: Range<usize>) -> Vec<u32> {
    let mut numbers: Vec<u32> = range.map(|number| number as u32).collect();
    if table.words() == 1 {
        numbers.sort_unstable_by_key(|&number| table.get(number as usize)[0]);
    } else {
        numbers.sort_unstable_by(|&a, &b| table.get(a as usize).cmp(table.get(b as usize)));
    }
    numbers
}
