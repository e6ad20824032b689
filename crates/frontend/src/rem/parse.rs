//! Declarations and statements of Remopla. What cannot be read is reported and skipped up to its `;`.

use clinch_ir::Span;

use super::ast::{Alternative, AssignDecl, BaseType, ModuleDecl, Stmt, StmtKind, StructDecl, Text, ValueExpr, VarDecl};
use crate::diagnostic::Problem;
use crate::expr::{ExprKind, Name};
use crate::parser::Parser;

type Result<T> = std::result::Result<T, Problem>;

/// Most `if` and `do` inside each other: reading and translating them is recursive.
pub(super) const MAX_NESTING: u32 = 100;

/// A whole text.
pub(super) fn text<'s>(p: &mut Parser<'s>) -> Text<'s> {
    let mut text = Text::default();
    p.items(|p| item(p, &mut text));
    text
}

fn item<'s>(p: &mut Parser<'s>, text: &mut Text<'s>) -> Result<()> {
    if p.eat("define") {
        let name = p.name("the constant's name")?;
        text.constants.push((name, p.expression()?));
        p.eat(";");
    } else if p.eat("init") {
        let name = p.name("a module")?;
        p.expect(";")?;
        if text.init.replace(name).is_some() {
            p.report(Problem::new(name.span, "there is more than one initial module"));
        }
    } else if p.eat("module") {
        module(p, text)?;
    } else if p.at("struct") {
        struct_item(p, text)?;
    } else if starts_declaration(p) {
        let base = base_type(p)?;
        declarators(p, base, &mut text.globals)?;
    } else {
        return Err(p.unexpected("a declaration, `define`, `struct`, `module` or `init`"));
    }
    Ok(())
}

fn starts_type(p: &Parser<'_>) -> bool {
    ["int", "bool", "void", "struct"].into_iter().any(|word| p.at(word))
}

/// A type, or a name before another one; `A` is a quantifier there.
fn starts_declaration(p: &Parser<'_>) -> bool {
    starts_type(p) || p.at_name() && p.next_is_name() && !p.at("A")
}

/// `struct name { ... };`, or variables of such a type.
fn struct_item<'s>(p: &mut Parser<'s>, text: &mut Text<'s>) -> Result<()> {
    p.expect("struct")?;
    let name = p.name("the struct's name")?;
    if !p.eat("{") {
        return declarators(p, BaseType::Struct(name), &mut text.globals);
    }
    let mut members = Vec::new();
    while !p.eat("}") {
        let base = base_type(p)?;
        declarators(p, base, &mut members)?;
    }
    p.eat(";");
    text.structs.push(StructDecl { name, members });
    Ok(())
}

fn base_type<'s>(p: &mut Parser<'s>) -> Result<BaseType<'s>> {
    let span = p.span();
    if p.eat("void") {
        return Ok(BaseType::Void(span));
    }
    if p.eat("bool") {
        return Ok(BaseType::Bool);
    }
    if p.eat("int") {
        return Ok(BaseType::Int(bits(p)?));
    }
    p.eat("struct");
    Ok(BaseType::Struct(p.name("a type")?))
}

/// `(n)`.
fn bits(p: &mut Parser<'_>) -> Result<Option<crate::expr::ExprId>> {
    if !p.eat("(") {
        return Ok(None);
    }
    let bits = p.expression()?;
    p.expect(")")?;
    Ok(Some(bits))
}

fn declarators<'s>(p: &mut Parser<'s>, base: BaseType<'s>, vars: &mut Vec<VarDecl<'s>>) -> Result<()> {
    vars.extend(p.list(|p| {
        let mut var = declarator(p, base)?;
        var.init = if p.eat("=") { Some(value(p)?) } else { None };
        Ok(var)
    })?);
    p.expect(";")
}

fn declarator<'s>(p: &mut Parser<'s>, base: BaseType<'s>) -> Result<VarDecl<'s>> {
    let name = p.name("the variable's name")?;
    let mut lens = Vec::new();
    while p.eat("[") {
        lens.push(p.expression()?);
        p.expect("]")?;
    }
    Ok(VarDecl { base, name, lens, bits: bits(p)?, init: None })
}

/// `type name(params)`, and the body or a `;`.
fn module<'s>(p: &mut Parser<'s>, text: &mut Text<'s>) -> Result<()> {
    let result = base_type(p)?;
    let name = p.name("the module's name")?;
    p.expect("(")?;
    let mut params = Vec::new();
    if !p.eat(")") {
        params = p.list(|p| {
            let base = base_type(p)?;
            declarator(p, base)
        })?;
        p.expect(")")?;
    }
    let (vars, body) = (Vec::new(), Vec::new());
    let mut module = ModuleDecl { name, result, params, vars, body, end: name.span };
    if p.eat(";") {
        text.prototypes.push(module);
        return Ok(());
    }
    p.expect("{")?;
    while starts_declaration(p) {
        let declared = base_type(p).and_then(|base| declarators(p, base, &mut module.vars));
        if let Err(problem) = declared {
            p.report(problem);
            p.recover();
        }
    }
    let read = module_body(p, &mut module, "}", |p, list| list.extend(Statements { p, depth: 0 }.list()));
    text.modules.push(module);
    read
}

/// The statements of a module, up to what closes it.
pub(super) fn module_body<'s>(
    p: &mut Parser<'s>,
    module: &mut ModuleDecl<'s>,
    end: &str,
    mut statements: impl FnMut(&mut Parser<'s>, &mut Vec<Stmt<'s>>),
) -> Result<()> {
    let known = p.problems.len();
    let wanted = format!("a statement or `{end}`");
    loop {
        statements(p, &mut module.body);
        module.end = p.span();
        if p.at(end) || p.at_end() {
            break;
        }
        // What is left of a statement that could not be read is no news.
        if p.problems.len() == known {
            p.report(p.unexpected(&wanted));
        }
        p.advance();
    }
    if p.eat(end) || p.problems.len() > known { Ok(()) } else { Err(p.unexpected(&wanted)) }
}

/// The labels before a statement.
pub(super) fn labels<'s>(p: &mut Parser<'s>) -> Result<Vec<Name<'s>>> {
    let mut labels = Vec::new();
    while p.next_is(":") {
        labels.push(p.name("a label")?);
        p.expect(":")?;
    }
    Ok(labels)
}

/// The problem that statements are inside of too many others.
pub(super) fn too_deep(span: Span) -> Problem {
    Problem::new(span, format!("statements are nested deeper than {MAX_NESTING}"))
}

struct Statements<'a, 's> {
    p: &'a mut Parser<'s>,
    depth: u32,
}

impl<'s> Statements<'_, 's> {
    /// Statements up to something that closes them.
    fn list(&mut self) -> Vec<Stmt<'s>> {
        let mut list = Vec::new();
        while !self.p.at_end() && !["}", "::", "fi", "od"].into_iter().any(|end| self.p.at(end)) {
            match self.statement() {
                Ok(statement) => list.push(statement),
                Err(problem) => {
                    self.p.report(problem);
                    self.p.recover();
                }
            }
        }
        list
    }

    fn statement(&mut self) -> Result<Stmt<'s>> {
        let start = self.p.span();
        let labels = labels(self.p)?;
        if ["}", "::", "fi", "od"].into_iter().any(|end| self.p.at(end)) {
            return Ok(Stmt { labels, kind: StmtKind::Skip, span: start });
        }
        let start = self.p.span();
        let kind = self.kind()?;
        let span = match kind {
            StmtKind::If(_) | StmtKind::Do(_) => start,
            _ => self.p.since(start),
        };
        match kind {
            StmtKind::If(_) | StmtKind::Do(_) => drop(self.p.eat(";")),
            _ => self.p.expect(";")?,
        }
        Ok(Stmt { labels, kind, span })
    }

    fn kind(&mut self) -> Result<StmtKind<'s>> {
        let p = &mut *self.p;
        if p.at(";") || p.eat("skip") {
            return Ok(StmtKind::Skip);
        }
        if p.eat("break") {
            return Ok(StmtKind::Break);
        }
        if p.eat("goto") {
            return Ok(StmtKind::Goto(p.name("a label")?));
        }
        if p.eat("return") {
            return Ok(StmtKind::Return(if p.at(";") { None } else { Some(value(p)?) }));
        }
        if p.eat("assert") {
            return Ok(StmtKind::Assert(p.expression()?));
        }
        if p.eat("if") {
            return Ok(StmtKind::If(self.alternatives("fi")?));
        }
        if p.eat("do") {
            return Ok(StmtKind::Do(self.alternatives("od")?));
        }
        if p.at_name() && p.next_is("(") {
            let (callee, args) = call(p, "a module", value)?;
            return Ok(StmtKind::Call { target: None, callee, args });
        }
        if starts_declaration(p) {
            return Err(p.unexpected("a statement").help("variables are declared at the beginning of their module"));
        }
        assignments(p)
    }

    fn alternatives(&mut self, end: &str) -> Result<Vec<Alternative<'s>>> {
        if self.depth >= MAX_NESTING {
            return Err(too_deep(self.p.span()).help("move some of them to a module of their own"));
        }
        self.depth += 1;
        let alternatives = self.alternatives_before(end);
        self.depth -= 1;
        let alternatives = alternatives?;
        self.p.expect(end)?;
        Ok(alternatives)
    }

    fn alternatives_before(&mut self, end: &str) -> Result<Vec<Alternative<'s>>> {
        let mut alternatives = Vec::new();
        while !self.p.at(end) {
            if !self.p.eat("::") {
                return Err(self.p.unexpected(&format!("`::` or `{end}`")));
            }
            let start = self.p.span();
            let guard = if self.p.eat("else") { None } else { Some(self.p.expression()?) };
            let span = self.p.since(start);
            self.p.expect("->")?;
            alternatives.push(Alternative { guard, span, body: self.list() });
        }
        if alternatives.is_empty() { Err(self.p.unexpected("`::`")) } else { Ok(alternatives) }
    }
}

/// `x = e, y = f`, or `x = m(e)`.
fn assignments<'s>(p: &mut Parser<'s>) -> Result<StmtKind<'s>> {
    let mut assigns = Vec::new();
    loop {
        let mut binders = Vec::new();
        while p.at("A") && p.next_is_name() {
            binders.push(p.bounded_name()?);
        }
        let target = target(p)?;
        if p.at(":") || p.at("==") {
            return Err(p.unexpected("`=`").help("assignment is written `=`"));
        }
        p.expect("=")?;
        if p.at_name() && p.next_is("(") {
            let (callee, args) = call(p, "a module", value)?;
            if !assigns.is_empty() || !binders.is_empty() || p.at(",") {
                return Err(Problem::new(callee.span, "a call stands alone: `x = m(e);`")
                    .help("take the result first, then assign it together with the rest"));
            }
            return Ok(StmtKind::Call { target: Some(target), callee, args });
        }
        assigns.push(AssignDecl { binders, target, value: value(p)? });
        if !p.eat(",") {
            return Ok(StmtKind::Assign(assigns));
        }
    }
}

/// A variable, an element or a member.
fn target(p: &mut Parser<'_>) -> Result<crate::expr::ExprId> {
    if !p.at_name() {
        return Err(p.unexpected("a statement"));
    }
    let path = p.path()?;
    debug_assert!(matches!(p.exprs.kind(path), ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..)));
    Ok(path)
}

/// The name of what is called, and the values handed over.
pub(super) fn call<'s>(
    p: &mut Parser<'s>,
    what: &str,
    value: impl FnMut(&mut Parser<'s>) -> Result<ValueExpr>,
) -> Result<(Name<'s>, Vec<ValueExpr>)> {
    let callee = p.name(what)?;
    p.expect("(")?;
    let mut args = Vec::new();
    if !p.eat(")") {
        args = p.list(value)?;
        p.expect(")")?;
    }
    Ok((callee, args))
}

fn value(p: &mut Parser<'_>) -> Result<ValueExpr> {
    let start = p.span();
    if p.eat("undef") {
        return Ok(ValueExpr::Any(start));
    }
    if p.eat("{") {
        let lo = p.expression()?;
        p.expect("..")?;
        let hi = p.expression()?;
        p.expect("}")?;
        return Ok(ValueExpr::Between(lo, hi, p.since(start)));
    }
    Ok(ValueExpr::Expr(p.expression()?))
}
