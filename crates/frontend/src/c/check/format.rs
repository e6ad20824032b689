//! `sprintf` and `snprintf` with a constant format: one call of a model for each part of it.
//!
//! `snprintf(to, n, "x=%d", x)` becomes `__clinch_put_end(to, n, __clinch_put_signed(to, n, __clinch_put_text(to, n, 0, "x="), x))`, with all
//! arguments evaluated once, before. What is not known here is left as it is: it is not modelled.

use clinch_ir::Span;

use super::Checker;
use super::literal::Text;
use crate::c::hir::{Call, Callee, Expr, ExprKind, FunctionId, Init, InitItem, Storage, VariableId};
use crate::c::types::TypeId;

/// A part of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    /// What is put out as it is.
    Text(Vec<u8>),
    /// A conversion.
    Conversion(Conversion),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Conversion {
    /// `-` or `0`, or 0.
    pad: u8,
    /// The least number of characters.
    width: u32,
    /// The most characters of a text.
    most: Option<u32>,
    /// `hh`, `h`, `l`, `ll`, `z` and the like.
    length: Vec<u8>,
    /// The letter at its end.
    letter: u8,
}

impl Checker<'_> {
    /// What a call of `sprintf` or `snprintf` is; `None` for any other, and for what is not modelled.
    pub(super) fn formatted_to_memory(&mut self, callee: &Callee, args: &mut Vec<Expr>, span: Span) -> Option<Expr> {
        let Callee::Direct(id) = callee else { return None };
        let (limit, at) = self.printer(*id)?;
        let parts = parts(&self.hir.literal(args.get(at)?)?)?;
        let conversions: Vec<&Conversion> = parts.iter().filter_map(Part::conversion).collect();
        let types: Option<Vec<TypeId>> = conversions
            .iter()
            .zip(args.get(at + 1..)?)
            .map(|(conversion, arg)| self.taken_as(conversion, arg))
            .collect();
        let types = types.filter(|types| types.len() == conversions.len() && args.len() == at + 1 + types.len())?;
        // The order in which arguments are evaluated is open.
        let is_open = args.iter().filter(|arg| arg.has_effects()).count() > 1;
        let function = self.function.as_ref().filter(|_| !is_open)?.id;
        let mut rest = args.split_off(at + 1);
        let mut kept: Vec<(VariableId, Expr)> = Vec::new();
        let text = self.letter_type('s');
        let everything = self.int(-1, self.basic.size, span);
        let size = match limit {
            Some(index) => args.swap_remove(index),
            None => everything,
        };
        let to = args.swap_remove(0);
        let mut keep = |this: &mut Self, value: Expr, ty: TypeId| {
            let value = this.silently(value, ty, span);
            let id = this.new_variable("argument".to_owned(), ty, Storage::Local(function), span);
            kept.push((id, value));
            id
        };
        let (to, size) = (keep(self, to, text), keep(self, size, self.basic.size));
        let values: Vec<VariableId> = rest.drain(..).zip(types).map(|(arg, ty)| keep(self, arg, ty)).collect();
        let mut values = values.into_iter();
        let mut position = self.int(0, self.basic.size, span);
        for part in &parts {
            let value = part.conversion().and_then(|_| values.next());
            position = self.put(part, (to, size, position), value, span);
        }
        let args = vec![self.loaded(to, span), self.loaded(size, span), position];
        let whole = self.call_of("__clinch_put_end", args, self.basic.int, span);
        Some(kept.into_iter().rev().fold(whole, |then, (id, value)| {
            let (ty, of) = (then.ty, value.ty);
            let items = vec![InitItem { offset: 0, ty: of, bits: None, value }];
            let init = Init { zero_fill: false, items };
            Expr { kind: ExprKind::InitThen(id, Box::new(init), Box::new(then)), ty, span }
        }))
    }

    /// Where the size and the format stand among the arguments of a function, if it is one that writes formatted output to memory, and the library's.
    fn printer(&self, id: FunctionId) -> Option<(Option<usize>, usize)> {
        let function = &self.hir.functions[id.0 as usize];
        let name = function.name.strip_prefix("__builtin_").unwrap_or(&function.name);
        let places = match name {
            "sprintf" => (None, 1),
            "snprintf" => (Some(1), 2),
            "__sprintf_chk" => (None, 3),
            "__snprintf_chk" => (Some(1), 4),
            _ => return None,
        };
        (function.body.is_none() && !defines(&self.map.text, name)).then_some(places)
    }

    /// The type that a conversion takes its argument as.
    fn taken_as(&mut self, conversion: &Conversion, arg: &Expr) -> Option<TypeId> {
        let is_signed = matches!(conversion.letter, b'd' | b'i');
        let basic = self.basic;
        let ty = match (conversion.letter, conversion.length.as_slice()) {
            (b's', b"") => {
                let is_text = self.hir.types.is_pointer(arg.ty);
                return is_text.then(|| self.letter_type('s'));
            }
            (b'c', b"") => basic.int,
            (b's' | b'c', _) => return None,
            (_, b"hh") if is_signed => basic.char,
            (_, b"hh") => self.letter_type('C'),
            (_, b"h") if is_signed => self.letter_type('H'),
            (_, b"h") => self.letter_type('h'),
            (_, b"") if is_signed => basic.int,
            (_, b"") => basic.unsigned,
            (_, b"l" | b"z" | b"t") if is_signed => basic.long,
            (_, b"l" | b"z" | b"t") => self.letter_type('m'),
            (_, b"ll" | b"j") if is_signed => self.letter_type('L'),
            (_, b"ll" | b"j") => self.letter_type('U'),
            _ => return None,
        };
        let bits = |ty| self.hir.types.scalar_bits(ty);
        let fits = self.hir.types.is_integer(arg.ty) && bits(arg.ty) == bits(ty).max(bits(basic.int));
        fits.then_some(ty)
    }

    /// A value in another type; nobody is told that it may change.
    fn silently(&self, value: Expr, ty: TypeId, span: Span) -> Expr {
        if value.ty == ty { value } else { Expr { kind: ExprKind::Convert(Box::new(value)), ty, span } }
    }

    fn loaded(&mut self, id: VariableId, span: Span) -> Expr {
        let place = self.variable_place(id, span);
        let ty = place.ty;
        Expr { kind: ExprKind::Load(Box::new(place)), ty, span }
    }

    fn call_of(&mut self, name: &str, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        let callee = Callee::Direct(self.implicit_function(name, span));
        Expr { kind: ExprKind::Call(Box::new(Call { callee, args })), ty, span }
    }

    /// The call that puts out a part, and is the position behind it.
    fn put(
        &mut self,
        part: &Part,
        (to, size, position): (VariableId, VariableId, Expr),
        value: Option<VariableId>,
        span: Span,
    ) -> Expr {
        let basic = self.basic;
        let number = |this: &Self, n: i128, ty| this.int(n, ty, span);
        let mut args = vec![self.loaded(to, span), self.loaded(size, span), position];
        let (name, conversion) = match (part, value) {
            (Part::Conversion(conversion), Some(value)) => {
                let value = self.loaded(value, span);
                let is_wide = self.hir.types.scalar_bits(value.ty) > Some(32);
                let wide = |signed, narrow: char, long: char| {
                    let name = if signed { "__clinch_put_signed" } else { "__clinch_put_unsigned" };
                    if is_wide { (format!("{name}_long"), Some(long)) } else { (name.to_owned(), Some(narrow)) }
                };
                let (name, ty) = match conversion.letter {
                    b's' => ("__clinch_put_text".to_owned(), None),
                    b'c' => ("__clinch_put_char".to_owned(), None),
                    b'd' | b'i' => wide(true, 'i', 'L'),
                    _ => wide(false, 'u', 'U'),
                };
                let ty = ty.map_or(value.ty, |letter| self.letter_type(letter));
                args.push(self.silently(value, ty, span));
                (name, conversion.clone())
            }
            (Part::Text(text), _) => {
                let length = text.len() as u64 + 1;
                let bytes = text.iter().copied().chain([0]).collect();
                let place = self.string_place(Text { bytes, element: basic.char, length }, span);
                let pointer = self.pointer_to(basic.char);
                args.push(self.address(place, pointer));
                ("__clinch_put_text".to_owned(), Conversion { letter: b's', ..Conversion::default() })
            }
            (Part::Conversion(_), None) => return number(self, 0, basic.size),
        };
        match conversion.letter {
            b's' => args.push(number(self, conversion.most.map_or(-1, i128::from), basic.size)),
            b'o' | b'u' | b'x' | b'X' => args.push(number(self, i128::from(conversion.letter), basic.int)),
            _ => {}
        }
        args.push(number(self, i128::from(conversion.width), basic.size));
        args.push(number(self, i128::from(conversion.pad), basic.int));
        self.call_of(&name, args, basic.size, span)
    }
}

impl Part {
    fn conversion(&self) -> Option<&Conversion> {
        match self {
            Part::Conversion(conversion) => Some(conversion),
            Part::Text(_) => None,
        }
    }
}

/// The parts of a format; `None` if something in it is not modelled.
fn parts(format: &[u8]) -> Option<Vec<Part>> {
    let (mut parts, mut text) = (Vec::new(), Vec::new());
    let mut rest = format;
    while let Some((&c, behind)) = rest.split_first() {
        rest = behind;
        if c != b'%' {
            text.push(c);
        } else if let Some(behind) = rest.strip_prefix(b"%") {
            text.push(b'%');
            rest = behind;
        } else {
            let (conversion, behind) = conversion(rest)?;
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(Part::Conversion(conversion));
            rest = behind;
        }
    }
    parts.extend((!text.is_empty()).then_some(Part::Text(text)));
    Some(parts)
}

/// A conversion behind its `%`, and what follows it.
fn conversion(mut rest: &[u8]) -> Option<(Conversion, &[u8])> {
    let mut found = Conversion::default();
    if let [pad @ (b'-' | b'0'), behind @ ..] = rest {
        (found.pad, rest) = (*pad, behind);
    }
    let number = |rest: &mut &[u8]| {
        let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let (number, behind) = rest.split_at(digits);
        *rest = behind;
        if number.is_empty() { Some(0) } else { std::str::from_utf8(number).ok()?.parse::<u32>().ok() }
    };
    found.width = number(&mut rest)?;
    if let Some(behind) = rest.strip_prefix(b".") {
        rest = behind;
        found.most = Some(number(&mut rest)?);
    }
    let length = rest.iter().take_while(|c| b"hlzjt".contains(c)).count();
    let (length, behind) = rest.split_at(length);
    found.length = length.to_vec();
    let (&letter, behind) = behind.split_first()?;
    found.letter = letter;
    let known = match letter {
        b's' => found.pad != b'0',
        b'c' => found.pad != b'0' && found.most.is_none(),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => found.most.is_none(),
        _ => false,
    };
    known.then_some((found, behind))
}

/// Whether a text has a definition of a function, as far as a look at it can tell.
fn defines(text: &str, name: &str) -> bool {
    let is_letter = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    text.match_indices(name).any(|(at, _)| {
        let bytes = text.as_bytes();
        let is_word =
            (at == 0 || !is_letter(bytes[at - 1])) && !bytes.get(at + name.len()).copied().is_some_and(is_letter);
        let rest = text[at + name.len()..].trim_start();
        let mut depth = 0;
        let end = rest.bytes().position(|c| {
            depth += i32::from(c == b'(') - i32::from(c == b')');
            depth == 0
        });
        let behind = end.filter(|_| is_word && rest.starts_with('(')).map(|end| rest[end + 1..].trim_start());
        behind.is_some_and(|behind| behind.starts_with('{'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let conversion = |letter| Conversion { letter, ..Conversion::default() };
        assert_eq!(parts(b"a%%b").expect("text"), [Part::Text(b"a%b".to_vec())]);
        let both = [Part::Text(b"x=".to_vec()), Part::Conversion(conversion(b'd'))];
        assert_eq!(parts(b"x=%d").expect("a number"), both);
        let long = Conversion { pad: b'0', width: 12, length: b"ll".to_vec(), ..conversion(b'x') };
        assert_eq!(parts(b"%012llx").expect("a number"), [Part::Conversion(long)]);
        let text = Conversion { pad: b'-', width: 5, most: Some(3), ..conversion(b's') };
        assert_eq!(parts(b"%-5.3s").expect("a text"), [Part::Conversion(text)]);
        for format in ["%f", "%n", "%p", "%+d", "%#x", "%.3d", "%*d", "%", "%5", "%Lf"] {
            assert_eq!(parts(format.as_bytes()), None, "{format}");
        }
    }

    #[test]
    fn definitions_are_seen() {
        assert!(defines("int sprintf(char *to, const char *f, ...) { return 0; }", "sprintf"));
        assert!(!defines("int sprintf(char *, const char *, ...); void f(void) { sprintf(b, \"\"); }", "sprintf"));
        assert!(!defines("int my_sprintf(char *to) { return 0; }", "sprintf"));
    }
}
