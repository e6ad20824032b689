//! Library functions written in C: `models/*.c`.
//!
//! A program that names one of them without defining it gets the definition as one more unit, with the helpers that the
//! definition names in turn. Pointer analysis, engines, machine and certifier then treat it like the program's own code.
//!
//! A file is a list of *items* with an empty line between them, each a declaration with its comment. What stands for
//! the C library keeps its name; everything else starts with `__clinch_`, as no program's names do.
//!
//! The library calls its own functions, whatever the program defines: what one model calls of another one is a private copy
//! of it. Only what is in `pointers.c` is called by its public name, and there only `malloc`, `calloc`, `realloc` and `free`: of
//! those the library takes the program's definition if there is one.

use std::sync::LazyLock;

use clinch_ir::cfa::SourceMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Unit;
use super::hir::{FunctionId, Hir, VariableId};
use super::types::{Rank, Type};

/// Names that only models have.
pub(crate) const PREFIX: &str = "__clinch_";

/// How the names of their files begin in the source map.
pub(crate) const MODEL_FILES: &str = "<clinch:";

/// The function that runs what `atexit` was given.
pub(crate) const RUN_AT_EXIT: &str = "__clinch_run_exit_functions";

/// The variable that holds what `fesetround` was given.
pub(crate) const ROUNDING: &str = "__clinch_rounding_mode";

/// The function that makes the arguments of `main`.
pub(crate) const ARGUMENTS: &str = "__clinch_arguments";

/// The function that makes a text of the environment.
pub(crate) const TEXT: &str = "__clinch_text";

/// The file of functions that are built in, and modelled for calls through pointers only.
const BUILT_IN: &str = "pointers.c";

const FILES: [(&str, &str); 11] = [
    ("ctype.c", include_str!("models/ctype.c")),
    ("errno.c", include_str!("models/errno.c")),
    ("fenv.c", include_str!("models/fenv.c")),
    ("math.c", include_str!("models/math.c")),
    (BOUNDED, include_str!("models/bounded.c")),
    ("net.c", include_str!("models/net.c")),
    (BUILT_IN, include_str!("models/pointers.c")),
    ("stdio.c", include_str!("models/stdio.c")),
    ("stdlib.c", include_str!("models/stdlib.c")),
    ("string.c", include_str!("models/string.c")),
    ("wchar.c", include_str!("models/wchar.c")),
];

/// The words of a model that is there for several types, for `double`, `float` and `long double` for example, and what they stand
/// for in each.
const WORDS: [(&str, [&str; 3]); 22] = [
    ("FLOAT", ["double", "float", "long double"]),
    ("_T", ["", "f", "l"]),
    ("MAXIMUM", ["0x1.fffffffffffffp1023", "0x1.fffffep127f", "0x1.fffffffffffffffep16383L"]),
    ("MINIMUM", ["0x1p-1022", "0x1p-126f", "0x1p-16382L"]),
    ("HALF", ["0.5", "0.5f", "0.5L"]),
    ("ZERO", ["0.0", "0.0f", "0.0L"]),
    ("LIMIT", ["1023", "127", "16383"]),
    ("FAR", ["2000", "200", "20000"]),
    ("STEP_UNIT", ["0x1p-1000", "0x1p-100f", "0x1p-16000L"]),
    ("STEP", ["1000", "100", "16000"]),
    // Between which the logarithm of a finite number is, and beyond which a power overflows or is no normal number.
    ("LEAST_LOG", ["-746.0", "-104.0f", ""]),
    ("MOST_LOG", ["712.0", "90.0f", ""]),
    ("MOST_EXP", ["700.0", "85.0f", ""]),
    // Integers up to the first one, and powers of ten up to the second one, are numbers.
    ("INTEGERS", ["9007199254740992", "16777216", "0x1p63L"]),
    ("STRTO", ["strtod", "strtof", "strtold"]),
    ("TENS", ["22", "10", "27"]),
    ("TEN", ["10.0", "10.0f", "10.0L"]),
    // Integers as formatted output has them.
    ("NUMBER", ["int", "long long", "long long"]),
    ("WORD", ["unsigned", "unsigned long long", "unsigned long long"]),
    ("_W", ["", "_long", "_long"]),
    ("CASE", ["lower", "upper", "upper"]),
    ("LETTERS", [LOWER, UPPER, UPPER]),
];

const LOWER: &str = "97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, \
                     114, 115, 116, 117, 118, 119, 120, 121, 122";
const UPPER: &str =
    "65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90";

/// The file of functions that are there for `double` and `float` alone.
const BOUNDED: &str = "bounded.c";

/// A declaration of a model.
struct Item {
    file: &'static str,
    line: usize,
    /// What it declares.
    name: String,
    text: String,
}

/// The models that a formatted output to memory calls.
const WRITERS: [&str; 7] = [
    "__clinch_put_text",
    "__clinch_put_char",
    "__clinch_put_signed",
    "__clinch_put_unsigned",
    "__clinch_put_signed_long",
    "__clinch_put_unsigned_long",
    "__clinch_put_end",
];

/// The unit that defines what the others name and the models have.
pub(super) fn unit(map: &SourceMap) -> Unit {
    let items = items();
    let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (i, item) in items.iter().enumerate() {
        by_name.entry(&item.name).or_default().push(i);
    }
    let mut wanted = vec![false; items.len()];
    let mut names: Vec<&str> = named_in(map).collect();
    names.extend(takes_arguments(&map.text).then_some(ARGUMENTS));
    let has_extended = named_in(map).any(|name| name == "long") && named_in(map).any(|name| name == "double");
    while let Some(name) = names.pop() {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        if plain.ends_with("sprintf") || plain.ends_with("printf_chk") {
            names.extend(WRITERS);
        }
        if let Some(builtin) = name.strip_prefix("__builtin_") {
            names.extend(called_by(builtin).iter().filter(|name| has_extended || !name.ends_with('l')));
        }
        for &i in by_name.get(plain).into_iter().flatten() {
            if !std::mem::replace(&mut wanted[i], true) {
                names.extend(identifiers(&items[i].text));
                names.extend(companion(&items[i].name));
            }
        }
    }
    let mut text = String::new();
    let mut files_with_types = FxHashSet::default();
    for (item, _) in items.iter().zip(&wanted).filter(|(_, wanted)| **wanted) {
        // A type that several files declare is declared once.
        if item.text.starts_with("typedef") && !files_with_types.insert(&item.name) {
            continue;
        }
        text.push_str(&format!("# {} \"{MODEL_FILES}{}>\"\n{}\n", item.line, item.file, item.text));
    }
    Unit { name: "<clinch>".to_owned(), text }
}

/// What the checker makes calls of, of a builtin that takes numbers of any type.
fn called_by(builtin: &str) -> &'static [&'static str] {
    match builtin {
        "isnan" => &["__isnan", "__isnanf", "__isnanl"],
        "isinf" | "isinf_sign" => &["__isinf", "__isinff", "__isinfl"],
        "isfinite" | "finite" => &["__finite", "__finitef", "__finitel"],
        "signbit" => &["__signbit", "__signbitf", "__signbitl"],
        "isnormal" | "fpclassify" => &["__fpclassify", "__fpclassifyf", "__fpclassifyl"],
        "isunordered" => &["__clinch_isunordered", "__clinch_isunorderedl"],
        "islessgreater" => &["__clinch_islessgreater", "__clinch_islessgreaterl"],
        _ => &[],
    }
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

fn items() -> &'static [Item] {
    static ITEMS: LazyLock<Vec<Item>> = LazyLock::new(|| with_private_copies(&written_items()));
    &ITEMS
}

/// The items as the files have them.
fn written_items() -> Vec<Item> {
    let mut items = Vec::new();
    for (file, text) in FILES {
        let mut line = 1;
        for paragraph in text.split("\n\n") {
            let types = if file == BOUNDED { 2 } else { 3 };
            for code in instances(paragraph.trim_start_matches('\n'), types) {
                if let Some(name) = declared(&code).map(str::to_owned) {
                    items.push(Item { file, line, name, text: code });
                }
            }
            line += paragraph.matches('\n').count() + 2;
        }
    }
    items
}

/// A declaration, for each of the first types that it is there for.
fn instances(code: &str, types: usize) -> Vec<String> {
    let instance = |i: usize| WORDS.iter().fold(code.to_owned(), |code, (word, texts)| code.replace(word, texts[i]));
    let mut instances: Vec<String> = (0..types).map(instance).collect();
    instances.dedup();
    instances
}

/// Adds a private copy of every function of the library that another one calls, and lets those calls go there.
fn with_private_copies(items: &[Item]) -> Vec<Item> {
    let is_public = |item: &&Item| item.file != BUILT_IN && !item.name.starts_with(PREFIX);
    let public: FxHashSet<&str> = items.iter().filter(is_public).map(|item| item.name.as_str()).collect();
    let calls_of_others = items.iter().flat_map(|item| calls(&item.text).filter(|name| *name != item.name));
    let called: FxHashSet<&str> = calls_of_others.filter(|name| public.contains(name)).collect();
    let private = |name: &str| called.contains(name).then(|| format!("{PREFIX}{name}"));
    let mut all = Vec::new();
    for item in items {
        let copied = private(&item.name);
        // Before the item itself, so that all models behind it know the copy.
        if let Some(name) = copied {
            all.push(Item { file: item.file, line: item.line, name, text: with_calls(&item.text, private) });
        }
        let other = |name: &str| private(name).filter(|_| name != item.name);
        all.push(Item {
            file: item.file,
            line: item.line,
            name: item.name.clone(),
            text: with_calls(&item.text, other),
        });
    }
    all
}

/// The names that stand before a `(` in a text: of what is called, and of a function that is declared.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter_map(|(at, _)| {
        let name = &text[..at];
        let start = name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |i| i + 1);
        Some(&name[start..]).filter(|name| !name.is_empty())
    })
}

/// A text in which some of what is called has another name.
fn with_calls(text: &str, renamed: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut pieces = text.split('(').peekable();
    while let Some(piece) = pieces.next() {
        let is_call = pieces.peek().is_some();
        let start = piece.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |i| i + 1);
        match renamed(&piece[start..]).filter(|_| is_call) {
            Some(name) => result.extend([&piece[..start], &name]),
            None => result.push_str(piece),
        }
        result.extend(is_call.then_some('('));
    }
    result
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
                is_type || seen.insert(&item.name),
                "{} is declared twice, at {}:{}",
                item.name,
                item.file,
                item.line
            );
            assert!(item.text.contains(&item.name));
        }
        let names = ["strrchr", "__clinch_exit_functions", "__clinch_div", "__clinch_isupper"].map(str::to_owned);
        assert!(names.iter().all(|name| seen.contains(name)));
    }

    #[test]
    fn models_call_no_function_that_a_program_could_replace() {
        let replaced = ["malloc", "calloc", "realloc", "free"];
        for item in items() {
            let others = calls(&item.text).filter(|name| *name != item.name && !replaced.contains(name));
            for name in others {
                let public = items().iter().any(|other| other.name == name && !name.starts_with(PREFIX));
                assert!(!public, "{} calls {name}", item.name);
            }
        }
    }
}
