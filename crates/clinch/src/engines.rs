//! `clinch engines`: the engines, each with the options that are its own.

use std::fmt::Write as _;

use clinch_checker::EngineName;
use clinch_engine::options::ValueForm;

use crate::{console, exit};

/// Options of an engine that other parts of clinch implement.
const OTHERS: &[(EngineName, &str, &str)] = &[
    (EngineName::Auto, "--threads N", "how many engines run at a time"),
    (EngineName::Explicit, "--threads N", "cores for breadth first; 0: all"),
    (EngineName::Alpha, "--predicate EXPR", "a predicate to start from"),
    (EngineName::Split, "--predicate EXPR", "a predicate to start from"),
    (EngineName::Cegar, "--predicate EXPR, --predicates FILE", "predicates to start from"),
    (EngineName::Cegar, "--save-predicates FILE", "write the predicates in use at the end"),
    (EngineName::Lazy, "--dot FILE", "draw the reachability tree, for Graphviz"),
];

/// The list.
pub(crate) fn list() -> String {
    let mut out = String::new();
    for &engine in EngineName::ALL {
        let _ = writeln!(out, "{:<9} {}", engine.name(), engine.about());
        for option in engine.options() {
            let typed = match &option.value {
                ValueForm::Flag => format!("--{}", option.name),
                ValueForm::Word(words) => format!("--{} {}", option.name, words.join("|")),
                ValueForm::Number(_, None) => format!("--{} N", option.name),
                ValueForm::Number(_, Some(_)) => format!("--{} [N]", option.name),
                ValueForm::Interval => format!("--{} LO..HI", option.name),
                ValueForm::Path => format!("--{} PATH", option.name),
            };
            push(&mut out, &typed, option.about);
        }
        for (_, typed, about) in OTHERS.iter().filter(|(of, ..)| *of == engine) {
            push(&mut out, typed, about);
        }
    }
    out.push_str(
        "all       --seed N  --timeout TIME  --memory SIZE  --max-iterations N  --certify on|off  --strict  --progress\n",
    );
    out.push_str(
        "          `clinch check --help` says which inputs an option is for; one that does not apply is an error",
    );
    out
}

fn push(out: &mut String, typed: &str, about: &str) {
    let _ = writeln!(out, "    {typed:<24} {about}");
}

/// `clinch engines`.
pub(crate) fn run() -> u8 {
    console::line(&list());
    exit::SAFE
}
