//! Statements.

use clinch_ir::Span;
use clinch_ir::cfa::{Check, InputKind, Op};
use clinch_terms::{LocId, Term};

use super::super::control::{Branching, Switch};
use super::super::hir::{Expr, LabelId, Stmt};
use super::super::points_to::switch_key;
use super::Lowering;
use super::body::{EXIT, Exit};

/// What a run stops with at assembler text.
const ASSEMBLY: &str = "inline assembly";

impl Lowering<'_> {
    fn block(&mut self, body: &[Stmt]) {
        self.open_scope(body);
        self.statements(body);
        self.close_scope(last_span(body));
    }

    pub(super) fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Expr(e) => {
                self.body.mark(e.span);
                self.ordered(e);
                self.effect(e);
            }
            Stmt::Declare(variable, init, span) => {
                self.body.mark(*span);
                init.iter().for_each(|init| self.ordered_init(init, *span));
                self.declare(*variable, init.as_ref(), *span);
            }
            Stmt::Cleanup(call, _) => self.cleanup(*call),
            Stmt::Block(body) => self.block(body),
            Stmt::If(condition, then, otherwise) => self.if_statement(condition, then, otherwise),
            Stmt::While(condition, body) => self.loop_statement(Some(condition), None, body),
            Stmt::DoWhile(body, condition) => self.do_while(body, condition),
            Stmt::For { init, condition, step, body } => {
                if let Some(init) = init {
                    self.body.mark(init.span);
                    self.ordered(init);
                    self.effect(init);
                }
                self.loop_statement(condition.as_ref(), step.as_ref(), body);
            }
            Stmt::Switch(operand, body) => self.switch(operand, body),
            Stmt::Case(lo, hi, span) => self.case(Some((*lo, *hi)), *span),
            Stmt::Default(span) => self.case(None, *span),
            Stmt::Label(label, span) => {
                let ends = self.body.scopes.last().map_or(0, |scope| scope.ends.len());
                self.body.label_ends.insert(*label, ends);
                self.label(*label, *span);
            }
            Stmt::Goto(label, span) => {
                self.leave_for(*label, *span);
                let to = self.label_location(*label);
                self.body.goto(to, *span);
            }
            Stmt::Break(span) => {
                let exit = self.body.breaks.last().copied();
                self.jump(exit, *span);
            }
            Stmt::Continue(span) => {
                let exit = self.body.continues.last().copied();
                self.jump(exit, *span);
            }
            Stmt::Return(value, span) => self.return_statement(value.as_ref(), *span),
            Stmt::Assembly(_, _, span) => {
                self.body.mark(*span);
                self.body.stop(Op::Unsupported(ASSEMBLY.to_owned()), *span);
            }
            Stmt::Unsupported(what, span) => {
                self.body.mark(*span);
                self.body.stop(Op::Unsupported(what.clone()), *span);
            }
        }
    }

    fn if_statement(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        self.body.mark(condition.span);
        self.ordered(condition);
        let (yes, after) = (self.body.fresh(), self.body.fresh());
        let no = if otherwise.is_empty() { after } else { self.body.fresh() };
        self.branch(condition, yes, no);
        self.body.at(yes);
        self.block(then);
        self.body.goto(after, last_span(then));
        if !otherwise.is_empty() {
            self.body.at(no);
            self.block(otherwise);
            self.body.goto(after, last_span(otherwise));
        }
        self.body.at(after);
    }

    /// `while` and `for`.
    fn loop_statement(&mut self, condition: Option<&Expr>, step: Option<&Expr>, body: &[Stmt]) {
        let span = condition.map_or_else(|| last_span(body), |c| c.span);
        let (head, inside, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.go_on_at(head, span);
        self.body.mark(span);
        if let Some(condition) = condition {
            self.ordered(condition);
        }
        match condition {
            Some(condition) => self.branch(condition, inside, after),
            None => self.body.goto(inside, span),
        }
        self.body.at(inside);
        let next = if step.is_some() { self.body.fresh() } else { head };
        self.loop_body(body, after, next);
        self.body.goto(next, span);
        if let Some(step) = step {
            self.body.at(next);
            self.body.mark(step.span);
            self.ordered(step);
            self.effect(step);
            self.body.goto(head, step.span);
        }
        self.body.at(after);
    }

    fn loop_body(&mut self, body: &[Stmt], after: LocId, next: LocId) {
        let depth = self.body.scopes.len();
        self.body.breaks.push(Exit { to: after, depth });
        self.body.continues.push(Exit { to: next, depth });
        self.block(body);
        self.body.breaks.pop();
        self.body.continues.pop();
    }

    fn do_while(&mut self, body: &[Stmt], condition: &Expr) {
        let (head, test, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.go_on_at(head, condition.span);
        self.loop_body(body, after, test);
        self.body.go_on_at(test, condition.span);
        self.body.mark(condition.span);
        self.ordered(condition);
        // The condition may be constant: then the head is where control is now.
        self.branch(condition, head, after);
        self.body.at(after);
    }

    fn jump(&mut self, exit: Option<Exit>, span: Span) {
        // The checker has refused a `break` outside of loops.
        let Some(exit) = exit else { return };
        self.leave_scopes(exit.depth, span);
        self.body.goto(exit.to, span);
    }

    fn switch(&mut self, operand: &Expr, body: &[Stmt]) {
        self.body.mark(operand.span);
        self.ordered(operand);
        let value = self.scalar(operand);
        self.guard_observation(switch_key(operand), value, None, operand.span);
        let value = if self.is_constant(value) { value } else { self.stable(value, operand.span) };
        let origin = self.body.here();
        let after = self.body.fresh();
        self.body.dead();
        self.body.switches.push(Switch::default());
        let depth = self.body.scopes.len();
        self.body.breaks.push(Exit { to: after, depth });
        self.block(body);
        self.body.breaks.pop();
        self.body.goto(after, operand.span);
        let switch = self.body.switches.pop().unwrap_or_default();
        self.dispatch(origin, value, operand, switch, after);
        self.body.at(after);
    }

    /// A value that several edges of one location read; it needs no variable of its own where it is short.
    fn stable(&mut self, value: Term, span: Span) -> Term {
        match self.terms.node(value) {
            clinch_terms::Node::Symbol(_) => value,
            clinch_terms::Node::Extend { of, .. } if matches!(self.terms.node(of), clinch_terms::Node::Symbol(_)) => {
                value
            }
            _ => self.save(value, span),
        }
    }

    /// One edge for each place a switch goes to.
    fn dispatch(&mut self, origin: LocId, value: Term, operand: &Expr, switch: Switch, after: LocId) {
        let mut others = Vec::new();
        let mut places: Vec<(LocId, Term, Span)> = Vec::new();
        for case in switch.cases {
            let tests = self.tests_of(&case, value, operand.ty);
            let hit = self.terms.all(tests);
            others.push(self.not(hit));
            let to = self.body.find(case.to);
            match places.iter_mut().find(|p| p.0 == to) {
                Some(place) => place.1 = self.terms.or(place.1, hit),
                None => places.push((to, hit, case.span)),
            }
        }
        let rest = self.terms.all(others);
        let default = self.body.find(switch.default.unwrap_or(after));
        match places.iter_mut().find(|p| p.0 == default) {
            Some(place) => place.1 = self.terms.or(place.1, rest),
            None => places.push((default, rest, operand.span)),
        }
        for (to, condition, span) in places {
            match self.terms.node(condition) {
                clinch_terms::Node::Bool(false) => {}
                clinch_terms::Node::Bool(true) => {
                    self.body.at(origin);
                    self.body.goto(to, span);
                    return;
                }
                _ => self.body.edge(origin, to, Op::Assume(condition), span),
            }
        }
    }

    fn case(&mut self, values: Option<(i128, i128)>, span: Span) {
        let here = self.body.fresh();
        self.body.go_on_at(here, span);
        self.body.mark(span);
        if let Some(switch) = self.body.switches.last_mut() {
            switch.add(values, here, span);
        }
    }

    fn label_location(&mut self, label: LabelId) -> LocId {
        if let Some(&loc) = self.body.labels.get(&label) {
            return loc;
        }
        let loc = self.body.fresh();
        self.body.labels.insert(label, loc);
        loc
    }

    fn label(&mut self, label: LabelId, span: Span) {
        let loc = self.label_location(label);
        self.body.go_on_at(loc, span);
        self.body.mark(span);
        let function = self.body.function.map(|f| &self.hir.functions[f.0 as usize]);
        let name = function.and_then(|f| f.labels.get(label.0 as usize)).cloned().unwrap_or_default();
        let is_error = name == "ERROR" && self.options.checks.contains(Check::Assertion);
        self.body.locations[loc.index()].label = Some(name);
        if is_error {
            self.fail("label ERROR".to_owned(), span);
        }
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: Span) {
        self.body.mark(span);
        if let Some(value) = value {
            self.ordered(value);
        }
        let Some(function) = self.body.function else { return };
        let wanted = self.result_type(function);
        let mut term = match (value, wanted) {
            (Some(e), Some(_)) => self.return_value(function, e),
            (Some(e), None) => {
                self.effect(e);
                None
            }
            (None, _) => None,
        };
        if term.is_none() && self.body.result.is_some() {
            term = Some(self.missing_result(span));
        }
        self.finish(term, span);
    }

    /// The value of a function that returns without one.
    pub(super) fn missing_result(&mut self, span: Span) -> Term {
        let function = self.body.function.unwrap_or(self.entry);
        let ty = self.result_type(function).unwrap_or(self.hir.functions[function.0 as usize].ty);
        if function == self.entry && self.options.entry == "main" {
            return self.constant(ty, 0);
        }
        let name = self.hir.functions[function.0 as usize].name.clone();
        self.input(ty, InputKind::Uninitialised(format!("result of {name}")), span)
    }

    /// The call ends.
    pub(super) fn finish(&mut self, value: Option<Term>, span: Span) {
        let open = self.body.scopes.iter().any(|s| !s.ends.is_empty());
        let value = if open { value.map(|v| self.save(v, span)) } else { value };
        self.leave_scopes(0, span);
        let here = self.body.here();
        self.body.edge(here, EXIT, Op::Return(value), span);
        self.body.dead();
    }
}

/// Where a block ends.
fn last_span(body: &[Stmt]) -> Span {
    match body.last() {
        Some(Stmt::Expr(e) | Stmt::If(e, ..) | Stmt::While(e, _) | Stmt::DoWhile(_, e) | Stmt::Switch(e, _)) => e.span,
        Some(
            Stmt::Declare(_, _, span)
            | Stmt::Cleanup(_, span)
            | Stmt::Case(_, _, span)
            | Stmt::Default(span)
            | Stmt::Label(_, span)
            | Stmt::Goto(_, span)
            | Stmt::Break(span)
            | Stmt::Continue(span)
            | Stmt::Return(_, span)
            | Stmt::Assembly(_, _, span)
            | Stmt::Unsupported(_, span),
        ) => *span,
        Some(Stmt::Block(body) | Stmt::For { body, .. }) => last_span(body),
        None => Span::default(),
    }
}
