//! Terms as C expressions.
//!
//! An expression means in C what the term means: bit-vectors have no sign, so a cast is shown where C would read an operand
//! differently.

use clinch_terms::float::Format;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use num_bigint::BigInt;

use super::name_in;
use crate::cfa::CfaProgram;

/// Deeper parts are left out.
const MAX_DEPTH: u32 = 100;

/// So many parts are shown.
const MAX_PARTS: u32 = 20_000;

/// A term as a C expression. Parts that are too deep or too many show as `...`.
pub fn show_c(program: &CfaProgram, term: Term) -> String {
    show_c_in(program, &program.terms, term)
}

/// A term of a store that extends the program's, as a C expression.
pub fn show_c_in(program: &CfaProgram, terms: &Terms, term: Term) -> String {
    Printer { program, terms, depth: 0, left: MAX_PARTS }.show(term).text
}

/// A value of a C type: floats as numbers.
pub(super) fn show_typed(program: &CfaProgram, term: Term, ty: &str) -> String {
    let mut printer = Printer { program, terms: &program.terms, depth: 0, left: MAX_PARTS };
    let format = is_float(ty).then(|| Format::of_width(printer.width(term))).flatten();
    match format {
        Some(format) => printer.float(format, term).text,
        None => printer.show(term).text,
    }
}

/// A cell of a region.
pub(super) fn show_cell(program: &CfaProgram, region: Symbol, address: Term) -> String {
    let mut printer = Printer { program, terms: &program.terms, depth: 0, left: MAX_PARTS };
    printer.cell(region, address).text
}

/// How tightly an operator binds.
pub(super) mod level {
    pub(in crate::cfa::print) const CHOICE: u8 = 1;
    pub(in crate::cfa::print) const OR: u8 = 2;
    pub(in crate::cfa::print) const AND: u8 = 3;
    pub(in crate::cfa::print) const BIT_OR: u8 = 4;
    pub(in crate::cfa::print) const BIT_XOR: u8 = 5;
    pub(in crate::cfa::print) const BIT_AND: u8 = 6;
    pub(in crate::cfa::print) const EQUAL: u8 = 7;
    pub(in crate::cfa::print) const LESS: u8 = 8;
    pub(in crate::cfa::print) const SHIFT: u8 = 9;
    pub(in crate::cfa::print) const SUM: u8 = 10;
    pub(in crate::cfa::print) const PRODUCT: u8 = 11;
    pub(in crate::cfa::print) const UNARY: u8 = 12;
    pub(in crate::cfa::print) const ATOM: u8 = 13;
}

/// A shown term: how tightly it binds, and how C reads its sign (`None` for a constant, which fits either).
pub(super) struct Shown {
    pub(super) text: String,
    level: u8,
    signed: Option<bool>,
    /// Its C type, where it is a variable or a member.
    pub(super) ty: Option<String>,
}

impl Shown {
    pub(super) fn new(text: impl Into<String>, level: u8, signed: Option<bool>) -> Self {
        Shown { text: text.into(), level, signed, ty: None }
    }

    /// Something of a C type.
    fn typed(text: impl Into<String>, level: u8, ty: &str, signed: bool) -> Self {
        Shown { text: text.into(), level, signed: Some(signed), ty: Some(ty.to_owned()) }
    }

    /// Its type, if it is a pointer.
    fn pointer(&self) -> Option<&str> {
        self.ty.as_deref().filter(|ty| ty.ends_with('*'))
    }

    /// As an operand of an operator.
    pub(super) fn inside(self, level: u8) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text }
    }
}

pub(super) struct Printer<'a> {
    pub(super) program: &'a CfaProgram,
    pub(super) terms: &'a Terms,
    depth: u32,
    left: u32,
}

impl Printer<'_> {
    pub(super) fn width(&self, term: Term) -> u32 {
        match self.terms.sort_id(term).map(|id| self.terms.sort_of_id(id)) {
            Some(Sort::BitVec(width)) => *width,
            Some(Sort::Bool) => 32,
            _ => 0,
        }
    }

    pub(super) fn show(&mut self, term: Term) -> Shown {
        self.guarded(|printer| printer.node(term))
    }

    /// Shows a part, unless it is too deep.
    pub(super) fn guarded(&mut self, show: impl FnOnce(&mut Self) -> Shown) -> Shown {
        if self.depth >= MAX_DEPTH || self.left == 0 {
            return Shown::new("...", level::ATOM, None);
        }
        self.depth += 1;
        self.left -= 1;
        let shown = show(self);
        self.depth -= 1;
        shown
    }

    fn node(&mut self, term: Term) -> Shown {
        match self.terms.node(term) {
            Node::Bool(b) => Shown::new(if b { "1" } else { "0" }, level::ATOM, None),
            Node::Int(v) if v < 0 => Shown::new(v.to_string(), level::UNARY, Some(true)),
            Node::Int(v) => Shown::new(v.to_string(), level::ATOM, Some(true)),
            Node::Big(id) => Shown::new(self.terms.big_value(id).to_string(), level::UNARY, Some(true)),
            Node::BitVec(width, bits) => constant(width, bits, true),
            Node::BigBitVec(_, id) => wide_constant(self.terms.big_value(id)),
            Node::Symbol(symbol) => {
                let info = self.program.variables.get(&symbol);
                let (signed, ty) = info.map_or((true, ""), |v| (v.signed, v.ty.as_str()));
                if is_float(ty) {
                    return Shown::new(
                        format!("bits({})", name_in(self.program, self.terms, symbol)),
                        level::ATOM,
                        None,
                    );
                }
                Shown::typed(name_in(self.program, self.terms, symbol), level::ATOM, ty, signed)
            }
            Node::Unary(op, a) => self.unary(op, a),
            Node::Binary(op, a, b) => self.binary(term, op, a, b),
            Node::Ite(c, a, b) => self.choice(c, a, b),
            Node::Fma(format, a, b, c) => self.fma(format, [a, b, c]),
            Node::Extract { hi, lo, of } => self.extract(hi, lo, of),
            Node::Extend { signed, of, .. } => self.extend(term, signed, of),
            Node::IntToBv(width, a) => {
                let inner = self.show(a).inside(level::UNARY);
                Shown::new(format!("({}){inner}", self.type_name(width, false)), level::UNARY, Some(false))
            }
            Node::Store(array, index, value) => {
                let (array, index, value) = (self.show(array).text, self.show(index).text, self.show(value).text);
                Shown::new(format!("store({array}, {index}, {value})"), level::ATOM, None)
            }
            Node::ConstArray(_, element) => Shown::new(format!("all({})", self.show(element).text), level::ATOM, None),
            Node::Var(_) | Node::At(..) | Node::Input(_) => Shown::new("?", level::ATOM, None),
        }
    }

    /// The C type of so many bits.
    pub(super) fn type_name(&self, width: u32, signed: bool) -> String {
        let long = if self.program.pointer_bits == 64 { "long" } else { "long long" };
        let name = match width {
            8 if signed => return "signed char".to_owned(),
            8 => "char",
            16 => "short",
            32 => "int",
            64 => long,
            128 => "__int128",
            _ if signed => return format!("_BitInt({width})"),
            _ => return format!("unsigned _BitInt({width})"),
        };
        if signed { name.to_owned() } else { format!("unsigned {name}") }
    }

    /// An operand that C must read with this sign.
    pub(super) fn with_sign(&mut self, term: Term, signed: bool) -> Shown {
        if let Node::BitVec(width, bits) = self.terms.node(term) {
            return constant(width, bits, signed);
        }
        let width = self.width(term);
        let shown = self.show(term);
        match shown.signed {
            Some(own) if own != signed && width > 0 => self.cast(shown, width, signed),
            _ => shown,
        }
    }

    fn cast(&self, shown: Shown, width: u32, signed: bool) -> Shown {
        let text = format!("({}){}", self.type_name(width, signed), shown.inside(level::UNARY));
        Shown::new(text, level::UNARY, Some(signed))
    }

    fn unary(&mut self, op: UnOp, a: Term) -> Shown {
        if op == UnOp::Not
            && let Some(shown) = self.negation(a)
        {
            return shown;
        }
        if let UnOp::Float(op, format) = op {
            return self.float_unary(op, format, a);
        }
        if let UnOp::Extended(op) = op {
            return self.extended_unary(op, a);
        }
        let width = self.width(a);
        let shown = self.show(a);
        let signed = shown.signed;
        let sign = match op {
            UnOp::Not => "!",
            UnOp::Neg | UnOp::BvNeg => "-",
            UnOp::BitNot | UnOp::BvNot => "~",
            UnOp::BoolToInt | UnOp::Float(..) | UnOp::Extended(_) => return shown,
            UnOp::BvToNat => return if signed == Some(false) { shown } else { self.cast(shown, width, false) },
        };
        let inner = shown.inside(level::UNARY);
        // Not `--x`, which is something else.
        let inner = if sign == "-" && inner.starts_with('-') { format!("({inner})") } else { inner };
        let result = Shown::new(format!("{sign}{inner}"), level::UNARY, signed);
        if op.on_bit_vectors() { self.narrow(result, width) } else { result }
    }

    /// The result of an operation on fewer bits than C computes with is cut.
    fn narrow(&self, shown: Shown, width: u32) -> Shown {
        if width >= 32 || width == 0 {
            return shown;
        }
        let signed = shown.signed.unwrap_or(true);
        self.cast(shown, width, signed)
    }

    /// A negated comparison is a comparison.
    fn negation(&mut self, term: Term) -> Option<Shown> {
        let Node::Binary(op, a, b) = self.terms.node(term) else { return None };
        match op {
            BinOp::Eq => Some(self.comparison("!=", level::EQUAL, None, a, b)),
            BinOp::Lt => Some(self.comparison(">=", level::LESS, None, a, b)),
            BinOp::Le => Some(self.comparison(">", level::LESS, None, a, b)),
            BinOp::BvSlt => Some(self.comparison(">=", level::LESS, Some(true), a, b)),
            BinOp::BvSle => Some(self.comparison(">", level::LESS, Some(true), a, b)),
            BinOp::BvUlt => Some(self.comparison(">=", level::LESS, Some(false), a, b)),
            BinOp::BvUle => Some(self.comparison(">", level::LESS, Some(false), a, b)),
            _ => None,
        }
    }

    /// Both operands as C must read them for an operation that has this sign, or none.
    fn operands(&mut self, signed: Option<bool>, a: Term, b: Term) -> (Shown, Shown) {
        let width = self.width(a);
        if let Some(signed) = signed {
            return (self.with_sign(a, signed), self.with_sign(b, signed));
        }
        if width == 0 {
            return (self.show(a), self.show(b));
        }
        // C widens short operands by their signs, which must agree; constants take the sign of the other side.
        let (left, right) = (self.show(a), self.show(b));
        match (left.signed, right.signed) {
            (Some(own), None) => (left, self.with_sign(b, own)),
            (None, Some(own)) => (self.with_sign(a, own), right),
            (Some(x), Some(y)) if x != y && width < 32 => {
                let right = self.cast(right, width, x);
                (left, right)
            }
            _ => (left, right),
        }
    }

    fn comparison(&mut self, sign: &str, at: u8, signed: Option<bool>, a: Term, b: Term) -> Shown {
        if signed.is_none()
            && let Some(shown) = self.pointers(sign, at, a, b).or_else(|| self.pointers(sign, at, b, a))
        {
            return shown;
        }
        if let Some(shown) = self.same_number(sign, a, b) {
            return shown;
        }
        let (left, right) = self.operands(signed, a, b);
        let text = format!("{} {sign} {}", left.inside(at), right.inside(at + 1));
        Shown::new(text, at, Some(true))
    }

    /// A pointer compared with an address that has a name.
    fn pointers(&mut self, sign: &str, at: u8, pointer: Term, address: Term) -> Option<Shown> {
        let address = self.constant_address(address)?;
        if !matches!(self.terms.node(pointer), Node::Symbol(_) | Node::Binary(BinOp::Select, ..)) {
            return None;
        }
        let shown = self.show(pointer);
        let ty = shown.pointer()?.to_owned();
        let place = self.object_at(address).map(|(object, offset)| self.address_of(object, offset, &ty));
        let place = if address == 0 { "0".to_owned() } else { place.unwrap_or_else(|| format!("({ty}){address}")) };
        Some(Shown::new(format!("{} {sign} {place}", shown.inside(at)), at, Some(true)))
    }

    pub(super) fn constant_address(&self, term: Term) -> Option<u64> {
        match self.terms.node(term) {
            Node::BitVec(width, address) if width == self.program.pointer_bits => Some(address),
            Node::Int(address) => u64::try_from(address).ok(),
            _ => None,
        }
    }

    /// The object that an address is in, and where in it.
    fn object_at(&self, address: u64) -> Option<(usize, u64)> {
        let inside = |o: &crate::cfa::Object| address.wrapping_sub(o.address) < o.size.max(1);
        let found = self.program.objects.iter().position(inside)?;
        Some((found, address - self.program.objects[found].address))
    }

    /// The address of a part of an object, as a pointer of a type.
    fn address_of(&self, object: usize, offset: u64, ty: &str) -> String {
        let object = &self.program.objects[object];
        let element = if object.ty.ends_with(']') { "[0]" } else { "" };
        match (offset, self.member(&object.ty, offset)) {
            (0, _) => format!("&{}{element}", object.name),
            (_, Some(member)) if ty == format!("{} *", member.ty) => format!("&{}{}", object.name, member.path),
            _ => format!("({ty})((char *)&{} + {offset})", object.name),
        }
    }

    /// The scalar at an offset in an object of a type.
    fn member(&self, ty: &str, offset: u64) -> Option<&crate::cfa::Member> {
        self.program.layouts.get(ty)?.iter().find(|m| m.offset == offset)
    }

    fn binary(&mut self, term: Term, op: BinOp, a: Term, b: Term) -> Shown {
        match op {
            BinOp::Select => return self.select(a, b),
            BinOp::BvConcat => return self.concat(term, a, b),
            BinOp::Float(op, format) => return self.float_binary(op, format, a, b),
            BinOp::Extended(op) => return self.extended_binary(op, a, b),
            BinOp::Mod | BinOp::FloorDiv | BinOp::BvSmod => {
                let name = if op == BinOp::FloorDiv { "floor_div" } else { "mod" };
                let text = format!("{name}({}, {})", self.show(a).text, self.show(b).text);
                return Shown::new(text, level::ATOM, Some(true));
            }
            BinOp::Eq => return self.comparison("==", level::EQUAL, None, a, b),
            BinOp::Le => return self.comparison("<=", level::LESS, None, a, b),
            BinOp::Lt => return self.comparison("<", level::LESS, None, a, b),
            BinOp::BvSle => return self.comparison("<=", level::LESS, Some(true), a, b),
            BinOp::BvSlt => return self.comparison("<", level::LESS, Some(true), a, b),
            BinOp::BvUle => return self.comparison("<=", level::LESS, Some(false), a, b),
            BinOp::BvUlt => return self.comparison("<", level::LESS, Some(false), a, b),
            BinOp::And | BinOp::Or => {
                let (sign, at) = if op == BinOp::And { ("&&", level::AND) } else { ("||", level::OR) };
                let (left, right) = (self.show(a), self.show(b));
                let text = format!("{} {sign} {}", left.inside(at), right.inside(at + 1));
                return Shown::new(text, at, Some(true));
            }
            _ => {}
        }
        if matches!(op, BinOp::BvAdd | BinOp::Add)
            && let Some(positive) = self.negative_constant(b)
        {
            let left = self.show(a);
            let (signed, text) = (left.signed, format!("{} - {positive}", left.inside(level::SUM)));
            let width = self.width(term);
            return self.narrow(Shown::new(text, level::SUM, signed), width);
        }
        self.arithmetic(op, a, b)
    }

    /// `x + -3` is shown as `x - 3`.
    fn negative_constant(&self, term: Term) -> Option<u64> {
        let value = match self.terms.node(term) {
            Node::Int(v) => v,
            Node::BitVec(width @ 1..=64, bits) => ((bits << (64 - width)) as i64) >> (64 - width),
            _ => return None,
        };
        (value < 0 && value > i64::from(i32::MIN)).then(|| value.unsigned_abs())
    }

    fn arithmetic(&mut self, op: BinOp, a: Term, b: Term) -> Shown {
        let (sign, at, signed) = match op {
            BinOp::BvAdd | BinOp::Add => ("+", level::SUM, None),
            BinOp::BvSub | BinOp::Sub => ("-", level::SUM, None),
            BinOp::BvMul | BinOp::Mul => ("*", level::PRODUCT, None),
            BinOp::BvUdiv => ("/", level::PRODUCT, Some(false)),
            BinOp::BvSdiv => ("/", level::PRODUCT, Some(true)),
            BinOp::Div => ("/", level::PRODUCT, None),
            BinOp::BvUrem => ("%", level::PRODUCT, Some(false)),
            BinOp::BvSrem => ("%", level::PRODUCT, Some(true)),
            BinOp::Rem => ("%", level::PRODUCT, None),
            BinOp::BvAnd | BinOp::BitAnd => ("&", level::BIT_AND, None),
            BinOp::BvOr | BinOp::BitOr => ("|", level::BIT_OR, None),
            BinOp::BvXor | BinOp::BitXor => ("^", level::BIT_XOR, None),
            BinOp::BvLshr => (">>", level::SHIFT, Some(false)),
            BinOp::BvAshr => (">>", level::SHIFT, Some(true)),
            BinOp::BvShl | BinOp::Shl => ("<<", level::SHIFT, None),
            _ => (">>", level::SHIFT, None),
        };
        let width = self.width(a);
        let (left, right) = if at == level::SHIFT {
            // The sign of a shift is that of its left operand.
            let left = if let Some(signed) = signed { self.with_sign(a, signed) } else { self.show(a) };
            (left, self.with_sign(b, true))
        } else {
            self.operands(signed, a, b)
        };
        let sign_of_result = match (left.signed, right.signed) {
            (own, _) if at == level::SHIFT => own,
            (Some(false), _) | (_, Some(false)) => Some(false),
            (None, None) => None,
            _ => Some(true),
        };
        let text = format!("{} {sign} {}", left.inside(at), right.inside(at + 1));
        self.narrow(Shown::new(text, at, sign_of_result), width)
    }

    fn choice(&mut self, c: Term, a: Term, b: Term) -> Shown {
        let (left, right) = self.operands(None, a, b);
        let signed = if left.signed == Some(false) || right.signed == Some(false) { Some(false) } else { Some(true) };
        let condition = self.show(c).inside(level::OR);
        let text = format!("{condition} ? {} : {}", left.inside(level::OR), right.inside(level::CHOICE));
        Shown::new(text, level::CHOICE, signed)
    }

    /// A cell of memory: by its name (`list.next`), through a pointer (`p->next`), or by its address.
    pub(super) fn select(&mut self, array: Term, address: Term) -> Shown {
        let Node::Symbol(symbol) = self.terms.node(array) else {
            let (array, address) = (self.show(array).inside(level::ATOM), self.address(address));
            return Shown::new(format!("{array}[{address}]"), level::ATOM, Some(true));
        };
        self.cell(symbol, address)
    }

    pub(super) fn cell(&mut self, region: Symbol, address: Term) -> Shown {
        if let Some(shown) = self.named_cell(address).or_else(|| self.cell_behind(address)) {
            return shown;
        }
        let width = 8 * self.program.region(region).map_or(4, |r| r.cell_bytes);
        let (ty, address) = (self.type_name(width, true), self.bytes(address));
        Shown::new(format!("*({ty} *)({address})"), level::UNARY, Some(true))
    }

    /// A cell of an object with a name.
    fn named_cell(&mut self, address: Term) -> Option<Shown> {
        let (object, offset) = self.object_at(self.constant_address(address)?)?;
        let object = &self.program.objects[object];
        let member = self.member(&object.ty, offset)?;
        let text = format!("{}{}", object.name, member.path);
        Some(Shown::typed(text, level::ATOM, &member.ty, is_signed(&member.ty)))
    }

    /// A cell of what a pointer points to.
    fn cell_behind(&mut self, address: Term) -> Option<Shown> {
        let (Some(pointer), offset) = self.moved(address) else { return None };
        if !matches!(self.terms.node(pointer), Node::Symbol(_) | Node::Binary(BinOp::Select, ..)) {
            return None;
        }
        let shown = self.show(pointer);
        let member = self.member(&format!("*{}", shown.pointer()?), offset)?.clone();
        let pointer = shown.inside(level::ATOM);
        let (text, at) = match member.path.strip_prefix('.') {
            Some(path) => (format!("{pointer}->{path}"), level::ATOM),
            None if member.path.is_empty() => (format!("*{pointer}"), level::UNARY),
            None => (format!("(*{pointer}){}", member.path), level::ATOM),
        };
        Some(Shown::typed(text, at, &member.ty, is_signed(&member.ty)))
    }

    /// An address in bytes, as a pointer to characters.
    fn bytes(&mut self, address: Term) -> String {
        if let Some((object, offset)) = self.constant_address(address).and_then(|a| self.object_at(a)) {
            let plus = if offset == 0 { String::new() } else { format!(" + {offset}") };
            return format!("(char *)&{}{plus}", self.program.objects[object].name);
        }
        match self.terms.node(address) {
            Node::Binary(BinOp::BvAdd | BinOp::Add, a, b) if self.is_in_object(b) => {
                format!("{} + {}", self.bytes(b), self.show(a).inside(level::SUM + 1))
            }
            Node::Binary(BinOp::BvAdd | BinOp::Add, a, b) if self.constant_address(b).is_some() => {
                format!("{} + {}", self.bytes(a), self.show(b).inside(level::SUM + 1))
            }
            _ => format!("(char *){}", self.show(address).inside(level::UNARY)),
        }
    }

    /// An address: constants are places in objects.
    fn address(&mut self, term: Term) -> String {
        match self.terms.node(term) {
            Node::BitVec(_, address) => object_place(self.program, address),
            Node::Int(address) => object_place(self.program, address as u64),
            // The object first.
            Node::Binary(BinOp::BvAdd | BinOp::Add, a, b) if self.is_in_object(b) => {
                format!("{} + {}", self.address(b), self.show(a).inside(level::SUM + 1))
            }
            _ => self.show(term).text,
        }
    }

    fn is_in_object(&self, term: Term) -> bool {
        let address = match self.terms.node(term) {
            Node::BitVec(_, address) => address,
            Node::Int(address) => address as u64,
            _ => return false,
        };
        self.program.objects.iter().any(|o| address.wrapping_sub(o.address) < o.size.max(1))
    }

    fn concat(&mut self, term: Term, a: Term, b: Term) -> Shown {
        if let Some(shown) = self.word(term) {
            return shown;
        }
        let (width, below) = (self.width(term), self.width(b));
        let ty = self.type_name(width, false);
        let high = self.with_sign(a, false).inside(level::UNARY);
        let low = self.with_sign(b, false).inside(level::BIT_OR + 1);
        Shown::new(format!("({ty}){high} << {below} | {low}"), level::BIT_OR, Some(false))
    }

    fn extract(&mut self, hi: u32, lo: u32, of: Term) -> Shown {
        let width = hi - lo + 1;
        let shown = self.show(of);
        let shifted = match lo {
            0 => shown,
            _ => {
                let signed = shown.signed;
                Shown::new(format!("{} >> {lo}", shown.inside(level::SHIFT)), level::SHIFT, signed)
            }
        };
        match width {
            8 | 16 | 32 | 64 => {
                let signed = shifted.signed.unwrap_or(true);
                self.cast(shifted, width, signed)
            }
            _ => {
                let mask = if width < 64 { (1u64 << width) - 1 } else { u64::MAX };
                let text = format!("{} & {mask:#x}", shifted.inside(level::BIT_AND));
                Shown::new(text, level::BIT_AND, Some(false))
            }
        }
    }

    fn extend(&mut self, term: Term, signed: bool, of: Term) -> Shown {
        let (from, to) = (self.width(of), self.width(term));
        let inner = self.with_sign(of, signed);
        match to {
            // C does this by itself.
            32 if from < 32 => Shown { signed: Some(true), ty: None, ..inner },
            _ => self.cast(inner, to, signed),
        }
    }
}

/// Whether C reads a scalar of a type with a sign.
fn is_signed(ty: &str) -> bool {
    !(ty.starts_with("unsigned") || ty == "_Bool" || ty.ends_with('*'))
}

/// A constant as C reads it.
fn constant(width: u32, bits: u64, signed: bool) -> Shown {
    let value = if signed && (1..=64).contains(&width) {
        i128::from(((bits << (64 - width)) as i64) >> (64 - width))
    } else {
        i128::from(bits)
    };
    let suffix = match width {
        _ if signed || value < 1 << 31 => "",
        0..=32 => "u",
        _ => "ul",
    };
    let level = if value < 0 { level::UNARY } else { level::ATOM };
    Shown::new(format!("{value}{suffix}"), level, None)
}

/// Bits that no literal of C has room for: two halves.
fn wide_constant(bits: &BigInt) -> Shown {
    let (high, low) = (bits >> 64_u32, bits & BigInt::from(u64::MAX));
    let text = format!("(__int128)((unsigned __int128){high}u << 64 | {low}u)");
    Shown::new(text, level::UNARY, Some(true))
}

/// `&object + offset`, or the number.
pub(super) fn object_place(program: &CfaProgram, address: u64) -> String {
    match program.objects.iter().find(|o| address.wrapping_sub(o.address) < o.size.max(1)) {
        Some(object) if object.address == address => format!("&{}", object.name),
        Some(object) => format!("&{} + {}", object.name, address - object.address),
        None => address.to_string(),
    }
}

/// Whether a C type is one whose values are shown as numbers with a point.
pub(super) fn is_float(ty: &str) -> bool {
    matches!(ty, "float" | "double")
}
