//! Standard output and standard error.

use std::io::Write as _;

/// Prints to standard output; a reader that went away is not an error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints to standard error.
pub(crate) fn error(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
}
