//! Statements of GCL. A statement that cannot be read is reported and skipped up to its `;`.

use clinch_ir::Span;

use super::ast::{Action, AssignDecl, Command, Edge, InitExpr, Item, Model, ProcessDecl, TypeExpr, VarDecl};
use crate::diagnostic::Problem;
use crate::expr::{ExprKind, Name};
use crate::parser::Parser;

type Result<T> = std::result::Result<T, Problem>;

/// A whole text.
pub(super) fn model<'s>(p: &mut Parser<'s>) -> Model<'s> {
    let mut model = Model::default();
    p.items(|p| statement(p, &mut model));
    model
}

fn statement<'s>(p: &mut Parser<'s>, model: &mut Model<'s>) -> Result<()> {
    let start = p.span();
    if p.eat("const") {
        model.items.push(constant(p)?);
    } else if p.eat("enum") {
        model.items.push(enumeration(p)?);
    } else if p.eat("var") {
        model.items.push(Item::Vars(variables(p)?));
    } else if p.eat("process") {
        model.items.push(Item::Process(process(p)?));
    } else if p.eat("command") {
        model.items.push(Item::Command(command(p, start)?));
    } else if p.eat("error") {
        let condition = p.expression()?;
        p.expect(";")?;
        if model.error.replace(condition).is_some() {
            p.report(Problem::new(start, "there is more than one error condition").help("join them with `or`"));
        }
    } else if p.eat("predicates") {
        model.predicates.extend(p.list(Parser::expression)?);
        p.expect(";")?;
    } else {
        return Err(p.unexpected("a declaration, process, command or property"));
    }
    Ok(())
}

fn constant<'s>(p: &mut Parser<'s>) -> Result<Item<'s>> {
    let name = p.name("the constant's name")?;
    p.expect("=")?;
    let value = p.expression()?;
    p.expect(";")?;
    Ok(Item::Constant(name, value))
}

fn enumeration<'s>(p: &mut Parser<'s>) -> Result<Item<'s>> {
    let name = p.name("the type's name")?;
    p.expect("{")?;
    let values = p.list(|p| p.name("a value's name"))?;
    p.expect("}")?;
    p.eat(";");
    Ok(Item::Enum(name, values))
}

fn variables<'s>(p: &mut Parser<'s>) -> Result<Vec<VarDecl<'s>>> {
    let vars = p.list(variable)?;
    p.expect(";")?;
    Ok(vars)
}

fn variable<'s>(p: &mut Parser<'s>) -> Result<VarDecl<'s>> {
    let name = p.name("the variable's name")?;
    p.expect(":")?;
    let ty = type_expr(p)?;
    let mut len = None;
    if p.eat("[") {
        len = Some(p.expression()?);
        p.expect("]")?;
    }
    let init = if p.eat("=") { initial_value(p)? } else { InitExpr::Any };
    Ok(VarDecl { name, ty, len, init })
}

fn type_expr<'s>(p: &mut Parser<'s>) -> Result<TypeExpr<'s>> {
    if p.eat("bool") {
        return Ok(TypeExpr::Bool);
    }
    if p.eat("int") {
        return Ok(TypeExpr::Int);
    }
    let start = p.span();
    let lo = p.bound()?;
    if p.eat("..") {
        let hi = p.bound()?;
        return Ok(TypeExpr::Range(lo, hi, p.since(start)));
    }
    match *p.exprs.kind(lo) {
        ExprKind::Name(text) => Ok(TypeExpr::Named(Name { text, span: start })),
        _ => Err(p.unexpected("`..`")),
    }
}

fn initial_value(p: &mut Parser<'_>) -> Result<InitExpr> {
    let start = p.span();
    if !p.eat("[") {
        return Ok(InitExpr::Value(p.expression()?));
    }
    let values = p.list(Parser::expression)?;
    p.expect("]")?;
    Ok(InitExpr::List(values, p.since(start)))
}

fn command<'s>(p: &mut Parser<'s>, start: Span) -> Result<Command<'s>> {
    let anonymous = p.at("when") || p.at("do") || p.at(";");
    let name = if anonymous { None } else { Some(p.name("the command's name, `when` or `do`")?) };
    Ok(Command { name, action: action(p, start)? })
}

fn action<'s>(p: &mut Parser<'s>, start: Span) -> Result<Action<'s>> {
    let guard = if p.eat("when") { Some(p.expression()?) } else { None };
    let assigns = if p.eat("do") { p.list(assignment)? } else { Vec::new() };
    if !p.at(";") {
        let mut wanted = vec!["`;`"];
        if assigns.is_empty() {
            wanted.insert(0, "`do`");
        }
        if guard.is_none() && assigns.is_empty() {
            wanted.insert(0, "`when`");
        }
        return Err(p.unexpected(&wanted.join(" or ")));
    }
    p.expect(";")?;
    Ok(Action { guard, assigns, span: p.since(start) })
}

fn assignment<'s>(p: &mut Parser<'s>) -> Result<AssignDecl<'s>> {
    let target = p.name("a variable to assign to")?;
    let mut index = None;
    if p.eat("[") {
        index = Some(p.expression()?);
        p.expect("]")?;
    }
    if p.at("=") || p.at("==") {
        return Err(p.unexpected("`:=`").help("assignment is written `:=`"));
    }
    p.expect(":=")?;
    let value = if p.eat("input") { None } else { Some(p.expression()?) };
    Ok(AssignDecl { target, index, value, span: p.since(target.span) })
}

fn process<'s>(p: &mut Parser<'s>) -> Result<ProcessDecl<'s>> {
    let name = p.name("the process's name")?;
    let mut params = Vec::new();
    if p.eat("(") {
        params = p.list(Parser::binder)?;
        p.expect(")")?;
    }
    p.expect("{")?;
    let (vars, locations, edges) = (Vec::new(), Vec::new(), Vec::new());
    let mut process = ProcessDecl { name, params, vars, locations, initial: None, edges };
    while !p.at("}") {
        if p.at_end() {
            return Err(p.unexpected("`}`"));
        }
        if let Err(problem) = process_item(p, &mut process) {
            p.report(problem);
            p.recover();
        }
    }
    p.expect("}")?;
    Ok(process)
}

fn process_item<'s>(p: &mut Parser<'s>, process: &mut ProcessDecl<'s>) -> Result<()> {
    let start = p.span();
    // A location may have the name of a statement: `init -> run;`.
    if p.next_is("->") {
        let from = p.name("a location")?;
        p.expect("->")?;
        let to = p.name("a location")?;
        let action = action(p, start)?;
        process.edges.push(Edge { from, to, action });
    } else if p.eat("var") {
        process.vars.extend(variables(p)?);
    } else if p.eat("loc") {
        process.locations.extend(p.list(|p| p.name("a location's name"))?);
        p.expect(";")?;
    } else if p.eat("init") {
        let location = p.name("a location")?;
        p.expect(";")?;
        if process.initial.replace(location).is_some() {
            p.report(Problem::new(location.span, "there is more than one initial location"));
        }
    } else {
        return Err(p.unexpected("`var`, `loc`, `init`, an edge or `}`"));
    }
    Ok(())
}
