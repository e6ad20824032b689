//! Systems of equations that have rational solutions but no integer ones.
//!
//! Rows are eliminated by operations that keep the integers: a change of variables by adding multiples of columns
//! (`x + 3 y` is as good an integer variable as `x`), which needs no record, and adding multiples of rows, which is
//! recorded. If at last `a x = c` with `c / a` not an integer, the recorded multiples divided by `a` are the certificate.

use super::linear::NumVar;
use super::rational::Rational;

/// More equations than this are not tried.
const EQUATIONS: usize = 400;

/// Factors for the equations `sum = constant` (integer coefficients) so that they sum up to an equation with integer
/// coefficients and a constant that is not an integer.
pub(super) fn contradiction(
    numbers: usize,
    equations: &[(&[(NumVar, Rational)], &Rational)],
) -> Option<Vec<Rational>> {
    if equations.len() > EQUATIONS {
        return None;
    }
    let mut system = System::new(numbers, equations);
    for row in 0..equations.len() {
        let Some(column) = system.isolate(row) else { continue };
        let pivot = system.rows[row].coefficients[column].recip();
        system.rows[row].scale(&pivot);
        if !system.rows[row].constant.is_integer() {
            return Some(std::mem::take(&mut system.rows[row].factors));
        }
        system.eliminate(row, column);
    }
    None
}

struct Row {
    coefficients: Vec<Rational>,
    constant: Rational,
    /// Of which multiples of the equations it is the sum.
    factors: Vec<Rational>,
}

impl Row {
    fn scale(&mut self, by: &Rational) {
        for number in self.coefficients.iter_mut().chain(&mut self.factors).chain([&mut self.constant]) {
            if !number.is_zero() {
                *number = &*number * by;
            }
        }
    }
}

struct System {
    rows: Vec<Row>,
}

impl System {
    fn new(numbers: usize, equations: &[(&[(NumVar, Rational)], &Rational)]) -> System {
        // Only columns that occur: most numbers are in no equation.
        let mut used: Vec<Option<usize>> = vec![None; numbers];
        let mut width = 0;
        for (number, _) in equations.iter().flat_map(|(sum, _)| sum.iter()) {
            if used[*number].is_none() {
                used[*number] = Some(width);
                width += 1;
            }
        }
        let rows = equations.iter().enumerate().map(|(i, (sum, constant))| {
            let mut coefficients = vec![Rational::ZERO; width];
            for (number, coefficient) in *sum {
                coefficients[used[*number].expect("counted")] = coefficient.clone();
            }
            let mut factors = vec![Rational::ZERO; equations.len()];
            factors[i] = Rational::ONE;
            Row { coefficients, constant: (*constant).clone(), factors }
        });
        System { rows: rows.collect() }
    }

    /// Changes variables until the row has one left. `None` if it has none to begin with.
    fn isolate(&mut self, row: usize) -> Option<usize> {
        loop {
            let coefficients = &self.rows[row].coefficients;
            let used: Vec<usize> = (0..coefficients.len()).filter(|&c| !coefficients[c].is_zero()).collect();
            let least = used.iter().copied().min_by(|&a, &b| coefficients[a].abs().cmp(&coefficients[b].abs()))?;
            if used.len() == 1 {
                return Some(least);
            }
            let inverse = coefficients[least].recip();
            let quotients: Vec<(usize, Rational)> = used
                .iter()
                .filter(|&&c| c != least)
                .map(|&c| (c, (&coefficients[c] * &inverse).floor()))
                .filter(|(_, q)| !q.is_zero())
                .collect();
            for other in &mut self.rows[row..] {
                let factor = other.coefficients[least].clone();
                if !factor.is_zero() {
                    for (column, quotient) in &quotients {
                        other.coefficients[*column] = &other.coefficients[*column] - &(quotient * &factor);
                    }
                }
            }
        }
    }

    /// Subtracts multiples of a row `x = constant` from those after it.
    fn eliminate(&mut self, row: usize, column: usize) {
        let (done, rest) = self.rows.split_at_mut(row + 1);
        let solved = &done[row];
        for other in rest {
            let factor = std::mem::replace(&mut other.coefficients[column], Rational::ZERO);
            if factor.is_zero() {
                continue;
            }
            other.constant = &other.constant - &(&factor * &solved.constant);
            for (mine, theirs) in other.factors.iter_mut().zip(&solved.factors) {
                if !theirs.is_zero() {
                    *mine = &*mine - &(&factor * theirs);
                }
            }
        }
    }
}
