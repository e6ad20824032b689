//! Constraints and arithmetic: what they may consist of, and the terms they mean.

use clinch_ir::Span;
use clinch_terms::{Term, Terms, UnOp};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use super::clause::{Clause, Shape, TermId, VarIndex};
use super::linear::{Linear, number};
use crate::Numbers;
use crate::diagnostic::Problem;
use crate::junction::conjunction;
use crate::lexer::shorten;

/// Why something has no meaning.
pub(super) enum Fail {
    /// It is wrong.
    Bad(Problem),
    /// It is right, but not modelled.
    Unsupported(Problem),
}

impl From<Problem> for Fail {
    fn from(problem: Problem) -> Self {
        Fail::Bad(problem)
    }
}

pub(super) type Result<T> = std::result::Result<T, Fail>;

/// A relation between numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    AtMost,
    Less,
    AtLeast,
    Greater,
}

impl Relation {
    fn of(functor: &str) -> Option<Relation> {
        match functor {
            "=" | "=:=" | "#=" | "is" => Some(Relation::Equal),
            "=\\=" | "#\\=" => Some(Relation::NotEqual),
            "=<" | "#=<" => Some(Relation::AtMost),
            "<" | "#<" => Some(Relation::Less),
            ">=" | "#>=" => Some(Relation::AtLeast),
            ">" | "#>" => Some(Relation::Greater),
            _ => None,
        }
    }

    fn term(self, terms: &mut Terms, a: Term, b: Term) -> Term {
        match self {
            Relation::Equal => terms.eq(a, b),
            Relation::NotEqual => {
                let equal = terms.eq(a, b);
                terms.not(equal)
            }
            Relation::AtMost => terms.le(a, b),
            Relation::Less => terms.lt(a, b),
            Relation::AtLeast => terms.le(b, a),
            Relation::Greater => terms.lt(b, a),
        }
    }
}

/// A relation and its sides.
pub(super) fn comparison(clause: &Clause<'_>, id: TermId) -> Option<(Relation, TermId, TermId)> {
    match clause.functor(id)? {
        (name, &[a, b]) => Some((Relation::of(name)?, a, b)),
        _ => None,
    }
}

/// The conjuncts of a constraint: those of `(a, b)`, `{a}` and lists are listed one by one.
pub(super) fn conjuncts(clause: &Clause<'_>, id: TermId, out: &mut Vec<TermId>) -> Result<()> {
    match clause.shape(id) {
        Shape::List(items, None) => items.iter().try_for_each(|item| conjuncts(clause, *item, out)),
        Shape::List(_, Some(rest)) => Err(Problem::new(clause.span(*rest), "the list has no end").into()),
        Shape::Compound(name, args) if name == "," || name == "{}" => {
            args.iter().try_for_each(|arg| conjuncts(clause, *arg, out))
        }
        Shape::Atom(name) if name == "true" => Ok(()),
        _ => {
            out.push(id);
            Ok(())
        }
    }
}

/// The meaning of variables, atoms and locations.
pub(super) trait Scope {
    /// What a variable stands for; `None` if it is not declared.
    fn variable(&mut self, terms: &mut Terms, clause: &Clause<'_>, var: VarIndex) -> Option<Term>;

    /// What an atom stands for where a number is wanted.
    fn atom(&mut self, _terms: &mut Terms, _name: &str) -> Option<Term> {
        None
    }

    /// What `pc(L)` stands for where a constraint is wanted, and whether there is such a location.
    fn location(&mut self, _terms: &mut Terms, _location: &str) -> Option<Term> {
        None
    }
}

/// Translates constraints of one clause.
pub(super) struct Translator<'a, 's, S> {
    pub(super) terms: &'a mut Terms,
    pub(super) clause: &'a Clause<'s>,
    pub(super) numbers: Numbers,
    pub(super) scope: S,
}

impl<S: Scope> Translator<'_, '_, S> {
    /// A constraint.
    pub(super) fn formula(&mut self, id: TermId) -> Result<Term> {
        if let Some((relation, a, b)) = comparison(self.clause, id) {
            return self.comparison(relation, a, b);
        }
        match self.clause.shape(id) {
            Shape::Atom(name) if name == "true" => Ok(self.terms.tt()),
            Shape::Atom(name) if name == "false" || name == "fail" => Ok(self.terms.ff()),
            Shape::Compound(name, args) => match (name.as_ref(), &args[..]) {
                ("," | "{}" | "#/\\", args) => {
                    let parts = args.iter().map(|a| self.formula(*a)).collect::<Result<Vec<_>>>()?;
                    Ok(conjunction(self.terms, &parts))
                }
                (";" | "#\\/", &[a, b]) => {
                    let (a, b) = (self.formula(a)?, self.formula(b)?);
                    Ok(self.terms.or(a, b))
                }
                ("\\+" | "#\\", &[a]) => {
                    let a = self.formula(a)?;
                    Ok(self.terms.not(a))
                }
                ("pc", &[location]) => {
                    let text = self.clause.show(location);
                    let found = self.scope.location(self.terms, &text);
                    let message = || format!("there is no location `{}`", shorten(&text));
                    found.ok_or_else(|| Problem::new(self.clause.span(location), message()).into())
                }
                _ => Err(no_constraint(self.clause, id)),
            },
            _ => Err(no_constraint(self.clause, id)),
        }
    }

    fn comparison(&mut self, relation: Relation, a: TermId, b: TermId) -> Result<Term> {
        if !has_fraction(self.clause, a) && !has_fraction(self.clause, b) {
            let (a, b) = (self.number(a)?, self.number(b)?);
            return Ok(relation.term(self.terms, a, b));
        }
        let difference = linear(self.clause, a)?.plus(&linear(self.clause, b)?, &-BigRational::one());
        let scaled = difference.scaled();
        let span = crate::expr::join(self.clause.span(a), self.clause.span(b));
        check_size(self.numbers, &scaled.largest(), span)?;
        let (left, right) = scaled.sides();
        let (left, right) = (self.sum(&left)?, self.sum(&right)?);
        Ok(relation.term(self.terms, left, right))
    }

    /// The term of an integral sum.
    pub(super) fn sum(&mut self, sum: &Linear) -> Result<Term> {
        let mut unknown = None;
        let zero = self.terms.int(0);
        let mut values = Vec::new();
        for var in self.clause.var_indices().filter(|v| !sum.coefficient(*v).is_zero()) {
            let value = self.scope.variable(self.terms, self.clause, var);
            unknown = unknown.or(value.is_none().then_some(var));
            values.push((var, value.unwrap_or(zero)));
        }
        if let Some(var) = unknown {
            return Err(undeclared(self.clause, var, self.clause.vars()[var.index()].span));
        }
        let value = |var| values[values.binary_search_by_key(&var, |(v, _)| *v).expect("it occurs")].1;
        Ok(sum.to_term(self.terms, value))
    }

    /// A number, without fractions.
    pub(super) fn number(&mut self, id: TermId) -> Result<Term> {
        let span = self.clause.span(id);
        match self.clause.shape(id) {
            Shape::Variable(var) => {
                self.scope.variable(self.terms, self.clause, *var).ok_or_else(|| undeclared(self.clause, *var, span))
            }
            Shape::Number(text) => {
                if let Ok(small) = text.parse() {
                    return Ok(self.terms.int(small));
                }
                let value = integer(text, span)?;
                check_size(self.numbers, &value, span)?;
                Ok(self.terms.big(value))
            }
            Shape::Atom(name) => {
                let found = self.scope.atom(self.terms, name);
                found.ok_or_else(|| no_number(self.clause, id))
            }
            Shape::Compound(name, args) => match (name.as_ref(), &args[..]) {
                ("+", &[a]) => self.number(a),
                ("-", &[a]) => {
                    let a = self.number(a)?;
                    Ok(self.terms.unary(UnOp::Neg, a))
                }
                ("+", &[a, b]) => {
                    let (a, b) = (self.number(a)?, self.number(b)?);
                    Ok(self.terms.add(a, b))
                }
                ("-", &[a, b]) => {
                    let (a, b) = (self.number(a)?, self.number(b)?);
                    Ok(self.terms.sub(a, b))
                }
                ("*", &[a, b]) => {
                    let (a, b) = (self.number(a)?, self.number(b)?);
                    Ok(self.terms.mul(a, b))
                }
                _ => Err(no_number(self.clause, id)),
            },
            _ => Err(no_number(self.clause, id)),
        }
    }
}

/// The sum an arithmetic term means, where it is one.
pub(super) fn linear(clause: &Clause<'_>, id: TermId) -> Result<Linear> {
    let span = clause.span(id);
    match clause.shape(id) {
        Shape::Variable(var) => Ok(Linear::variable(*var)),
        Shape::Number(text) => number(text).map(Linear::constant).ok_or_else(|| too_long(span)),
        Shape::Compound(name, args) => match (name.as_ref(), &args[..]) {
            ("+", &[a]) => linear(clause, a),
            ("-", &[a]) => Ok(linear(clause, a)?.times(&-BigRational::one())),
            ("+", &[a, b]) => Ok(linear(clause, a)?.plus(&linear(clause, b)?, &BigRational::one())),
            ("-", &[a, b]) => Ok(linear(clause, a)?.plus(&linear(clause, b)?, &-BigRational::one())),
            ("*", &[a, b]) => {
                let (a, b) = (linear(clause, a)?, linear(clause, b)?);
                match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => Ok(b.times(factor)),
                    (_, Some(factor)) => Ok(a.times(factor)),
                    _ => Err(unsupported(span, "a product of variables in a constraint with fractions")),
                }
            }
            ("/", &[a, b]) => {
                let (a, divisor) = (linear(clause, a)?, linear(clause, b)?);
                match divisor.as_constant() {
                    Some(divisor) if divisor.is_zero() => Err(Problem::new(clause.span(b), "division by zero").into()),
                    Some(divisor) => Ok(a.times(&divisor.recip())),
                    None => Err(unsupported(clause.span(b), "division by something that is not a number")),
                }
            }
            _ => Err(no_number(clause, id)),
        },
        _ => Err(no_number(clause, id)),
    }
}

/// Whether an arithmetic term has a division or a number with a fraction.
pub(super) fn has_fraction(clause: &Clause<'_>, id: TermId) -> bool {
    match clause.shape(id) {
        Shape::Number(text) => text.contains('.'),
        Shape::Compound(name, args) => name == "/" || args.iter().any(|a| has_fraction(clause, *a)),
        _ => false,
    }
}

fn integer(text: &str, span: Span) -> Result<BigInt> {
    number(text).map(|value| value.to_integer()).ok_or_else(|| too_long(span))
}

/// Programs have numbers of 64 bits, clauses of any size.
fn check_size(numbers: Numbers, value: &BigInt, span: Span) -> Result<()> {
    if numbers == Numbers::Rational || value.to_i64().is_some() {
        return Ok(());
    }
    Err(unsupported(span, "a number that does not fit in 64 bits"))
}

fn too_long(span: Span) -> Fail {
    unsupported(span, "a number of more than 1000 digits")
}

pub(super) fn unsupported(span: Span, what: &str) -> Fail {
    Fail::Unsupported(Problem::new(span, format!("not supported: {what}")))
}

fn undeclared(clause: &Clause<'_>, var: VarIndex, span: Span) -> Fail {
    Problem::new(span, format!("`{}` is no variable of the system", clause.vars()[var.index()].name)).into()
}

fn no_constraint(clause: &Clause<'_>, id: TermId) -> Fail {
    let found = shorten(&clause.show(id));
    let problem = Problem::new(clause.span(id), format!("expected a constraint, found `{found}`"));
    let functor = clause.functor(id).map_or("", |(name, _)| name);
    match functor {
        "<=" => problem.help("`at most` is written `=<`"),
        "!=" | "\\=" | "\\==" => problem.help("`different` is written `=\\=`"),
        "==" => problem.help("`equal` is written `=`"),
        "->" | "*->" | "#=>" | "#<=>" => return unsupported(clause.span(id), &format!("`{functor}`")),
        _ => problem.help("constraints are `=<`, `>=`, `<`, `>`, `=`, `=:=` and `=\\=` between sums"),
    }
    .into()
}

fn no_number(clause: &Clause<'_>, id: TermId) -> Fail {
    let (found, span) = (shorten(&clause.show(id)), clause.span(id));
    match clause.functor(id) {
        Some((
            name @ ("//" | "mod" | "rem" | "div" | "**" | "^" | "<<" | ">>" | "/\\" | "\\/" | "xor" | "rdiv"),
            _,
        )) => unsupported(span, &format!("`{name}`")),
        Some((name @ ("abs" | "min" | "max" | "sin" | "cos" | "sqrt"), [_, ..])) => {
            unsupported(span, &format!("`{name}`"))
        }
        Some((_, [])) => Problem::new(span, format!("expected a number, found `{found}`"))
            .help("variables begin with a capital letter or `_`")
            .into(),
        _ => Problem::new(span, format!("expected a number, found `{found}`")).into(),
    }
}
