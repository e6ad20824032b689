//! Statements of DVE. A process that cannot be read is reported and skipped.

use super::ast::{Assigned, Decl, Edge, Effect, Model, ProcessDecl, Side, Sync, Type};
use crate::diagnostic::Problem;
use crate::expr::Name;
use crate::parser::Parser;

type Result<T> = std::result::Result<T, Problem>;

/// A whole text.
pub(super) fn model<'s>(p: &mut Parser<'s>) -> Model<'s> {
    let mut model = Model::default();
    if p.at_end() && p.problems.is_empty() {
        p.report(Problem::new(p.span(), "the file contains nothing but comments"));
        return model;
    }
    while !p.at_end() && !p.at("system") {
        if let Err(problem) = item(p, &mut model) {
            p.report(problem);
            while !p.at_end() && !p.at("process") && !p.at("system") {
                p.recover();
                p.eat("}");
            }
        }
    }
    if let Err(problem) = system(p) {
        p.report(problem);
    }
    model
}

fn item<'s>(p: &mut Parser<'s>, model: &mut Model<'s>) -> Result<()> {
    if p.at("const") || p.at("byte") || p.at("int") {
        declarations(p, &mut model.decls)
    } else if p.eat("channel") {
        channels(p, model)
    } else if p.eat("process") {
        model.processes.push(process(p)?);
        Ok(())
    } else {
        Err(p.unexpected("a declaration, `process` or `system`"))
    }
}

fn unsupported(p: &Parser<'_>, what: &str) -> Problem {
    Problem::new(p.span(), format!("not supported: {what}"))
}

fn system(p: &mut Parser<'_>) -> Result<()> {
    p.expect("system")?;
    if p.at("sync") {
        return Err(unsupported(p, "synchronous systems"));
    }
    p.expect("async")?;
    if p.at("property") {
        return Err(unsupported(p, "property processes").help("give the error condition with --error"));
    }
    p.expect(";")?;
    if p.at_end() { Ok(()) } else { Err(p.unexpected("nothing after `system`")) }
}

fn channels<'s>(p: &mut Parser<'s>, model: &mut Model<'s>) -> Result<()> {
    if p.at("{") {
        return Err(unsupported(p, "typed channels"));
    }
    let names = p.list(|p| {
        let name = p.name("the channel's name")?;
        if p.at("[") { Err(unsupported(p, "buffered channels")) } else { Ok(name) }
    })?;
    model.channels.extend(names);
    p.expect(";")
}

fn declarations<'s>(p: &mut Parser<'s>, decls: &mut Vec<Decl<'s>>) -> Result<()> {
    let constant = p.eat("const");
    let ty = if p.eat("byte") {
        Type::Byte
    } else {
        p.expect("int").map_err(|_| p.unexpected("`byte` or `int`"))?;
        Type::Int
    };
    decls.extend(p.list(|p| declaration(p, constant, ty))?);
    p.expect(";")
}

fn declaration<'s>(p: &mut Parser<'s>, constant: bool, ty: Type) -> Result<Decl<'s>> {
    let name = p.name("the variable's name")?;
    if constant && p.at("[") {
        return Err(unsupported(p, "constant arrays").help("leave out `const`"));
    }
    let len = index(p)?;
    let mut init = Vec::new();
    if p.eat("=") {
        if p.eat("{") {
            init = p.list(Parser::expression)?;
            p.expect("}")?;
        } else {
            init.push(p.expression()?);
        }
    } else if constant {
        return Err(p.unexpected("`=`"));
    }
    Ok(Decl { constant, ty, name, len, init })
}

fn index(p: &mut Parser<'_>) -> Result<Option<crate::expr::ExprId>> {
    if !p.eat("[") {
        return Ok(None);
    }
    let index = p.expression()?;
    p.expect("]")?;
    Ok(Some(index))
}

fn process<'s>(p: &mut Parser<'s>) -> Result<ProcessDecl<'s>> {
    let name = p.name("the process's name")?;
    p.expect("{")?;
    let mut decls = Vec::new();
    while p.at("const") || p.at("byte") || p.at("int") {
        declarations(p, &mut decls)?;
    }
    p.expect("state").map_err(|_| p.unexpected("a declaration or `state`"))?;
    let states = names(p, "a state's name")?;
    let mut initial = None;
    while !p.at("trans") {
        if p.eat("init") {
            let state = p.name("a state")?;
            p.expect(";")?;
            if initial.replace(state).is_some() {
                return Err(Problem::new(state.span, "there is more than one initial state"));
            }
        } else if p.eat("accept") {
            // Accepting states belong to the property of a product; alone they mean nothing.
            names(p, "a state")?;
        } else if p.at("commit") {
            return Err(unsupported(p, "`commit` states"));
        } else if p.at("assert") {
            return Err(unsupported(p, "`assert`").help("give the error condition with --error"));
        } else {
            return Err(p.unexpected(if initial.is_some() { "`trans`" } else { "`init`" }));
        }
    }
    let initial = initial.ok_or_else(|| p.unexpected("`init`"))?;
    p.expect("trans")?;
    let edges = edges(p)?;
    p.expect(";")?;
    p.expect("}")?;
    Ok(ProcessDecl { name, decls, states, initial, edges })
}

fn names<'s>(p: &mut Parser<'s>, wanted: &str) -> Result<Vec<Name<'s>>> {
    let names = p.list(|p| p.name(wanted))?;
    p.expect(";")?;
    Ok(names)
}

fn edges<'s>(p: &mut Parser<'s>) -> Result<Vec<Edge<'s>>> {
    let mut previous = None;
    p.list(|p| {
        let edge = edge(p, previous)?;
        previous = Some(edge.from);
        Ok(edge)
    })
}

/// An edge; without source it starts where the previous one does.
fn edge<'s>(p: &mut Parser<'s>, previous: Option<Name<'s>>) -> Result<Edge<'s>> {
    let start = p.span();
    let from = match previous {
        Some(from) if p.at("->") => from,
        _ => p.name("a state")?,
    };
    p.expect("->")?;
    let to = p.name("a state")?;
    p.expect("{")?;
    let mut guard = None;
    if p.eat("guard") {
        guard = Some(p.expression()?);
        p.expect(";")?;
    }
    let sync = if p.eat("sync") { Some(sync(p)?) } else { None };
    let mut effects = Vec::new();
    if p.eat("effect") {
        effects = p.list(effect)?;
        p.expect(";")?;
    }
    p.expect("}").map_err(|_| p.unexpected("`guard`, `sync`, `effect` (in this order) or `}`"))?;
    Ok(Edge { from, to, guard, sync, effects, span: p.since(start) })
}

fn sync<'s>(p: &mut Parser<'s>) -> Result<Sync<'s>> {
    let channel = p.name("a channel")?;
    let send = p.eat("!");
    if !send {
        p.expect("?").map_err(|_| p.unexpected("`!` or `?`"))?;
    }
    if p.at("{") {
        return Err(unsupported(p, "several values in one message"));
    }
    let side = match (send, p.at(";")) {
        (true, true) => Side::Send(None),
        (true, false) => Side::Send(Some(p.expression()?)),
        (false, true) => Side::Receive(None),
        (false, false) => Side::Receive(Some(target(p)?)),
    };
    let span = p.since(channel.span);
    p.expect(";")?;
    Ok(Sync { channel, side, span })
}

fn target<'s>(p: &mut Parser<'s>) -> Result<Assigned<'s>> {
    let name = p.name("a variable to assign to")?;
    Ok(Assigned { name, index: index(p)? })
}

fn effect<'s>(p: &mut Parser<'s>) -> Result<Effect<'s>> {
    let target = target(p)?;
    if p.at(":=") || p.at("==") {
        return Err(p.unexpected("`=`").help("assignment is written `=`"));
    }
    p.expect("=")?;
    let value = p.expression()?;
    Ok(Effect { target, value })
}
