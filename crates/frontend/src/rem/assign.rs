//! Parallel assignment.

use clinch_ir::Span;
use clinch_ir::cfa::{InputKind, Op};
use clinch_terms::{Node, Symbol, Term, Terms};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use super::ast::{AssignDecl, ValueExpr};
use super::body::to_scalar;
use super::expr::{Expressions, Result, Value};
use super::lower::Lower;
use super::place::Place;
use super::types::Scalar;
use crate::diagnostic::Problem;
use crate::expr::ExprId;

/// A value that is not determined.
#[derive(Clone, Copy)]
struct Open {
    symbol: Symbol,
    /// The least and the greatest value, if they are given.
    between: Option<(Value, Value)>,
}

/// What a parallel assignment comes to.
#[derive(Default)]
struct Plan {
    /// Values that are needed before.
    before: Vec<Open>,
    /// New values of scalars, as terms over the old ones.
    writes: IndexMap<Symbol, Term>,
    /// Scalars that are written whatever the indices are.
    certain: FxHashSet<Symbol>,
    /// Scalars that get any value afterwards: directly, for nothing else reads it.
    after: Vec<Open>,
}

impl<'s> Lower<'_, 's> {
    /// `x = e, a[i] = undef, ...`: all values are taken before the first is written.
    pub(super) fn assign(&mut self, assigns: &[AssignDecl<'s>], span: Span) -> Result<()> {
        let mut wanted = Vec::new();
        for assign in assigns {
            if assign.binders.is_empty() {
                wanted.push((assign, Vec::new()));
                continue;
            }
            let instances = self.expressions(span, |e| e.instances(&assign.binders))?;
            wanted.extend(instances.into_iter().map(|instance| (assign, instance)));
        }
        let mut temporaries = Vec::new();
        for (assign, instance) in &wanted {
            // Only a place that depends on an index needs a variable for a value that is not determined.
            let place = self.place_of(assign.target, instance)?;
            let direct = place.fixed().is_some() && self.is_direct(assign.value);
            let open = matches!(assign.value, ValueExpr::Any(_) | ValueExpr::Between(..));
            temporaries.push(if open && !direct { Some(self.temporary(place.scalar)) } else { None });
        }
        let plan = self.expressions(span, |e| {
            let mut plan = Plan::default();
            for ((assign, instance), temporary) in wanted.iter().zip(&temporaries) {
                e.binders.clone_from(instance);
                plan.add(e, assign, *temporary)?;
            }
            e.binders.clear();
            Ok(plan)
        })?;
        self.carry_out(plan, span);
        Ok(())
    }

    /// Whether a value that is not determined can go directly to its variable: nothing must be computed before.
    fn is_direct(&mut self, value: ValueExpr) -> bool {
        match value {
            ValueExpr::Between(lo, hi, _) => {
                let mut known =
                    |id| Expressions::new(&mut self.program.terms, self.scope, self.exprs).constant(id).is_ok();
                known(lo) && known(hi)
            }
            ValueExpr::Any(_) | ValueExpr::Expr(_) => true,
        }
    }

    /// The place of a target; its checks are made later.
    pub(super) fn place_of(&mut self, target: ExprId, instance: &[(&'s str, i128)]) -> Result<Place> {
        let mut expressions = Expressions::new(&mut self.program.terms, self.scope, self.exprs);
        expressions.binders.extend_from_slice(instance);
        expressions.place(target)
    }

    fn carry_out(&mut self, plan: Plan, span: Span) {
        for open in plan.before {
            self.choose(open, span);
        }
        if !plan.writes.is_empty() {
            let assigns = plan.writes.into_iter().map(|(symbol, value)| to_scalar(symbol, value)).collect();
            self.body.emit(Op::Assign(assigns), span);
        }
        for open in plan.after {
            self.choose(open, span);
        }
    }

    /// Takes a value that is not determined.
    fn choose(&mut self, open: Open, span: Span) {
        self.input(open.symbol, InputKind::Nondet("undef".to_owned()), span);
        let Some((lo, hi)) = open.between else { return };
        let condition = self.inside(open.symbol, lo, hi);
        if self.program.terms.node(condition) != Node::Bool(true) {
            self.body.emit(Op::Assume(condition), span);
        }
    }

    /// `lo <= x && x <= hi`.
    fn inside(&mut self, symbol: Symbol, lo: Value, hi: Value) -> Term {
        let mut expressions = Expressions::new(&mut self.program.terms, self.scope, self.exprs);
        let value = Value::Int(expressions.terms.symbol(symbol));
        let (a, b) = expressions.widened(lo, value);
        let above = expressions.terms.bv_ule(a, b);
        let (a, b) = expressions.widened(value, hi);
        let below = expressions.terms.bv_ule(a, b);
        expressions.terms.and(above, below)
    }

    /// A value for a parameter, a result or a variable, as a term that is read in the next step.
    pub(super) fn handed_over(&mut self, value: ValueExpr, scalar: Scalar, span: Span) -> Result<Term> {
        match value {
            ValueExpr::Expr(id) => self.expressions(span, |e| e.typed(id, scalar)),
            ValueExpr::Any(_) | ValueExpr::Between(..) => {
                let between = self.expressions(span, |e| bounds(e, value, scalar))?;
                let symbol = self.temporary(scalar);
                self.choose(Open { symbol, between }, span);
                Ok(self.program.terms.symbol(symbol))
            }
        }
    }
}

impl Plan {
    fn add<'s>(
        &mut self,
        e: &mut Expressions<'_, 's>,
        assign: &AssignDecl<'s>,
        temporary: Option<Symbol>,
    ) -> Result<()> {
        let place = e.place(assign.target)?;
        let scalar = place.scalar;
        if let Some(symbol) = place.fixed()
            && !self.certain.insert(symbol)
        {
            let text = format!("`{}` is assigned twice at once", e.terms.symbol_name(symbol));
            return Err(Problem::new(e.exprs.span(assign.target), text));
        }
        match (assign.value, temporary, place.fixed()) {
            (ValueExpr::Expr(id), _, _) => {
                let value = e.typed(id, scalar)?;
                self.write(e.terms, &place, value);
            }
            (value, None, Some(symbol)) => {
                let between = bounds(e, value, scalar)?;
                self.after.push(Open { symbol, between });
            }
            (value, temporary, _) => {
                let between = bounds(e, value, scalar)?;
                let symbol = temporary.expect("a place that depends on an index gets a temporary");
                self.before.push(Open { symbol, between });
                let value = e.terms.symbol(symbol);
                self.write(e.terms, &place, value);
            }
        }
        Ok(())
    }

    /// Of two elements that turn out to be the same, the later one counts.
    fn write(&mut self, terms: &mut Terms, place: &Place, value: Term) {
        for cell in &place.cells {
            let value = match cell.condition {
                None => value,
                Some(condition) => {
                    let old = self.writes.get(&cell.symbol).copied().unwrap_or_else(|| terms.symbol(cell.symbol));
                    terms.ite(condition, value, old)
                }
            };
            self.writes.insert(cell.symbol, value);
        }
    }
}

/// The bounds of a value that is not determined.
fn bounds(e: &mut Expressions<'_, '_>, value: ValueExpr, scalar: Scalar) -> Result<Option<(Value, Value)>> {
    let ValueExpr::Between(lo, hi, span) = value else { return Ok(None) };
    if scalar == Scalar::Bool {
        return Err(Problem::new(span, "a range is one of numbers").help("`undef` is any truth value"));
    }
    let mut number = |id| match e.value(id)? {
        Value::Bool(_) => Err(Problem::new(e.exprs.span(id), "expected a number, found a truth value")),
        value => Ok(value),
    };
    let (lo, hi) = (number(lo)?, number(hi)?);
    match (lo, hi) {
        (Value::Constant(a), Value::Constant(b)) if a > b || a < 0 => {
            Err(Problem::new(span, if a < 0 { "numbers have no sign" } else { "the range is empty" }))
        }
        _ => Ok(Some((lo, hi))),
    }
}
