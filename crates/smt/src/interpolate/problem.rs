//! The formulas of a tree as clauses over linear atoms, each clause and each atom belonging to one node.
//!
//! Equal atoms of different nodes are different propositional variables: the theory connects them. Then only Boolean
//! symbols are shared between nodes, and the literals of a lemma split by node. Structure is named as by Plaisted and
//! Greenbaum, in the polarities that occur.

use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp};
use num_traits::Signed;
use rustc_hash::FxHashMap;

use super::linear::{Linear, NumVar};
use super::rational::Rational;
use super::sat::{Lit, Var};
use super::tree::{Position, Span};

/// A number that the theory knows: a symbol, a term it does not look into, or a name made up at one node.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) term: Option<Term>,
    pub(super) integer: bool,
    pub(super) span: Span,
}

/// A linear form: integer coefficients without a common divisor, the first positive.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) entries: Vec<(NumVar, Rational)>,
    /// Whether its values are integers.
    pub(super) integer: bool,
}

/// A form's position.
pub(super) type FormId = usize;

/// `form <= bound`, or `form < bound`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Atom {
    pub(super) form: FormId,
    pub(super) bound: Rational,
    pub(super) strict: bool,
}

/// What a propositional variable stands for.
#[derive(Clone, Debug)]
pub(super) enum Proposition {
    /// A linear atom of one node.
    Atom(Atom),
    /// A Boolean symbol, or a Boolean term that is not looked into.
    Opaque(Term),
    /// The name of a subformula.
    Name,
}

/// Clauses over atoms.
#[derive(Debug, Default)]
pub(super) struct Problem {
    pub(super) numbers: Vec<Number>,
    number_of: FxHashMap<Term, NumVar>,
    pub(super) forms: Vec<Form>,
    form_of: FxHashMap<Vec<(NumVar, Rational)>, FormId>,
    pub(super) propositions: Vec<(Proposition, Span)>,
    opaque: FxHashMap<Term, Var>,
    atoms: FxHashMap<(Position, Atom), Var>,
    pub(super) clauses: Vec<(Vec<Lit>, Position)>,
    /// For half of an equation of a node: the other half.
    pub(super) partner: FxHashMap<Lit, Lit>,
    /// Names of a node's subformulas, and the polarities in which they are defined.
    names: FxHashMap<(Position, Term), (Lit, [bool; 2])>,
    /// Numbers made up at a node for a term.
    local: FxHashMap<(Position, Term), NumVar>,
    truth: FxHashMap<Position, Lit>,
    /// Whether something was abstracted, so that a model need not be one.
    pub(super) abstracted: bool,
}

/// A side of a comparison or of an equation.
enum Bounded {
    Constant(bool),
    Literal(Lit),
}

impl Problem {
    /// Adds a formula of a node.
    pub(super) fn assert(&mut self, terms: &mut Terms, at: Position, formula: Term) {
        for conjunct in terms.facts(formula) {
            if let Node::Binary(BinOp::Eq, a, b) = terms.node(conjunct)
                && terms.sort(a).is_numeric()
                && !matches!(terms.node(a), Node::Ite(..))
                && !matches!(terms.node(b), Node::Ite(..))
            {
                let (le, ge) = self.equation(terms, at, a, b);
                for lit in [le, ge] {
                    self.clauses.push((vec![lit], at));
                }
                continue;
            }
            let clause = terms.cases(conjunct).into_iter().map(|d| self.literal(terms, at, d, true));
            let clause: Vec<Lit> = clause.collect();
            self.clause(clause, at);
        }
    }

    fn clause(&mut self, mut lits: Vec<Lit>, at: Position) {
        lits.sort_unstable();
        lits.dedup();
        let truth = self.truth(at);
        if lits.contains(&truth) && lits.len() > 1 {
            return;
        }
        lits.retain(|&l| l != truth.negated());
        self.clauses.push((lits, at));
    }

    fn variable(&mut self, proposition: Proposition, at: Position) -> Var {
        self.propositions.push((proposition, Span::at(at)));
        self.propositions.len() - 1
    }

    fn truth(&mut self, at: Position) -> Lit {
        if let Some(&truth) = self.truth.get(&at) {
            return truth;
        }
        let truth = Lit::new(self.variable(Proposition::Name, at), true);
        self.truth.insert(at, truth);
        self.clauses.push((vec![truth], at));
        truth
    }

    fn constant(&mut self, at: Position, value: bool) -> Lit {
        let truth = self.truth(at);
        if value { truth } else { truth.negated() }
    }

    /// A literal that implies the formula (`positive`), or is implied by it.
    fn literal(&mut self, terms: &mut Terms, at: Position, formula: Term, positive: bool) -> Lit {
        match terms.node(formula) {
            Node::Bool(value) => self.constant(at, value),
            Node::Unary(UnOp::Not, a) => self.literal(terms, at, a, !positive).negated(),
            Node::Binary(BinOp::Le, a, b) => self.comparison(terms, at, a, b, false),
            Node::Binary(BinOp::Lt, a, b) => self.comparison(terms, at, a, b, true),
            Node::Binary(BinOp::And | BinOp::Or, ..) => self.named(terms, at, formula, positive),
            Node::Ite(..) => self.named(terms, at, formula, positive),
            Node::Binary(BinOp::Eq, a, b) => match (terms.node(a), terms.node(b)) {
                // The cases of an equation need no name for the value.
                (Node::Ite(c, x, y), _) if terms.sort(b).is_numeric() => {
                    let (x, y) = (terms.eq(x, b), terms.eq(y, b));
                    let cases = terms.ite(c, x, y);
                    self.literal(terms, at, cases, positive)
                }
                (_, Node::Ite(c, x, y)) if terms.sort(a).is_numeric() => {
                    let (x, y) = (terms.eq(a, x), terms.eq(a, y));
                    let cases = terms.ite(c, x, y);
                    self.literal(terms, at, cases, positive)
                }
                _ if matches!(terms.sort(a), Sort::Array(_) | Sort::BitVec(_)) => self.opaque(formula, at, true),
                _ => self.named(terms, at, formula, positive),
            },
            Node::Symbol(_) => self.opaque(formula, at, false),
            _ => self.opaque(formula, at, true),
        }
    }

    fn opaque(&mut self, formula: Term, at: Position, abstracts: bool) -> Lit {
        self.abstracted |= abstracts;
        let var = match self.opaque.get(&formula) {
            Some(&var) => var,
            None => {
                let var = self.variable(Proposition::Opaque(formula), at);
                self.opaque.insert(formula, var);
                var
            }
        };
        self.propositions[var].1.extend(at);
        Lit::new(var, true)
    }

    fn named(&mut self, terms: &mut Terms, at: Position, formula: Term, positive: bool) -> Lit {
        let (name, defined) = match self.names.get(&(at, formula)) {
            Some(&known) => known,
            None => (Lit::new(self.variable(Proposition::Name, at), true), [false; 2]),
        };
        if defined[usize::from(positive)] {
            return name;
        }
        let mut defined = defined;
        defined[usize::from(positive)] = true;
        self.names.insert((at, formula), (name, defined));
        match terms.node(formula) {
            Node::Binary(BinOp::And, ..) => {
                let parts = terms.facts(formula);
                self.define_and(terms, at, name, &parts, positive);
            }
            Node::Binary(BinOp::Or, ..) => {
                // The negation of a disjunction is a conjunction of negations.
                let parts: Vec<Term> = terms.cases(formula).into_iter().map(|d| terms.not(d)).collect();
                self.define_and(terms, at, name.negated(), &parts, !positive);
            }
            Node::Ite(c, a, b) => {
                let condition = self.both(terms, at, c);
                let (a, b) = (self.literal(terms, at, a, positive), self.literal(terms, at, b, positive));
                let flip = |l: Lit| if positive { l } else { l.negated() };
                self.clause(vec![flip(name).negated(), condition.negated(), flip(a)], at);
                self.clause(vec![flip(name).negated(), condition, flip(b)], at);
            }
            Node::Binary(_, a, b) if terms.sort(a) == Sort::Bool => {
                let (a, b) = (self.both(terms, at, a), self.both(terms, at, b));
                if positive {
                    self.clause(vec![name.negated(), a.negated(), b], at);
                    self.clause(vec![name.negated(), a, b.negated()], at);
                } else {
                    self.clause(vec![name, a, b], at);
                    self.clause(vec![name, a.negated(), b.negated()], at);
                }
            }
            Node::Binary(_, a, b) => {
                let (le, ge) = self.equation(terms, at, a, b);
                if positive {
                    self.clause(vec![name.negated(), le], at);
                    self.clause(vec![name.negated(), ge], at);
                } else {
                    self.clause(vec![name, le.negated(), ge.negated()], at);
                }
            }
            node => unreachable!("{node:?} has no name"),
        }
        name
    }

    fn define_and(&mut self, terms: &mut Terms, at: Position, name: Lit, parts: &[Term], positive: bool) {
        let lits: Vec<Lit> = parts.iter().map(|&p| self.literal(terms, at, p, positive)).collect();
        if positive {
            for lit in lits {
                self.clause(vec![name.negated(), lit], at);
            }
        } else {
            let clause = lits.into_iter().map(Lit::negated).chain([name]).collect();
            self.clause(clause, at);
        }
    }

    /// A literal equivalent to the formula.
    fn both(&mut self, terms: &mut Terms, at: Position, formula: Term) -> Lit {
        self.literal(terms, at, formula, true);
        self.literal(terms, at, formula, false)
    }

    /// `a <= b` or `a < b`.
    fn comparison(&mut self, terms: &mut Terms, at: Position, a: Term, b: Term, strict: bool) -> Lit {
        let difference = self.difference(terms, at, a, b);
        match self.at_most_zero(&difference, strict, at) {
            Bounded::Constant(value) => self.constant(at, value),
            Bounded::Literal(lit) => lit,
        }
    }

    /// The two halves of `a = b`.
    fn equation(&mut self, terms: &mut Terms, at: Position, a: Term, b: Term) -> (Lit, Lit) {
        let difference = self.difference(terms, at, a, b);
        let scale = Rational::primitive_factor(difference.entries.iter().map(|(_, c)| c));
        if !difference.entries.is_empty()
            && self.is_integer(&difference)
            && !(&difference.constant * &scale).is_integer()
        {
            let never = self.constant(at, false);
            return (never, never);
        }
        let halves = [difference.clone(), difference.times(&Rational::int(-1))];
        let [le, ge] = halves.map(|half| match self.at_most_zero(&half, false, at) {
            Bounded::Constant(value) => self.constant(at, value),
            Bounded::Literal(lit) => lit,
        });
        self.partner.insert(le, ge);
        self.partner.insert(ge, le);
        (le, ge)
    }

    fn difference(&mut self, terms: &mut Terms, at: Position, a: Term, b: Term) -> Linear {
        let (a, b) = (self.linear(terms, at, a), self.linear(terms, at, b));
        a.plus(&Rational::int(-1), &b)
    }

    fn is_integer(&self, sum: &Linear) -> bool {
        sum.entries.iter().all(|(v, _)| self.numbers[*v].integer)
    }

    /// The literal for `sum <= 0` or `sum < 0`.
    fn at_most_zero(&mut self, sum: &Linear, strict: bool, at: Position) -> Bounded {
        let Some((_, leading)) = sum.entries.first() else {
            return Bounded::Constant(sum.constant.is_negative() || (!strict && sum.constant.is_zero()));
        };
        let scale = Rational::primitive_factor(sum.entries.iter().map(|(_, c)| c));
        let positive = leading.is_positive();
        let scale = if positive { scale } else { -&scale };
        let sum = sum.times(&scale);
        let integer = self.is_integer(&sum);
        let form = self.form(sum.entries);
        let bound = -&sum.constant;
        // form <= bound, or form >= bound, that is, not form < bound; strict ones likewise.
        let atom = match (integer, positive) {
            (false, _) => Atom { form, bound, strict: strict == positive },
            (true, true) if strict => Atom { form, bound: (-&(-&bound).floor()), strict: false }.minus_one(),
            (true, true) => Atom { form, bound: bound.floor(), strict: false },
            (true, false) if strict => Atom { form, bound: bound.floor(), strict: false },
            (true, false) => Atom { form, bound: -&(-&bound).floor(), strict: false }.minus_one(),
        };
        Bounded::Literal(Lit::new(self.atom(atom, at), positive))
    }

    /// The variable of an atom of a node.
    pub(super) fn atom(&mut self, atom: Atom, at: Position) -> Var {
        if let Some(&var) = self.atoms.get(&(at, atom.clone())) {
            return var;
        }
        let var = self.variable(Proposition::Atom(atom.clone()), at);
        self.atoms.insert((at, atom), var);
        var
    }

    /// The form with these coefficients, without a common divisor, the first positive.
    pub(super) fn form(&mut self, entries: Vec<(NumVar, Rational)>) -> FormId {
        if let Some(&form) = self.form_of.get(&entries) {
            return form;
        }
        let integer = entries.iter().all(|(v, _)| self.numbers[*v].integer);
        self.forms.push(Form { entries: entries.clone(), integer });
        self.form_of.insert(entries, self.forms.len() - 1);
        self.forms.len() - 1
    }

    /// A number of the whole tree: a symbol, or a term that is not looked into.
    pub(super) fn number(&mut self, terms: &Terms, term: Term, at: Position) -> NumVar {
        if let Some(&number) = self.number_of.get(&term) {
            self.numbers[number].span.extend(at);
            return number;
        }
        let integer = terms.sort(term) == Sort::Int;
        self.numbers.push(Number { term: Some(term), integer, span: Span::at(at) });
        self.number_of.insert(term, self.numbers.len() - 1);
        self.numbers.len() - 1
    }

    /// The number made up at a node for a term, and whether it is new.
    fn local(&mut self, at: Position, term: Term, integer: bool) -> (NumVar, bool) {
        if let Some(&number) = self.local.get(&(at, term)) {
            return (number, false);
        }
        self.numbers.push(Number { term: None, integer, span: Span::at(at) });
        self.local.insert((at, term), self.numbers.len() - 1);
        (self.numbers.len() - 1, true)
    }

    /// A name for the value of an if-then-else.
    pub(super) fn choice(&mut self, terms: &mut Terms, at: Position, term: Term, cases: [Term; 3]) -> Linear {
        let integer = terms.sort(term) == Sort::Int;
        let (number, new) = self.local(at, term, integer);
        let value = Linear::variable(number);
        if new {
            let condition = self.both(terms, at, cases[0]);
            for (case, guard) in [(cases[1], condition.negated()), (cases[2], condition)] {
                let case = self.linear(terms, at, case);
                let difference = value.plus(&Rational::int(-1), &case);
                for half in [difference.times(&Rational::int(-1)), difference] {
                    match self.at_most_zero(&half, false, at) {
                        Bounded::Constant(true) => {}
                        Bounded::Constant(false) => self.clause(vec![guard], at),
                        Bounded::Literal(lit) => self.clause(vec![guard, lit], at),
                    }
                }
            }
        }
        value
    }

    /// The quotient, rounded down, of a division by a positive constant.
    pub(super) fn quotient(&mut self, terms: &mut Terms, at: Position, dividend: Term, divisor: Term) -> Linear {
        let key = terms.binary(BinOp::FloorDiv, dividend, divisor);
        let (number, new) = self.local(at, key, true);
        let quotient = Linear::variable(number);
        if new {
            // 0 <= dividend - divisor * quotient <= divisor - 1
            let by = self.linear(terms, at, divisor).constant;
            let rest = self.linear(terms, at, dividend).plus(&-&by, &quotient);
            let mut most = rest.clone();
            most.constant = &most.constant - &(&by - &Rational::ONE);
            for bound in [rest.times(&Rational::int(-1)), most] {
                if let Bounded::Literal(lit) = self.at_most_zero(&bound, false, at) {
                    self.clause(vec![lit], at);
                }
            }
        }
        quotient
    }
}

impl Problem {
    /// A numeric term of a node as a sum. What is not linear becomes a number of its own.
    pub(super) fn linear(&mut self, terms: &mut Terms, at: Position, term: Term) -> Linear {
        if let Some(value) = terms.as_integer(term) {
            return Linear::constant(Rational::of_integer(&value));
        }
        match terms.node(term) {
            Node::Symbol(_) => Linear::variable(self.number(terms, term, at)),
            Node::Unary(UnOp::Neg, a) => self.linear(terms, at, a).times(&Rational::int(-1)),
            Node::Unary(UnOp::BitNot, a) => {
                Linear::constant(Rational::int(-1)).plus(&Rational::int(-1), &self.linear(terms, at, a))
            }
            Node::Unary(UnOp::BoolToInt, a) => {
                let cases = [a, terms.int(1), terms.int(0)];
                self.choice(terms, at, term, cases)
            }
            Node::Ite(c, a, b) => self.choice(terms, at, term, [c, a, b]),
            Node::Binary(op, a, b) => self.operation(terms, at, term, (op, a, b)),
            _ => self.unknown(terms, at, term),
        }
    }

    fn operation(&mut self, terms: &mut Terms, at: Position, term: Term, (op, a, b): (BinOp, Term, Term)) -> Linear {
        let divisor = terms.as_integer(b).filter(|_| terms.sort(a) == Sort::Int);
        match (op, divisor) {
            (BinOp::Add, _) => self.linear(terms, at, a).plus(&Rational::ONE, &self.linear(terms, at, b)),
            (BinOp::Sub, _) => self.linear(terms, at, a).plus(&Rational::int(-1), &self.linear(terms, at, b)),
            (BinOp::Mul, _) => {
                let (x, y) = (self.linear(terms, at, a), self.linear(terms, at, b));
                if x.entries.is_empty() {
                    y.times(&x.constant)
                } else if y.entries.is_empty() {
                    x.times(&y.constant)
                } else {
                    self.unknown(terms, at, term)
                }
            }
            (BinOp::FloorDiv, Some(by)) if by.is_positive() => self.quotient(terms, at, a, b),
            (BinOp::Mod, Some(by)) if by.is_positive() => {
                let quotient = self.quotient(terms, at, a, b);
                self.linear(terms, at, a).plus(&-&Rational::of_integer(&by), &quotient)
            }
            (BinOp::Div | BinOp::Rem, Some(by)) if by.is_positive() => {
                // Truncated: the quotient of the absolute value, with the sign of the dividend.
                let op = if op == BinOp::Div { BinOp::FloorDiv } else { BinOp::Mod };
                let (zero, minus) = (terms.int(0), terms.unary(UnOp::Neg, a));
                let not_negative = terms.le(zero, a);
                let (up, down) = (terms.binary(op, a, b), terms.binary(op, minus, b));
                let down = terms.unary(UnOp::Neg, down);
                self.choice(terms, at, term, [not_negative, up, down])
            }
            _ => self.unknown(terms, at, term),
        }
    }

    fn unknown(&mut self, terms: &Terms, at: Position, term: Term) -> Linear {
        self.abstracted = true;
        Linear::variable(self.number(terms, term, at))
    }
}

impl Atom {
    fn minus_one(self) -> Atom {
        Atom { bound: &self.bound - &Rational::ONE, ..self }
    }
}
