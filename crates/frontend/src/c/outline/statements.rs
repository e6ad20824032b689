//! Statements.

use clinch_ir::Span;
use clinch_ir::cfa::Op;
use clinch_terms::{LocId, Sort, Term};

use super::super::control::{Branching, Switch};
use super::super::hir::{Expr, Init, Place, PlaceKind, Stmt, VariableId};
use super::Outline;
use super::automaton::EXIT;
use super::values::Value;

impl Outline<'_> {
    pub(super) fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Expr(e) => self.effect(e),
            Stmt::Declare(variable, init, span) => self.declaration(*variable, init.as_ref(), *span),
            Stmt::Cleanup(_, span) => self.deny("a clean-up function", *span),
            Stmt::Block(body) => self.statements(body),
            Stmt::If(condition, then, otherwise) => {
                let (yes, no, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
                self.branch(condition, yes, no);
                for (from, body) in [(yes, then), (no, otherwise)] {
                    self.body.at(from);
                    self.statements(body);
                    self.body.goto(after, condition.span);
                }
                self.body.at(after);
            }
            Stmt::While(condition, body) => self.repeat(Some(condition), None, body),
            Stmt::DoWhile(body, condition) => {
                let (head, test, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
                self.body.go_on_at(head, condition.span);
                self.repeated(body, after, test);
                self.body.go_on_at(test, condition.span);
                self.branch(condition, head, after);
                self.body.at(after);
            }
            Stmt::For { init, condition, step, body } => {
                init.iter().for_each(|init| self.effect(init));
                self.repeat(condition.as_ref(), step.as_ref(), body);
            }
            Stmt::Switch(operand, body) => self.switch(operand, body),
            Stmt::Case(lo, hi, span) => self.case(Some((*lo, *hi)), *span),
            Stmt::Default(span) => self.case(None, *span),
            Stmt::Label(label, span) => self.label(*label, *span),
            Stmt::Goto(label, span) => {
                let to = self.body.label(*label);
                self.body.goto(to, *span);
            }
            Stmt::Break(span) => self.jump(self.body.breaks.last().copied(), *span),
            Stmt::Continue(span) => self.jump(self.body.continues.last().copied(), *span),
            Stmt::Return(value, span) => self.return_statement(value.as_ref(), *span),
            Stmt::Assembly(outputs, inputs, span) => self.assembly(outputs, inputs, *span),
            Stmt::Unsupported(what, span) => self.deny(what, *span),
        }
    }

    fn declaration(&mut self, variable: VariableId, init: Option<&Init>, span: Span) {
        let hir = self.hir;
        if let Some(length) = &hir.variables[variable.0 as usize].runtime_length {
            self.effect(length);
        }
        let value = match init {
            Some(init) => self.initialiser(variable, init, span),
            None => Value::Any,
        };
        if let Some(symbol) = self.symbol(variable) {
            self.set(symbol, value, span);
        }
    }

    /// The value of an initialiser: of a variable that is read it has one item, or none.
    pub(super) fn initialiser(&mut self, variable: VariableId, init: &Init, span: Span) -> Value {
        let operands: Vec<&Expr> = init.items.iter().map(|item| &item.value).collect();
        if !self.any_order_will_do(&operands, &[]) {
            self.deny(super::values::ORDER, span);
        }
        let mut value = Value::Any;
        for item in &init.items {
            value = self.value(&item.value);
        }
        if init.items.is_empty() && init.zero_fill && self.is_tracked(variable) {
            let ty = self.hir.variables[variable.0 as usize].ty;
            return Value::Is(self.constant(ty, 0));
        }
        value
    }

    /// `while` and `for`.
    fn repeat(&mut self, condition: Option<&Expr>, step: Option<&Expr>, body: &[Stmt]) {
        let span = condition.map_or(Span::default(), |c| c.span);
        let (head, inside, next, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.body.go_on_at(head, span);
        match condition {
            Some(condition) => self.branch(condition, inside, after),
            None => self.body.goto(inside, span),
        }
        self.body.at(inside);
        self.repeated(body, after, next);
        self.body.go_on_at(next, span);
        step.iter().for_each(|step| self.effect(step));
        self.body.goto(head, span);
        self.body.at(after);
    }

    fn repeated(&mut self, body: &[Stmt], after: LocId, next: LocId) {
        self.body.breaks.push(after);
        self.body.continues.push(next);
        self.statements(body);
        self.body.breaks.pop();
        self.body.continues.pop();
    }

    fn jump(&mut self, to: Option<LocId>, span: Span) {
        // The checker has refused a `break` outside of loops.
        if let Some(to) = to {
            self.body.goto(to, span);
        }
    }

    fn switch(&mut self, operand: &Expr, body: &[Stmt]) {
        let value = self.value(operand);
        let value = self.stable(value, operand.span);
        let origin = self.body.here();
        let after = self.body.fresh();
        self.body.dead();
        self.body.switches.push(Switch::default());
        self.body.breaks.push(after);
        self.statements(body);
        self.body.breaks.pop();
        self.body.goto(after, operand.span);
        let switch = self.body.switches.pop().unwrap_or_default();
        self.body.at(origin);
        self.dispatch(value, operand, switch, after);
        self.body.at(after);
    }

    /// A value that several edges read.
    fn stable(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Is(term) if self.terms.symbols(term).is_empty() => value,
            Value::Is(term) => {
                let bits = self.terms.bv_width(term);
                let symbol = self.temporary(bits);
                self.set(symbol, value, span);
                Value::Is(self.terms.symbol(symbol))
            }
            other => other,
        }
    }

    /// One edge for each place a switch goes to; any of them where nothing is known of the operand.
    fn dispatch(&mut self, value: Value, operand: &Expr, switch: Switch, after: LocId) {
        let default = switch.default.unwrap_or(after);
        let Value::Is(value) = value else {
            let places: Vec<LocId> = switch.cases.iter().map(|case| case.to).chain([default]).collect();
            return self.any_of(&places, operand.span);
        };
        let origin = self.body.here();
        let mut rest = self.terms.tt();
        for case in switch.cases {
            let tests = self.tests_of(&case, value, operand.ty);
            let hit = self.terms.all(tests);
            self.body.edge(origin, case.to, Op::Assume(hit), operand.span);
            let miss = self.terms.not(hit);
            rest = self.terms.and(rest, miss);
        }
        self.body.edge(origin, default, Op::Assume(rest), operand.span);
        self.body.dead();
    }

    /// Goes to any of some places.
    pub(super) fn any_of(&mut self, places: &[LocId], span: Span) {
        let [before @ .., last] = places else { return };
        for &to in before {
            let other = self.body.fresh();
            let way = self.way(span);
            let not = self.terms.not(way);
            self.body.branch((way, not), to, other, span);
            self.body.at(other);
        }
        self.body.goto(*last, span);
    }

    /// A truth value that is any.
    pub(super) fn way(&mut self, span: Span) -> Term {
        let symbol = match self.body.way {
            Some(symbol) => symbol,
            None => {
                let symbol = self.terms.declare("$way", Sort::Bool);
                self.hide(symbol, "$way".to_owned());
                self.body.way = Some(symbol);
                symbol
            }
        };
        self.forget(symbol, span);
        self.terms.symbol(symbol)
    }

    fn case(&mut self, values: Option<(i128, i128)>, span: Span) {
        let here = self.body.fresh();
        self.body.go_on_at(here, span);
        if let Some(switch) = self.body.switches.last_mut() {
            switch.add(values, here, span);
        }
    }

    fn label(&mut self, label: super::super::hir::LabelId, span: Span) {
        let location = self.body.label(label);
        self.body.go_on_at(location, span);
        let function = self.body.function.map(|f| &self.hir.functions[f.0 as usize]);
        if function.and_then(|f| f.labels.get(label.0 as usize)).is_some_and(|name| name == "ERROR") {
            self.fail("label ERROR".to_owned(), span);
        }
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: Span) {
        let value = match value {
            Some(e) if self.body.result.is_some() => self.value(e),
            Some(e) => {
                self.effect(e);
                Value::Any
            }
            None => Value::Any,
        };
        self.return_value(value, span);
    }

    pub(super) fn return_value(&mut self, value: Value, span: Span) {
        let term = match (self.body.result, value) {
            (None, _) => None,
            (Some(_), Value::Is(term)) => Some(term),
            (Some(result), value) => {
                self.set(result, value, span);
                Some(self.terms.symbol(result))
            }
        };
        let here = self.body.here();
        self.body.edge(here, EXIT, Op::Return(term), span);
        self.body.dead();
    }

    /// Assembler text that only changes its outputs.
    fn assembly(&mut self, outputs: &[Place], inputs: &[Expr], span: Span) {
        inputs.iter().for_each(|input| self.effect(input));
        for place in outputs {
            self.place_effects(place);
            if let PlaceKind::Variable(id) = place.kind
                && let Some(symbol) = self.symbol(id)
            {
                self.forget(symbol, span);
            }
        }
    }
}
