//! The simplex algorithm on bounds [Dutertre and de Moura, CAV 2006]: a tableau of equations, bounds on all variables that
//! come and go, and for contradictory bounds the coefficients that show it (Farkas' lemma).

use super::rational::{Delta, Rational};
use super::sat::Lit;

/// A variable of the tableau.
pub(super) type Column = usize;

/// Bounds that contradict each other: the literals they come from, each with the positive factor its inequality has in a
/// sum that reads `0 <= negative` (or `0 < 0`).
pub(super) type Farkas = Vec<(Lit, Rational)>;

#[derive(Clone, Debug)]
struct Bound {
    value: Delta,
    reason: Lit,
}

/// Which side a bound limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Lower,
    Upper,
}

/// `basic = sum of factors * columns`.
#[derive(Debug)]
struct Row {
    basic: Column,
    /// Ascending by column; no factor is zero.
    entries: Vec<(Column, Rational)>,
}

/// Pivots by the least index only (which cannot cycle) after this many that followed a heuristic.
const HEURISTIC_PIVOTS: usize = 500;

/// The tableau, the bounds and an assignment that satisfies the tableau and the bounds of non-basic variables.
#[derive(Debug, Default)]
pub(super) struct Simplex {
    rows: Vec<Row>,
    /// The row in which a column is basic.
    row_of: Vec<Option<usize>>,
    /// The rows in which a column is not basic, ascending.
    occurrences: Vec<Vec<usize>>,
    values: Vec<Delta>,
    lower: Vec<Option<Bound>>,
    upper: Vec<Option<Bound>>,
    /// What bounds were before, for [`Simplex::undo`].
    trail: Vec<(Column, Side, Option<Bound>)>,
    /// Basic variables that may be out of bounds.
    suspects: std::collections::BTreeSet<Column>,
    pub(super) pivots: usize,
}

impl Simplex {
    /// A new variable without bounds.
    pub(super) fn column(&mut self) -> Column {
        self.row_of.push(None);
        self.occurrences.push(Vec::new());
        self.values.push(Delta::ZERO);
        self.lower.push(None);
        self.upper.push(None);
        self.values.len() - 1
    }

    /// A new variable that equals a sum of others.
    pub(super) fn define(&mut self, sum: &[(Column, Rational)]) -> Column {
        let basic = self.column();
        let mut entries: Vec<(Column, Rational)> = Vec::new();
        for (column, factor) in sum {
            match self.row_of[*column] {
                Some(row) => add_multiple(&mut entries, factor, &self.rows[row].entries),
                None => add_multiple(&mut entries, factor, &[(*column, Rational::ONE)]),
            }
        }
        let row = self.rows.len();
        let mut value = Delta::ZERO;
        for (column, factor) in &entries {
            self.occurrences[*column].push(row);
            value = value.plus(factor, &self.values[*column]);
        }
        self.values[basic] = value;
        self.row_of[basic] = Some(row);
        self.rows.push(Row { basic, entries });
        basic
    }

    pub(super) fn value(&self, column: Column) -> &Delta {
        &self.values[column]
    }

    /// The value and the reasons of a column with equal bounds.
    pub(super) fn fixed(&self, column: Column) -> Option<(&Rational, [Lit; 2])> {
        let (lower, upper) = (self.lower[column].as_ref()?, self.upper[column].as_ref()?);
        (lower.value == upper.value).then_some((&upper.value.real, [upper.reason, lower.reason]))
    }

    /// How many bounds were asserted and not undone.
    pub(super) fn asserted(&self) -> usize {
        self.trail.len()
    }

    /// Undoes all but the first `keep` assertions.
    pub(super) fn undo(&mut self, keep: usize) {
        while self.trail.len() > keep {
            let (column, side, old) = self.trail.pop().expect("longer than `keep`");
            match side {
                Side::Lower => self.lower[column] = old,
                Side::Upper => self.upper[column] = old,
            }
        }
    }

    /// Adds a bound. Fails at once if it contradicts the other bound of the column.
    pub(super) fn assert(&mut self, column: Column, side: Side, value: Delta, reason: Lit) -> Result<(), Farkas> {
        let (same, other) = match side {
            Side::Lower => (&self.lower[column], &self.upper[column]),
            Side::Upper => (&self.upper[column], &self.lower[column]),
        };
        let tighter = |new: &Delta, old: &Delta| if side == Side::Lower { new > old } else { new < old };
        if same.as_ref().is_some_and(|old| !tighter(&value, &old.value)) {
            return Ok(());
        }
        if let Some(other) = other.as_ref().filter(|other| tighter(&value, &other.value)) {
            return Err(vec![(reason, Rational::ONE), (other.reason, Rational::ONE)]);
        }
        let moved = tighter(&value, &self.values[column]);
        let slot = if side == Side::Lower { &mut self.lower[column] } else { &mut self.upper[column] };
        self.trail.push((column, side, slot.replace(Bound { value: value.clone(), reason })));
        if self.row_of[column].is_some() {
            self.suspects.insert(column);
        } else if moved {
            self.update(column, value);
        }
        Ok(())
    }

    /// Moves a non-basic variable.
    fn update(&mut self, column: Column, value: Delta) {
        let change = value.minus(&self.values[column]);
        self.values[column] = value;
        for i in 0..self.occurrences[column].len() {
            let row = &self.rows[self.occurrences[column][i]];
            let basic = row.basic;
            self.values[basic] = self.values[basic].plus(factor(&row.entries, column), &change);
            self.suspects.insert(basic);
        }
    }

    /// Finds an assignment within all bounds, or bounds that contradict each other.
    pub(super) fn check(&mut self) -> Result<(), Farkas> {
        let start = self.pivots;
        while let Some(basic) = self.suspects.pop_first() {
            let Some(row) = self.row_of[basic] else { continue };
            let value = &self.values[basic];
            let low = self.lower[basic].as_ref().filter(|b| *value < b.value);
            let high = self.upper[basic].as_ref().filter(|b| *value > b.value);
            let (target, side) = match (low, high) {
                (Some(bound), _) => (bound.value.clone(), Side::Lower),
                (_, Some(bound)) => (bound.value.clone(), Side::Upper),
                _ => continue,
            };
            let Some(entering) = self.entering(row, side, self.pivots - start < HEURISTIC_PIVOTS) else {
                self.suspects.insert(basic);
                return Err(self.explain(row, side));
            };
            self.pivot_and_update(row, entering, target);
        }
        Ok(())
    }

    /// A non-basic variable that can move the row's basic one toward the violated bound.
    fn entering(&self, row: usize, violated: Side, heuristic: bool) -> Option<Column> {
        let movable = |(column, factor): &&(Column, Rational)| {
            if factor.is_positive() == (violated == Side::Lower) {
                self.upper[*column].as_ref().is_none_or(|b| self.values[*column] < b.value)
            } else {
                self.lower[*column].as_ref().is_none_or(|b| self.values[*column] > b.value)
            }
        };
        let mut candidates = self.rows[row].entries.iter().filter(movable).map(|(column, _)| *column);
        if heuristic { candidates.min_by_key(|&c| (self.occurrences[c].len(), c)) } else { candidates.next() }
    }

    /// The bounds that keep the row's basic variable from its violated bound.
    fn explain(&self, row: usize, violated: Side) -> Farkas {
        let Row { basic, entries } = &self.rows[row];
        let reason = |column: Column, side: Side| {
            let bound = if side == Side::Lower { &self.lower[column] } else { &self.upper[column] };
            bound.as_ref().expect("it is what keeps the variable").reason
        };
        let mut sum = vec![(reason(*basic, violated), Rational::ONE)];
        for (column, factor) in entries {
            let side = if factor.is_positive() == (violated == Side::Lower) { Side::Upper } else { Side::Lower };
            sum.push((reason(*column, side), factor.abs()));
        }
        sum
    }

    fn pivot_and_update(&mut self, row: usize, entering: Column, target: Delta) {
        self.pivots += 1;
        let leaving = self.rows[row].basic;
        let inverse = factor(&self.rows[row].entries, entering).recip();
        let change = target.minus(&self.values[leaving]).times(&inverse);
        self.values[leaving] = target;
        self.values[entering] = self.values[entering].plus(&Rational::ONE, &change);
        let rows = std::mem::take(&mut self.occurrences[entering]);
        for &other in rows.iter().filter(|&&other| other != row) {
            let Row { basic, entries } = &self.rows[other];
            self.values[*basic] = self.values[*basic].plus(factor(entries, entering), &change);
            self.suspects.insert(*basic);
        }
        self.occurrences[entering] = rows;
        self.pivot(row, entering);
        self.suspects.insert(entering);
    }

    /// Solves the row for `entering`, and replaces it in all others.
    fn pivot(&mut self, row: usize, entering: Column) {
        let leaving = self.rows[row].basic;
        let mut solved = std::mem::take(&mut self.rows[row].entries);
        let position = position(&solved, entering).expect("the column occurs in the row");
        let (_, pivot) = solved.remove(position);
        let inverse = pivot.recip();
        for (_, factor) in &mut solved {
            *factor = -&(&*factor * &inverse);
        }
        let at = solved.partition_point(|(column, _)| *column < leaving);
        solved.insert(at, (leaving, inverse));
        insert(&mut self.occurrences[leaving], row);

        for other in std::mem::take(&mut self.occurrences[entering]) {
            if other != row {
                self.substitute(other, entering, &solved);
            }
        }
        self.rows[row] = Row { basic: entering, entries: solved };
        self.row_of[entering] = Some(row);
        self.row_of[leaving] = None;
    }

    fn substitute(&mut self, row: usize, column: Column, by: &[(Column, Rational)]) {
        let mut entries = std::mem::take(&mut self.rows[row].entries);
        let position = position(&entries, column).expect("the column occurs in the row");
        let (_, factor) = entries.remove(position);
        let before: Vec<Column> = entries.iter().map(|(c, _)| *c).collect();
        add_multiple(&mut entries, &factor, by);
        // Both lists ascend: one pass finds what came and what went.
        let (mut i, mut j) = (0, 0);
        while i < before.len() || j < entries.len() {
            let old = before.get(i).copied().unwrap_or(Column::MAX);
            let new = entries.get(j).map_or(Column::MAX, |(c, _)| *c);
            if old < new {
                remove(&mut self.occurrences[old], row);
            } else if new < old {
                insert(&mut self.occurrences[new], row);
            }
            i += usize::from(old <= new);
            j += usize::from(new <= old);
        }
        self.rows[row].entries = entries;
    }
}

fn position(entries: &[(Column, Rational)], column: Column) -> Option<usize> {
    entries.binary_search_by_key(&column, |(c, _)| *c).ok()
}

fn factor(entries: &[(Column, Rational)], column: Column) -> &Rational {
    &entries[position(entries, column).expect("occurrences are kept")].1
}

fn insert(rows: &mut Vec<usize>, row: usize) {
    if let Err(at) = rows.binary_search(&row) {
        rows.insert(at, row);
    }
}

fn remove(rows: &mut Vec<usize>, row: usize) {
    if let Ok(at) = rows.binary_search(&row) {
        rows.remove(at);
    }
}

/// `entries += factor * other`, both ascending.
pub(super) fn add_multiple(entries: &mut Vec<(Column, Rational)>, factor: &Rational, other: &[(Column, Rational)]) {
    let mut merged = Vec::with_capacity(entries.len() + other.len());
    let mut rest = std::mem::take(entries).into_iter().peekable();
    for (column, coefficient) in other {
        while let Some(entry) = rest.next_if(|(c, _)| c < column) {
            merged.push(entry);
        }
        let mut sum = factor * coefficient;
        if let Some((_, old)) = rest.next_if(|(c, _)| c == column) {
            sum = &old + &sum;
        }
        if !sum.is_zero() {
            merged.push((*column, sum));
        }
    }
    merged.extend(rest);
    *entries = merged;
}
