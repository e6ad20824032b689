//! A C file that drives a program to its error: the functions the program leaves open return the inputs that were found.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, InputKind, InputOrigin, InputSite, InputTrace, Op};

use super::contents::{self, Contents};

/// The error is reached.
pub(crate) const REACHED: i32 = 1;
/// The program asked for more inputs than the trace has.
pub(crate) const EXHAUSTED: i32 = 3;

/// What is printed where the error is reached.
pub(crate) const MESSAGE: &str = "clinch: error reached";

/// Which program the harness is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Partner {
    /// The program as it is.
    Original,
    /// What [`instrument`] makes of it.
    Instrumented,
}

/// The harness for a trace of a program.
pub(crate) fn write(program: &CfaProgram, trace: &InputTrace, entry: &str, partner: Partner) -> String {
    let driven = Driven::new(program, partner, entry);
    let mut out = String::new();
    head(program, trace, &mut out);
    inputs(program, trace, &driven, &mut out);
    out.push_str(ERRORS);
    if partner == Partner::Instrumented {
        contents::write(&Contents::read(program, trace), &mut out);
    }
    for (name, ty) in &driven.functions {
        let _ = writeln!(out, "PLAIN {} {name}() {{ return ({0})clinch_next(); }}", returned(ty));
    }
    if driven.starts {
        main_for(program, entry, &mut out);
    }
    out
}

/// What the harness can give values to.
struct Driven {
    /// Functions without body, by name, with the type of their results.
    functions: BTreeMap<String, String>,
    partner: Partner,
    /// Whether the harness calls the entry function.
    starts: bool,
}

impl Driven {
    fn new(program: &CfaProgram, partner: Partner, entry: &str) -> Driven {
        let functions = program.inputs.iter().filter_map(|site| match &site.kind {
            InputKind::Nondet(name) | InputKind::Extern(name) => Some((name.clone(), site.ty.clone())),
            _ => None,
        });
        Driven { functions: functions.collect(), partner, starts: entry != "main" || partner == Partner::Instrumented }
    }

    /// Whether the harness, or the changed program, asks for this input.
    fn drives(&self, program: &CfaProgram, site: &InputSite) -> bool {
        match &site.kind {
            InputKind::Nondet(_) | InputKind::Extern(_) => true,
            InputKind::Environment(_) | InputKind::Parameter(_) => self.starts,
            InputKind::Uninitialised(name) => {
                self.partner == Partner::Instrumented && initialiser_place(program, name, site.span).is_some()
            }
            InputKind::Opaque(_) => false,
        }
    }
}

fn head(program: &CfaProgram, trace: &InputTrace, out: &mut String) {
    let place = program.source.place(trace.span);
    let width = if program.pointer_bits == 32 { " -m32" } else { "" };
    let _ = writeln!(
        out,
        "/* Drives the program to its error: {} at {}:{}.",
        comment(&trace.error),
        comment(&place.file),
        place.line
    );
    let _ = writeln!(
        out,
        "   Compile it together with the program: cc -w -fwrapv -finstrument-functions{width} PROGRAM.c THIS.c"
    );
    let _ =
        writeln!(out, "   Reaching the error is reported on the standard error, and the exit status is {REACHED}. */");
}

/// Text that cannot end a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /")
}

fn inputs(program: &CfaProgram, trace: &InputTrace, driven: &Driven, out: &mut String) {
    let mut rows = String::new();
    let mut count = 0;
    for input in &trace.inputs {
        let InputOrigin::Site(id) = &input.origin else { continue };
        let site = &program.inputs[id.index()];
        if !driven.drives(program, site) {
            continue;
        }
        let place = program.source.place(site.span);
        let from = comment(&origin_text(&site.kind));
        let _ = writeln!(rows, "    {}ull, /* {from}, {}:{} */", input.bits, comment(&place.file), place.line);
        count += 1;
    }
    let _ = write!(
        out,
        "extern void exit(int);\nextern long write(int, const void *, unsigned long);\n\
         static const unsigned long long inputs[] = {{\n{rows}    0\n}};\n\
         static unsigned long position;\n\
         __attribute__((no_instrument_function)) unsigned long long clinch_next(void) {{\n    \
             if (position == {count}) {{ write(2, \"clinch: out of inputs\\n\", 22); exit({EXHAUSTED}); }}\n    \
             return inputs[position++];\n}}\n"
    );
}

/// The functions that are errors or end a run. Weak where the program may have its own; not instrumented, for they are what
/// instrumentation calls.
const ERRORS: &str = r#"#define PLAIN __attribute__((no_instrument_function))
#define WEAK __attribute__((weak, no_instrument_function))
PLAIN void clinch_error(void) { write(2, "clinch: error reached\n", 22); exit(1); }
PLAIN void __assert_fail(const char *a, const char *b, unsigned c, const char *d) { clinch_error(); }
PLAIN void __assert(const char *a, const char *b, int c) { clinch_error(); }
WEAK void reach_error(void) { clinch_error(); }
WEAK void __VERIFIER_error(void) { clinch_error(); }
WEAK void __VERIFIER_assert(int c) { if (!c) clinch_error(); }
WEAK void __VERIFIER_assume(int c) { if (!c) exit(0); }
WEAK void assert(int c) { if (!c) clinch_error(); }
WEAK void assume(int c) { if (!c) exit(0); }
PLAIN void __cyg_profile_func_enter(void *function, void *site) {
    if (function == (void *)reach_error || function == (void *)__VERIFIER_error) clinch_error();
}
PLAIN void __cyg_profile_func_exit(void *function, void *site) { }
"#;

/// A type that is fit to return a value of the given type: its own if it is one of C's, any wide one otherwise, for then
/// the declaration is not at hand; the caller looks at the low bits only.
fn returned(ty: &str) -> &str {
    let basic = ty.split_whitespace().all(|word| {
        matches!(word, "_Bool" | "char" | "short" | "int" | "long" | "signed" | "unsigned" | "float" | "double")
    });
    if basic && !ty.is_empty() { ty } else { "unsigned long" }
}

/// Where an input comes from, for people.
pub(crate) fn origin_text(kind: &InputKind) -> String {
    match kind {
        InputKind::Nondet(name) | InputKind::Extern(name) => format!("{name}()"),
        InputKind::Uninitialised(name) => format!("{name} without initialiser"),
        InputKind::Environment(name) | InputKind::Parameter(name) => name.clone(),
        InputKind::Opaque(what) => what.clone(),
    }
}

/// The name that `main` gets in the changed program: the harness has its own.
const RENAMED_MAIN: &str = "clinch_main";

/// Functions for memory that the changed program takes from the harness.
const RENAMED_LIBRARY: &str = "#define malloc clinch_malloc\n#define calloc clinch_calloc\n#define realloc clinch_realloc\n#define free clinch_free\n#define alloca __builtin_alloca\n";

/// `main`: gives globals and parameters their values and calls the entry function.
fn main_for(program: &CfaProgram, entry: &str, out: &mut String) {
    let entry = if entry == "main" { RENAMED_MAIN } else { entry };
    let (mut globals, mut body, mut args) = (String::new(), String::new(), Vec::new());
    for site in &program.inputs {
        match &site.kind {
            InputKind::Environment(name) => {
                let _ = writeln!(globals, "extern {} {name};", site.ty);
                let _ = writeln!(body, "    {name} = ({})clinch_next();", site.ty);
            }
            // Arguments are evaluated in no fixed order, so each goes through a variable.
            InputKind::Parameter(_) => {
                let _ = writeln!(body, "    {} a{} = ({0})clinch_next();", returned(&site.ty), args.len());
                args.push(format!("a{}", args.len()));
            }
            _ => {}
        }
    }
    let _ = write!(
        out,
        "{globals}extern int {entry}();\nint main(void) {{\n{body}    return {entry}({});\n}}\n",
        args.join(", ")
    );
}

/// The program, changed so that it says when it reaches an error, whatever its own functions do then, and takes the first
/// values of its local variables from the harness, those of arrays and records where the run of the trace reads them.
pub(crate) fn instrument(program: &CfaProgram, trace: &InputTrace, unit_lengths: &[usize]) -> Vec<String> {
    let mut insertions: Vec<(usize, String)> = Vec::new();
    for span in error_spans(program) {
        let (start, end) = (span.start as usize, span.end as usize);
        let text = &program.source.text[start.min(end)..end];
        if text.trim_end().ends_with(')') {
            insertions.push((start, "(clinch_error(), ".to_owned()));
            insertions.push((end, ")".to_owned()));
        } else if let Some(colon) = program.source.text[start..].find(':') {
            insertions.push((start + colon + 1, " clinch_error(); ".to_owned()));
        }
    }
    insertions.extend(first_values(program));
    for (object, span) in Contents::read(program, trace).locals(program) {
        let name = &program.objects[object.index()].name;
        // One more declarator, a pointer whose initialiser fills the one before it, whatever the type they share.
        if let Some(place) = initialiser_place(program, name, span) {
            let filled = format!(", *clinch_filled_{0} = clinch_fill({0}, &{name}, sizeof {name})", object.index());
            insertions.push((place, filled));
        }
    }
    insertions.sort();
    insertions.dedup();
    let mut units = Vec::new();
    let (mut start, mut insertions) = (0, insertions.as_slice());
    for length in unit_lengths {
        let end = (start + length).min(program.source.text.len());
        let count = insertions.partition_point(|(place, _)| *place < end);
        units.push(insert(&program.source.text, start..end, &insertions[..count]));
        insertions = &insertions[count..];
        start = end;
    }
    units
}

/// Insertions that take the first values of local variables from the harness: an initialiser for a scalar; for the parts of an
/// array or a record one more declarator, a pointer whose initialiser assigns them, whatever the type they share.
fn first_values(program: &CfaProgram) -> Vec<(usize, String)> {
    let mut insertions = Vec::new();
    let mut parts: BTreeMap<usize, String> = BTreeMap::new();
    for site in &program.inputs {
        let InputKind::Uninitialised(name) = &site.kind else { continue };
        let Some(place) = initialiser_place(program, name, site.span) else { continue };
        if base(name) == Some(name) {
            insertions.push((place, format!(" = (__typeof__({name}))clinch_next()")));
        } else {
            // The type of the sum is that of the part, and a bit-field has one too.
            let _ = write!(parts.entry(place).or_default(), "{name} = (__typeof__({name} + 0))clinch_next(), ");
        }
    }
    let assigned =
        parts.into_iter().map(|(place, parts)| (place, format!(", *clinch_first_{place} = ({parts}(void *)0)")));
    insertions.extend(assigned);
    insertions
}

/// The variable that a name as `x.list[2].next` is a part of; nothing if C would not read it so.
fn base(name: &str) -> Option<&str> {
    let is_word = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !word.is_empty();
    let (base, path) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
    let is_path = path.split('.').enumerate().all(|(i, step)| {
        let mut indices = step.split('[');
        let member = indices.next().unwrap_or_default();
        (if i == 0 { member.is_empty() } else { is_word(member) })
            && indices.all(|n| n.strip_suffix(']').is_some_and(is_word))
    });
    (is_word(base) && is_path).then_some(base)
}

/// A part of a text with insertions.
fn insert(text: &str, part: std::ops::Range<usize>, insertions: &[(usize, String)]) -> String {
    let mut out = format!("#define main {RENAMED_MAIN}\n{RENAMED_LIBRARY}");
    out.push_str("void clinch_error(void); unsigned long long clinch_next(void);\n");
    out.push_str("void *clinch_fill(unsigned long, void *, unsigned long);\n");
    let mut done = part.start;
    for (place, inserted) in insertions {
        out.push_str(&text[done..*place]);
        out.push_str(inserted);
        done = *place;
    }
    out.push_str(&text[done..part.end]);
    out
}

/// Whether a trace has inputs that no harness is sure to give: contents of memory (those of allocated blocks and of most local
/// variables are given), values that are not modelled.
pub(crate) fn misses_inputs(program: &CfaProgram, trace: &InputTrace) -> bool {
    let driven = Driven::new(program, Partner::Instrumented, "");
    trace.inputs.iter().any(|input| match &input.origin {
        InputOrigin::Site(id) => !driven.drives(program, &program.inputs[id.index()]),
        InputOrigin::Memory(_) => true,
    })
}

fn error_spans(program: &CfaProgram) -> Vec<Span> {
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    let mut spans: Vec<Span> = edges.filter(|e| matches!(e.op, Op::Error(_))).map(|e| e.span).collect();
    spans.sort_by_key(|s| (s.start, s.end));
    spans.dedup();
    spans
}

/// Where an initialiser, or one more declarator, can be written for a variable, or a part of it, that has none: behind its declarator.
fn initialiser_place(program: &CfaProgram, name: &str, declarator: Span) -> Option<usize> {
    let text = program.source.text.as_bytes();
    let (start, end) = (declarator.start as usize, declarator.end as usize);
    let declarator = std::str::from_utf8(text.get(start..end)?).ok()?;
    let base = base(name)?;
    let named = declarator.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == base);
    let end = after_dimensions(text, end)?;
    let next = text[end..].iter().find(|b| !b.is_ascii_whitespace())?;
    (named && matches!(next, b';' | b',')).then_some(end)
}

/// The end of a declarator whose name ends at a place: behind the dimensions of an array.
fn after_dimensions(text: &[u8], mut end: usize) -> Option<usize> {
    loop {
        let next = end + text[end..].iter().position(|b| !b.is_ascii_whitespace())?;
        if text[next] != b'[' {
            return Some(end);
        }
        let mut depth = 0_u32;
        let closing = |b: &u8| {
            depth = match b {
                b'[' => depth + 1,
                b']' => depth - 1,
                _ => depth,
            };
            depth == 0
        };
        end = next + text[next..].iter().position(closing)? + 1;
    }
}
