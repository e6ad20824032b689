//! Functions of the library whose results come from outside: what is read, the environment, the time. Where a run needs more of them than an execution here
//! has, functions take their place that return the inputs of the run, in the order in which the models ask for them.

use std::fmt::Write as _;

use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, InputKind, Op};

use super::Partner;
use super::edit::Edit;

/// Those that take their inputs where they are called.
const DIRECT: [&str; 13] = [
    "getchar",
    "getchar_unlocked",
    "getc",
    "getc_unlocked",
    "fgetc",
    "scanf",
    "fscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
    "_IO_getc",
    "__clinch_up_to",
];

/// Those that have a model.
const MODELLED: [&str; 8] =
    ["fgets", "fread", "read", "getenv", "secure_getenv", "time", "gettimeofday", "clock_gettime"];

/// What the changed program calls.
pub(super) const DECLARATIONS: &str = "char *clinch_fgets(char *, int, void *); __SIZE_TYPE__ clinch_fread(void *, __SIZE_TYPE__, __SIZE_TYPE__, void *);\n\
    long clinch_read(int, void *, __SIZE_TYPE__); char *clinch_getenv(const char *); char *clinch_secure_getenv(const char *); long clinch_time();\n\
    int clinch_gettimeofday(), clinch_clock_gettime(), clinch_getchar(), clinch_getchar_unlocked(), clinch_getc(), clinch_getc_unlocked(), clinch_fgetc();\n\
    int clinch_scanf(const char *, ...), clinch_fscanf(void *, const char *, ...);\n";

/// Whether an input is what such a function returns.
pub(crate) fn is_replaced(kind: &InputKind) -> bool {
    matches!(kind, InputKind::Extern(name) if DIRECT.contains(&name.as_str()) || MODELLED.contains(&name.as_str()))
}

/// The functions, if the program calls some: under names of their own for the changed program, under the library's for the program as it is.
pub(super) fn write(program: &CfaProgram, partner: Partner, out: &mut String) {
    if !program.inputs.iter().any(|site| is_replaced(&site.kind)) {
        return;
    }
    let name = if partner == Partner::Instrumented { "clinch_##f" } else { "f" };
    let _ = write!(out, "#define NAME(f) {name}\n{}", include_str!("environment.c"));
}

/// Calls of such functions that go to those that take their place.
pub(super) fn edits(program: &CfaProgram) -> Vec<Edit> {
    let sites = program.inputs.iter().filter(|site| is_replaced(&site.kind)).map(|site| site.span);
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    // A call may have become one with what its result is assigned to.
    let calls = edges.filter_map(|edge| match edge.op {
        Op::Call { callee, .. } => Some((program.procedure(callee).name.as_str(), edge.span)),
        _ => None,
    });
    let calls = calls.filter(|(name, _)| MODELLED.contains(name));
    let called = calls.flat_map(|(name, span)| calls_in(&program.source.text, span, name));
    let direct = sites.filter_map(|span| {
        let text = program.source.text.get(span.start as usize..span.end as usize)?;
        let word = text.split(|c: char| !is_letter(c)).next()?;
        calls_in(&program.source.text, span, word)
            .into_iter()
            .find(|&at| at == span.start as usize && DIRECT.contains(&word))
    });
    called.chain(direct).map(|at| Edit::insert(at, "clinch_".to_owned())).collect()
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Where a function is called by its name in a part of a text.
fn calls_in(text: &str, span: Span, name: &str) -> Vec<usize> {
    let (start, part) = (span.start as usize, text.get(span.start as usize..span.end as usize).unwrap_or_default());
    let is_call = |at: &usize| {
        let before = text[..start + at].chars().next_back().is_some_and(is_letter);
        !before && part[at + name.len()..].trim_start().starts_with('(')
    };
    part.match_indices(name).map(|(at, _)| at).filter(is_call).map(|at| start + at).collect()
}
