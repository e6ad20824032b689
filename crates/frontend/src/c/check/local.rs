//! Declarations inside of functions.

use clinch_ir::Span;
use lang_c::ast::{Declaration, InitDeclarator, Initializer};
use lang_c::span::Node;

use super::attribute::Attributes;
use super::declarator::Declared;
use super::expr::Operand;
use super::link::Linkage;
use super::literal::unsupported;
use super::record::lone_tag;
use super::scope::Symbol;
use super::specifier::Specified;
use super::{Checked, Checker};
use crate::c::hir::{BinaryOp, Call, Callee, Expr, ExprKind, Init, InitItem, Stmt, Storage, VariableId};
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

impl Checker<'_> {
    pub(super) fn local_declaration(&mut self, declaration: &Declaration, out: &mut Vec<Stmt>) -> Checked<()> {
        let span = self.declaration_span(declaration);
        if declaration.declarators.is_empty()
            && let Some(record) = lone_tag(&declaration.specifiers)
        {
            self.declare_tag(record, span);
        }
        let mut specified = match self.specifiers(&declaration.specifiers, span) {
            Ok(specified) => specified,
            Err(problem) => {
                self.poison(declaration);
                return Err(problem);
            }
        };
        if let Some(length) = self.length_of_type.take() {
            specified.length = self.hidden_length("the type", length, out);
        }
        for node in &declaration.declarators {
            let result = self.local_declarator(&specified, node, out);
            if result.is_err() {
                self.poison_declarator(node);
            }
            self.report(result);
        }
        Ok(())
    }

    fn local_declarator(
        &mut self,
        specified: &Specified,
        node: &Node<InitDeclarator>,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let mut declared = self.declarator(specified.ty, &node.node.declarator)?;
        out.extend(declared.evaluated.drain(..).map(Stmt::Expr));
        self.rows(&mut declared, out);
        let runtime_length = self.runtime_length(specified, &mut declared)?;
        let attributes = self.declared_attributes(specified.ty, &specified.attributes, &declared);
        let ty = self.with_attributes(declared.ty, &attributes);
        let (name, span) =
            declared.name.ok_or_else(|| Problem::new(self.at(node.span), "a declaration without a name"))?;
        let initializer = node.node.initializer.as_ref();
        if specified.is_typedef {
            let length = runtime_length.and_then(|length| self.hidden_length(&name, length, out));
            return self.declare_typedef(&name, ty, &attributes, length, span);
        }
        let mut linkage = Linkage { is_static: false, attributes };
        if let Type::Function { .. } = self.hir.types.get(ty) {
            return self.declare_function(&name, ty, &linkage, span).map(|_| ());
        }
        if specified.is_extern {
            return self.declare_global(&name, ty, &linkage, true, span).map(|_| ());
        }
        let ty = match initializer {
            Some(initializer) if specified.inferred => self.inferred_type(initializer, &mut linkage.attributes)?,
            _ => ty,
        };
        let ty = match &linkage.attributes.unknown {
            Some(what) => self.opaque_type(ty, &format!("attribute `{what}`")),
            None => ty,
        };
        self.local_variable(
            (&name, span),
            ty,
            &linkage.attributes,
            specified.is_static,
            (runtime_length, initializer),
            out,
        )
    }

    /// A variable without linkage.
    fn local_variable(
        &mut self,
        (name, span): (&str, Span),
        ty: TypeId,
        attributes: &Attributes,
        is_static: bool,
        (runtime_length, initializer): (Option<Expr>, Option<&Node<Initializer>>),
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let storage = match &self.function {
            Some(function) if !is_static => Storage::Local(function.id),
            _ => Storage::Static,
        };
        let id = self.new_variable(name.to_owned(), ty, storage, span);
        self.align_variable(id, attributes, true);
        if let Some(what) = self.hir.types.opaque(ty).filter(|_| initializer.is_some()).map(str::to_owned) {
            self.declare_new(name, Symbol::Variable(id), span)?;
            out.push(Stmt::Unsupported(what, span));
            out.push(Stmt::Declare(id, None, span));
            return Ok(());
        }
        if storage == Storage::Static {
            self.declare_new(name, Symbol::Variable(id), span)?;
            return self.static_local(id, ty, initializer);
        }
        match runtime_length {
            Some(length) => self.runtime_array(id, name, length, initializer, out)?,
            None => {
                self.declare_new(name, Symbol::Variable(id), span)?;
                let init = initializer.map(|node| self.initializer(ty, node)).transpose()?;
                let init = init.map(|(completed, init)| {
                    self.complete_variable(id, ty, completed);
                    init
                });
                self.check_complete(id)?;
                out.push(Stmt::Declare(id, init, span));
            }
        }
        match &attributes.cleanup {
            Some(function) => self.cleanup(id, function, span, out),
            None => Ok(()),
        }
    }

    /// `__attribute__((cleanup(f)))`: `f(&x)` is called when the block ends.
    fn cleanup(&mut self, id: VariableId, function: &str, span: Span, out: &mut Vec<Stmt>) -> Checked<()> {
        let Some(Symbol::Function(function)) = self.lookup(function) else {
            return Err(Problem::new(span, format!("`{function}` is not a function")));
        };
        let place = self.variable_place(id, span);
        let pointer = self.pointer_to(place.ty);
        let mut argument = self.address(place, pointer);
        let Type::Function { result, parameters, .. } =
            self.hir.types.get(self.hir.functions[function.0 as usize].ty).clone()
        else {
            return Err(Problem::consequence());
        };
        if let Some(&parameter) = parameters.first() {
            argument = self.convert_assigned(argument, parameter, span)?;
        }
        let call = Call { callee: Callee::Direct(function), args: vec![argument] };
        let call = Expr { kind: ExprKind::Call(Box::new(call)), ty: result, span };
        out.push(Stmt::Cleanup(self.hir.cleanups.len(), span));
        self.hir.cleanups.push(call);
        Ok(())
    }

    fn check_complete(&self, id: VariableId) -> Checked<()> {
        let variable = &self.hir.variables[id.0 as usize];
        if self.hir.types.size(variable.ty).is_some() {
            return Ok(());
        }
        let (name, ty) = (&variable.name, self.name_of(variable.ty));
        Err(Problem::new(variable.span, format!("`{name}` has the incomplete type `{ty}`")))
    }

    fn static_local(&mut self, id: VariableId, ty: TypeId, initializer: Option<&Node<Initializer>>) -> Checked<()> {
        if let Some(initializer) = initializer {
            let (completed, init) = self.static_initializer(ty, initializer)?;
            self.complete_variable(id, ty, completed);
            self.hir.variables[id.0 as usize].init = Some(init);
        }
        self.check_complete(id)
    }

    /// `__auto_type x = e`
    pub(super) fn inferred_type(&mut self, node: &Node<Initializer>, found: &mut Attributes) -> Checked<TypeId> {
        let span = self.at(node.span);
        let Initializer::Expression(expression) = &node.node else {
            return Err(Problem::new(span, "`__auto_type` needs a value"));
        };
        self.unevaluated += 1;
        let value = self.rvalue(expression);
        self.unevaluated -= 1;
        let ty = value?.ty;
        found.of_type = self.align_of_type_of(ty);
        Ok(ty)
    }

    /// The number of elements of an array, if it is known at run time only: from the declarator, or from the type.
    fn runtime_length(&mut self, specified: &Specified, declared: &mut Declared) -> Checked<Option<Expr>> {
        let length = declared.runtime_length.take();
        let Some(id) = specified.length.filter(|_| length.is_none() && self.hir.types.size(declared.ty).is_none())
        else {
            return Ok(length);
        };
        let span = self.hir.variables[id.0 as usize].span;
        if declared.ty != specified.ty {
            return Ok(Some(unsupported("an array of arrays of run-time length", self.basic.size, span)));
        }
        self.load_length(id, span).map(Some)
    }

    /// A hidden variable that holds a length.
    fn hidden_length(&mut self, name: &str, length: Expr, out: &mut Vec<Stmt>) -> Option<VariableId> {
        let storage = Storage::Local(self.function.as_ref()?.id);
        let (size, span) = (self.basic.size, length.span);
        let hidden = self.new_variable(format!("length of {name}"), size, storage, span);
        let value = self.convert(length, size);
        let item = InitItem { offset: 0, ty: size, bits: None, value };
        out.push(Stmt::Declare(hidden, Some(Init { zero_fill: false, items: vec![item] }), span));
        Some(hidden)
    }

    pub(super) fn load_length(&mut self, length: VariableId, span: Span) -> Checked<Expr> {
        self.value(Operand::Place(self.variable_place(length, span)))
    }

    /// Arrays as elements of an array: each gets a type of its own, whose length a hidden variable keeps.
    fn rows(&mut self, declared: &mut Declared, out: &mut Vec<Stmt>) {
        let mut lengths = std::mem::take(&mut declared.row_lengths);
        let Some(span) = lengths.last().map(|length| length.span) else { return };
        let Type::Array(element, length) = *self.hir.types.get(declared.ty) else { return };
        let row = self.row_type(element, &mut lengths, out);
        declared.ty = self.types().intern(Type::Array(row, None));
        if let Some(length) = length {
            declared.runtime_length = Some(self.int(i128::from(length), self.basic.size, span));
        }
    }

    fn row_type(&mut self, ty: TypeId, lengths: &mut Vec<Expr>, out: &mut Vec<Stmt>) -> TypeId {
        let Type::Array(element, length) = *self.hir.types.get(ty) else { return ty };
        if length.is_some() {
            let row = self.row_type(element, lengths, out);
            return self.types().intern(Type::Array(row, length));
        }
        let hidden = lengths.pop().and_then(|length| self.hidden_length("a row", length, out));
        let row = self.row_type(element, lengths, out);
        let ty = self.types().fresh(Type::Array(row, None));
        self.row_lengths.extend(hidden.map(|hidden| (ty, hidden)));
        ty
    }

    /// How many [`Types::sized_part`](crate::c::types::Types::sized_part)s so many elements have; none if nobody knows.
    pub(super) fn parts_of_elements(&mut self, length: Expr, element: TypeId, span: Span) -> Checked<Option<Expr>> {
        if self.hir.types.size(element).is_some() {
            return Ok(Some(length));
        }
        let ty = self.basic.size;
        let Some(parts) = self.parts(element, span)? else { return Ok(None) };
        let length = self.convert(length, ty);
        Ok(Some(Expr { kind: ExprKind::Binary(BinaryOp::Mul, Box::new(length), Box::new(parts)), ty, span }))
    }

    /// How many parts of known size an array has that is an element of another one.
    pub(super) fn parts(&mut self, ty: TypeId, span: Span) -> Checked<Option<Expr>> {
        let Type::Array(element, length) = *self.hir.types.get(ty) else { return Ok(None) };
        let length = match (length, self.row_lengths.get(&ty)) {
            (Some(length), _) => self.int(i128::from(length), self.basic.size, span),
            (None, Some(&hidden)) => self.load_length(hidden, span)?,
            (None, None) => return Ok(None),
        };
        self.parts_of_elements(length, element, span)
    }

    /// An array whose length is computed: a hidden variable keeps the length, for `sizeof`.
    fn runtime_array(
        &mut self,
        id: VariableId,
        name: &str,
        length: Expr,
        initializer: Option<&Node<Initializer>>,
        out: &mut Vec<Stmt>,
    ) -> Checked<()> {
        let variable = &self.hir.variables[id.0 as usize];
        let (ty, span) = (variable.ty, variable.span);
        self.declare_new(name, Symbol::Variable(id), span)?;
        if initializer.is_some() {
            return Err(Problem::new(span, format!("`{name}` has a run-time length and cannot be initialised")));
        }
        let size = self.basic.size;
        let Some(hidden) = self.hidden_length(name, length, out) else { return Err(Problem::consequence()) };
        let length = self.load_length(hidden, span)?;
        let parts = match *self.hir.types.get(ty) {
            Type::Array(element, None) => self.parts_of_elements(length, element, span)?,
            _ => None,
        };
        let length = parts.unwrap_or_else(|| {
            out.push(Stmt::Unsupported("an array of arrays of run-time length".to_owned(), span));
            unsupported("an array of arrays of run-time length", size, span)
        });
        self.hir.variables[id.0 as usize].runtime_length = Some(length);
        self.runtime_lengths.insert(id, hidden);
        out.push(Stmt::Declare(id, None, span));
        Ok(())
    }
}
