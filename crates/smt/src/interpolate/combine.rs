//! Interpolants of all subtrees from one refutation, by McMillan's rules [McMillan, TCS 2005].
//!
//! For the subtree of a node, its clauses are `A` and all others are `B`. Each clause of the proof gets a formula:
//! - a clause of `A`: its literals that also occur in `B`; a clause of `B`: true;
//! - a lemma: the sum of its inequalities from `A` (Farkas), or the divisibility that its equations from `A` imply;
//! - a resolution step: the disjunction of both formulas if the pivot occurs only in `A`, else the conjunction.
//!
//! The formula of the empty clause is the interpolant. As all subtrees use the same proof, and every literal of a lemma
//! that occurs outside a subtree counts as `B`, the interpolants of children imply that of their parent.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::arithmetic::bound;
use super::formula::{Connective, Formula, FormulaId, Formulas, Relation};
use super::linear::Linear;
use super::problem::{Problem, Proposition};
use super::rational::{Delta, Rational};
use super::sat::{Certificate, Clause, ClauseId, Lit, Origin, Part};
use super::simplex::Side;
use super::tree::{Span, Tree};

/// A refutation and what is needed to read it.
pub(super) struct Refutation<'a> {
    pub(super) problem: &'a mut Problem,
    pub(super) clauses: &'a [Clause],
    pub(super) empty: ClauseId,
    pub(super) tree: &'a Tree,
}

/// What a lemma says at each position of the tree.
struct Sums {
    formulas: Vec<FormulaId>,
}

impl Refutation<'_> {
    /// One formula for each position of the tree.
    pub(super) fn interpolants(&mut self, formulas: &mut Formulas) -> Vec<FormulaId> {
        let used = self.used();
        let mut lemmas: Vec<Option<Sums>> = self.clauses.iter().map(|_| None).collect();
        for &id in &used {
            if let Origin::Theory(certificate) = &self.clauses[id].origin {
                lemmas[id] = Some(Sums { formulas: self.lemma(formulas, certificate) });
            }
        }
        let mut partial = vec![Formulas::TRUE; self.clauses.len()];
        let mut result = Vec::new();
        for position in 0..self.tree.len() {
            if position + 1 == self.tree.len() {
                result.push(Formulas::FALSE);
                break;
            }
            let subtree = self.tree.subtree[position];
            for &id in &used {
                partial[id] = match &self.clauses[id].origin {
                    Origin::Input(number) => self.input(formulas, *number, subtree),
                    Origin::Theory(_) => lemmas[id].as_ref().expect("made above").formulas[position],
                    Origin::Chain(first, steps) => steps.iter().fold(partial[*first], |formula, &(pivot, other)| {
                        let local = self.problem.propositions[pivot].1.within(subtree);
                        let connective = if local { Connective::Or } else { Connective::And };
                        formulas.join(self.problem, connective, formula, partial[other])
                    }),
                };
            }
            result.push(partial[self.empty]);
        }
        result
    }

    /// The clauses the empty one depends on, premises first.
    fn used(&self) -> Vec<ClauseId> {
        let mut used = vec![false; self.clauses.len()];
        used[self.empty] = true;
        // Premises were made before what follows from them.
        for id in (0..=self.empty).rev() {
            if let (true, Origin::Chain(first, steps)) = (used[id], &self.clauses[id].origin) {
                used[*first] = true;
                for (_, other) in steps {
                    used[*other] = true;
                }
            }
        }
        (0..self.clauses.len()).filter(|&id| used[id]).collect()
    }

    fn input(&self, formulas: &mut Formulas, number: usize, subtree: Span) -> FormulaId {
        let (lits, at) = &self.problem.clauses[number];
        if !Span::at(*at).within(subtree) {
            return Formulas::TRUE;
        }
        let mut clause = Formulas::FALSE;
        for lit in lits {
            let (proposition, span) = &self.problem.propositions[lit.var()];
            if let (Proposition::Opaque(term), false) = (proposition, span.within(subtree)) {
                let literal = formulas.intern(Formula::Literal(*term, lit.is_positive()));
                clause = formulas.join(self.problem, Connective::Or, clause, literal);
            }
        }
        clause
    }

    fn lemma(&mut self, formulas: &mut Formulas, certificate: &Certificate) -> Vec<FormulaId> {
        match certificate {
            Certificate::Sum(parts) => self.sums(formulas, parts),
            Certificate::Congruence(parts) => (0..self.tree.len())
                .map(|position| {
                    let subtree = self.tree.subtree[position];
                    self.divisible(formulas, parts.iter().filter(|p| self.is_local(p.lit, subtree)))
                })
                .collect(),
        }
    }

    fn is_local(&self, lit: Lit, subtree: Span) -> bool {
        self.problem.propositions[lit.var()].1.within(subtree)
    }

    /// The inequality of a true literal: `sum <= 0`, or `sum < 0`.
    fn inequality(&self, lit: Lit) -> (Linear, bool) {
        let Proposition::Atom(atom) = &self.problem.propositions[lit.var()].0 else {
            unreachable!("lemmas are about atoms");
        };
        let form = &self.problem.forms[atom.form];
        let (side, Delta { real, delta }) = bound(atom, lit.is_positive(), form.integer);
        let sum = Linear { entries: form.entries.clone(), constant: -&real };
        let strict = !delta.is_zero();
        match side {
            Side::Upper => (sum, strict),
            Side::Lower => (sum.times(&Rational::int(-1)), strict),
        }
    }

    /// The partial sums of a Farkas certificate.
    fn sums(&mut self, formulas: &mut Formulas, parts: &[Part]) -> Vec<FormulaId> {
        let mut sums: Vec<PartialSum> = Vec::new();
        let mut own: Vec<Vec<&Part>> = vec![Vec::new(); self.tree.len()];
        for part in parts {
            // Atoms belong to one node.
            own[self.problem.propositions[part.lit.var()].1.first].push(part);
        }
        for (position, parts) in own.iter().enumerate() {
            let mut sum = PartialSum::default();
            for &child in &self.tree.children[position] {
                sum.add(&Rational::ONE, &sums[child].sum, sums[child].strict, sums[child].equation);
            }
            for part in parts {
                let (inequality, strict) = self.inequality(part.lit);
                sum.add(&part.factor, &inequality, strict, part.equation);
            }
            sums.push(sum);
        }
        // An equation with one variable says what its value is: too much for a loop.
        let lifted = |s: &PartialSum| s.equation && !s.sum.entries.is_empty();
        let lift = sums.iter().any(lifted) && sums.iter().all(|s| !lifted(s) || s.sum.entries.len() > 1);
        let relaxed = if lift { vec![Rational::ZERO; sums.len()] } else { self.round(&sums) };
        let mut result = Vec::new();
        for (sum, relaxed) in sums.into_iter().zip(relaxed) {
            let relation = match (lift && sum.equation, sum.strict) {
                (true, _) => Relation::Equal,
                (_, true) => Relation::Below,
                _ => Relation::AtMost,
            };
            let mut sum = sum.sum;
            sum.constant = &sum.constant - &relaxed;
            result.push(self.compare_zero(formulas, &sum, relation));
        }
        result
    }

    /// By how much each sum may be weakened so that constants become zero: what is given away below a node must not
    /// exceed what the contradiction at the root is larger than necessary.
    fn round(&self, sums: &[PartialSum]) -> Vec<Rational> {
        let Some(root) = sums.last() else { return Vec::new() };
        let mut slack = root.sum.constant.clone();
        let mut relaxed: Vec<Rational> = Vec::new();
        for (position, sum) in sums.iter().enumerate() {
            let children = self.tree.children[position].iter();
            let below = children.fold(Rational::ZERO, |all, &child| &all + &relaxed[child]);
            // `sum + c <= 0` with positive `c`: `sum <= 0` is weaker by `c`.
            let wanted = &sum.sum.constant - &below;
            if !sum.sum.entries.is_empty() && wanted.is_positive() && wanted < slack {
                slack = &slack - &wanted;
                relaxed.push(&below + &wanted);
            } else {
                relaxed.push(below);
            }
        }
        relaxed
    }

    /// `sum <= 0` and the like, with coefficients without a common divisor and a bound that is attained.
    fn compare_zero(&mut self, formulas: &mut Formulas, sum: &Linear, relation: Relation) -> FormulaId {
        let Some((_, leading)) = sum.entries.first() else {
            let holds = match relation {
                Relation::AtMost => !sum.constant.is_positive(),
                Relation::Below => sum.constant.is_negative(),
                _ => sum.constant.is_zero(),
            };
            return if holds { Formulas::TRUE } else { Formulas::FALSE };
        };
        let positive = leading.is_positive();
        let factor = Rational::primitive_factor(sum.entries.iter().map(|(_, c)| c));
        let sum = sum.times(&if positive { factor } else { -&factor });
        let form = self.problem.form(sum.entries);
        let bound = -&sum.constant;
        let integer = self.problem.forms[form].integer;
        let ceiling = |q: &Rational| -&(-q).floor();
        let (relation, bound) = match (relation, positive) {
            (Relation::Equal, _) if integer && !bound.is_integer() => return Formulas::FALSE,
            (Relation::Equal, _) => (Relation::Equal, bound),
            (Relation::AtMost, true) if integer => (Relation::AtMost, bound.floor()),
            (Relation::Below, true) if integer => (Relation::AtMost, &ceiling(&bound) - &Rational::ONE),
            (Relation::AtMost, false) if integer => (Relation::AtLeast, ceiling(&bound)),
            (Relation::Below, false) if integer => (Relation::AtLeast, &bound.floor() + &Rational::ONE),
            (Relation::Below, false) => (Relation::Above, bound),
            (_, false) => (Relation::AtLeast, bound),
            (relation, true) => (relation, bound),
        };
        formulas.intern(Formula::Linear(form, relation, bound))
    }

    /// What equations times factors say of the variables with coefficients that are not integers.
    fn divisible<'p>(&self, formulas: &mut Formulas, parts: impl Iterator<Item = &'p Part>) -> FormulaId {
        let mut sum = Linear::constant(Rational::ZERO);
        for part in parts {
            let (mut equation, _) = self.inequality(part.lit);
            if !part.lit.is_positive() {
                equation = equation.times(&Rational::int(-1));
            }
            sum = sum.plus(&part.factor, &equation);
        }
        let fractional = |q: &Rational| q - &q.floor();
        let entries: Vec<(usize, Rational)> =
            sum.entries.iter().map(|(n, c)| (*n, fractional(c))).filter(|(_, c)| !c.is_zero()).collect();
        let constant = fractional(&sum.constant);
        if entries.is_empty() {
            return if constant.is_zero() { Formulas::TRUE } else { Formulas::FALSE };
        }
        let by = entries.iter().fold(constant.denominator(), |lcm, (_, c)| lcm.lcm(&c.denominator()));
        let whole = |q: &Rational| (q.to_big() * BigRational::from_integer(by.clone())).to_integer();
        // Coefficients around zero are easier to read.
        let centred = |n: BigInt| if &n + &n > by { n - &by } else { n };
        let mut entries: Vec<(usize, BigInt)> = entries.iter().map(|(n, c)| (*n, centred(whole(c)))).collect();
        let mut constant = whole(&constant);
        if entries.iter().all(|(_, c)| *c < BigInt::zero()) {
            entries.iter_mut().for_each(|(_, c)| *c = -&*c);
            constant = (-constant).mod_floor(&by);
        }
        debug_assert!(!by.is_one());
        formulas.intern(Formula::Divisible(entries, constant, by))
    }
}

/// A sum of inequalities: `sum <= 0`.
struct PartialSum {
    sum: Linear,
    strict: bool,
    /// Whether all parts are halves of equations.
    equation: bool,
}

impl Default for PartialSum {
    fn default() -> Self {
        PartialSum { sum: Linear::constant(Rational::ZERO), strict: false, equation: true }
    }
}

impl PartialSum {
    fn add(&mut self, factor: &Rational, other: &Linear, strict: bool, equation: bool) {
        self.sum = self.sum.plus(factor, other);
        self.strict |= strict;
        self.equation &= equation;
    }
}
