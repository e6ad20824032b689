//! Linear arithmetic as a theory of the search: bounds go to the simplex algorithm; for integers, equations are solved over
//! the integers, and the rest is done by splitting on a variable.

use super::congruence;
use super::problem::{Atom, Problem, Proposition};
use super::rational::{Delta, Rational};
use super::sat::{Certificate, Complete, Lemma, Lit, Part, Theory, Var};
use super::simplex::{Column, Farkas, Side, Simplex};

/// How often a search may split on an integer variable.
const SPLITS: usize = 300;

/// The theory's state.
#[derive(Debug, Default)]
pub(super) struct Arithmetic {
    pub(super) problem: Problem,
    simplex: Simplex,
    number_column: Vec<Column>,
    form_column: Vec<Column>,
    form_atoms: Vec<Vec<Var>>,
    /// Literals that occur in clauses. Others may be false together with their negation.
    relevant: Vec<bool>,
    /// The decision level of each true literal.
    level: Vec<Option<usize>>,
    /// Asserted literals, each with the number of bounds before it.
    trail: Vec<(Lit, usize)>,
    splits: usize,
}

impl Arithmetic {
    pub(super) fn new(problem: Problem) -> Self {
        let mut simplex = Simplex::default();
        let number_column: Vec<Column> = problem.numbers.iter().map(|_| simplex.column()).collect();
        let literals = 2 * problem.propositions.len();
        let (relevant, level) = (vec![false; literals], vec![None; literals]);
        let mut this = Arithmetic { simplex, number_column, relevant, level, problem, ..Arithmetic::default() };
        this.add_forms();
        for (lits, _) in &this.problem.clauses {
            for lit in lits {
                this.relevant[lit.index()] = true;
            }
        }
        for (var, (proposition, _)) in this.problem.propositions.iter().enumerate() {
            if let Proposition::Atom(atom) = proposition {
                this.form_atoms[atom.form].push(var);
            }
        }
        this
    }

    /// Columns for new forms.
    fn add_forms(&mut self) {
        for form in &self.problem.forms[self.form_column.len()..] {
            let column = match form.entries.as_slice() {
                [(number, factor)] if *factor == Rational::ONE => self.number_column[*number],
                entries => {
                    let sum: Vec<_> = entries.iter().map(|(n, c)| (self.number_column[*n], c.clone())).collect();
                    self.simplex.define(&sum)
                }
            };
            self.form_column.push(column);
            self.form_atoms.push(Vec::new());
        }
    }

    fn atom(&self, var: Var) -> Option<&Atom> {
        match &self.problem.propositions[var].0 {
            Proposition::Atom(atom) => Some(atom),
            _ => None,
        }
    }

    fn bound(&self, atom: &Atom, positive: bool) -> (Side, Delta) {
        bound(atom, positive, self.problem.forms[atom.form].integer)
    }

    fn lemma(&self, farkas: Farkas) -> Lemma {
        let top = farkas.iter().map(|(lit, _)| self.level[lit.index()].unwrap_or(0)).max().unwrap_or(0);
        let mut clause: Vec<Lit> = farkas.iter().map(|(lit, _)| lit.negated()).collect();
        let mut parts = Vec::new();
        for (lit, factor) in farkas {
            let partner = self.problem.partner.get(&lit).copied();
            let partner = partner.filter(|p| self.level[p.index()].is_some_and(|level| level <= top));
            clause.extend(partner.map(Lit::negated));
            parts.push(Part { lit, factor, equation: partner.is_some() });
        }
        clause.sort_unstable();
        clause.dedup();
        Lemma { clause, certificate: Certificate::Sum(parts) }
    }

    /// Equations that hold, each of one node: the form, its value, and the literals that say so.
    fn equations(&self) -> Vec<(usize, Rational, [Lit; 2])> {
        let mut equations = Vec::new();
        for (form, &column) in self.form_column.iter().enumerate() {
            let Some((value, reasons)) = self.simplex.fixed(column) else { continue };
            let spans = reasons.map(|lit| self.problem.propositions[lit.var()].1);
            if self.problem.forms[form].integer && spans[0] == spans[1] {
                equations.push((form, value.clone(), reasons));
            }
        }
        equations
    }

    fn congruence(&self) -> Option<Lemma> {
        let equations = self.equations();
        let sums: Vec<_> =
            equations.iter().map(|(form, value, _)| (self.problem.forms[*form].entries.as_slice(), value)).collect();
        let factors = congruence::contradiction(self.problem.numbers.len(), &sums)?;
        let (mut clause, mut parts) = (Vec::new(), Vec::new());
        for ((_, _, reasons), factor) in equations.iter().zip(factors) {
            if !factor.is_zero() {
                clause.extend(reasons.map(Lit::negated));
                parts.push(Part { lit: reasons[0], factor, equation: true });
            }
        }
        clause.sort_unstable();
        clause.dedup();
        Some(Lemma { clause, certificate: Certificate::Congruence(parts) })
    }

    /// A new atom that cuts off the value of an integer variable.
    fn split(&mut self, number: usize, value: &Rational) {
        let form = self.problem.form(vec![(number, Rational::ONE)]);
        self.add_forms();
        let atom = Atom { form, bound: value.floor(), strict: false };
        let at = self.problem.numbers[number].span;
        // It need not be a new atom; but the old one may be left out as not relevant.
        self.problem.propositions.push((Proposition::Atom(atom), super::tree::Span::at(at.first)));
        self.form_atoms[form].push(self.problem.propositions.len() - 1);
        self.relevant.extend([true, true]);
        self.level.extend([None, None]);
    }
}

/// The bound that an atom or its negation is.
pub(super) fn bound(atom: &Atom, positive: bool, integer: bool) -> (Side, Delta) {
    let (real, delta) = match (positive, atom.strict) {
        (true, false) | (false, true) => (atom.bound.clone(), Rational::ZERO),
        (true, true) => (atom.bound.clone(), Rational::int(-1)),
        (false, false) if integer => (&atom.bound + &Rational::ONE, Rational::ZERO),
        (false, false) => (atom.bound.clone(), Rational::ONE),
    };
    (if positive { Side::Upper } else { Side::Lower }, Delta { real, delta })
}

impl Theory for Arithmetic {
    fn assert(&mut self, lit: Lit, level: usize) -> Result<(), Lemma> {
        self.trail.push((lit, self.simplex.asserted()));
        self.level[lit.index()] = Some(level);
        if !self.relevant[lit.index()] {
            return Ok(());
        }
        let Some(atom) = self.atom(lit.var()) else { return Ok(()) };
        let column = self.form_column[atom.form];
        let (side, value) = self.bound(atom, lit.is_positive());
        self.simplex.assert(column, side, value, lit).map_err(|farkas| self.lemma(farkas))
    }

    fn check(&mut self) -> Result<(), Lemma> {
        self.simplex.check().map_err(|farkas| self.lemma(farkas))
    }

    /// Bounds of the same form.
    fn implied(&mut self, lit: Lit, values: &[Option<bool>]) -> Vec<(Lit, Lemma)> {
        let Some(atom) = self.atom(lit.var()).filter(|_| self.relevant[lit.index()]) else { return Vec::new() };
        let (side, value) = self.bound(atom, lit.is_positive());
        let mut implied = Vec::new();
        for &var in &self.form_atoms[atom.form] {
            let other = Lit::new(var, side == Side::Upper);
            let Some(atom) = self.atom(var).filter(|_| values[var].is_none()) else { continue };
            let (_, weaker) = self.bound(atom, other.is_positive());
            if if side == Side::Upper { value <= weaker } else { value >= weaker } {
                let part = |lit| Part { lit, factor: Rational::ONE, equation: false };
                let certificate = Certificate::Sum(vec![part(lit), part(other.negated())]);
                implied.push((other, Lemma { clause: vec![lit.negated(), other], certificate }));
            }
        }
        implied
    }

    fn complete(&mut self) -> Complete {
        let fractional = |&number: &usize| {
            let value = self.simplex.value(self.number_column[number]);
            self.problem.numbers[number].integer && !(value.real.is_integer() && value.delta.is_zero())
        };
        let Some(number) = (0..self.problem.numbers.len()).find(fractional) else { return Complete::Model };
        if let Some(lemma) = self.congruence() {
            return Complete::Conflict(lemma);
        }
        if self.splits >= SPLITS {
            return Complete::GaveUp("too many splits on integers".to_owned());
        }
        self.splits += 1;
        let value = self.simplex.value(self.number_column[number]).real.clone();
        self.split(number, &value);
        Complete::Split
    }

    fn undo(&mut self, keep: usize) {
        if let Some(&(_, bounds)) = self.trail.get(keep) {
            self.simplex.undo(bounds);
        }
        for (lit, _) in self.trail.drain(keep..) {
            self.level[lit.index()] = None;
        }
    }
}
