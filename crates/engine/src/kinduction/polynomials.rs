//! Equalities of polynomials that hold in all states that runs had at a loop head: `i + 2 * sum == i * i` where numbers are summed up.
//!
//! After R. Sharma, S. Gupta, B. Hariharan, A. Aiken, P. Liang, A. V. Nori, *A Data Driven Approach for Algebraic Loop Invariants*, ESOP 2013
//! (\[Algebraic\]): a state gives a row of monomials, and coefficients with which all rows become 0 are an equality. Here columns are taken one
//! by one, first the variables, then their products: one that is a sum of those before it is an equality, and a variable that is one needs no
//! products. Numbers are computed with modulo a prime and read back as fractions; an equality over the integers holds in bits as well.

use clinch_terms::{BinOp, Node, Sort, Term, Terms};
use rustc_hash::FxHashSet;

use super::places::Place;
use crate::share::Concrete;

/// The most variables of one equality.
const VARIABLES: usize = 7;
/// States with larger numbers may have wrapped around.
const LARGEST: i64 = 1 << 40;
/// So many states more than monomials: else everything is an equality of theirs.
const SPARE: usize = 2;
/// Equalities that mean something have small coefficients and few of them.
const COEFFICIENT: i64 = 1 << 10;
const MONOMIALS: usize = 6;
/// A Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;

/// A product of at most two variables, by their numbers.
type Monomial = Vec<usize>;

/// Equalities over the places in all of the states: sums of variables, and those with products.
#[derive(Default)]
pub(super) struct Equalities {
    pub(super) linear: Vec<Term>,
    pub(super) products: Vec<Term>,
}

/// What the states have in common.
pub(super) fn equalities(terms: &mut Terms, places: &[Place], states: &[Concrete]) -> Equalities {
    let is_number = |place: &&Place| {
        matches!(terms.node(place.term), Node::Symbol(_))
            && matches!(terms.sort(place.term), Sort::BitVec(_) | Sort::Int)
    };
    let mut places: Vec<Place> = places.iter().filter(is_number).copied().take(VARIABLES).collect();
    let Some(numbers) = widest(terms, &places) else { return Equalities::default() };
    places.retain(|place| (terms.sort(place.term) == Sort::Int) == (numbers == Numbers::Unbounded));
    // What stays as it is comes first: what changes is said by it.
    places.sort_by_key(|place| place.changed);
    let rows: FxHashSet<Vec<i64>> = states.iter().filter_map(|state| row(terms, &places, state)).collect();
    let mut rows: Vec<Vec<i64>> = rows.into_iter().collect();
    rows.sort_unstable();
    let mut found = Equalities::default();
    for equality in relations(&rows, places.len()) {
        let monomials = || equality.iter().map(|(monomial, _)| monomial);
        if monomials().flatten().any(|&variable| places[variable].changed) {
            let of_its_kind = match monomials().all(|monomial| monomial.len() < 2) {
                true => &mut found.linear,
                false => &mut found.products,
            };
            of_its_kind.push(formula(terms, &places, numbers, &equality));
        }
    }
    found
}

/// What is computed with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Unbounded,
    /// Of this width.
    Bits(u32),
}

/// Numbers that all places fit in.
fn widest(terms: &Terms, places: &[Place]) -> Option<Numbers> {
    let width = places.iter().filter_map(|place| match terms.sort(place.term) {
        Sort::BitVec(width) => Some(width),
        _ => None,
    });
    match width.max() {
        Some(width) => Some(Numbers::Bits(width)),
        None => (!places.is_empty()).then_some(Numbers::Unbounded),
    }
}

/// The values of the places in a state, if all are known and not too large.
fn row(terms: &Terms, places: &[Place], state: &Concrete) -> Option<Vec<i64>> {
    let value = |place: &Place| {
        let Node::Symbol(symbol) = terms.node(place.term) else { return None };
        let bits = state.iter().find(|(of, _)| *of == symbol)?.1;
        let value = match terms.sort(place.term) {
            Sort::BitVec(width @ 1..64) if place.signed => ((bits << (64 - width)) as i64) >> (64 - width),
            _ => bits as i64,
        };
        (value.checked_abs()? <= LARGEST).then_some(value)
    };
    places.iter().map(value).collect()
}

/// Sums of monomials that are 0 in all rows, with whole coefficients.
fn relations(rows: &[Vec<i64>], variables: usize) -> Vec<Vec<(Monomial, i64)>> {
    let mut basis = Basis { columns: Vec::new(), monomials: Vec::new() };
    let mut found = Vec::new();
    let mut free: Vec<usize> = Vec::new();
    let enough = |basis: &Basis| basis.columns.len() + SPARE < rows.len();
    for monomial in std::iter::once(Vec::new()).chain((0..variables).map(|v| vec![v])) {
        if !enough(&basis) {
            return in_whole_numbers(&basis, found);
        }
        match basis.add(rows, monomial.clone()) {
            Some(relation) => found.push(relation),
            None => free.extend(monomial),
        }
    }
    for (i, &a) in free.iter().enumerate() {
        for &b in &free[i..] {
            if !enough(&basis) {
                return in_whole_numbers(&basis, found);
            }
            found.extend(basis.add(rows, vec![a, b]));
        }
    }
    in_whole_numbers(&basis, found)
}

fn in_whole_numbers(basis: &Basis, found: Vec<Vec<u64>>) -> Vec<Vec<(Monomial, i64)>> {
    let sum = |coefficients: Vec<u64>| {
        let used: Vec<(usize, u64)> = coefficients.into_iter().enumerate().filter(|(_, c)| *c != 0).collect();
        let whole = whole(&used.iter().map(|(_, c)| *c).collect::<Vec<_>>())?;
        let monomials = used.iter().map(|(column, _)| basis.monomials[*column].clone());
        (used.len() <= MONOMIALS).then(|| monomials.zip(whole).collect())
    };
    found.into_iter().filter_map(sum).collect()
}

/// Columns of which none is a sum of the others.
struct Basis {
    /// In each a row that has 1 there, with the column as a sum of those that were added.
    columns: Vec<Column>,
    /// What was added.
    monomials: Vec<Monomial>,
}

struct Column {
    row: usize,
    values: Vec<u64>,
    /// By the numbers of monomials.
    sum: Vec<u64>,
}

impl Basis {
    /// Adds the column of a monomial; the coefficients of a sum that is 0, if it depends on those before.
    fn add(&mut self, rows: &[Vec<i64>], monomial: Monomial) -> Option<Vec<u64>> {
        let product = |row: &Vec<i64>| monomial.iter().fold(1, |product, &v| times(product, reduced(row[v])));
        let mut values: Vec<u64> = rows.iter().map(product).collect();
        let mut sum = vec![0; self.monomials.len() + 1];
        sum[self.monomials.len()] = 1;
        self.monomials.push(monomial);
        for column in &self.columns {
            let factor = PRIME - values[column.row];
            if factor != PRIME {
                add_multiple(&mut values, factor, &column.values);
                add_multiple(&mut sum, factor, &column.sum);
            }
        }
        let Some(row) = values.iter().position(|&value| value != 0) else { return Some(sum) };
        let inverse = power(values[row], PRIME - 2);
        values.iter_mut().chain(&mut sum).for_each(|value| *value = times(*value, inverse));
        self.columns.push(Column { row, values, sum });
        None
    }
}

fn add_multiple(to: &mut [u64], factor: u64, of: &[u64]) {
    to.iter_mut().zip(of).for_each(|(to, of)| *to = (*to + times(factor, *of)) % PRIME);
}

fn reduced(value: i64) -> u64 {
    value.rem_euclid(PRIME as i64) as u64
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, base);
        }
        (base, exponent) = (times(base, base), exponent / 2);
    }
    result
}

/// Small whole numbers in the proportions of these residues.
fn whole(residues: &[u64]) -> Option<Vec<i64>> {
    let scaled = |by: i64| -> Option<Vec<i64>> {
        let number = |&residue: &u64| {
            let product = times(residue, by as u64);
            let signed = if product > PRIME / 2 { product as i64 - PRIME as i64 } else { product as i64 };
            (signed.abs() <= COEFFICIENT).then_some(signed)
        };
        residues.iter().map(number).collect()
    };
    (1..=COEFFICIENT).find_map(scaled)
}

/// The sum is 0: what is added on one side, what is subtracted on the other.
fn formula(terms: &mut Terms, places: &[Place], numbers: Numbers, sum: &[(Monomial, i64)]) -> Term {
    let mut sides = [None, None];
    for (monomial, coefficient) in sum {
        let side = &mut sides[usize::from(*coefficient < 0)];
        let mut product =
            (coefficient.abs() != 1 || monomial.is_empty()).then(|| number(terms, numbers, coefficient.abs()));
        for &variable in monomial {
            let value = widened(terms, &places[variable], numbers);
            product = Some(joined(terms, numbers, (BinOp::Mul, BinOp::BvMul), product, value));
        }
        if let Some(product) = product {
            *side = Some(joined(terms, numbers, (BinOp::Add, BinOp::BvAdd), *side, product));
        }
    }
    let zero = number(terms, numbers, 0);
    let [left, right] = sides.map(|side| side.unwrap_or(zero));
    terms.eq(left, right)
}

fn joined(
    terms: &mut Terms,
    numbers: Numbers,
    (of_int, of_bits): (BinOp, BinOp),
    before: Option<Term>,
    next: Term,
) -> Term {
    let op = if numbers == Numbers::Unbounded { of_int } else { of_bits };
    before.map_or(next, |before| terms.binary(op, before, next))
}

fn number(terms: &mut Terms, numbers: Numbers, value: i64) -> Term {
    match numbers {
        Numbers::Bits(width) => terms.bit_vec(width, value as u64),
        Numbers::Unbounded => terms.int(value),
    }
}

fn widened(terms: &mut Terms, place: &Place, numbers: Numbers) -> Term {
    match (terms.sort(place.term), numbers) {
        (Sort::BitVec(own), Numbers::Bits(width)) => terms.extend(place.signed, width - own, place.term),
        _ => place.term,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found, each sum of monomials scaled so that its last coefficient is positive.
    fn texts(rows: &[Vec<i64>], names: &[&str]) -> Vec<String> {
        let text = |sum: Vec<(Monomial, i64)>| {
            let sign = sum.last().map_or(1, |(_, last)| last.signum());
            let part = |(monomial, c): (Monomial, i64)| {
                let names: Vec<&str> = monomial.iter().map(|&v| names[v]).collect();
                format!("{}{}", c * sign, names.concat())
            };
            sum.into_iter().map(part).collect::<Vec<_>>().join(" ")
        };
        relations(rows, names.len()).into_iter().map(text).collect()
    }

    #[test]
    fn sums_of_numbers() {
        let rows: Vec<Vec<i64>> = (0..12).map(|i| vec![i, i * (i - 1) / 2]).collect();
        assert_eq!(texts(&rows, &["i", "s"]), ["-1i -2s 1ii"]);
    }

    #[test]
    fn a_loop_in_a_loop() {
        let states = (3..6).flat_map(|m| (0..4).flat_map(move |i| (0..m).map(move |j| vec![m, i, j, i * m + j])));
        let rows: Vec<Vec<i64>> = states.collect();
        assert_eq!(texts(&rows, &["m", "i", "j", "k"]), ["1j -1k 1mi"]);
    }

    /// A variable that is a sum of others has no products.
    #[test]
    fn what_is_linear_is_said_once() {
        let rows: Vec<Vec<i64>> = (0..40).map(|i| vec![i, i * i % 7, 3 * i + 2 * (i * i % 7) + 5]).collect();
        assert_eq!(texts(&rows, &["x", "y", "z"])[0], "-5 -3x -2y 1z");
        assert!(texts(&rows, &["x", "y", "z"]).iter().skip(1).all(|text| !text.contains('z')));
    }

    #[test]
    fn few_states_say_nothing() {
        let rows = [vec![1, 5], vec![2, 9], vec![3, 2], vec![4, 7]];
        assert_eq!(texts(&rows, &["x", "y"]), [""; 0]);
    }
}
