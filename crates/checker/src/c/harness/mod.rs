//! A C file that drives a program to its error: the functions the program leaves open return the inputs that were found.
//! Functions and variables of the C library stay what they are: an execution that replaced them would show nothing.

mod contents;
mod edit;
mod environment;
mod instrument;
mod outside;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use clinch_ir::cfa::{CfaProgram, Check, InputKind, InputOrigin, InputSite, InputTrace, InputValue};

use super::cc::{Ended, Execution};
use contents::Contents;
pub(crate) use environment::is_replaced;
pub(crate) use instrument::{calls_error_by_pointer, instrument};
use outside::Outside;

/// The error is reached.
pub(crate) const REACHED: i32 = 1;
/// The program asked for more inputs than the trace has.
const EXHAUSTED: i32 = 3;

/// The name of its file.
pub(crate) const FILE: &str = "clinch-harness.c";

/// What is printed then.
const EXHAUSTED_MESSAGE: &str = "clinch: out of inputs";

/// What is printed where the error is reached.
pub(crate) const MESSAGE: &str = "clinch: error reached";

/// What a program says that comes to the place where something is undefined.
pub(crate) const PLACE_MESSAGE: &str = "clinch: place reached";

/// Which program the harness is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Partner {
    /// The program as it is.
    Original,
    /// What [`instrument()`] makes of it.
    Instrumented,
    /// The program as it is, with what was written for it, in the file of the harness.
    Included,
}

/// What a harness is written for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) program: &'a CfaProgram,
    pub(crate) trace: &'a InputTrace,
    /// The function a run starts with.
    pub(crate) entry: &'a str,
    /// The names among [`open_names`] that the C library defines.
    pub(crate) library: &'a BTreeSet<String>,
}

/// Functions and variables that the program uses and that may be the C library's.
pub(crate) fn open_names(program: &CfaProgram) -> BTreeSet<String> {
    let names = program.inputs.iter().filter_map(|site| match &site.kind {
        InputKind::Extern(name) => Some(name.as_str()),
        InputKind::Environment(name) => instrument::base(name),
        _ => None,
    });
    names.map(str::to_owned).collect()
}

/// Whether an execution ended because there were no more inputs. Programs may have such a status for reasons of their own.
pub(crate) fn is_exhausted(execution: &Execution) -> bool {
    matches!(execution.ended, Ended::Status(EXHAUSTED)) && execution.stderr.contains(EXHAUSTED_MESSAGE)
}

/// The harness for a trace of a program.
pub(crate) fn write(subject: Subject<'_>, partner: Partner) -> String {
    let mut out = String::new();
    head(subject, partner, &mut out);
    inputs(subject, partner, &mut out);
    out.push_str(ERRORS);
    if partner != Partner::Original {
        contents::write(subject.program, &Contents::read(subject.program, subject.trace), &mut out);
    } else if subject.program.inputs.iter().any(|site| is_replaced(&site.kind)) {
        out.push_str(PLAIN_MEMORY);
    }
    Outside::read(subject.program, subject.trace).write(&mut out);
    environment::write(subject.program, partner, &mut out);
    for (name, ty) in functions(subject) {
        let _ = writeln!(out, "WEAK {} {name}() {{ {} }}", returned(ty), result(ty));
    }
    match partner {
        Partner::Instrumented => main_of_instrumented(subject, &mut out),
        Partner::Original | Partner::Included if subject.entry != "main" => main_of_original(subject, &mut out),
        Partner::Original | Partner::Included => {}
    }
    out
}

/// Functions without body that are not the library's, by name, with the types of their results.
fn functions<'a>(subject: Subject<'a>) -> BTreeMap<&'a str, &'a str> {
    let open = subject.program.inputs.iter().filter_map(|site| match &site.kind {
        InputKind::Nondet(name) | InputKind::Extern(name) => Some((name.as_str(), site.ty.as_str())),
        _ => None,
    });
    let is_ours = |name: &str| name.starts_with("__clinch_");
    open.filter(|(name, _)| !subject.library.contains(*name) && !is_ours(name)).collect()
}

/// The inputs of a trace that an edge takes.
fn sites<'a>(subject: Subject<'a>) -> impl Iterator<Item = (usize, &'a InputSite, &'a InputValue)> {
    subject.trace.inputs.iter().filter_map(move |input| match &input.origin {
        InputOrigin::Site(id) => Some((id.index(), &subject.program.inputs[id.index()], input)),
        InputOrigin::Memory(_) => None,
    })
}

/// Whether the program asks `clinch_next` for this input when it runs. Globals and parameters have their values before.
fn asks(subject: Subject<'_>, partner: Partner, site: &InputSite) -> bool {
    match &site.kind {
        kind if contents::is_allocation(kind) => partner != Partner::Original,
        kind if is_replaced(kind) => true,
        InputKind::Nondet(name) | InputKind::Extern(name) => !subject.library.contains(name),
        InputKind::Uninitialised(name) => {
            partner == Partner::Instrumented
                && instrument::initialiser_place(subject.program, name, site.span).is_some()
        }
        InputKind::Environment(_) | InputKind::Parameter(_) | InputKind::Opaque(_) | InputKind::Lost => false,
    }
}

fn head(subject: Subject<'_>, partner: Partner, out: &mut String) {
    let place = subject.program.source.place(subject.trace.span);
    let is_narrow = subject.program.pointer_bits == 32;
    let width = if is_narrow { " -m32 -msse2 -mfpmath=sse -fexcess-precision=standard" } else { "" };
    let _ = writeln!(
        out,
        "/* Drives the program to its error: {} at {}:{}.",
        comment(&subject.trace.error.text),
        comment(&place.file),
        place.line
    );
    let cc = format!("cc -w -fwrapv -ffp-contract=off -frounding-math -finstrument-functions{width}");
    let _ = match partner {
        Partner::Included => writeln!(
            out,
            "   It includes the program. Compile it twice: {cc} -D{INCLUDES} -c -o program.o THIS.c && {cc} program.o THIS.c"
        ),
        _ => writeln!(out, "   Compile it together with the program: {cc} PROGRAM.c THIS.c"),
    };
    if let Some(count) = argument_count(subject).filter(|&n| n > 1) {
        let texts = Contents::read(subject.program, subject.trace).arguments(count as usize);
        let _ = writeln!(out, "   Run it with {} arguments: {}", count - 1, comment(&texts[1..].join(" ")));
    }
    let _ =
        writeln!(out, "   Reaching the error is reported on the standard error, and the exit status is {REACHED}. */");
}

/// What is defined where the file of a harness is compiled that is to be the program.
const INCLUDES: &str = "CLINCH_PROGRAM";

/// The harness for a program with texts that were written for it, in one file: they need its types, and may name what is static.
pub(crate) fn write_with_program(subject: Subject<'_>, file: &str, added: &str) -> String {
    let mut included = instrument::prologue(subject.program);
    if subject.entry != "main" {
        let _ = writeln!(included, "#define main {RENAMED_MAIN}");
    }
    let file = file.replace('\\', "\\\\").replace('"', "\\\"");
    // The compiler takes a line of the preprocessor for what it says, not for where it stands.
    let added: String = added.lines().filter(|line| !line.starts_with("# ")).map(|line| format!("{line}\n")).collect();
    let harness = write(subject, Partner::Included);
    format!("{harness}#else\n{included}#include \"{file}\"\n{added}#endif\n").replacen(
        "*/\n",
        &format!("*/\n#ifndef {INCLUDES}\n"),
        1,
    )
}

/// Text that cannot end a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /")
}

fn inputs(subject: Subject<'_>, partner: Partner, out: &mut String) {
    let mut rows = String::new();
    let mut count = 0;
    for (_, site, input) in sites(subject).filter(|(_, site, _)| asks(subject, partner, site)) {
        let place = subject.program.source.place(site.span);
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
             if (position == {count}) {{ write(2, \"{EXHAUSTED_MESSAGE}\\n\", 22); exit({EXHAUSTED}); }}\n    \
             return inputs[position++];\n}}\n"
    );
}

/// The functions that are errors or end a run. Weak, for the program may have its own; not instrumented, for they are what
/// instrumentation calls.
const ERRORS: &str = include_str!("errors.c");
/// What is not freed is counted, and what is on the stack no longer does not keep it.
const LEAKS: &str = include_str!("leaks.c");

/// What functions of the environment need, where blocks hold whatever they hold.
const PLAIN_MEMORY: &str = "extern void *malloc(unsigned long);\nstatic void *__clinch_block(unsigned long size) { return malloc(size); }\n\
    static void clinch_store(void *target, unsigned long size, unsigned long long value) {\n    \
        unsigned char *byte = target;\n    for (; size > 0; size--, value >>= 8) *byte++ = (unsigned char)value;\n}\n";

fn is_basic(ty: &str) -> bool {
    let is_word = |word: &str| {
        matches!(word, "_Bool" | "char" | "short" | "int" | "long" | "signed" | "unsigned" | "float" | "double")
    };
    !ty.is_empty() && ty.split_whitespace().all(is_word)
}

fn is_floating(ty: &str) -> bool {
    matches!(ty, "float" | "double" | "long double")
}

/// A type that is fit to return a value of the given type: its own if it is one of C's, any wide one otherwise, for then
/// the declaration is not at hand; the caller looks at the low bits only. Narrow values are returned as an `int`, for a caller
/// that has no declaration reads one.
fn returned(ty: &str) -> &str {
    match ty {
        _ if !is_basic(ty) => "unsigned long",
        _ if ty.split_whitespace().any(|word| matches!(word, "_Bool" | "char" | "short")) => "int",
        _ => ty,
    }
}

/// The value of a type that has these bits; `cast` is what C calls the type there.
fn converted(ty: &str, cast: &str, bits: &str) -> String {
    match is_floating(ty) {
        true => format!("((union {{ unsigned long long bits; {ty} value; }}){{ {bits} }}).value"),
        false => format!("({cast}){bits}"),
    }
}

/// The body of a function that returns the next input.
fn result(ty: &str) -> String {
    match ty {
        _ if is_floating(ty) => format!("return {};", converted(ty, ty, "clinch_next()")),
        _ if is_basic(ty) => format!("return ({ty})clinch_next();"),
        _ => "return (unsigned long)clinch_next();".to_owned(),
    }
}

/// Where an input comes from, for people.
pub fn origin_text(kind: &InputKind) -> String {
    match kind {
        InputKind::Nondet(name) | InputKind::Extern(name) => format!("{name}()"),
        InputKind::Uninitialised(name) => format!("{name} without initialiser"),
        InputKind::Environment(name) | InputKind::Parameter(name) => name.clone(),
        InputKind::Opaque(what) => what.clone(),
        InputKind::Lost => "blocks that are lost".to_owned(),
    }
}

/// The name that `main` gets in the changed program: the harness has its own.
const RENAMED_MAIN: &str = "clinch_main";

/// The most arguments that an execution is given.
const MOST_ARGUMENTS: i64 = 1 << 16;

/// The first parameter of `main` in a trace.
fn argument_count(subject: Subject<'_>) -> Option<i64> {
    let (_, _, input) =
        sites(subject).find(|(_, site, _)| subject.entry == "main" && matches!(site.kind, InputKind::Parameter(_)))?;
    Some(i64::from(input.bits as i32))
}

/// Whether an allocation fails in a trace: the program as it is cannot be made to see that.
pub(crate) fn lacks_memory(subject: Subject<'_>) -> bool {
    sites(subject).any(|(_, site, input)| contents::is_allocation(&site.kind) && input.bits == 0)
}

/// What no execution can give the program, if there is something.
pub(crate) fn impossible_start(subject: Subject<'_>) -> Option<String> {
    let count = argument_count(subject).filter(|n| !(1..=MOST_ARGUMENTS).contains(n))?;
    Some(format!("it would have to start with {count} arguments"))
}

/// `main`: gives globals their values and calls the entry function, with arguments as the system has them if it is `main`.
fn main_of_instrumented(subject: Subject<'_>, out: &mut String) {
    let (mut declared, mut body) = (String::new(), String::new());
    for (index, _, input) in sites(subject).filter(|(_, site, _)| instrument::is_set(subject, site)) {
        let _ = writeln!(declared, "void clinch_global_{index}(unsigned long long);");
        let _ = writeln!(body, "    clinch_global_{index}({}ull);", input.bits);
    }
    let types = parameter_types(subject);
    let (entry, args) = if subject.entry == "main" {
        let count = argument_count(subject).unwrap_or(1);
        if contents::makes_arguments(subject.program) {
            let _ = writeln!(declared, "static char **clinch_arguments;");
            let _ = writeln!(body, "    int i;\n    clinch_arguments = __clinch_block(5 * sizeof(char *));");
            let filled = "clinch_arguments[i] = __clinch_block(16); clinch_arguments[i][15] = 0;";
            let _ =
                writeln!(body, "    for (i = 0; i < {count}; i++) {{ {filled} }}\n    clinch_arguments[{count}] = 0;");
        } else {
            let _ = writeln!(declared, "static char *clinch_arguments[{count} + 1];");
            let _ = writeln!(body, "    int i;\n    for (i = 0; i < {count}; i++) clinch_arguments[i] = \"clinch\";");
        }
        (RENAMED_MAIN, format!("{count}, clinch_arguments, environment"))
    } else {
        (subject.entry, parameters(subject, &mut body))
    };
    let mut call = format!("{entry}({args})");
    if matches!(subject.trace.error.check, Check::Leak | Check::Cleanup) {
        declared.push_str(LEAKS);
        body.push_str("    clinch_watch();\n");
        call = format!("clinch_wipe({call})");
    }
    let _ = write!(
        out,
        "{declared}extern int {entry}({types});\nPLAIN int main(int count, char **arguments, char **environment) {{\n\
         {body}    return {call};\n}}\n"
    );
}

/// The same for the program as it is, where it starts with another function than `main`.
fn main_of_original(subject: Subject<'_>, out: &mut String) {
    let (mut globals, mut body) = (String::new(), String::new());
    for (_, site, input) in sites(subject) {
        let InputKind::Environment(name) = &site.kind else { continue };
        if instrument::base(name) == Some(name) && !subject.library.contains(name) {
            let _ = writeln!(globals, "extern {} {name};", site.ty);
            let value = converted(&site.ty, &site.ty, &format!("{}ull", input.bits));
            let _ = writeln!(body, "    {name} = {value};");
        }
    }
    let args = parameters(subject, &mut body);
    let (entry, types) = (subject.entry, parameter_types(subject));
    let _ = write!(
        out,
        "{globals}extern int {entry}({types});\nint main(void) {{\n{body}    return {entry}({args});\n}}\n"
    );
}

/// The types of the parameters of the entry function, if they are needed: without them a `float` is passed as a `double`.
fn parameter_types(subject: Subject<'_>) -> String {
    let parameters = sites(subject).filter(|(_, site, _)| matches!(site.kind, InputKind::Parameter(_)));
    let types: Vec<&str> = parameters.map(|(_, site, _)| returned(&site.ty)).collect();
    if subject.entry != "main" && types.contains(&"float") { types.join(", ") } else { String::new() }
}

/// Declares variables that hold the parameters of the entry function; the list of them.
fn parameters(subject: Subject<'_>, body: &mut String) -> String {
    let mut names = Vec::new();
    for (_, site, input) in sites(subject).filter(|(_, site, _)| matches!(site.kind, InputKind::Parameter(_))) {
        let name = format!("a{}", names.len());
        let value = converted(&site.ty, returned(&site.ty), &format!("{}ull", input.bits));
        let _ = writeln!(body, "    {} {name} = {value};", returned(&site.ty));
        names.push(name);
    }
    names.join(", ")
}
