//! The parts of a formula, and what their domains say of each other.

use std::rc::Rc;

use clinch_terms::float::interval::{self, Floats, truncated};
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format, Integral};
use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use super::is_supported;
use super::linear::{Linear, finite};
use super::table::Table;

/// What a part may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Domain {
    /// A truth value, if it is known.
    Truth(Option<bool>),
    /// Bits: between which signed numbers they are, and which floats they are, if there are such of that width.
    Bits { low: i128, high: i128, floats: Floats },
}

impl Domain {
    pub(super) fn meet(self, other: Domain) -> Domain {
        match (self, other) {
            (Domain::Bits { low, high, floats }, Domain::Bits { low: l, high: h, floats: f }) => {
                Domain::Bits { low: low.max(l), high: high.min(h), floats: floats.meet(f) }
            }
            // Both truth values at once are none.
            (Domain::Truth(Some(a)), Domain::Truth(Some(b))) if a != b => {
                Domain::Bits { low: 1, high: 0, floats: Floats::ALL }
            }
            (Domain::Truth(None), other) => other,
            (known, _) => known,
        }
    }

    pub(super) fn is_empty(self) -> bool {
        matches!(self, Domain::Bits { low, high, floats } if low > high || floats.is_empty())
    }

    /// Whether it is worth another round that this is less than another one.
    pub(super) fn is_much_less(self, before: Domain) -> bool {
        match (self, before) {
            (Domain::Bits { low, high, floats: f }, Domain::Bits { low: l, high: h, floats: g }) => {
                let width = (g.hi - g.lo).min(f64::MAX);
                let less = (f.hi - f.lo).min(f64::MAX);
                (low, high) != (l, h) || f.nan != g.nan || less < 0.9 * width
            }
            (new, old) => new != old,
        }
    }
}

/// A part of a formula, with the places of its arguments.
pub(super) struct Part {
    pub(super) term: Term,
    node: Node,
    args: [usize; 3],
    pub(super) width: Option<u32>,
    /// The format of floats of its width.
    pub(super) format: Option<Format>,
    /// Nothing computes it.
    pub(super) is_unknown: bool,
    /// It chooses between others.
    pub(super) decides: bool,
    /// Its bits are those of a float that something is computed of.
    pub(super) is_float: bool,
    /// If it is a cell of an array of which all elements are parts: those.
    table: Option<Rc<Table>>,
}

/// The number with a sign that bits are.
pub(super) fn signed(width: u32, bits: u64) -> i128 {
    let unused = 128 - width;
    (i128::from(bits) << unused) >> unused
}

/// The parts of a formula, each after its own parts; nothing if one has a sort without domains.
pub(super) fn read(terms: &Terms, parts: &[Term]) -> Option<Vec<Part>> {
    let mut places: FxHashMap<Term, usize> = FxHashMap::default();
    let mut read: Vec<Part> = Vec::with_capacity(parts.len());
    let mut tables: FxHashMap<Term, Option<Rc<Table>>> = FxHashMap::default();
    for &term in parts {
        let (sort, node) = (terms.sort(term), terms.node(term));
        if matches!(sort, Sort::Array(_)) {
            continue;
        }
        let width = match sort {
            Sort::BitVec(width) if width <= 64 => Some(width),
            _ => None,
        };
        let is_cell = matches!(node, Node::Binary(BinOp::Select, ..));
        let mut args = [usize::MAX; 3];
        if !is_cell && is_supported(&sort) {
            for (arg, child) in args.iter_mut().zip(terms.children(term)) {
                *arg = places.get(&child).copied().unwrap_or(usize::MAX);
            }
        }
        let mut table = None;
        if let Node::Binary(BinOp::Select, array, index) = node
            && is_supported(&sort)
            && let Some(&index) = places.get(&index)
        {
            table = tables.entry(array).or_insert_with(|| Table::read(terms, array, &places).map(Rc::new)).clone();
            args[1] = index;
        }
        // What has an argument without a domain is not computed here.
        let known_args = terms.children(term).count();
        let is_open = is_cell || !is_supported(&sort) || args.iter().take(known_args).any(|&arg| arg == usize::MAX);
        places.insert(term, read.len());
        read.push(Part {
            term,
            node: if is_open && known_args > 0 { Node::Input(0) } else { node },
            args,
            width,
            format: width.and_then(Format::of_width),
            is_unknown: matches!(node, Node::Symbol(_)) || is_open && table.is_none(),
            decides: false,
            is_float: false,
            table,
        });
    }
    mark_deciding(&mut read);
    mark_floats(&mut read);
    Some(read)
}

/// Conditions, and what connectives connect.
fn mark_deciding(read: &mut [Part]) {
    for index in 0..read.len() {
        match read[index].node {
            Node::Ite(..) => {
                let condition = read[index].args[0];
                read[condition].decides = true;
            }
            Node::Binary(BinOp::And | BinOp::Or, ..) => {
                for arg in [read[index].args[0], read[index].args[1]] {
                    let connects =
                        matches!(read[arg].node, Node::Binary(BinOp::And | BinOp::Or, ..) | Node::Unary(UnOp::Not, _));
                    read[arg].decides |= !connects;
                }
            }
            _ => {}
        }
    }
}

/// What is read as a float, directly or where it is chosen.
fn mark_floats(read: &mut [Part]) {
    for index in (0..read.len()).rev() {
        let [a, b, c] = read[index].args;
        let floats = match read[index].node {
            Node::Binary(BinOp::Float(..), ..) => vec![a, b],
            Node::Fma(..) => vec![a, b, c],
            Node::Unary(UnOp::Float(op, _), _) if op.takes_float() => vec![a],
            Node::Ite(..) if read[index].is_float => vec![b, c],
            Node::Binary(BinOp::BvXor | BinOp::BvAnd, ..) if read[index].is_float => vec![a],
            _ => Vec::new(),
        };
        floats.into_iter().for_each(|part| read[part].is_float = true);
    }
}

impl Part {
    /// All values of its sort.
    pub(super) fn anything(&self) -> Domain {
        let Some(width) = self.width else { return Domain::Truth(None) };
        let high = (1_i128 << (width - 1)) - 1;
        Domain::Bits { low: -high - 1, high, floats: Floats::ALL }
    }

    fn floats(&self, floats: Floats) -> Domain {
        match self.anything() {
            Domain::Bits { low, high, .. } => Domain::Bits { low, high, floats },
            other => other,
        }
    }

    fn integers(&self, low: i128, high: i128) -> Domain {
        match self.anything() {
            Domain::Bits { low: least, high: most, floats } if least <= low && high <= most => {
                Domain::Bits { low, high, floats }
            }
            other => other,
        }
    }

    /// What the domains of the arguments say of the part.
    pub(super) fn forward(&self, domains: &[Domain]) -> Domain {
        let arg = |i: usize| domains[self.args[i]];
        if let Some(table) = &self.table {
            return match arg(1) {
                Domain::Bits { low, high, .. } => table.between((low, high), domains),
                Domain::Truth(_) => self.anything(),
            };
        }
        match self.node {
            Node::Bool(value) => Domain::Truth(Some(value)),
            Node::BitVec(width, bits) => {
                let value = signed(width, bits);
                let floats = self.format.map_or(Floats::ALL, |format| Floats::constant(format, bits));
                Domain::Bits { low: value, high: value, floats }
            }
            Node::Unary(UnOp::Not, _) => match arg(0) {
                Domain::Truth(value) => Domain::Truth(value.map(|v| !v)),
                _ => Domain::Truth(None),
            },
            Node::Binary(op @ (BinOp::And | BinOp::Or), ..) => {
                let absorbing = Some(op == BinOp::Or);
                match (arg(0), arg(1)) {
                    (Domain::Truth(a), Domain::Truth(b)) if a == absorbing || b == absorbing => {
                        Domain::Truth(absorbing)
                    }
                    (Domain::Truth(Some(_)), Domain::Truth(Some(b))) => Domain::Truth(Some(b)),
                    _ => Domain::Truth(None),
                }
            }
            Node::Ite(..) => match arg(0) {
                Domain::Truth(Some(value)) => arg(if value { 1 } else { 2 }),
                _ => hull(arg(1), arg(2)),
            },
            Node::Unary(op, _) => self.unary(op, arg(0)),
            Node::Binary(op, ..) => self.binary(op, arg(0), arg(1)),
            Node::Fma(format, ..) => match [arg(0), arg(1), arg(2)] {
                [Domain::Bits { floats: a, .. }, Domain::Bits { floats: b, .. }, Domain::Bits { floats: c, .. }] => {
                    self.floats(Floats::fused(format, a, b, c))
                }
                _ => self.anything(),
            },
            Node::Extend { signed, .. } => match arg(0) {
                Domain::Bits { low, high, .. } if signed || low >= 0 => self.integers(low, high),
                _ => self.anything(),
            },
            Node::Extract { lo: 0, .. } => match arg(0) {
                Domain::Bits { low, high, .. } => self.integers(low, high),
                other => other,
            },
            _ => self.anything(),
        }
    }

    fn unary(&self, op: UnOp, a: Domain) -> Domain {
        let (UnOp::Float(op, format), Domain::Bits { low, high, floats }) = (op, a) else { return self.anything() };
        let nearest = |x: i128| match format {
            Format::Single => f64::from(x as f32),
            Format::Double => x as f64,
        };
        match op {
            FloatUnOp::FromSigned => self.floats(Floats::between(nearest(low), nearest(high))),
            FloatUnOp::FromUnsigned if low >= 0 => self.floats(Floats::between(nearest(low), nearest(high))),
            FloatUnOp::FromUnsigned => self.floats(Floats::between(0.0, nearest(u64::MAX.into()))),
            FloatUnOp::ToSigned(_) | FloatUnOp::ToUnsigned(_) => match truncated(floats) {
                Some((low, high)) if low >= 0 || matches!(op, FloatUnOp::ToSigned(_)) => self.integers(low, high),
                _ => self.anything(),
            },
            _ => self.floats(Floats::unary(op, format, floats)),
        }
    }

    fn binary(&self, op: BinOp, a: Domain, b: Domain) -> Domain {
        let (Domain::Bits { low, high, floats: x }, Domain::Bits { low: l, high: h, floats: y }) = (a, b) else {
            return self.equivalence(op, a, b);
        };
        let point = |domain: (i128, i128)| domain.0 == domain.1;
        let truth = |yes: bool, no: bool| Domain::Truth(if yes { Some(true) } else { no.then_some(false) });
        match op {
            BinOp::Float(op, _) if op.compares() => Domain::Truth(Floats::compare(op, x, y)),
            BinOp::Float(op, format) => self.floats(Floats::binary(op, format, x, y)),
            BinOp::Eq => {
                let apart = high < l || h < low || x.meet(y).is_empty();
                truth(point((low, high)) && point((l, h)) && low == l, apart)
            }
            BinOp::BvSlt => truth(high < l, low >= h),
            BinOp::BvSle => truth(high <= l, low > h),
            BinOp::BvUlt if low >= 0 && l >= 0 => truth(high < l, low >= h),
            BinOp::BvUle if low >= 0 && l >= 0 => truth(high <= l, low > h),
            BinOp::BvAdd => self.integers(low + l, high + h),
            BinOp::BvSub => self.integers(low - h, high - l),
            BinOp::BvMul if low.abs().max(high.abs()) < 1 << 62 && l.abs().max(h.abs()) < 1 << 62 => {
                let all = [low * l, low * h, high * l, high * h];
                let (least, most) = all.iter().fold((i128::MAX, i128::MIN), |(a, b), &x| (a.min(x), b.max(x)));
                self.integers(least, most)
            }
            BinOp::BvLshr if low >= 0 && point((l, h)) && (0..64).contains(&l) => self.integers(low >> l, high >> l),
            BinOp::BvAshr if point((l, h)) && (0..64).contains(&l) => self.integers(low >> l, high >> l),
            BinOp::BvXor if self.is_sign((l, h)) => self.floats(x.negation()),
            BinOp::BvAnd => match self.format {
                Some(format) if self.is_magnitude((l, h)) => {
                    let most = if x.nan { l } else { format.infinity().into() };
                    Domain::Bits { low: 0, high: most, floats: x.magnitude() }
                }
                _ if point((l, h)) && l >= 0 => self.integers(0, l),
                _ => self.anything(),
            },
            _ => self.anything(),
        }
    }

    /// `a = b` of truth values.
    fn equivalence(&self, op: BinOp, a: Domain, b: Domain) -> Domain {
        match (op, a, b) {
            (BinOp::Eq, Domain::Truth(Some(a)), Domain::Truth(Some(b))) => Domain::Truth(Some(a == b)),
            _ => self.anything(),
        }
    }

    fn is_sign(&self, (low, high): (i128, i128)) -> bool {
        self.format.is_some_and(|format| low == high && low == -(1_i128 << (format.width() - 1)))
    }

    fn is_magnitude(&self, (low, high): (i128, i128)) -> bool {
        self.format.is_some_and(|format| low == high && low == (1_i128 << (format.width() - 1)) - 1)
    }

    /// What the part's domain says of its arguments.
    pub(super) fn backward(&self, own: Domain, domains: &[Domain]) -> Vec<(usize, Domain)> {
        let [a, b, c] = self.args;
        match (self.node, own) {
            (Node::Unary(UnOp::Not, _), Domain::Truth(Some(value))) => vec![(a, Domain::Truth(Some(!value)))],
            (Node::Binary(op @ (BinOp::And | BinOp::Or), ..), Domain::Truth(Some(value))) => {
                let neutral = op == BinOp::And;
                if value == neutral {
                    return vec![(a, own), (b, own)];
                }
                // One of them decides it.
                match (domains[a], domains[b]) {
                    (Domain::Truth(Some(x)), _) if x == neutral => vec![(b, own)],
                    (_, Domain::Truth(Some(y))) if y == neutral => vec![(a, own)],
                    _ => Vec::new(),
                }
            }
            (Node::Ite(..), _) => match domains[a] {
                Domain::Truth(Some(true)) => vec![(b, own)],
                Domain::Truth(Some(false)) => vec![(c, own)],
                _ if own.meet(domains[b]).is_empty() => vec![(a, Domain::Truth(Some(false)))],
                _ if own.meet(domains[c]).is_empty() => vec![(a, Domain::Truth(Some(true)))],
                _ => Vec::new(),
            },
            (Node::Binary(op, ..), Domain::Truth(Some(value))) => self.compared(op, value, domains),
            (Node::Unary(UnOp::Float(op, format), _), Domain::Bits { low, high, floats }) => {
                self.before(op, format, (low, high), floats, domains)
            }
            (Node::Binary(BinOp::Float(op, format), ..), Domain::Bits { floats, .. }) => {
                self.operands(op, format, floats, domains)
            }
            (Node::Binary(BinOp::BvXor, ..), Domain::Bits { floats, .. }) => match domains[b] {
                Domain::Bits { low, high, .. } if self.is_sign((low, high)) => {
                    vec![(a, self.floats(floats.negation()))]
                }
                _ => Vec::new(),
            },
            (Node::Binary(BinOp::BvAnd, ..), Domain::Bits { high, floats, .. }) => match (domains[b], self.format) {
                (Domain::Bits { low: l, high: h, .. }, Some(format)) if self.is_magnitude((l, h)) => {
                    // Above infinity are the NaNs.
                    let nan = floats.nan && high > format.infinity().into();
                    vec![(a, self.floats(Floats { lo: -floats.hi, hi: floats.hi, nan }))]
                }
                _ => Vec::new(),
            },
            (Node::Extend { signed: true, .. }, Domain::Bits { low, high, .. }) => {
                vec![(a, Domain::Bits { low, high, floats: Floats::ALL })]
            }
            _ => Vec::new(),
        }
    }

    /// What a comparison with a known result says of its operands.
    fn compared(&self, op: BinOp, value: bool, domains: &[Domain]) -> Vec<(usize, Domain)> {
        let [a, b, _] = self.args;
        let (Domain::Bits { low, high, floats: x }, Domain::Bits { low: l, high: h, floats: y }) =
            (domains[a], domains[b])
        else {
            return match (op, domains[a], domains[b]) {
                (BinOp::Eq, _, Domain::Truth(Some(other))) => vec![(a, Domain::Truth(Some(other == value)))],
                (BinOp::Eq, Domain::Truth(Some(other)), _) => vec![(b, Domain::Truth(Some(other == value)))],
                _ => Vec::new(),
            };
        };
        let floats = |(x, y): (Floats, Floats)| {
            vec![(a, Domain::Bits { low, high, floats: x }), (b, Domain::Bits { low: l, high: h, floats: y })]
        };
        let integers = |first: (i128, i128), second: (i128, i128)| {
            vec![
                (a, Domain::Bits { low: first.0, high: first.1, floats: x }),
                (b, Domain::Bits { low: second.0, high: second.1, floats: y }),
            ]
        };
        let non_negative = low >= 0 && l >= 0;
        match (op, value) {
            (BinOp::Float(op, format), true) => floats(Floats::ordered(op, format, x, y)),
            // Without NaNs, what is not less is greater or equal.
            (BinOp::Float(op @ (FloatBinOp::Lt | FloatBinOp::Le), format), false) if !x.nan && !y.nan => {
                let other = if op == FloatBinOp::Lt { FloatBinOp::Le } else { FloatBinOp::Lt };
                let (y, x) = Floats::ordered(other, format, y, x);
                floats((x, y))
            }
            (BinOp::Eq, true) => vec![(a, domains[b]), (b, domains[a])],
            // A bound that is excluded.
            (BinOp::Eq, false) if l == h => {
                integers((low + i128::from(low == l), high - i128::from(high == l)), (l, h))
            }
            (BinOp::Eq, false) if low == high => {
                integers((low, high), (l + i128::from(l == low), h - i128::from(h == low)))
            }
            (BinOp::BvSlt, true) => integers((low, high.min(h - 1)), (l.max(low + 1), h)),
            (BinOp::BvSlt, false) => integers((low.max(l), high), (l, h.min(high))),
            (BinOp::BvSle, true) => integers((low, high.min(h)), (l.max(low), h)),
            (BinOp::BvSle, false) => integers((low.max(l + 1), high), (l, h.min(high - 1))),
            (BinOp::BvUlt, true) if non_negative => integers((low, high.min(h - 1)), (l.max(low + 1), h)),
            (BinOp::BvUlt, false) if non_negative => integers((low.max(l), high), (l, h.min(high))),
            (BinOp::BvUle, true) if non_negative => integers((low, high.min(h)), (l.max(low), h)),
            (BinOp::BvUle, false) if non_negative => integers((low.max(l + 1), high), (l, h.min(high - 1))),
            _ => Vec::new(),
        }
    }

    /// What the result of an arithmetic operation says of its operands.
    fn operands(&self, op: FloatBinOp, format: Format, own: Floats, domains: &[Domain]) -> Vec<(usize, Domain)> {
        let [a, b, _] = self.args;
        let (Domain::Bits { low, high, floats: x }, Domain::Bits { low: l, high: h, floats: y }) =
            (domains[a], domains[b])
        else {
            return Vec::new();
        };
        if a == b && op == FloatBinOp::Mul {
            let root = own.root(format);
            return root.into_iter().map(|floats| (a, Domain::Bits { low, high, floats })).collect();
        }
        match own.operands(op, format, (x, y)) {
            Some((x, y)) => {
                vec![(a, Domain::Bits { low, high, floats: x }), (b, Domain::Bits { low: l, high: h, floats: y })]
            }
            None => Vec::new(),
        }
    }

    /// Its linear form, for a float of bounded size.
    pub(super) fn form(
        &self,
        index: usize,
        parts: &[Part],
        domains: &[Domain],
        forms: &[Option<Linear>],
    ) -> Option<Linear> {
        self.format.filter(|_| self.is_float)?;
        let itself = || Linear::of_part(domains, index);
        let [a, b, c] = self.args;
        let of = |part: usize| forms.get(part).and_then(Option::as_ref);
        let form = match self.node {
            Node::Binary(BinOp::Float(op, format), ..) if !op.compares() => match (of(a), of(b)) {
                (Some(x), Some(y)) => Linear::of_operation(op, format, domains, (index, a, b), (x, y)),
                _ => None,
            },
            // Every single is a double.
            Node::Unary(UnOp::Float(FloatUnOp::Convert, Format::Single), _) => of(a).cloned(),
            Node::Unary(UnOp::Float(FloatUnOp::Convert, Format::Double), _) => {
                let magnitude = finite(domains, index).map_or(f64::INFINITY, |(lo, hi)| lo.abs().max(hi.abs()));
                of(a).cloned().and_then(|form| form.rounded(Format::Single, magnitude))
            }
            Node::Unary(UnOp::Float(FloatUnOp::Integral(how), _), _) => {
                finite(domains, a).and_then(|bounds| of(a)?.rounded_to_integer(how, bounds))
            }
            // A number made an integer and a number again.
            Node::Unary(UnOp::Float(FloatUnOp::FromSigned, format), _) => {
                parts[a].truncated_operand(domains).and_then(|(operand, bounds)| {
                    let form = of(operand)?.rounded_to_integer(Integral::Zero, bounds)?;
                    let magnitude = bounds.0.abs().max(bounds.1.abs());
                    let is_exact = magnitude < 2_f64.powi(format.fraction() as i32);
                    if is_exact { Some(form) } else { form.rounded(format, magnitude) }
                })
            }
            Node::Binary(BinOp::BvXor, ..) => match domains.get(b) {
                Some(&Domain::Bits { low, high, .. }) if self.is_sign((low, high)) => of(a).map(Linear::negation),
                _ => None,
            },
            Node::Ite(..) => match domains.get(a) {
                Some(Domain::Truth(Some(value))) => of(if *value { b } else { c }).cloned(),
                _ => None,
            },
            _ => None,
        };
        form.or_else(itself)
    }

    /// The operand of a conversion to a signed integer that has all the integers, and its bounds.
    fn truncated_operand(&self, domains: &[Domain]) -> Option<(usize, (f64, f64))> {
        let Node::Unary(UnOp::Float(FloatUnOp::ToSigned(width), _), _) = self.node else { return None };
        let (lo, hi) = finite(domains, self.args[0])?;
        let limit = 2_f64.powi(i32::from(width) - 1);
        (lo.trunc() >= -limit && hi.trunc() < limit).then_some((self.args[0], (lo, hi)))
    }

    /// The difference of two floats whose order is known: at most zero. Whether it is less.
    pub(super) fn difference(
        &self,
        own: Domain,
        domains: &[Domain],
        forms: &[Option<Linear>],
    ) -> Option<(Linear, bool)> {
        let (Node::Binary(BinOp::Float(op, _), ..), Domain::Truth(Some(holds))) = (self.node, own) else { return None };
        let [a, b, _] = self.args;
        let (x, y) = (forms.get(a)?.as_ref()?, forms.get(b)?.as_ref()?);
        match (op, holds) {
            (FloatBinOp::Lt | FloatBinOp::Le, true) => Some((x.plus(&y.negation(), domains)?, op == FloatBinOp::Lt)),
            // What has a form is no NaN.
            (FloatBinOp::Lt | FloatBinOp::Le, false) => Some((y.plus(&x.negation(), domains)?, op == FloatBinOp::Le)),
            _ => None,
        }
    }

    /// What bits and the float that they are say of each other.
    pub(super) fn linked(&self, domain: Domain) -> Domain {
        match (self.format, domain) {
            (Some(format), Domain::Bits { low, high, floats }) => {
                let ((low, high), floats) = interval::linked(format, (low, high), floats);
                Domain::Bits { low, high, floats }
            }
            _ => domain,
        }
    }

    /// What a result says of the operand of a conversion.
    fn before(
        &self,
        op: FloatUnOp,
        format: Format,
        (low, high): (i128, i128),
        floats: Floats,
        domains: &[Domain],
    ) -> Vec<(usize, Domain)> {
        let a = self.args[0];
        let Domain::Bits { low: l, high: h, floats: before } = domains[a] else { return Vec::new() };
        match op {
            FloatUnOp::Convert => {
                vec![(a, Domain::Bits { low: l, high: h, floats: floats.before_conversion(format) })]
            }
            FloatUnOp::Sqrt => {
                let square = floats.square(format);
                square.into_iter().map(|floats| (a, Domain::Bits { low: l, high: h, floats })).collect()
            }
            FloatUnOp::Integral(_) => {
                vec![(a, Domain::Bits { low: l, high: h, floats: floats.before_rounding() })]
            }
            FloatUnOp::FromSigned => match floats.whole(format) {
                Some((least, most)) => vec![(a, Domain::Bits { low: l.max(least), high: h.min(most), floats: before })],
                None => Vec::new(),
            },
            // Only where the operand is known to fit the conversion says something of it.
            FloatUnOp::ToSigned(_) if low.abs().max(high.abs()) < 1 << 52 => {
                let Domain::Bits { low: least, high: most, .. } = self.anything() else { return Vec::new() };
                if !truncated(before).is_some_and(|(x, y)| least <= x && y <= most) {
                    return Vec::new();
                }
                let between = Floats::between((low - 1) as f64, (high + 1) as f64);
                vec![(a, Domain::Bits { low: l, high: h, floats: before.meet(between) })]
            }
            _ => Vec::new(),
        }
    }
}

/// Both.
pub(super) fn hull(a: Domain, b: Domain) -> Domain {
    match (a, b) {
        (Domain::Bits { low, high, floats }, Domain::Bits { low: l, high: h, floats: f }) => {
            Domain::Bits { low: low.min(l), high: high.max(h), floats: floats.join(f) }
        }
        (Domain::Truth(a), Domain::Truth(b)) if a == b => Domain::Truth(a),
        _ => Domain::Truth(None),
    }
}
