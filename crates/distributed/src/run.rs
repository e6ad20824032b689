//! Sorted runs of states on disk.
//!
//! The files have no name: they are gone when the process is, however it ends.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Records that are read at a time.
const BLOCK: usize = 1 << 13;

/// Records of so many words each, in ascending order of the words of their states, which come first.
#[derive(Debug)]
pub(crate) struct Run {
    file: File,
    stride: usize,
    records: u64,
}

/// A run that is being written.
#[derive(Debug)]
pub(crate) struct RunWriter {
    file: BufWriter<File>,
    stride: usize,
    records: u64,
}

impl RunWriter {
    pub(crate) fn new(folder: &Path, stride: usize) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder)?);
        Ok(RunWriter { file, stride, records: 0 })
    }

    pub(crate) fn push(&mut self, record: &[u64]) -> io::Result<()> {
        self.records += 1;
        record.iter().try_for_each(|word| self.file.write_all(&word.to_le_bytes()))
    }

    pub(crate) fn finish(self) -> io::Result<Run> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Run { file, stride: self.stride, records: self.records })
    }
}

impl Run {
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Appends some records to `into`.
    pub(crate) fn read(&self, first: u64, records: usize, into: &mut Vec<u64>) -> io::Result<()> {
        read_words(&self.file, first * self.stride as u64, records * self.stride, into)
    }

    /// At the first record.
    pub(crate) fn cursor(&self) -> io::Result<Cursor<'_>> {
        let mut cursor = Cursor { run: self, block: Vec::new(), first: 0, at: 0 };
        cursor.load(0)?;
        Ok(cursor)
    }
}

impl clinch_certify::Sorted for Run {
    fn states(&self) -> u64 {
        self.records
    }

    fn read(&self, first: u64, states: usize, into: &mut Vec<u64>) -> io::Result<()> {
        Run::read(self, first, states, into)
    }
}

/// Appends words of a file to `into`.
pub(crate) fn read_words(file: &File, first: u64, words: usize, into: &mut Vec<u64>) -> io::Result<()> {
    let mut bytes = vec![0; 8 * words];
    file.read_exact_at(&mut bytes, 8 * first)?;
    into.extend(bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))));
    Ok(())
}

/// A place in a run.
#[derive(Debug)]
pub(crate) struct Cursor<'r> {
    run: &'r Run,
    block: Vec<u64>,
    /// The record with which the block starts.
    first: u64,
    /// The record in the block.
    at: usize,
}

impl Cursor<'_> {
    /// The record here, unless this is the end.
    pub(crate) fn record(&self) -> Option<&[u64]> {
        self.block.get(self.at * self.run.stride..(self.at + 1) * self.run.stride)
    }

    fn load(&mut self, first: u64) -> io::Result<()> {
        let records = (self.run.records - first.min(self.run.records)).min(BLOCK as u64) as usize;
        self.block.clear();
        (self.first, self.at) = (first, 0);
        self.run.read(first, records, &mut self.block)
    }

    pub(crate) fn advance(&mut self) -> io::Result<()> {
        self.at += 1;
        if self.at * self.run.stride >= self.block.len() && !self.block.is_empty() {
            self.load(self.first + self.at as u64)?;
        }
        Ok(())
    }

    /// Goes to the first record from here on whose state is not less than this.
    pub(crate) fn seek(&mut self, state: &[u64]) -> io::Result<()> {
        if self.block_ends_before(state) {
            self.load(self.next_block())?;
            if self.block_ends_before(state) {
                self.leap(state)?;
            }
        }
        while self.record().is_some_and(|record| record[..state.len()] < *state) {
            self.advance()?;
        }
        Ok(())
    }

    fn next_block(&self) -> u64 {
        self.first + (self.block.len() / self.run.stride) as u64
    }

    fn block_ends_before(&self, state: &[u64]) -> bool {
        let last = self.block.len().checked_sub(self.run.stride).map(|start| &self.block[start..]);
        last.is_some_and(|last| last[..state.len()] < *state)
    }

    /// Finds the block by halving: where few states are looked up, most of a run need not be read.
    fn leap(&mut self, state: &[u64]) -> io::Result<()> {
        let mut low = self.next_block();
        let mut high = self.run.records;
        let mut record = Vec::new();
        let mut step = BLOCK as u64;
        // Everything before `low` is less.
        while low < high {
            let middle = (low + step).min(low + (high - low) / 2);
            record.clear();
            self.run.read(middle, 1, &mut record)?;
            if record[..state.len()] < *state {
                low = middle + 1;
                step = step.saturating_mul(2);
            } else {
                high = middle;
                step = BLOCK as u64;
            }
            if high - low <= BLOCK as u64 {
                break;
            }
        }
        self.load(low)
    }
}

/// One run of two.
pub(crate) fn merge(folder: &Path, a: &Run, b: &Run) -> io::Result<Run> {
    let mut merged = RunWriter::new(folder, a.stride)?;
    let (mut a, mut b) = (a.cursor()?, b.cursor()?);
    loop {
        let from = match (a.record(), b.record()) {
            (None, None) => return merged.finish(),
            (Some(x), Some(y)) if x <= y => &mut a,
            (Some(_), None) => &mut a,
            (_, Some(_)) => &mut b,
        };
        merged.push(from.record().expect("it was looked at"))?;
        from.advance()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path, values: impl Iterator<Item = u64>) -> Run {
        let mut writer = RunWriter::new(folder, 2).expect("a file");
        values.for_each(|value| writer.push(&[value, value + 1]).expect("written"));
        writer.finish().expect("written")
    }

    #[test]
    fn what_is_sought_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let count = 5 * BLOCK as u64 + 17;
        let run = run(folder.path(), (0..count).map(|n| 3 * n));
        for step in [1, 2, 7, 1000, BLOCK as u64, 4 * BLOCK as u64] {
            let mut cursor = run.cursor().expect("readable");
            for value in (0..3 * count + 10).step_by(step as usize) {
                cursor.seek(&[value]).expect("readable");
                let expected = value.next_multiple_of(3);
                let expected = (expected < 3 * count).then_some([expected, expected + 1]);
                assert_eq!(cursor.record(), expected.as_ref().map(|r| &r[..]), "{value} in steps of {step}");
            }
        }
    }

    #[test]
    fn a_merged_run_has_all_records_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let count = 2 * BLOCK as u64 + 5;
        let (a, b) = (run(folder.path(), (0..count).map(|n| 2 * n)), run(folder.path(), (0..7).map(|n| 2 * n + 1)));
        let merged = merge(folder.path(), &a, &b).expect("merged");
        let mut words = Vec::new();
        merged.read(0, (count + 7) as usize, &mut words).expect("readable");
        assert!(words.chunks(2).is_sorted() && words.len() == 2 * (count + 7) as usize);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "files without names");
    }
}
