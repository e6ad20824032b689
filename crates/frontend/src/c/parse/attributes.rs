//! `__attribute__((...))` and `[[...]]`: what means nothing here is taken away, what is left goes to the checker.
//!
//! Nothing is ignored because it is unknown. An attribute is known to be harmless, with the reason, or the checker implements it
//! ([`fate`]), or whatever it is attached to is unsupported where a program uses it ([`UNKNOWN`]).

use super::pragma::is_about_speed;
use super::rewriter::{ASSEMBLY, Rewriter, UNKNOWN};

/// Whether the functions that a section names, or its code, are called before `main` or after it.
fn runs(section: &str) -> bool {
    let name = section.trim_matches('"');
    let lists = [".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"];
    lists.iter().any(|list| name.starts_with(list)) || matches!(name, ".init" | ".fini")
}

/// What becomes of an attribute.
enum Fate {
    Dropped,
    Kept,
    Unknown,
}

/// What becomes of an attribute: the checker reads it; or it does not change what a program computes as long as its behaviour is
/// defined, by the reason given; or it is not known.
#[allow(clippy::match_same_arms, reason = "each has its own reason")]
fn fate(name: &str) -> Fate {
    match name {
        "alias" | "aligned" | "cleanup" | "constructor" | "destructor" | "mode" | "packed" | "transparent_union"
        | "vector_size" | "weak" => Fate::Kept,
        // For warnings and errors of the compiler only.
        "access" | "assume_aligned" | "counted_by" | "deprecated" | "designated_init" | "diagnose_if" | "error"
        | "fallthrough" | "fd_arg" | "fd_arg_read" | "fd_arg_write" | "format" | "format_arg" | "maybe_unused"
        | "nodiscard" | "nonstring" | "sentinel" | "tainted_args" | "unavailable" | "unused" | "warn_unused_result"
        | "warning" => Fate::Dropped,
        "null_terminated_string_arg" | "warn_if_not_aligned" => Fate::Dropped,
        // A promise to the optimiser: behaviour is undefined where it is broken, and unchanged where it is kept.
        "alloc_align" | "alloc_size" | "cold" | "const" | "expected_throw" | "hot" | "leaf" | "likely" | "malloc"
        | "may_alias" | "nonnull" | "nonnull_if_nonzero" | "noreturn" | "nothrow" | "pure" | "reproducible"
        | "returns_nonnull" | "unlikely" | "unsequenced" => Fate::Dropped,
        // A mark for the tools of the Linux driver verification project, which no compiler knows.
        "ldv_model" | "ldv_model_inline" => Fate::Dropped,
        // How code is generated or inlined, with the same results.
        "always_inline" | "artificial" | "flatten" | "gnu_inline" | "noclone" | "noinline" | "noipa" | "no_icf"
        | "optimize" | "simd" | "target" | "target_clones" => Fate::Dropped,
        // Instrumentation that prints or stops, and never changes a value.
        "no_sanitize" | "no_sanitize_memory" | "no_sanitize_thread" | "no_split_stack" | "no_stack_limit"
        | "no_stack_protector" | "nocf_check" | "stack_protect" => Fate::Dropped,
        "disable_sanitizer_instrumentation" | "no_address_safety_analysis" | "no_instrument_function" => Fate::Dropped,
        "no_profile_instrument_function" | "no_sanitize_address" | "no_sanitize_coverage" => Fate::Dropped,
        "no_sanitize_undefined" | "patchable_function_entry" | "zero_call_used_regs" => Fate::Dropped,
        // A calling convention: both sides of a call see the same type.
        "cdecl" | "fastcall" | "ms_abi" | "noplt" | "regparm" | "sseregparm" | "stdcall" | "sysv_abi" | "thiscall"
        | "vectorcall" => Fate::Dropped,
        "force_align_arg_pointer" | "no_callee_saved_registers" | "no_caller_saved_registers" => Fate::Dropped,
        "nodirect_extern_access" => Fate::Dropped,
        // Where the linker puts or shows a thing that has the same contents everywhere.
        "common" | "dllexport" | "dllimport" | "externally_visible" | "no_reorder" | "nocommon" | "retain"
        | "section" | "symver" | "tls_model" | "type_visibility" | "used" | "visibility" => Fate::Dropped,
        // The layout that gcc chooses anyway.
        "gcc_struct" | "strict_flex_array" => Fate::Dropped,
        // What a variable holds that nobody initialised is an input in any case.
        "uninitialized" => Fate::Dropped,
        _ => Fate::Unknown,
    }
}

/// An attribute of a list: its name without underscores, and its tokens.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    from: usize,
    to: usize,
}

impl<'a> Rewriter<'a> {
    /// The attribute list at `i`: its last token.
    pub(super) fn end_of_attribute(&self, i: usize) -> Option<usize> {
        let named = matches!(self.get(i), "__attribute__" | "__attribute") && self.get(i + 1) == "(";
        if named || self.is_bracketed_attribute(i) { self.close(if named { i + 1 } else { i }) } else { None }
    }

    /// `[[` stands nowhere else in C.
    fn is_bracketed_attribute(&self, i: usize) -> bool {
        self.get(i) == "[" && self.get(i + 1) == "[" && self.close(i + 1).is_some()
    }

    /// Whether the list is in brackets and stands where those speak of the type before them, and gcc makes less of it: between
    /// a type and a name (`int [[...]] x`), after a `*`, or after the brackets of an array or a function.
    fn is_about_type(&self, i: usize, end: usize) -> bool {
        let Some(before) = self.previous(i).filter(|_| self.is_bracketed_attribute(i)) else { return false };
        let follows = self.skip_attributes(end + 1);
        let starts_declarator = follows.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '*' | '('));
        match self.get(before) {
            ")" | "]" | "*" => true,
            "extern" | "static" | "typedef" | "inline" | "return" | "else" | "do" => false,
            _ => self.is_word(before) && starts_declarator,
        }
    }

    /// The attributes of the list at `i`.
    pub(super) fn entries(&self, i: usize) -> Vec<Entry<'a>> {
        let inner = if self.is_bracketed_attribute(i) { i + 1 } else { i + 2 };
        let Some(close) = self.close(inner) else { return Vec::new() };
        let mut entries = Vec::new();
        let mut from = inner + 1;
        for end in self.commas(inner, close).into_iter().chain([close]) {
            // `gnu::packed`
            while self.get(from + 1) == ":" && self.get(from + 2) == ":" {
                from += 3;
            }
            if from < end {
                entries.push(Entry { name: self.get(from).trim_matches('_'), from, to: end - 1 });
            }
            from = end + 1;
        }
        entries
    }

    /// The text between the brackets behind the name of an attribute; empty if there are none.
    pub(super) fn argument_text(&self, entry: &Entry<'_>) -> &'a str {
        let Some(close) = self.close(entry.from + 1).filter(|_| self.get(entry.from + 1) == "(") else { return "" };
        self.text[self.tokens[entry.from + 1].range.end..self.tokens[close].range.start].trim()
    }

    /// Leaves of the list at `i` what the checker reads.
    pub(super) fn attribute(&mut self, i: usize) {
        let Some(end) = self.end_of_attribute(i) else { return };
        let mut kept = Vec::new();
        let of_type = self.is_about_type(i, end);
        for entry in self.entries(i) {
            let argument = self.argument_text(&entry);
            let unclear = match entry.name {
                "section" => runs(argument),
                "optimize" => !is_about_speed(argument),
                _ => false,
            };
            if unclear {
                self.deny_at_start();
            }
            match fate(entry.name) {
                Fate::Dropped => {}
                Fate::Kept if of_type => kept.push(format!("{UNKNOWN}{}", entry.name)),
                Fate::Kept => {
                    let argument = self.argument_text(&entry);
                    let brackets = if entry.to > entry.from { format!("({argument})") } else { String::new() };
                    kept.push(format!("{}{brackets}", entry.name));
                }
                Fate::Unknown => kept.push(format!("{UNKNOWN}{}", entry.name)),
            }
        }
        if kept.is_empty() {
            return self.remove(i, end, "");
        }
        let before = self.previous(i).map_or("", |j| self.get(j));
        let is_statement = matches!(before, ";" | "{" | "}" | ":") && self.get(end + 1) == ";" && self.in_function();
        match is_statement {
            true => self.remove(i, end, ASSEMBLY),
            false => self.remove(i, end, &format!("__attribute__(({})) ", kept.join(", "))),
        }
    }

    /// Takes the attribute lists at `i` away, for lang-c has no place for them there, and hands their entries over; the
    /// next token.
    pub(super) fn take_attributes(&mut self, mut i: usize, mut take: impl FnMut(&str, &str)) -> usize {
        let is_late = self.previous(i).is_some_and(|j| self.get(j) == "}");
        while let Some(end) = self.end_of_attribute(i) {
            for entry in self.entries(i) {
                match fate(entry.name) {
                    Fate::Dropped => {}
                    // After the members, gcc does not apply them to the type any more.
                    Fate::Kept if is_late && self.is_bracketed_attribute(i) => take(UNKNOWN, entry.name),
                    Fate::Kept => take(entry.name, self.argument_text(&entry)),
                    Fate::Unknown => take(UNKNOWN, entry.name),
                }
            }
            self.remove(i, end, "");
            i = end + 1;
        }
        i
    }
}
