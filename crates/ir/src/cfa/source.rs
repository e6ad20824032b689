//! Where things stand in the original files, behind preprocessing.

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
    /// Where a span starts.
    pub fn place(&self, span: Span) -> Place {
        let offset = (span.start as usize).min(self.text.len());
        let before = &self.text.as_bytes()[..offset];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() as u32 + 1;
        let next = self.markers.partition_point(|m| m.offset as usize <= offset);
        let Some(marker) = next.checked_sub(1).and_then(|i| self.markers.get(i)) else {
            let line = before.iter().filter(|&&b| b == b'\n').count() as u32 + 1;
            return Place { file: self.files.first().cloned().unwrap_or_default(), line, column };
        };
        let newlines = before[marker.offset as usize..].iter().filter(|&&b| b == b'\n').count() as u32;
        let file = self.files.get(marker.file as usize).cloned().unwrap_or_default();
        Place { file, line: marker.line + newlines, column }
    }

    /// The text of a span, on one line, shortened.
    pub fn excerpt(&self, span: Span) -> String {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > 80 {
            line = line.chars().take(77).collect::<String>() + "...";
        }
        line
    }
}
