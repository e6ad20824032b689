//! The program as it is executed: a copy that says when it reaches an error, and takes from the harness what it does not
//! set itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, Check, InputKind, InputSite, InputTrace, Op};

use super::contents::{self, Contents};
use super::edit::{Edit, changed};
use super::{RENAMED_MAIN, Subject, converted, environment};

/// Functions for memory that the changed program takes from the harness, which calls the library's.
const RENAMED_LIBRARY: &str = "#define malloc clinch_malloc\n#define __builtin_malloc clinch_builtin_malloc\n#define calloc clinch_calloc\n#define realloc clinch_realloc\n#define alloca __builtin_alloca\n";

/// What the changed program calls.
const DECLARATIONS: &str = "void clinch_error(void); void clinch_place(void); int clinch_reach(); unsigned long long clinch_next(void);\n\
                            void *clinch_fill(unsigned long, void *, unsigned long);\n\
                            void clinch_store(void *, unsigned long, unsigned long long);\n\
                            void *clinch_builtin_malloc(__SIZE_TYPE__);\n";

/// Functions whose call is the error.
const ERROR_FUNCTIONS: [&str; 5] = ["reach_error", "__VERIFIER_error", "__assert_fail", "__assert_rtn", "__assert"];

/// The program, changed so that it says when it reaches an error, whatever its own functions do then, and takes the first
/// values of its local variables from the harness, those of arrays and records where the run of the trace reads them.
pub(crate) fn instrument(subject: Subject<'_>, unit_lengths: &[usize]) -> Vec<String> {
    let program = subject.program;
    let mut edits: Vec<Edit> = error_spans(program).into_iter().filter_map(|span| error_edit(program, span)).collect();
    edits.extend(first_values(program));
    edits.extend(environment::edits(program));
    edits.extend(place_edits(subject.trace));
    for (object, span) in Contents::read(program, subject.trace).locals(program) {
        let name = &program.objects[object.index()].name;
        // One more declarator, a pointer whose initialiser fills the one before it, whatever the type they share.
        if let Some(place) = initialiser_place(program, name, span) {
            let filled = format!(", *clinch_filled_{0} = clinch_fill({0}, &{name}, sizeof {name})", object.index());
            edits.push(Edit::insert(place, filled));
        }
    }
    edits.sort();
    edits.dedup();
    let prologue = prologue(program);
    let mut units = Vec::new();
    let (mut start, mut edits) = (0, edits.as_slice());
    for length in unit_lengths {
        let end = (start + length).min(program.source.text.len());
        let count = edits.partition_point(|edit| edit.start < end);
        let file = program.source.place(Span { start: start as u32, end: start as u32 }).file;
        let file = file.replace('\\', "\\\\").replace('"', "\\\"");
        let mut unit = format!("#define main {RENAMED_MAIN}\n{prologue}# 1 \"{file}\"\n");
        unit.push_str(&changed(&program.source.text, start..end, &edits[..count]));
        unit.push_str(&setters(subject, start..end));
        units.push(unit);
        edits = &edits[count..];
        start = end;
    }
    units
}

/// What stands before each unit.
pub(super) fn prologue(program: &CfaProgram) -> String {
    let allocators = contents::allocators(program).map(|(name, wrapper, _)| format!("#define {name} {wrapper}\n"));
    let allocators: String = allocators.collect();
    let free = contents::replaced_free(program);
    format!("{RENAMED_LIBRARY}{free}{allocators}{DECLARATIONS}{}", environment::DECLARATIONS)
}

/// What a call that is an error, or a label, is replaced by. A call through a pointer stays: whether it is one of an error function
/// shows when that is entered. So does an assertion: the harness has a function for it.
fn error_edit(program: &CfaProgram, span: Span) -> Option<Edit> {
    let start = span.start as usize;
    let text = &program.source.text[start..];
    if let Some(name) = error_function(text) {
        return Some(Edit { start, end: start + name.len(), text: "clinch_reach".to_owned() });
    }
    let behind = text.strip_prefix("ERROR")?.trim_start().strip_prefix(':')?;
    Some(Edit::insert(start + text.len() - behind.len(), " clinch_error(); ".to_owned()))
}

/// The error function that a text calls first.
fn error_function(text: &str) -> Option<&'static str> {
    let word = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    let called = text[word.len()..].trim_start().starts_with('(');
    ERROR_FUNCTIONS.into_iter().find(|name| called && *name == word)
}

/// Whether an error may be a call through a pointer.
pub(crate) fn calls_error_by_pointer(program: &CfaProgram) -> bool {
    error_spans(program).into_iter().any(|span| error_edit(program, span).is_none())
}

fn error_spans(program: &CfaProgram) -> Vec<Span> {
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    let named = |op: &Op| matches!(op, Op::Error(failure) if failure.check == Check::Assertion);
    let mut spans: Vec<Span> = edges.filter(|e| named(&e.op)).map(|e| e.span).collect();
    spans.sort_by_key(|s| (s.start, s.end));
    spans.dedup();
    spans
}

/// Says that the place is reached where an expression is undefined.
fn place_edits(trace: &InputTrace) -> Vec<Edit> {
    // What is assigned to must stay as it is.
    let as_it_is = matches!(trace.error.check, Check::Assertion | Check::Member);
    if as_it_is || trace.error.check.is_about_objects() {
        return Vec::new();
    }
    let (start, end) = (trace.span.start as usize, trace.span.end as usize);
    vec![Edit::insert(start, "(clinch_place(), ".to_owned()), Edit::insert(end, ")".to_owned())]
}

/// Insertions that take the first values of local variables from the harness: an initialiser for a scalar; for the parts of an
/// array or a record one more declarator, a pointer whose initialiser assigns them, whatever the type they share.
fn first_values(program: &CfaProgram) -> Vec<Edit> {
    let mut insertions = Vec::new();
    let mut parts: BTreeMap<usize, String> = BTreeMap::new();
    for site in &program.inputs {
        let InputKind::Uninitialised(name) = &site.kind else { continue };
        let Some(place) = initialiser_place(program, name, site.span) else { continue };
        if base(name) == Some(name) {
            let value = converted(&site.ty, &format!("__typeof__({name})"), "clinch_next()");
            insertions.push(Edit::insert(place, format!(" = {value}")));
        } else {
            // The type of the sum is that of the part, and a bit-field has one too.
            let value = converted(&site.ty, &format!("__typeof__({name} + 0)"), "clinch_next()");
            let _ = write!(parts.entry(place).or_default(), "{name} = {value}, ");
        }
    }
    let assigned = parts
        .into_iter()
        .map(|(place, parts)| Edit::insert(place, format!(", *clinch_first_{place} = ({parts}(void *)0)")));
    insertions.extend(assigned);
    insertions
}

/// Functions at the end of a unit, where its types and static variables are known, that give its global variables their values. A
/// variable that no unit defines is defined here, unless it is the library's.
fn setters(subject: Subject<'_>, unit: Range<usize>) -> String {
    let (mut out, mut defined) = (String::new(), BTreeSet::new());
    for (index, site) in subject.program.inputs.iter().enumerate() {
        let InputKind::Environment(name) = &site.kind else { continue };
        let (true, true, Some(base)) = (unit.contains(&(site.span.start as usize)), is_set(subject, site), base(name))
        else {
            continue;
        };
        if is_declared_extern(&subject.program.source.text, site.span) && defined.insert(base) {
            // By its name for the linker: in C it may be constant.
            let storage = format!("unsigned char clinch_storage_{base}[sizeof {base}] __asm__(\"{base}\")");
            let _ = writeln!(out, "{storage} __attribute__((weak, aligned(16)));");
        }
        let set = if base == name {
            format!("clinch_store((void *)&{name}, sizeof {name}, value)")
        } else {
            format!("{name} = {}", converted(&site.ty, &format!("__typeof__({name} + 0)"), "value"))
        };
        let _ = writeln!(out, "void clinch_global_{index}(unsigned long long value) {{ {set}; }}");
    }
    out
}

/// Whether an input is the first value of a global variable, or of a part of one, that the changed program sets at its start: not one
/// of the library, no array, no static variable of a function.
pub(super) fn is_set(subject: Subject<'_>, site: &InputSite) -> bool {
    let InputKind::Environment(name) = &site.kind else { return false };
    let Some(base) = base(name) else { return false };
    let aggregate =
        base == name && (site.ty.contains('[') || site.ty.starts_with("struct ") || site.ty.starts_with("union "));
    !aggregate && !subject.library.contains(base) && is_at_file_scope(&subject.program.source.text, site.span)
}

/// Whether as many braces are closed as are opened before a place.
fn is_at_file_scope(text: &str, span: Span) -> bool {
    let (mut depth, mut quote, mut escaped) = (0_i64, None, false);
    for byte in text.bytes().take(span.start as usize) {
        match (quote, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{') => depth += 1,
            (None, b'}') => depth -= 1,
            (None, _) => {}
        }
    }
    depth == 0
}

/// Whether the declaration that a declarator stands in begins with `extern`.
fn is_declared_extern(text: &str, declarator: Span) -> bool {
    let before = &text[..declarator.start as usize];
    let declaration = &before[before.rfind([';', '}']).map_or(0, |end| end + 1)..];
    declaration.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == "extern")
}

/// The variable that a name as `x.list[2].next` is a part of; nothing if C would not read it so.
pub(super) fn base(name: &str) -> Option<&str> {
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

/// Where an initialiser, or one more declarator, can be written for a variable, or a part of it, that has none: behind its declarator.
pub(super) fn initialiser_place(program: &CfaProgram, name: &str, declarator: Span) -> Option<usize> {
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
