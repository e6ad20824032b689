//! Statements.

use clinch_ir::Span;
use lang_c::ast::{
    BinaryOperator, BlockItem, Expression, ForInitializer, ForStatement, Label, LabeledStatement, Statement,
};
use lang_c::span::Node;

use super::define::Switch;
use super::expr::Operand;
use super::{Checked, Checker};
use crate::c::hir::{Expr, ExprKind, Stmt};
use crate::c::parse::{ASSEMBLY, AT_START, COMPUTED_GOTO, INPUTS, OUTPUTS, TIED};
use crate::c::types::{Type, TypeId};
use crate::diagnostic::{MAX_DIAGNOSTICS, Problem};

impl Checker<'_> {
    /// The items of a block, in the scope that is open. What is wrong is noted.
    pub(super) fn block_items(&mut self, items: &[Node<BlockItem>], out: &mut Vec<Stmt>) {
        for item in items {
            if self.problems.len() >= MAX_DIAGNOSTICS {
                return;
            }
            let result = match &item.node {
                BlockItem::Declaration(declaration) => self.local_declaration(&declaration.node, out),
                BlockItem::StaticAssert(assertion) => self.static_assert(&assertion.node),
                BlockItem::Statement(statement) => self.statement(statement, out),
            };
            self.report(result);
        }
    }

    pub(super) fn statement(&mut self, node: &Node<Statement>, out: &mut Vec<Stmt>) -> Checked<()> {
        let span = self.at(node.span);
        self.deeper(span, |c| c.statement_at(node, span, out))
    }

    fn statement_at(&mut self, node: &Node<Statement>, span: Span, out: &mut Vec<Stmt>) -> Checked<()> {
        match &node.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node, out)?,
            Statement::Compound(items) => {
                let mut block = Vec::new();
                self.in_scope(|c| c.block_items(items, &mut block));
                out.push(Stmt::Block(block));
            }
            Statement::Expression(None) => {}
            Statement::Expression(Some(expression)) => self.expression_statement(expression, span, out)?,
            Statement::If(node) => {
                let condition = self.scalar_rvalue(&node.node.condition)?;
                let then = self.body(&node.node.then_statement)?;
                let otherwise = match &node.node.else_statement {
                    Some(statement) => self.body(statement)?,
                    None => Vec::new(),
                };
                out.push(Stmt::If(condition, then, otherwise));
            }
            Statement::Switch(node) => self.switch(&node.node.expression, &node.node.statement, out)?,
            Statement::While(node) => {
                let condition = self.scalar_rvalue(&node.node.expression)?;
                let body = self.loop_body(&node.node.statement)?;
                out.push(Stmt::While(condition, body));
            }
            Statement::DoWhile(node) => {
                let body = self.loop_body(&node.node.statement)?;
                let condition = self.scalar_rvalue(&node.node.expression)?;
                out.push(Stmt::DoWhile(body, condition));
            }
            Statement::For(node) => self.in_scope(|c| c.for_statement(&node.node, out))?,
            Statement::Goto(name) => {
                let id = self.label(name)?.id;
                out.push(Stmt::Goto(id, span));
            }
            Statement::Continue => match &self.function {
                Some(function) if function.loops > 0 => out.push(Stmt::Continue(span)),
                _ => return Err(Problem::new(span, "`continue` outside of a loop")),
            },
            Statement::Break => match &self.function {
                Some(function) if function.breakable > 0 => out.push(Stmt::Break(span)),
                _ => return Err(Problem::new(span, "`break` outside of a loop or `switch`")),
            },
            Statement::Return(value) => self.return_statement(value.as_deref(), span, out)?,
            Statement::Asm(_) => out.push(Stmt::Unsupported("inline assembly".to_owned(), span)),
        }
        Ok(())
    }

    /// A statement under another one, in a scope of its own.
    fn body(&mut self, node: &Node<Statement>) -> Checked<Vec<Stmt>> {
        let mut body = Vec::new();
        self.in_scope(|c| match &node.node {
            Statement::Compound(items) => {
                c.block_items(items, &mut body);
                Ok(())
            }
            _ => c.statement(node, &mut body),
        })?;
        Ok(body)
    }

    fn loop_body(&mut self, node: &Node<Statement>) -> Checked<Vec<Stmt>> {
        self.change_nesting(|f| (f.loops, f.breakable) = (f.loops + 1, f.breakable + 1));
        let body = self.body(node);
        self.change_nesting(|f| (f.loops, f.breakable) = (f.loops - 1, f.breakable - 1));
        body
    }

    fn change_nesting(&mut self, change: impl FnOnce(&mut super::define::FunctionContext)) {
        if let Some(function) = &mut self.function {
            change(function);
        }
    }

    fn expression_statement(&mut self, node: &Node<Expression>, span: Span, out: &mut Vec<Stmt>) -> Checked<()> {
        match &node.node {
            Expression::Identifier(name) if name.node.name == ASSEMBLY => {
                out.push(Stmt::Unsupported("inline assembly".to_owned(), span));
            }
            Expression::Comma(list) if is_assembly(node) => self.known_assembly(list, span, out),
            Expression::Identifier(name) if name.node.name == AT_START => {
                let what = "assembler text of a file, a section whose contents run before `main`, or options for the compiler in the text";
                out.push(Stmt::Unsupported(what.to_owned(), span));
            }
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == BinaryOperator::Assign
                    && matches!(&binary.node.lhs.node, Expression::Identifier(n) if n.node.name == COMPUTED_GOTO) =>
            {
                self.rvalue(&binary.node.rhs)?;
                out.push(Stmt::Unsupported("a computed goto".to_owned(), span));
            }
            _ => {
                let value = self.rvalue(node)?;
                out.push(Stmt::Expr(value));
            }
        }
        Ok(())
    }

    /// An assembler statement with its outputs and inputs.
    fn known_assembly(&mut self, operands: &[Node<Expression>], span: Span, out: &mut Vec<Stmt>) {
        let (mut places, mut values, mut is_output) = (Vec::new(), Vec::new(), true);
        for operand in operands {
            match &operand.node {
                Expression::Identifier(name) if [OUTPUTS, TIED].contains(&name.node.name.as_str()) => is_output = true,
                Expression::Identifier(name) if name.node.name == INPUTS => is_output = false,
                _ if is_output => match self.operand(operand) {
                    Ok(Operand::Place(place)) => places.push(place),
                    _ => return out.push(Stmt::Unsupported("inline assembly".to_owned(), span)),
                },
                _ => match self.rvalue(operand) {
                    Ok(value) => values.push(value),
                    Err(_) => return out.push(Stmt::Unsupported("inline assembly".to_owned(), span)),
                },
            }
        }
        out.push(match (&places[..], &values[..]) {
            ([place], [value]) if is_tied(operands) && self.are_alike(place.ty, value.ty) => {
                let value = Box::new(self.convert(value.clone(), place.ty));
                let (ty, place) = (place.ty, Box::new(place.clone()));
                Stmt::Expr(Expr { kind: ExprKind::Assign(place, value), ty, span })
            }
            _ => Stmt::Assembly(places, values, span),
        });
    }

    /// Whether values of two types are the same bits: integers or pointers of one size.
    fn are_alike(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.hir.types;
        let bits = |ty| match types.get(ty) {
            Type::Int { .. } | Type::Pointer(_) => types.scalar_bits(ty),
            _ => None,
        };
        bits(a).is_some() && bits(a) == bits(b)
    }

    fn for_statement(&mut self, node: &ForStatement, out: &mut Vec<Stmt>) -> Checked<()> {
        let mut block = Vec::new();
        let init = match &node.initializer.node {
            ForInitializer::Empty => None,
            ForInitializer::Expression(expression) => Some(self.rvalue(expression)?),
            ForInitializer::Declaration(declaration) => {
                self.local_declaration(&declaration.node, &mut block)?;
                None
            }
            ForInitializer::StaticAssert(assertion) => {
                self.static_assert(&assertion.node)?;
                None
            }
        };
        let condition = match &node.condition {
            Some(condition) => Some(self.scalar_rvalue(condition)?),
            None => None,
        };
        let step = match &node.step {
            Some(step) => Some(self.rvalue(step)?),
            None => None,
        };
        let body = self.loop_body(&node.statement)?;
        block.push(Stmt::For { init, condition, step, body });
        match block.pop() {
            Some(only) if block.is_empty() => out.push(only),
            last => {
                block.extend(last);
                out.push(Stmt::Block(block));
            }
        }
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Node<Expression>>, span: Span, out: &mut Vec<Stmt>) -> Checked<()> {
        let result = self.function.as_ref().map_or(self.basic.void, |f| f.result);
        let value = match value {
            None => None,
            Some(node) => {
                let value = self.rvalue(node)?;
                let at = value.span;
                if result == self.basic.void {
                    // gcc warns where the value is not `void`, and drops it.
                    out.push(Stmt::Expr(value));
                    None
                } else {
                    Some(self.convert_assigned(value, result, at)?)
                }
            }
        };
        out.push(Stmt::Return(value, span));
        Ok(())
    }

    fn labeled(&mut self, node: &LabeledStatement, out: &mut Vec<Stmt>) -> Checked<()> {
        self.label_at(node, out)?;
        self.statement(&node.statement, out)
    }

    /// The label of a labeled statement.
    fn label_at(&mut self, node: &LabeledStatement, out: &mut Vec<Stmt>) -> Checked<()> {
        let at = self.at(node.label.span);
        match &node.label.node {
            Label::Identifier(name) => {
                let label = self.label(name)?;
                if label.defined {
                    return Err(Problem::new(at, format!("label `{}` is defined twice", name.node.name)));
                }
                label.defined = true;
                let id = label.id;
                out.push(Stmt::Label(id, at));
            }
            Label::Case(value) => {
                let value = self.constant_expression(value)?;
                self.case(value, value, at, out)?;
            }
            Label::CaseRange(range) => {
                let (low, high) =
                    (self.constant_expression(&range.node.low)?, self.constant_expression(&range.node.high)?);
                self.case(low, high, at, out)?;
            }
            Label::Default => match self.innermost_switch() {
                Some(switch) if switch.has_default => return Err(Problem::new(at, "there is more than one `default`")),
                Some(switch) => {
                    switch.has_default = true;
                    out.push(Stmt::Default(at));
                }
                None => return Err(Problem::new(at, "`default` outside of a `switch`")),
            },
        }
        Ok(())
    }

    fn innermost_switch(&mut self) -> Option<&mut Switch> {
        self.function.as_mut().and_then(|f| f.switches.last_mut())
    }

    fn case(&mut self, low: i128, high: i128, span: Span, out: &mut Vec<Stmt>) -> Checked<()> {
        let Some(ty) = self.innermost_switch().map(|s| s.ty) else {
            return Err(Problem::new(span, "`case` outside of a `switch`"));
        };
        let (low, high) = (self.hir.types.wrap(low, ty), self.hir.types.wrap(high, ty));
        if low > high {
            return Ok(()); // An empty range is a warning in gcc.
        }
        let twice = self.innermost_switch().is_some_and(|s| {
            let twice = s.cases.binary_search_by(|c| overlap(*c, (low, high)));
            if let Err(at) = twice {
                s.cases.insert(at, (low, high));
            }
            twice.is_ok()
        });
        if twice {
            return Err(Problem::new(span, "there is another `case` for this value"));
        }
        out.push(Stmt::Case(low, high, span));
        Ok(())
    }

    fn switch(&mut self, operand: &Node<Expression>, body: &Node<Statement>, out: &mut Vec<Stmt>) -> Checked<()> {
        let operand = self.rvalue(operand)?;
        if !self.hir.types.is_integer(operand.ty) {
            let ty = self.name_of(operand.ty);
            return Err(Problem::new(operand.span, format!("expected an integer, found `{ty}`")));
        }
        let operand = self.promote(operand);
        let switch = Switch { ty: operand.ty, cases: Vec::new(), has_default: false };
        self.change_nesting(|f| {
            f.breakable += 1;
            f.switches.push(switch);
        });
        let body = self.body(body);
        self.change_nesting(|f| {
            f.breakable -= 1;
            f.switches.pop();
        });
        out.push(Stmt::Switch(operand, body?));
        Ok(())
    }

    /// `({ ...; e; })`
    pub(super) fn statement_expression(&mut self, node: &Node<Statement>, span: Span) -> Checked<Expr> {
        let Statement::Compound(items) = &node.node else {
            return Err(Problem::new(span, "expected a block"));
        };
        if self.function.is_none() {
            return Err(Problem::new(span, "a statement expression outside of a function"));
        }
        let mut statements = Vec::new();
        let value = self.in_scope(|c| {
            let last = items.split_last().and_then(|(last, before)| match &last.node {
                BlockItem::Statement(statement) => last_value(statement).map(|(labels, e)| (labels, e, before)),
                _ => None,
            });
            let problems = c.problems.len();
            let value = match last {
                Some((labels, value, before)) if !is_assembly(value) => {
                    c.block_items(before, &mut statements);
                    for label in labels {
                        c.label_at(label, &mut statements)?;
                    }
                    Some(c.rvalue(value)?)
                }
                _ => {
                    c.block_items(items, &mut statements);
                    None
                }
            };
            if c.problems.len() > problems { Err(Problem::consequence()) } else { Ok(value) }
        })?;
        let ty = value.as_ref().map_or(self.basic.void, |v| v.ty);
        Ok(Expr { kind: ExprKind::Statements(statements, value.map(Box::new)), ty, span })
    }
}

/// Whether a statement is assembler text.
fn is_assembly(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Identifier(name) => name.node.name == ASSEMBLY,
        Expression::Comma(list) => begins_with(list, OUTPUTS) || is_tied(list),
        _ => false,
    }
}

/// Whether an assembler statement gives its output the value of its input.
fn is_tied(operands: &[Node<Expression>]) -> bool {
    begins_with(operands, TIED)
}

fn begins_with(list: &[Node<Expression>], mark: &str) -> bool {
    matches!(list.first().map(|first| &first.node), Some(Expression::Identifier(name)) if name.node.name == mark)
}

/// The expression that a statement is, behind its labels.
fn last_value(statement: &Node<Statement>) -> Option<(Vec<&LabeledStatement>, &Node<Expression>)> {
    let (mut labels, mut statement) = (Vec::new(), statement);
    while let Statement::Labeled(labeled) = &statement.node {
        labels.push(&labeled.node);
        statement = &labeled.node.statement;
    }
    match &statement.node {
        Statement::Expression(Some(value)) => Some((labels, value)),
        _ => None,
    }
}

/// Where a case stands to another one; equal if they share a value.
fn overlap(case: (i128, i128), other: (i128, i128)) -> std::cmp::Ordering {
    if case.1 < other.0 {
        std::cmp::Ordering::Less
    } else if case.0 > other.1 {
        std::cmp::Ordering::Greater
    } else {
        std::cmp::Ordering::Equal
    }
}
