//! Local simplification of formulas, together with substitution: each distinct subterm is looked at once.

use clinch_terms::fold::are_opposite;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use clinch_terms::linear::Linear;

/// A simultaneous substitution that simplifies what it rebuilds.
pub(super) struct Rewriting {
    map: FxHashMap<Symbol, Term>,
    /// Formulas whose truth value is known.
    facts: FxHashMap<Term, bool>,
    /// Whether one of them was met.
    used: bool,
    memo: FxHashMap<Term, Term>,
    /// Whether sums may be of real numbers: then they are not touched.
    reals: bool,
}

impl Rewriting {
    /// The substitution of terms for symbols.
    pub(super) fn new(map: FxHashMap<Symbol, Term>, reals: bool) -> Self {
        Rewriting { map, facts: FxHashMap::default(), used: false, memo: FxHashMap::default(), reals }
    }

    /// No substitution, but all of `conjuncts` are known to hold.
    pub(super) fn under(terms: &mut Terms, conjuncts: &[Term], reals: bool) -> Self {
        let mut this = Rewriting::new(FxHashMap::default(), reals);
        for &conjunct in conjuncts {
            this.facts.insert(conjunct, true);
            this.facts.insert(opposite(terms, conjunct), false);
        }
        this
    }

    /// Whether a known formula was met.
    pub(super) fn used(&self) -> bool {
        self.used
    }

    /// Rewrites inside of a conjunct, which is itself one of the known formulas. What is known of one conjunct may be used
    /// in another and the other way round: a formula stands inside another one, never both inside each other.
    pub(super) fn apply_inside(&mut self, terms: &mut Terms, conjunct: Term) -> Term {
        let inner = match terms.node(conjunct) {
            Node::Unary(UnOp::Not, inner) => inner,
            _ => conjunct,
        };
        let rebuilt = terms.map_children(inner, |terms, child| self.apply(terms, child));
        let rebuilt = simplified(terms, rebuilt, self.reals);
        negated_unless(terms, inner == conjunct, rebuilt)
    }

    /// The rewritten term.
    pub(super) fn apply(&mut self, terms: &mut Terms, term: Term) -> Term {
        if let Some(&done) = self.memo.get(&term) {
            return done;
        }
        if let Some(&value) = self.facts.get(&term) {
            self.used = true;
            return terms.bool(value);
        }
        let result = match terms.node(term) {
            Node::Symbol(s) => self.map.get(&s).copied().unwrap_or(term),
            _ => {
                let rebuilt = terms.map_children(term, |terms, child| self.apply(terms, child));
                simplified(terms, rebuilt, self.reals)
            }
        };
        self.memo.insert(term, result);
        result
    }

    /// Rewrites all.
    pub(super) fn apply_all<'t>(&mut self, terms: &mut Terms, all: impl IntoIterator<Item = &'t mut Term>) {
        for term in all {
            *term = self.apply(terms, *term);
        }
    }
}

/// An equal term, if a rule applies at its outermost node.
fn simplified(terms: &mut Terms, term: Term, reals: bool) -> Term {
    match terms.node(term) {
        Node::Unary(UnOp::Not, a) => negation(terms, term, a),
        Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => junction(terms, term, op, a, b),
        Node::Binary(BinOp::Eq, a, b) => equality(terms, term, a, b),
        Node::Binary(op @ (BinOp::Le | BinOp::Lt), a, b) => {
            match Linear::difference(terms, a, b).and_then(|d| d.as_constant()) {
                Some(d) => terms.bool(if op == BinOp::Le { d <= 0 } else { d < 0 }),
                None => term,
            }
        }
        Node::Binary(BinOp::Add | BinOp::Sub, ..) | Node::Unary(UnOp::Neg, _) if !reals => sum(terms, term),
        Node::Binary(BinOp::Mul, a, b) if !reals => match (terms.node(a), terms.node(b)) {
            (Node::Int(0 | 1), _) | (_, Node::Int(0 | 1)) => sum(terms, term),
            _ => term,
        },
        Node::Ite(c, a, b) => conditional(terms, term, c, a, b),
        _ => term,
    }
}

fn negation(terms: &mut Terms, term: Term, a: Term) -> Term {
    match terms.node(a) {
        Node::Binary(op, x, y) => op.converse_of_negation().map_or(term, |op| terms.binary(op, y, x)),
        _ => term,
    }
}

/// Conjunctions and disjunctions; formulas are total, so both sides count alike.
fn junction(terms: &mut Terms, term: Term, op: BinOp, a: Term, b: Term) -> Term {
    let absorbing = op == BinOp::Or;
    if terms.node(b) == Node::Bool(absorbing) || are_opposite(terms, a, b) {
        return terms.bool(absorbing);
    }
    term
}

/// The negation of a formula, as simplification writes it.
pub(super) fn opposite(terms: &mut Terms, formula: Term) -> Term {
    negated_unless(terms, false, formula)
}

fn equality(terms: &mut Terms, term: Term, a: Term, b: Term) -> Term {
    match (terms.node(a), terms.node(b)) {
        (Node::Bool(value), _) => negated_unless(terms, value, b),
        (_, Node::Bool(value)) => negated_unless(terms, value, a),
        (Node::Big(_), Node::Int(_)) | (Node::Int(_), Node::Big(_)) | (Node::Big(_), Node::Big(_)) => {
            let equal = a == b;
            terms.bool(equal)
        }
        _ if are_opposite(terms, a, b) => terms.ff(),
        _ if is_sum(terms, a) || is_sum(terms, b) => {
            match Linear::difference(terms, a, b).and_then(|d| d.as_constant()) {
                Some(d) => terms.bool(d == 0),
                None => term,
            }
        }
        _ => term,
    }
}

fn negated_unless(terms: &mut Terms, value: bool, formula: Term) -> Term {
    if value {
        return formula;
    }
    let negated = terms.not(formula);
    simplified(terms, negated, true)
}

/// Whether the outermost operation is one of [`Linear`].
pub(super) fn is_sum(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) | Node::Unary(UnOp::Neg, _))
}

/// The same sum with equal summands added up, where that makes it shorter.
fn sum(terms: &mut Terms, term: Term) -> Term {
    match Linear::of(terms, term) {
        Some(linear) if linear.written() < linear.leaves => linear.term(terms),
        // Factors 0 and 1.
        Some(linear) if linear.leaves == 1 => linear.term(terms),
        _ => term,
    }
}

fn conditional(terms: &mut Terms, term: Term, c: Term, a: Term, b: Term) -> Term {
    match (terms.node(a), terms.node(b)) {
        (Node::Bool(true), Node::Bool(false)) => c,
        (Node::Bool(false), Node::Bool(true)) => negated_unless(terms, false, c),
        (Node::Bool(true), _) => terms.or(c, b),
        (_, Node::Bool(false)) => terms.and(c, a),
        (Node::Bool(false), _) => {
            let not = negated_unless(terms, false, c);
            terms.and(not, b)
        }
        (_, Node::Bool(true)) => {
            let not = negated_unless(terms, false, c);
            terms.or(not, a)
        }
        _ => term,
    }
}

/// Whether the value of a formula's term may be a real number that is no integer. Unlike [`Terms::sort`] it looks at each
/// distinct subterm once.
pub(super) fn is_real(terms: &Terms, term: Term) -> bool {
    let (mut seen, mut todo) = (rustc_hash::FxHashSet::default(), vec![term]);
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        match terms.node(t) {
            Node::Symbol(s) if *terms.symbol_sort(s) == Sort::Real => return true,
            Node::Unary(UnOp::Neg, a) => todo.push(a),
            Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) | Node::Ite(_, a, b) => todo.extend([a, b]),
            Node::Binary(BinOp::Select, ..) if terms.sort(t) == Sort::Real => return true,
            _ => {}
        }
    }
    false
}
