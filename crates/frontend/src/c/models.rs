//! Library functions written in C: `models/*.c`.
//!
//! A program that names one of them without defining it gets the definition as one more unit, with the helpers that the
//! definition names in turn. Pointer analysis, engines, machine and certifier then treat it like the program's own code.
//!
//! A file is a list of *items* with an empty line between them, each a declaration with its comment. What stands for
//! the C library keeps its name; everything else starts with `__clinch_`, as no program's names do.

use clinch_ir::cfa::SourceMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Unit;
use super::hir::{FunctionId, Hir, VariableId};
use super::types::{Rank, Type};

/// Names that only models have.
pub(crate) const PREFIX: &str = "__clinch_";

/// The function that runs what `atexit` was given.
const RUN_AT_EXIT: &str = "__clinch_run_exit_functions";

/// The function that makes the arguments of `main`.
const ARGUMENTS: &str = "__clinch_arguments";

/// The file of functions that are built in, and modelled for calls through pointers only.
const BUILT_IN: &str = "pointers.c";

const FILES: [(&str, &str); 8] = [
    ("ctype.c", include_str!("models/ctype.c")),
    ("errno.c", include_str!("models/errno.c")),
    ("net.c", include_str!("models/net.c")),
    (BUILT_IN, include_str!("models/pointers.c")),
    ("stdio.c", include_str!("models/stdio.c")),
    ("stdlib.c", include_str!("models/stdlib.c")),
    ("string.c", include_str!("models/string.c")),
    ("wchar.c", include_str!("models/wchar.c")),
];

/// A declaration of a model.
struct Item {
    file: &'static str,
    line: usize,
    /// What it declares.
    name: &'static str,
    text: &'static str,
}

/// The unit that defines what the others name and the models have.
pub(super) fn unit(map: &SourceMap) -> Unit {
    let items = items();
    let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (i, item) in items.iter().enumerate() {
        by_name.entry(item.name).or_default().push(i);
    }
    let mut wanted = vec![false; items.len()];
    let mut names: Vec<&str> = named_in(map).collect();
    names.extend(takes_arguments(&map.text).then_some(ARGUMENTS));
    while let Some(name) = names.pop() {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        for &i in by_name.get(plain).into_iter().flatten() {
            if !std::mem::replace(&mut wanted[i], true) {
                names.extend(identifiers(items[i].text));
                names.extend(companion(items[i].name));
            }
        }
    }
    let mut text = String::new();
    let mut files_with_types = FxHashSet::default();
    for (item, _) in items.iter().zip(&wanted).filter(|(_, wanted)| **wanted) {
        // A type that several files declare is declared once.
        if item.text.starts_with("typedef") && !files_with_types.insert(item.name) {
            continue;
        }
        text.push_str(&format!("# {} \"<clinch:{}>\"\n{}\n", item.line, item.file, item.text));
    }
    Unit { name: "<clinch>".to_owned(), text }
}

/// What nobody names, but goes with an item: whoever registers functions needs the one that runs them.
fn companion(name: &str) -> Option<&'static str> {
    (name == "atexit").then_some(RUN_AT_EXIT)
}

/// The second parameter of `main` if it is the entry, and the function that makes its value.
pub(crate) fn arguments(hir: &Hir, entry: FunctionId) -> Option<(VariableId, FunctionId)> {
    let main = &hir.functions[entry.0 as usize];
    let &[count, texts, ..] = &main.parameters[..] else { return None };
    let ty = |v: VariableId| hir.types.get(hir.variables[v.0 as usize].ty);
    let takes_texts = matches!(ty(count), Type::Int { rank: Rank::Int, .. }) && matches!(ty(texts), Type::Pointer(_));
    let model = hir.functions.iter().position(|f| f.is_model && f.name == ARGUMENTS)?;
    (main.name == "main" && takes_texts).then_some((texts, FunctionId(model as u32)))
}

/// Whether a function of the library has a model and is not built in.
pub(crate) fn stands_for(name: &str) -> bool {
    items().iter().any(|item| item.file != BUILT_IN && item.name == name && !name.starts_with(PREFIX))
}

/// Whether some `main` has two parameters, as far as a look at the text can tell: then its arguments have to be made.
fn takes_arguments(text: &str) -> bool {
    text.match_indices("main").any(|(at, word)| {
        let rest = text[at + word.len()..].trim_start();
        let parameters = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        parameters.is_some_and(|(parameters, _)| parameters.contains(','))
    })
}

/// The names that stand in the text of the program, without those of system headers.
fn named_in(map: &SourceMap) -> impl Iterator<Item = &str> {
    let ends = map.markers.iter().skip(1).map(|m| m.offset as usize).chain([map.text.len()]);
    let parts = map.markers.iter().zip(ends).filter(|(marker, _)| !marker.system);
    let parts = parts.map(|(marker, end)| map.text.get(marker.offset as usize..end).unwrap_or_default());
    parts.flat_map(identifiers)
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn items() -> Vec<Item> {
    let mut items = Vec::new();
    for (file, text) in FILES {
        let mut line = 1;
        for paragraph in text.split("\n\n") {
            let code = paragraph.trim_start_matches('\n');
            if let Some(name) = declared(code) {
                items.push(Item { file, line, name, text: code });
            }
            line += paragraph.matches('\n').count() + 2;
        }
    }
    items
}

/// The name that an item declares: what stands before the first `(`, `[`, `=` or `;` behind its comment (in
/// `struct s { ... };` the tag), for pointers to functions what stands behind `(*`.
fn declared(item: &str) -> Option<&str> {
    let code = match item.strip_prefix("/*") {
        Some(rest) => rest.split_once("*/")?.1,
        None => item,
    };
    let at = code.find(['(', '[', '=', ';', '{'])?;
    match code[at..].strip_prefix("(*") {
        Some(pointer) => identifiers(pointer).next(),
        None => identifiers(&code[..at]).last(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_a_name_of_its_own() {
        let mut seen = FxHashSet::default();
        for item in items() {
            let is_type = item.text.starts_with("typedef");
            assert!(
                is_type || seen.insert(item.name),
                "{} is declared twice, at {}:{}",
                item.name,
                item.file,
                item.line
            );
            assert!(item.text.contains(item.name));
        }
        assert!(seen.contains("strrchr") && seen.contains("__clinch_exit_functions") && seen.contains("__clinch_div"));
    }
}
