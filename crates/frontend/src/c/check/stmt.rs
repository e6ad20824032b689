//! Statements and local declarations.

use clinch_ir::Span;
use lang_c::ast::{
    BinaryOperator, BlockItem, Declaration, Expression, ForInitializer, ForStatement, InitDeclarator, Initializer,
    Label, LabeledStatement, Statement,
};
use lang_c::span::Node;

use super::declarator::Declared;
use super::define::Switch;
use super::expr::Operand;
use super::link::Linkage;
use super::literal::unsupported;
use super::scope::Symbol;
use super::specifier::Specified;
use super::{Checked, Checker};
use crate::c::hir::{Call, Callee, Expr, ExprKind, Init, InitItem, Stmt, Storage, VariableId};
use crate::c::parse::{ASSEMBLY, COMPUTED_GOTO};
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
                Some((labels, value, before))
                    if !matches!(&value.node, Expression::Identifier(n) if n.node.name == ASSEMBLY) =>
                {
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

    pub(super) fn local_declaration(&mut self, declaration: &Declaration, out: &mut Vec<Stmt>) -> Checked<()> {
        let span = self.declaration_span(declaration);
        let mut specified = match self.specifiers(&declaration.specifiers, span) {
            Ok(specified) => specified,
            Err(problem) => {
                self.poison(declaration);
                return Err(problem);
            }
        };
        if let Some(length) = self.length_of_type.take() {
            specified.length = self.hidden_length("the type", length, out);
        }
        for node in &declaration.declarators {
            let result = self.local_declarator(&specified, node, out);
            if result.is_err() {
                self.poison_declarator(node);
            }
            self.report(result);
        }
        Ok(())
    }

    fn local_declarator(
        &mut self,
        specified: &Specified,
        node: &Node<InitDeclarator>,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let mut declared = self.declarator(specified.ty, &node.node.declarator)?;
        out.extend(declared.evaluated.drain(..).map(Stmt::Expr));
        let runtime_length = self.runtime_length(specified, &mut declared)?;
        let attributes = specified.attributes.clone().and(&declared.attributes);
        let ty = self.with_attributes(declared.ty, &attributes);
        let (name, span) =
            declared.name.ok_or_else(|| Problem::new(self.at(node.span), "a declaration without a name"))?;
        let initializer = node.node.initializer.as_ref();
        if specified.is_typedef {
            let length = runtime_length.and_then(|length| self.hidden_length(&name, length, out));
            return self.declare_typedef(&name, ty, &attributes, length, span);
        }
        let cleanup = attributes.cleanup.clone();
        let linkage = Linkage { is_static: false, attributes };
        if let Type::Function { .. } = self.hir.types.get(ty) {
            return self.declare_function(&name, ty, &linkage, span).map(|_| ());
        }
        if specified.is_extern {
            return self.declare_global(&name, ty, &linkage, true, span).map(|_| ());
        }
        let ty = match initializer {
            Some(initializer) if specified.inferred => self.inferred_type(initializer)?,
            _ => ty,
        };
        let ty = match &linkage.attributes.unknown {
            Some(what) => self.opaque_type(ty, &format!("attribute `{what}`")),
            None => ty,
        };
        let storage = match &self.function {
            Some(function) if !specified.is_static => Storage::Local(function.id),
            _ => Storage::Static,
        };
        let id = self.new_variable(name.clone(), ty, storage, span);
        self.hir.variables[id.0 as usize].align = linkage.attributes.align;
        if let Some(what) = self.hir.types.opaque(ty).filter(|_| initializer.is_some()).map(str::to_owned) {
            self.declare_new(&name, Symbol::Variable(id), span)?;
            out.push(Stmt::Unsupported(what, span));
            out.push(Stmt::Declare(id, None, span));
            return Ok(());
        }
        if storage == Storage::Static {
            self.declare_new(&name, Symbol::Variable(id), span)?;
            return self.static_local(id, ty, initializer);
        }
        if let Some(length) = runtime_length {
            return self.runtime_array(id, &name, length, initializer, out);
        }
        self.declare_new(&name, Symbol::Variable(id), span)?;
        let init = match initializer {
            Some(initializer) => {
                let (ty, init) = self.initializer(ty, initializer)?;
                self.hir.variables[id.0 as usize].ty = ty;
                Some(init)
            }
            None => None,
        };
        self.check_complete(id)?;
        out.push(Stmt::Declare(id, init, span));
        match cleanup {
            Some(function) => self.cleanup(id, &function, span, out),
            None => Ok(()),
        }
    }

    /// `__attribute__((cleanup(f)))`: `f(&x)` is called when the block ends.
    fn cleanup(&mut self, id: VariableId, function: &str, span: Span, out: &mut Vec<Stmt>) -> Checked<()> {
        let Some(Symbol::Function(function)) = self.lookup(function) else {
            return Err(Problem::new(span, format!("`{function}` is not a function")));
        };
        let place = self.variable_place(id, span);
        let pointer = self.pointer_to(place.ty);
        let mut argument = self.address(place, pointer);
        let Type::Function { result, parameters, .. } =
            self.hir.types.get(self.hir.functions[function.0 as usize].ty).clone()
        else {
            return Err(Problem::consequence());
        };
        if let Some(&parameter) = parameters.first() {
            argument = self.convert_assigned(argument, parameter, span)?;
        }
        let call = Call { callee: Callee::Direct(function), args: vec![argument] };
        let call = Expr { kind: ExprKind::Call(Box::new(call)), ty: result, span };
        out.push(Stmt::Cleanup(self.hir.cleanups.len(), span));
        self.hir.cleanups.push(call);
        Ok(())
    }

    fn check_complete(&self, id: VariableId) -> Checked<()> {
        let variable = &self.hir.variables[id.0 as usize];
        if self.hir.types.size(variable.ty).is_some() {
            return Ok(());
        }
        let (name, ty) = (&variable.name, self.name_of(variable.ty));
        Err(Problem::new(variable.span, format!("`{name}` has the incomplete type `{ty}`")))
    }

    fn static_local(&mut self, id: VariableId, ty: TypeId, initializer: Option<&Node<Initializer>>) -> Checked<()> {
        if let Some(initializer) = initializer {
            let (ty, init) = self.static_initializer(ty, initializer)?;
            let variable = &mut self.hir.variables[id.0 as usize];
            (variable.ty, variable.init) = (ty, Some(init));
        }
        self.check_complete(id)
    }

    /// `__auto_type x = e`
    pub(super) fn inferred_type(&mut self, node: &Node<Initializer>) -> Checked<TypeId> {
        let span = self.at(node.span);
        let Initializer::Expression(expression) = &node.node else {
            return Err(Problem::new(span, "`__auto_type` needs a value"));
        };
        self.unevaluated += 1;
        let value = self.rvalue(expression);
        self.unevaluated -= 1;
        Ok(value?.ty)
    }

    /// The number of elements of an array, if it is known at run time only: from the declarator, or from the type.
    fn runtime_length(&mut self, specified: &Specified, declared: &mut Declared) -> Checked<Option<Expr>> {
        let length = declared.runtime_length.take();
        let Some(id) = specified.length.filter(|_| length.is_none() && self.hir.types.size(declared.ty).is_none())
        else {
            return Ok(length);
        };
        let span = self.hir.variables[id.0 as usize].span;
        if declared.ty != specified.ty {
            return Ok(Some(unsupported("an array of arrays of run-time length", self.basic.size, span)));
        }
        self.value(Operand::Place(self.variable_place(id, span))).map(Some)
    }

    /// A hidden variable that holds a length.
    fn hidden_length(&mut self, name: &str, length: Expr, out: &mut Vec<Stmt>) -> Option<VariableId> {
        let storage = Storage::Local(self.function.as_ref()?.id);
        let (size, span) = (self.basic.size, length.span);
        let hidden = self.new_variable(format!("length of {name}"), size, storage, span);
        let value = self.convert(length, size);
        let item = InitItem { offset: 0, ty: size, bits: None, value };
        out.push(Stmt::Declare(hidden, Some(Init { zero_fill: false, items: vec![item] }), span));
        Some(hidden)
    }

    /// An array whose length is computed: a hidden variable keeps the length, for `sizeof`.
    fn runtime_array(
        &mut self,
        id: VariableId,
        name: &str,
        length: Expr,
        initializer: Option<&Node<Initializer>>,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let variable = &self.hir.variables[id.0 as usize];
        let (ty, span) = (variable.ty, variable.span);
        self.declare_new(name, Symbol::Variable(id), span)?;
        if initializer.is_some() {
            return Err(Problem::new(span, format!("`{name}` has a run-time length and cannot be initialised")));
        }
        let element = match *self.hir.types.get(ty) {
            Type::Array(element, None) => self.hir.types.size(element),
            _ => None,
        };
        if element.is_none() {
            out.push(Stmt::Unsupported("an array of arrays of run-time length".to_owned(), span));
        }
        let size = self.basic.size;
        let Some(hidden) = self.hidden_length(name, length, out) else { return Err(Problem::consequence()) };
        let place = self.variable_place(hidden, span);
        let length = match element {
            Some(_) => self.value(Operand::Place(place))?,
            None => unsupported("an array of arrays of run-time length", size, span),
        };
        self.hir.variables[id.0 as usize].runtime_length = Some(length);
        self.runtime_lengths.insert(id, hidden);
        out.push(Stmt::Declare(id, None, span));
        Ok(())
    }
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
