//! Brackets: which one closes which, and whether they nest too deeply for a recursive parser.

use super::implicit::is_type_word;
use super::lex::{Kind, Token, span};
use crate::diagnostic::Problem;

/// Open brackets at a place.
const MAX_BRACKETS: usize = 1000;
/// Open brackets that begin with a type: lang-c tries each of them several times.
const MAX_TYPED: usize = 16;
/// Open brackets, and operators and keywords since the last `;` or `,` in each of them: each may be a level of the tree.
const MAX_LEVELS: usize = 30_000;

/// An open bracket.
struct Open {
    token: usize,
    /// Levels and brackets with types when it was opened, itself included.
    levels: usize,
    typed: usize,
}

/// For each opening bracket the position of its closing one; `usize::MAX` elsewhere.
pub(super) fn matching(text: &str, tokens: &[Token]) -> Result<Vec<usize>, Problem> {
    let get = |i: usize| tokens.get(i).map_or("", |t| &text[t.range.clone()]);
    let mut partner = vec![usize::MAX; tokens.len()];
    let mut open: Vec<Open> = Vec::new();
    let mut levels = 0;
    for (i, token) in tokens.iter().enumerate() {
        let outside = open.last().map_or(0, |o| o.levels);
        match get(i) {
            bracket @ ("(" | "[" | "{") => {
                levels += 1;
                let before = i.checked_sub(1).map_or("", get);
                let typed = open.last().map_or(0, |o| o.typed) + type_tries(bracket, before, get(i + 1));
                open.push(Open { token: i, levels, typed });
            }
            close @ (")" | "]" | "}") => {
                if let Some(start) = open.pop() {
                    partner[start.token] = i;
                    levels = start.levels;
                }
                if close == "}" && get(i + 1) != "else" {
                    levels = open.last().map_or(0, |o| o.levels);
                }
            }
            ";" if get(i + 1) == "else" => {}
            ";" | "," => levels = outside,
            "if" | "else" | "for" | "while" | "do" | "switch" | "case" | "default" | "sizeof" => levels += 1,
            _ if token.kind == Kind::Punctuation => levels += 1,
            _ => {}
        }
        let typed = open.last().map_or(0, |o| o.typed);
        if open.len() > MAX_BRACKETS || levels > MAX_LEVELS || typed > MAX_TYPED {
            return Err(Problem::new(span(token.range.clone()), "nested too deeply"));
        }
    }
    Ok(partner)
}

/// How much lang-c's work multiplies in this bracket, as a logarithm.
fn type_tries(bracket: &str, before: &str, after: &str) -> usize {
    match (bracket, after) {
        ("{", _) => 0,
        (_, "struct" | "union") => 2,
        _ if matches!(before, "sizeof" | "_Alignof" | "__alignof__" | "__alignof" | "typeof" | "__typeof__") => 1,
        (_, word) => usize::from(is_type_word(word) || word == "const"),
    }
}
