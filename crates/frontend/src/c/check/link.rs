//! Declarations of a file, and what becomes of them in the program: names are linked across units.

use clinch_ir::Span;
use lang_c::ast::{Declaration, InitDeclarator};
use lang_c::span::Node;

use super::scope::Symbol;
use super::specifier::{Sizes, Specified};
use super::{Checked, Checker};
use crate::c::hir::{Function, FunctionId, Storage, Variable, VariableId};
use crate::c::models;
use crate::c::types::{RecordId, Type, TypeId};
use crate::diagnostic::Problem;

impl Checker<'_> {
    pub(super) fn file_declaration(&mut self, declaration: &Declaration) -> Checked<()> {
        let span = self.declaration_span(declaration);
        let specified = match self.specifiers(&declaration.specifiers, span) {
            Ok(specified) => specified,
            Err(problem) => {
                self.poison(declaration);
                return Err(problem);
            }
        };
        for node in &declaration.declarators {
            let result = self.file_declarator(&specified, node);
            if result.is_err() {
                self.poison_declarator(node);
            }
            self.report(result);
        }
        Ok(())
    }

    pub(super) fn declaration_span(&self, declaration: &Declaration) -> Span {
        declaration.specifiers.first().map_or(Span::default(), |s| self.at(s.span))
    }

    /// Makes uses of names silent whose declaration went wrong.
    pub(super) fn poison(&mut self, declaration: &Declaration) {
        declaration.declarators.iter().for_each(|node| self.poison_declarator(node));
    }

    pub(super) fn poison_declarator(&mut self, node: &Node<InitDeclarator>) {
        if let Some(name) = super::define::declared_name(&node.node.declarator.node) {
            self.scope().names.entry(name.to_owned()).or_insert(Symbol::Poison);
        }
    }

    fn file_declarator(&mut self, specified: &Specified, node: &Node<InitDeclarator>) -> Checked<()> {
        let declared = self.declarator(specified.ty, &node.node.declarator)?;
        let mut sizes = specified.sizes;
        sizes.align = sizes.align.max(declared.sizes.align);
        sizes.mode = sizes.mode.or(declared.sizes.mode);
        let ty = self.with_mode(declared.ty, sizes.mode);
        let (name, span) =
            declared.name.ok_or_else(|| Problem::new(self.at(node.span), "a declaration without a name"))?;
        if specified.is_typedef {
            return self.declare_typedef(&name, ty, sizes, span);
        }
        if let Type::Function { .. } = self.hir.types.get(ty) {
            if node.node.initializer.is_some() {
                return Err(Problem::new(span, format!("function `{name}` is initialised like a variable")));
            }
            return self.declare_function(&name, ty, specified.is_static, span).map(|_| ());
        }
        if let Some(length) = declared.runtime_length {
            return Err(Problem::new(length.span, "the length of an array must be a constant"));
        }
        if self.in_models && self.is_the_programs(&name) {
            return Ok(());
        }
        let defines = node.node.initializer.is_some();
        let external = specified.is_extern && !defines;
        let inferred = specified.inferred.then_some(&node.node.initializer).and_then(Option::as_ref);
        let ty = match inferred {
            Some(initializer) => self.inferred_type(initializer)?,
            None => ty,
        };
        let id = self.declare_global(&name, ty, specified.is_static, external, span)?;
        if let Some(initializer) = &node.node.initializer {
            if self.hir.variables[id.0 as usize].init.is_some() {
                return Err(Problem::new(span, format!("`{name}` is defined twice")));
            }
            let ty = self.hir.variables[id.0 as usize].ty;
            let (ty, init) = self.initializer(ty, initializer)?;
            let init = self.static_init(init)?;
            let variable = &mut self.hir.variables[id.0 as usize];
            (variable.ty, variable.init, variable.external) = (ty, Some(init), false);
        }
        Ok(())
    }

    /// Whether the program itself defines a name with external linkage that a model would define, or uses it otherwise.
    pub(super) fn is_the_programs(&self, name: &str) -> bool {
        match self.externals.get(name) {
            Some(Symbol::Function(id)) => {
                let function = &self.hir.functions[id.0 as usize];
                function.body.is_some() && !function.is_model
            }
            Some(Symbol::Variable(id)) => !self.hir.variables[id.0 as usize].external,
            _ => false,
        }
    }

    pub(super) fn declare_typedef(&mut self, name: &str, ty: TypeId, sizes: Sizes, span: Span) -> Checked<()> {
        match self.scope().names.insert(name.to_owned(), Symbol::Typedef(ty, sizes.align)) {
            None | Some(Symbol::Poison) => Ok(()),
            Some(Symbol::Typedef(old, _)) if self.compatible(old, ty, 0) => Ok(()),
            Some(_) => Err(Problem::new(span, format!("`{name}` is declared twice, with different types"))),
        }
    }

    /// Whether two declarations of a name may have these types.
    pub(super) fn compatible(&self, left: TypeId, right: TypeId, depth: u32) -> bool {
        if left == right || depth > 100 {
            return true;
        }
        let same = |l: TypeId, r: TypeId| self.compatible(l, r, depth + 1);
        match (self.hir.types.get(left), self.hir.types.get(right)) {
            (&Type::Pointer(l), &Type::Pointer(r)) => same(l, r),
            (&Type::Array(l, ll), &Type::Array(r, rl)) => same(l, r) && (ll == rl || ll.is_none() || rl.is_none()),
            (
                Type::Function { result: l, parameters: lp, variadic: lv, unspecified: lu },
                Type::Function { result: r, parameters: rp, variadic: rv, unspecified: ru },
            ) => {
                let parameters = lp.len() == rp.len() && lv == rv && lp.iter().zip(rp).all(|(l, r)| same(*l, *r));
                same(*l, *r) && (*lu || *ru || parameters)
            }
            _ => false,
        }
    }

    fn has_unspecified_parameters(&self, ty: TypeId) -> bool {
        matches!(self.hir.types.get(ty), Type::Function { unspecified: true, .. })
    }

    /// Declares a function in the scope of the file or of a block.
    pub(super) fn declare_function(
        &mut self,
        name: &str,
        ty: TypeId,
        is_static: bool,
        span: Span,
    ) -> Checked<FunctionId> {
        let here = self.scope().names.get(name).copied();
        let known = match here.or_else(|| self.scopes[0].names.get(name).copied()) {
            Some(Symbol::Function(id)) => {
                self.redeclare(id, ty, name, span)?;
                Some(id)
            }
            Some(Symbol::Poison) | None => None,
            Some(_) if here.is_none() => None,
            Some(_) => return Err(Problem::new(span, format!("`{name}` is declared twice"))),
        };
        let id = match (known, self.externals.get(name)) {
            (Some(id), _) => id,
            (None, Some(&Symbol::Function(id))) if !is_static => {
                // Declared in another unit: what differs there is not seen by a compiler either.
                if self.has_unspecified_parameters(self.hir.functions[id.0 as usize].ty) {
                    self.hir.functions[id.0 as usize].ty = ty;
                }
                id
            }
            (None, Some(_)) if !is_static => {
                return Err(Problem::new(span, format!("`{name}` is a variable in another file")));
            }
            _ => {
                let id = self.new_function(name, ty, span);
                if !is_static {
                    self.externals.insert(name.to_owned(), Symbol::Function(id));
                }
                id
            }
        };
        self.scope().names.insert(name.to_owned(), Symbol::Function(id));
        Ok(id)
    }

    fn redeclare(&mut self, id: FunctionId, ty: TypeId, name: &str, span: Span) -> Checked<()> {
        let old = self.hir.functions[id.0 as usize].ty;
        if old == ty || self.has_unspecified_parameters(ty) && self.compatible(old, ty, 0) {
            return Ok(());
        }
        if !self.has_unspecified_parameters(old) && !self.compatible(old, ty, 0) {
            let (old, new) = (self.name_of(old), self.name_of(ty));
            return Err(Problem::new(span, format!("`{name}` is declared as `{new}`, and before as `{old}`")));
        }
        self.hir.functions[id.0 as usize].ty = ty;
        Ok(())
    }

    pub(super) fn new_function(&mut self, name: &str, ty: TypeId, span: Span) -> FunctionId {
        let (parameters, labels) = (Vec::new(), Vec::new());
        let name = name.to_owned();
        let (body, address_taken, is_model, is_system) = (None, false, false, self.map.is_system(span));
        self.hir.functions.push(Function {
            name,
            ty,
            parameters,
            labels,
            body,
            address_taken,
            is_model,
            is_system,
            span,
        });
        FunctionId(u32::try_from(self.hir.functions.len() - 1).expect("fewer than 2^32 functions"))
    }

    /// A function that is called without a declaration returns `int`.
    pub(super) fn implicit_function(&mut self, name: &str, span: Span) -> FunctionId {
        // `__builtin_strrchr` is `strrchr`.
        let plain = name.strip_prefix("__builtin_").filter(|plain| models::stands_for(plain)).unwrap_or(name);
        let id = match self.externals.get(plain) {
            Some(&Symbol::Function(id)) => id,
            _ => {
                let ty = self.implicit_type(plain);
                let id = self.new_function(plain, ty, span);
                self.externals.insert(plain.to_owned(), Symbol::Function(id));
                id
            }
        };
        self.scopes[0].names.insert(name.to_owned(), Symbol::Function(id));
        id
    }

    pub(super) fn new_variable(&mut self, name: String, ty: TypeId, storage: Storage, span: Span) -> VariableId {
        self.hir.variables.push(Variable {
            name,
            ty,
            storage,
            init: None,
            external: false,
            address_taken: false,
            runtime_length: None,
            span,
        });
        VariableId(u32::try_from(self.hir.variables.len() - 1).expect("fewer than 2^32 variables"))
    }

    /// Declares a variable with linkage, in the scope of the file or of a block.
    pub(super) fn declare_global(
        &mut self,
        name: &str,
        ty: TypeId,
        is_static: bool,
        external: bool,
        span: Span,
    ) -> Checked<VariableId> {
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
        let linked = match self.externals.get(name) {
            Some(&Symbol::Variable(id)) if !is_static => Some((id, true)),
            Some(_) if !is_static => return Err(Problem::new(span, format!("`{name}` is a function in another file"))),
            _ => None,
        };
        let id = match known.or(linked) {
            Some((id, other_unit)) => {
                self.merge_variable(id, ty, external, other_unit, name, span)?;
                id
            }
            None => {
                let id = self.new_variable(name.to_owned(), ty, Storage::Static, span);
                self.hir.variables[id.0 as usize].external = external;
                if !is_static {
                    self.externals.insert(name.to_owned(), Symbol::Variable(id));
                }
                id
            }
        };
        self.scope().names.insert(name.to_owned(), Symbol::Variable(id));
        Ok(id)
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
        let old = self.hir.variables[id.0 as usize].ty;
        if !other_unit && !self.compatible(old, ty, 0) {
            let (old, new) = (self.name_of(old), self.name_of(ty));
            return Err(Problem::new(span, format!("`{name}` is declared as `{new}`, and before as `{old}`")));
        }
        let completes = self.hir.types.size(old).is_none() && self.hir.types.size(ty).is_some();
        let variable = &mut self.hir.variables[id.0 as usize];
        if completes || other_unit && variable.external && !external {
            variable.ty = ty;
        }
        variable.external &= external;
        Ok(())
    }

    /// Lets later units find the records of this one.
    fn share_records(&mut self) {
        let all = (0..self.hir.types.record_count()).map(|i| RecordId(i as u32));
        for id in all {
            let record = self.hir.types.record(id);
            if record.complete && !self.shared_records.contains_key(&record.name) {
                self.shared_records.insert(record.name.clone(), id);
            }
        }
        self.reused_records.clear();
    }

    /// Completes what was declared tentatively.
    pub(super) fn end_of_unit(&mut self) {
        if self.has_several_units {
            self.share_records();
        }
        for i in 0..self.hir.variables.len() {
            let variable = &self.hir.variables[i];
            let (ty, span) = (variable.ty, variable.span);
            if variable.external || variable.storage != Storage::Static || self.hir.types.size(ty).is_some() {
                continue;
            }
            match *self.hir.types.get(ty) {
                Type::Array(element, None) if self.hir.types.size(element).is_some() => {
                    self.hir.variables[i].ty = self.types().intern(Type::Array(element, Some(1)));
                }
                _ => {
                    let message = format!("`{}` has the incomplete type `{}`", variable.name, self.name_of(ty));
                    self.problems.push(Problem::new(span, message));
                }
            }
        }
    }
}
