//! Formulas with floats that intervals refute.
//!
//! Bit by bit, the product of two doubles is a hard question; that it stays between bounds often is an easy one. Intervals of all
//! parts of a formula are made smaller from the operands to the results and from the results to the operands, until nothing
//! changes (interval constraint propagation, as HC4 does it). Where that is not enough, a condition or an interval is split and both
//! halves are refuted. If every case is empty, the formula has no model. Nothing is said otherwise.

mod float;
mod part;
#[cfg(test)]
mod tests;

use clinch_terms::float::Format;
use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp, work};

use float::Floats;
use part::{Domain, Part};

/// Formulas with more parts are not looked at.
const PARTS: usize = 6_000;
/// Rounds over all parts before a case is split.
const ROUNDS: usize = 12;
/// Parts that are looked at for each millisecond that a question may take, and at most in all.
const VISITS: u64 = 3_000;
const MOST: u64 = 40_000_000;
/// Nanoseconds of a visit.
const WORK: u64 = 20;
/// Cases inside of cases.
const DEPTH: u32 = 200;

/// Whether intervals show that a formula has no model.
pub(crate) fn refute(terms: &Terms, parts: &[Term], formula: Term, milliseconds: u32) -> bool {
    let has_floats = parts
        .iter()
        .any(|&part| matches!(terms.node(part), Node::Unary(UnOp::Float(..), _) | Node::Binary(BinOp::Float(..), ..)));
    if !has_floats || parts.len() > PARTS {
        return false;
    }
    let Some(parts) = part::read(terms, parts) else { return false };
    let Some(root) = parts.iter().position(|part| part.term == formula) else { return false };
    let left = (u64::from(milliseconds) * VISITS).min(MOST);
    let mut search = Search { left, parts: &parts };
    let mut domains: Vec<Domain> = parts.iter().map(Part::anything).collect();
    domains[root] = Domain::Truth(Some(true));
    let refuted = search.refute(domains, 0);
    work::add((left - search.left) * WORK);
    refuted
}

struct Search<'p> {
    parts: &'p [Part],
    /// Visits that may still be made.
    left: u64,
}

/// No value is left for some part.
struct Empty;

impl Search<'_> {
    /// Whether there is nothing in these domains.
    fn refute(&mut self, mut domains: Vec<Domain>, depth: u32) -> bool {
        match self.propagate(&mut domains) {
            Err(Empty) => return true,
            Ok(()) if self.left == 0 || depth >= DEPTH => return false,
            Ok(()) => {}
        }
        let Some((index, cases)) = self.cases(&domains) else { return false };
        cases.into_iter().all(|case| {
            let mut domains = domains.clone();
            domains[index] = case;
            self.refute(domains, depth + 1)
        })
    }

    /// Makes domains smaller until nothing changes.
    fn propagate(&mut self, domains: &mut [Domain]) -> Result<(), Empty> {
        for _ in 0..ROUNDS {
            self.left = self.left.saturating_sub(2 * domains.len() as u64);
            let mut changed = false;
            for (index, part) in self.parts.iter().enumerate() {
                let value = part.forward(domains);
                changed |= narrow(&mut domains[index], value)?;
            }
            for (index, part) in self.parts.iter().enumerate().rev() {
                for (child, value) in part.backward(domains[index], domains) {
                    changed |= narrow(&mut domains[child], value)?;
                }
            }
            if !changed || self.left == 0 {
                break;
            }
        }
        Ok(())
    }

    /// What is split next, and its cases: a condition that is open, or else the widest interval of an unknown.
    fn cases(&self, domains: &[Domain]) -> Option<(usize, [Domain; 2])> {
        let open = |&i: &usize| self.parts[i].decides && domains[i] == Domain::Truth(None);
        if let Some(condition) = (0..domains.len()).rev().find(open) {
            return Some((condition, [true, false].map(|value| Domain::Truth(Some(value)))));
        }
        let widths = domains.iter().enumerate().filter_map(|(i, domain)| match *domain {
            Domain::Bits { floats, .. } if self.parts[i].is_unknown => {
                self.parts[i].format?;
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
            let (a, b) = (float::bits(format, lo) & !format.sign(), float::bits(format, hi) & !format.sign());
            let middle = float::number(format, a.midpoint(b));
            if hi <= 0.0 { -middle } else { middle }
        }
        () => lo / 2.0 + hi / 2.0,
    };
    let middle = match format {
        Format::Single => f64::from(middle as f32),
        Format::Double => middle,
    };
    let middle = middle.clamp(lo, float::below(format, hi));
    [Floats::between(lo, middle), Floats::between(float::above(format, middle), hi)]
}

/// Takes from a domain what is not in another one. Whether that is something.
fn narrow(domain: &mut Domain, other: Domain) -> Result<bool, Empty> {
    let new = domain.meet(other);
    if new.is_empty() {
        return Err(Empty);
    }
    let changed = new.is_much_less(*domain);
    if new != *domain {
        *domain = new;
    }
    Ok(changed)
}

/// Whether values of a sort have domains here.
fn is_supported(sort: &Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::BitVec(1..=64))
}
