//! A C file that drives a program to its error: the functions the program leaves open return the inputs that were found.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clinch_ir::Span;
use clinch_ir::cfa::{AllocKind, CfaProgram, InputKind, InputOrigin, InputSite, InputTrace, Op};
use clinch_ir::machine::{InputRequest, InputSource, Limits, Machine, Observer, TracedEdge};

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
        allocator(&unwritten(program, trace), &mut out);
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
                self.partner == Partner::Instrumented && initialiser_place(program, name, site).is_some()
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

/// A part of an allocated block that a run reads and never wrote.
struct Unwritten {
    /// The number of the block, in the order of allocation.
    block: usize,
    offset: u64,
    width: u32,
    bits: u64,
}

/// Sees where blocks are allocated.
struct Allocations<'p> {
    program: &'p CfaProgram,
    starts: Vec<u64>,
}

impl Observer for Allocations<'_> {
    const TRACES: bool = true;

    fn edge(&mut self, traced: &TracedEdge<'_>) {
        let edges = &self.program.procedure(traced.at.procedure).edges;
        let op = traced.at.edge.map(|e| &edges[e.index()].op);
        if matches!(op, Some(Op::Alloc { kind: AllocKind::Heap, .. })) {
            self.starts.extend(traced.changes.iter().map(|change| change.value));
        }
    }

    fn print(&mut self, _: &[u8], _: bool) {}
}

/// What the run of a trace reads of allocated blocks that it never wrote.
fn unwritten(program: &CfaProgram, trace: &InputTrace) -> Vec<Unwritten> {
    let machine = Machine::new(program);
    let (mut values, mut reads) = (trace.inputs.iter(), Vec::new());
    let mut inputs = |request: &InputRequest| {
        let bits = values.next()?.bits;
        if let InputSource::Memory { address, offset, .. } = request.source {
            reads.push((address - offset, offset, request.width, bits));
        }
        Some(bits)
    };
    let mut allocations = Allocations { program, starts: Vec::new() };
    machine.run(&mut machine.initial(), &mut inputs, &mut allocations, &Limits::default());
    let found = reads.into_iter().filter_map(|(start, offset, width, bits)| {
        let block = allocations.starts.iter().position(|s| *s == start)?;
        Some(Unwritten { block, offset, width, bits })
    });
    found.collect()
}

/// Allocation of blocks that hold what the run is to read of them.
fn allocator(unwritten: &[Unwritten], out: &mut String) {
    out.push_str("static const struct { unsigned long block, at; unsigned char byte; } clinch_contents[] = {\n");
    let mut count = 0;
    for part in unwritten {
        for i in 0..part.width.div_ceil(8) {
            let byte = part.bits >> (8 * i) & 0xff;
            let _ = writeln!(out, "    {{{}, {}, {byte}}},", part.block, part.offset + u64::from(i));
            count += 1;
        }
    }
    let _ = writeln!(out, "    {{0, 0, 0}}\n}};\nstatic unsigned long clinch_count = {count};");
    out.push_str(ALLOCATOR);
}

/// Blocks are never used again.
const ALLOCATOR: &str = r#"static unsigned char clinch_arena[1 << 24] __attribute__((aligned(16)));
static unsigned long clinch_used, clinch_blocks;
WEAK void *clinch_malloc(unsigned long size) {
    unsigned char *block = clinch_arena + clinch_used;
    unsigned long i;
    if (size > sizeof clinch_arena - 64 - clinch_used) return 0;
    for (i = 0; i < clinch_count; i++)
        if (clinch_contents[i].block == clinch_blocks && clinch_contents[i].at < size)
            block[clinch_contents[i].at] = clinch_contents[i].byte;
    clinch_blocks++;
    clinch_used = ((clinch_used + size + 15) & ~15ul) + 16;
    return block;
}
WEAK void *clinch_calloc(unsigned long n, unsigned long each) {
    unsigned char *block = clinch_malloc(n * each);
    unsigned long i;
    if (block) for (i = 0; i < n * each; i++) block[i] = 0;
    return block;
}
WEAK void *clinch_realloc(void *old, unsigned long size) {
    unsigned char *block = clinch_malloc(size), *from = old;
    unsigned long i;
    if (block && from) for (i = 0; i < size && from + i < block; i++) block[i] = from[i];
    return block;
}
WEAK void clinch_free(void *block) { }
"#;

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
/// values of its local variables from the harness.
pub(crate) fn instrument(program: &CfaProgram, unit_lengths: &[usize]) -> Vec<String> {
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
    for site in &program.inputs {
        if let InputKind::Uninitialised(name) = &site.kind
            && let Some(place) = initialiser_place(program, name, site)
        {
            insertions.push((place, format!(" = (__typeof__({name}))clinch_next()")));
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

/// A part of a text with insertions.
fn insert(text: &str, part: std::ops::Range<usize>, insertions: &[(usize, String)]) -> String {
    let mut out = format!("#define main {RENAMED_MAIN}\n{RENAMED_LIBRARY}");
    out.push_str("void clinch_error(void); unsigned long long clinch_next(void);\n");
    let mut done = part.start;
    for (place, inserted) in insertions {
        out.push_str(&text[done..*place]);
        out.push_str(inserted);
        done = *place;
    }
    out.push_str(&text[done..part.end]);
    out
}

/// Whether a trace has inputs that no harness is sure to give: contents of memory (those of allocated blocks are given), values
/// that are not modelled.
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

/// Where an initialiser can be written for a variable that has none: behind its declarator.
fn initialiser_place(program: &CfaProgram, name: &str, site: &InputSite) -> Option<usize> {
    let text = program.source.text.as_bytes();
    let (start, end) = (site.span.start as usize, site.span.end as usize);
    let declarator = std::str::from_utf8(text.get(start..end)?).ok()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let named = declarator.split(|c| !is_name(c)).any(|word| word == name);
    let next = text[end..].iter().find(|b| !b.is_ascii_whitespace())?;
    (named && matches!(next, b';' | b',') && name.chars().all(is_name)).then_some(end)
}
