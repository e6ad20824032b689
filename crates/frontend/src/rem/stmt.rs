//! Statements.

use clinch_ir::Span;
use clinch_ir::cfa::{Failure, InputKind, Op, ProcedureId};
use clinch_terms::{BinOp, Node, Term, Terms, UnOp};

use super::ast::{Alternative, Stmt, StmtKind, ValueExpr};
use super::body::to_scalar;
use super::expr::Result;
use super::lower::Lower;
use super::scope::declare;
use super::types::Scalar;
use crate::diagnostic::Problem;
use crate::expr::{ExprId, Name};

/// An alternative with its guard as a term; none for `else`.
type Guarded<'a, 's> = (Option<Term>, &'a Alternative<'s>);

impl<'a, 's> Lower<'a, 's> {
    pub(super) fn statements(&mut self, statements: &'a [Stmt<'s>]) {
        for statement in statements {
            for label in &statement.labels {
                self.label(*label);
            }
            for temporary in &mut self.temporaries {
                temporary.2 = false;
            }
            self.anys.1 = 0;
            self.body.mark(statement.span);
            if let Err(problem) = self.statement(statement) {
                self.bag.report(self.source, problem);
            }
        }
    }

    /// Makes the labels of a module known.
    pub(super) fn find_labels(&mut self, statements: &'a [Stmt<'s>]) {
        for statement in statements {
            for label in &statement.labels {
                let location = self.body.fresh();
                if self.labels.insert(label.text, location).is_some() {
                    let text = format!("the label `{}` is already declared", label.text);
                    self.bag.report(self.source, Problem::new(label.span, text));
                }
            }
            if let StmtKind::If(alternatives) | StmtKind::Do(alternatives) = &statement.kind {
                for alternative in alternatives {
                    self.find_labels(&alternative.body);
                }
            }
        }
    }

    /// The place of a label is here. At the label that must not be reached, the run ends.
    fn label(&mut self, label: Name<'s>) {
        let at = self.labels[label.text];
        self.body.join(at);
        self.body.go_on_at(at);
        self.body.label(label.text);
        self.body.mark(label.span);
        if self.error_labels.contains(&label.text) {
            self.body.end(Op::Error(Failure::assertion(format!("label {}", label.text))), label.span);
        }
    }

    fn statement(&mut self, statement: &'a Stmt<'s>) -> Result<()> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Skip => Ok(()),
            StmtKind::Break => match self.body.breaks.last() {
                Some(&after) => {
                    self.body.jump(after);
                    Ok(())
                }
                None => Err(Problem::new(span, "`break` stands outside of a `do`")),
            },
            StmtKind::Goto(label) => match self.labels.get(label.text) {
                Some(&to) => {
                    self.body.jump(to);
                    Ok(())
                }
                None => Err(Problem::new(label.span, format!("there is no label `{}` in this module", label.text))),
            },
            StmtKind::Return(value) => self.give_back(*value, span),
            StmtKind::Assert(condition) => self.assert(*condition, span),
            StmtKind::If(alternatives) => self.choice(alternatives, span),
            StmtKind::Do(alternatives) => self.repetition(alternatives, span),
            StmtKind::Call { target, callee, args } => self.call(*target, *callee, args, span),
            StmtKind::Assign(assigns) => self.assign(assigns, span),
        }
    }

    fn give_back(&mut self, value: Option<ValueExpr>, span: Span) -> Result<()> {
        let value = match (self.result, value) {
            (None, None) => None,
            (Some(scalar), Some(value)) => Some(self.handed_over(value, scalar, span)?),
            (None, Some(_)) => return Err(Problem::new(span, "a module of type `void` returns no value")),
            (Some(_), None) => return Err(Problem::new(span, "the value to return is missing")),
        };
        self.body.give_back(value, span);
        Ok(())
    }

    fn assert(&mut self, condition: ExprId, span: Span) -> Result<()> {
        let holds = self.expressions(span, |e| e.condition(condition))?;
        let fails = self.program.terms.not(holds);
        let text = &self.source.text[span.start as usize..span.end as usize];
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (here, good, bad) = (self.body.here(), self.body.fresh(), self.body.fresh());
        self.body.edge(here, good, Op::Assume(holds), Span::default());
        self.body.edge(here, bad, Op::Assume(fails), Span::default());
        self.body.go_on_at(bad);
        self.body.end(Op::Error(Failure::assertion(text)), span);
        self.body.go_on_at(good);
        Ok(())
    }

    fn call(&mut self, target: Option<ExprId>, callee: Name<'s>, args: &[ValueExpr], span: Span) -> Result<()> {
        let Some(&index) = self.scope.modules.get(callee.text) else {
            return Err(Problem::new(callee.span, format!("there is no module `{}`", callee.text)));
        };
        let signature = self.scope.signatures[index].clone();
        if signature.params.len() != args.len() {
            let (wanted, given) = (signature.params.len(), args.len());
            let text = format!("`{}` takes {wanted} arguments, {given} are given", callee.text);
            return Err(Problem::new(callee.span, text));
        }
        let mut terms = Vec::new();
        for (&arg, scalar) in args.iter().zip(signature.params) {
            terms.push(self.handed_over(arg, scalar, span)?);
        }
        let callee_id = ProcedureId::from_index(index + 1);
        let (Some(target), result) = (target, signature.result) else {
            self.body.emit(Op::Call { callee: callee_id, args: terms, result: None }, span);
            return Ok(());
        };
        let Some(result) = result else {
            return Err(Problem::new(callee.span, format!("`{}` returns no value", callee.text)));
        };
        let place = self.place_of(target, &[])?;
        if let Some(symbol) = place.fixed()
            && place.scalar == result
        {
            self.body.emit(Op::Call { callee: callee_id, args: terms, result: Some(symbol) }, span);
            return Ok(());
        }
        self.call_and_assign((callee_id, terms), (target, result), span)
    }

    /// `a[i] = m(e)`: the place is looked at when the call is over.
    fn call_and_assign(
        &mut self,
        (callee, args): (ProcedureId, Vec<Term>),
        (target, result): (ExprId, Scalar),
        span: Span,
    ) -> Result<()> {
        let symbol = self.temporary(result);
        self.body.emit(Op::Call { callee, args, result: Some(symbol) }, span);
        let value = self.program.terms.symbol(symbol);
        let writes = self.expressions(span, |e| {
            let place = e.place(target)?;
            let value = match result {
                Scalar::Bool => super::expr::Value::Bool(value),
                Scalar::Int(_) => super::expr::Value::Int(value),
            };
            let value = e.convert(value, place.scalar, span)?;
            let mut writes = Vec::new();
            for cell in &place.cells {
                let old = e.terms.symbol(cell.symbol);
                let new = cell.condition.map_or(value, |c| e.terms.ite(c, value, old));
                writes.push(to_scalar(cell.symbol, new));
            }
            Ok(writes)
        })?;
        self.body.emit(Op::Assign(writes), span);
        Ok(())
    }

    /// `if ... fi`.
    fn choice(&mut self, alternatives: &'a [Alternative<'s>], span: Span) -> Result<()> {
        let after = self.body.fresh();
        let starts = self.branch(alternatives, span);
        for (i, alternative) in alternatives.iter().enumerate() {
            // The bodies are looked at even if a guard is wrong: there may be more to say.
            let start = starts.as_ref().map_or_else(|_| self.body.fresh(), |starts| starts[i]);
            self.body.go_on_at(start);
            self.statements(&alternative.body);
            self.body.join(after);
        }
        self.body.go_on_at(after);
        starts.map(drop)
    }

    /// `do ... od`.
    fn repetition(&mut self, alternatives: &'a [Alternative<'s>], span: Span) -> Result<()> {
        let (head, after) = (self.body.here(), self.body.fresh());
        let starts = self.branch(alternatives, span);
        self.body.breaks.push(after);
        for (i, alternative) in alternatives.iter().enumerate() {
            let start = starts.as_ref().map_or_else(|_| self.body.fresh(), |starts| starts[i]);
            self.body.go_on_at(start);
            self.statements(&alternative.body);
            self.body.jump(head);
        }
        self.body.breaks.pop();
        self.body.go_on_at(after);
        starts.map(drop)
    }

    /// Leaves for the alternatives whose guards hold: where each of them starts.
    fn branch(&mut self, alternatives: &'a [Alternative<'s>], span: Span) -> Result<Vec<clinch_terms::LocId>> {
        let mut guarded: Vec<Guarded<'a, 's>> = Vec::new();
        for alternative in alternatives {
            let guard = match alternative.guard {
                Some(id) => Some(self.expressions(alternative.span, |e| e.condition(id))?),
                None if guarded.iter().any(|(guard, _)| guard.is_none()) => {
                    return Err(Problem::new(alternative.span, "there is more than one `else`"));
                }
                None => None,
            };
            guarded.push((guard, alternative));
        }
        let guards: Vec<Term> = guarded.iter().filter_map(|(guard, _)| *guard).collect();
        if let ([tt], 1) = (guards.as_slice(), guarded.len())
            && self.program.terms.node(*tt) == Node::Bool(true)
        {
            return Ok(vec![self.body.here()]);
        }
        let starts: Vec<_> = guarded.iter().map(|_| self.body.fresh()).collect();
        let any = self.program.terms.any(guards.iter().copied());
        let none = self.program.terms.not(any);
        let exclusive = (0..guards.len()).all(|i| (0..i).all(|j| excludes(&self.program.terms, guards[i], guards[j])));
        let here = self.body.here();
        for (&start, (guard, alternative)) in starts.iter().zip(&guarded) {
            match guard {
                None => self.body.edge(here, start, Op::Assume(none), alternative.span),
                Some(guard) if exclusive => self.body.edge(here, start, Op::Assume(*guard), alternative.span),
                Some(_) => {}
            }
        }
        if !exclusive {
            if guards.len() < guarded.len() {
                let some = self.body.fresh();
                self.body.edge(here, some, Op::Assume(any), Span::default());
                self.body.go_on_at(some);
            }
            self.choose_among(&guarded, &starts, span);
        }
        Ok(starts)
    }

    /// Several guards may hold: an input decides.
    fn choose_among(&mut self, guarded: &[Guarded<'a, 's>], starts: &[clinch_terms::LocId], span: Span) {
        let open: Vec<_> = guarded.iter().zip(starts).filter_map(|((g, a), s)| Some(((*g)?, a.span, *s))).collect();
        let last = open.len() as u64 - 1;
        let scalar = if last == 1 { Scalar::Bool } else { Scalar::Int(64 - last.leading_zeros()) };
        let known = self.choices.iter().find(|(s, _)| *s == scalar).map(|(_, symbol)| *symbol);
        let symbol = known.unwrap_or_else(|| {
            let symbol = declare(self.program, "$choice".to_owned(), scalar, true);
            self.body.locals.push(symbol);
            self.choices.push((scalar, symbol));
            symbol
        });
        self.silent_input(symbol, InputKind::Nondet("choice".to_owned()), span);
        let here = self.body.here();
        let terms = &mut self.program.terms;
        let choice = terms.symbol(symbol);
        for (i, (guard, span, start)) in open.into_iter().enumerate() {
            let i = i as u64;
            let chosen = match scalar {
                Scalar::Bool if i == 0 => terms.not(choice),
                Scalar::Bool => choice,
                Scalar::Int(bits) => {
                    let number = terms.bit_vec(bits, i);
                    // The last one takes what is left, so that every value chooses one.
                    if i == last { terms.bv_ule(number, choice) } else { terms.eq(choice, number) }
                }
            };
            let condition = terms.and(chosen, guard);
            self.body.edge(here, start, Op::Assume(condition), span);
        }
    }
}

/// Whether two guards plainly never hold together.
fn excludes(terms: &Terms, a: Term, b: Term) -> bool {
    let (left, right) = (terms.conjuncts(a), terms.conjuncts(b));
    left.iter().any(|&x| right.iter().any(|&y| contradicts(terms, x, y)))
}

fn contradicts(terms: &Terms, a: Term, b: Term) -> bool {
    match (terms.node(a), terms.node(b)) {
        (Node::Bool(false), _) | (_, Node::Bool(false)) => return true,
        (Node::Unary(UnOp::Not, inner), _) if inner == b => return true,
        (_, Node::Unary(UnOp::Not, inner)) if inner == a => return true,
        (Node::Binary(BinOp::BvUlt, x, y), Node::Binary(BinOp::BvUlt | BinOp::BvUle, u, v))
        | (Node::Binary(BinOp::BvUle, x, y), Node::Binary(BinOp::BvUlt, u, v))
            if x == v && y == u =>
        {
            return true;
        }
        _ => {}
    }
    match (interval(terms, a), interval(terms, b)) {
        (Some((x, lo, hi)), Some((y, least, greatest))) => x == y && (hi < least || greatest < lo),
        _ => false,
    }
}

/// The values that a comparison with a constant allows for the other side.
fn interval(terms: &Terms, comparison: Term) -> Option<(Term, u64, u64)> {
    let Node::Binary(op, a, b) = terms.node(comparison) else { return None };
    match (op, terms.node(a), terms.node(b)) {
        (BinOp::Eq, _, Node::BitVec(_, c)) => Some((a, c, c)),
        (BinOp::Eq, Node::BitVec(_, c), _) => Some((b, c, c)),
        (BinOp::BvUle, _, Node::BitVec(_, c)) => Some((a, 0, c)),
        (BinOp::BvUle, Node::BitVec(_, c), _) => Some((b, c, u64::MAX)),
        (BinOp::BvUlt, _, Node::BitVec(_, c)) => Some((a, 0, c.checked_sub(1)?)),
        (BinOp::BvUlt, Node::BitVec(_, c), _) => Some((b, c.checked_add(1)?, u64::MAX)),
        _ => None,
    }
}
