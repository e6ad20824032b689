//! Changes of a text.

use std::ops::Range;

/// A change of a text: what stands from `start` to `end` is replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

impl Edit {
    pub(super) fn insert(place: usize, text: String) -> Edit {
        Edit { start: place, end: place, text }
    }
}

/// A part of a text with its changes.
pub(super) fn changed(text: &str, part: Range<usize>, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut done = part.start;
    for edit in edits {
        out.push_str(&text[done..edit.start]);
        out.push_str(&edit.text);
        done = edit.end;
    }
    out.push_str(&text[done..part.end]);
    out
}
