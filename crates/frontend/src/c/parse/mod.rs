//! From preprocessed text to lang-c's syntax tree.
//!
//! lang-c does not read all of GNU C. `rewrite` and `implicit` say the rest in other words before it parses, and the
//! offsets of the tree are mapped back to the text as it was.

mod assembly;
mod attributes;
mod implicit;
mod lex;
mod names;
mod nesting;
mod pragma;
mod rewrite;
mod rewriter;
mod scoped;

use clinch_ir::Span;
use lang_c::ast::{Expression, ExternalDeclaration, Initializer, TranslationUnit};
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};
use lang_c::span::Node;
use rustc_hash::FxHashMap;

use crate::diagnostic::Problem;

pub(crate) use assembly::{INPUTS, OUTPUTS, TIED};
pub(crate) use names::readable;
pub(crate) use pragma::Pragmas;
pub(crate) use rewriter::{
    ASSEMBLY, AT_START, COMPLEX_PART, COMPUTED_GOTO, LABEL_ADDRESS, RecordAttributes, SAME, UNKNOWN,
};

/// A stretch of the rewritten text and where it comes from.
struct Piece {
    new: u32,
    old: u32,
    /// A copy of the old text, rather than a replacement.
    copied: bool,
}

/// A unit's syntax tree, and what the tree does not say.
pub(crate) struct Parsed {
    pub(crate) tree: TranslationUnit,
    /// Attributes of structs, unions and enumerations by the offset of their keyword in the unit.
    pub(crate) records: FxHashMap<u32, RecordAttributes>,
    pub(crate) pragmas: Pragmas,
    pieces: Vec<Piece>,
}

impl Parsed {
    /// The place in the unit's text of a span of the tree.
    pub(crate) fn span(&self, span: lang_c::span::Span) -> Span {
        let start = original(&self.pieces, span.start);
        let end = if span.end > span.start { original(&self.pieces, span.end - 1) + 1 } else { start };
        Span { start, end: end.max(start) }
    }
}

fn original(pieces: &[Piece], offset: usize) -> u32 {
    let offset = u32::try_from(offset).unwrap_or(u32::MAX);
    let next = pieces.partition_point(|p| p.new <= offset);
    let Some(piece) = next.checked_sub(1).map(|i| &pieces[i]) else { return 0 };
    if piece.copied { piece.old + (offset - piece.new) } else { piece.old }
}

/// Parses the text of a unit. Spans of problems are offsets in that text.
pub(crate) fn parse(text: &str) -> Result<Parsed, Problem> {
    let plain = lex::without_digraphs(text)?;
    let text = plain.as_ref();
    let lexed = lex::lex(text)?;
    let partner = nesting::matching(text, &lexed.tokens)?;
    let pragmas = Pragmas::new(text, &lexed.blanks);
    let (edits, records) = rewrite::rewrite(text, &lexed, &partner);
    let (rewritten, pieces) = apply(text, &edits);
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    match parse_preprocessed(&config, rewritten) {
        Ok(parse) => Ok(Parsed { tree: parse.unit, records, pragmas, pieces }),
        Err(error) => Err(syntax_error(text, &lexed, &pieces, &error)),
    }
}

/// Parses an expression that stands alone. Its spans mean nothing.
pub(crate) fn parse_expression(text: &str) -> Option<Node<Expression>> {
    let mut parsed = parse(&format!("int x = {text};")).ok()?;
    let declaration = match parsed.tree.0.pop()?.node {
        ExternalDeclaration::Declaration(declaration) => declaration.node,
        _ => return None,
    };
    match declaration.declarators.into_iter().next()?.node.initializer?.node {
        Initializer::Expression(expression) => Some(*expression),
        Initializer::List(_) => None,
    }
}

fn apply(text: &str, edits: &[rewriter::Edit]) -> (String, Vec<Piece>) {
    let mut out = String::with_capacity(text.len() + 1024);
    let mut pieces = vec![Piece { new: 0, old: 0, copied: false }];
    out.push_str(rewriter::PRELUDE);
    let mut at = 0;
    for edit in edits {
        if edit.range.start < at {
            continue; // Inside of something that is replaced.
        }
        pieces.push(Piece { new: out.len() as u32, old: at as u32, copied: true });
        out.push_str(&text[at..edit.range.start]);
        pieces.push(Piece { new: out.len() as u32, old: edit.range.start as u32, copied: false });
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    pieces.push(Piece { new: out.len() as u32, old: at as u32, copied: true });
    out.push_str(&text[at..]);
    (out, pieces)
}

/// Names the token at which lang-c gave up.
fn syntax_error(text: &str, lexed: &lex::Lexed, pieces: &[Piece], error: &SyntaxError) -> Problem {
    let offset = original(pieces, error.offset) as usize;
    let next = lexed.tokens.partition_point(|t| t.range.end <= offset);
    let Some(token) = lexed.tokens.get(next) else {
        let end = text.trim_end().len();
        return Problem::new(lex::span(end..end), "syntax error at the end of the file");
    };
    let shown: String = text[token.range.clone()].chars().take(40).collect();
    let problem = Problem::new(lex::span(token.range.clone()), format!("syntax error at `{shown}`"));
    if error.expected.contains(";") { problem.label("perhaps `;` is missing before it") } else { problem }
}
