//! Floating-point numbers and operations as C.

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
            Node::Binary(BinOp::Select | BinOp::Float(..), ..) | Node::Unary(UnOp::Float(..), _) => self.show(term),
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

    pub(super) fn float_binary(&mut self, op: FloatBinOp, format: Format, a: Term, b: Term) -> Shown {
        let (sign, at) = match op {
            FloatBinOp::Add => ("+", level::SUM),
            FloatBinOp::Sub => ("-", level::SUM),
            FloatBinOp::Mul => ("*", level::PRODUCT),
            FloatBinOp::Div => ("/", level::PRODUCT),
            FloatBinOp::Eq => ("==", level::EQUAL),
            FloatBinOp::Lt => ("<", level::LESS),
            FloatBinOp::Le => ("<=", level::LESS),
        };
        let (left, right) = (self.float(format, a).inside(at), self.float(format, b).inside(at + 1));
        Shown::new(format!("{left} {sign} {right}"), at, op.compares().then_some(true))
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
