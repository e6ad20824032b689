//! Floating-point numbers and operations as C.

use clinch_terms::float::extended::ExtendedOp;
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format};
use clinch_terms::{BinOp, Node, Term, UnOp};

use super::expression::{Printer, Shown, is_float, level};
use super::name_in;

/// The number with these bits, in the fewest decimal digits that C reads back to the same bits.
pub fn show_float(format: Format, bits: u64) -> String {
    let (value, suffix) = match format {
        Format::Single => (f64::from(f32::from_bits(bits as u32)), "f"),
        Format::Double => (f64::from_bits(bits), ""),
    };
    let sign = if bits & format.sign() == 0 { "" } else { "-" };
    if value.is_nan() {
        return format!("{sign}nan");
    }
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    let near = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    let text = match (format, near) {
        (Format::Single, true) => format!("{:?}", f32::from_bits(bits as u32)),
        (Format::Single, false) => format!("{:e}", f32::from_bits(bits as u32)),
        (Format::Double, true) => format!("{value:?}"),
        (Format::Double, false) => format!("{value:e}"),
    };
    format!("{text}{suffix}")
}

/// A number that [`show_float`] shows, in hexadecimal as C's `%a` prints it; none for other texts.
pub fn hexadecimal(shown: &str) -> Option<String> {
    let digits = shown.strip_suffix('f').unwrap_or(shown);
    let is_number = digits.contains(['.', 'e']) && !digits.contains("in");
    let value = match shown.len() - digits.len() {
        0 => digits.parse::<f64>(),
        _ => digits.parse::<f32>().map(f64::from),
    };
    let value = value.ok().filter(|_| is_number)?;
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let (exponent, fraction) = (value.to_bits() >> 52 & 0x7ff, value.to_bits() & 0x000f_ffff_ffff_ffff);
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    let (leading, power) = match exponent {
        0 if fraction == 0 => (0, 0),
        0 => (0, -1022),
        _ => (1, exponent as i64 - 1023),
    };
    Some(format!("{sign}0x{leading}{point}{digits}p{power:+}"))
}

impl Printer<'_> {
    /// A term that is read as a number of a format.
    pub(super) fn float(&mut self, format: Format, term: Term) -> Shown {
        self.guarded(|printer| printer.float_node(format, term))
    }

    fn float_node(&mut self, format: Format, term: Term) -> Shown {
        match self.terms.node(term) {
            Node::BitVec(_, bits) => {
                let text = show_float(format, bits);
                let at = if text.starts_with('-') { level::UNARY } else { level::ATOM };
                Shown::new(text, at, None)
            }
            Node::Symbol(symbol) => Shown::new(name_in(self.program, self.terms, symbol), level::ATOM, None),
            Node::Ite(c, a, b) => {
                let condition = self.show(c).inside(level::OR);
                let (a, b) = (self.float(format, a).inside(level::OR), self.float(format, b).inside(level::CHOICE));
                Shown::new(format!("{condition} ? {a} : {b}"), level::CHOICE, None)
            }
            Node::Binary(BinOp::BvXor, a, b) if self.is_bits(b, format.sign()) => {
                let text = self.float(format, a).inside(level::ATOM);
                Shown::new(format!("-{text}"), level::UNARY, None)
            }
            Node::Binary(BinOp::BvAnd, a, b) if self.is_bits(b, format.sign() - 1) => {
                let text = self.float(format, a).text;
                Shown::new(format!("fabs{}({text})", suffix(format)), level::ATOM, None)
            }
            Node::Binary(BinOp::Select | BinOp::Float(..), ..) | Node::Unary(UnOp::Float(..), _) | Node::Fma(..) => {
                self.show(term)
            }
            _ => Shown::new(format!("as_{}({})", name(format), self.show(term).text), level::ATOM, None),
        }
    }

    /// The bits of a variable compared with those of a number that no other bits stand for.
    pub(super) fn same_number(&mut self, sign: &str, a: Term, b: Term) -> Option<Shown> {
        let (Node::Symbol(symbol), Node::BitVec(width, bits)) = (self.terms.node(a), self.terms.node(b)) else {
            return None;
        };
        let format = Format::of_width(width)?;
        let is_float = self.program.variables.get(&symbol).is_some_and(|info| is_float(&info.ty));
        let magnitude = bits & !format.sign();
        let is_one = is_float && magnitude != 0 && magnitude <= format.infinity();
        let equates = matches!(sign, "==" | "!=");
        (is_one && equates).then(|| {
            let text =
                format!("{} {sign} {}", self.float(format, a).text, self.float(format, b).inside(level::EQUAL + 1));
            Shown::new(text, level::EQUAL, Some(true))
        })
    }

    fn is_bits(&self, term: Term, bits: u64) -> bool {
        matches!(self.terms.node(term), Node::BitVec(_, own) if own == bits)
    }

    pub(super) fn float_unary(&mut self, op: FloatUnOp, format: Format, a: Term) -> Shown {
        let cast =
            |ty: &str, inner: Shown| Shown::new(format!("({ty}){}", inner.inside(level::UNARY)), level::UNARY, None);
        match op {
            FloatUnOp::FromSigned | FloatUnOp::FromUnsigned => {
                let inner = self.with_sign(a, op == FloatUnOp::FromSigned);
                cast(name(format), inner)
            }
            FloatUnOp::Convert => {
                let inner = self.float(format, a);
                cast(name(format.other()), inner)
            }
            FloatUnOp::ToSigned(width) | FloatUnOp::ToUnsigned(width) => {
                let signed = matches!(op, FloatUnOp::ToSigned(_));
                let (ty, inner) = (self.type_name(width.into(), signed), self.float(format, a));
                Shown::new(format!("({ty}){}", inner.inside(level::UNARY)), level::UNARY, Some(signed))
            }
            FloatUnOp::Sqrt | FloatUnOp::Integral(_) => {
                let text = format!("{}{}({})", op.name(), suffix(format), self.float(format, a).text);
                Shown::new(text, level::ATOM, None)
            }
        }
    }

    pub(super) fn fma(&mut self, format: Format, operands: [Term; 3]) -> Shown {
        let [a, b, c] = operands.map(|operand| self.float(format, operand).text);
        Shown::new(format!("fma{}({a}, {b}, {c})", suffix(format)), level::ATOM, None)
    }

    pub(super) fn float_binary(&mut self, op: FloatBinOp, format: Format, a: Term, b: Term) -> Shown {
        let (sign, at) = operator(op);
        let (left, right) = (self.float(format, a).inside(at), self.float(format, b).inside(at + 1));
        Shown::new(format!("{left} {sign} {right}"), at, op.compares().then_some(true))
    }

    /// A term that is read as a number of extended precision.
    fn extended(&mut self, term: Term) -> Shown {
        match self.terms.node(term) {
            Node::Binary(BinOp::Extended(_), ..) | Node::Unary(UnOp::Extended(_), _) => self.show(term),
            _ => Shown::new(format!("as_long_double({})", self.show(term).text), level::ATOM, None),
        }
    }

    pub(super) fn extended_unary(&mut self, op: ExtendedOp, a: Term) -> Shown {
        let (ty, inner, signed) = match op {
            ExtendedOp::Sqrt | ExtendedOp::Integral(_) => {
                let text = format!("{}l({})", op.name(), self.extended(a).text);
                return Shown::new(text, level::ATOM, None);
            }
            ExtendedOp::FromFloat(format) => ("long double".to_owned(), self.float(format, a), None),
            ExtendedOp::FromSigned | ExtendedOp::FromUnsigned => {
                ("long double".to_owned(), self.with_sign(a, op == ExtendedOp::FromSigned), None)
            }
            ExtendedOp::ToFloat(format) => (name(format).to_owned(), self.extended(a), None),
            ExtendedOp::ToSigned(width) | ExtendedOp::ToUnsigned(width) => {
                let signed = matches!(op, ExtendedOp::ToSigned(_));
                (self.type_name(width.into(), signed), self.extended(a), Some(signed))
            }
        };
        Shown::new(format!("({ty}){}", inner.inside(level::UNARY)), level::UNARY, signed)
    }

    pub(super) fn extended_binary(&mut self, op: FloatBinOp, a: Term, b: Term) -> Shown {
        let (sign, at) = operator(op);
        let (left, right) = (self.extended(a).inside(at), self.extended(b).inside(at + 1));
        Shown::new(format!("{left} {sign} {right}"), at, op.compares().then_some(true))
    }
}

/// The sign of an operation, and how strongly it binds.
fn operator(op: FloatBinOp) -> (&'static str, u8) {
    match op {
        FloatBinOp::Add => ("+", level::SUM),
        FloatBinOp::Sub => ("-", level::SUM),
        FloatBinOp::Mul => ("*", level::PRODUCT),
        FloatBinOp::Div => ("/", level::PRODUCT),
        FloatBinOp::Eq => ("==", level::EQUAL),
        FloatBinOp::Lt => ("<", level::LESS),
        FloatBinOp::Le => ("<=", level::LESS),
    }
}

fn name(format: Format) -> &'static str {
    match format {
        Format::Single => "float",
        Format::Double => "double",
    }
}

fn suffix(format: Format) -> &'static str {
    match format {
        Format::Single => "f",
        Format::Double => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_hexadecimal() {
        let single = |x: f32| hexadecimal(&show_float(Format::Single, x.to_bits().into()));
        let double = |x: f64| hexadecimal(&show_float(Format::Double, x.to_bits()));
        assert_eq!(single(2.5).as_deref(), Some("0x1.4p+1"));
        assert_eq!(single(0.1).as_deref(), Some("0x1.99999ap-4"));
        assert_eq!(single(-1e-45).as_deref(), Some("-0x1p-149"));
        assert_eq!(double(0.1).as_deref(), Some("0x1.999999999999ap-4"));
        assert_eq!(double(-0.0).as_deref(), Some("-0x0p+0"));
        assert_eq!(double(5e-324).as_deref(), Some("0x0.0000000000001p-1022"));
        assert_eq!(double(1e300).as_deref(), Some("0x1.7e43c8800759cp+996"));
        assert_eq!(
            (double(f64::NAN), double(f64::INFINITY), hexadecimal("12"), hexadecimal("&f.e")),
            (None, None, None, None)
        );
    }
}
