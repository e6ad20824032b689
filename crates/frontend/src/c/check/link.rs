//! Declarations of a file, and what becomes of them in the program: names are linked across units.

use clinch_ir::Span;
use lang_c::ast::{Declaration, InitDeclarator};
use lang_c::span::Node;

use super::attribute::Attributes;
use super::resolve::Alias;
use super::scope::{Symbol, Tag};
use super::specifier::Specified;
use super::{Checked, Checker};
use crate::c::hir::{Function, FunctionId, Storage, VariableId};
use crate::c::models;
use crate::c::parse::readable;
use crate::c::types::{RecordId, Type, TypeId};
use crate::diagnostic::Problem;

/// Functions that a program may have its own of, for itself and for the library.
const ALLOCATION: [&str; 4] = ["malloc", "calloc", "realloc", "free"];

/// How a name is known to other declarations and units.
pub(super) struct Linkage {
    pub(super) is_static: bool,
    pub(super) attributes: Attributes,
}

impl Linkage {
    /// The name that is linked.
    pub(super) fn name<'n>(&'n self, name: &'n str) -> &'n str {
        self.attributes.label.as_deref().unwrap_or(name)
    }
}

/// The name of a function by that of its symbol. glibc has new versions of some functions under names of their own.
fn library_name(symbol: &str) -> &str {
    symbol.strip_prefix("__isoc99_").or_else(|| symbol.strip_prefix("__isoc23_")).unwrap_or(symbol)
}

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
        if let Some(name) = super::declarator::declared_name(&node.node.declarator.node) {
            self.scope().names.entry(name.to_owned()).or_insert(Symbol::Poison);
        }
    }

    fn file_declarator(&mut self, specified: &Specified, node: &Node<InitDeclarator>) -> Checked<()> {
        let declared = self.declarator(specified.ty, &node.node.declarator)?;
        let mut attributes = self.declared_attributes(specified.ty, &specified.attributes, &declared);
        if specified.is_register {
            // A register of the machine, which anyone may change.
            attributes.unknown = Some("register".to_owned());
        }
        let ty = self.with_attributes(declared.ty, &attributes);
        let (name, span) =
            declared.name.ok_or_else(|| Problem::new(self.at(node.span), "a declaration without a name"))?;
        if specified.is_typedef {
            return self.declare_typedef(&name, ty, &attributes, None, span);
        }
        let mut linkage = Linkage { is_static: specified.is_static, attributes };
        if let Type::Function { .. } = self.hir.types.get(ty) {
            if node.node.initializer.is_some() {
                return Err(Problem::new(span, format!("function `{name}` is initialised like a variable")));
            }
            return self.declare_function(&name, ty, &linkage, span).map(|_| ());
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
            Some(initializer) => self.inferred_type(initializer, &mut linkage.attributes)?,
            None => ty,
        };
        let id = self.declare_global(&name, ty, &linkage, external, span)?;
        match &node.node.initializer {
            Some(initializer) => self.define_global(id, &name, initializer, span),
            None => Ok(()),
        }
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

    pub(super) fn declare_typedef(
        &mut self,
        name: &str,
        ty: TypeId,
        attributes: &Attributes,
        length: Option<VariableId>,
        span: Span,
    ) -> Checked<()> {
        let ty = match &attributes.unknown {
            Some(what) => self.opaque_type(ty, &format!("attribute `{what}`")),
            None => ty,
        };
        if let (Type::Record(record), true) = (self.hir.types.get(ty).clone(), attributes.transparent) {
            self.types().record_mut(record).transparent = true;
        }
        let align = self.aligned_type(ty, attributes);
        match self.scope().names.insert(name.to_owned(), Symbol::Typedef(ty, align, length)) {
            None | Some(Symbol::Poison) => Ok(()),
            Some(Symbol::Typedef(old, ..)) if self.compatible(old, ty, 0) => Ok(()),
            Some(_) => Err(Problem::new(span, format!("`{name}` is declared twice, with different types"))),
        }
    }

    /// Whether two declarations of a name may have these types.
    pub(super) fn compatible(&self, left: TypeId, right: TypeId, depth: u32) -> bool {
        self.are_compatible(left, right, self.has_several_units, depth)
    }

    /// Whether two types are compatible; where they may be those of different units, records are if they have the same name.
    pub(super) fn are_compatible(&self, left: TypeId, right: TypeId, across_units: bool, depth: u32) -> bool {
        if left == right || depth > 100 {
            return true;
        }
        let same = |l: TypeId, r: TypeId| self.are_compatible(l, r, across_units, depth + 1);
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
            // Another unit has its own declaration of it, which may say less.
            (&Type::Record(l), &Type::Record(r)) => {
                let (l, r) = (self.hir.types.record(l), self.hir.types.record(r));
                across_units && l.name == r.name && l.is_union == r.is_union
            }
            _ => false,
        }
    }

    /// Whether bytes mean the same in both types, as far as their sizes and kinds tell.
    pub(super) fn is_read_alike(&self, left: TypeId, right: TypeId) -> bool {
        if left == right || self.compatible(left, right, 0) {
            return true;
        }
        let types = &self.hir.types;
        match (types.get(left), types.get(right)) {
            (&Type::Array(l, _), &Type::Array(r, _)) => self.is_read_alike(l, r),
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (Type::Record(_), Type::Record(_)) => {
                types.size(left).is_none() || types.size(right).is_none() || types.size(left) == types.size(right)
            }
            _ => types.is_integer(left) && types.is_integer(right) && types.size(left) == types.size(right),
        }
    }

    /// Whether a call by one type does what a call by the other does.
    fn is_called_alike(&self, left: TypeId, right: TypeId) -> bool {
        let passed = |l: TypeId, r: TypeId| self.is_read_alike(l, r) && self.is_signed_alike(l, r);
        match (self.hir.types.get(left), self.hir.types.get(right)) {
            (
                Type::Function { result: l, parameters: lp, variadic: lv, unspecified: lu },
                Type::Function { result: r, parameters: rp, variadic: rv, unspecified: ru },
            ) => {
                let parameters = lp.len() == rp.len() && lv == rv && lp.iter().zip(rp).all(|(l, r)| passed(*l, *r));
                passed(*l, *r) && (*lu || *ru || parameters)
            }
            _ => false,
        }
    }

    /// Values narrower than a register are extended by their sign.
    fn is_signed_alike(&self, left: TypeId, right: TypeId) -> bool {
        match (self.hir.types.get(left), self.hir.types.get(right)) {
            (Type::Int { signed: l, .. }, Type::Int { signed: r, .. }) => {
                l == r || self.hir.types.size(left) >= self.hir.types.size(self.basic.int)
            }
            _ => true,
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
        linkage: &Linkage,
        span: Span,
    ) -> Checked<FunctionId> {
        let is_static = linkage.is_static;
        let link_name = linkage.name(name);
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
        let id = match (known, self.externals.get(link_name)) {
            (Some(id), _) => id,
            (None, Some(&Symbol::Function(id))) if !is_static => {
                // Declared in another unit: what differs there is not seen by a compiler either.
                let old = self.hir.functions[id.0 as usize].ty;
                if !self.in_models && !self.is_called_alike(old, ty) {
                    let what = "another type in another file";
                    self.hir.functions[id.0 as usize].unsupported = Some(what.to_owned());
                }
                if self.has_unspecified_parameters(old) {
                    self.hir.functions[id.0 as usize].ty = ty;
                }
                id
            }
            (None, Some(_)) if !is_static => {
                return Err(Problem::new(span, format!("`{name}` is a variable in another file")));
            }
            _ => {
                let id = self.new_function(library_name(link_name), ty, span);
                if !is_static {
                    self.externals.insert(link_name.to_owned(), Symbol::Function(id));
                }
                self.hir.functions[id.0 as usize].exported = !is_static;
                id
            }
        };
        self.scope().names.insert(name.to_owned(), Symbol::Function(id));
        self.function_attributes(id, name, &linkage.attributes, span);
        Ok(id)
    }

    fn function_attributes(&mut self, id: FunctionId, name: &str, attributes: &Attributes, span: Span) {
        let pragma = self.unit.pragmas.about(name);
        let function = &mut self.hir.functions[id.0 as usize];
        function.constructor = function.constructor.or(attributes.constructor);
        function.destructor = function.destructor.or(attributes.destructor);
        function.weak |= attributes.weak;
        if let Some(what) = attributes.unknown.as_ref().map(|what| format!("attribute `{what}`")) {
            function.unsupported = Some(what);
        } else if let Some(pragma) = pragma {
            function.unsupported = Some(pragma.to_owned());
        }
        let symbol = Symbol::Function(id);
        if attributes.weak {
            self.weak_here.insert(symbol);
            if self.hir.functions[id.0 as usize].body.is_some() {
                self.replaceable.insert(symbol);
            }
        }
        if let Some(target) = attributes.alias.clone() {
            self.aliases.push(Alias { of: symbol, target, span });
        }
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
        let name = readable(name).into_owned();
        let (constructor, destructor, unsupported) = (None, None, None);
        let (is_model, is_system) = (false, self.map.is_system(span));
        self.hir.functions.push(Function {
            name,
            ty,
            parameters,
            labels,
            body: None,
            address_taken: false,
            constructor,
            destructor,
            weak: false,
            unsupported,
            is_model,
            is_system,
            exported: false,
            span,
        });
        FunctionId(u32::try_from(self.hir.functions.len() - 1).expect("fewer than 2^32 functions"))
    }

    /// A function that is called without a declaration returns `int`.
    pub(super) fn implicit_function(&mut self, name: &str, span: Span) -> FunctionId {
        // `__builtin_strrchr` is `strrchr`.
        let is_known = |plain: &&str| models::stands_for(plain) || ALLOCATION.contains(plain);
        let plain = name.strip_prefix("__builtin_").filter(is_known).unwrap_or(name);
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

    /// Lets later units find the records of this one.
    fn share_records(&mut self) {
        let all = (0..self.hir.types.record_count()).map(|i| RecordId(i as u32));
        for id in all {
            let record = self.hir.types.record(id);
            let known = record.complete || self.is_tag_of_file(id);
            if known && !self.shared_records.contains_key(&record.name) {
                self.shared_records.insert(record.name.clone(), id);
            }
        }
        self.reused_records.clear();
    }

    /// Whether a record is declared by a tag in the scope of the file, if only by that.
    fn is_tag_of_file(&self, id: RecordId) -> bool {
        let tag = self.scopes[0].tags.get(&self.hir.types.record(id).name);
        matches!(tag, Some(Tag::Record(found)) if *found == id)
    }

    /// Completes what was declared tentatively.
    pub(super) fn end_of_unit(&mut self) {
        self.end_of_aliases();
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
                // Said at the end of the unit that declares it.
                _ if self.in_models => {}
                _ => {
                    let message = format!("`{}` has the incomplete type `{}`", variable.name, self.name_of(ty));
                    self.problems.push(Problem::new(span, message));
                }
            }
        }
    }
}
