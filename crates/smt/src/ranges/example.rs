//! Values for which a formula holds. Where there are some, intervals have nothing to refute, and need not go on to look for it.

use std::hash::{Hash, Hasher};

use clinch_terms::evaluate::{Environment, Memo, evaluate_with};
use clinch_terms::float::{Format, interval};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHasher};

use super::part::{Domain, Part};

/// Numbers that programs count with: a counter or an index that is any number is one of these sooner than another.
const SMALL: u64 = 6;

/// Values of symbols, and of cells at known places.
struct Example<'t> {
    terms: &'t Terms,
    symbols: FxHashMap<Symbol, Value>,
    cells: FxHashMap<(Symbol, u64), Value>,
}

impl Environment for Example<'_> {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        self.symbols.get(&symbol).cloned()
    }

    fn element(&self, array: Symbol, index: &Value) -> Option<Value> {
        let Value::BitVec { bits, .. } = index else { return None };
        let known = u64::try_from(bits).ok().and_then(|place| self.cells.get(&(array, place)).cloned());
        known.or_else(|| match self.terms.symbol_sort(array) {
            Sort::Array(of) => nothing(&of.1),
            _ => None,
        })
    }
}

/// A value of what nothing is known of.
fn nothing(sort: &Sort) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(false)),
        Sort::BitVec(width) => Some(Value::BitVec { width: *width, bits: 0_u32.into() }),
        _ => None,
    }
}

/// Whether the formulas hold for some values in these domains; others are tried for another number.
pub(super) fn has_example(terms: &Terms, formulas: &[Term], parts: &[Part], domains: &[Domain], number: u64) -> bool {
    let mut example = Example { terms, symbols: FxHashMap::default(), cells: FxHashMap::default() };
    for (index, (part, domain)) in parts.iter().zip(domains).enumerate() {
        let node = terms.node(part.term);
        if !matches!(node, Node::Symbol(_) | Node::Binary(BinOp::Select, ..)) {
            continue;
        }
        let Some(value) = value(part, *domain, choice(number, index)) else { continue };
        match node {
            Node::Symbol(symbol) => _ = example.symbols.insert(symbol, value),
            Node::Binary(_, array, place) => {
                if let (Node::Symbol(array), Node::BitVec(_, place)) = (terms.node(array), terms.node(place)) {
                    example.cells.insert((array, place), value);
                }
            }
            _ => {}
        }
    }
    let mut known = Memo::default();
    formulas.iter().all(|&formula| evaluate_with(terms, &example, formula, &mut known) == Some(Value::Bool(true)))
}

/// Which of the values is taken: the middle ones at first.
fn choice(number: u64, index: usize) -> u64 {
    if number == 0 {
        return 0;
    }
    let mut hasher = FxHasher::default();
    (number, index).hash(&mut hasher);
    hasher.finish() >> 32
}

/// One of the values of a part.
fn value(part: &Part, domain: Domain, choice: u64) -> Option<Value> {
    let (low, high, floats) = match domain {
        Domain::Truth(known) => return Some(Value::Bool(known.unwrap_or(choice % 2 == 1))),
        Domain::Bits { low, high, floats } => (low, high, floats),
    };
    let width = part.width?;
    let bits = match part.format.filter(|_| part.is_float) {
        Some(format) if floats.has_numbers() => {
            let middle = if floats.lo.is_infinite() || floats.hi.is_infinite() {
                0.0_f64.clamp(floats.lo, floats.hi)
            } else {
                floats.lo / 2.0 + floats.hi / 2.0
            };
            let number = match choice % 4 {
                1 => floats.lo,
                2 => floats.hi,
                3 => middle / 2.0 + floats.hi.min(f64::MAX) / 2.0,
                _ => middle,
            };
            interval::bits(format, rounded(format, number))
        }
        Some(format) => interval::bits(format, f64::NAN),
        None => {
            let small = i128::from(choice % SMALL).clamp(low, high);
            (small & ((1 << width) - 1)) as u64
        }
    };
    Some(Value::BitVec { width, bits: bits.into() })
}

fn rounded(format: Format, number: f64) -> f64 {
    match format {
        Format::Single => f64::from(number as f32),
        Format::Double => number,
    }
}
