//! Where the text of the units comes from, and diagnostics that say so.

use std::fmt;
use std::sync::Arc;

use clinch_ir::cfa::{LineMarker, SourceMap};
use clinch_ir::{Source, Span};

use super::Unit;
use crate::diagnostic::{Bag, Diagnostics, Problem};

/// What is wrong with a C program. Shown as [`Diagnostics`], at the places of the original files.
#[derive(Clone, Debug)]
pub struct CError {
    /// The text.
    pub source: Box<SourceMap>,
    problems: Vec<Problem>,
}

impl CError {
    pub(super) fn new(source: SourceMap, problems: Vec<Problem>) -> Self {
        CError { source: Box::new(source), problems }
    }

    /// The first thing that is wrong: its place and what it is.
    pub fn first(&self) -> (Span, &str) {
        self.problems.first().map_or((Span::default(), ""), |p| (p.span(), p.message()))
    }

    /// All that is wrong, with the names and lines of the original files.
    pub fn diagnostics(&self) -> Diagnostics {
        let mut bag = Bag::default();
        for problem in &self.problems {
            let (source, shift) = self.line_of(problem.span());
            bag.report(&Arc::new(source), problem.clone().moved(shift));
        }
        bag.stop_if_any().expect_err("an error has a problem")
    }

    /// A text that has the line of a span at its number in the original file, and how far the span moves.
    fn line_of(&self, span: Span) -> (Source, i64) {
        let text = self.source.text.as_str();
        let mut start = (span.start as usize).min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |p| p + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |p| start + p);
        let place = self.source.place(span);
        let before = (place.line.clamp(1, 1 << 24) - 1) as usize;
        let line = "\n".repeat(before) + &text[line_start..line_end];
        (Source { name: place.file, text: line }, before as i64 - line_start as i64)
    }
}

impl fmt::Display for CError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics().fmt(f)
    }
}

impl std::error::Error for CError {}

/// Bytes that are no UTF-8 are read as characters from here on: the last ones there are.
const RAW: u32 = 0x10_FF00;

fn as_raw(byte: u8) -> Option<char> {
    char::from_u32(RAW + u32::from(byte))
}

/// The byte that a character of a text stands for, if it is none of its own.
pub(crate) fn raw_byte(c: char) -> Option<u8> {
    let byte = u8::try_from((c as u32).checked_sub(RAW)?).ok()?;
    (!byte.is_ascii()).then_some(byte)
}

/// The text of a file. A compiler takes the bytes of a literal as they are, UTF-8 or not, so none may be lost.
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match raw_byte(c) {
                Some(_) => text.extend(c.encode_utf8(&mut [0; 4]).bytes().filter_map(as_raw)),
                None => text.push(c),
            }
        }
        text.extend(chunk.invalid().iter().copied().filter_map(as_raw));
    }
    text
}

/// The bytes of a text that was decoded.
pub fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match raw_byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// The texts of all units one after the other, with their line markers, and the offset at which each unit starts.
pub(super) fn source_map(units: &[Unit]) -> Result<(SourceMap, Vec<u32>), CError> {
    let mut map = SourceMap::default();
    let mut bases = Vec::new();
    let size: usize = units.iter().map(|u| u.text.len() + 1).sum();
    if u32::try_from(size).is_err() {
        let problem = Problem::new(Span::default(), "the files are larger than 4 GiB");
        map.files.push(units.first().map(|u| u.name.clone()).unwrap_or_default());
        return Err(CError::new(map, vec![problem]));
    }
    for unit in units {
        bases.push(add_unit(&mut map, unit));
    }
    forget_own_files(&mut map);
    Ok((map, bases))
}

/// Adds a unit to the text; the offset at which it starts.
pub(super) fn add_unit(map: &mut SourceMap, unit: &Unit) -> u32 {
    let base = map.text.len() as u32;
    add_markers(map, unit);
    map.text.push_str(&unit.text);
    if !unit.text.ends_with('\n') {
        map.text.push('\n');
    }
    base
}

/// A compiler marks what comes from a macro of a system header like the header itself: in a file of the program it is not
/// one.
fn forget_own_files(map: &mut SourceMap) {
    let mut own = vec![false; map.files.len()];
    map.markers.iter().filter(|m| !m.system).for_each(|m| own[m.file as usize] = true);
    map.markers.iter_mut().for_each(|m| m.system &= !own[m.file as usize]);
}

fn add_markers(map: &mut SourceMap, unit: &Unit) {
    let base = map.text.len();
    let file = file_index(map, unit.name.clone());
    map.markers.push(LineMarker { offset: base as u32, line: 1, file, system: false });
    let mut offset = 0;
    for line in unit.text.split_inclusive('\n') {
        offset += line.len();
        if let Some((line, name, flags)) = line_marker(line) {
            let last = map.markers.last().map_or(0, |m| m.file);
            let file = name.map_or(last, |name| file_index(map, name));
            let system = flags.split_ascii_whitespace().any(|flag| flag == "3");
            map.markers.push(LineMarker { offset: (base + offset) as u32, line, file, system });
        }
    }
}

fn file_index(map: &mut SourceMap, name: String) -> u32 {
    let known = map.files.iter().rposition(|f| *f == name);
    known.unwrap_or_else(|| {
        map.files.push(name);
        map.files.len() - 1
    }) as u32
}

/// `# 12 "file.c" 1 3` or `#line 12 "file.c"`: the line, the file, flags.
fn line_marker(line: &str) -> Option<(u32, Option<String>, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let quoted = rest[digits..].trim_start().strip_prefix('"');
    let Some((name, flags)) = quoted.and_then(|n| n.rfind('"').map(|end| (&n[..end], &n[end + 1..]))) else {
        return Some((number, None, ""));
    };
    Some((number, Some(name.replace("\\\"", "\"").replace("\\\\", "\\")), flags))
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn no_byte_of_a_file_is_lost() {
        for bytes in [&b"plain"[..], "h\u{e9}".as_bytes(), b"h\xe9 \xff\x80", "\u{10ffe9}".as_bytes()] {
            assert_eq!(encode(&decode(bytes)), bytes);
        }
        assert_eq!(decode(b"h\xe9").chars().count(), 2);
    }
}
