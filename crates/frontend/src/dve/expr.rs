//! Expressions of DVE. The language has numbers only; terms have numbers and truth values, so each expression is
//! translated to whichever it is, and converted where the other is needed.

use clinch_ir::range::range;
use clinch_ir::{Domain, Program, Span};
use clinch_terms::{BinOp, Node, ProcId, Term, Terms, UnOp, VarId};

use super::ast::Assigned;
use super::scope::{Entity, Names, ProcessNames, Scope};
use crate::constant::constant_value;
use crate::diagnostic::Problem;
use crate::expr::{ExprId, ExprKind, Exprs, Infix, Name, Prefix};
use crate::parser::number_too_large;

type Result<T> = std::result::Result<T, Problem>;

/// A translated expression.
#[derive(Clone, Copy)]
enum Value {
    Number(Term),
    Truth(Term),
}

/// Translates expressions at one place.
pub(super) struct Lowering<'a, 's> {
    program: &'a mut Program,
    names: &'a Names<'s>,
    exprs: &'a Exprs<'a>,
    /// Names of the process around, which hide global ones.
    local: Option<&'a Scope<'s>>,
}

impl<'a, 's> Lowering<'a, 's> {
    pub(super) fn new(
        program: &'a mut Program,
        names: &'a Names<'s>,
        exprs: &'a Exprs<'a>,
        local: Option<&'a Scope<'s>>,
    ) -> Self {
        Lowering { program, names, exprs, local }
    }

    /// The value of an expression that must be known now.
    pub(super) fn constant(&mut self, id: ExprId) -> Result<i64> {
        let term = self.number(id)?;
        constant_value(self.program, term, self.exprs.span(id))
    }

    /// The expression as a condition.
    pub(super) fn truth(&mut self, id: ExprId) -> Result<Term> {
        Ok(match self.expr(id)? {
            Value::Truth(term) => term,
            Value::Number(term) => nonzero(self.terms(), term),
        })
    }

    /// The expression as a number.
    pub(super) fn number(&mut self, id: ExprId) -> Result<Term> {
        Ok(match self.expr(id)? {
            Value::Number(term) => term,
            Value::Truth(term) => self.terms().unary(UnOp::BoolToInt, term),
        })
    }

    /// The variable and index that are assigned to.
    pub(super) fn target(&mut self, target: Assigned<'_>) -> Result<(VarId, Option<Term>)> {
        let name = target.name;
        let Entity::Var(var) = self.resolve(name.text, name.span)? else {
            return Err(
                Problem::new(name.span, format!("`{}` is a constant", name.text)).label("cannot be assigned to")
            );
        };
        let index = target.index.map(|index| self.number(index)).transpose()?;
        Ok((var, self.index_or_first(var, index, name.span)?))
    }

    /// What is stored when `value` is assigned to a variable of the domain: it wraps around.
    pub(super) fn wrapped(&mut self, domain: &Domain, value: Term) -> Term {
        let (lo, hi) = domain.bounds().expect("variables of DVE are bounded");
        if range(self.program, &self.program.terms, value).within(lo, hi) {
            return value;
        }
        let terms = self.terms();
        let (offset, size) = (terms.int(-lo), terms.int(hi - lo + 1));
        if lo == 0 {
            return terms.binary(BinOp::Mod, value, size);
        }
        let shifted = terms.add(value, offset);
        let wrapped = terms.binary(BinOp::Mod, shifted, size);
        terms.sub(wrapped, offset)
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.program.terms
    }

    fn resolve(&self, name: &str, span: Span) -> Result<Entity> {
        let local = self.local.and_then(|scope| scope.get(name));
        match local.or_else(|| self.names.globals.get(name)) {
            Some(Entity::Broken) => Err(Problem::consequence()),
            Some(entity) => Ok(*entity),
            None => Err(Problem::new(span, format!("`{name}` is not declared"))),
        }
    }

    fn expr(&mut self, id: ExprId) -> Result<Value> {
        let exprs = self.exprs;
        let span = exprs.span(id);
        match exprs.kind(id) {
            ExprKind::Number(value) => {
                let value = i64::try_from(*value).map_err(|_| number_too_large(span))?;
                Ok(Value::Number(self.terms().int(value)))
            }
            ExprKind::Bool(value) => Ok(Value::Truth(self.terms().bool(*value))),
            ExprKind::Name(_) | ExprKind::Foreign(..) => self.read(id, None),
            ExprKind::Index(base, indices) => {
                let [index] = **indices else { return Err(Problem::new(span, "an array has one index")) };
                let index = self.number(index)?;
                self.read(*base, Some(index))
            }
            ExprKind::Member(process, state) => {
                let (id, names) = self.process(*process)?;
                let state = names.state(*state)?;
                Ok(Value::Truth(self.terms().at(id, state)))
            }
            ExprKind::Prefix(op, inner) => self.prefix(*op, *inner),
            ExprKind::Infix(op, left, right) => self.infix(*op, *left, *right),
            ExprKind::Conditional(..) | ExprKind::Quantified(..) | ExprKind::Any => {
                Err(Problem::new(span, "this is no expression of DiVinE's language"))
            }
        }
    }

    /// A constant, variable or element.
    fn read(&mut self, base: ExprId, index: Option<Term>) -> Result<Value> {
        let span = self.exprs.span(base);
        let entity = match *self.exprs.kind(base) {
            ExprKind::Name(name) => self.resolve(name, span)?,
            ExprKind::Foreign(process, name) => self.foreign(process, name)?,
            _ => return Err(Problem::new(span, "this cannot be indexed")),
        };
        let var = match (entity, index) {
            (Entity::Var(var), _) => var,
            (Entity::Constant(value), None) => return Ok(Value::Number(self.terms().int(value))),
            (Entity::Constant(_), Some(_)) => return Err(Problem::new(span, "a constant is not an array")),
            (Entity::Broken, _) => return Err(Problem::consequence()),
        };
        let index = self.index_or_first(var, index, span)?;
        let whole = self.terms().var(var);
        Ok(Value::Number(match index {
            Some(index) => self.terms().select(whole, index),
            None => whole,
        }))
    }

    /// An array without index means its first element.
    fn index_or_first(&mut self, var: VarId, index: Option<Term>, span: Span) -> Result<Option<Term>> {
        let decl = self.program.var(var);
        match (decl.len, index) {
            (None, Some(_)) => Err(Problem::new(span, format!("`{}` is not an array", decl.name))),
            (Some(_), None) => Ok(Some(self.terms().int(0))),
            (_, index) => Ok(index),
        }
    }

    fn foreign(&mut self, process: ExprId, name: Name<'_>) -> Result<Entity> {
        let (_, names) = self.process(process)?;
        let entity = names.scope.get(name.text).copied();
        entity.ok_or_else(|| Problem::new(name.span, format!("the process has no variable `{}`", name.text)))
    }

    fn process(&self, base: ExprId) -> Result<(ProcId, &'a ProcessNames<'s>)> {
        let span = self.exprs.span(base);
        let ExprKind::Name(name) = *self.exprs.kind(base) else {
            return Err(Problem::new(span, "expected the name of a process"));
        };
        match self.names.processes.get_full(name) {
            Some((index, _, names)) => Ok((ProcId::from_index(index), names)),
            None => Err(Problem::new(span, format!("there is no process `{name}`"))),
        }
    }

    fn prefix(&mut self, op: Prefix, inner: ExprId) -> Result<Value> {
        Ok(match op {
            Prefix::Not => {
                let inner = self.truth(inner)?;
                Value::Truth(self.terms().not(inner))
            }
            Prefix::Minus => {
                let inner = self.number(inner)?;
                Value::Number(self.terms().unary(UnOp::Neg, inner))
            }
            Prefix::Complement => {
                let inner = self.number(inner)?;
                Value::Number(self.terms().unary(UnOp::BitNot, inner))
            }
        })
    }

    fn infix(&mut self, op: Infix, left: ExprId, right: ExprId) -> Result<Value> {
        match op {
            Infix::Implies | Infix::Or | Infix::And => {
                let (mut a, b) = (self.truth(left)?, self.truth(right)?);
                let terms = self.terms();
                if op == Infix::Implies {
                    a = terms.not(a);
                }
                Ok(Value::Truth(if op == Infix::And { terms.and(a, b) } else { terms.or(a, b) }))
            }
            Infix::Compare(comparison) => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                Ok(Value::Truth(comparison.term(self.terms(), a, b, equal)))
            }
            Infix::Integer(op) => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                Ok(Value::Number(self.terms().binary(op, a, b)))
            }
        }
    }
}

/// The value itself where it lies between the bounds, else shifted by multiples of their distance.
pub(super) fn wrap_constant(value: i64, lo: i64, hi: i64) -> i64 {
    value.wrapping_sub(lo).rem_euclid(hi - lo + 1) + lo
}

fn nonzero(terms: &mut Terms, number: Term) -> Term {
    let zero = terms.int(0);
    let is_zero = equal(terms, number, zero);
    terms.not(is_zero)
}

/// Equality of numbers; of converted truth values where both sides are such (`P.state == 1`).
fn equal(terms: &mut Terms, a: Term, b: Term) -> Term {
    match (terms.node(a), terms.node(b)) {
        (Node::Unary(UnOp::BoolToInt, a), Node::Unary(UnOp::BoolToInt, b)) => terms.eq(a, b),
        (Node::Unary(UnOp::BoolToInt, truth), Node::Int(1)) | (Node::Int(1), Node::Unary(UnOp::BoolToInt, truth)) => {
            truth
        }
        (Node::Unary(UnOp::BoolToInt, truth), Node::Int(0)) | (Node::Int(0), Node::Unary(UnOp::BoolToInt, truth)) => {
            terms.not(truth)
        }
        _ => terms.eq(a, b),
    }
}
