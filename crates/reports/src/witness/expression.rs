//! Expressions of witnesses: C without side effects.
//!
//! They are put into the text of the program, so nothing may be in them that changes what it does: no assignments, no calls, nothing that ends
//! the expression. Whether names and types are right is for the front end to say.

use std::collections::{BTreeMap, BTreeSet};

use crate::outline::{Outline, is_name};

/// What names mean in a file, beside its variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Types.
    pub(crate) types: BTreeSet<String>,
    /// Macros without parameters, and what they stand for.
    pub(crate) macros: BTreeMap<String, String>,
}

/// Words of types.
const TYPES: [&str; 17] = [
    "void",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "unsigned",
    "float",
    "double",
    "_Bool",
    "const",
    "volatile",
    "struct",
    "union",
    "enum",
    "__int128",
    "__signed__",
];

/// Words before a parenthesis that are no calls.
const NO_CALLS: [&str; 4] = ["sizeof", "_Alignof", "__alignof__", "__alignof"];

/// Operators that change something, and what ends an expression.
const FORBIDDEN: [&str; 19] =
    ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", ";", "{", "}", ",", "#", "\\"];

/// The names of types that a file declares.
pub(crate) fn typedefs(outline: &Outline<'_>) -> BTreeSet<String> {
    let starts = (0..outline.tokens().len()).filter(|&number| outline.word(number) == "typedef");
    let names = starts.filter_map(|start| {
        let mut end = start;
        while !matches!(outline.word(end), ";" | "") {
            end = if outline.word(end) == "{" { outline.partner(end)? + 1 } else { end + 1 };
        }
        (start..end).rev().map(|number| outline.word(number)).find(|word| is_name(word))
    });
    names.map(str::to_owned).collect()
}

/// How often macros may stand for each other.
const DEPTH: usize = 20;

/// The expression on one line, or why it is not accepted.
pub(crate) fn read(text: &str, names: &Names) -> Result<String, String> {
    read_deep(text, names, DEPTH)
}

fn read_deep(text: &str, names: &Names, depth: usize) -> Result<String, String> {
    let outline = Outline::new(text);
    let count = outline.tokens().len();
    if count == 0 {
        return Err("it is empty".to_owned());
    }
    for number in 0..count {
        let word = outline.word(number);
        if FORBIDDEN.contains(&word) {
            return Err(format!("`{word}` has no place in an expression without side effects"));
        }
        if word.starts_with('"') {
            return Err("it has a string".to_owned());
        }
        if matches!(word, "(" | ")" | "[" | "]") && outline.partner(number).is_none() {
            return Err(format!("`{word}` has no partner"));
        }
        if word == "(" && number > 0 {
            check_call(&outline, number - 1, &names.types)?;
        }
        if let Some(body) = names.macros.get(word).filter(|body| !body.is_empty()) {
            let deeper = depth.checked_sub(1).ok_or_else(|| format!("the macro `{word}` never ends"))?;
            let read = if body == word { Ok(String::new()) } else { read_deep(body, names, deeper) };
            read.map_err(|why| format!("in the macro `{word}`: {why}"))?;
        }
    }
    Ok((0..count).map(|number| outline.word(number)).collect::<Vec<_>>().join(" "))
}

/// What stands before a parenthesis makes no call of it.
fn check_call(outline: &Outline<'_>, before: usize, typedefs: &BTreeSet<String>) -> Result<(), String> {
    let is_type = |word: &str| TYPES.contains(&word) || typedefs.contains(word) || word.ends_with("_t");
    let word = outline.word(before);
    match word {
        _ if NO_CALLS.contains(&word) => Ok(()),
        _ if is_name(word) => Err(format!("it calls `{word}`")),
        "]" => Err("it may call a function".to_owned()),
        ")" => {
            let open = outline.partner(before).unwrap_or(before);
            let of_type = is_type(outline.word(open + 1))
                && (open + 1..before).all(|number| is_name(outline.word(number)) || outline.word(number) == "*");
            if of_type { Ok(()) } else { Err("it may call a function".to_owned()) }
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_effects_are_refused() {
        let types = typedefs(&Outline::new("typedef unsigned long word;\ntypedef struct { int a; } pair;"));
        let macros = [("N", "(M + 1)"), ("M", "2"), ("NEXT", "N + i++"), ("LOOP", "LOOP + LOOP")];
        let macros = macros.map(|(name, body)| (name.to_owned(), body.to_owned())).into();
        assert_eq!(types.iter().map(String::as_str).collect::<Vec<_>>(), ["pair", "word"]);
        let types = Names { types, macros };
        let good =
            ["i <= n && a[i].x == 3", "(word)(i) > 2", "(unsigned int)(x+1) == sizeof(x)", "x < N", "p != 0 ? *p : 1"];
        for text in good {
            assert!(read(text, &types).is_ok(), "{text}: {:?}", read(text, &types));
        }
        for (text, why) in [
            ("x = 1", "`=`"),
            ("x++ > 1", "`++`"),
            ("f(x)", "calls `f`"),
            ("(f)(x)", "may call"),
            ("t[0](x)", "may call"),
            ("1); abort(", "`)` has no partner"),
            ("({ x; })", "`{`"),
            ("x > 1, y", "`,`"),
            ("\\forall int k; k", "`\\`"),
            ("", "empty"),
            ("x < NEXT", "in the macro `NEXT`: `++`"),
            ("LOOP", "never ends"),
        ] {
            let refused = read(text, &types).expect_err(text);
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }

    #[test]
    fn lines_are_joined() {
        assert_eq!(read("a\n  && /* b */ b", &Names::default()), Ok("a && b".to_owned()));
    }
}
