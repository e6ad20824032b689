//! Declarators: pointers, arrays, functions around a name.

use clinch_ir::Span;
use lang_c::ast::{
    ArraySize, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, Expression, FunctionDeclarator,
    ParameterDeclaration,
};
use lang_c::span::Node;

use super::attribute::{Attributes, TypeAlign};
use super::{Checked, Checker};
use crate::c::hir::Expr;
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

/// What a declarator declares.
pub(super) struct Declared {
    pub(super) name: Option<(String, Span)>,
    pub(super) ty: TypeId,
    /// The parameters, if it declares a function.
    pub(super) parameters: Option<Parameters>,
    /// The number of elements, if it declares an array whose length is not constant.
    pub(super) runtime_length: Option<Expr>,
    /// The numbers of elements of the arrays that are its elements, from inside out, where they are not constant.
    pub(super) row_lengths: Vec<Expr>,
    /// Lengths of arrays behind pointers: they are evaluated, and matter for nothing else here.
    pub(super) evaluated: Vec<Expr>,
    pub(super) attributes: Attributes,
}

/// The parameters of a function declarator.
pub(super) enum Parameters {
    Prototype(Vec<Parameter>),
    /// The names of an old-style definition.
    Names(Vec<(String, Span)>),
}

/// A parameter, its type adjusted.
pub(super) struct Parameter {
    pub(super) name: Option<String>,
    pub(super) ty: TypeId,
    pub(super) attributes: Attributes,
    pub(super) span: Span,
}

/// The length of an array.
enum Length {
    Constant(u64),
    Unknown,
    Runtime(Expr),
}

impl Checker<'_> {
    pub(super) fn declarator(&mut self, base: TypeId, node: &Node<Declarator>) -> Checked<Declared> {
        let attributes = Attributes::default();
        let (row_lengths, evaluated) = (Vec::new(), Vec::new());
        let (parameters, runtime_length) = (None, None);
        let mut declared =
            Declared { name: None, ty: base, parameters, runtime_length, row_lengths, evaluated, attributes };
        let span = self.at(node.span);
        self.deeper(span, |c| c.apply_declarator(&mut declared, node))?;
        Ok(declared)
    }

    fn apply_declarator(&mut self, declared: &mut Declared, node: &Node<Declarator>) -> Checked<()> {
        let derived = &node.node.derived;
        for pointer in derived.iter().filter(|d| is_pointer(&d.node)) {
            declared.ty = self.pointer_to(declared.ty);
            self.pointer_attributes(&pointer.node, declared.ty, &mut declared.attributes)?;
            declared.parameters = None;
            declared.evaluated.append(&mut declared.row_lengths);
            declared.evaluated.extend(declared.runtime_length.take());
        }
        for suffix in derived.iter().rev().filter(|d| !is_pointer(&d.node)) {
            self.apply_suffix(declared, suffix)?;
        }
        self.attributes(&node.node.extensions, &mut declared.attributes)?;
        match &node.node.kind.node {
            DeclaratorKind::Abstract => {}
            DeclaratorKind::Identifier(name) => declared.name = Some((name.node.name.clone(), self.at(name.span))),
            DeclaratorKind::Declarator(inner) => {
                let span = self.at(inner.span);
                self.deeper(span, |c| c.apply_declarator(declared, inner))?;
            }
        }
        Ok(())
    }

    fn apply_suffix(&mut self, declared: &mut Declared, suffix: &Node<DerivedDeclarator>) -> Checked<()> {
        let span = self.at(suffix.span);
        declared.parameters = None;
        match &suffix.node {
            DerivedDeclarator::Array(array) => {
                let rows = declared.runtime_length.take();
                match self.array_length(&array.node.size)? {
                    Length::Constant(length) => declared.ty = self.array_type(declared.ty, Some(length), span)?,
                    Length::Unknown => declared.ty = self.array_type(declared.ty, None, span)?,
                    Length::Runtime(length) => {
                        declared.ty = self.array_type(declared.ty, None, span)?;
                        declared.runtime_length = Some(length);
                    }
                }
                declared.row_lengths.extend(rows);
            }
            DerivedDeclarator::Function(function) => {
                declared.attributes.of_type = TypeAlign::Natural;
                let (ty, parameters) = self.function_type(declared.ty, &function.node, span)?;
                declared.ty = ty;
                declared.parameters = Some(Parameters::Prototype(parameters));
            }
            DerivedDeclarator::KRFunction(names) => {
                self.check_result(declared.ty, span)?;
                let (result, parameters) = (declared.ty, Vec::new());
                let ty = Type::Function { result, parameters, variadic: false, unspecified: true };
                declared.ty = self.types().intern(ty);
                let names = names.iter().map(|n| (n.node.name.clone(), self.at(n.span))).collect();
                declared.parameters = Some(Parameters::Names(names));
            }
            DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => {}
        }
        Ok(())
    }

    pub(super) fn array_type(&mut self, element: TypeId, length: Option<u64>, span: Span) -> Checked<TypeId> {
        let complete = match *self.hir.types.get(element) {
            Type::Function { .. } | Type::Void => false,
            Type::Record(record) => self.hir.types.record(record).complete,
            _ => true,
        };
        if !complete {
            let element = self.name_of(element);
            return Err(Problem::new(span, format!("an array cannot have elements of type `{element}`")));
        }
        let size = self.hir.types.size(element).unwrap_or(1);
        if length.is_some_and(|l| size.checked_mul(l).is_none_or(|s| s > i64::MAX as u64)) {
            return Err(Problem::new(span, "the array is larger than memory"));
        }
        Ok(self.types().intern(Type::Array(element, length)))
    }

    fn array_length(&mut self, size: &ArraySize) -> Checked<Length> {
        let expression = match size {
            ArraySize::Unknown | ArraySize::VariableUnknown => return Ok(Length::Unknown),
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => e,
        };
        let span = self.at(expression.span);
        let length = self.rvalue(expression)?;
        if !self.hir.types.is_integer(length.ty) {
            return Err(Problem::new(span, "the length of an array must be an integer"));
        }
        match self.constant_int(&length) {
            Some(value) => match u64::try_from(value) {
                Ok(value) => Ok(Length::Constant(value)),
                Err(_) => Err(Problem::new(span, "the length of an array is negative")),
            },
            None if self.function.is_some() => Ok(Length::Runtime(length)),
            None => Err(Problem::new(span, "the length of an array must be a constant")),
        }
    }

    fn check_result(&self, result: TypeId, span: Span) -> Checked<()> {
        match self.hir.types.get(result) {
            Type::Array(..) => Err(Problem::new(span, "a function cannot return an array")),
            Type::Function { .. } => Err(Problem::new(span, "a function cannot return a function")),
            _ => Ok(()),
        }
    }

    fn function_type(
        &mut self,
        result: TypeId,
        function: &FunctionDeclarator,
        span: Span,
    ) -> Checked<(TypeId, Vec<Parameter>)> {
        self.check_result(result, span)?;
        let mut parameters = self.in_scope(|c| {
            let parameters = function.parameters.iter().map(|p| c.parameter(p));
            parameters.collect::<Checked<Vec<Parameter>>>()
        })?;
        let unspecified = parameters.is_empty() && function.ellipsis == Ellipsis::None;
        if let [only] = &parameters[..]
            && only.ty == self.basic.void
            && only.name.is_none()
        {
            parameters.clear();
        }
        if let Some(void) = parameters.iter().find(|p| p.ty == self.basic.void) {
            return Err(Problem::new(void.span, "a parameter cannot have type `void`"));
        }
        let types = parameters.iter().map(|p| p.ty).collect();
        let variadic = function.ellipsis == Ellipsis::Some;
        let ty = Type::Function { result, parameters: types, variadic, unspecified };
        Ok((self.types().intern(ty), parameters))
    }

    fn parameter(&mut self, node: &Node<ParameterDeclaration>) -> Checked<Parameter> {
        let span = self.at(node.span);
        let specified = self.specifiers(&node.node.specifiers, span)?;
        let (mut ty, mut attributes) = (specified.ty, specified.attributes);
        self.attributes(&node.node.extensions, &mut attributes)?;
        let mut name = None;
        if let Some(declarator) = &node.node.declarator {
            let declared = self.parameter_declarator(ty, declarator)?;
            attributes = self.declared_attributes(ty, &attributes, &declared);
            (ty, name) = (declared.ty, declared.name);
        }
        let declared = self.with_attributes(ty, &attributes);
        let ty = self.adjusted(declared);
        if ty != declared {
            attributes.of_type = TypeAlign::Natural;
        }
        let ty = match &attributes.unknown {
            Some(what) => self.opaque_type(ty, &format!("attribute `{what}`")),
            None => ty,
        };
        let (name, span) = name.map_or((None, span), |(name, span)| (Some(name), span));
        Ok(Parameter { name, ty, attributes, span })
    }

    /// Lengths in parameters may speak of other parameters; they do not matter.
    fn parameter_declarator(&mut self, base: TypeId, node: &Node<Declarator>) -> Checked<Declared> {
        let has_length = node.node.derived.iter().any(|d| match &d.node {
            DerivedDeclarator::Array(array) => match &array.node.size {
                ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => !is_number(&e.node),
                _ => false,
            },
            _ => false,
        });
        if !has_length {
            return self.declarator(base, node);
        }
        match self.declarator(base, node) {
            Ok(declared) => Ok(declared),
            Err(_) => {
                let mut without = node.clone();
                for derived in &mut without.node.derived {
                    if let DerivedDeclarator::Array(array) = &mut derived.node {
                        let constant = match &array.node.size {
                            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => {
                                self.constant_expression(e).is_ok()
                            }
                            _ => true,
                        };
                        if !constant {
                            array.node.size = ArraySize::Unknown;
                        }
                    }
                }
                self.declarator(base, &without)
            }
        }
    }

    /// The type of a parameter: arrays and functions are pointers.
    pub(super) fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match *self.hir.types.get(ty) {
            Type::Array(element, _) => self.pointer_to(element),
            Type::Function { .. } => self.pointer_to(ty),
            _ => ty,
        }
    }
}

/// The name that a declarator declares.
pub(super) fn declared_name(declarator: &Declarator) -> Option<&str> {
    let mut declarator = declarator;
    loop {
        match &declarator.kind.node {
            DeclaratorKind::Abstract => return None,
            DeclaratorKind::Identifier(name) => return Some(&name.node.name),
            DeclaratorKind::Declarator(inner) => declarator = &inner.node,
        }
    }
}

fn is_pointer(derived: &DerivedDeclarator) -> bool {
    matches!(derived, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_))
}

fn is_number(expression: &Expression) -> bool {
    matches!(expression, Expression::Constant(_))
}
