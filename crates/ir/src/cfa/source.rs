//! Where things stand in the original files, behind preprocessing.

use std::sync::OnceLock;

use crate::program::Span;

/// `# 12 "file.c"`: the line after the marker is line 12 of that file.
#[derive(Clone, Debug)]
pub struct LineMarker {
    /// First byte of the line after the marker.
    pub offset: u32,
    /// Its line number in the file.
    pub line: u32,
    /// Index into [`SourceMap::files`].
    pub file: u32,
    /// Whether the file is a header of the system: the compiler says so.
    pub system: bool,
}

/// The text that was parsed (all translation units, one after the other), and where each line of it comes from.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// The text; spans are byte offsets into it.
    pub text: String,
    /// Names of files.
    pub files: Vec<String>,
    /// Ascending by offset. The first one is at offset 0.
    pub markers: Vec<LineMarker>,
    /// Where each line of the text starts, once someone asked.
    lines: OnceLock<Vec<u32>>,
}

/// A position in an original file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The file's name.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters of the preprocessed line.
    pub column: u32,
}

impl SourceMap {
    /// A text with its line markers.
    pub fn new(text: String, files: Vec<String>, markers: Vec<LineMarker>) -> Self {
        SourceMap { text, files, markers, lines: OnceLock::new() }
    }

    /// Whether a span stands in a header of the system.
    pub fn is_system(&self, span: Span) -> bool {
        let next = self.markers.partition_point(|m| m.offset <= span.start);
        next.checked_sub(1).and_then(|i| self.markers.get(i)).is_some_and(|m| m.system)
    }

    /// Where a span starts.
    pub fn place(&self, span: Span) -> Place {
        let offset = span.start.min(self.text.len() as u32);
        let line = self.line_of(offset);
        let line_start = self.lines()[line] as usize;
        let before = &self.text.as_bytes()[line_start..offset as usize];
        let column = String::from_utf8_lossy(before).chars().count() as u32 + 1;
        let next = self.markers.partition_point(|m| m.offset <= offset);
        let Some(marker) = next.checked_sub(1).and_then(|i| self.markers.get(i)) else {
            return Place { file: self.files.first().cloned().unwrap_or_default(), line: line as u32 + 1, column };
        };
        let lines_behind = (line - self.line_of(marker.offset)) as u32;
        let file = self.files.get(marker.file as usize).cloned().unwrap_or_default();
        Place { file, line: marker.line.saturating_add(lines_behind), column }
    }

    /// Where the last character of a span stands.
    pub fn place_of_end(&self, span: Span) -> Place {
        let start = span.end.saturating_sub(1).max(span.start);
        self.place(Span { start, end: span.end })
    }

    /// The number of the line of the text, from 0, in which an offset is.
    fn line_of(&self, offset: u32) -> usize {
        self.lines().partition_point(|&start| start <= offset) - 1
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
            std::iter::once(0).chain(ends).collect()
        })
    }

    /// The text of a span, on one line, shortened.
    pub fn excerpt(&self, span: Span) -> String {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        // What the preprocessor says of lines is not in the program.
        let own = text.lines().filter(|line| !line.starts_with("# "));
        let mut line = own.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
        if line.chars().count() > 80 {
            line = line.chars().take(77).collect::<String>() + "...";
        }
        line
    }
}
