//! What a unit offers to the other units of a project, and what it takes from them.

use std::collections::BTreeSet;

use super::fresh::is_own;
use super::hir::{Function, Storage, Variable};
use super::{CheckOptions, Unit, check};
use crate::ReadError;

/// What a unit offers and takes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exports {
    /// Functions with a body that other units may call, in the order in which they stand.
    pub functions: Vec<String>,
    /// Variables that it defines, and that other units may know.
    pub variables: Vec<String>,
    /// What it names in a body or an initialiser and does not define.
    pub missing: Vec<String>,
}

/// What a unit offers and takes.
pub fn exports(unit: &Unit, options: &CheckOptions) -> Result<Exports, ReadError> {
    let (hir, map) = check(std::slice::from_ref(unit), options).map_err(|error| ReadError::Bad(error.diagnostics()))?;
    let mut own: Vec<&Function> = hir.functions.iter().filter(|f| is_own(f, &map) && f.exported).collect();
    own.sort_by_key(|f| f.span.start);
    let is_global = |v: &&Variable| v.storage == Storage::Static && v.exported && !map.is_system(v.span);
    let (undefined, defined): (Vec<&Variable>, Vec<&Variable>) =
        hir.variables.iter().filter(is_global).partition(|v| v.external);
    let named = words_in_braces(&unit.text);
    let is_declared = |f: &&Function| f.body.is_none() && !f.is_system && !f.is_model;
    let declared = hir.functions.iter().filter(is_declared).map(|f| f.name.as_str());
    let missing = declared.chain(undefined.iter().map(|v| v.name.as_str())).filter(|name| named.contains(name));
    Ok(Exports {
        functions: own.into_iter().map(|f| f.name.clone()).collect(),
        variables: defined.into_iter().map(|v| v.name.clone()).collect(),
        missing: missing.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect(),
    })
}

/// The words between braces or behind `=`: a name that stands elsewhere is only declared.
fn words_in_braces(text: &str) -> BTreeSet<&str> {
    let mut words = BTreeSet::new();
    let (mut depth, mut is_initialiser) = (0_u32, false);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' | '\'' => literal_length(rest),
                c if is_letter(c) => rest.find(|c| !is_letter(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            match first {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                '=' => is_initialiser = true,
                ';' => is_initialiser = false,
                c if is_letter(c) && (depth > 0 || is_initialiser) => {
                    words.insert(&rest[..length]);
                }
                _ => {}
            }
            rest = &rest[length..];
        }
    }
    words
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The bytes of the literal that a text starts with.
fn literal_length(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_defined_and_what_is_named_elsewhere() {
        let text = "# 1 \"/usr/include/stdio.h\" 1 3\nint puts(const char *);\n# 1 \"a.c\" 2\n\
            extern int limit, unused; int count = 3; static int own;\n\
            int helper(int); int other(int); int pointed(void);\n\
            int (*to)(void) = pointed;\n\
            static int twice(int n) { return 2 * n; }\n\
            int sum(int n) { puts(\"other\"); return helper(n) + twice(limit) + own; }\n";
        let unit = Unit { name: "a.c".to_owned(), text: text.to_owned() };
        let found = exports(&unit, &CheckOptions::default()).expect("a unit");
        assert_eq!(found.functions, ["sum"]);
        assert_eq!(found.variables, ["count", "to"]);
        assert_eq!(found.missing, ["helper", "limit", "pointed"]);
    }
}
