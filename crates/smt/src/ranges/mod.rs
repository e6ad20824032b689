//! Formulas with floats that intervals refute.
//!
//! Bit by bit, the product of two doubles is a hard question; that it stays between bounds often is an easy one. Intervals of all
//! parts of a formula are made smaller from the operands to the results and from the results to the operands, until nothing
//! changes (interval constraint propagation, as HC4 does it), and by what sums of the same unknowns are ([`linear`]). Where
//! that is not enough, a condition or an interval is split and both halves are refuted. If every case is empty, the formula has no model. Nothing is said otherwise.

mod example;
mod linear;
mod part;
mod table;
#[cfg(test)]
mod tests;

use clinch_terms::float::Format;
use clinch_terms::float::interval::{self, Floats};
use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp, work};
use rustc_hash::FxHashSet;

use example::has_example;
use linear::Linear;
use part::{Domain, Part};

/// Formulas with more parts are not looked at.
const PARTS: usize = 20_000;
/// Rounds over all parts before linear forms are looked at, and turns of both before a case is split.
const ROUNDS: usize = 12;
const TURNS: usize = 3;
/// Parts that are looked at for each millisecond that a question may take, and at most in all.
const VISITS: u64 = 3_000;
const MOST: u64 = 40_000_000;
/// Known orders of floats that are compared with each other.
const RELATIONS: usize = 16;
/// One of several cases gets at least such a part of what is left.
const SHARE: u64 = 4;
/// Nanoseconds of a visit.
const WORK: u64 = 20;
/// Cases inside of cases.
const DEPTH: u32 = 200;
/// How many examples are tried of all cases, and how many in all: one for each case that is split.
const EXAMPLES: (u64, u64) = (8, 40);

/// A formula: all of some formulas, and one of others.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) all: Vec<Term>,
    /// Those of the others that intervals did not refute. If none is left the formula has no model.
    pub(crate) one: Vec<Term>,
    /// Those that they did.
    pub(crate) refuted: Vec<Term>,
}

/// Takes from a formula the cases that intervals show to be impossible.
pub(crate) fn refute(terms: &Terms, parts: &[Term], formula: Term, milliseconds: u32) -> Question {
    let mut question = Question { all: Vec::new(), one: vec![formula], refuted: Vec::new() };
    if !parts.iter().any(|&part| terms.is_float_operation(part)) {
        return question;
    }
    question = split(terms, formula);
    let mut left = (u64::from(milliseconds) * VISITS).min(MOST);
    let Question { all, one, .. } = question;
    let mut waiting = one.len() as u64;
    let (refuted, open) = one.into_iter().partition(|&case| {
        let formulas = all.iter().copied().chain(flat(terms, case, BinOp::And));
        let roots = essential(terms, parts, formulas);
        let mut share = left / waiting.min(SHARE);
        let before = share;
        waiting -= 1;
        let refuted = refute_case(terms, &parts_of(terms, parts, &roots), &roots, &mut share);
        left -= before - share;
        refuted
    });
    Question { all, one: open, refuted }
}

/// The formulas that must hold, and the cases of the first of them that has some.
fn split(terms: &Terms, formula: Term) -> Question {
    let mut all = flat(terms, formula, BinOp::And);
    let first = all.iter().position(|&part| matches!(terms.node(part), Node::Binary(BinOp::Or, ..)));
    let one = match first {
        Some(at) => flat(terms, all.remove(at), BinOp::Or),
        None => vec![all.pop().unwrap_or(formula)],
    };
    Question { all, one, refuted: Vec::new() }
}

/// What a connective connects.
fn flat(terms: &Terms, formula: Term, connective: BinOp) -> Vec<Term> {
    let (mut found, mut waiting) = (Vec::new(), vec![formula]);
    while let Some(next) = waiting.pop() {
        match terms.node(next) {
            Node::Binary(op, a, b) if op == connective => waiting.extend([b, a]),
            _ => found.push(next),
        }
    }
    found
}

/// Of formulas that are to hold those that matter: no disjunction of which one side is a literal among them, and no literal of a
/// symbol that no other one is about. (An invariant that is only supposed is the former, the supposition the latter.)
fn essential(terms: &Terms, parts: &[Term], formulas: impl Iterator<Item = Term>) -> Vec<Term> {
    let (literals, others): (Vec<Term>, Vec<Term>) =
        formulas.partition(|&formula| literal_of(terms, formula).is_some());
    let known: FxHashSet<Term> = literals.iter().copied().collect();
    let says_something = |formula: &Term| match terms.node(*formula) {
        Node::Binary(BinOp::Or, a, b) => !known.contains(&a) && !known.contains(&b),
        _ => true,
    };
    let mut roots: Vec<Term> = others.into_iter().filter(says_something).collect();
    let used: FxHashSet<Term> = parts_of(terms, parts, &roots).into_iter().collect();
    roots.extend(literals.into_iter().filter(|&l| literal_of(terms, l).is_some_and(|symbol| used.contains(&symbol))));
    roots
}

/// The symbol of a literal.
fn literal_of(terms: &Terms, formula: Term) -> Option<Term> {
    let inner = match terms.node(formula) {
        Node::Unary(UnOp::Not, of) => of,
        _ => formula,
    };
    matches!(terms.node(inner), Node::Symbol(_)).then_some(inner)
}

/// Those of some parts, each after its own parts, that some of them have.
fn parts_of(terms: &Terms, parts: &[Term], roots: &[Term]) -> Vec<Term> {
    let mut wanted: FxHashSet<Term> = roots.iter().copied().collect();
    let mut found: Vec<Term> = Vec::new();
    for &part in parts.iter().rev() {
        if wanted.contains(&part) {
            wanted.extend(terms.children(part));
            found.push(part);
        }
    }
    found.reverse();
    found
}

/// Whether some formulas do not hold together; at most so many parts are looked at.
fn refute_case(terms: &Terms, parts: &[Term], roots: &[Term], left: &mut u64) -> bool {
    if parts.len() > PARTS {
        return false;
    }
    let Some(parts) = part::read(terms, parts) else { return false };
    let mut search = Search { terms, roots, left: *left, parts: &parts, forms: Vec::new(), tried: 0 };
    let mut domains: Vec<Domain> = parts.iter().map(Part::anything).collect();
    for (part, domain) in parts.iter().zip(&mut domains) {
        if roots.contains(&part.term) {
            *domain = Domain::Truth(Some(true));
        }
    }
    let refuted = search.refute(domains, 0);
    work::add((*left - search.left) * WORK);
    *left = search.left;
    refuted
}

struct Search<'p> {
    terms: &'p Terms,
    roots: &'p [Term],
    parts: &'p [Part],
    /// Visits that may still be made.
    left: u64,
    /// Linear forms of the parts, in the box that is looked at.
    forms: Vec<Option<Linear>>,
    /// Examples that were tried.
    tried: u64,
}

/// No value is left for some part.
struct Empty;

impl Search<'_> {
    /// Whether there is nothing in these domains.
    fn refute(&mut self, mut domains: Vec<Domain>, depth: u32) -> bool {
        match self.propagate(&mut domains) {
            Err(Empty) => return true,
            Ok(()) if self.left == 0 || depth >= DEPTH || self.finds_example(&domains) => return false,
            Ok(()) => {}
        }
        let Some((index, cases)) = self.cases(&domains) else { return false };
        cases.into_iter().all(|case| {
            let mut domains = domains.clone();
            domains[index] = case;
            self.refute(domains, depth + 1)
        })
    }

    /// Tries examples, several before anything is split.
    fn finds_example(&mut self, domains: &[Domain]) -> bool {
        let (of_all, most) = EXAMPLES;
        let tries = if self.tried == 0 { of_all } else { u64::from(self.tried < most) };
        (0..tries).any(|_| {
            self.left = self.left.saturating_sub(self.parts.len() as u64);
            self.tried += 1;
            has_example(self.terms, self.roots, self.parts, domains, self.tried - 1)
        })
    }

    /// Makes domains smaller, by intervals until nothing changes, and then by linear forms, which may be worth another turn.
    fn propagate(&mut self, domains: &mut [Domain]) -> Result<(), Empty> {
        for _ in 0..TURNS {
            self.by_intervals(domains)?;
            if self.left == 0 || !self.by_forms(domains)? {
                break;
            }
        }
        Ok(())
    }

    fn by_intervals(&mut self, domains: &mut [Domain]) -> Result<(), Empty> {
        for _ in 0..ROUNDS {
            self.left = self.left.saturating_sub(2 * domains.len() as u64);
            let mut changed = false;
            for (index, part) in self.parts.iter().enumerate() {
                let value = part.forward(domains);
                changed |= narrow(&mut domains[index], value, part)?;
            }
            for (index, part) in self.parts.iter().enumerate().rev() {
                for (child, value) in part.backward(domains[index], domains) {
                    changed |= narrow(&mut domains[child], value, &self.parts[child])?;
                }
            }
            if !changed || self.left == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Bounds of linear forms, and what known comparisons of them say of the parts that they are sums of. Whether something changed.
    fn by_forms(&mut self, domains: &mut [Domain]) -> Result<bool, Empty> {
        let mut changed = false;
        self.forms.clear();
        for (index, part) in self.parts.iter().enumerate() {
            let form = part.form(index, self.parts, domains, &self.forms);
            if let Some(form) = form.as_ref().filter(|form| form.size() > 0) {
                self.left = self.left.saturating_sub(2 + form.size());
                let (lo, hi) = form.bounds(domains);
                let inside = within(domains[index], part, (lo, hi));
                changed |= narrow(&mut domains[index], inside, part)?;
            }
            self.forms.push(form);
        }
        let mut relations: Vec<Linear> = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let Some((difference, is_strict)) = part.difference(domains[index], domains, &self.forms) else { continue };
            self.left = self.left.saturating_sub(2 + difference.size() * difference.size());
            let (least, _) = difference.bounds(domains);
            if least > 0.0 || is_strict && least >= 0.0 {
                return Err(Empty);
            }
            for (child, lo, hi) in difference.not_positive(domains) {
                let part = &self.parts[child];
                let inside = within(domains[child], part, (lo, hi));
                changed |= narrow(&mut domains[child], inside, part)?;
            }
            if difference.is_relation() && relations.len() < RELATIONS {
                relations.push(difference);
            }
        }
        for (at, one) in relations.iter().enumerate() {
            for other in &relations[..at] {
                self.left = self.left.saturating_sub(one.size() * 8);
                if one.excludes(other, domains) {
                    return Err(Empty);
                }
            }
        }
        Ok(changed)
    }

    /// What is split next, and its cases: a condition that is open, or else the widest interval of an unknown.
    fn cases(&self, domains: &[Domain]) -> Option<(usize, [Domain; 2])> {
        let open = |&i: &usize| self.parts[i].decides && domains[i] == Domain::Truth(None);
        if let Some(condition) = (0..domains.len()).rev().find(open) {
            return Some((condition, [true, false].map(|value| Domain::Truth(Some(value)))));
        }
        let widths = domains.iter().enumerate().filter_map(|(i, domain)| match *domain {
            Domain::Bits { floats, .. } if self.parts[i].is_unknown => {
                self.parts[i].format.filter(|_| self.parts[i].is_float)?;
                (floats.nan && floats.has_numbers() || floats.lo < floats.hi).then(|| (i, width(floats)))
            }
            _ => None,
        });
        let (widest, _) = widths.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (Domain::Bits { low, high, floats }, Some(format)) = (domains[widest], self.parts[widest].format) else {
            return None;
        };
        let cases = halves(floats, format).map(|floats| Domain::Bits { low, high, floats });
        Some((widest, cases))
    }
}

/// How much there is to split: NaNs first, then what is infinite, then by size.
fn width(floats: Floats) -> f64 {
    if floats.nan { f64::INFINITY } else { (floats.hi - floats.lo).min(f64::MAX) }
}

/// Two parts of what is not one value.
fn halves(floats: Floats, format: Format) -> [Floats; 2] {
    if floats.nan && floats.has_numbers() {
        let numbers = Floats { nan: false, ..floats };
        return [numbers, Floats { lo: f64::INFINITY, hi: f64::NEG_INFINITY, nan: true }];
    }
    let (lo, hi) = (floats.lo, floats.hi);
    let middle = match () {
        () if lo < 0.0 && hi > 0.0 => 0.0,
        // By exponents, where they differ much.
        () if lo.is_infinite() || hi.is_infinite() || hi.abs() > 1e6 * lo.abs() || lo.abs() > 1e6 * hi.abs() => {
            let (a, b) = (interval::bits(format, lo) & !format.sign(), interval::bits(format, hi) & !format.sign());
            let middle = interval::number(format, a.midpoint(b));
            if hi <= 0.0 { -middle } else { middle }
        }
        () => lo / 2.0 + hi / 2.0,
    };
    let middle = match format {
        Format::Single => f64::from(middle as f32),
        Format::Double => middle,
    };
    let middle = middle.clamp(lo, interval::below(format, hi));
    [Floats::between(lo, middle), Floats::between(interval::above(format, middle), hi)]
}

/// Takes from a domain what is not in another one. Whether that is something.
fn narrow(domain: &mut Domain, other: Domain, part: &Part) -> Result<bool, Empty> {
    let new = part.linked(domain.meet(other));
    if new.is_empty() {
        return Err(Empty);
    }
    let changed = new.is_much_less(*domain);
    if new != *domain {
        *domain = new;
    }
    Ok(changed)
}

/// The numbers of a part's domain between two bounds.
fn within(domain: Domain, part: &Part, (lo, hi): (f64, f64)) -> Domain {
    match (domain, part.format) {
        (Domain::Bits { low, high, .. }, Some(format)) => {
            Domain::Bits { low, high, floats: Floats::between(lo, hi).in_format(format) }
        }
        _ => domain,
    }
}

/// Whether values of a sort have domains here.
fn is_supported(sort: &Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::BitVec(1..=64))
}
