//! Variables with linkage: declarations of one name, in several places and units, are one variable.

use clinch_ir::Span;
use lang_c::ast::Initializer;
use lang_c::span::Node;

use super::attribute::Attributes;
use super::link::Linkage;
use super::resolve::Alias;
use super::scope::Symbol;
use super::{Checked, Checker};
use crate::c::hir::{Storage, Variable, VariableId};
use crate::c::parse::readable;
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

impl Checker<'_> {
    pub(super) fn new_variable(&mut self, name: String, ty: TypeId, storage: Storage, span: Span) -> VariableId {
        self.hir.variables.push(Variable {
            name: readable(&name).into_owned(),
            ty,
            storage,
            init: None,
            external: false,
            exported: false,
            at_file_scope: self.function.is_none(),
            address_taken: false,
            runtime_length: None,
            align: None,
            weak: false,
            span,
        });
        VariableId(u32::try_from(self.hir.variables.len() - 1).expect("fewer than 2^32 variables"))
    }

    /// Declares a variable with linkage, in the scope of the file or of a block.
    pub(super) fn declare_global(
        &mut self,
        name: &str,
        ty: TypeId,
        linkage: &Linkage,
        external: bool,
        span: Span,
    ) -> Checked<VariableId> {
        let is_static = linkage.is_static;
        let link_name = linkage.name(name);
        let ty = match linkage.attributes.unknown.as_deref().or_else(|| self.unit.pragmas.about(name)) {
            Some(what) => self.opaque_type(ty, &format!("attribute `{what}`")),
            None => ty,
        };
        if ty == self.basic.void && !external {
            return Err(Problem::new(span, format!("`{name}` has type `void`")));
        }
        let here = self.scope().names.get(name).copied();
        let known = match here.or_else(|| self.scopes[0].names.get(name).copied()) {
            Some(Symbol::Variable(id)) => Some((id, false)),
            Some(Symbol::Poison) | None => None,
            Some(_) if here.is_none() => None,
            Some(_) => return Err(Problem::new(span, format!("`{name}` is declared twice"))),
        };
        let linked = match self.externals.get(link_name) {
            Some(&Symbol::Variable(id)) if !is_static => Some((id, true)),
            Some(_) if !is_static => return Err(Problem::new(span, format!("`{name}` is a function in another file"))),
            _ => None,
        };
        let is_new = known.or(linked).is_none();
        let id = match known.or(linked) {
            Some((id, other_unit)) => {
                self.merge_variable(id, ty, external, other_unit, name, span)?;
                id
            }
            None => {
                let id = self.new_variable(name.to_owned(), ty, Storage::Static, span);
                let variable = &mut self.hir.variables[id.0 as usize];
                (variable.external, variable.exported) = (external, !is_static);
                if !is_static {
                    self.externals.insert(link_name.to_owned(), Symbol::Variable(id));
                }
                id
            }
        };
        self.scope().names.insert(name.to_owned(), Symbol::Variable(id));
        self.align_variable(id, &linkage.attributes, is_new);
        self.variable_attributes(id, &linkage.attributes, span);
        Ok(id)
    }

    fn variable_attributes(&mut self, id: VariableId, attributes: &Attributes, span: Span) {
        let symbol = Symbol::Variable(id);
        let variable = &mut self.hir.variables[id.0 as usize];
        variable.weak |= attributes.weak;
        if attributes.weak {
            self.weak_here.insert(symbol);
        }
        if let Some(target) = attributes.alias.clone() {
            self.aliases.push(Alias { of: symbol, target, span });
        }
    }

    fn merge_variable(
        &mut self,
        id: VariableId,
        ty: TypeId,
        external: bool,
        other_unit: bool,
        name: &str,
        span: Span,
    ) -> Checked<()> {
        let old = self.variable_place(id, span).ty;
        if !other_unit && !self.compatible(old, ty, 0) {
            let (old, new) = (self.name_of(old), self.name_of(ty));
            return Err(Problem::new(span, format!("`{name}` is declared as `{new}`, and before as `{old}`")));
        }
        if other_unit && !self.in_models && !self.is_read_alike(old, ty) {
            let (old, new) = (self.name_of(old), self.name_of(ty));
            let message = format!("`{name}` is declared as `{new}`, and in another file as `{old}`");
            return Err(Problem::new(span, message));
        }
        let completes = self.hir.types.size(old).is_none() && self.hir.types.size(ty).is_some();
        let variable = &mut self.hir.variables[id.0 as usize];
        if completes || other_unit && variable.external && !external {
            variable.ty = ty;
        }
        variable.external &= external;
        Ok(())
    }

    pub(super) fn define_global(
        &mut self,
        id: VariableId,
        name: &str,
        initializer: &Node<Initializer>,
        span: Span,
    ) -> Checked<()> {
        let symbol = Symbol::Variable(id);
        let weak = self.weak_here.contains(&symbol);
        if self.hir.variables[id.0 as usize].init.is_some() {
            match weak {
                true => return Ok(()),
                false if !self.replaceable.remove(&symbol) => {
                    return Err(Problem::new(span, format!("`{name}` is defined twice")));
                }
                false => {}
            }
        }
        if weak {
            self.replaceable.insert(symbol);
        }
        let ty = self.variable_place(id, span).ty;
        if self.hir.types.opaque(ty).is_some() {
            self.hir.variables[id.0 as usize].external = false;
            return Ok(()); // Nobody reads it.
        }
        let (completed, init) = self.static_initializer(ty, initializer)?;
        self.complete_variable(id, ty, completed);
        let variable = &mut self.hir.variables[id.0 as usize];
        (variable.init, variable.external) = (Some(init), false);
        Ok(())
    }

    /// Gives a variable the type that its initialiser makes of the declared one. An array gets its length for everyone. A struct
    /// with a flexible member only takes more room.
    pub(super) fn complete_variable(&mut self, id: VariableId, declared: TypeId, completed: TypeId) {
        self.hir.variables[id.0 as usize].ty = completed;
        if declared != completed && matches!(self.hir.types.get(declared), Type::Record(_)) {
            self.flexible.insert(id, declared);
        }
    }
}
