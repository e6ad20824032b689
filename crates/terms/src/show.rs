//! Terms in SMT-LIB syntax, with `let` for what is used more than once.

use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, Value};

/// Why something cannot be written in SMT-LIB.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} cannot be written in SMT-LIB")]
pub struct Unprintable(pub String);

/// A term used twice gets a name if it has at least this many nodes.
const MIN_SHARED: usize = 8;

/// The term as an SMT-LIB expression over the names of its symbols (made distinct where they are not).
pub fn show_term(terms: &Terms, term: Term) -> Result<String, Unprintable> {
    let mut names = Names::default();
    names.add_all(terms, &terms.symbols(term));
    let body = Body::new(terms, names, vec![(term, false)])?;
    body.show(|body| body.text((term, false)))
}

/// A value of the sort as an SMT-LIB expression.
pub fn show_value(value: &Value, sort: &Sort) -> String {
    match (value, sort) {
        (Value::Array { default, entries }, Sort::Array(of)) => {
            let mut text = format!("((as const {sort}) {})", show_value(default, &of.1));
            for (index, element) in entries {
                text = format!("(store {text} {} {})", show_value(index, &of.0), show_value(element, &of.1));
            }
            text
        }
        _ => value.to_string(),
    }
}

/// The symbol as SMT-LIB writes it: between bars unless it is a plain one.
pub fn show_symbol(name: &str) -> String {
    const RESERVED: [&str; 13] =
        ["let", "forall", "exists", "match", "par", "as", "_", "!", "lambda", "BINARY", "DECIMAL", "NUMERAL", "STRING"];
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&b);
    let starts_plain = name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
    if starts_plain && name.bytes().all(plain) && !RESERVED.contains(&name) {
        name.to_owned()
    } else {
        format!("|{}|", name.replace(['|', '\\'], "_"))
    }
}

/// Distinct names.
#[derive(Default, Debug)]
pub struct Names {
    of_symbol: FxHashMap<Symbol, String>,
    used: FxHashSet<String>,
    /// Names that are taken as well.
    outer: Arc<FxHashSet<String>>,
    /// The last number given to a name that was wanted before.
    numbers: FxHashMap<String, usize>,
}

impl Names {
    /// Names distinct from those taken here.
    pub fn inside(outer: &Arc<FxHashSet<String>>) -> Names {
        Names { outer: outer.clone(), ..Names::default() }
    }

    /// All names given.
    pub fn into_used(self) -> Arc<FxHashSet<String>> {
        Arc::new(self.used)
    }

    /// A name like this one that nothing else has.
    pub fn unique(&mut self, wanted: &str) -> String {
        let mut name = show_symbol(wanted);
        while self.outer.contains(&name) || !self.used.insert(name.clone()) {
            let number = self.numbers.entry(wanted.to_owned()).or_insert(0);
            *number += 1;
            name = show_symbol(&format!("{wanted}!{number}"));
        }
        name
    }

    /// Gives a symbol a name like the one that is wanted.
    pub fn add(&mut self, symbol: Symbol, wanted: &str) {
        let name = self.unique(wanted);
        self.of_symbol.insert(symbol, name);
    }

    /// Gives symbols their own names, or similar ones.
    pub fn add_all(&mut self, terms: &Terms, symbols: &[Symbol]) {
        for &symbol in symbols {
            self.add(symbol, terms.symbol_name(symbol));
        }
    }

    /// The name of a symbol.
    pub fn of(&self, symbol: Symbol) -> Result<&str, Unprintable> {
        let stray = || Unprintable(format!("the stray symbol {}", symbol.index()));
        self.of_symbol.get(&symbol).map(String::as_str).ok_or_else(stray)
    }
}

/// A term, and whether it stands where a real number is wanted: constants are written accordingly.
type Key = (Term, bool);

/// Some terms that are written together and share names for their common parts.
pub struct Body<'a> {
    terms: &'a Terms,
    names: Names,
    /// What is named, innermost first, with how deep such names nest.
    shared: Vec<(Key, usize)>,
    name_of: FxHashMap<Key, String>,
}

impl<'a> Body<'a> {
    /// Looks for common parts of these terms.
    pub fn new(terms: &'a Terms, names: Names, roots: Vec<Key>) -> Result<Self, Unprintable> {
        let mut body = Body { terms, names, shared: Vec::new(), name_of: FxHashMap::default() };
        let (order, uses) = body.post_order(roots)?;
        // Nodes written for a term, and how deep the names in it nest.
        let mut measures: FxHashMap<Key, (usize, usize)> = FxHashMap::default();
        let mut next = 0;
        for key in order {
            let (mut size, mut level) = (1, 0);
            for part in body.parts(key)? {
                let (part_size, part_level) = measures[&part];
                size += part_size;
                level = level.max(part_level);
            }
            if uses[&key] > 1 && size >= MIN_SHARED {
                next += 1;
                let name = body.names.unique(&format!("a!{next}"));
                body.shared.push((key, level));
                body.name_of.insert(key, name);
                (size, level) = (1, level + 1);
            }
            measures.insert(key, (size, level));
        }
        Ok(body)
    }

    /// All parts before what they are part of, and how often each is used.
    fn post_order(&self, roots: Vec<Key>) -> Result<(Vec<Key>, FxHashMap<Key, usize>), Unprintable> {
        let mut uses: FxHashMap<Key, usize> = FxHashMap::default();
        let mut order = Vec::new();
        let mut stack: Vec<(Key, bool)> = roots.into_iter().rev().map(|root| (root, false)).collect();
        while let Some((key, entered)) = stack.pop() {
            if entered {
                order.push(key);
                continue;
            }
            let count = uses.entry(key).or_insert(0);
            *count += 1;
            if *count == 1 {
                stack.push((key, true));
                stack.extend(self.parts(key)?.into_iter().rev().map(|part| (part, false)));
            }
        }
        Ok((order, uses))
    }

    /// The terms that are written when this one is.
    fn parts(&self, (term, real): Key) -> Result<Vec<Key>, Unprintable> {
        let array_sorts = |array: Term| match self.terms.sort(array) {
            Sort::Array(of) => (of.0 == Sort::Real, of.1 == Sort::Real),
            _ => (false, false),
        };
        Ok(match self.terms.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Big(_) | Node::Symbol(_) => Vec::new(),
            Node::BitVec(..) | Node::BigBitVec(..) => Vec::new(),
            Node::Extract { of, .. } | Node::Extend { of, .. } | Node::IntToBv(_, of) => vec![(of, false)],
            Node::ConstArray(..) => {
                let (_, element) = array_sorts(term);
                self.terms.children(term).map(|t| (t, element)).collect()
            }
            Node::Unary(UnOp::Neg, a) => vec![(a, real)],
            Node::Unary(_, a) => vec![(a, false)],
            Node::Binary(BinOp::And | BinOp::Or, a, b) => vec![(a, false), (b, false)],
            Node::Binary(BinOp::Eq | BinOp::Le | BinOp::Lt, a, b) => {
                let real = self.terms.sort(a) == Sort::Real || self.terms.sort(b) == Sort::Real;
                vec![(a, real), (b, real)]
            }
            Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) => vec![(a, real), (b, real)],
            Node::Binary(BinOp::Mod | BinOp::FloorDiv, a, b) => vec![(a, false), (b, false)],
            Node::Binary(BinOp::Div, a, b) => [a, a, a, b, b].map(|t| (t, false)).to_vec(),
            Node::Binary(BinOp::Rem, a, b) => [a, a, a, a, b, b, b].map(|t| (t, false)).to_vec(),
            Node::Binary(BinOp::Shl | BinOp::Shr, a, b) if self.shift(b).is_some() => vec![(a, false)],
            Node::Binary(BinOp::Select, array, index) => vec![(array, false), (index, array_sorts(array).0)],
            Node::Ite(c, a, b) => vec![(c, false), (a, real), (b, real)],
            Node::Store(array, index, value) => {
                let (index_real, value_real) = array_sorts(array);
                vec![(array, false), (index, index_real), (value, value_real)]
            }
            Node::Binary(op, a, b) if op.on_bit_vectors() => vec![(a, false), (b, false)],
            Node::Binary(op, ..) => return Err(Unprintable(format!("the operation {op:?}"))),
            Node::Fma(_, a, b, c) => vec![(a, false), (b, false), (c, false)],
            Node::Var(_) | Node::At(..) | Node::Input(_) => {
                return Err(Unprintable("a term over the state of a program".to_owned()));
            }
        })
    }

    /// The factor of a shift by a constant.
    fn shift(&self, distance: Term) -> Option<i64> {
        match self.terms.node(distance) {
            Node::Int(n @ 0..32) => Some(1 << n),
            _ => None,
        }
    }

    /// What `inner` writes, under the names it uses.
    pub fn show(&self, inner: impl FnOnce(&Self) -> Result<String, Unprintable>) -> Result<String, Unprintable> {
        let levels = self.shared.iter().map(|(_, level)| level + 1).max().unwrap_or(0);
        let mut groups = vec![String::new(); levels];
        for (key, level) in &self.shared {
            let group = &mut groups[*level];
            let separator = if group.is_empty() { "" } else { " " };
            let mut definition = String::new();
            self.write_node(&mut definition, *key)?;
            write_to(group, format_args!("{separator}({} {definition})", self.name_of[key]));
        }
        let mut text = String::new();
        for group in &groups {
            write_to(&mut text, format_args!("(let ({group})\n"));
        }
        text.push_str(&inner(self)?);
        text.push_str(&")".repeat(levels));
        Ok(text)
    }

    /// One of the terms.
    pub fn text(&self, key: Key) -> Result<String, Unprintable> {
        let mut out = String::new();
        self.write(&mut out, key)?;
        Ok(out)
    }

    /// The terms whose conjunction this one is.
    pub fn conjuncts(&self, term: Term) -> Vec<Key> {
        if self.name_of.contains_key(&(term, false)) {
            return vec![(term, false)];
        }
        match self.terms.node(term) {
            Node::Bool(true) => Vec::new(),
            Node::Binary(BinOp::And, ..) => self.left_spine((term, false), BinOp::And),
            _ => vec![(term, false)],
        }
    }

    /// The names in use.
    pub fn names(&self) -> &Names {
        &self.names
    }

    fn write(&self, out: &mut String, key: Key) -> Result<(), Unprintable> {
        match self.name_of.get(&key) {
            Some(name) => {
                out.push_str(name);
                Ok(())
            }
            None => self.write_node(out, key),
        }
    }

    fn write_node(&self, out: &mut String, key: Key) -> Result<(), Unprintable> {
        let (term, real) = key;
        match self.terms.node(term) {
            Node::Bool(value) => write_to(out, value),
            Node::Int(_) | Node::Big(_) => self.write_number(out, term, real),
            Node::BitVec(..) | Node::BigBitVec(..) => {
                let (width, bits) = self.terms.as_bit_vec(term).expect("it is a constant");
                out.push_str(&crate::sort::bit_vec_literal(width, &bits));
            }
            Node::Symbol(symbol) => out.push_str(self.names.of(symbol)?),
            Node::ConstArray(sort, _) => {
                self.write_list(out, &format!("(as const {})", self.terms.sort_of_id(sort)), self.parts(key)?)?;
            }
            Node::Unary(UnOp::Not, _) => self.write_list(out, "not", self.parts(key)?)?,
            Node::Unary(UnOp::Neg, _) => self.write_list(out, "-", self.parts(key)?)?,
            Node::Unary(UnOp::BitNot, a) => write_to(out, format_args!("(- (- {}) 1)", self.text((a, false))?)),
            Node::Unary(UnOp::BoolToInt, a) => write_to(out, format_args!("(ite {} 1 0)", self.text((a, false))?)),
            Node::Unary(UnOp::BvNot, _) => self.write_list(out, "bvnot", self.parts(key)?)?,
            Node::Unary(UnOp::BvNeg, _) => self.write_list(out, "bvneg", self.parts(key)?)?,
            Node::Unary(UnOp::BvToNat, _) => self.write_list(out, "bv2nat", self.parts(key)?)?,
            Node::Unary(UnOp::Float(..) | UnOp::Extended(_), _) | Node::Fma(..) => {
                return Err(Unprintable("a floating-point operation".to_owned()));
            }
            Node::Extract { hi, lo, .. } => {
                self.write_list(out, &format!("(_ extract {hi} {lo})"), self.parts(key)?)?;
            }
            Node::Extend { signed, by, .. } => {
                let name = if signed { "sign_extend" } else { "zero_extend" };
                self.write_list(out, &format!("(_ {name} {by})"), self.parts(key)?)?;
            }
            Node::IntToBv(width, _) => self.write_list(out, &format!("(_ int2bv {width})"), self.parts(key)?)?,
            Node::Ite(..) => self.write_list(out, "ite", self.parts(key)?)?,
            Node::Store(..) => self.write_list(out, "store", self.parts(key)?)?,
            Node::Binary(op, a, b) => self.write_binary(out, key, op, a, b)?,
            Node::Var(_) | Node::At(..) | Node::Input(_) => {
                return Err(Unprintable("a term over the state of a program".to_owned()));
            }
        }
        Ok(())
    }

    fn write_binary(&self, out: &mut String, key: Key, op: BinOp, a: Term, b: Term) -> Result<(), Unprintable> {
        let chain = |out: &mut String, name| self.write_list(out, name, self.left_spine(key, op));
        let list = |out: &mut String, name| self.write_list(out, name, self.parts(key)?);
        let text = |t| self.text((t, false));
        match op {
            BinOp::And => chain(out, "and"),
            BinOp::Or => chain(out, "or"),
            BinOp::Add => chain(out, "+"),
            BinOp::Mul => chain(out, "*"),
            BinOp::Sub => list(out, "-"),
            BinOp::Eq => list(out, "="),
            BinOp::Le => list(out, "<="),
            BinOp::Lt => list(out, "<"),
            BinOp::Mod => list(out, "mod"),
            BinOp::FloorDiv => list(out, "div"),
            BinOp::Select => list(out, "select"),
            BinOp::Div => {
                out.push_str(&truncated(&text(a)?, &text(b)?));
                Ok(())
            }
            BinOp::Rem => {
                let (a, b) = (text(a)?, text(b)?);
                write_to(out, format_args!("(- {a} (* {b} {}))", truncated(&a, &b)));
                Ok(())
            }
            BinOp::Shl | BinOp::Shr => {
                let name = if op == BinOp::Shl { "*" } else { "div" };
                let factor = self.shift(b).ok_or_else(|| Unprintable(format!("the operation {op:?}")))?;
                write_to(out, format_args!("({name} {} {factor})", text(a)?));
                Ok(())
            }
            op if op.on_bit_vectors() => list(out, bv_name(op)),
            _ => Err(Unprintable(format!("the operation {op:?}"))),
        }
    }

    /// The arguments of a left-associative operation: `((a + b) + c)` is one sum.
    fn left_spine(&self, key: Key, op: BinOp) -> Vec<Key> {
        let (mut left, real) = key;
        let mut reversed = Vec::new();
        while let Node::Binary(own, a, b) = self.terms.node(left) {
            if own != op || left != key.0 && self.name_of.contains_key(&(left, real)) {
                break;
            }
            reversed.push((b, real));
            left = a;
        }
        reversed.push((left, real));
        reversed.reverse();
        reversed
    }

    fn write_list(&self, out: &mut String, name: &str, parts: Vec<Key>) -> Result<(), Unprintable> {
        out.push('(');
        out.push_str(name);
        for part in parts {
            out.push(' ');
            self.write(out, part)?;
        }
        out.push(')');
        Ok(())
    }

    fn write_number(&self, out: &mut String, term: Term, real: bool) {
        let value = self.terms.as_integer(term).expect("it is a constant");
        let point = if real { ".0" } else { "" };
        if value.sign() == num_bigint::Sign::Minus {
            write_to(out, format_args!("(- {}{point})", value.magnitude()));
        } else {
            write_to(out, format_args!("{value}{point}"));
        }
    }
}

/// What SMT-LIB calls an operation on bit-vectors.
fn bv_name(op: BinOp) -> &'static str {
    match op {
        BinOp::BvAdd => "bvadd",
        BinOp::BvSub => "bvsub",
        BinOp::BvMul => "bvmul",
        BinOp::BvUdiv => "bvudiv",
        BinOp::BvUrem => "bvurem",
        BinOp::BvSdiv => "bvsdiv",
        BinOp::BvSrem => "bvsrem",
        BinOp::BvSmod => "bvsmod",
        BinOp::BvAnd => "bvand",
        BinOp::BvOr => "bvor",
        BinOp::BvXor => "bvxor",
        BinOp::BvShl => "bvshl",
        BinOp::BvLshr => "bvlshr",
        BinOp::BvAshr => "bvashr",
        BinOp::BvConcat => "concat",
        BinOp::BvUlt => "bvult",
        BinOp::BvUle => "bvule",
        BinOp::BvSlt => "bvslt",
        BinOp::BvSle => "bvsle",
        _ => unreachable!("{op:?} is not an operation on bit-vectors"),
    }
}

/// Division toward zero, by SMT-LIB's, which leaves a remainder that is not negative.
fn truncated(a: &str, b: &str) -> String {
    format!("(ite (<= 0 {a}) (div {a} {b}) (- (div (- {a}) {b})))")
}

fn write_to(out: &mut String, text: impl std::fmt::Display) {
    write!(out, "{text}").expect("writing to memory cannot fail");
}
