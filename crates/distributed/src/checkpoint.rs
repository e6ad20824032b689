//! What is needed to go on after a crash: the states of each worker, level by level, in a file of its own, and one file that says which
//! level is complete.
//!
//! Everything has a checksum; a file that is damaged, shorter than it was, or of another model is refused. What was written after the
//! last complete level is ignored: the crash may have cut it off.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::cluster::Fingerprint;
use crate::format::{Format, seal, write_number};
use crate::store::{Store, unpack};

/// What the file of a worker starts with, before the fingerprint of the model.
const MAGIC: &[u8; 16] = b"clinch states 1\n";
/// States in a record, at most.
const RECORD: usize = 1 << 14;
/// Bytes of the head of a record: level, states, length, checksum.
const HEAD: usize = 8 + 8 + 8 + 32;

/// Up to where a checkpoint is complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Complete {
    /// Of the model, the property and the values of inputs.
    fingerprint: String,
    /// The last level of which all states are there. None of its states is expanded.
    pub(crate) level: u64,
    /// Steps of the states before that level.
    pub(crate) transitions: u64,
    /// The file of each worker.
    pub(crate) parts: Vec<Size>,
}

/// How much of a file counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Size {
    pub(crate) states: u64,
    pub(crate) bytes: u64,
}

/// The same with its checksum.
#[derive(Serialize, Deserialize)]
struct Summed {
    complete: Complete,
    sha256: String,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn part_file(folder: &Path, worker: usize) -> PathBuf {
    folder.join(format!("states-{worker}"))
}

fn complete_file(folder: &Path) -> PathBuf {
    folder.join("complete.json")
}

/// The file of a worker, being written.
#[derive(Debug)]
pub(crate) struct Writer {
    folder: PathBuf,
    fingerprint: Fingerprint,
    file: File,
    size: Size,
}

impl Writer {
    /// Starts the file of a worker. The folder is made if need be; one with a checkpoint in it is not touched.
    pub(crate) fn new(folder: &Path, worker: usize, fingerprint: Fingerprint) -> Result<Self, String> {
        let failed = |error: io::Error| format!("checkpoint {}: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(failed)?;
        if complete_file(folder).exists() {
            return Err(format!("checkpoint {}: there is one already", folder.display()));
        }
        let mut file = File::create(part_file(folder, worker)).map_err(failed)?;
        file.write_all(MAGIC).and_then(|()| file.write_all(&fingerprint)).map_err(failed)?;
        let size = Size { states: 0, bytes: (MAGIC.len() + fingerprint.len()) as u64 };
        Ok(Writer { folder: folder.to_owned(), fingerprint, file, size })
    }

    /// Appends states of a level, by their numbers.
    pub(crate) fn append(
        &mut self,
        level: u64,
        states: Range<usize>,
        store: &Store,
        format: &Format,
    ) -> Result<Size, String> {
        let end = states.end;
        for first in states.step_by(RECORD) {
            let record = first..end.min(first + RECORD);
            let count = record.len() as u64;
            let (mut words, mut bytes) = (Vec::new(), Vec::new());
            store.read(record, &mut words)?;
            for entry in words.chunks_exact(store.words() + 1) {
                let parent = unpack(entry[store.words()]);
                write_number(parent.map_or(0, |place| u64::from(place.worker) + 1), &mut bytes);
                write_number(parent.map_or(0, |place| u64::from(place.number)), &mut bytes);
                format.write(&entry[..store.words()], &mut bytes);
            }
            seal(&mut bytes);
            let mut head = Vec::with_capacity(HEAD);
            [level, count, bytes.len() as u64].iter().for_each(|n| head.extend_from_slice(&n.to_le_bytes()));
            head.extend_from_slice(&sum(&head, &bytes));
            let written = self.file.write_all(&head).and_then(|()| self.file.write_all(&bytes));
            written.map_err(|error| format!("checkpoint {}: {error}", self.folder.display()))?;
            self.size.states += count;
            self.size.bytes += (head.len() + bytes.len()) as u64;
        }
        Ok(self.size)
    }

    /// Says that all workers have written a level.
    pub(crate) fn complete(&self, level: u64, transitions: u64, parts: Vec<Size>) -> Result<(), String> {
        let complete = Complete { fingerprint: hex(&self.fingerprint), level, transitions, parts };
        let summed = Summed { sha256: sum_of(&complete), complete };
        let text = serde_json::to_vec(&summed).expect("plain data");
        let new = self.folder.join("complete.json.new");
        // What is there is whole at any time.
        let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, complete_file(&self.folder)));
        written.map_err(|error| format!("checkpoint {}: {error}", self.folder.display()))
    }
}

fn sum(head: &[u8], bytes: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(head).chain_update(bytes).finalize().into()
}

fn sum_of(complete: &Complete) -> String {
    hex(&Sha256::digest(serde_json::to_vec(complete).expect("plain data")))
}

/// Reads up to where a checkpoint is complete; what is wrong if it cannot be used.
pub(crate) fn read_complete(folder: &Path, fingerprint: &Fingerprint) -> Result<Complete, String> {
    let failed = |what: String| format!("checkpoint {}: {what}", folder.display());
    let text = std::fs::read(complete_file(folder)).map_err(|error| failed(format!("complete.json: {error}")))?;
    let damaged = || failed("complete.json is damaged".to_owned());
    let summed: Summed = serde_json::from_slice(&text).map_err(|_| damaged())?;
    if sum_of(&summed.complete) != summed.sha256 || summed.complete.parts.is_empty() {
        return Err(damaged());
    }
    if summed.complete.fingerprint != hex(fingerprint) {
        return Err(failed("it is of another model, property or version".to_owned()));
    }
    Ok(summed.complete)
}

/// Some states of a worker, all of one level.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) level: u64,
    /// The number of the first.
    pub(crate) first: u64,
    pub(crate) states: u64,
    pub(crate) bytes: Vec<u8>,
}

/// The file of a worker, being read.
#[derive(Debug)]
pub(crate) struct PartReader {
    name: String,
    file: BufReader<File>,
    size: Size,
    at: Size,
}

impl PartReader {
    /// Opens the file of a worker.
    pub(crate) fn new(
        folder: &Path,
        worker: usize,
        fingerprint: &Fingerprint,
        complete: &Complete,
    ) -> Result<Self, String> {
        let path = part_file(folder, worker);
        let name = path.display().to_string();
        let failed = |error: io::Error| format!("checkpoint {name}: {error}");
        let mut file = File::open(&path).map_err(failed)?;
        let size = complete.parts[worker];
        if file.seek(SeekFrom::End(0)).map_err(failed)? < size.bytes {
            return Err(format!("checkpoint {name} is damaged: its end is missing"));
        }
        file.rewind().map_err(failed)?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut head = [0; 48];
        file.read_exact(&mut head).map_err(failed)?;
        if head[..16] != MAGIC[..] || head[16..] != fingerprint[..] {
            return Err(format!("checkpoint {name} is damaged, or of another model"));
        }
        Ok(PartReader { name, file, size, at: Size { states: 0, bytes: 48 } })
    }

    /// The next record, if there is one that counts.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, String> {
        let damaged = || format!("checkpoint {} is damaged after {} states", self.name, self.at.states);
        if self.at.bytes >= self.size.bytes {
            let is_all = self.at == self.size;
            return if is_all { Ok(None) } else { Err(damaged()) };
        }
        let mut head = [0; HEAD];
        self.file.read_exact(&mut head).map_err(|_| damaged())?;
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        let (level, states, length) = (number(0), number(8), number(16));
        if length > self.size.bytes - self.at.bytes {
            return Err(damaged());
        }
        let mut bytes = vec![0; length as usize];
        self.file.read_exact(&mut bytes).map_err(|_| damaged())?;
        if sum(&head[..24], &bytes) != head[24..] {
            return Err(damaged());
        }
        let first = self.at.states;
        self.at = Size { states: first + states, bytes: self.at.bytes + (HEAD as u64) + length };
        Ok(Some(Record { level, first, states, bytes }))
    }
}
