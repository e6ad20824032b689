//! What is wrong with an input, where, and how it is shown.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind};
use clinch_ir::{Source, Span};

/// How many diagnostics are collected before reading stops: nobody reads more, and noise has millions.
pub(crate) const MAX_DIAGNOSTICS: usize = 20;

/// Longest part of a source line that is shown.
const EXCERPT_CHARS: usize = 160;

/// Characters shown before the start of the span when a line is cut.
const EXCERPT_BEFORE: usize = 60;

/// One thing wrong with the input.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The text that is wrong: the model, or an option such as `--error`.
    pub source: Arc<Source>,
    /// Where in the text.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// What to say at the place itself.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Line and column of the place, both from 1.
    pub fn line_column(&self) -> (usize, usize) {
        self.source.line_column(self.span.start)
    }

    /// The report: a line `file:line:column: error: message`, then the source line with the place marked.
    pub fn render(&self, color: bool) -> String {
        let (line, column) = self.line_column();
        let excerpt = Excerpt::new(self);
        let (red, plain) = if color { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
        if excerpt.is_line_marker() {
            return format!("{red}{self}{plain}\n");
        }
        let place = format!("{}:{line}:{column}", self.source.name);
        // ariadne numbers lines by counting them, so the lines before are given to it empty.
        let text = "\n".repeat(line - 1) + &excerpt.line;
        let span = line - 1 + excerpt.span.start..line - 1 + excerpt.span.end;
        let name = self.source.name.as_str();
        let label = Label::new((name, span.clone())).with_message(self.label.as_deref().unwrap_or("here"));
        let mut report = Report::build(ReportKind::Error, (name, span))
            .with_config(Config::default().with_color(color).with_index_type(IndexType::Byte))
            .with_label(label.with_color(Color::Red));
        if let Some(help) = &self.help {
            report.set_help(help);
        }
        let mut out = Vec::new();
        let source = ariadne::Source::from(text);
        report.finish().write((name, source), &mut out).expect("writing to memory cannot fail");
        let out = String::from_utf8_lossy(&out);
        // Its own first line lacks the place, by which editors and scripts find it.
        let body = out.split_once('\n').map_or("", |(_, body)| body);
        let body = match excerpt.shown_column {
            Some(shown) => body.replacen(&format!("{name}:{line}:{shown} "), &format!("{place} "), 1),
            None => body.to_owned(),
        };
        format!("{red}{self}{plain}\n{body}")
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_column();
        write!(f, "{}:{line}:{column}: error: {}", self.source.name, self.message)
    }
}

/// The line a diagnostic points into, cut to a readable length.
struct Excerpt {
    line: String,
    /// The marked bytes of `line`.
    span: Range<usize>,
    /// The column the cut line suggests, where it is not the true one.
    shown_column: Option<usize>,
}

impl Excerpt {
    fn new(diagnostic: &Diagnostic) -> Self {
        let text = diagnostic.source.text.as_str();
        let start = floor_boundary(text, diagnostic.span.start as usize);
        let end = floor_boundary(text, diagnostic.span.end as usize).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |p| p + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |p| start + p);
        let first = back(text, line_start, start, EXCERPT_BEFORE);
        let last = forward(text, start, line_end, EXCERPT_CHARS - EXCERPT_BEFORE);
        let mut line = String::new();
        if first > line_start {
            line.push_str("... ");
        }
        push_printable(&mut line, &text[first..start]);
        let marked = line.len();
        push_printable(&mut line, &text[start..end.min(last)]);
        let marked_end = line.len();
        push_printable(&mut line, &text[end.min(last)..last]);
        line.push_str(if last < line_end { " ..." } else { " " });
        let next_char = line[marked..].chars().next().map_or(1, char::len_utf8);
        let shown_column = (first > line_start).then(|| line[..marked].chars().count() + 1);
        Excerpt { span: marked..marked_end.max(marked + next_char), line, shown_column }
    }

    /// Whether the preprocessor wrote the line, as the first one of every file: nobody has to look at it.
    fn is_line_marker(&self) -> bool {
        self.line.strip_prefix("# ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// At most `chars` characters before `from`, not beyond `limit`.
fn back(text: &str, limit: usize, from: usize, chars: usize) -> usize {
    text[limit..from].char_indices().rev().take(chars).last().map_or(from, |(i, _)| limit + i)
}

/// At most `chars` characters after `from`, not beyond `limit`.
fn forward(text: &str, from: usize, limit: usize, chars: usize) -> usize {
    text[from..limit].char_indices().nth(chars).map_or(limit, |(i, _)| from + i)
}

/// Control characters would garble the terminal.
fn push_printable(out: &mut String, text: &str) {
    out.extend(text.chars().map(|c| match c {
        '\t' => ' ',
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => '\u{fffd}',
        c => c,
    }));
}

/// All that is wrong with an input; never empty.
#[derive(Clone, Debug)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// The diagnostics, in the order they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// All reports, one after the other.
    pub fn render(&self, color: bool) -> String {
        self.iter().map(|d| d.render(color)).collect()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.iter().enumerate() {
            write!(f, "{}{diagnostic}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// A diagnostic that does not know its text yet. Boxed, for it is part of every result of the recursive parser.
#[derive(Clone, Debug)]
pub(crate) struct Problem(Box<Details>);

#[derive(Clone, Debug)]
struct Details {
    span: Span,
    message: String,
    label: Option<String>,
    help: Option<String>,
}

impl Problem {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Problem(Box::new(Details { span, message: message.into(), label: None, help: None }))
    }

    /// A consequence of something already reported: stops the work, shows nothing.
    pub(crate) fn consequence() -> Self {
        Problem::new(Span::default(), "")
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.0.label = Some(label.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    pub(crate) fn span(&self) -> Span {
        self.0.span
    }

    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// The same, in a text where the place has another offset.
    pub(crate) fn moved(mut self, by: i64) -> Self {
        let shift = |offset: u32| (i64::from(offset) + by).clamp(0, i64::from(u32::MAX)) as u32;
        self.0.span = Span { start: shift(self.0.span.start), end: shift(self.0.span.end) };
        self
    }

    /// The diagnostic, now that its text is known.
    pub(crate) fn at(self, source: &Arc<Source>) -> Diagnostic {
        let Details { span, message, label, help } = *self.0;
        Diagnostic { source: source.clone(), span, message, label, help }
    }
}

/// Collects problems of the model and of the options.
#[derive(Default)]
pub(crate) struct Bag {
    diagnostics: Vec<Diagnostic>,
    stopped: bool,
}

impl Bag {
    /// Records a problem. One per place: a template reports the same problem for each of its instances.
    pub(crate) fn report(&mut self, source: &Arc<Source>, problem: Problem) {
        self.stopped = true;
        let diagnostic = problem.at(source);
        let known = |d: &Diagnostic| d.span == diagnostic.span && Arc::ptr_eq(&d.source, source);
        if diagnostic.message.is_empty() || self.is_full() || self.diagnostics.iter().any(known) {
            return;
        }
        self.diagnostics.push(diagnostic);
    }

    /// The value, or a record of why there is none.
    pub(crate) fn check<T>(&mut self, source: &Arc<Source>, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.report(source, problem)).ok()
    }

    /// Whether nothing was reported.
    pub(crate) fn is_silent(&self) -> bool {
        !self.stopped
    }

    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    /// Stops the work if anything was reported.
    pub(crate) fn stop_if_any(&mut self) -> Result<(), Diagnostics> {
        if !self.stopped {
            return Ok(());
        }
        debug_assert!(!self.diagnostics.is_empty(), "a consequence without a cause");
        Err(Diagnostics(std::mem::take(&mut self.diagnostics)))
    }
}
