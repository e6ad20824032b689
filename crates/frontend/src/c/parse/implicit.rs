//! Declarations without a type: `static x;`, `main() { ... }`. C89 read `int`, and gcc still does.

use rustc_hash::FxHashSet;

use super::lex::{Kind, Token};
use super::rewriter::Rewriter;

/// What a word of C says at the start of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Where something is stored, or how it may be used, but not of which type it is.
    Specifier,
    Type,
    OtherKeyword,
    Name,
}

fn kind(word: &str) -> Word {
    match word {
        "static" | "extern" | "auto" | "register" | "const" | "volatile" | "inline" | "_Noreturn" | "_Thread_local"
        | "__inline" | "__inline__" | "__const" | "__volatile__" | "__thread" => Word::Specifier,
        "void" | "char" | "short" | "int" | "long" | "float" | "double" | "signed" | "unsigned" | "_Bool"
        | "_Complex" | "struct" | "union" | "enum" | "typedef" | "__signed__" | "__signed" | "__complex__"
        | "__int128" | "typeof" | "__typeof__" | "__typeof" | "_Atomic" | "_Float128" | "_Float64" | "_Float32"
        | "_Float64x" | "_Float32x" => Word::Type,
        "break" | "case" | "continue" | "default" | "do" | "else" | "for" | "goto" | "if" | "return" | "sizeof"
        | "switch" | "while" | "_Alignas" | "_Alignof" | "_Generic" | "_Static_assert" | "__alignof__"
        | "__attribute__" | "__attribute" | "asm" | "__asm__" | "__asm" | "__extension__" | "__label__"
        | "restrict" | "__restrict" => Word::OtherKeyword,
        _ => Word::Name,
    }
}

pub(super) fn is_type_word(word: &str) -> bool {
    kind(word) == Word::Type
}

/// Whether a declaration stands here, after a label: C23 and gcc allow it, C11 does not.
pub(super) fn starts_declaration(rewriter: &Rewriter<'_>, i: usize) -> bool {
    let word = rewriter.get(i);
    if is_type_word(word) || matches!(word, "static" | "const" | "volatile" | "register" | "extern") {
        return true;
    }
    rewriter.is_word(i)
        && rewriter.is_word(i + 1)
        && kind(word) != Word::OtherKeyword
        && rewriter.typedef_names.contains(word)
}

/// Every word inside a `typedef`: more than the names it declares, which is enough to be careful.
pub(super) fn typedef_names<'a>(text: &'a str, tokens: &[Token]) -> FxHashSet<&'a str> {
    let mut names = FxHashSet::default();
    names.insert("__builtin_va_list");
    names.extend(["__auto_type", "__float80", "__float128", "__int128_t", "__uint128_t"]);
    let (mut inside, mut depth) = (false, 0);
    for token in tokens {
        let word = &text[token.range.clone()];
        match word {
            "typedef" => (inside, depth) = (true, 0),
            "{" if inside => depth += 1,
            "}" if inside => depth -= 1,
            ";" if depth <= 0 => inside = false,
            // The members of a record are not among the names.
            _ if inside && depth == 0 && token.kind == Kind::Word => {
                names.insert(word);
            }
            _ => {}
        }
    }
    names
}

/// Inserts the missing `int`s.
pub(super) fn insert_int(rewriter: &mut Rewriter<'_>) {
    let mut i = rewriter.skip_removed(0);
    let mut depth = 0_usize;
    let mut bodies = Vec::new();
    let mut before = None;
    while i < rewriter.tokens.len() {
        let previous = before.map_or(";", |j| rewriter.get(j));
        let after_body = previous == "}" && bodies.pop_if(|_| depth == 0).unwrap_or(false);
        let at_start = depth == 0 && (previous == ";" || after_body);
        let specified = kind(rewriter.get(i)) == Word::Specifier && !before.is_some_and(|j| rewriter.is_word(j));
        if (at_start || specified) && previous != "*" {
            untyped_name(rewriter, i, at_start);
        }
        match rewriter.get(i) {
            "{" => {
                if depth == 0 {
                    bodies.clear();
                    bodies.push(matches!(previous, ")" | ";"));
                }
                depth += 1;
            }
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = Some(i);
        i = rewriter.skip_removed(i + 1);
    }
}

/// Inserts `int` where the specifiers at `i` lack a type.
fn untyped_name(rewriter: &mut Rewriter<'_>, i: usize, at_start: bool) {
    let mut name = rewriter.skip_removed(i);
    while kind(rewriter.get(name)) == Word::Specifier {
        name = rewriter.skip_removed(name + 1);
    }
    let word = rewriter.get(name);
    let is_name = rewriter.is_word(name) && matches!(kind(word), Word::Specifier | Word::Name);
    if !is_name || rewriter.typedef_names.contains(word) {
        return;
    }
    let next = rewriter.skip_removed(name + 1);
    let untyped = match rewriter.get(next) {
        ";" | "," | "=" | "[" => at_start || name != i,
        "(" => {
            let after = rewriter.close(next).map(|close| rewriter.skip_removed(close + 1));
            let follows = after.map_or("", |j| rewriter.get(j));
            at_start
                && (matches!(follows, "{" | ";" | ",")
                    || is_type_word(follows)
                    || follows == "register"
                    || after.is_some_and(|j| rewriter.is_word(j)))
        }
        _ => false,
    };
    if untyped {
        let at = rewriter.tokens[name].range.start;
        rewriter.insert(at, "int ");
    }
}
