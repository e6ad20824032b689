//! Edges, commands and properties of GCL.

use std::sync::Arc;

use clinch_ir::{Assign, Move, Program, Rhs, Source, Transition};
use clinch_terms::{LocId, Node, Term};
use rustc_hash::FxHashSet;

use super::ast::{Action, AssignDecl, Edge, Item, Model, ProcessDecl};
use super::declare::no_location;
use super::expr::Lowering;
use super::scope::{Entity, Globals, Instance, Scope, Template, Type};
use super::{Declared, Parsed};
use crate::Options;
use crate::constant::duplicate;
use crate::diagnostic::{Bag, Problem};
use crate::dialect::Dialect;
use crate::expr::{ExprId, Exprs, Name};
use crate::options::properties;

type Result<T> = std::result::Result<T, Problem>;

/// Adds transitions and properties to the declared program.
pub(super) fn lower<'s>(parsed: &Parsed<'_, 's>, declared: Declared<'s>, options: &Options, bag: &mut Bag) -> Program {
    let &Parsed { source, exprs, model } = parsed;
    let Declared { program, names: globals } = declared;
    let mut lowerer = Lowerer { program, globals: &globals, exprs, source, bag };
    let mut commands = FxHashSet::default();
    let mut anonymous = 0;
    for item in &model.items {
        match item {
            Item::Process(decl) => lowerer.process(decl),
            Item::Command(command) => {
                anonymous += 1;
                let name = match command.name {
                    Some(name) => name.text.to_owned(),
                    None => format!("command#{anonymous}"),
                };
                if let Some(name) = command.name.filter(|n| !commands.insert(n.text)) {
                    lowerer.bag.report(source, duplicate(name));
                }
                lowerer.transition(name, Vec::new(), &command.action, Scope::GLOBAL);
            }
            _ => {}
        }
    }
    lowerer.properties(model);
    let Lowerer { mut program, .. } = lowerer;
    properties(&mut program, Dialect::Gcl, options, bag, |program, exprs, id| {
        Lowering::new(program, &globals, exprs, Scope::GLOBAL).expect(id, Type::Bool)
    });
    program
}

struct Lowerer<'a, 's> {
    program: Program,
    globals: &'a Globals<'s>,
    exprs: &'a Exprs<'s>,
    source: &'a Arc<Source>,
    bag: &'a mut Bag,
}

impl<'s> Lowerer<'_, 's> {
    fn expression(&mut self, scope: Scope<'_>, id: ExprId, ty: Type) -> Result<Term> {
        Lowering::new(&mut self.program, self.globals, self.exprs, scope).expect(id, ty)
    }

    fn process(&mut self, decl: &ProcessDecl<'s>) {
        let globals = self.globals;
        let Some(Entity::Process(template)) = globals.names.get(decl.name.text) else { return };
        let template = &globals.templates[*template];
        for instance in template.instances.values() {
            for edge in &decl.edges {
                let ends = locate(template, edge.from).and_then(|from| Ok((from, locate(template, edge.to)?)));
                if let Some((from, to)) = self.bag.check(self.source, ends) {
                    self.edge(instance, edge, from, to);
                }
            }
            // The other instances have the same problems.
            if self.bag.is_full() {
                return;
            }
        }
    }

    fn edge(&mut self, instance: &Instance<'s>, edge: &Edge<'s>, from: LocId, to: LocId) {
        let process = &self.program.processes[instance.process.index()];
        let name = format!("{}: {} -> {}", process.name, edge.from.text, edge.to.text);
        let moves = vec![Move { process: instance.process, from, to }];
        let scope = Scope { params: &instance.params, locals: Some(&instance.locals) };
        self.transition(name, moves, &edge.action, scope);
    }

    fn transition(&mut self, name: String, moves: Vec<Move>, action: &Action<'s>, scope: Scope<'_>) {
        let guard = match action.guard {
            Some(guard) => self.expression(scope, guard, Type::Bool),
            None => Ok(self.program.terms.tt()),
        };
        let guard = self.bag.check(self.source, guard);
        let block = self.block(&action.assigns, scope);
        let block = self.bag.check(self.source, block);
        let (Some(guard), Some(block)) = (guard, block) else { return };
        let blocks = if block.is_empty() { Vec::new() } else { vec![block] };
        self.program.transitions.push(Transition { name, moves, guard, blocks, span: action.span });
    }

    /// A parallel assignment.
    fn block(&mut self, assigns: &[AssignDecl<'s>], scope: Scope<'_>) -> Result<Vec<Assign>> {
        let mut block = Vec::with_capacity(assigns.len());
        let mut targets = FxHashSet::default();
        for decl in assigns {
            let assign = self.assign(decl, scope)?;
            // Elements with unknown indices may be equal: the last assignment wins.
            let known = assign.index.is_none_or(|i| matches!(self.program.terms.node(i), Node::Int(_)));
            if known && !targets.insert((assign.var, assign.index)) {
                let message = format!("`{}` is assigned twice in one step", decl.target.text);
                return Err(Problem::new(decl.span, message).label("second assignment"));
            }
            block.push(assign);
        }
        Ok(block)
    }

    fn assign(&mut self, decl: &AssignDecl<'s>, scope: Scope<'_>) -> Result<Assign> {
        let mut lowering = Lowering::new(&mut self.program, self.globals, self.exprs, scope);
        let var = lowering.variable(decl.target)?;
        let index = match decl.index {
            Some(index) => {
                lowering.check_array(var, decl.target.span)?;
                Some(lowering.expect(index, Type::Int)?)
            }
            None => None,
        };
        let value = match decl.value {
            Some(value) => Rhs::Term(lowering.expect(value, self.globals.var_types[var.index()])?),
            None => Rhs::Input,
        };
        if index.is_none() && self.program.var(var).len.is_some() {
            let message = format!("`{}` is an array", decl.target.text);
            return Err(Problem::new(decl.target.span, message).help("assign to its elements"));
        }
        Ok(Assign { var, index, value })
    }

    /// What the text says must not be reached, and its predicates.
    fn properties(&mut self, model: &Model<'s>) {
        self.program.property.error = model.error.and_then(|error| self.own_condition(error));
        for predicate in &model.predicates {
            let predicate = self.own_condition(*predicate);
            self.program.predicates.extend(predicate);
        }
    }

    fn own_condition(&mut self, id: ExprId) -> Option<Term> {
        let condition = self.expression(Scope::GLOBAL, id, Type::Bool);
        self.bag.check(self.source, condition)
    }
}

fn locate(template: &Template<'_>, name: Name<'_>) -> Result<LocId> {
    template.location(name.text).ok_or_else(|| no_location(template.name, name))
}
