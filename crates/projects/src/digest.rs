//! Hashes of what is printed into them.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A hash that grows with every text that is written to it.
#[derive(Clone, Default, Debug)]
pub struct Digest(Sha256);

impl Digest {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> String {
        let mut digest = Digest::default();
        digest.0.update(bytes);
        digest.finish()
    }

    /// Adds a part. Where it ends is part of the hash.
    pub fn part(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
    }

    /// The hash, in hexadecimal digits.
    pub fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}
