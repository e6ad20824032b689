//! Reports on disk, by name.
//!
//! An entry is a file. Its first line has the version of the format and the hash of the rest; the rest repeats the name that it is kept under. An entry
//! that does not fit is taken away and counted: what it was about is checked again. A verdict is
//! kept only if its evidence was re-checked, and who reads one back trusts the disk, and nobody else: a store is as good as who may write to it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clinch_checker::Report;
use clinch_checker::report::{Telling, Verdict};
use serde::{Deserialize, Serialize};

use crate::Digest;
use crate::fingerprint::Place;

/// The first word of an entry, with the version of the format.
const MAGIC: &str = "clinch-store-1";

/// A folder of reports.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    damaged: Vec<PathBuf>,
}

/// What is kept.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Kept {
    /// The name.
    pub key: String,
    /// Where the program stood.
    pub places: Vec<Place>,
    /// What came of the check.
    pub report: Report,
}

/// Whether a report may be kept: it has a verdict, and its evidence was re-checked; or it has none, for a limit, for what is not modelled or what an
/// execution contradicts, which are the same in the next run. Where an engine crashed, that may not happen again.
pub fn is_worth_keeping(report: &Report) -> bool {
    let is_settled = match &report.verdict {
        Verdict::Safe { .. } | Verdict::Unsafe { .. } => report.certified,
        Verdict::Unknown { telling, .. } => *telling != Telling::Trouble,
    };
    is_settled && report.internal_errors.is_empty()
}

impl Store {
    /// The store in a folder, which is made if there is none.
    pub fn open(folder: &Path) -> std::io::Result<Store> {
        std::fs::create_dir_all(folder)?;
        Ok(Store { folder: folder.to_owned(), damaged: Vec::new() })
    }

    /// What is kept under a name.
    pub fn get(&mut self, key: &str) -> Option<Kept> {
        let file = self.file(key);
        let bytes = std::fs::read(&file).ok()?;
        let kept = parse(&bytes).filter(|kept| kept.key == key && is_worth_keeping(&kept.report));
        if kept.is_none() {
            let _ = std::fs::remove_file(&file);
            self.damaged.push(file);
        }
        kept
    }

    /// Keeps a report, if it is worth it. Others may read and write at the same time: an entry is there as a whole, or not at all.
    pub fn put(&self, kept: &Kept) -> std::io::Result<()> {
        if !is_worth_keeping(&kept.report) {
            return Ok(());
        }
        let body = serde_json::to_string(kept)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        write!(file, "{MAGIC} {}\n{body}", Digest::of(body.as_bytes()))?;
        file.persist(self.file(&kept.key)).map(|_| ()).map_err(|error| error.error)
    }

    /// Entries that did not fit, and were taken away.
    pub fn damaged(&self) -> &[PathBuf] {
        &self.damaged
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

fn parse(bytes: &[u8]) -> Option<Kept> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let (head, body) = (std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]);
    let (magic, digest) = head.split_once(' ')?;
    (magic == MAGIC && digest == Digest::of(body)).then(|| serde_json::from_slice(body).ok()).flatten()
}
