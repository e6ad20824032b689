//! Bodies for functions that a program calls and does not define, where they may write through the pointers they are given.
//!
//! A body is written in C, behind the text of the unit that declares the function, so that front end, engines and compilers read one text.
//! `int fill(struct point *p, const char *name)` becomes
//!
//! ```c
//! int clinch_body_fill(struct point *clinch_0, char *clinch_1) __asm__("fill");
//! int clinch_body_fill(struct point *clinch_0, char *clinch_1) {
//!   unsigned long clinch_count_0 = __VERIFIER_nondet_written_count();
//!   __clinch_suppose(clinch_count_0 <= __clinch_room(clinch_0) / sizeof clinch_0[0]);
//!   for (unsigned long clinch_i0 = 0; clinch_i0 < clinch_count_0; clinch_i0++) {
//!     clinch_0[clinch_i0].x = __VERIFIER_nondet_written_int();
//!     ...
//!   }
//!   return __VERIFIER_nondet_returned_by_fill();
//! }
//! ```
//!
//! It has a name of its own in C, for what the declaration says of constants is no part of types here.
//!
//! `__clinch_room` is how many bytes there are from an address to the end of its object, none where nothing may be written. It is the
//! checks of memory that know.

use std::fmt::Write as _;

use clinch_ir::Span;
use clinch_ir::cfa::SourceMap;

use super::fresh::{CALLER_FILES, holds_pointers, without_const};
use super::hir::{Function, FunctionId, Hir};
use super::points_to::library;
use super::types::{Type, TypeId, Types};
use super::{CError, CheckOptions, Unit, check, source};
use crate::ReadError;

/// A text that belongs behind that of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// The unit.
    pub unit: usize,
    /// The text.
    pub text: String,
}

/// The most scalars that a body writes for one element.
const MOST_SCALARS: u32 = 200;

/// Bodies for the functions of some units that have none and take pointers, as far as their types can be said in C.
pub fn bodies(units: &[Unit], options: &CheckOptions) -> Result<Vec<Added>, ReadError> {
    let bad = |error: CError| ReadError::Bad(error.diagnostics());
    let (hir, map) = check(units, options).map_err(bad)?;
    let (_, bases) = source::source_map(units).map_err(bad)?;
    let mut all = Vec::new();
    for (index, function) in hir.functions.iter().enumerate() {
        if !is_open(&hir, FunctionId(index as u32)) {
            continue;
        }
        let unit = bases.iter().rposition(|&base| base <= function.span.start).unwrap_or(0);
        all.extend(body(&hir, &map, function).map(|text| Added { unit, text }));
    }
    Ok(all)
}

/// Whether nobody knows what a function does, and it takes pointers.
fn is_open(hir: &Hir, id: FunctionId) -> bool {
    let function = &hir.functions[id.0 as usize];
    let Type::Function { parameters, variadic: false, unspecified: false, .. } = hir.types.get(function.ty) else {
        return false;
    };
    let takes_pointers = parameters.iter().any(|&ty| hir.types.is_pointer(ty));
    let is_named = !function.name.starts_with("__") && function.unsupported.is_none() && !function.weak;
    takes_pointers && is_named && function.body.is_none() && library(hir, id).is_none()
}

/// The body of a function, if there are words for its types.
fn body(hir: &Hir, map: &SourceMap, function: &Function) -> Option<String> {
    let Type::Function { result, parameters, .. } = hir.types.get(function.ty) else { return None };
    let written = written_parameters(map, function.span);
    let mut writer = Writer { types: &hir.types, out: String::new(), loops: 0, scalars: 0 };
    let mut declared = Vec::new();
    for (index, &ty) in parameters.iter().enumerate() {
        let name = format!("clinch_{index}");
        let written = written.get(index).map_or("", String::as_str);
        declared.push(words(&hir.types, ty, &name, written)?);
        if let (Type::Pointer(to), false) = (hir.types.get(ty), points_to_constant(written)) {
            writer.pointer(&name, *to, index)?;
        }
    }
    let name = &function.name;
    let head = words(&hir.types, *result, &format!("clinch_body_{name}({})", declared.join(", ")), "")?;
    // A pointer that somebody returns is meant to be used.
    let value = match hir.types.is_pointer(*result) {
        true => format!("clinch_returned_by_{name}"),
        false => format!("__VERIFIER_nondet_returned_by_{name}"),
    };
    let (declaration, last) = match hir.types.get(*result) {
        Type::Void => (String::new(), String::new()),
        _ => (
            format!("extern {};\n", hir.types.declared(*result, &format!("{value}(void)"))),
            format!("  return {value}();\n"),
        ),
    };
    Some(format!(
        "\n# 1 \"{CALLER_FILES}{name}>\"\nextern unsigned long __clinch_room(), __VERIFIER_nondet_written_count(void);\n\
         extern void __clinch_suppose();\nextern void __clinch_assume_that();\n{declaration}{head} __asm__(\"{name}\");\n{head} {{\n  \
         __clinch_assume_that(\"`{name}` has no body: it returns any value, and writes any numbers where its pointers lead, up to \
         the end of the object; addresses stay as they are\");\n{}{last}}}\n",
        writer.out
    ))
}

/// The declaration of a name: by what the program says where its type has no name.
fn words(types: &Types, ty: TypeId, name: &str, written: &str) -> Option<String> {
    let declared = types.declared(ty, name);
    if !declared.contains('<') && !declared.contains("...") {
        return Some(declared);
    }
    let is_simple = matches!(types.get(ty), Type::Pointer(_)) && !written.contains(['(', '[']);
    let (of, _) = written.rsplit_once('*').filter(|_| is_simple)?;
    Some(format!("{} *{name}", without_const(of)))
}

struct Writer<'a> {
    types: &'a Types,
    out: String,
    loops: u32,
    scalars: u32,
}

impl Writer<'_> {
    /// Writes where a pointer leads. `None`: there are no words for that.
    fn pointer(&mut self, name: &str, to: TypeId, index: usize) -> Option<()> {
        let bytes = format!("((unsigned char *){name})");
        let (object, of) = match self.types.get(to) {
            Type::Function { .. } => return Some(()),
            Type::Void => (bytes, None),
            _ if self.types.size(to).is_none_or(|size| size == 0) => return Some(()),
            _ => (name.to_owned(), Some(to)),
        };
        let count = format!("clinch_count_{index}");
        let mark = self.out.len();
        let _ = writeln!(self.out, "  unsigned long {count} = __VERIFIER_nondet_written_count();");
        let _ = writeln!(self.out, "  __clinch_suppose({count} <= __clinch_room({name}) / sizeof {object}[0]);");
        let before = self.scalars;
        self.each(&count, |writer, i| match of {
            Some(ty) => writer.place(&format!("{object}[{i}]"), ty),
            None => writer.scalar(&format!("{object}[{i}]"), "unsigned char"),
        })?;
        // Nothing in it is written.
        if self.scalars == before {
            self.out.truncate(mark);
        }
        Some(())
    }

    fn each(&mut self, count: &str, body: impl FnOnce(&mut Self, &str) -> Option<()>) -> Option<()> {
        let i = format!("clinch_i{}", self.loops);
        self.loops += 1;
        let _ = writeln!(self.out, "  for (unsigned long {i} = 0; {i} < {count}; {i}++) {{");
        body(self, &i)?;
        self.out.push_str("  }\n");
        Some(())
    }

    /// Writes the numbers in a place.
    fn place(&mut self, place: &str, ty: TypeId) -> Option<()> {
        match self.types.get(ty) {
            Type::Bool | Type::Int { .. } | Type::Float(32 | 64) => self.scalar(place, &self.types.name(ty)),
            Type::Array(element, Some(count)) => {
                let element = *element;
                self.each(&count.to_string(), |writer, i| writer.place(&format!("{place}[{i}]"), element))
            }
            Type::Record(record) if self.types.record(*record).is_union => {
                if holds_pointers(self.types, ty) {
                    return Some(());
                }
                self.each(&format!("sizeof {place}"), |writer, i| {
                    writer.scalar(&format!("((unsigned char *)&{place})[{i}]"), "unsigned char")
                })
            }
            Type::Record(record) => {
                for field in &self.types.record(*record).fields {
                    let member =
                        if field.name.is_empty() { place.to_owned() } else { format!("{place}.{}", field.name) };
                    self.place(&member, field.ty)?;
                }
                Some(())
            }
            Type::Pointer(_) | Type::Array(_, None) => Some(()),
            _ => None,
        }
    }

    /// Writes any value of a type.
    fn scalar(&mut self, place: &str, ty: &str) -> Option<()> {
        self.scalars += 1;
        let function = format!("__VERIFIER_nondet_written_{}", ty.replace(' ', "_"));
        let _ = writeln!(self.out, "    {{ extern {ty} {function}(void); {place} = {function}(); }}");
        (self.scalars <= MOST_SCALARS).then_some(())
    }
}

/// The parameters of a declaration as they are written.
fn written_parameters(map: &SourceMap, declarator: Span) -> Vec<String> {
    let text = map.text.get(declarator.start as usize..).unwrap_or_default();
    let Some(start) = text.find('(') else { return Vec::new() };
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in text[start..].chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match c {
            _ if depth == 0 => break,
            '(' if depth == 1 => {}
            ',' if depth == 1 => parts.push(String::new()),
            _ => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts
}

/// Whether a parameter is a pointer to what is constant: the word stands before its last star, and behind the star before that.
fn points_to_constant(parameter: &str) -> bool {
    let before = parameter.rfind('*').map_or(parameter, |star| &parameter[..star]);
    let of = before.rfind('*').map_or(before, |star| &before[star..]);
    of.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|word| matches!(word, "const" | "__const" | "__const__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_constant_is_not_written() {
        for (parameter, constant) in [
            ("const char *s", true),
            ("char const *const s", true),
            ("char *const s", false),
            ("const char **list", false),
            ("char *const *list", true),
            ("const int a[]", true),
            ("int *a", false),
        ] {
            assert_eq!(points_to_constant(parameter), constant, "{parameter}");
        }
    }

    #[test]
    fn bodies_are_c() {
        let text = "struct p { int x; char name[4]; struct p *next; union { float f; int i; } u; unsigned b : 3; };
            typedef struct { double d; } T; typedef struct { int i; } U; struct hidden;
            int fill(struct p *p, const char *name, int n); void any(void *block, unsigned long n); T *get(const T *t, U *); void put(U *u, const T *t);
            void hide(struct hidden *h); int printf(const char *, ...); int plain(int); int old();
            int main(void) { struct p p; fill(&p, \"a\", 1); any(&p, 4); return plain(1) + old(&p); }";
        let unit = |text: String| [Unit { name: "a.c".to_owned(), text }];
        let added = bodies(&unit(text.to_owned()), &CheckOptions::default()).expect("it is C");
        let all: String = added.iter().map(|added| added.text.as_str()).collect();
        let named = ["_fill(", "_any(", "_put(", "_hide("];
        assert_eq!(added.len(), named.len(), "{all}");
        assert!(named.iter().all(|name| all.contains(name)), "{all}");
        assert!(all.contains("clinch_0[clinch_i0].name[clinch_i1]") && !all.contains("next ="), "{all}");
        let checked = check(&unit(format!("{text}{all}")), &CheckOptions::default());
        assert!(checked.is_ok(), "{all}\n{}", checked.unwrap_err());
    }
}
