//! Constants, structs, variables and the heads of modules.

use std::sync::Arc;

use clinch_ir::Source;
use clinch_ir::cfa::{CfaProgram, Global};

use super::ast::{BaseType, ModuleDecl, StructDecl, Text, ValueExpr, VarDecl};
use super::expr::{Expressions, Result};
use super::scope::{Entity, Scope, Signature, zero};
use super::types::{MAX_BITS, MAX_SCALARS, Scalar, Struct, Type};
use crate::diagnostic::{Bag, Problem};
use crate::expr::{ExprId, Exprs, Name};
use crate::options::Defines;

/// The constant that is the width of an `int` without one.
const DEFAULT_BITS: &str = "DEFAULT_INT_BITS";

/// Its value where the text does not say.
const DEFAULT_BITS_VALUE: i64 = 8;

/// Gives the names of a text their meaning.
pub(super) struct Declare<'a, 's> {
    pub(super) source: &'a Arc<Source>,
    pub(super) exprs: &'a Exprs<'s>,
    pub(super) program: &'a mut CfaProgram,
    pub(super) scope: &'a mut Scope<'s>,
    pub(super) bag: &'a mut Bag,
}

impl<'s> Declare<'_, 's> {
    /// All but the insides of modules. Globals without initial value are returned: theirs is any.
    pub(super) fn text(&mut self, text: &Text<'s>, defines: &mut Defines<'_>) -> Vec<usize> {
        self.constants(text, defines);
        for declared in &text.structs {
            self.structure(declared);
        }
        let mut open = Vec::new();
        for var in &text.globals {
            let result = self.global(var);
            if let Some((variable, initialised)) = self.bag.check(self.source, result)
                && !initialised
            {
                open.push(variable);
            }
        }
        for module in &text.modules {
            self.module(module);
        }
        for prototype in &text.prototypes {
            let result = self.prototype(prototype);
            self.bag.check(self.source, result);
        }
        open
    }

    fn constants(&mut self, text: &Text<'s>, defines: &mut Defines<'_>) {
        for &(name, value) in &text.constants {
            let given = defines.value(name.text).map(i128::from);
            let value = match given {
                Some(value) => Ok(value),
                None => self.constant(value),
            };
            let entity = self.bag.check(self.source, value).map_or(Entity::Broken, Entity::Constant);
            self.name(name, entity, "constant");
        }
        let bits = match self.scope.globals.get(DEFAULT_BITS) {
            Some(Entity::Constant(bits)) => *bits,
            _ => i128::from(defines.value(DEFAULT_BITS).unwrap_or(DEFAULT_BITS_VALUE)),
        };
        let place = text.constants.iter().find(|(name, _)| name.text == DEFAULT_BITS);
        let span = place.map(|(_, value)| self.exprs.span(*value)).unwrap_or_default();
        let bits = width(bits).map_err(|text| Problem::new(span, text));
        self.scope.default_bits = self.bag.check(self.source, bits).unwrap_or(DEFAULT_BITS_VALUE as u32);
    }

    fn constant(&mut self, id: ExprId) -> Result<i128> {
        Expressions::new(&mut self.program.terms, self.scope, self.exprs).constant(id)
    }

    /// Declares a name of expressions.
    fn name(&mut self, name: Name<'s>, entity: Entity, what: &str) {
        if self.scope.globals.insert(name.text, entity).is_some() {
            self.bag.report(self.source, twice(name, what));
        }
    }

    fn structure(&mut self, declared: &StructDecl<'s>) {
        let mut members: Vec<(String, Type)> = Vec::new();
        for member in &declared.members {
            let ty = self.type_of(member);
            let Some(ty) = self.bag.check(self.source, ty) else { continue };
            if let Some(value) = &member.init {
                self.bag.report(self.source, Problem::new(self.span(value), "a member has no initial value"));
            }
            if members.iter().any(|(name, _)| name == member.name.text) {
                self.bag.report(self.source, twice(member.name, "member"));
            }
            members.push((member.name.text.to_owned(), ty));
        }
        if members.is_empty() && self.bag.is_silent() {
            self.bag.report(self.source, Problem::new(declared.name.span, "a struct needs a member"));
        }
        let index = self.scope.structs.len();
        self.scope.structs.push(Struct { name: declared.name.text.to_owned(), members });
        if self.scope.struct_names.insert(declared.name.text, index).is_some() {
            self.bag.report(self.source, twice(declared.name, "struct"));
        }
    }

    fn span(&self, value: &ValueExpr) -> clinch_ir::Span {
        match value {
            ValueExpr::Expr(id) => self.exprs.span(*id),
            ValueExpr::Any(span) | ValueExpr::Between(_, _, span) => *span,
        }
    }

    /// A global, and whether it has an initial value.
    fn global(&mut self, var: &VarDecl<'s>) -> Result<(usize, bool)> {
        let declared = self.type_of(var).and_then(|ty| self.scope.variable(self.program, var.name, ty));
        let entity = declared.as_ref().map_or(Entity::Broken, |variable| Entity::Variable(*variable));
        self.name(var.name, entity, "variable");
        let variable = declared?;
        let ty = self.scope.variables[variable].ty.clone();
        let initial = match var.init {
            Some(ValueExpr::Expr(id)) => Some(self.initial(id, &ty)?),
            Some(ValueExpr::Any(_)) | None => None,
            Some(ValueExpr::Between(_, _, span)) => {
                return Err(Problem::new(span, "the initial value of a global is a constant or `undef`"));
            }
        };
        let mut scalars = Vec::new();
        ty.scalars(&self.scope.structs, "", &mut scalars);
        for (&symbol, (_, scalar)) in self.scope.variables[variable].symbols.iter().zip(scalars) {
            let init = initial.unwrap_or_else(|| zero(&mut self.program.terms, scalar));
            self.program.globals.push(Global { symbol, init });
        }
        Ok((variable, initial.is_some()))
    }

    fn initial(&mut self, id: ExprId, ty: &Type) -> Result<clinch_terms::Term> {
        let span = self.exprs.span(id);
        let Some(scalar) = ty.scalar() else {
            return Err(Problem::new(span, format!("{} has no initial value", ty.text(&self.scope.structs)))
                .help("assign its elements at the beginning of the first module"));
        };
        let mut expressions = Expressions::new(&mut self.program.terms, self.scope, self.exprs);
        expressions.constant(id)?;
        expressions.typed(id, scalar)
    }

    /// The type of a declared variable.
    pub(super) fn type_of(&mut self, var: &VarDecl<'s>) -> Result<Type> {
        let mut ty = self.base_type(var.base, var.bits)?;
        for &len in var.lens.iter().rev() {
            let span = self.exprs.span(len);
            let len = self.constant(len)?;
            let len = u32::try_from(len).ok().filter(|len| (1..=MAX_SCALARS).contains(&u64::from(*len)));
            let text = || format!("an array has between 1 and {MAX_SCALARS} elements");
            ty = Type::Array(Box::new(ty), len.ok_or_else(|| Problem::new(span, text()))?);
        }
        Ok(ty)
    }

    fn base_type(&mut self, base: BaseType<'s>, bits: Option<ExprId>) -> Result<Type> {
        let bits = match (base, bits) {
            (BaseType::Int(Some(_)), Some(again)) => {
                return Err(Problem::new(self.exprs.span(again), "the number of bits is given twice"));
            }
            (BaseType::Int(bits), None) | (BaseType::Int(None), bits) => bits,
            (_, Some(bits)) => {
                return Err(Problem::new(self.exprs.span(bits), "only an `int` has a number of bits"));
            }
            (_, None) => None,
        };
        match base {
            BaseType::Bool => Ok(Type::Bool),
            BaseType::Void(span) => {
                Err(Problem::new(span, "there is no variable of type `void`").label("type of a variable"))
            }
            BaseType::Int(_) => match bits {
                None => Ok(Type::Int(self.scope.default_bits)),
                Some(id) => {
                    let bits = self.constant(id)?;
                    width(bits).map(Type::Int).map_err(|text| Problem::new(self.exprs.span(id), text))
                }
            },
            BaseType::Struct(name) => match self.scope.struct_names.get(name.text) {
                Some(&index) => Ok(Type::Struct(index)),
                None => Err(Problem::new(name.span, format!("there is no type `{}`", name.text))),
            },
        }
    }

    fn module(&mut self, module: &ModuleDecl<'s>) {
        let signature = self.signature(module);
        // A module with a wrong head still takes its place: others count on the order.
        let broken = Signature { params: Vec::new(), result: None };
        let signature = self.bag.check(self.source, signature).unwrap_or(broken);
        let index = self.scope.signatures.len();
        self.scope.signatures.push(signature);
        if self.scope.modules.insert(module.name.text, index).is_some() {
            self.bag.report(self.source, twice(module.name, "module"));
        }
    }

    fn signature(&mut self, module: &ModuleDecl<'s>) -> Result<Signature> {
        let result = match module.result {
            BaseType::Void(_) => None,
            base => {
                let ty = self.base_type(base, None)?;
                let text = "a module returns a number or a truth value";
                Some(ty.scalar().ok_or_else(|| Problem::new(module.name.span, text))?)
            }
        };
        let params = module.params.iter().map(|p| self.parameter(p)).collect::<Result<_>>()?;
        Ok(Signature { params, result })
    }

    fn parameter(&mut self, param: &VarDecl<'s>) -> Result<Scalar> {
        let ty = self.type_of(param)?;
        ty.scalar().ok_or_else(|| {
            Problem::new(param.name.span, "a parameter is a number or a truth value")
                .help("hand over an index into a global array")
        })
    }

    fn prototype(&mut self, prototype: &ModuleDecl<'s>) -> Result<()> {
        let signature = self.signature(prototype)?;
        let name = prototype.name;
        let Some(&index) = self.scope.modules.get(name.text) else {
            return Err(Problem::new(name.span, format!("the module `{}` is never defined", name.text)));
        };
        let known = &self.scope.signatures[index];
        if known.params == signature.params && known.result == signature.result || !self.bag.is_silent() {
            return Ok(());
        }
        Err(Problem::new(name.span, format!("`{}` is defined with another head", name.text)))
    }
}

/// A number of bits, or what is wrong with it.
fn width(bits: i128) -> std::result::Result<u32, String> {
    let small = u32::try_from(bits).ok().filter(|bits| (1..=MAX_BITS).contains(bits));
    small.ok_or_else(|| format!("an `int` has between 1 and {MAX_BITS} bits"))
}

/// What is said where a name is declared again.
pub(super) fn twice(name: Name<'_>, what: &str) -> Problem {
    Problem::new(name.span, format!("the {what} `{}` is already declared", name.text))
}
