//! Bit-vector terms as integer terms.

use clinch_ir::cfa::CfaProgram;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, bitvec};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use rustc_hash::FxHashMap;

use super::memory::{View, region_of, views_of_regions};

/// What becomes of a sum, difference or product that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    /// It is left as it is: simple, and wrong where it happens.
    #[default]
    Ignored,
    /// A signed one is left as it is, and it has to be shown that it does not happen; an unsigned one wraps around.
    Excluded,
    /// It wraps around.
    Wraps,
}

/// A reading of bit-vectors as integers. Each bit-vector symbol gets an integer symbol.
#[derive(Clone, Debug, Default)]
pub struct IntEncoding {
    overflow: Overflow,
    /// How the bits of each symbol are read, or those of its cells; signed if it is not said.
    views: FxHashMap<Symbol, View>,
    symbols: FxHashMap<Symbol, Symbol>,
    formulas: FxHashMap<Term, Term>,
    values: FxHashMap<(Term, View), Term>,
    arrays: FxHashMap<Term, Term>,
    /// Symbols for results of operations that integers do not have, with what is known of them.
    opaque: Vec<(Symbol, Term)>,
    /// When the results of signed operations do not fit, if that is to be excluded.
    overflows: Vec<Term>,
    /// The conditions under which what is being read is evaluated.
    path: Vec<Term>,
}

impl IntEncoding {
    /// A reading with these views of symbols.
    pub fn new(overflow: Overflow, views: FxHashMap<Symbol, View>) -> Self {
        IntEncoding { overflow, views, ..IntEncoding::default() }
    }

    /// A reading in which the bits of variables are read as their C types say, those of memory as most of the program does.
    pub fn of_program(overflow: Overflow, program: &CfaProgram) -> Self {
        let mut views = FxHashMap::default();
        #[allow(clippy::iter_over_hash_type, reason = "a map is made of a map")]
        for (&symbol, info) in &program.variables {
            views.insert(symbol, if info.signed { View::Signed } else { View::Unsigned });
        }
        let regions = views_of_regions(program, &views);
        views.extend(regions);
        Self::new(overflow, views)
    }

    /// Says how the bits of a symbol are read; before it is first used.
    pub fn set_view(&mut self, symbol: Symbol, view: View) {
        self.views.insert(symbol, view);
    }

    /// How the bits of a symbol, or of its cells, are read.
    pub fn view(&self, symbol: Symbol) -> View {
        self.views.get(&symbol).copied().unwrap_or(View::Signed)
    }

    /// The integer symbol (or array of integers, or truth value) for a symbol.
    pub fn symbol(&mut self, terms: &mut Terms, symbol: Symbol) -> Symbol {
        if let Some(&known) = self.symbols.get(&symbol) {
            return known;
        }
        let sort = int_sort(terms.symbol_sort(symbol));
        let name = terms.symbol_name(symbol).to_owned();
        let int = terms.declare(name, sort);
        self.symbols.insert(symbol, int);
        int
    }

    /// The values that the bits of a symbol can stand for, as a condition on its integer symbol.
    pub fn range(&mut self, terms: &mut Terms, symbol: Symbol) -> Option<Term> {
        let Sort::BitVec(width) = *terms.symbol_sort(symbol) else { return None };
        let view = self.view(symbol);
        let int = self.symbol(terms, symbol);
        let int = terms.symbol(int);
        Some(in_range(terms, int, width, view))
    }

    /// What is known of the symbols that stand for operations integers do not have, since the last time this was asked.
    pub fn take_opaque(&mut self) -> Vec<(Symbol, Term)> {
        // A formula kept may speak of these symbols, and the next clause must have its own, as it must have its own overflows.
        if !self.opaque.is_empty() || self.overflow == Overflow::Excluded {
            self.formulas.clear();
            self.values.clear();
            self.arrays.clear();
        }
        std::mem::take(&mut self.opaque)
    }

    /// When some signed operation does not fit that was read since the last time this was asked.
    pub fn take_overflows(&mut self, terms: &mut Terms) -> Term {
        let found = std::mem::take(&mut self.overflows);
        found.into_iter().fold(terms.ff(), |either, overflow| terms.or(either, overflow))
    }

    /// A formula.
    pub fn formula(&mut self, terms: &mut Terms, term: Term) -> Term {
        if let Some(&known) = self.formulas.get(&term) {
            return known;
        }
        let result = self.new_formula(terms, term);
        self.formulas.insert(term, result);
        result
    }

    fn new_formula(&mut self, terms: &mut Terms, term: Term) -> Term {
        match terms.node(term) {
            Node::Unary(UnOp::Not, a) => {
                let a = self.formula(terms, a);
                terms.not(a)
            }
            Node::Binary(BinOp::And, a, b) => {
                let a = self.formula(terms, a);
                let b = self.under(a, |own| own.formula(terms, b));
                terms.and(a, b)
            }
            Node::Binary(BinOp::Or, a, b) => {
                let (a, b) = (self.formula(terms, a), self.formula(terms, b));
                terms.or(a, b)
            }
            Node::Ite(c, a, b) => {
                self.choice(terms, c, |own, terms, first| own.formula(terms, if first { a } else { b }))
            }
            Node::Binary(BinOp::Eq, a, b) => self.equation(terms, a, b),
            // Integers have no floats among them: any truth value.
            Node::Binary(BinOp::Float(..) | BinOp::Extended(_), ..) => {
                let (value, zero) = (self.unknown(terms, 1, View::Unsigned), terms.int(0));
                let is_zero = terms.eq(value, zero);
                terms.not(is_zero)
            }
            Node::Binary(op, a, b) if op.compares_bit_vectors() => {
                let signed = matches!(op, BinOp::BvSlt | BinOp::BvSle);
                let view = if signed { View::Signed } else { View::Unsigned };
                let (a, b) = (self.value(terms, a, view), self.value(terms, b, view));
                if matches!(op, BinOp::BvUlt | BinOp::BvSlt) { terms.lt(a, b) } else { terms.le(a, b) }
            }
            Node::Symbol(symbol) => {
                let symbol = self.symbol(terms, symbol);
                terms.symbol(symbol)
            }
            Node::Binary(BinOp::Select, array, index) => {
                let (array, index) = (self.array(terms, array), self.value(terms, index, View::Unsigned));
                terms.select(array, index)
            }
            _ => term,
        }
    }

    /// Reads something that is evaluated under a condition.
    fn under<T>(&mut self, condition: Term, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(condition);
        let result = read(self);
        self.path.pop();
        result
    }

    /// `c ? a : b`; `read` reads the first or the second one.
    fn choice(&mut self, terms: &mut Terms, c: Term, read: impl Fn(&mut Self, &mut Terms, bool) -> Term) -> Term {
        let c = self.formula(terms, c);
        let not = terms.not(c);
        let a = self.under(c, |own| read(own, terms, true));
        let b = self.under(not, |own| read(own, terms, false));
        terms.ite(c, a, b)
    }

    fn equation(&mut self, terms: &mut Terms, a: Term, b: Term) -> Term {
        let (a, b) = match terms.sort(a) {
            Sort::Bool => (self.formula(terms, a), self.formula(terms, b)),
            Sort::Array(_) => (self.array(terms, a), self.array(terms, b)),
            _ => {
                let view = self.natural(terms, a).or(self.natural(terms, b)).unwrap_or(View::Signed);
                (self.value(terms, a, view), self.value(terms, b, view))
            }
        };
        terms.eq(a, b)
    }

    /// The view in which a term is simplest, if one is better than the other.
    fn natural(&self, terms: &Terms, term: Term) -> Option<View> {
        match terms.node(term) {
            Node::Symbol(symbol) => Some(self.view(symbol)),
            Node::Extend { signed: false, .. } => None,
            Node::Extend { signed: true, .. } => Some(View::Signed),
            Node::Binary(BinOp::Select, array, _) => Some(self.view_of_cells(terms, array)),
            Node::Binary(BinOp::BvSdiv | BinOp::BvSrem | BinOp::BvAshr, ..) => Some(View::Signed),
            Node::Binary(BinOp::BvUdiv | BinOp::BvUrem | BinOp::BvLshr, ..) => Some(View::Unsigned),
            Node::Binary(op, a, b) if op.on_bit_vectors() => self.natural(terms, a).or_else(|| self.natural(terms, b)),
            Node::Ite(_, a, b) => self.natural(terms, a).or_else(|| self.natural(terms, b)),
            _ => None,
        }
    }

    /// An array.
    pub fn array(&mut self, terms: &mut Terms, term: Term) -> Term {
        if let Some(&known) = self.arrays.get(&term) {
            return known;
        }
        let result = match terms.node(term) {
            Node::Symbol(symbol) => {
                let symbol = self.symbol(terms, symbol);
                terms.symbol(symbol)
            }
            Node::Store(array, index, value) => {
                let view = self.view_of_cells(terms, array);
                let array = self.array(terms, array);
                let index = self.value(terms, index, View::Unsigned);
                let value = self.term(terms, value, view);
                terms.store(array, index, value)
            }
            Node::Ite(c, a, b) => {
                self.choice(terms, c, |own, terms, first| own.array(terms, if first { a } else { b }))
            }
            Node::ConstArray(id, element) => {
                let sort = int_sort(terms.sort_of_id(id));
                let element = self.term(terms, element, View::Signed);
                terms.const_array(sort, element)
            }
            _ => term,
        };
        self.arrays.insert(term, result);
        result
    }

    /// How the cells of an array are read: as those of the region that it is made from.
    fn view_of_cells(&self, terms: &Terms, array: Term) -> View {
        region_of(terms, array).map_or(View::Signed, |region| self.view(region))
    }

    /// A term of any sort; bit-vectors in the given view.
    pub fn term(&mut self, terms: &mut Terms, term: Term, view: View) -> Term {
        match terms.sort(term) {
            Sort::Bool => self.formula(terms, term),
            Sort::Array(_) => self.array(terms, term),
            Sort::BitVec(_) => self.value(terms, term, view),
            _ => term,
        }
    }

    /// The number that the bits of a term stand for.
    pub fn value(&mut self, terms: &mut Terms, term: Term, view: View) -> Term {
        if let Some(&known) = self.values.get(&(term, view)) {
            return known;
        }
        let result = self.new_value(terms, term, view);
        self.values.insert((term, view), result);
        result
    }

    fn new_value(&mut self, terms: &mut Terms, term: Term, view: View) -> Term {
        let width = terms.bv_width(term);
        if let Some((width, bits)) = terms.as_bit_vec(term) {
            let number = match view {
                View::Signed => bitvec::signed(width, &bits),
                View::Unsigned => bits.into(),
            };
            return terms.big(number);
        }
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let (own, int) = (self.view(symbol), self.symbol(terms, symbol));
                let int = terms.symbol(int);
                convert(terms, int, width, own, view)
            }
            Node::Binary(BinOp::Select, array, index) => {
                let own = self.view_of_cells(terms, array);
                let (array, index) = (self.array(terms, array), self.value(terms, index, View::Unsigned));
                let element = terms.select(array, index);
                convert(terms, element, width, own, view)
            }
            Node::Ite(c, a, b) => {
                self.choice(terms, c, |own, terms, first| own.value(terms, if first { a } else { b }, view))
            }
            Node::Extend { signed: true, of, .. } => {
                let inner = self.value(terms, of, View::Signed);
                convert(terms, inner, width, View::Signed, view)
            }
            // Zeros in front: not negative in either view.
            Node::Extend { signed: false, of, .. } => self.value(terms, of, View::Unsigned),
            Node::Extract { hi, lo: 0, of } => self.truncation(terms, of, hi + 1, view),
            Node::Unary(UnOp::BvNeg, a) => {
                let (zero, a) = (terms.int(0), self.value(terms, a, view));
                let result = terms.sub(zero, a);
                self.fit(terms, result, width, view)
            }
            // -x - 1
            Node::Unary(UnOp::BvNot, a) => {
                let (ones, a) = (terms.int(-1), self.value(terms, a, View::Signed));
                let result = terms.sub(ones, a);
                convert(terms, result, width, View::Signed, view)
            }
            Node::Binary(op @ (BinOp::BvAdd | BinOp::BvSub | BinOp::BvMul), a, b) => {
                let (a, b) = (self.value(terms, a, view), self.value(terms, b, view));
                let result = match op {
                    BinOp::BvAdd => terms.add(a, b),
                    BinOp::BvSub => terms.sub(a, b),
                    _ => terms.mul(a, b),
                };
                self.fit(terms, result, width, view)
            }
            Node::Binary(op, a, b) => self.other_operation(terms, op, a, b, width, view),
            _ => self.unknown(terms, width, view),
        }
    }

    /// A result that may not fit.
    fn fit(&mut self, terms: &mut Terms, result: Term, width: u32, view: View) -> Term {
        if terms.as_integer(result).is_some_and(|n| fits(&n, width, view)) {
            return result;
        }
        match (self.overflow, view) {
            (Overflow::Ignored, _) => result,
            (Overflow::Excluded, View::Signed) => {
                let inside = in_range(terms, result, width, view);
                let outside = terms.not(inside);
                let here = terms.all(self.path.clone());
                self.overflows.push(terms.and(here, outside));
                result
            }
            (Overflow::Wraps, _) | (Overflow::Excluded, View::Unsigned) => modulo(terms, result, width, view),
        }
    }

    /// The lowest bits of a value.
    fn truncation(&mut self, terms: &mut Terms, of: Term, width: u32, view: View) -> Term {
        // What was made longer before is as it was.
        if let Node::Extend { signed, of: inner, .. } = terms.node(of)
            && terms.bv_width(inner) <= width
        {
            let own = if signed { View::Signed } else { View::Unsigned };
            let inner_width = terms.bv_width(inner);
            let value = self.value(terms, inner, own);
            return if inner_width < width || own == view { value } else { convert(terms, value, width, own, view) };
        }
        let from = self.natural(terms, of).unwrap_or(view);
        let value = self.value(terms, of, from);
        modulo(terms, value, width, view)
    }

    /// Operations that integers have for constants only.
    fn other_operation(&mut self, terms: &mut Terms, op: BinOp, a: Term, b: Term, width: u32, view: View) -> Term {
        let constant = terms.as_bit_vec(b).map(|(_, bits)| bits);
        let signed = constant.as_ref().map(|bits| bitvec::signed(width, bits));
        let power = |k: u32| BigInt::one() << k;
        let shift = constant.as_ref().and_then(ToPrimitive::to_u32).filter(|&k| k < width);
        match (op, shift) {
            (BinOp::BvShl, Some(k)) => {
                let (a, factor) = (self.value(terms, a, view), terms.big(power(k)));
                let result = terms.mul(a, factor);
                self.fit(terms, result, width, view)
            }
            (BinOp::BvLshr, Some(k)) => {
                let a = self.value(terms, a, View::Unsigned);
                let result = floor_div(terms, a, power(k));
                convert(terms, result, width, View::Unsigned, view)
            }
            (BinOp::BvAshr, Some(k)) => {
                let a = self.value(terms, a, View::Signed);
                let result = floor_div(terms, a, power(k));
                convert(terms, result, width, View::Signed, view)
            }
            (BinOp::BvUdiv | BinOp::BvUrem, _) if constant.as_ref().is_some_and(|c| c.bits() > 0) => {
                let divisor = BigInt::from(constant.expect("just seen"));
                let a = self.value(terms, a, View::Unsigned);
                let result = if op == BinOp::BvUdiv { floor_div(terms, a, divisor) } else { rest(terms, a, divisor) };
                convert(terms, result, width, View::Unsigned, view)
            }
            (BinOp::BvSdiv | BinOp::BvSrem, _)
                if signed.as_ref().is_some_and(|c| c.sign() == num_bigint::Sign::Plus) =>
            {
                let divisor = signed.expect("just seen");
                let a = self.value(terms, a, View::Signed);
                let result = truncating(terms, op, a, divisor);
                convert(terms, result, width, View::Signed, view)
            }
            (BinOp::BvAnd, _) if constant.as_ref().is_some_and(|c| (c + 1u32).count_ones() == 1) => {
                let modulus = BigInt::from(constant.expect("just seen") + 1u32);
                let from = self.natural(terms, a).unwrap_or(View::Unsigned);
                let a = self.value(terms, a, from);
                let result = rest(terms, a, modulus);
                convert(terms, result, width, View::Unsigned, view)
            }
            _ => self.unknown(terms, width, view),
        }
    }

    /// Some number of the width.
    fn unknown(&mut self, terms: &mut Terms, width: u32, view: View) -> Term {
        let symbol = terms.declare("bits", Sort::Int);
        let value = terms.symbol(symbol);
        let range = in_range(terms, value, width, view);
        self.opaque.push((symbol, range));
        value
    }
}

/// The sort with integers in place of bit-vectors.
fn int_sort(sort: &Sort) -> Sort {
    match sort {
        Sort::BitVec(_) => Sort::Int,
        Sort::Array(of) => Sort::array(int_sort(&of.0), int_sort(&of.1)),
        other => other.clone(),
    }
}

fn bounds(width: u32, view: View) -> (BigInt, BigInt) {
    match view {
        View::Unsigned => (BigInt::ZERO, (BigInt::one() << width) - 1),
        View::Signed => (-(BigInt::one() << (width - 1)), (BigInt::one() << (width - 1)) - 1),
    }
}

fn fits(number: &BigInt, width: u32, view: View) -> bool {
    let (lo, hi) = bounds(width, view);
    lo <= *number && *number <= hi
}

fn in_range(terms: &mut Terms, value: Term, width: u32, view: View) -> Term {
    let (lo, hi) = bounds(width, view);
    let (lo, hi) = (terms.big(lo), terms.big(hi));
    let (above, below) = (terms.le(lo, value), terms.le(value, hi));
    terms.and(above, below)
}

/// A number in one view as a number in the other.
fn convert(terms: &mut Terms, value: Term, width: u32, from: View, to: View) -> Term {
    if from == to {
        return value;
    }
    let modulus = terms.big(BigInt::one() << width);
    match to {
        View::Unsigned => {
            let zero = terms.int(0);
            let (negative, moved) = (terms.lt(value, zero), terms.add(value, modulus));
            terms.ite(negative, moved, value)
        }
        View::Signed => {
            let half = terms.big(BigInt::one() << (width - 1));
            let (large, moved) = (terms.le(half, value), terms.sub(value, modulus));
            terms.ite(large, moved, value)
        }
    }
}

/// The number of the view that equals this one modulo `2^width`.
fn modulo(terms: &mut Terms, value: Term, width: u32, view: View) -> Term {
    let modulus = BigInt::one() << width;
    match view {
        View::Unsigned => rest(terms, value, modulus),
        View::Signed => {
            let half = terms.big(BigInt::one() << (width - 1));
            let moved = terms.add(value, half);
            let rest = rest(terms, moved, modulus);
            terms.sub(rest, half)
        }
    }
}

fn floor_div(terms: &mut Terms, value: Term, divisor: BigInt) -> Term {
    if divisor.is_one() {
        return value;
    }
    let divisor = terms.big(divisor);
    terms.binary(BinOp::FloorDiv, value, divisor)
}

fn rest(terms: &mut Terms, value: Term, divisor: BigInt) -> Term {
    let divisor = terms.big(divisor);
    terms.binary(BinOp::Mod, value, divisor)
}

/// C's division and remainder by a positive constant: toward zero.
fn truncating(terms: &mut Terms, op: BinOp, value: Term, divisor: BigInt) -> Term {
    let zero = terms.int(0);
    let negative = terms.lt(value, zero);
    let magnitude = terms.sub(zero, value);
    let part = |terms: &mut Terms, value| match op {
        BinOp::BvSdiv => floor_div(terms, value, divisor.clone()),
        _ => rest(terms, value, divisor.clone()),
    };
    let (of_negative, of_positive) = (part(terms, magnitude), part(terms, value));
    let of_negative = terms.sub(zero, of_negative);
    terms.ite(negative, of_negative, of_positive)
}
