//! Boolean programs, as SLAM's Bebop reads them, in the shape of a Remopla text. The language is described in `docs/bp.md`.
//!
//! A procedure with several results returns the first one, and the others in globals that its callers read at once.

use clinch_ir::Span;

use super::ast::{Alternative, AssignDecl, BaseType, ModuleDecl, Stmt, StmtKind, Text, ValueExpr, VarDecl};
use super::parse::{MAX_NESTING, call, labels, module_body, too_deep};
use crate::diagnostic::Problem;
use crate::expr::{ExprId, ExprKind, Name};
use crate::parser::Parser;

type Result<T> = std::result::Result<T, Problem>;

/// Where results after the first go. No name of a text contains `$`.
const RESULTS: [&str; 15] = [
    "$result1",
    "$result2",
    "$result3",
    "$result4",
    "$result5",
    "$result6",
    "$result7",
    "$result8",
    "$result9",
    "$result10",
    "$result11",
    "$result12",
    "$result13",
    "$result14",
    "$result15",
];

/// What ends a list of statements.
const ENDS: [&str; 5] = ["end", "fi", "od", "else", "elsif"];

/// A whole text.
pub(super) fn text<'s>(p: &mut Parser<'s>) -> Text<'s> {
    let mut text = Text::default();
    let (mut results, mut calls) = (Vec::new(), Vec::new());
    p.items(|p| item(p, &mut text, &mut results, &mut calls));
    for (callee, wanted) in calls {
        match results.iter().find(|(name, _)| *name == callee.text) {
            Some((_, given)) if *given != wanted => {
                let text = format!("`{}` has {given} results, {wanted} are taken", callee.text);
                p.report(Problem::new(callee.span, text));
            }
            _ => {}
        }
    }
    let most = results.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let result = |&text| variable(Name { text, span: Span::default() });
    text.globals.extend(RESULTS.iter().take(most.saturating_sub(1)).map(result));
    text
}

/// A procedure that is called, and how many of its results are taken.
type Taken<'s> = (Name<'s>, usize);

fn variable(name: Name<'_>) -> VarDecl<'_> {
    VarDecl { base: BaseType::Bool, name, lens: Vec::new(), bits: None, init: None }
}

fn item<'s>(
    p: &mut Parser<'s>,
    text: &mut Text<'s>,
    results: &mut Vec<(&'s str, usize)>,
    calls: &mut Vec<Taken<'s>>,
) -> Result<()> {
    if p.at("decl") {
        return declaration(p, &mut text.globals);
    }
    let start = p.span();
    let count = result_count(p)?;
    let name = p.name("the procedure's name")?;
    results.push((name.text, count));
    p.expect("(")?;
    let mut params = Vec::new();
    if !p.eat(")") {
        params = p.list(|p| p.name("a parameter").map(variable))?;
        p.expect(")")?;
    }
    let result = if count == 0 { BaseType::Void(start) } else { BaseType::Bool };
    let mut module = ModuleDecl { name, result, params, vars: Vec::new(), body: Vec::new(), end: start };
    p.expect("begin")?;
    while p.at("decl") {
        declaration(p, &mut module.vars)?;
    }
    let read =
        module_body(p, &mut module, "end", |p, list| Statements { p, depth: 0, results: count, calls }.list(list));
    text.modules.push(module);
    read?;
    p.eat(";");
    Ok(())
}

/// `void`, `bool` or `bool<n>`.
fn result_count(p: &mut Parser<'_>) -> Result<usize> {
    if p.eat("void") {
        return Ok(0);
    }
    if !p.eat("bool") {
        return Err(p.unexpected("`decl`, `void` or `bool`"));
    }
    if !p.eat("<") {
        return Ok(1);
    }
    let span = p.span();
    let number = p.expression()?;
    let most = RESULTS.len() + 1;
    let count = match p.exprs.kind(number) {
        ExprKind::Number(n) => usize::try_from(*n).ok().filter(|n| (1..=most).contains(n)),
        _ => None,
    };
    let count = count.ok_or_else(|| Problem::new(span, format!("a procedure has between 1 and {most} results")))?;
    p.expect(">")?;
    Ok(count)
}

fn declaration<'s>(p: &mut Parser<'s>, vars: &mut Vec<VarDecl<'s>>) -> Result<()> {
    p.expect("decl")?;
    vars.extend(p.list(|p| p.name("the variable's name").map(variable))?);
    p.expect(";")
}

struct Statements<'a, 's> {
    p: &'a mut Parser<'s>,
    depth: u32,
    /// How many values `return` takes.
    results: usize,
    calls: &'a mut Vec<Taken<'s>>,
}

impl<'s> Statements<'_, 's> {
    /// Statements up to something that closes them.
    fn list(&mut self, list: &mut Vec<Stmt<'s>>) {
        while !self.p.at_end() && !ENDS.into_iter().any(|end| self.p.at(end)) {
            if let Err(problem) = self.statement(list) {
                self.p.report(problem);
                self.p.recover();
                self.p.eat("}");
            }
        }
    }

    fn inner(&mut self) -> Result<Vec<Stmt<'s>>> {
        if self.depth >= MAX_NESTING {
            return Err(too_deep(self.p.span()));
        }
        let mut list = Vec::new();
        self.depth += 1;
        self.list(&mut list);
        self.depth -= 1;
        Ok(list)
    }

    fn statement(&mut self, list: &mut Vec<Stmt<'s>>) -> Result<()> {
        let start = self.p.span();
        let labels = labels(self.p)?;
        if !labels.is_empty() {
            list.push(Stmt { labels, kind: StmtKind::Skip, span: start });
        }
        let start = self.p.span();
        if ENDS.into_iter().any(|end| self.p.at(end)) {
            return Ok(());
        }
        if self.p.at("if") || self.p.at("while") {
            let kind = if self.p.eat("if") { self.choice()? } else { self.repetition()? };
            list.push(Stmt { labels: Vec::new(), kind, span: start });
            self.p.eat(";");
            return Ok(());
        }
        let kinds = self.simple()?;
        let span = self.p.since(start);
        self.p.expect(";")?;
        list.extend(kinds.into_iter().map(|kind| Stmt { labels: Vec::new(), kind, span }));
        Ok(())
    }

    fn simple(&mut self) -> Result<Vec<StmtKind<'s>>> {
        let p = &mut *self.p;
        let start = p.span();
        if p.at(";") || p.eat("skip") {
            return Ok(Vec::new());
        }
        if p.eat("goto") {
            let targets = p.list(|p| p.name("a label"))?;
            return Ok(vec![one_of(p, targets)]);
        }
        if p.eat("assert") {
            return Ok(vec![StmtKind::Assert(p.expression()?)]);
        }
        if p.eat("assume") {
            let guard = Some(p.expression()?);
            return Ok(vec![StmtKind::If(vec![Alternative { guard, span: p.since(start), body: Vec::new() }])]);
        }
        if p.eat("return") {
            let values = if p.at(";") { Vec::new() } else { p.list(Parser::expression)? };
            return self.give_back(&values, start);
        }
        if p.at_name() && p.next_is("(") {
            let (callee, args) = call(p, "a procedure", argument)?;
            return Ok(vec![StmtKind::Call { target: None, callee, args }]);
        }
        assignment(p, self.calls)
    }

    /// The results after the first go to their globals.
    fn give_back(&mut self, values: &[ExprId], start: Span) -> Result<Vec<StmtKind<'s>>> {
        if values.len() != self.results {
            let text = format!("{} values are returned, {} are declared", values.len(), self.results);
            return Err(Problem::new(self.p.since(start), text));
        }
        let first = values.first().map(|&value| value_of(self.p, value));
        let mut kinds = Vec::new();
        if values.len() > 1 {
            let mut assigns = Vec::new();
            for (&value, name) in values[1..].iter().zip(RESULTS) {
                let target = self.p.exprs.add(ExprKind::Name(name), self.p.exprs.span(value), 1);
                assigns.push(AssignDecl { binders: Vec::new(), target, value: value_of(self.p, value) });
            }
            kinds.push(StmtKind::Assign(assigns));
        }
        kinds.push(StmtKind::Return(first));
        Ok(kinds)
    }

    /// `if (e) then ... elsif (e) then ... else ... fi`.
    fn choice(&mut self) -> Result<StmtKind<'s>> {
        let start = self.p.span();
        let guard = self.p.expression()?;
        let span = self.p.since(start);
        self.p.expect("then")?;
        let body = self.inner()?;
        let start = self.p.span();
        let otherwise = if self.p.eat("elsif") {
            self.depth += 1;
            if self.depth > MAX_NESTING {
                return Err(too_deep(start));
            }
            let kind = self.choice();
            self.depth -= 1;
            vec![Stmt { labels: Vec::new(), kind: kind?, span: start }]
        } else {
            let body = if self.p.eat("else") { self.inner()? } else { Vec::new() };
            self.p.expect("fi")?;
            body
        };
        let second = Alternative { guard: None, span: start, body: otherwise };
        Ok(StmtKind::If(vec![Alternative { guard: Some(guard), span, body }, second]))
    }

    /// `while (e) do ... od`.
    fn repetition(&mut self) -> Result<StmtKind<'s>> {
        self.p.expect("while")?;
        let start = self.p.span();
        let guard = Some(self.p.expression()?);
        let span = self.p.since(start);
        self.p.expect("do")?;
        let body = self.inner()?;
        let end = self.p.span();
        self.p.expect("od")?;
        let leave = vec![Stmt { labels: Vec::new(), kind: StmtKind::Break, span: end }];
        let second = Alternative { guard: None, span: end, body: leave };
        Ok(StmtKind::Do(vec![Alternative { guard, span, body }, second]))
    }
}

/// `goto a, b`: any of them.
fn one_of<'s>(p: &mut Parser<'s>, mut targets: Vec<Name<'s>>) -> StmtKind<'s> {
    if targets.len() == 1
        && let Some(target) = targets.pop()
    {
        return StmtKind::Goto(target);
    }
    let alternative = |target: Name<'s>| {
        let jump = Stmt { labels: Vec::new(), kind: StmtKind::Goto(target), span: target.span };
        Alternative { guard: Some(p.truth(target.span)), span: target.span, body: vec![jump] }
    };
    StmtKind::If(targets.into_iter().map(alternative).collect())
}

/// A value that is handed over.
fn argument(p: &mut Parser<'_>) -> Result<ValueExpr> {
    let id = p.expression()?;
    Ok(value_of(p, id))
}

/// `x, y := e, f`, or `x, y := m(e)`; `_` is a result that nobody wants.
fn assignment<'s>(p: &mut Parser<'s>, calls: &mut Vec<Taken<'s>>) -> Result<Vec<StmtKind<'s>>> {
    let start = p.span();
    if !p.at_name() {
        return Err(p.unexpected("a statement"));
    }
    let targets = p.list(|p| p.name("a variable"))?;
    if p.at("=") {
        return Err(p.unexpected("`:=`").help("assignment is written `:=`"));
    }
    p.expect(":=")?;
    let mut places = Vec::new();
    for target in &targets {
        places.push(p.exprs.add(ExprKind::Name(target.text), target.span, 1));
    }
    if p.at_name() && p.next_is("(") {
        let (callee, args) = call(p, "a procedure", argument)?;
        calls.push((callee, targets.len()));
        return results_of(p, (callee, args), &targets, &places);
    }
    let values = p.list(Parser::expression)?;
    if values.len() != places.len() {
        let text = format!("{} values are assigned to {} variables", values.len(), places.len());
        return Err(Problem::new(p.since(start), text));
    }
    let assign = |(target, value)| AssignDecl { binders: Vec::new(), target, value: value_of(p, value) };
    Ok(vec![StmtKind::Assign(places.into_iter().zip(values).map(assign).collect())])
}

fn results_of<'s>(
    p: &mut Parser<'s>,
    (callee, args): (Name<'s>, Vec<ValueExpr>),
    targets: &[Name<'s>],
    places: &[ExprId],
) -> Result<Vec<StmtKind<'s>>> {
    if places.len() > RESULTS.len() + 1 {
        return Err(Problem::new(callee.span, format!("a procedure has at most {} results", RESULTS.len() + 1)));
    }
    let wanted = |i: usize| targets[i].text != "_";
    let target = places.first().copied().filter(|_| wanted(0));
    let mut assigns = Vec::new();
    for i in (1..places.len()).filter(|&i| wanted(i)) {
        let value = ValueExpr::Expr(p.exprs.add(ExprKind::Name(RESULTS[i - 1]), targets[i].span, 1));
        assigns.push(AssignDecl { binders: Vec::new(), target: places[i], value });
    }
    let mut kinds = vec![StmtKind::Call { target, callee, args }];
    if !assigns.is_empty() {
        kinds.push(StmtKind::Assign(assigns));
    }
    Ok(kinds)
}

/// A value; a `*` that stands alone goes directly to its variable.
fn value_of(p: &Parser<'_>, id: ExprId) -> ValueExpr {
    match p.exprs.kind(id) {
        ExprKind::Any => ValueExpr::Any(p.exprs.span(id)),
        _ => ValueExpr::Expr(id),
    }
}
