//! Terms as Z3 expressions: integers as Z3 integers, a program's array of constant size as one expression per element, a
//! formula's array as a Z3 array.
//!
//! Undefined operations get *some* value here (an index outside its array reads the last element, division by zero
//! is whatever Z3 says). Callers ask only about terms that are defined, or that are false where they are not.

use clinch_ir::range::range;
use clinch_ir::{Domain, Program};
use clinch_terms::float::circuit::{self, Template};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, VarId};
use rustc_hash::FxHashMap;
use z3::ast::{self, Ast, BV, Bool, Int, Real};

use crate::bit_vectors;
use crate::expr::Expr;

/// The Z3 sort of a sort.
pub(crate) fn z3_sort(sort: &Sort) -> z3::Sort {
    match sort {
        Sort::Bool => z3::Sort::bool(),
        Sort::Int => z3::Sort::int(),
        Sort::Real => z3::Sort::real(),
        Sort::BitVec(width) => z3::Sort::bitvector(*width),
        Sort::Array(of) => z3::Sort::array(&z3_sort(&of.0), &z3_sort(&of.1)),
    }
}

/// The Z3 constant of a symbol.
pub(crate) fn symbol_constant(terms: &Terms, symbol: Symbol) -> Expr {
    let name = format!("{}!{}", terms.symbol_name(symbol), symbol.index());
    match terms.symbol_sort(symbol) {
        Sort::Bool => Expr::Bool(Bool::new_const(name)),
        Sort::Int => Expr::Int(Int::new_const(name)),
        Sort::Real => Expr::Real(Real::new_const(name)),
        Sort::BitVec(width) => Expr::BitVec(BV::new_const(name, *width)),
        Sort::Array(of) => Expr::Map(ast::Array::new_const(name, &z3_sort(&of.0), &z3_sort(&of.1))),
    }
}

/// Translates terms of one program, or formulas, each once.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    vars: Vec<Expr>,
    locations: Vec<Int>,
    inputs: Vec<Int>,
    memo: FxHashMap<Term, Expr>,
    /// For the domains of variables; none for formulas.
    program: Option<Program>,
}

impl Encoder {
    /// Constants for the program's variables, and what is known of them.
    pub(crate) fn new(program: &Program) -> (Self, Vec<Bool>) {
        let mut known = Vec::new();
        let vars = (0..program.vars.len()).map(|i| constant(program, VarId::from_index(i), &mut known)).collect();
        let locations = program.processes.iter().enumerate().map(|(i, process)| {
            let location = Int::new_const(format!("pc!{i}"));
            known.push(location.ge(0_i64));
            known.push(location.lt(process.locations.len() as i64));
            location
        });
        let locations = locations.collect();
        (
            Encoder { vars, locations, inputs: Vec::new(), memo: FxHashMap::default(), program: Some(program.clone()) },
            known,
        )
    }

    /// The expression of a term.
    pub(crate) fn term(&mut self, terms: &Terms, term: Term) -> Expr {
        if let Some(done) = self.memo.get(&term) {
            return done.clone();
        }
        let expr = self.translate(terms, term);
        self.memo.insert(term, expr.clone());
        expr
    }

    /// Whether a term was translated.
    pub(crate) fn knows(&self, term: Term) -> bool {
        self.memo.contains_key(&term)
    }

    /// Says what stands for a term.
    pub(crate) fn define(&mut self, term: Term, expr: Expr) {
        self.memo.entry(term).or_insert(expr);
    }

    fn translate(&mut self, terms: &Terms, term: Term) -> Expr {
        match terms.node(term) {
            Node::Bool(b) => Expr::Bool(Bool::from_bool(b)),
            Node::Int(k) => Expr::Int(Int::from_i64(k)),
            Node::Var(v) => self.vars[v.index()].clone(),
            Node::At(process, location) => {
                Expr::Bool(self.locations[process.index()].eq(Int::from_i64(location.0.into())))
            }
            Node::Input(i) => Expr::Int(self.input(i)),
            Node::Big(id) => Expr::Int(terms.big_value(id).to_string().parse().expect("a numeral")),
            Node::BitVec(..) | Node::BigBitVec(..) => Expr::BitVec(bit_vectors::constant(terms, term)),
            Node::Extract { hi, lo, of } => Expr::BitVec(self.term(terms, of).bit_vec().extract(hi, lo)),
            Node::Extend { signed: true, by, of } => Expr::BitVec(self.term(terms, of).bit_vec().sign_ext(by)),
            Node::Extend { signed: false, by, of } => Expr::BitVec(self.term(terms, of).bit_vec().zero_ext(by)),
            Node::IntToBv(width, a) => Expr::BitVec(BV::from_int(&self.term(terms, a).int(), width)),
            Node::Symbol(symbol) => symbol_constant(terms, symbol),
            Node::ConstArray(sort, element) => {
                let Sort::Array(of) = terms.sort_of_id(sort) else { unreachable!("an array sort") };
                Expr::Map(ast::Array::const_array(&z3_sort(&of.0), &self.term(terms, element).of_sort(&of.1)))
            }
            Node::Unary(UnOp::Float(..) | UnOp::Extended(_), _)
            | Node::Binary(BinOp::Float(..) | BinOp::Extended(_), ..)
            | Node::Fma(..) => self.float(terms, term),
            Node::Unary(op, a) => {
                let a = self.term(terms, a);
                unary(op, a)
            }
            Node::Binary(op @ (BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor), a, b) => {
                let bits = self.width(terms, a).max(self.width(terms, b));
                let (a, b) = (self.term(terms, a).int(), self.term(terms, b).int());
                Expr::Int(bitwise(op, &a, &b, bits))
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.term(terms, a), self.term(terms, b));
                binary(op, a, b)
            }
            Node::Ite(c, a, b) => {
                let c = self.term(terms, c).bool();
                Expr::ite(&c, &self.term(terms, a), &self.term(terms, b))
            }
            Node::Store(array, index, value) => self.stored(terms, array, index, value),
        }
    }

    /// An operation on floats: a circuit.
    fn float(&mut self, terms: &Terms, term: Term) -> Expr {
        match terms.node(term) {
            Node::Unary(UnOp::Float(op, format), a) => {
                let template = circuit::unary_template(op, format, terms.bv_width(a));
                instance(&template, &[self.term(terms, a)])
            }
            Node::Binary(BinOp::Float(op, format), a, b) => {
                let operands = [self.term(terms, a), self.term(terms, b)];
                instance(&circuit::binary_template(op, format), &operands)
            }
            Node::Unary(UnOp::Extended(op), a) => {
                let template = circuit::extended_unary_template(op, terms.bv_width(a));
                instance(&template, &[self.term(terms, a)])
            }
            Node::Binary(BinOp::Extended(op), a, b) => {
                let operands = [self.term(terms, a), self.term(terms, b)];
                instance(&circuit::extended_binary_template(op), &operands)
            }
            Node::Fma(format, a, b, c) => {
                let operands = [a, b, c].map(|operand| self.term(terms, operand));
                instance(&circuit::fma_template(format), &operands)
            }
            other => unreachable!("{other:?} does not compute with floats"),
        }
    }

    /// An array with another element.
    fn stored(&mut self, terms: &Terms, array: Term, index: Term, value: Term) -> Expr {
        let index = self.term(terms, index);
        let value = self.term(terms, value);
        let elements = match self.term(terms, array) {
            Expr::Map(map) => return store(&map, index, value),
            Expr::Array(elements) => elements,
            other => unreachable!("{other:?} is not an array"),
        };
        let index = index.int();
        let updated = elements.iter().enumerate().map(|(i, old)| Expr::ite(&index.eq(i as i64), &value, old));
        Expr::Array(updated.collect())
    }

    /// How many bits hold every value of a term, if none is negative; 32 otherwise.
    fn width(&self, terms: &Terms, term: Term) -> u32 {
        let Some(program) = &self.program else { return 32 };
        let range = range(program, terms, term);
        (0..32).find(|&bits| range.within(0, (1 << bits) - 1)).unwrap_or(32)
    }

    /// An input of a step. Boolean inputs do not occur as terms of their own: they are numbers 0 and 1.
    fn input(&mut self, i: u32) -> Int {
        while self.inputs.len() <= i as usize {
            self.inputs.push(Int::new_const(format!("input!{}", self.inputs.len())));
        }
        self.inputs[i as usize].clone()
    }
}

/// A floating-point operation, bit by bit. Z3's own theory of floats does the same behind its interface, but leaves the bits of NaNs
/// open, and what comes back from it (models, interpolants) would have to be read back.
fn instance(template: &Template, operands: &[Expr]) -> Expr {
    let mut encoder = Encoder::default();
    for (&symbol, operand) in template.operands.iter().zip(operands) {
        let symbol = template.terms.find(Node::Symbol(symbol)).expect("operands are terms of the template");
        encoder.define(symbol, operand.clone());
    }
    encoder.term(&template.terms, template.result)
}

fn constant(program: &Program, var: VarId, known: &mut Vec<Bool>) -> Expr {
    let declaration = program.var(var);
    let mut cell = |offset: u32| -> Expr {
        let name = format!("{}!{}", declaration.name, declaration.first_cell + offset);
        match &declaration.domain {
            Domain::Bool => Expr::Bool(Bool::new_const(name)),
            domain => {
                let cell = Int::new_const(name);
                if let Some((lo, hi)) = domain.bounds() {
                    known.push(cell.ge(lo));
                    known.push(cell.le(hi));
                }
                Expr::Int(cell)
            }
        }
    };
    match declaration.len {
        None => cell(0),
        Some(len) => Expr::Array((0..len).map(cell).collect()),
    }
}

fn unary(op: UnOp, a: Expr) -> Expr {
    match op {
        UnOp::Not => Expr::Bool(a.bool().not()),
        UnOp::Neg => match a {
            Expr::Real(q) => Expr::Real(q.unary_minus()),
            a => Expr::Int(a.int().unary_minus()),
        },
        UnOp::BitNot => Expr::Int(Int::sub(&[Int::from_i64(-1), a.int()])),
        UnOp::BvNot | UnOp::BvNeg | UnOp::BvToNat => bit_vectors::encode_unary(op, &a.bit_vec()),
        UnOp::Float(..) | UnOp::Extended(_) => unreachable!("these are templates"),
        UnOp::BoolToInt => Expr::Int(a.bool().ite(&Int::from_i64(1), &Int::from_i64(0))),
    }
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    match (op, a, b) {
        (BinOp::And, a, b) => Expr::Bool(Bool::and(&[a.bool(), b.bool()])),
        (BinOp::Or, a, b) => Expr::Bool(Bool::or(&[a.bool(), b.bool()])),
        (BinOp::Eq, Expr::Bool(a), Expr::Bool(b)) => Expr::Bool(a.iff(&b)),
        (op, Expr::BitVec(a), Expr::BitVec(b)) => bit_vectors::encode_binary(op, &a, &b),
        (BinOp::Eq, Expr::Map(a), Expr::Map(b)) => Expr::Bool(a.eq(b)),
        (BinOp::Select, Expr::Map(map), index) => Expr::of_dynamic(&map.select(&index.dynamic())),
        (op, a @ Expr::Real(_), b) | (op, a, b @ Expr::Real(_)) => rational(op, a.real(), b.real()),
        (BinOp::Eq, a, b) => Expr::Bool(a.int().eq(b.int())),
        (BinOp::Le, a, b) => Expr::Bool(a.int().le(b.int())),
        (BinOp::Lt, a, b) => Expr::Bool(a.int().lt(b.int())),
        (BinOp::Select, Expr::Array(elements), index) => select(&elements, &index.int()),
        (op, a, b) => Expr::Int(integer(op, a.int(), b.int())),
    }
}

fn select(elements: &[Expr], index: &Int) -> Expr {
    if let Some(known) = index.as_i64().and_then(|i| elements.get(usize::try_from(i).ok()?)) {
        return known.clone();
    }
    let (last, rest) = elements.split_last().expect("arrays are not empty");
    let mut value = last.clone();
    for (i, element) in rest.iter().enumerate().rev() {
        value = Expr::ite(&index.eq(i as i64), element, &value);
    }
    value
}

fn store(map: &ast::Array, index: Expr, value: Expr) -> Expr {
    let fit = |expr: Expr, sort: Option<z3::Sort>| match sort.map(|s| s.kind()) {
        Some(z3::SortKind::Real) => expr.real().into(),
        _ => expr.dynamic(),
    };
    let sort = map.get_sort();
    Expr::Map(map.store(&fit(index, sort.array_domain()), &fit(value, sort.array_range())))
}

fn rational(op: BinOp, a: Real, b: Real) -> Expr {
    match op {
        BinOp::Eq => Expr::Bool(a.eq(b)),
        BinOp::Le => Expr::Bool(a.le(b)),
        BinOp::Lt => Expr::Bool(a.lt(b)),
        BinOp::Add => Expr::Real(Real::add(&[a, b])),
        BinOp::Sub => Expr::Real(Real::sub(&[a, b])),
        BinOp::Mul => Expr::Real(Real::mul(&[a, b])),
        _ => unreachable!("{op:?} is not an operation on rationals"),
    }
}

fn integer(op: BinOp, a: Int, b: Int) -> Int {
    match op {
        BinOp::Add => Int::add(&[a, b]),
        BinOp::Sub => Int::sub(&[a, b]),
        BinOp::Mul => Int::mul(&[a, b]),
        BinOp::Mod => a.modulo(b),
        BinOp::FloorDiv => a.div(b),
        // Z3's remainder is never negative; ours has the sign of the dividend.
        BinOp::Div => a.ge(0_i64).ite(&a.div(&b), &a.unary_minus().div(&b).unary_minus()),
        BinOp::Rem => a.ge(0_i64).ite(&a.modulo(&b), &a.unary_minus().modulo(&b).unary_minus()),
        BinOp::Shl => by_distance(&b, |n| Int::mul(&[a.clone(), Int::from_i64(1 << n)])),
        BinOp::Shr => by_distance(&b, |n| a.div(Int::from_i64(1 << n))),
        _ => {
            unreachable!("{op:?} does not make an integer of two")
        }
    }
}

/// `or` and `xor` follow from `and`: `a + b = (a | b) + (a & b) = (a ^ b) + 2 (a & b)`, for all integers.
fn bitwise(op: BinOp, a: &Int, b: &Int, bits: u32) -> Int {
    let and = match (a.as_i64(), b.as_i64()) {
        (_, Some(mask)) => and_mask(a, mask),
        (Some(mask), _) => and_mask(b, mask),
        _ if bits <= 8 => and_bits(a, b, bits),
        _ => Int::from_bv(&BV::from_int(a, 32).bvand(BV::from_int(b, 32)), true),
    };
    match op {
        BinOp::BitAnd => and,
        BinOp::BitOr => Int::sub(&[Int::add(&[a, b]), and]),
        _ => Int::sub(&[Int::add(&[a, b]), Int::mul(&[Int::from_i64(2), and])]),
    }
}

/// `a & mask`, one quotient and remainder for each run of ones in the mask: solvers are bad at turning integers into bits.
fn and_mask(a: &Int, mask: i64) -> Int {
    if mask < 0 {
        return Int::sub(&[a.clone(), and_mask(a, !mask)]);
    }
    let mut sum = Int::from_i64(0);
    let mut low = 0;
    while mask >> low != 0 {
        low += (mask >> low).trailing_zeros();
        let ones = (mask >> low).trailing_ones();
        let run = a.div(Int::from_i64(1 << low)).modulo(Int::from_i64(1 << ones));
        sum = Int::add(&[sum, Int::mul(&[run, Int::from_i64(1 << low)])]);
        low += ones;
    }
    sum
}

/// `a & b` of short numbers, bit by bit.
fn and_bits(a: &Int, b: &Int, bits: u32) -> Int {
    let bit = |x: &Int, i: u32| x.div(Int::from_i64(1 << i)).modulo(Int::from_i64(2)).eq(1_i64);
    (0..bits).fold(Int::from_i64(0), |sum, i| {
        let both = Bool::and(&[bit(a, i), bit(b, i)]);
        Int::add(&[sum, both.ite(&Int::from_i64(1 << i), &Int::from_i64(0))])
    })
}

fn by_distance(distance: &Int, shifted: impl Fn(u32) -> Int) -> Int {
    if let Some(n) = distance.as_i64().and_then(|n| u32::try_from(n).ok()).filter(|&n| n < 32) {
        return shifted(n);
    }
    (0..31).rev().fold(shifted(31), |rest, n| distance.eq(i64::from(n)).ite(&shifted(n), &rest))
}
