//! Calls of a single function, with arguments that nobody wrote: numbers are any, pointers are null, or lead to fresh objects, to globals,
//! or to what an argument before leads to.
//!
//! The call is written in C, behind the text of the unit that defines the function, so that front end, engines and compilers read one
//! text. `int find(const struct node *list, int key)` is called by
//!
//! ```c
//! void clinch_calls_find(struct node *list, int key) {
//!   list = 0;
//!   if (__VERIFIER_nondet_choice()) {
//!     list = __clinch_block(sizeof *list);
//!     list->next = 0;
//!     ...
//!   }
//!   find(list, key);
//! }
//! void clinch_starts_find(void) { clinch_calls_find(0, __VERIFIER_nondet_any_key()); }
//! ```
//!
//! What a block holds that was never written is any value. Two functions, because the types of parameters cannot be said in other words
//! than the program's own, and those are good for parameters only.

use std::fmt::Write as _;
use std::ops::Range;

use clinch_ir::cfa::SourceMap;

use super::hir::{Function, Hir, Storage, Variable, VariableId};
use super::models::PREFIX;
use super::types::{Rank, RecordId, Type, TypeId, Types};
use super::{CError, CheckOptions, Unit, check, source};
use crate::ReadError;

/// What the names of functions start with that call others with fresh objects.
pub(super) const CALLER: &str = "clinch_calls_";

/// How large the objects are that a function is called with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// How many pointers in a row lead to objects; those behind are null.
    pub depth: u32,
    /// The most elements of an array.
    pub length: u32,
}

impl Default for Extent {
    fn default() -> Self {
        Extent { depth: 2, length: 8 }
    }
}

/// What calls a function with fresh arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The function that a run starts with.
    pub name: String,
    /// The unit that the text belongs to.
    pub unit: usize,
    /// The text.
    pub text: String,
    /// What it does not try, one sentence each.
    pub assumptions: Vec<String>,
}

/// How the names of the files of what is written for a program begin in the source map. As models they check nothing that is theirs.
pub const CALLER_FILES: &str = "<clinch:call of ";

/// The most pointers that one call sets: records that point to each other have many.
const MOST_POINTERS: u32 = 300;
/// The most objects, beside a fresh one, that an argument may lead to.
const MOST_ALIASES: usize = 12;

/// The caller of a function that takes pointers. `None`: it takes none, or there is no such function, and a run may start with it.
pub fn caller(
    units: &[Unit],
    options: &CheckOptions,
    function: &str,
    extent: Extent,
) -> Result<Option<Caller>, ReadError> {
    let bad = |error: CError| ReadError::Bad(error.diagnostics());
    let (hir, map) = check(units, options).map_err(bad)?;
    let (_, bases) = source::source_map(units).map_err(bad)?;
    let Some(function) = hir.functions.iter().find(|f| f.name == function && is_own(f, &map)) else { return Ok(None) };
    if !function.parameters.iter().any(|&p| holds_pointers(&hir.types, hir.variables[p.0 as usize].ty)) {
        return Ok(None);
    }
    let unit = bases.iter().rposition(|&base| base <= function.span.start).unwrap_or(0);
    let definition = &map.text[function.span.start as usize..];
    let Some(parameters) = parameter_list(definition, &hir, function) else { return Ok(None) };
    let own = bases[unit]..bases.get(unit + 1).copied().unwrap_or(u32::MAX);
    let mut writer = Writer {
        types: &hir.types,
        extent,
        out: String::new(),
        pointers: 0,
        objects: known_globals(&hir, &own, function),
        assumptions: Vec::new(),
    };
    let (name, text) = writer.caller(&hir, function, &parameters);
    Ok(Some(Caller { name, unit, text, assumptions: writer.assumptions }))
}

/// The functions that other units could call, by name.
pub fn callable(units: &[Unit], options: &CheckOptions) -> Result<Vec<String>, ReadError> {
    let (hir, map) = check(units, options).map_err(|error| ReadError::Bad(error.diagnostics()))?;
    let mut functions: Vec<&Function> = hir.functions.iter().filter(|f| is_own(f, &map) && f.exported).collect();
    functions.sort_by_key(|f| f.span.start);
    Ok(functions.into_iter().map(|f| f.name.clone()).collect())
}

/// Whether the program itself defines a function, and not a header of the system.
pub(super) fn is_own(function: &Function, map: &SourceMap) -> bool {
    function.body.is_some() && !function.is_model && !map.is_system(function.span)
}

/// The parameters of a definition, from its name on, as they are written: types without names have no other words, and in the old style
/// none. What is constant for the function is not for who makes it.
fn parameter_list(definition: &str, hir: &Hir, function: &Function) -> Option<String> {
    let variable = |p: &VariableId| &hir.variables[p.0 as usize];
    let written = definition.find('(').and_then(|start| {
        let mut depth = 0;
        let end = definition[start..].char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            (depth == 0).then_some(start + at)
        })?;
        Some(&definition[start + 1..end])
    });
    let names = || function.parameters.iter().map(|p| variable(p).name.as_str());
    let is_old_style = |list: &str| list.split(',').map(str::trim).eq(names());
    match written.filter(|list| !is_old_style(list)) {
        Some(list) => Some(without_const(list)),
        None => {
            let declared = function.parameters.iter().map(variable).map(|v| hir.types.declared(v.ty, &v.name));
            Some(declared.collect::<Vec<_>>().join(", ")).filter(|list| !list.contains('<'))
        }
    }
}

pub(super) fn without_const(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while let Some(start) = rest.find(is_letter) {
        let length = rest[start..].find(|c| !is_letter(c)).unwrap_or(rest.len() - start);
        let (word, behind) = (&rest[start..start + length], &rest[start + length..]);
        result.push_str(&rest[..start]);
        if !matches!(word, "const" | "__const" | "__const__") {
            result.push_str(word);
        }
        rest = behind;
    }
    result + rest
}

/// The globals of a unit that somebody else may know, and that parameters do not hide.
fn known_globals(hir: &Hir, unit: &Range<u32>, function: &Function) -> Vec<(String, TypeId)> {
    let is_hidden = |name: &str| function.parameters.iter().any(|p| hir.variables[p.0 as usize].name == name);
    // Functions may hand out the address of what is static. What has no name has blanks in the one that it gets.
    let is_handed_out = |v: &Variable| v.address_taken && v.at_file_scope && !v.name.contains(' ');
    let is_known = |v: &&Variable| {
        let is_own = !is_hidden(&v.name) && !v.name.starts_with(PREFIX);
        v.storage == Storage::Static && (v.exported || is_handed_out(v)) && is_own
    };
    let own = hir.variables.iter().filter(|v| unit.contains(&v.span.start)).filter(is_known);
    own.map(|v| (v.name.clone(), v.ty)).collect()
}

/// Whether values of a type are or have pointers.
pub(super) fn holds_pointers(types: &Types, ty: TypeId) -> bool {
    match *types.get(ty) {
        Type::Pointer(_) => true,
        Type::Array(element, Some(_)) => holds_pointers(types, element),
        Type::Record(record) => types.record(record).fields.iter().any(|field| holds_pointers(types, field.ty)),
        _ => false,
    }
}

struct Writer<'a> {
    types: &'a Types,
    extent: Extent,
    out: String,
    /// How many pointers were set.
    pointers: u32,
    /// The objects that an argument may lead to beside fresh ones.
    objects: Vec<(String, TypeId)>,
    assumptions: Vec<String>,
}

impl Writer<'_> {
    /// The function that a run starts with, and its text.
    fn caller(&mut self, hir: &Hir, function: &Function, parameters: &str) -> (String, String) {
        let (name, caller) = (&function.name, format!("{CALLER}{}", function.name));
        let variables: Vec<_> = function.parameters.iter().map(|p| &hir.variables[p.0 as usize]).collect();
        for variable in &variables {
            self.fill(&variable.name, variable.ty, self.extent.depth);
            self.alias(&variable.name, variable.ty);
        }
        let arguments: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
        let (body, arguments) = (std::mem::take(&mut self.out), arguments.join(", "));
        // The name of the file makes it nobody's mistake what happens here.
        let text = format!(
            "\n# 1 \"{CALLER_FILES}{name}>\"\n\
             extern _Bool __VERIFIER_nondet_choice(void);\nextern unsigned char __VERIFIER_nondet_count(void);\nextern void *__clinch_block();\n\
             void {caller}({parameters}) {{\n{body}  (void){name}({arguments});\n}}\n"
        );
        match variables.iter().map(|v| self.start(v)).collect::<Option<Vec<(String, String)>>>() {
            Some(values) => {
                let (declared, values): (Vec<String>, Vec<String>) = values.into_iter().unzip();
                let (declared, values, start) = (declared.concat(), values.join(", "), format!("clinch_starts_{name}"));
                let start_text = format!("{declared}void {start}(void) {{ {caller}({values}); }}\n");
                (start, text + &start_text)
            }
            None => (caller, text),
        }
    }

    /// What a parameter has at first, with the declaration of who says so: pointers are set later. `None`: only a run can tell.
    fn start(&self, variable: &Variable) -> Option<(String, String)> {
        match self.types.get(variable.ty) {
            Type::Pointer(_) => Some((String::new(), "0".to_owned())),
            Type::Bool | Type::Int { .. } | Type::Float(32 | 64) => {
                let function = format!("__VERIFIER_nondet_any_{}", variable.name);
                Some((format!("extern {} {function}(void);\n", self.types.name(variable.ty)), format!("{function}()")))
            }
            _ => None,
        }
    }

    fn assume(&mut self, sentence: String) {
        if !self.assumptions.contains(&sentence) {
            self.assumptions.push(sentence);
        }
    }

    /// Sets the pointers of a place: so many in a row lead to objects. What is no pointer has any value already.
    fn fill(&mut self, place: &str, ty: TypeId, depth: u32) {
        match *self.types.get(ty) {
            Type::Pointer(to) => self.pointer(place, to, depth),
            Type::Array(element, Some(length)) if holds_pointers(self.types, element) => {
                self.each(place, &length.to_string(), element, depth);
            }
            Type::Record(record) => self.record(place, record, depth),
            _ => {}
        }
    }

    /// The members of a record. Those of a union share their bytes: the first one with pointers has them.
    fn record(&mut self, place: &str, record: RecordId, depth: u32) {
        let record = self.types.record(record);
        let with_pointers = record.fields.iter().filter(|field| holds_pointers(self.types, field.ty));
        for field in with_pointers.take(if record.is_union { 1 } else { usize::MAX }) {
            let member = if field.name.is_empty() { place.to_owned() } else { format!("{place}.{}", field.name) };
            self.fill(&member, field.ty, depth);
        }
    }

    /// All elements of an array.
    fn each(&mut self, place: &str, length: &str, element: TypeId, depth: u32) {
        self.pointers += 1;
        let index = format!("clinch_index_{}", self.pointers);
        let _ = writeln!(self.out, "  for (unsigned long {index} = 0; {index} < {length}; {index}++) {{");
        self.fill(&format!("{place}[{index}]"), element, depth);
        self.out.push_str("  }\n");
    }

    /// Null, or a fresh object.
    fn pointer(&mut self, place: &str, to: TypeId, depth: u32) {
        self.pointers += 1;
        let number = self.pointers;
        let _ = writeln!(self.out, "  {place} = 0;");
        if depth == 0 {
            return self.assume(format!(
                "pointers inside of objects lead to objects of their own, and are null behind {} others (--depth)",
                self.extent.depth
            ));
        }
        if number >= MOST_POINTERS {
            return self.assume(format!("all pointers but {MOST_POINTERS} are null"));
        }
        let is_void = *self.types.get(to) == Type::Void;
        if let Type::Function { .. } = self.types.get(to) {
            let _ = writeln!(self.out, "  extern __typeof__(*{place}) clinch_function_{number};");
            let _ = writeln!(self.out, "  if (__VERIFIER_nondet_choice()) {place} = clinch_function_{number};");
            return self.assume("functions that are passed return any value, and change nothing".to_owned());
        }
        if !is_void && self.types.size(to).is_none() {
            return self.assume(format!("pointers to `{}`, which has no members here, are null", self.types.name(to)));
        }
        self.assume(format!("pointers are null, or lead to objects of their own, arrays of at most {} elements (--length), to those of other arguments or to globals", self.extent.length));
        self.out.push_str("  if (__VERIFIER_nondet_choice()) {\n");
        self.object(place, to, number, depth);
        self.out.push_str("  }\n");
    }

    /// An argument may lead to an object that is there already, or to a part of it.
    fn alias(&mut self, place: &str, ty: TypeId) {
        let Type::Pointer(to) = *self.types.get(ty) else { return };
        let mut parts = Vec::new();
        self.objects.iter().for_each(|(object, of)| self.parts(object, *of, to, &mut parts));
        for part in parts.iter().take(MOST_ALIASES) {
            // What is behind a null pointer is no object.
            let exists = part.split_once("[0]").filter(|(pointer, _)| self.is_argument(pointer));
            let exists = exists.map_or(String::new(), |(pointer, _)| format!("{pointer} && "));
            let _ = writeln!(self.out, "  if ({exists}__VERIFIER_nondet_choice()) {place} = (void *)&{part};");
        }
        if parts.len() > MOST_ALIASES {
            self.assume(format!("`{place}` leads to at most {MOST_ALIASES} objects that others know"));
        }
        if self.types.size(to).is_some() {
            self.objects.push((format!("{place}[0]"), to));
        }
    }

    fn is_argument(&self, name: &str) -> bool {
        self.objects.iter().any(|(object, _)| object.strip_suffix("[0]") == Some(name))
    }

    /// The parts of an object that a pointer to a type may lead to. One to characters may lead to anything.
    fn parts(&self, object: &str, of: TypeId, to: TypeId, parts: &mut Vec<String>) {
        let (of_type, to_type) = (self.types.get(of), self.types.get(to));
        let is_alike = match (of_type, to_type) {
            (Type::Int { rank: one, .. }, Type::Int { rank: other, .. }) => one == other,
            _ => of == to,
        };
        let is_anything = matches!(to_type, Type::Void | Type::Int { rank: Rank::Char | Rank::SignedChar, .. });
        if is_alike || is_anything {
            parts.push(object.to_owned());
        }
        match of_type {
            Type::Array(element, Some(1..)) if !is_anything => self.parts(&format!("{object}[0]"), *element, to, parts),
            Type::Record(record) => {
                let named = self.types.record(*record).fields.iter().filter(|field| field.bits.is_none());
                for field in named {
                    let member =
                        if field.name.is_empty() { object.to_owned() } else { format!("{object}.{}", field.name) };
                    self.parts(&member, field.ty, to, parts);
                }
            }
            _ => {}
        }
    }

    /// A fresh object of a type: an array, if it may be one, and a string, if that is what it looks like.
    fn object(&mut self, place: &str, to: TypeId, number: u32, depth: u32) {
        let size = if *self.types.get(to) == Type::Void { "1".to_owned() } else { format!("sizeof *{place}") };
        if matches!(self.types.get(to), Type::Record(_) | Type::Array(..)) {
            let _ = writeln!(self.out, "  {place} = __clinch_block({size});");
            return self.fill(&format!("{place}[0]"), to, depth - 1);
        }
        let (count, length) = (format!("clinch_count_{number}"), self.extent.length);
        let _ = writeln!(self.out, "  unsigned long {count} = 1 + __VERIFIER_nondet_count() % {length};");
        let _ = writeln!(self.out, "  {place} = __clinch_block({count} * {size});");
        if matches!(self.types.get(to), Type::Int { rank: Rank::Char, signed: true }) {
            let _ = writeln!(self.out, "  ((char *){place})[{count} - 1] = 0;");
            self.assume("arrays of char are strings that end".to_owned());
        }
        if holds_pointers(self.types, to) {
            self.each(place, &count, to, depth - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller_of(text: &str, function: &str, extent: Extent) -> Option<Caller> {
        let unit = Unit { name: "a.c".to_owned(), text: text.to_owned() };
        caller(&[unit], &CheckOptions::default(), function, extent).expect("it is C")
    }

    #[test]
    fn numbers_need_no_caller() {
        assert_eq!(caller_of("int f(int x) { return x; }", "f", Extent::default()), None);
        assert_eq!(caller_of("int f(int x) { return x; }", "g", Extent::default()), None);
    }

    #[test]
    fn pointers_lead_to_objects_as_deep_as_asked_for() {
        let text = "struct node { int key; struct node *next; }; static int find(const struct node *list, int key) { return list->key == key; }";
        for (depth, objects) in [(0, 0), (1, 1), (2, 2), (3, 3)] {
            let caller = caller_of(text, "find", Extent { depth, length: 8 }).expect("a caller");
            assert_eq!(caller.text.matches("= __clinch_block(").count(), objects, "{}", caller.text);
            assert!(caller.text.contains("clinch_calls_find( struct node *list, int key)"), "{}", caller.text);
            // What is written is C.
            let whole = Unit { name: "a.c".to_owned(), text: format!("{text}{}", caller.text) };
            assert!(check(&[whole], &CheckOptions::default()).is_ok(), "{}", caller.text);
        }
    }

    #[test]
    fn arguments_lead_to_what_is_known() {
        let text = "int g; static int hidden, given; int *give(void) { static int kept; int *p = &kept; return p ? &given : p; } struct s { char c; int row[2]; } r; int f(struct s *s, unsigned *p) { return *p + hidden; }";
        let caller = caller_of(text, "f", Extent::default()).expect("a caller");
        let aliases: Vec<&str> = caller.text.lines().filter(|line| line.contains("(void *)&")).map(str::trim).collect();
        let expected = [
            "if (__VERIFIER_nondet_choice()) s = (void *)&r;",
            "if (__VERIFIER_nondet_choice()) p = (void *)&g;",
            "if (__VERIFIER_nondet_choice()) p = (void *)&given;",
            "if (__VERIFIER_nondet_choice()) p = (void *)&r.row[0];",
            "if (s && __VERIFIER_nondet_choice()) p = (void *)&s[0].row[0];",
        ];
        assert_eq!(aliases, expected, "{}", caller.text);
    }

    /// What models of the library keep is nobody's to point to.
    #[test]
    fn the_library_has_variables_of_its_own() {
        let text = "char *strtok(char *, const char *); char *strerror(int); int f(void *p) { return p == strtok((char *)p, strerror(1)); }";
        let caller = caller_of(text, "f", Extent::default()).expect("a caller");
        let whole = Unit { name: "a.c".to_owned(), text: format!("{text}{}", caller.text) };
        let checked = check(&[whole], &CheckOptions::default());
        assert!(checked.is_ok(), "{}\n{}", caller.text, checked.unwrap_err());
    }

    #[test]
    fn all_kinds_of_parameters() {
        let text = "typedef struct { char *name; union { int *a; void *b; }; struct { short *deep[2]; } rows[3]; int (*call)(int, char *); } T;
            struct hidden; enum e { A };
            int f(T *t, T by_value, const char *const s, int a[], int m[2][3], void *v, struct hidden *h, enum e x, double *d, ...) { return 0; }
            int old(a, b) char *a; struct hidden *b; { return 0; }";
        for function in ["f", "old"] {
            let caller = caller_of(text, function, Extent::default()).expect("a caller");
            let whole = Unit { name: "a.c".to_owned(), text: format!("{text}{}", caller.text) };
            let checked = check(&[whole], &CheckOptions::default());
            assert!(checked.is_ok(), "{}\n{}", caller.text, checked.unwrap_err());
        }
        assert_eq!(
            caller_of("typedef struct { int *p; } T; int old(t) T *t; { return 0; }", "old", Extent::default()),
            None
        );
    }

    #[test]
    fn functions_that_others_may_call() {
        let unit = |text: &str| Unit { name: "a.c".to_owned(), text: text.to_owned() };
        let units = [
            unit("static int f(void) { return 0; } int g(void) { return f(); }"),
            unit("int h(void); int i(int *p) { return h(); }"),
        ];
        assert_eq!(callable(&units, &CheckOptions::default()).expect("it is C"), ["g", "i"]);
        // A library has its own definition of what a header of the system declares.
        let header =
            "# 1 \"/usr/include/string.h\" 1 3\nint inside(void) { return 0; }\nint copy(char *to);\n# 2 \"a.c\" 2\n";
        let library = unit(&format!("{header}int copy(char *to) {{ return *to; }}"));
        assert_eq!(callable(&[library], &CheckOptions::default()).expect("it is C"), ["copy"]);
    }
}
