//! Declarations of GCL: constants, enumerations, variables, and the processes that templates stand for.

use std::sync::Arc;

use clinch_ir::{Domain, Init, Process, Program, Source, Span, Syntax};
use clinch_terms::{LocId, ProcId, VarId};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::ast::{InitExpr, Item, ProcessDecl, TypeExpr, VarDecl};
use super::expr::Lowering;
use super::scope::{Entity, EnumInfo, Globals, Instance, Scope, Template, Type};
use super::{Declared, Parsed};
use crate::constant::{array_len, check_cells, duplicate};
use crate::diagnostic::{Bag, Problem};
use crate::expr::{Binder, ExprId, Exprs, Name};
use crate::options::Defines;

type Result<T> = std::result::Result<T, Problem>;

/// Most processes.
const MAX_PROCESSES: usize = 10_000;

/// Treats all declarations, in order.
pub(super) fn declare<'s>(parsed: &Parsed<'_, 's>, defines: &mut Defines<'_>, bag: &mut Bag) -> Declared<'s> {
    let &Parsed { source, exprs, model } = parsed;
    let program = Program::new(Source::clone(source), Syntax::Gcl);
    let mut declarer = Declarer { program, globals: Globals::default(), exprs, source, bag };
    for item in &model.items {
        match item {
            Item::Constant(name, value) => declarer.constant(*name, *value, defines.value(name.text)),
            Item::Enum(name, values) => declarer.enumeration(*name, values),
            Item::Vars(vars) => vars.iter().for_each(|var| declarer.global(var)),
            Item::Process(process) => declarer.process(process),
            Item::Command(_) => {}
        }
    }
    let Declarer { program, globals, .. } = declarer;
    Declared { program, names: globals }
}

struct Declarer<'a, 's> {
    program: Program,
    globals: Globals<'s>,
    exprs: &'a Exprs<'s>,
    source: &'a Arc<Source>,
    bag: &'a mut Bag,
}

impl<'s> Declarer<'_, 's> {
    fn check<T>(&mut self, result: Result<T>) -> Option<T> {
        self.bag.check(self.source, result)
    }

    fn evaluate(&mut self, id: ExprId, ty: Type, scope: Scope<'_>) -> Result<i64> {
        Lowering::new(&mut self.program, &self.globals, self.exprs, scope).constant(id, ty)
    }

    fn declare(&mut self, name: Name<'s>, entity: Option<Entity>) {
        let declared = self.globals.declare(name, entity.unwrap_or(Entity::Broken));
        self.check(declared);
    }

    fn constant(&mut self, name: Name<'s>, value: ExprId, given: Option<i64>) {
        let value = match given {
            // The value it replaces may have no meaning once other constants are replaced.
            Some(value) => Ok(value),
            None => self.evaluate(value, Type::Int, Scope::GLOBAL),
        };
        let value = self.check(value);
        self.declare(name, value.map(Entity::Constant));
    }

    fn enumeration(&mut self, name: Name<'s>, values: &[Name<'s>]) {
        let id = self.globals.enums.len();
        let names: Arc<[String]> = values.iter().map(|v| v.text.to_owned()).collect();
        self.globals.enums.push(EnumInfo { name: name.text, values: names });
        self.declare(name, Some(Entity::EnumType(id)));
        for (value, name) in values.iter().enumerate() {
            self.declare(*name, Some(Entity::EnumValue(id, value as i64)));
        }
    }

    fn global(&mut self, decl: &VarDecl<'s>) {
        let var = self.variable(decl, decl.name.text.to_owned(), Scope::GLOBAL);
        let var = self.check(var);
        self.declare(decl.name, var.map(Entity::Var));
    }

    fn variable(&mut self, decl: &VarDecl<'s>, name: String, scope: Scope<'_>) -> Result<VarId> {
        let (domain, ty) = self.domain(&decl.ty, scope)?;
        let len = decl.len.map(|len| self.array_len(len, scope)).transpose()?;
        check_cells(&self.program, decl.name, len.unwrap_or(1))?;
        let init = self.initial_values(decl, ty, &domain, len, scope)?;
        self.globals.var_types.push(ty);
        Ok(self.program.add_var(name, domain, len, init))
    }

    fn domain(&mut self, ty: &TypeExpr<'s>, scope: Scope<'_>) -> Result<(Domain, Type)> {
        match *ty {
            TypeExpr::Bool => Ok((Domain::Bool, Type::Bool)),
            TypeExpr::Int => Ok((Domain::Unbounded, Type::Int)),
            TypeExpr::Range(lo, hi, span) => {
                let (lo, hi) = self.range(lo, hi, span, scope)?;
                Ok((Domain::Range { lo, hi }, Type::Int))
            }
            TypeExpr::Named(name) => match self.globals.names.get(name.text) {
                Some(Entity::EnumType(id)) => {
                    Ok((Domain::Enum(self.globals.enums[*id].values.clone()), Type::Enum(*id)))
                }
                Some(Entity::Broken) => Err(Problem::consequence()),
                Some(_) => Err(Problem::new(name.span, format!("`{}` is not a type", name.text))),
                None => Err(Problem::new(name.span, format!("type `{}` is not declared", name.text))
                    .help("types are `bool`, `int`, ranges `lo..hi`, and enumerations")),
            },
        }
    }

    fn range(&mut self, lo: ExprId, hi: ExprId, span: Span, scope: Scope<'_>) -> Result<(i64, i64)> {
        let (lo, hi) = (self.evaluate(lo, Type::Int, scope)?, self.evaluate(hi, Type::Int, scope)?);
        if lo <= hi { Ok((lo, hi)) } else { Err(Problem::new(span, format!("the range {lo}..{hi} is empty"))) }
    }

    fn array_len(&mut self, len: ExprId, scope: Scope<'_>) -> Result<u32> {
        array_len(self.evaluate(len, Type::Int, scope)?, self.exprs.span(len))
    }

    fn initial_values(
        &mut self,
        decl: &VarDecl<'s>,
        ty: Type,
        domain: &Domain,
        len: Option<u32>,
        scope: Scope<'_>,
    ) -> Result<Vec<Init>> {
        let cells = len.unwrap_or(1) as usize;
        match &decl.init {
            InitExpr::Any => Ok(vec![Init::Any; cells]),
            InitExpr::Value(value) => Ok(vec![self.initial_value(*value, ty, domain, scope)?; cells]),
            InitExpr::List(_, span) if len.is_none() => {
                Err(Problem::new(*span, format!("`{}` is not an array", decl.name.text)))
            }
            InitExpr::List(values, span) if values.len() != cells => {
                let message = format!("expected {cells} initial values, found {}", values.len());
                Err(Problem::new(*span, message))
            }
            InitExpr::List(values, _) => values.iter().map(|v| self.initial_value(*v, ty, domain, scope)).collect(),
        }
    }

    fn initial_value(&mut self, id: ExprId, ty: Type, domain: &Domain, scope: Scope<'_>) -> Result<Init> {
        let value = self.evaluate(id, ty, scope)?;
        match domain.bounds() {
            Some((lo, hi)) if value < lo || hi < value => {
                Err(Problem::new(self.exprs.span(id), format!("initial value {value} out of range {lo}..{hi}")))
            }
            _ => Ok(Init::Value(value)),
        }
    }

    fn process(&mut self, decl: &ProcessDecl<'s>) {
        let template = self.template(decl);
        let entity = self.check(template).map(|template| {
            self.globals.templates.push(template);
            Entity::Process(self.globals.templates.len() - 1)
        });
        self.declare(decl.name, entity);
    }

    fn template(&mut self, decl: &ProcessDecl<'s>) -> Result<Template<'s>> {
        let mut locations = IndexMap::new();
        for location in &decl.locations {
            if locations.insert(location.text, ()).is_some() {
                return Err(duplicate(*location));
            }
        }
        if locations.is_empty() {
            let message = format!("process `{}` has no locations", decl.name.text);
            return Err(Problem::new(decl.name.span, message).help("declare them with `loc a, b;`"));
        }
        // `P.x` could be either.
        if let Some(var) = decl.vars.iter().find(|v| locations.contains_key(v.name.text)) {
            let message = format!("`{}` is a variable and a location of one process", var.name.text);
            return Err(Problem::new(var.name.span, message));
        }
        let mut template = Template { name: decl.name.text, locations, instances: IndexMap::new() };
        let initial = match decl.initial {
            None => LocId(0),
            Some(name) => template.location(name.text).ok_or_else(|| no_location(decl.name.text, name))?,
        };
        let mut values = Vec::new();
        self.instances(decl, &decl.params, initial, &mut values, &mut template)?;
        Ok(template)
    }

    /// One instance for each combination of values of the remaining parameters.
    fn instances(
        &mut self,
        decl: &ProcessDecl<'s>,
        params: &[Binder<'s>],
        initial: LocId,
        values: &mut Vec<(&'s str, i64)>,
        template: &mut Template<'s>,
    ) -> Result<()> {
        let Some((param, rest)) = params.split_first() else {
            let instance = self.instance(decl, initial, values, template)?;
            template.instances.insert(values.iter().map(|(_, v)| *v).collect(), instance);
            return Ok(());
        };
        if values.iter().any(|(name, _)| *name == param.name.text) {
            return Err(duplicate(param.name));
        }
        let (lo, hi) = self.range(param.lo, param.hi, param.name.span, Scope { params: values, locals: None })?;
        for value in lo..=hi {
            values.push((param.name.text, value));
            let result = self.instances(decl, rest, initial, values, template);
            values.pop();
            result?;
        }
        Ok(())
    }

    fn instance(
        &mut self,
        decl: &ProcessDecl<'s>,
        initial: LocId,
        params: &[(&'s str, i64)],
        template: &Template<'s>,
    ) -> Result<Instance<'s>> {
        if self.program.processes.len() >= MAX_PROCESSES {
            return Err(Problem::new(decl.name.span, format!("there are more than {MAX_PROCESSES} processes")));
        }
        let name = instance_name(decl.name.text, params);
        let mut locals = FxHashMap::default();
        for var in &decl.vars {
            let scope = Scope { params, locals: Some(&locals) };
            let id = self.variable(var, format!("{name}.{}", var.name.text), scope)?;
            let hidden = params.iter().any(|(param, _)| *param == var.name.text);
            if locals.insert(var.name.text, id).is_some() || hidden {
                return Err(duplicate(var.name));
            }
        }
        let locations = template.locations.keys().map(|l| (*l).to_owned()).collect();
        self.program.processes.push(Process { name, locations, initial });
        let process = ProcId::from_index(self.program.processes.len() - 1);
        Ok(Instance { process, params: params.to_vec(), locals })
    }
}

fn instance_name(template: &str, params: &[(&str, i64)]) -> String {
    if params.is_empty() {
        return template.to_owned();
    }
    let values: Vec<String> = params.iter().map(|(_, value)| value.to_string()).collect();
    format!("{template}[{}]", values.join(","))
}

/// The problem that a process has no such location.
pub(super) fn no_location(process: &str, name: Name<'_>) -> Problem {
    Problem::new(name.span, format!("process `{process}` has no location `{}`", name.text))
}
