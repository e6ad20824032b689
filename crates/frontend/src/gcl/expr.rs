//! Expressions of GCL: names resolved, types checked, quantifiers expanded, translated to terms.

use clinch_ir::{Program, Span};
use clinch_terms::{BinOp, Node, Term, Terms, UnOp, VarId};

use super::scope::{Entity, Globals, Instance, Scope, Template, Type};
use crate::constant::constant_value;
use crate::diagnostic::Problem;
use crate::expr::{Binder, Comparison, ExprId, ExprKind, Exprs, Infix, Name, Prefix, Quantifier};
use crate::parser::number_too_large;

type Result<T> = std::result::Result<T, Problem>;

/// How many instances the quantifiers of one expression may have together.
const MAX_EXPANSION: u32 = 100_000;

/// Translates one expression.
pub(super) struct Lowering<'a, 's> {
    program: &'a mut Program,
    globals: &'a Globals<'s>,
    exprs: &'a Exprs<'a>,
    scope: Scope<'a>,
    /// Values of the quantified names, innermost last.
    binders: Vec<(&'a str, i64)>,
    expansion: u32,
    /// Inside a part that is never evaluated, as the right side of `i > 0 and P[i - 1].done` for `i = 0`: processes
    /// that do not exist are tolerated there.
    dead: bool,
}

/// A term and its type.
type Typed = (Term, Type);

impl<'a, 's> Lowering<'a, 's> {
    pub(super) fn new(
        program: &'a mut Program,
        globals: &'a Globals<'s>,
        exprs: &'a Exprs<'a>,
        scope: Scope<'a>,
    ) -> Self {
        Lowering { program, globals, exprs, scope, binders: Vec::new(), expansion: 0, dead: false }
    }

    /// The value of an expression that must be known now.
    pub(super) fn constant(&mut self, id: ExprId, ty: Type) -> Result<i64> {
        let term = self.expect(id, ty)?;
        constant_value(self.program, term, self.exprs.span(id))
    }

    /// The term of an expression that must have this type.
    pub(super) fn expect(&mut self, id: ExprId, expected: Type) -> Result<Term> {
        let (term, found) = self.expr(id)?;
        if found == expected {
            return Ok(term);
        }
        let (expected, found) = (self.globals.show_type(expected), self.globals.show_type(found));
        Err(Problem::new(self.exprs.span(id), format!("expected {expected}, found {found}"))
            .label(format!("this is of type {found}")))
    }

    /// The variable a name stands for here, if it is one.
    pub(super) fn variable(&self, name: Name<'_>) -> Result<VarId> {
        match self.resolve(name.text, name.span)? {
            Entity::Var(var) => Ok(var),
            Entity::Broken => Err(Problem::consequence()),
            _ => Err(Problem::new(name.span, format!("`{}` is not a variable", name.text))),
        }
    }

    fn resolve(&self, name: &str, span: Span) -> Result<Entity> {
        let bound = self.binders.iter().rev().chain(self.scope.params).find(|(n, _)| *n == name);
        if let Some((_, value)) = bound {
            return Ok(Entity::Constant(*value));
        }
        if let Some(var) = self.scope.locals.and_then(|locals| locals.get(name)) {
            return Ok(Entity::Var(*var));
        }
        let entity = self.globals.names.get(name).copied();
        entity.ok_or_else(|| Problem::new(span, format!("`{name}` is not declared")))
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.program.terms
    }

    fn expr(&mut self, id: ExprId) -> Result<Typed> {
        let exprs = self.exprs;
        let span = exprs.span(id);
        match exprs.kind(id) {
            ExprKind::Number(value) => {
                let value = i64::try_from(*value).map_err(|_| number_too_large(span))?;
                Ok((self.terms().int(value), Type::Int))
            }
            ExprKind::Bool(value) => Ok((self.terms().bool(*value), Type::Bool)),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Index(base, indices) => self.element(*base, indices, span),
            ExprKind::Member(base, member) => self.member(*base, *member),
            ExprKind::Prefix(op, inner) => self.prefix(*op, *inner),
            ExprKind::Infix(op, left, right) => self.infix(*op, *left, *right),
            ExprKind::Conditional(condition, then, otherwise) => self.conditional(*condition, *then, *otherwise),
            ExprKind::Quantified(quantifier, binders, body) => self.quantified(*quantifier, binders, *body),
            ExprKind::Foreign(..) | ExprKind::Any => {
                Err(Problem::new(span, "this is no expression of guarded commands"))
            }
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Result<Typed> {
        match self.resolve(name, span)? {
            Entity::Constant(value) => Ok((self.terms().int(value), Type::Int)),
            Entity::EnumValue(of, value) => Ok((self.terms().int(value), Type::Enum(of))),
            Entity::Var(var) => self.scalar(var, name, span),
            Entity::EnumType(_) => Err(Problem::new(span, format!("`{name}` is a type, not a value"))),
            Entity::Process(_) => Err(Problem::new(span, format!("`{name}` is a process, not a value"))
                .help(format!("a location or variable of it is `{name}.name`"))),
            Entity::Broken => Err(Problem::consequence()),
        }
    }

    fn scalar(&mut self, var: VarId, name: &str, span: Span) -> Result<Typed> {
        if self.program.var(var).len.is_some() {
            return Err(Problem::new(span, format!("`{name}` is an array")).help("name one of its elements"));
        }
        Ok((self.terms().var(var), self.globals.var_types[var.index()]))
    }

    fn element(&mut self, base: ExprId, indices: &[ExprId], span: Span) -> Result<Typed> {
        let var = match *self.exprs.kind(base) {
            ExprKind::Name(name) => match self.resolve(name, span)? {
                Entity::Process(_) => {
                    return Err(
                        Problem::new(span, "a process is not a value").help("name a location or variable of it")
                    );
                }
                _ => self.variable(Name { text: name, span: self.exprs.span(base) })?,
            },
            ExprKind::Member(process, member) => self.foreign_variable(process, member)?,
            _ => return Err(Problem::new(span, "this cannot be indexed")),
        };
        let [index] = *indices else { return Err(Problem::new(span, "an array has one index")) };
        self.check_array(var, self.exprs.span(base))?;
        let index = self.expect(index, Type::Int)?;
        let array = self.terms().var(var);
        Ok((self.terms().select(array, index), self.globals.var_types[var.index()]))
    }

    /// Refuses to index a scalar.
    pub(super) fn check_array(&self, var: VarId, span: Span) -> Result<()> {
        let var = self.program.var(var);
        if var.len.is_some() { Ok(()) } else { Err(Problem::new(span, format!("`{}` is not an array", var.name))) }
    }

    fn member(&mut self, base: ExprId, member: Name<'_>) -> Result<Typed> {
        let (template, instance) = self.instance(base)?;
        match template.location(member.text) {
            Some(location) => {
                let process = instance.process;
                Ok((self.terms().at(process, location), Type::Bool))
            }
            None => {
                let var = self.foreign_variable(base, member)?;
                self.scalar(var, member.text, member.span)
            }
        }
    }

    fn foreign_variable(&mut self, base: ExprId, member: Name<'_>) -> Result<VarId> {
        let (template, instance) = self.instance(base)?;
        instance.locals.get(member.text).copied().ok_or_else(|| {
            let message = format!("process `{}` has no location or variable `{}`", template.name, member.text);
            Problem::new(member.span, message)
        })
    }

    /// The process that `P` or `P[i, j]` names.
    fn instance(&mut self, base: ExprId) -> Result<(&'a Template<'s>, &'a Instance<'s>)> {
        let exprs = self.exprs;
        let (name, args): (_, &[ExprId]) = match exprs.kind(base) {
            ExprKind::Name(name) => (*name, &[]),
            ExprKind::Index(process, args) => match exprs.kind(*process) {
                ExprKind::Name(name) => (*name, args),
                _ => return Err(not_a_process(exprs.span(*process))),
            },
            _ => return Err(not_a_process(exprs.span(base))),
        };
        let span = exprs.span(base);
        let globals = self.globals;
        let template = match self.resolve(name, span)? {
            Entity::Process(template) => &globals.templates[template],
            Entity::Broken => return Err(Problem::consequence()),
            _ => return Err(not_a_process(span)),
        };
        let values = args.iter().map(|arg| self.constant(*arg, Type::Int)).collect::<Result<Vec<i64>>>()?;
        let (_, first) = template.instances.first().ok_or_else(Problem::consequence)?;
        if first.params.len() != values.len() {
            let (wanted, found) = (first.params.len(), values.len());
            let message = format!("process `{name}` has {wanted} parameter(s), found {found}");
            return Err(Problem::new(span, message));
        }
        match template.instances.get(&values) {
            Some(instance) => Ok((template, instance)),
            None if self.dead => Ok((template, first)),
            None => {
                let values: Vec<String> = values.iter().map(i64::to_string).collect();
                Err(Problem::new(span, format!("there is no process `{name}[{}]`", values.join(","))))
            }
        }
    }

    fn prefix(&mut self, op: Prefix, inner: ExprId) -> Result<Typed> {
        const SMALLEST: u64 = i64::MIN.unsigned_abs();
        if op == Prefix::Minus && matches!(self.exprs.kind(inner), ExprKind::Number(SMALLEST)) {
            return Ok((self.terms().int(i64::MIN), Type::Int));
        }
        let (op, ty) = match op {
            Prefix::Not => (UnOp::Not, Type::Bool),
            Prefix::Minus => (UnOp::Neg, Type::Int),
            Prefix::Complement => (UnOp::BitNot, Type::Int),
        };
        let inner = self.expect(inner, ty)?;
        Ok((self.terms().unary(op, inner), ty))
    }

    fn infix(&mut self, op: Infix, left: ExprId, right: ExprId) -> Result<Typed> {
        match op {
            Infix::Implies | Infix::Or | Infix::And => Ok((self.logical(op, left, right)?, Type::Bool)),
            Infix::Compare(comparison) => Ok((self.comparison(comparison, left, right)?, Type::Bool)),
            Infix::Integer(op) => {
                let (left, right) = (self.expect(left, Type::Int)?, self.expect(right, Type::Int)?);
                Ok((self.terms().binary(op, left, right), Type::Int))
            }
        }
    }

    fn logical(&mut self, op: Infix, left: ExprId, right: ExprId) -> Result<Term> {
        let mut left = self.expect(left, Type::Bool)?;
        if op == Infix::Implies {
            left = self.terms().not(left);
        }
        let decisive = Node::Bool(op != Infix::And);
        let skipped = self.program.terms.node(left) == decisive;
        let right = self.maybe_dead(skipped, |this| this.expect(right, Type::Bool))?;
        let op = if op == Infix::And { BinOp::And } else { BinOp::Or };
        Ok(self.terms().binary(op, left, right))
    }

    fn maybe_dead<T>(&mut self, dead: bool, lower: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = self.dead;
        self.dead |= dead;
        let result = lower(self);
        self.dead = outer;
        result
    }

    fn comparison(&mut self, op: Comparison, left: ExprId, right: ExprId) -> Result<Term> {
        let (a, ty) = self.expr(left)?;
        let b = self.expect(right, ty)?;
        let equality = matches!(op, Comparison::Equal | Comparison::Different);
        if !equality && ty != Type::Int {
            let message = format!("values of type {} have no order", self.globals.show_type(ty));
            return Err(Problem::new(self.exprs.span(left), message).help("they compare with `=` and `!=` only"));
        }
        Ok(op.term(self.terms(), a, b, Terms::iff))
    }

    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Result<Typed> {
        let condition = self.expect(condition, Type::Bool)?;
        let node = self.program.terms.node(condition);
        let (a, ty) = self.maybe_dead(node == Node::Bool(false), |this| this.expr(then))?;
        let b = self.maybe_dead(node == Node::Bool(true), |this| this.expect(otherwise, ty))?;
        Ok((self.terms().ite(condition, a, b), ty))
    }

    fn quantified(&mut self, quantifier: Quantifier, binders: &'a [Binder<'a>], body: ExprId) -> Result<Typed> {
        let mut instances = Vec::new();
        self.expand(binders, body, &mut instances)?;
        let terms = self.terms();
        let (op, neutral, ty) = match quantifier {
            Quantifier::ForAll => (BinOp::And, terms.tt(), Type::Bool),
            Quantifier::Exists => (BinOp::Or, terms.ff(), Type::Bool),
            Quantifier::Count => (BinOp::Add, terms.int(0), Type::Int),
        };
        if quantifier == Quantifier::Count {
            for instance in &mut instances {
                *instance = terms.unary(UnOp::BoolToInt, *instance);
            }
        }
        Ok((balanced(terms, op, instances).unwrap_or(neutral), ty))
    }

    /// The body for each combination of values of the binders.
    fn expand(&mut self, binders: &'a [Binder<'a>], body: ExprId, out: &mut Vec<Term>) -> Result<()> {
        let Some((binder, rest)) = binders.split_first() else {
            out.push(self.expect(body, Type::Bool)?);
            return Ok(());
        };
        let (lo, hi) = (self.constant(binder.lo, Type::Int)?, self.constant(binder.hi, Type::Int)?);
        for value in lo..=hi {
            self.expansion += 1;
            if self.expansion > MAX_EXPANSION {
                let message = format!("the quantifiers expand to more than {MAX_EXPANSION} instances");
                return Err(Problem::new(binder.name.span, message));
            }
            self.binders.push((binder.name.text, value));
            let expanded = self.expand(rest, body, out);
            self.binders.pop();
            expanded?;
        }
        Ok(())
    }
}

fn not_a_process(span: Span) -> Problem {
    Problem::new(span, "expected a process before `.`")
}

/// Many terms joined from left to right in a tree of logarithmic depth: a chain would be as deep as it is long.
fn balanced(terms: &mut Terms, op: BinOp, mut items: Vec<Term>) -> Option<Term> {
    while items.len() > 1 {
        let join = |pair: &[Term]| match *pair {
            [a, b] => terms.binary(op, a, b),
            _ => pair[0],
        };
        items = items.chunks(2).map(join).collect();
    }
    items.pop()
}
