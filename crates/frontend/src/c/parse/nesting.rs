//! Brackets: which one closes which, and whether they nest too deeply for a recursive parser.

use super::lex::{Kind, Token, span};
use crate::diagnostic::Problem;

/// Open brackets at a place.
const MAX_BRACKETS: usize = 256;
/// Open brackets, and operators and keywords since the last `;` or `,` in each of them: each may be a level of the tree.
const MAX_LEVELS: usize = 4000;

/// For each opening bracket the position of its closing one; `usize::MAX` elsewhere.
pub(super) fn matching(text: &str, tokens: &[Token]) -> Result<Vec<usize>, Problem> {
    let mut partner = vec![usize::MAX; tokens.len()];
    // The open brackets, and how many levels there were when each was opened.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut levels = 0;
    for (i, token) in tokens.iter().enumerate() {
        let outside = open.last().map_or(0, |o| o.1);
        match &text[token.range.clone()] {
            "(" | "[" | "{" => {
                levels += 1;
                open.push((i, levels));
            }
            close @ (")" | "]" | "}") => {
                if let Some((start, before)) = open.pop() {
                    partner[start] = i;
                    levels = before;
                }
                let goes_on = tokens.get(i + 1).is_some_and(|t| &text[t.range.clone()] == "else");
                if close == "}" && !goes_on {
                    levels = open.last().map_or(0, |o| o.1);
                }
            }
            ";" if tokens.get(i + 1).is_some_and(|t| &text[t.range.clone()] == "else") => {}
            ";" | "," => levels = outside,
            "if" | "else" | "for" | "while" | "do" | "switch" | "case" | "default" | "sizeof" => levels += 1,
            _ if token.kind == Kind::Punctuation => levels += 1,
            _ => {}
        }
        if open.len() > MAX_BRACKETS || levels > MAX_LEVELS {
            return Err(Problem::new(span(token.range.clone()), "nested too deeply"));
        }
    }
    Ok(partner)
}
