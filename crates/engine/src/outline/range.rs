//! What is known of one number: an interval of signed values, without some of them.

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};

/// Values that are excluded one by one, at most.
const HOLES: usize = 8;

/// A set of bit-vectors of one width, read as signed numbers: an interval without some values. Never empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Range {
    pub(super) lo: i64,
    pub(super) hi: i64,
    /// Ascending, all inside of the interval and not at its ends.
    pub(super) holes: Vec<i64>,
}

/// The signed number that some bits are.
fn signed(width: u32, bits: u64) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

/// The bits of a signed number.
fn bits_of(width: u32, value: i64) -> u64 {
    if width >= 64 { value as u64 } else { value as u64 & ((1 << width) - 1) }
}

impl Range {
    /// All values of a width.
    pub(super) fn any(width: u32) -> Range {
        let lo = signed(width, 1 << (width - 1));
        Range { lo, hi: !lo, holes: Vec::new() }
    }

    pub(super) fn exactly(value: i64) -> Range {
        Range { lo: value, hi: value, holes: Vec::new() }
    }

    fn between(lo: i64, hi: i64) -> Range {
        Range { lo, hi, holes: Vec::new() }
    }

    /// The value, if there is but one.
    pub(super) fn value(&self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub(super) fn contains(&self, value: i64) -> bool {
        self.lo <= value && value <= self.hi && self.holes.binary_search(&value).is_err()
    }

    /// Whether it has all values of another one.
    pub(super) fn includes(&self, other: &Range) -> bool {
        self.lo <= other.lo && other.hi <= self.hi && !self.holes.iter().any(|&hole| other.contains(hole))
    }

    /// What both have; nothing if that is empty.
    pub(super) fn meet(&self, other: &Range) -> Option<Range> {
        let mut result = Range::between(self.lo.max(other.lo), self.hi.min(other.hi));
        if result.lo > result.hi {
            return None;
        }
        for &hole in self.holes.iter().chain(&other.holes) {
            result = result.without(hole)?;
        }
        Some(result)
    }

    /// All values but one; more, if too many are excluded already. Nothing if that is empty.
    pub(super) fn without(mut self, value: i64) -> Option<Range> {
        if !self.contains(value) {
            return Some(self);
        }
        if self.lo == self.hi {
            return None;
        }
        if value == self.lo || value == self.hi {
            // The next value inside may be excluded too.
            loop {
                if value == self.lo || self.holes.first() == Some(&self.lo) {
                    self.holes.retain(|&hole| hole != self.lo);
                    self.lo += 1;
                } else if value == self.hi || self.holes.last() == Some(&self.hi) {
                    self.holes.retain(|&hole| hole != self.hi);
                    self.hi -= 1;
                } else {
                    return Some(self);
                }
                if self.lo > self.hi {
                    return None;
                }
            }
        }
        if self.holes.len() < HOLES {
            let at = self.holes.partition_point(|&hole| hole < value);
            self.holes.insert(at, value);
        }
        Some(self)
    }

    /// The least range that has the values of both, about.
    fn join(&self, other: &Range) -> Range {
        Range::between(self.lo.min(other.lo), self.hi.max(other.hi))
    }
}

/// What is known of variables.
pub(super) trait Known {
    /// Of one of them; nothing if it is not tracked.
    fn range(&self, symbol: Symbol) -> Option<&Range>;
}

/// The values that a term may have.
pub(super) fn range_of(terms: &Terms, known: &impl Known, term: Term) -> Range {
    let width = match terms.sort(term) {
        Sort::BitVec(width @ 1..=64) => width,
        _ => return Range::any(64),
    };
    let any = Range::any(width);
    match terms.node(term) {
        Node::BitVec(width, bits) => Range::exactly(signed(width, bits)),
        Node::Symbol(symbol) => known.range(symbol).cloned().unwrap_or(any),
        Node::Extend { signed: true, of, .. } => match terms.sort(of) {
            Sort::BitVec(_) => range_of(terms, known, of),
            _ => any,
        },
        Node::Extend { signed: false, of, .. } => {
            let inner = terms.bv_width(of);
            let range = range_of(terms, known, of);
            match range.value() {
                Some(value) if inner < 64 => Range::exactly(signed(width, bits_of(inner, value))),
                _ if range.lo >= 0 => range,
                _ if inner < 63 => Range::between(0, (1 << inner) - 1),
                _ => any,
            }
        }
        Node::Extract { hi, lo, of } if terms.bv_width(of) <= 64 => {
            let range = range_of(terms, known, of);
            match range.value() {
                Some(value) => Range::exactly(signed(hi - lo + 1, bits_of(64, value) >> lo)),
                None if lo == 0 && any.lo <= range.lo && range.hi <= any.hi => range,
                None => any,
            }
        }
        Node::Unary(op @ (UnOp::BvNot | UnOp::BvNeg), a) => match range_of(terms, known, a).value() {
            Some(value) => {
                let result = if op == UnOp::BvNot { !value } else { value.wrapping_neg() };
                Range::exactly(signed(width, result as u64))
            }
            None => any,
        },
        Node::Binary(op, a, b) if matches!(terms.sort(a), Sort::BitVec(1..=64)) => {
            let (x, y) = (range_of(terms, known, a), range_of(terms, known, b));
            binary(op, width, &x, &y).unwrap_or(any)
        }
        Node::Ite(condition, a, b) => match truth_of(terms, known, condition) {
            Some(true) => range_of(terms, known, a),
            Some(false) => range_of(terms, known, b),
            None => range_of(terms, known, a).join(&range_of(terms, known, b)),
        },
        _ => any,
    }
}

fn binary(op: BinOp, width: u32, x: &Range, y: &Range) -> Option<Range> {
    if let (Some(a), Some(b)) = (x.value(), y.value()) {
        let (u, v) = (bits_of(width, a), bits_of(width, b));
        let distance = u32::try_from(v).ok().filter(|&d| d < width);
        let result = match op {
            BinOp::BvAdd => u.wrapping_add(v),
            BinOp::BvSub => u.wrapping_sub(v),
            BinOp::BvMul => u.wrapping_mul(v),
            BinOp::BvAnd => u & v,
            BinOp::BvOr => u | v,
            BinOp::BvXor => u ^ v,
            BinOp::BvShl => distance.map_or(0, |d| u << d),
            BinOp::BvLshr => distance.map_or(0, |d| u >> d),
            BinOp::BvAshr => (a >> distance.unwrap_or(width - 1)) as u64,
            BinOp::BvUdiv => u.checked_div(v)?,
            BinOp::BvUrem => u.checked_rem(v)?,
            _ => return None,
        };
        return Some(Range::exactly(signed(width, result)));
    }
    let any = Range::any(width);
    let fits = |lo: Option<i64>, hi: Option<i64>| match (lo, hi) {
        (Some(lo), Some(hi)) if any.lo <= lo && hi <= any.hi => Some(Range::between(lo, hi)),
        _ => None,
    };
    match (op, x.value(), y.value()) {
        (BinOp::BvAdd, _, _) => fits(x.lo.checked_add(y.lo), x.hi.checked_add(y.hi)),
        (BinOp::BvSub, _, _) => fits(x.lo.checked_sub(y.hi), x.hi.checked_sub(y.lo)),
        (BinOp::BvAnd, Some(mask), _) | (BinOp::BvAnd, _, Some(mask)) if mask >= 0 => Some(Range::between(0, mask)),
        _ => None,
    }
}

/// Whether a condition holds, if that is known.
pub(super) fn truth_of(terms: &Terms, known: &impl Known, condition: Term) -> Option<bool> {
    match terms.node(condition) {
        Node::Bool(value) => Some(value),
        Node::Unary(UnOp::Not, a) => truth_of(terms, known, a).map(|truth| !truth),
        Node::Binary(BinOp::And, a, b) => match (truth_of(terms, known, a), truth_of(terms, known, b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Node::Binary(BinOp::Or, a, b) => match (truth_of(terms, known, a), truth_of(terms, known, b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Node::Binary(op, a, b) if matches!(terms.sort(a), Sort::BitVec(1..=64)) => {
            let (x, y) = (range_of(terms, known, a), range_of(terms, known, b));
            match op {
                BinOp::Eq => is_equal(&x, &y),
                BinOp::BvSlt => is_less(&x, &y),
                BinOp::BvSle => is_less(&y, &x).map(|less| !less),
                BinOp::BvUlt => is_below(&x, &y),
                BinOp::BvUle => is_below(&y, &x).map(|below| !below),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_equal(x: &Range, y: &Range) -> Option<bool> {
    match (x.value(), y.value()) {
        (Some(a), Some(b)) => Some(a == b),
        _ => x.meet(y).is_none().then_some(false),
    }
}

fn is_less(x: &Range, y: &Range) -> Option<bool> {
    match () {
        () if x.hi < y.lo => Some(true),
        () if x.lo >= y.hi => Some(false),
        () => None,
    }
}

/// The unsigned order: negative numbers are above the others.
fn is_below(x: &Range, y: &Range) -> Option<bool> {
    let (x_negative, y_negative) = (x.hi < 0, y.hi < 0);
    let (x_natural, y_natural) = (x.lo >= 0, y.lo >= 0);
    match () {
        () if (x_natural && y_natural) || (x_negative && y_negative) => is_less(x, y),
        () if x_natural && y_negative => Some(true),
        () if x_negative && y_natural => Some(false),
        () if y.value() == Some(0) => Some(false),
        () => None,
    }
}

/// Sets of values that a variable must be in where a condition has a truth value: one after the other, as far as that can be said so.
pub(super) fn consequences(
    terms: &Terms,
    known: &impl Known,
    (condition, truth): (Term, bool),
    note: &mut impl FnMut(Symbol, Restriction),
) {
    match (terms.node(condition), truth) {
        (Node::Unary(UnOp::Not, a), _) => consequences(terms, known, (a, !truth), note),
        (Node::Binary(BinOp::And, a, b), true) | (Node::Binary(BinOp::Or, a, b), false) => {
            consequences(terms, known, (a, truth), note);
            consequences(terms, known, (b, truth), note);
        }
        // Where one side is known the other one decides.
        (Node::Binary(BinOp::And, a, b), false) | (Node::Binary(BinOp::Or, a, b), true) => {
            let neutral = Some(!truth);
            if truth_of(terms, known, a) == neutral {
                consequences(terms, known, (b, truth), note);
            } else if truth_of(terms, known, b) == neutral {
                consequences(terms, known, (a, truth), note);
            }
        }
        (Node::Binary(op, a, b), _) if matches!(terms.sort(a), Sort::BitVec(1..=64)) => {
            of_comparison(terms, known, (op, a, b), truth, note);
        }
        _ => {}
    }
}

/// What the values of a variable are restricted to.
pub(super) enum Restriction {
    /// To this range.
    To(Range),
    /// To all but this value.
    Not(i64),
}

fn of_comparison(
    terms: &Terms,
    known: &impl Known,
    (op, a, b): (BinOp, Term, Term),
    truth: bool,
    note: &mut impl FnMut(Symbol, Restriction),
) {
    let (x, y) = (range_of(terms, known, a), range_of(terms, known, b));
    let below = |limit: i64| limit.checked_sub(1).map(|hi| Range::between(i64::MIN, hi));
    let above = |limit: i64| limit.checked_add(1).map(|lo| Range::between(lo, i64::MAX));
    let (to_a, to_b) = match (op, truth) {
        (BinOp::Eq, true) => {
            of_choice(terms, known, (a, &y), note);
            of_choice(terms, known, (b, &x), note);
            (Some(y.clone()), Some(x.clone()))
        }
        (BinOp::Eq, false) => {
            if let Some(value) = y.value() {
                restrict(terms, known, a, Restriction::Not(value), note);
                of_other_choice(terms, known, (a, value), note);
            }
            if let Some(value) = x.value() {
                restrict(terms, known, b, Restriction::Not(value), note);
                of_other_choice(terms, known, (b, value), note);
            }
            (None, None)
        }
        (BinOp::BvSlt, true) => (below(y.hi), above(x.lo)),
        (BinOp::BvSlt, false) => (Some(Range::between(y.lo, i64::MAX)), Some(Range::between(i64::MIN, x.hi))),
        (BinOp::BvSle, true) => (Some(Range::between(i64::MIN, y.hi)), Some(Range::between(x.lo, i64::MAX))),
        (BinOp::BvSle, false) => (above(y.lo), below(x.hi)),
        // Below a natural number there are only natural ones.
        (BinOp::BvUlt, true) if y.lo >= 0 => (below(y.hi).map(|r| Range::between(0, r.hi)), None),
        (BinOp::BvUle, true) if y.lo >= 0 => (Some(Range::between(0, y.hi)), None),
        (BinOp::BvUlt, false) if x.lo >= 0 => (None, Some(Range::between(0, x.hi))),
        (BinOp::BvUle, false) if x.lo >= 0 => (None, below(x.hi).map(|r| Range::between(0, r.hi))),
        _ => (None, None),
    };
    for (side, range) in [(a, to_a), (b, to_b)] {
        if let Some(range) = range.filter(|range| range.lo <= range.hi) {
            restrict(terms, known, side, Restriction::To(range), note);
        }
    }
}

/// `(c ? 1 : 0) == 1` says that `c` holds.
fn of_choice(
    terms: &Terms,
    known: &impl Known,
    (side, value): (Term, &Range),
    note: &mut impl FnMut(Symbol, Restriction),
) {
    if let Node::Ite(condition, then, otherwise) = terms.node(side) {
        let possible = |branch| range_of(terms, known, branch).meet(value).is_some();
        match (possible(then), possible(otherwise)) {
            (true, false) => consequences(terms, known, (condition, true), note),
            (false, true) => consequences(terms, known, (condition, false), note),
            _ => {}
        }
    }
}

/// `(c ? 1 : 0) != 0` says that `c` holds.
fn of_other_choice(
    terms: &Terms,
    known: &impl Known,
    (side, value): (Term, i64),
    note: &mut impl FnMut(Symbol, Restriction),
) {
    if let Node::Ite(condition, then, otherwise) = terms.node(side) {
        let excluded = |branch| range_of(terms, known, branch).value() == Some(value);
        match (excluded(then), excluded(otherwise)) {
            (true, false) => consequences(terms, known, (condition, false), note),
            (false, true) => consequences(terms, known, (condition, true), note),
            _ => {}
        }
    }
}

/// A restriction of a term as one of the variable that it is, or extends.
fn restrict(
    terms: &Terms,
    known: &impl Known,
    side: Term,
    restriction: Restriction,
    note: &mut impl FnMut(Symbol, Restriction),
) {
    match terms.node(side) {
        Node::Symbol(symbol) => note(symbol, restriction),
        Node::Extend { signed: true, of, .. } => restrict(terms, known, of, restriction, note),
        Node::Extend { signed: false, of, .. } => {
            // The same numbers, as far as they are natural.
            let natural = Range::any(terms.bv_width(of)).hi;
            match restriction {
                Restriction::To(range)
                    if range_of(terms, known, of).lo >= 0 || (range.lo >= 0 && range.hi <= natural) =>
                {
                    restrict(terms, known, of, Restriction::To(range), note);
                }
                Restriction::Not(value) if (0..=natural).contains(&value) => {
                    restrict(terms, known, of, Restriction::Not(value), note);
                }
                _ => {}
            }
        }
        _ => {}
    }
}
