//! Places in the files as the user wrote them: what tools that read the same files can find again.
//!
//! In diagnostics a place is where the preprocessor says a line comes from. Other tools see the file itself: in one that was preprocessed
//! before, its own lines count, whatever its line markers say.

use clinch_ir::Span;
use clinch_ir::cfa::Op;
use serde::{Deserialize, Serialize};

use crate::c::load::Loaded;

/// A place in one of the files that were given, or that they include.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Spot {
    /// The file.
    pub file: String,
    /// The line of the file, from 1.
    pub line: u32,
    /// The column in characters, from 1. Where the preprocessor replaced something on the line it may be another one in the file.
    pub column: u32,
    /// The function around it; empty if it is in none.
    pub function: String,
}

impl Loaded {
    /// The place where a span starts; nothing if that is in a header of the system, or in no file at all. Of a file that was not preprocessed
    /// before, it may be in one that it includes.
    pub(crate) fn spot(&self, span: Span, function: &str) -> Option<Spot> {
        let mut start = 0;
        for unit in &self.units {
            // The front end reads the units one after the other, each closed by a line break.
            let end = start + unit.text.len() + usize::from(!unit.text.ends_with('\n'));
            if (start..end).contains(&(span.start as usize)) {
                let function = function.to_owned();
                return match unit.name.ends_with(".i") {
                    true => own_place(&unit.text, span.start as usize - start).map(|(line, column)| Spot {
                        file: unit.name.clone(),
                        line,
                        column,
                        function,
                    }),
                    false => {
                        let place = self.program.source.place(span);
                        let (line, column) = (place.line, place.column);
                        let is_file = place.file == unit.name || std::path::Path::new(&place.file).is_file();
                        let is_own = is_file && !self.program.source.is_system(span);
                        is_own.then_some(Spot { file: place.file, line, column, function })
                    }
                };
            }
            start = end;
        }
        None
    }

    /// The place of the last character of a span.
    pub(crate) fn spot_of_end(&self, span: Span, function: &str) -> Option<Spot> {
        let start = span.end.saturating_sub(1).max(span.start);
        self.spot(Span { start, end: span.end }, function)
    }

    /// The name of the function that has an operation like this; empty if it is not one of the program.
    pub(crate) fn function_with(&self, is_meant: impl Fn(&Op, Span) -> bool) -> &str {
        let mut procedures = self.program.procedures.iter();
        let found = procedures.find(|p| p.edges.iter().any(|edge| is_meant(&edge.op, edge.span)));
        found.map_or("", |procedure| procedure.name.as_str())
    }
}

/// Line and column of an offset in a text.
fn own_place(text: &str, offset: usize) -> Option<(u32, u32)> {
    let before = text.as_bytes().get(..offset)?;
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() as u32 + 1;
    Some((line, column))
}
