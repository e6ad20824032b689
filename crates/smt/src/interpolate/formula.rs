//! Interpolants while they are put together: hash-consed conjunctions and disjunctions of atoms, kept small.

use clinch_terms::{BinOp, Node, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed};
use rustc_hash::FxHashMap;

use super::problem::{FormId, Problem};
use super::rational::Rational;

/// A formula's position in its store.
pub(super) type FormulaId = usize;

/// What bounds a form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Relation {
    AtMost,
    Below,
    AtLeast,
    Above,
    Equal,
}

/// A formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Formula {
    True,
    False,
    /// A form and a constant.
    Linear(FormId, Relation, Rational),
    /// The form (not reduced) plus the constant is divisible by the number.
    Divisible(Vec<(usize, BigInt)>, BigInt, BigInt),
    /// A Boolean term or its negation.
    Literal(Term, bool),
    /// At least two, ascending, none of them a conjunction.
    And(Vec<FormulaId>),
    /// At least two, ascending, none of them a disjunction.
    Or(Vec<FormulaId>),
}

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Connective {
    And,
    Or,
}

/// Beyond this many parts, parts are no longer compared with each other.
const COMPARED: usize = 64;

/// All formulas.
#[derive(Debug)]
pub(super) struct Formulas {
    nodes: Vec<Formula>,
    index: FxHashMap<Formula, FormulaId>,
    joined: FxHashMap<(Connective, FormulaId, FormulaId), FormulaId>,
}

impl Formulas {
    pub(super) const TRUE: FormulaId = 0;
    pub(super) const FALSE: FormulaId = 1;

    pub(super) fn new() -> Self {
        let mut this = Formulas { nodes: Vec::new(), index: FxHashMap::default(), joined: FxHashMap::default() };
        this.intern(Formula::True);
        this.intern(Formula::False);
        this
    }

    pub(super) fn intern(&mut self, formula: Formula) -> FormulaId {
        if let Some(&id) = self.index.get(&formula) {
            return id;
        }
        self.nodes.push(formula.clone());
        self.index.insert(formula, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// `a and b`, or `a or b`.
    pub(super) fn join(&mut self, problem: &Problem, connective: Connective, a: FormulaId, b: FormulaId) -> FormulaId {
        let (neutral, absorbing) = units(connective);
        match (a, b) {
            _ if a == b || b == neutral => return a,
            _ if a == neutral => return b,
            _ if a == absorbing || b == absorbing => return absorbing,
            _ => {}
        }
        let key = (connective, a.min(b), a.max(b));
        if let Some(&done) = self.joined.get(&key) {
            return done;
        }
        let mut parts = self.parts(connective, a);
        parts.extend(self.parts(connective, b));
        let result = self.combine(problem, connective, parts);
        self.joined.insert(key, result);
        result
    }

    fn parts(&self, connective: Connective, id: FormulaId) -> Vec<FormulaId> {
        match (connective, &self.nodes[id]) {
            (Connective::And, Formula::And(parts)) | (Connective::Or, Formula::Or(parts)) => parts.clone(),
            _ => vec![id],
        }
    }

    fn combine(&mut self, problem: &Problem, connective: Connective, mut parts: Vec<FormulaId>) -> FormulaId {
        let (neutral, absorbing) = units(connective);
        parts.sort_unstable();
        parts.dedup();
        if parts.len() <= COMPARED {
            if self.contradict(problem, connective, &parts) {
                return absorbing;
            }
            self.drop_implied(connective, &mut parts);
            self.merge_bounds(connective, &mut parts);
        }
        match parts.as_slice() {
            [] => neutral,
            [single] => *single,
            _ => {
                let parts = parts.into_iter().collect();
                self.intern(if connective == Connective::And { Formula::And(parts) } else { Formula::Or(parts) })
            }
        }
    }

    /// Two parts of a conjunction that exclude each other, or of a disjunction that cover everything.
    fn contradict(&self, problem: &Problem, connective: Connective, parts: &[FormulaId]) -> bool {
        parts.iter().enumerate().any(|(i, &a)| {
            parts[i + 1..].iter().any(|&b| match connective {
                Connective::And => self.excludes(a, b),
                Connective::Or => self.covers(problem, a, b),
            })
        })
    }

    /// Drops parts that others make superfluous; also by the parts of parts (absorption).
    fn drop_implied(&self, connective: Connective, parts: &mut Vec<FormulaId>) {
        let mut i = 0;
        while i < parts.len() {
            let superfluous = (0..parts.len()).any(|j| {
                j != i
                    && match connective {
                        Connective::And => self.implies(parts[j], parts[i]),
                        Connective::Or => self.implies(parts[i], parts[j]),
                    }
            });
            if superfluous {
                parts.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// `f <= c and f >= c` is `f = c`.
    fn merge_bounds(&mut self, connective: Connective, parts: &mut Vec<FormulaId>) {
        if connective == Connective::Or {
            return;
        }
        for i in 0..parts.len() {
            let Formula::Linear(form, Relation::AtMost, bound) = self.nodes[parts[i]].clone() else { continue };
            let lower = Formula::Linear(form, Relation::AtLeast, bound.clone());
            let Some(position) = parts.iter().position(|&p| self.nodes[p] == lower) else { continue };
            let equal = self.intern(Formula::Linear(form, Relation::Equal, bound));
            parts[i] = equal;
            parts.remove(position);
            parts.sort_unstable();
            return self.merge_bounds(connective, parts);
        }
    }

    /// Whether `a` implies `b`, as far as one sees without thinking.
    fn implies(&self, a: FormulaId, b: FormulaId) -> bool {
        if a == b {
            return true;
        }
        match (&self.nodes[a], &self.nodes[b]) {
            (Formula::Or(_), Formula::Or(_)) | (Formula::And(_), Formula::And(_)) => self.implies_parts(a, b),
            (_, Formula::Or(parts)) => parts.iter().any(|&p| self.implies(a, p)),
            (Formula::And(parts), _) => parts.iter().any(|&p| self.implies(p, b)),
            (Formula::Linear(f, r, c), Formula::Linear(g, s, d)) if f == g => {
                let (lower, upper) = interval(*r, c);
                let (low, high) = interval(*s, d);
                let inside_low = low.is_none_or(|l| lower.is_some_and(|x| x >= l));
                inside_low && high.is_none_or(|h| upper.is_some_and(|x| x <= h))
            }
            _ => false,
        }
    }

    /// A disjunction with fewer parts, a conjunction with more.
    fn implies_parts(&self, a: FormulaId, b: FormulaId) -> bool {
        match (&self.nodes[a], &self.nodes[b]) {
            (Formula::Or(few), Formula::Or(many)) | (Formula::And(many), Formula::And(few)) => {
                few.len() < many.len() && few.iter().all(|p| many.binary_search(p).is_ok())
            }
            _ => false,
        }
    }

    fn excludes(&self, a: FormulaId, b: FormulaId) -> bool {
        match (&self.nodes[a], &self.nodes[b]) {
            (Formula::Literal(s, x), Formula::Literal(t, y)) => s == t && x != y,
            (Formula::Linear(f, r, c), Formula::Linear(g, s, d)) if f == g => {
                let ((low, high), (lower, upper)) = (interval(*r, c), interval(*s, d));
                let empty = |l: Option<Point<'_>>, h: Option<Point<'_>>| l.zip(h).is_some_and(|(l, h)| l > h);
                empty(low, upper) || empty(lower, high)
            }
            _ => false,
        }
    }

    fn covers(&self, problem: &Problem, a: FormulaId, b: FormulaId) -> bool {
        match (&self.nodes[a], &self.nodes[b]) {
            (Formula::Literal(s, x), Formula::Literal(t, y)) => s == t && x != y,
            (Formula::Linear(f, r, c), Formula::Linear(g, s, d)) if f == g => {
                let gap = if problem.forms[*f].integer { Rational::ONE } else { Rational::ZERO };
                match (r, s) {
                    (Relation::AtMost, Relation::AtLeast) => &(c + &gap) >= d,
                    (Relation::AtLeast, Relation::AtMost) => &(d + &gap) >= c,
                    (Relation::AtMost, Relation::Above) | (Relation::Below, Relation::AtLeast) => c >= d,
                    (Relation::Above, Relation::AtMost) | (Relation::AtLeast, Relation::Below) => d >= c,
                    (Relation::Below, Relation::Above) => c > d,
                    (Relation::Above, Relation::Below) => d > c,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// The formula as a term. Its numbers are all symbols or opaque terms; `None` if one is neither.
    pub(super) fn term(&self, terms: &mut Terms, problem: &Problem, id: FormulaId) -> Option<Term> {
        self.term_memo(terms, problem, id, &mut FxHashMap::default())
    }

    fn term_memo(
        &self,
        terms: &mut Terms,
        problem: &Problem,
        id: FormulaId,
        memo: &mut FxHashMap<FormulaId, Term>,
    ) -> Option<Term> {
        if let Some(&done) = memo.get(&id) {
            return Some(done);
        }
        let term = match &self.nodes[id] {
            Formula::True => terms.tt(),
            Formula::False => terms.ff(),
            Formula::Literal(term, true) => *term,
            Formula::Literal(term, false) => terms.not(*term),
            Formula::Linear(form, relation, bound) => linear_term(terms, problem, *form, *relation, bound)?,
            Formula::Divisible(entries, constant, by) => {
                let parts = entries.iter().map(|(n, c)| Some((problem.numbers[*n].term?, c.clone())));
                let parts = parts.collect::<Option<Vec<_>>>()?;
                let sum = sum_term(terms, &parts, constant);
                let (by, zero) = (terms.big(by.clone()), terms.int(0));
                let rest = terms.binary(BinOp::Mod, sum, by);
                terms.eq(rest, zero)
            }
            Formula::And(parts) | Formula::Or(parts) => {
                let parts = parts.iter().map(|&p| self.term_memo(terms, problem, p, memo));
                let parts = parts.collect::<Option<Vec<_>>>()?;
                if matches!(self.nodes[id], Formula::And(_)) { terms.all(parts) } else { terms.any(parts) }
            }
        };
        memo.insert(id, term);
        Some(term)
    }
}

/// Neutral and absorbing element.
fn units(connective: Connective) -> (FormulaId, FormulaId) {
    match connective {
        Connective::And => (Formulas::TRUE, Formulas::FALSE),
        Connective::Or => (Formulas::FALSE, Formulas::TRUE),
    }
}

/// A rational number, or one infinitely close to it.
type Point<'a> = (&'a Rational, i8);

fn interval(relation: Relation, bound: &Rational) -> (Option<Point<'_>>, Option<Point<'_>>) {
    match relation {
        Relation::AtMost => (None, Some((bound, 0))),
        Relation::Below => (None, Some((bound, -1))),
        Relation::AtLeast => (Some((bound, 0)), None),
        Relation::Above => (Some((bound, 1)), None),
        Relation::Equal => (Some((bound, 0)), Some((bound, 0))),
    }
}

/// `positive part (relation) negative part + constant`, without negative coefficients where that is possible. Symbols
/// stand in the order of their declarations, the first on the left: the same fact at different nodes looks the same.
fn linear_term(
    terms: &mut Terms,
    problem: &Problem,
    form: FormId,
    relation: Relation,
    bound: &Rational,
) -> Option<Term> {
    let denominator = bound.denominator();
    let parts = problem.forms[form].entries.iter();
    let parts = parts.map(|(n, c)| Some((problem.numbers[*n].term?, c.numerator() * &denominator)));
    let mut parts = parts.collect::<Option<Vec<(Term, BigInt)>>>()?;
    parts.sort_by_key(|(term, _)| match terms.node(*term) {
        Node::Symbol(symbol) => (symbol.index(), *term),
        _ => (usize::MAX, *term),
    });
    let flip = parts[0].1.is_negative();
    let constant = if flip { -bound.numerator() } else { bound.numerator() };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (term, coefficient) in parts {
        let coefficient = if flip { -coefficient } else { coefficient };
        if coefficient.is_negative() {
            right.push((term, -coefficient));
        } else {
            left.push((term, coefficient));
        }
    }
    let zero = BigInt::from(0);
    let (left, right) = if constant.is_negative() && !right.is_empty() {
        (sum_term(terms, &left, &-constant), sum_term(terms, &right, &zero))
    } else {
        (sum_term(terms, &left, &zero), sum_term(terms, &right, &constant))
    };
    Some(match (relation, flip) {
        (Relation::AtMost, false) | (Relation::AtLeast, true) => terms.le(left, right),
        (Relation::Below, false) | (Relation::Above, true) => terms.lt(left, right),
        (Relation::AtLeast, _) | (Relation::AtMost, true) => terms.le(right, left),
        (Relation::Above, _) | (Relation::Below, true) => terms.lt(right, left),
        (Relation::Equal, _) => terms.eq(left, right),
    })
}

pub(super) fn sum_term(terms: &mut Terms, parts: &[(Term, BigInt)], constant: &BigInt) -> Term {
    let mut sum = None;
    for (term, coefficient) in parts {
        let part = if coefficient.is_one() {
            *term
        } else {
            let coefficient = terms.big(coefficient.clone());
            terms.mul(coefficient, *term)
        };
        sum = Some(match sum {
            None => part,
            Some(sum) => terms.add(sum, part),
        });
    }
    match sum {
        None => terms.big(constant.clone()),
        Some(sum) if *constant == BigInt::from(0) => sum,
        Some(sum) => {
            let constant = terms.big(constant.clone());
            terms.add(sum, constant)
        }
    }
}
