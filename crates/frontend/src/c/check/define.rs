//! Definitions of functions.

use clinch_ir::Span;
use lang_c::ast::{
    ArraySize, Declarator, DeclaratorKind, DerivedDeclarator, FunctionDefinition, ParameterDeclaration, Statement,
};
use lang_c::span::Node;
use rustc_hash::FxHashMap;

use super::attribute::Attributes;
use super::declarator::{Declared, Parameter, Parameters, declared_name};
use super::link::Linkage;
use super::scope::Symbol;
use super::{Checked, Checker};
use crate::c::hir::{FunctionId, LabelId, Stmt, Storage};
use crate::c::parse::readable;
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

/// What is known inside of a function.
pub(super) struct FunctionContext {
    pub(super) id: FunctionId,
    pub(super) result: TypeId,
    pub(super) labels: FxHashMap<String, Label>,
    /// Loops around the statement; `switch`es count for `break`.
    pub(super) loops: u32,
    pub(super) breakable: u32,
    pub(super) switches: Vec<Switch>,
}

/// A label: where it is used first, and whether it is defined.
pub(super) struct Label {
    pub(super) id: LabelId,
    pub(super) used: Span,
    pub(super) defined: bool,
}

/// A `switch` around the statement: the type of its operand and the values it has cases for.
pub(super) struct Switch {
    pub(super) ty: TypeId,
    pub(super) cases: Vec<(i128, i128)>,
    pub(super) has_default: bool,
}

/// The parameters of the function that a declarator declares.
fn parameters_of(declarator: &Declarator) -> Option<&[Node<ParameterDeclaration>]> {
    if let DeclaratorKind::Declarator(inner) = &declarator.kind.node
        && let Some(parameters) = parameters_of(&inner.node)
    {
        return Some(parameters);
    }
    declarator.derived.iter().find_map(|d| match &d.node {
        DerivedDeclarator::Function(function) => Some(&function.node.parameters[..]),
        _ => None,
    })
}

impl Checker<'_> {
    pub(super) fn function_definition(&mut self, definition: &FunctionDefinition) -> Checked<()> {
        let result = self.define_function(definition);
        if result.is_err()
            && let Some(name) = declared_name(&definition.declarator.node)
        {
            self.scopes[0].names.entry(name.to_owned()).or_insert(Symbol::Poison);
        }
        result
    }

    fn define_function(&mut self, definition: &FunctionDefinition) -> Checked<()> {
        let span = self.at(definition.declarator.span);
        let specified = self.specifiers(&definition.specifiers, span)?;
        let declared = self.declarator(specified.ty, &definition.declarator)?;
        let attributes = self.declared_attributes(specified.ty, &specified.attributes, &declared);
        let Declared { name, ty, parameters, .. } = declared;
        let ty = self.with_attributes(ty, &attributes);
        let (name, span) = name.ok_or_else(|| Problem::new(span, "a definition without a name"))?;
        let Type::Function { result, .. } = *self.hir.types.get(ty) else {
            return Err(Problem::new(span, format!("`{name}` is not a function")));
        };
        if result != self.basic.void && self.hir.types.size(result).is_none() {
            return Err(Problem::new(span, format!("`{name}` returns the incomplete type `{}`", self.name_of(result))));
        }
        if self.in_models
            && (self.is_the_programs(&name) || matches!(self.externals.get(&name), Some(Symbol::Variable(_))))
        {
            return Ok(());
        }
        let linkage = Linkage { is_static: specified.is_static, attributes };
        let id = self.declare_function(&name, ty, &linkage, span)?;
        let gives_way = specified.inline && !specified.is_static || self.weak_here.contains(&Symbol::Function(id));
        if self.hir.functions[id.0 as usize].body.is_some() {
            self.doubt_two_bodies(id, span);
            match gives_way {
                true => return Ok(()),
                false if !self.replaceable.contains(&Symbol::Function(id)) => {
                    return Err(Problem::new(span, format!("`{name}` is defined twice")));
                }
                false => self.forget_body(id),
            }
        }
        match gives_way {
            true => self.replaceable.insert(Symbol::Function(id)),
            false => self.replaceable.remove(&Symbol::Function(id)),
        };
        self.hir.functions[id.0 as usize].span = span;
        self.hir.functions[id.0 as usize].is_model = self.in_models;
        let labels = FxHashMap::default();
        let (loops, breakable, switches) = (0, 0, Vec::new());
        self.function = Some(FunctionContext { id, result, labels, loops, breakable, switches });
        let done = self.in_scope(|c| c.function_body(id, parameters, definition));
        self.function = None;
        done
    }

    /// Where a function has two bodies, one of them inline, it is not said which one a call means. Those from one place in a header
    /// are the same.
    fn doubt_two_bodies(&mut self, id: FunctionId, span: Span) {
        let function = &self.hir.functions[id.0 as usize];
        let (one, other) = (self.map.place(function.span), self.map.place(span));
        if !function.weak && (one.file, one.line) != (other.file, other.line) {
            self.hir.functions[id.0 as usize].unsupported = Some("two definitions, one of them inline,".to_owned());
        }
    }

    /// A definition gives way to another one.
    fn forget_body(&mut self, id: FunctionId) {
        let function = &mut self.hir.functions[id.0 as usize];
        function.body = None;
        function.parameters.clear();
        function.labels.clear();
    }

    fn function_body(
        &mut self,
        id: FunctionId,
        parameters: Option<Parameters>,
        definition: &FunctionDefinition,
    ) -> Checked<()> {
        let parameters = match parameters {
            Some(Parameters::Prototype(parameters)) => parameters,
            Some(Parameters::Names(names)) => self.old_style(names, definition)?,
            None => Vec::new(),
        };
        for Parameter { name, ty, attributes, span } in parameters {
            let name = name.unwrap_or_default();
            if self.hir.types.size(ty).is_none() {
                return Err(Problem::new(span, format!("`{name}` has the incomplete type `{}`", self.name_of(ty))));
            }
            let variable = self.new_variable(name.clone(), ty, Storage::Parameter(id), span);
            self.align_variable(variable, &attributes, true);
            if !name.is_empty() {
                self.declare_new(&name, Symbol::Variable(variable), span)?;
            }
            self.hir.functions[id.0 as usize].parameters.push(variable);
        }
        let mut body = Vec::new();
        self.parameter_lengths(&definition.declarator.node, &mut body);
        match &definition.statement.node {
            Statement::Compound(items) => self.block_items(items, &mut body),
            _ => self.statement(&definition.statement, &mut body)?,
        }
        self.check_labels();
        self.hir.functions[id.0 as usize].body = Some(body);
        Ok(())
    }

    /// Lengths of arrays in the parameters are evaluated where the body begins.
    fn parameter_lengths(&mut self, declarator: &Declarator, out: &mut Vec<Stmt>) {
        let parameters = parameters_of(declarator).into_iter().flatten();
        let derived = parameters.filter_map(|p| p.node.declarator.as_ref()).flat_map(|d| &d.node.derived);
        for derived in derived {
            let DerivedDeclarator::Array(array) = &derived.node else { continue };
            let (ArraySize::VariableExpression(length) | ArraySize::StaticExpression(length)) = &array.node.size else {
                continue;
            };
            match self.rvalue(length) {
                Ok(value) if self.constant_int(&value).is_some() => {}
                Ok(value) => out.push(Stmt::Expr(value)),
                Err(_) => {
                    let what = "the length of an array that is a parameter".to_owned();
                    out.push(Stmt::Unsupported(what, self.at(length.span)));
                }
            }
        }
    }

    /// `int f(a, b) char a; { ... }`
    fn old_style(&mut self, names: Vec<(String, Span)>, definition: &FunctionDefinition) -> Checked<Vec<Parameter>> {
        let mut types: FxHashMap<String, (TypeId, Attributes)> = FxHashMap::default();
        for declaration in &definition.declarations {
            let span = self.at(declaration.span);
            let specified = self.specifiers(&declaration.node.specifiers, span)?;
            for node in &declaration.node.declarators {
                let declared = self.declarator(specified.ty, &node.node.declarator)?;
                let attributes = self.declared_attributes(specified.ty, &specified.attributes, &declared);
                let (name, span) = declared.name.ok_or_else(|| Problem::new(span, "a declaration without a name"))?;
                if !names.iter().any(|(n, _)| *n == name) {
                    return Err(Problem::new(span, format!("there is no parameter `{name}`")));
                }
                let ty = self.adjusted(declared.ty);
                types.insert(name, (ty, attributes));
            }
        }
        let int = self.basic.int;
        let parameter = |(name, span): (String, Span)| {
            let (ty, attributes) = types.remove(&name).unwrap_or((int, Attributes::default()));
            Parameter { name: Some(name), ty, attributes, span }
        };
        Ok(names.into_iter().map(parameter).collect())
    }

    fn check_labels(&mut self) {
        let Some(function) = &mut self.function else { return };
        let mut labels: Vec<(String, Label)> = std::mem::take(&mut function.labels).into_iter().collect();
        labels.sort_by_key(|(_, label)| label.id);
        let id = function.id;
        for (name, label) in labels {
            if !label.defined {
                self.problems.push(Problem::new(label.used, format!("there is no label `{name}`")));
            }
            self.hir.functions[id.0 as usize].labels.push(readable(&name).into_owned());
        }
    }

    /// The label of a name, new if it was not used before.
    pub(super) fn label(&mut self, name: &Node<lang_c::ast::Identifier>) -> Checked<&mut Label> {
        let span = self.at(name.span);
        let Some(function) = &mut self.function else {
            return Err(Problem::new(span, "a label outside of a function"));
        };
        let id = LabelId(function.labels.len() as u32);
        Ok(function.labels.entry(name.node.name.clone()).or_insert(Label { id, used: span, defined: false }))
    }
}
