//! Formatted output and input.

use clinch_ir::Span;
use clinch_ir::cfa::{InputKind, Op, Print};
use clinch_terms::Term;

use super::super::hir::{BinaryOp, Call, Callee, Expr, ExprKind, PlaceKind};
use super::super::points_to::key;
use super::super::types::{Type, TypeId};
use super::Lowering;
use super::extended::words;
use super::place::Lvalue;
use super::values::Value;

/// What is said of `%n`, or where it may be.
const STORES_LENGTH: &str = "output that stores its length (`%n`)";

impl Lowering<'_> {
    /// The bytes of a string literal, without the terminating zero.
    pub(super) fn literal(&self, e: &Expr) -> Option<Vec<u8>> {
        match &e.kind {
            ExprKind::Convert(a) => self.literal(a),
            ExprKind::AddressOf(place) => match place.kind {
                PlaceKind::String(i) => {
                    let bytes = &self.hir.strings[i];
                    Some(bytes[..bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len())].to_vec())
                }
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn print_formatted(&mut self, args: &[Value], call: &Call, stream: bool, e: &Expr) -> Value {
        let at = usize::from(stream);
        let stdout = !stream || call.args.first().is_some_and(|a| self.is_stdout(a));
        let format = call.args.get(at).and_then(|a| self.literal(a));
        let terms = (at + 1..args.len()).map(|i| self.printed_words(args, call, i));
        let terms: Option<Vec<Vec<Term>>> = terms.collect();
        let takes_pointers = call.args.iter().skip(at + 1).any(|a| self.hir.types.is_pointer(a.ty));
        let unsupported = match &format {
            Some(format) => not_only_shown(format),
            None => takes_pointers.then_some(STORES_LENGTH),
        };
        if let Some(what) = unsupported {
            self.body.stop(Op::Unsupported(what.to_owned()), e.span);
            return self.void_result(e);
        }
        match (format, terms) {
            (Some(format), Some(args)) => {
                let args = args.into_iter().flatten().collect();
                self.body.emit(Op::Print(Print { format, args, stdout }), e.span);
            }
            (Some(_), None) => self.assume("output of records is not shown".to_owned()),
            (None, _) => self.assume("output with a computed format is not shown".to_owned()),
        }
        self.forget_errno("printf", e.span);
        self.printed(e)
    }

    /// An argument to be shown: one value, or the two words of a `long double`.
    fn printed_words(&self, args: &[Value], call: &Call, i: usize) -> Option<Vec<Term>> {
        match &args[i] {
            Value::Scalar(term) => Some(vec![*term]),
            _ if self.hir.types.is_extended(call.args.get(i)?.ty) => words(args, i).map(Vec::from),
            _ => None,
        }
    }

    /// What an output function returns is used by hardly anyone.
    fn printed(&mut self, e: &Expr) -> Value {
        match self.hir.types.get(e.ty) {
            Type::Void | Type::Record(_) => Value::Void,
            _ if self.unused == Some(key(e)) => Value::Void,
            _ => Value::Scalar(self.opaque(e.ty, "the length of output", e.span)),
        }
    }

    pub(super) fn print_string(&mut self, text: Term, call: &Call, stream: bool, e: &Expr) -> Value {
        let stdout = !stream || call.args.get(1).is_some_and(|a| self.is_stdout(a));
        let format = if stream { b"%s".to_vec() } else { b"%s\n".to_vec() };
        self.body.emit(Op::Print(Print { format, args: vec![text], stdout }), e.span);
        self.forget_errno("puts", e.span);
        self.printed(e)
    }

    /// `scanf` and its relatives: as many values as an input says, each any value of its type.
    pub(super) fn read_formatted(&mut self, args: &[Value], call: &Call, format: usize, e: &Expr) -> Value {
        let conversions = call.args.get(format).and_then(|a| self.literal(a)).and_then(|text| conversions(&text));
        let targets = self.scanned(args, call, format + 1, conversions);
        let (Some(targets), Callee::Direct(f)) = (targets, &call.callee) else {
            let what = "input to memory with this format".to_owned();
            self.body.stop(Op::Unsupported(what), e.span);
            return self.void_result(e);
        };
        let name = self.hir.functions[f.0 as usize].name.clone();
        self.forget_errno(&name, e.span);
        let kind = InputKind::Extern(name);
        let count = self.input(e.ty, kind.clone(), e.span);
        let (least, most) = (self.constant(e.ty, -1), self.constant(e.ty, targets.len() as i128));
        let above = self.compare(BinaryOp::Le, true, least, count);
        let below = self.compare(BinaryOp::Le, true, count, most);
        let counts = self.terms.and(above, below);
        self.body.emit(Op::Assume(counts), e.span);
        let after = self.body.fresh();
        for (i, (target, ty)) in targets.into_iter().enumerate() {
            let next = self.body.fresh();
            let number = self.constant(e.ty, i as i128);
            let more = self.compare(BinaryOp::Lt, true, number, count);
            self.branch_on(more, next, after, e.span);
            self.body.at(next);
            self.store_scanned(&target, ty, &kind, e.span);
        }
        self.body.go_on_at(after, e.span);
        Value::Scalar(count)
    }

    fn store_scanned(&mut self, target: &Lvalue, ty: TypeId, kind: &InputKind, span: Span) {
        let value = match self.is_opaque_float(ty) {
            true => self.opaque(ty, "a floating-point number that is read", span),
            false => self.input(ty, kind.clone(), span),
        };
        self.store(target, ty, value, span);
    }

    /// Where the values of the conversions go, if each pointer has the type that its conversion wants.
    fn scanned(
        &mut self,
        args: &[Value],
        call: &Call,
        first: usize,
        conversions: Option<Vec<Conversion>>,
    ) -> Option<Vec<(Lvalue, TypeId)>> {
        let conversions = conversions?;
        let pointers = call.args.get(first..)?;
        if pointers.len() != conversions.len() || self.mathematical() {
            return None;
        }
        let mut targets = Vec::new();
        for (i, (pointer, conversion)) in pointers.iter().zip(conversions).enumerate() {
            let (Type::Pointer(to), Some(Value::Scalar(address))) =
                (self.hir.types.get(pointer.ty), args.get(first + i))
            else {
                return None;
            };
            let (to, address) = (*to, *address);
            let size = self.hir.types.size(to);
            let fits = size == Some(conversion.bytes(u64::from(self.pointer_bits()) / 8)?);
            if !fits || self.is_float(to) != conversion.floating {
                return None;
            }
            let cell = self.points.pointee(pointer);
            targets.push((Lvalue::Memory { address: self.save(address, pointer.span), cell, bits: None }, to));
        }
        Some(targets)
    }

    /// Whether an expression is the variable `stdout`.
    pub(super) fn is_stdout(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Convert(a) => self.is_stdout(a),
            ExprKind::Load(place) => match place.kind {
                PlaceKind::Variable(v) => self.hir.variables[v.0 as usize].name == "stdout",
                _ => false,
            },
            _ => false,
        }
    }
}

/// A conversion of a number, or of one character.
struct Conversion {
    floating: bool,
    /// `c`
    character: bool,
    /// `l`, `hh` and the like.
    length: Vec<u8>,
}

impl Conversion {
    /// Bytes of the object it stores into; nothing for a length that there is not.
    fn bytes(&self, pointer: u64) -> Option<u64> {
        Some(match (self.floating, self.character, &self.length[..]) {
            (true, _, b"") | (false, false, b"") => 4,
            (false, true, b"") | (false, false, b"hh") => 1,
            (false, false, b"h") => 2,
            (false, false, b"l" | b"z" | b"t") => pointer,
            (true, _, b"l") | (false, false, b"ll" | b"L" | b"q" | b"j") => 8,
            (true, _, b"L") => 16,
            _ => return None,
        })
    }
}

/// The conversions of a format for input that store something. Nothing if one of them stores a text, or something else that is not
/// modelled.
fn conversions(format: &[u8]) -> Option<Vec<Conversion>> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&b| b == b'%') {
        rest = &rest[percent + 1..];
        let skipped = rest.first() == Some(&b'*');
        let digits = rest.iter().skip(usize::from(skipped)).take_while(|b| b.is_ascii_digit()).count();
        rest = &rest[usize::from(skipped) + digits..];
        let length: Vec<u8> = rest.iter().copied().take_while(|b| b"hlLqjzt".contains(b)).collect();
        let &letter = rest.get(length.len())?;
        rest = &rest[length.len() + 1..];
        match letter {
            b'%' => {}
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' if skipped => {}
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                found.push(Conversion { floating: false, character: false, length });
            }
            b'c' if digits == 0 && length.is_empty() && !skipped => {
                found.push(Conversion { floating: false, character: true, length });
            }
            b'f' | b'g' | b'e' | b'a' if !skipped => {
                found.push(Conversion { floating: true, character: false, length })
            }
            _ => return None,
        }
    }
    Some(found)
}

/// What a format for output has that is not modelled: a conversion that stores something, or one that is not known.
fn not_only_shown(format: &[u8]) -> Option<&'static str> {
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&b| b == b'%') {
        rest = &rest[percent + 1..];
        // Flags (`I` is that of glibc), positions, width, precision, length (`Z` is an old `z`). A conversion that ends with the
        // format shows nothing.
        let at = rest.iter().position(|b| !b" #+-'I0123456789.*$hlLqjztZ".contains(b))?;
        match rest[at] {
            b'n' => return Some(STORES_LENGTH),
            letter if !b"diouxXbBeEfFgGaAcCsSpm%".contains(&letter) => return Some("output with this format"),
            _ => rest = &rest[at + 1..],
        }
    }
    None
}
