//! Names of a DVE model. All are collected before any edge is read: `P.state` may speak of a process further down.

use std::sync::Arc;

use clinch_ir::{Domain, Init, Process, Program, Source, Syntax};
use clinch_terms::LocId;
use indexmap::IndexMap;

use super::ast::{Decl, ProcessDecl, Type};
use super::expr::{Lowering, wrap_constant};
use super::scope::{Entity, Names, ProcessNames, Scope};
use super::{Declared, Parsed};
use crate::constant::{array_len, check_cells, duplicate};
use crate::diagnostic::{Bag, Problem};
use crate::expr::{ExprId, Exprs, Name};
use crate::options::Defines;

type Result<T> = std::result::Result<T, Problem>;

/// Collects the names: global variables, then each process.
pub(super) fn declare<'s>(parsed: &Parsed<'_, 's>, defines: &mut Defines<'_>, bag: &mut Bag) -> Declared<'s> {
    let &Parsed { source, exprs, model } = parsed;
    let program = Program::new(Source::clone(source), Syntax::Dve);
    let mut declarer = Declarer { program, names: Names::default(), exprs, source, bag, defines };
    for channel in &model.channels {
        if !declarer.names.channels.insert(channel.text) {
            declarer.report(duplicate(*channel));
        }
    }
    for decl in &model.decls {
        let entity = declarer.entity(decl, None);
        declarer.declare(None, decl.name, entity);
    }
    for process in &model.processes {
        declarer.process(process);
    }
    let Declarer { program, names, .. } = declarer;
    Declared { program, names }
}

struct Declarer<'a, 's, 'd> {
    program: Program,
    names: Names<'s>,
    exprs: &'a Exprs<'s>,
    source: &'a Arc<Source>,
    bag: &'a mut Bag,
    defines: &'a mut Defines<'d>,
}

impl<'s> Declarer<'_, 's, '_> {
    fn report(&mut self, problem: Problem) {
        self.bag.report(self.source, problem);
    }

    fn declare(&mut self, local: Option<&mut Scope<'s>>, name: Name<'s>, entity: Result<Entity>) {
        let entity = self.bag.check(self.source, entity).unwrap_or(Entity::Broken);
        let scope = local.unwrap_or(&mut self.names.globals);
        if scope.insert(name.text, entity).is_some() {
            self.report(duplicate(name));
        }
    }

    fn evaluate(&mut self, id: ExprId, scope: Option<&Scope<'s>>) -> Result<i64> {
        Lowering::new(&mut self.program, &self.names, self.exprs, scope).constant(id)
    }

    /// The meaning of a declaration in the process `within`, or outside of all.
    fn entity(&mut self, decl: &Decl<'s>, within: Option<(&str, &Scope<'s>)>) -> Result<Entity> {
        let scope = within.map(|(_, scope)| scope);
        if decl.constant {
            return match (self.defines.value(decl.name.text), decl.init.first()) {
                (Some(value), _) => Ok(Entity::Constant(value)),
                (None, Some(init)) => self.evaluate(*init, scope).map(Entity::Constant),
                (None, None) => unreachable!("the parser requires a value"),
            };
        }
        let (lo, hi) = match decl.ty {
            Type::Byte => (0, 255),
            Type::Int => (-32768, 32767),
        };
        let len = decl.len.map(|len| self.array_len(len, scope)).transpose()?;
        check_cells(&self.program, decl.name, len.unwrap_or(1))?;
        let mut init = vec![Init::Value(0); len.unwrap_or(1) as usize];
        for (cell, value) in init.iter_mut().zip(&decl.init) {
            *cell = Init::Value(wrap_constant(self.evaluate(*value, scope)?, lo, hi));
        }
        let name = match within {
            Some((process, _)) => format!("{process}->{}", decl.name.text),
            None => decl.name.text.to_owned(),
        };
        Ok(Entity::Var(self.program.add_var(name, Domain::Range { lo, hi }, len, init)))
    }

    fn array_len(&mut self, len: ExprId, scope: Option<&Scope<'s>>) -> Result<u32> {
        array_len(self.evaluate(len, scope)?, self.exprs.span(len))
    }

    fn process(&mut self, decl: &ProcessDecl<'s>) {
        let mut names = ProcessNames { states: IndexMap::new(), scope: Scope::default() };
        for local in &decl.decls {
            let entity = self.entity(local, Some((decl.name.text, &names.scope)));
            self.declare(Some(&mut names.scope), local.name, entity);
        }
        for state in &decl.states {
            if names.states.insert(state.text, ()).is_some() {
                self.report(duplicate(*state));
            }
        }
        let initial = names.state(decl.initial);
        let initial = self.bag.check(self.source, initial).unwrap_or(LocId(0));
        let locations = names.states.keys().map(|s| (*s).to_owned()).collect();
        self.program.processes.push(Process { name: decl.name.text.to_owned(), locations, initial });
        if self.names.processes.insert(decl.name.text, names).is_some() {
            self.report(duplicate(decl.name));
        }
    }
}
