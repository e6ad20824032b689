//! Alignments of types, objects and members, as gcc has them.
//!
//! A typedef can raise or lower the alignment of a type without making another type of it. So the alignment goes along with a
//! type while a declaration is read, and is known of variables and members afterwards. What is behind a pointer has lost it.

use clinch_ir::Span;
use lang_c::ast::{AlignOf, Expression, SpecifierQualifier, TypeName, TypeOf, TypeSpecifier};
use lang_c::span::Node;

use super::attribute::{Attributes, TypeAlign};
use super::declarator::Declared;
use super::expr::Operand;
use super::literal::unsupported;
use super::scope::Symbol;
use super::{Checked, Checker};
use crate::c::hir::{Expr, ExprKind, Place, PlaceKind, Storage, VariableId};
use crate::c::types::{DataModel, Type, TypeId};
use crate::diagnostic::Problem;

/// What declarations say about the alignment of a variable.
#[derive(Clone, Copy, Default)]
pub(super) struct VariableAlign {
    of_type: TypeAlign,
    /// The attribute of the variable itself, which wins.
    own: Option<u64>,
}

impl VariableAlign {
    fn of(attributes: &Attributes) -> Self {
        VariableAlign { of_type: attributes.of_type, own: attributes.align }
    }

    fn effective(self) -> TypeAlign {
        self.own.map_or(self.of_type, TypeAlign::Bytes)
    }
}

impl Checker<'_> {
    /// The attributes of what a declarator declares. The type that it derives from may be aligned; an array of it is, too.
    pub(super) fn declared_attributes(&self, base: TypeId, specified: &Attributes, declared: &Declared) -> Attributes {
        let element = |ty| self.hir.types.innermost_element(ty);
        let is_derived = element(base) != element(declared.ty);
        let of_type = if is_derived { declared.attributes.of_type } else { specified.of_type };
        Attributes { of_type, ..specified.clone().and(&declared.attributes) }
    }

    /// The alignment of a type to which an attribute gives one.
    pub(super) fn aligned_type(&mut self, ty: TypeId, attributes: &Attributes) -> TypeAlign {
        let Some(align) = attributes.last_align else { return attributes.of_type };
        if align != self.hir.types.align(ty) || align != self.variable_align(ty) {
            self.realigned.insert(ty);
        }
        TypeAlign::Bytes(align)
    }

    /// The alignment of a type that an expression has.
    pub(super) fn align_of_type_of(&self, ty: TypeId) -> TypeAlign {
        let mut ty = ty;
        loop {
            match *self.hir.types.get(ty) {
                _ if self.realigned.contains(&ty) => return TypeAlign::Unknown,
                Type::Array(element, _) => ty = element,
                _ => return TypeAlign::Natural,
            }
        }
    }

    /// The alignment of the type in `typeof(e)`.
    pub(super) fn align_in_typeof(&self, node: &Node<Expression>, ty: TypeId) -> TypeAlign {
        match &node.node {
            Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Symbol::Variable(id)) => self.aligns.get(&id).map_or(TypeAlign::Natural, |a| a.of_type),
                _ => self.align_of_type_of(ty),
            },
            _ => self.align_of_type_of(ty),
        }
    }

    /// Notes what a declaration of a variable says. Of several the strictest counts.
    pub(super) fn align_variable(&mut self, id: VariableId, attributes: &Attributes, is_new: bool) {
        let align = VariableAlign::of(attributes);
        let ty = self.hir.variables[id.0 as usize].ty;
        let known = self.aligns.get(&id).copied().unwrap_or_default();
        let align = match is_new {
            true => align,
            false => VariableAlign { own: self.stricter(ty, known.effective(), align.effective()), ..known },
        };
        self.hir.variables[id.0 as usize].align = match align.effective() {
            TypeAlign::Bytes(bytes) => Some(bytes),
            TypeAlign::Natural | TypeAlign::Unknown => None,
        };
        self.aligns.insert(id, align);
    }

    fn stricter(&self, ty: TypeId, left: TypeAlign, right: TypeAlign) -> Option<u64> {
        let natural = self.variable_align(ty);
        match (left, right) {
            (TypeAlign::Bytes(l), TypeAlign::Bytes(r)) => Some(l.max(r)),
            (TypeAlign::Bytes(bytes), _) | (_, TypeAlign::Bytes(bytes)) => Some(bytes.max(natural)),
            _ => None,
        }
    }

    /// The alignment of variables of a type. On 32 bits it is more than that of members.
    fn variable_align(&self, ty: TypeId) -> u64 {
        let element = self.hir.types.innermost_element(ty);
        let wide = self.hir.types.is_scalar(element) && self.hir.types.size(element) == Some(8);
        match self.hir.types.model == DataModel::Ilp32 && wide {
            true => 8,
            false => self.hir.types.align(ty),
        }
    }

    /// `_Alignof(T)`, `__alignof__(T)`, `__alignof__(e)`
    pub(super) fn alignof(&mut self, node: &Node<AlignOf>, span: Span) -> Checked<Expr> {
        let name = &*node.node.0;
        let (align, natural) = match expression_in(&name.node) {
            Some(expression) if !self.is_typedef_name(expression) => {
                let operand = self.unevaluated_operand(expression)?;
                (self.align_of_operand(&operand, span)?, self.variable_align(self.operand_type(&operand)))
            }
            _ => {
                let (ty, align) = self.aligned_type_name(name)?;
                if let Some(what) = self.hir.types.unknown_layout(ty) {
                    return Ok(unsupported(what, self.basic.size, span));
                }
                // `__alignof__` is that of a variable, `_Alignof` that of a member.
                let text = self.map.text.get(self.at(node.span).start as usize..).unwrap_or("");
                let of_member = text.starts_with("_Alignof") || text.starts_with("_Alignas");
                (align, if of_member { self.hir.types.align(ty) } else { self.variable_align(ty) })
            }
        };
        let size = self.basic.size;
        match align {
            TypeAlign::Natural => Ok(self.int(i128::from(natural), size, span)),
            TypeAlign::Bytes(bytes) => Ok(self.int(i128::from(bytes), size, span)),
            TypeAlign::Unknown => Ok(unsupported("an alignment that attributes may change", size, span)),
        }
    }

    fn is_typedef_name(&self, node: &Node<Expression>) -> bool {
        matches!(&node.node, Expression::Identifier(name)
            if matches!(self.lookup(&name.node.name), Some(Symbol::Typedef(..))))
    }

    fn align_of_operand(&self, operand: &Operand, span: Span) -> Checked<TypeAlign> {
        match operand {
            Operand::Function(..) => Ok(TypeAlign::Unknown),
            Operand::Value(value) => Ok(self.align_of_type_of(value.ty)),
            Operand::Place(place) => self.align_of_place(place, span),
        }
    }

    fn align_of_place(&self, place: &Place, span: Span) -> Checked<TypeAlign> {
        match &place.kind {
            PlaceKind::Variable(id) => {
                let align = self.aligns.get(id).copied().unwrap_or_default();
                let is_parameter = matches!(self.hir.variables[id.0 as usize].storage, Storage::Parameter(_));
                Ok(if is_parameter { align.of_type } else { align.effective() })
            }
            PlaceKind::Field(_, record, field) => {
                let field = &self.hir.types.record(*record).fields[*field];
                match field.bits {
                    Some(_) => Err(Problem::new(span, "a bit-field has no alignment")),
                    None => Ok(TypeAlign::Bytes(field.align)),
                }
            }
            PlaceKind::Deref(pointer) => Ok(self.align_behind(pointer)),
            PlaceKind::String(_) | PlaceKind::Value(_) => Ok(self.align_of_type_of(place.ty)),
        }
    }

    /// gcc looks through casts for the strictest alignment.
    fn align_behind(&self, pointer: &Expr) -> TypeAlign {
        let mut strictest = None;
        let mut pointer = pointer;
        while let Some(to) = self.hir.types.pointee(pointer.ty) {
            if self.align_of_type_of(to) == TypeAlign::Unknown || matches!(pointer.kind, ExprKind::Unsupported(_)) {
                return TypeAlign::Unknown;
            }
            strictest = strictest.max(Some(self.variable_align(to)));
            let ExprKind::Convert(inner) = &pointer.kind else { break };
            pointer = inner;
        }
        strictest.map_or(TypeAlign::Natural, TypeAlign::Bytes)
    }
}

/// The parser makes `__alignof__(typeof(e))` of `__alignof__(e)`.
fn expression_in(name: &TypeName) -> Option<&Node<Expression>> {
    match (&name.specifiers[..], &name.declarator) {
        ([Node { node: SpecifierQualifier::TypeSpecifier(specifier), .. }], None) => match &specifier.node {
            TypeSpecifier::TypeOf(Node { node: TypeOf::Expression(expression), .. }) => Some(expression),
            _ => None,
        },
        _ => None,
    }
}
