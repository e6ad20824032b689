//! Attributes of declarations, and types of which no value is computed.

use clinch_ir::Span;
use lang_c::ast::{Attribute, DerivedDeclarator, Expression, Extension, PointerQualifier};
use lang_c::span::Node;

use super::literal::unsupported;
use super::{Checked, Checker};
use crate::c::hir::{Expr, ExprKind, Place, PlaceKind};
use crate::c::parse::UNKNOWN;
use crate::c::types::{Field, Rank, Type, TypeId};
use crate::diagnostic::Problem;

/// The priority of constructors and destructors without one: the last of the first, the first of the last.
pub(super) const DEFAULT_PRIORITY: u32 = 65_535;

/// The alignment of a type as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum TypeAlign {
    #[default]
    Natural,
    /// An attribute says so.
    Bytes(u64),
    /// The type is that of an expression, and some typedef changes the alignment of such types.
    Unknown,
}

/// What the attributes of a declaration say.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    /// The strictest alignment, which is that of a variable or a member.
    pub(super) align: Option<u64>,
    /// The alignment that gcc applies last, which is that of a type.
    pub(super) last_align: Option<u64>,
    /// The alignment that the type has before.
    pub(super) of_type: TypeAlign,
    pub(super) packed: bool,
    /// `mode(DI)`: the type of that mode.
    pub(super) mode: Option<Mode>,
    /// `vector_size(16)`: bytes.
    pub(super) vector: Option<u64>,
    pub(super) transparent: bool,
    /// Priorities of a function that runs before or after `main`.
    pub(super) constructor: Option<u32>,
    pub(super) destructor: Option<u32>,
    /// The function that is called when the variable's block ends.
    pub(super) cleanup: Option<String>,
    /// The name of which this one is another.
    pub(super) alias: Option<String>,
    /// The name that the assembler knows it by.
    pub(super) label: Option<String>,
    pub(super) weak: bool,
    /// Something that is not modelled: uses of what is declared are not, either.
    pub(super) unknown: Option<String>,
}

/// What `mode` makes of an arithmetic type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mode {
    Integer(Rank),
    Float(u32),
}

impl Attributes {
    fn align(&mut self, align: Option<u64>) {
        self.align = self.align.max(align);
        self.last_align = align.or(self.last_align);
    }

    /// Adds what stands at the declarator to what the specifiers say.
    pub(super) fn and(mut self, other: &Attributes) -> Self {
        let other = other.clone();
        self.align = self.align.max(other.align);
        self.last_align = self.last_align.or(other.last_align);
        self.packed |= other.packed;
        self.transparent |= other.transparent;
        self.weak |= other.weak;
        self.mode = other.mode.or(self.mode);
        self.vector = other.vector.or(self.vector);
        self.constructor = other.constructor.or(self.constructor);
        self.destructor = other.destructor.or(self.destructor);
        self.cleanup = other.cleanup.or(self.cleanup);
        self.alias = other.alias.or(self.alias);
        self.label = other.label.or(self.label);
        self.unknown = other.unknown.or(self.unknown);
        self
    }
}

impl Checker<'_> {
    /// Reads the attributes that the parser left: those that mean something.
    pub(super) fn attributes(&mut self, extensions: &[Node<Extension>], found: &mut Attributes) -> Checked<()> {
        for extension in extensions {
            match &extension.node {
                Extension::Attribute(attribute) => self.attribute(attribute, found)?,
                Extension::AsmLabel(label) => {
                    let text = self.string_parts(&label.node, self.at(label.span))?;
                    found.label = Some(text.readable());
                }
                Extension::AvailabilityAttribute(_) => {}
            }
        }
        Ok(())
    }

    fn attribute(&mut self, attribute: &Attribute, found: &mut Attributes) -> Checked<()> {
        let name = attribute.name.node.as_str();
        match (name, attribute.arguments.first()) {
            ("packed", _) => found.packed = true,
            ("aligned", None) => found.align(Some(16)),
            ("aligned", Some(argument)) => {
                let align = self.alignment(argument)?;
                found.align(align);
            }
            ("mode", Some(Node { node: Expression::Identifier(mode), .. })) => {
                let mode = mode.node.name.trim_matches('_');
                found.mode = mode_of(mode);
                if found.mode.is_none() {
                    found.unknown = Some(format!("mode({mode})"));
                }
            }
            ("vector_size", Some(argument)) => {
                let size = self.constant_expression(argument)?;
                found.vector = u64::try_from(size).ok().filter(|size| (1..1 << 20).contains(size));
            }
            ("transparent_union", _) => found.transparent = true,
            ("constructor", argument) => found.constructor = Some(self.priority(argument)?),
            ("destructor", argument) => found.destructor = Some(self.priority(argument)?),
            ("cleanup", Some(Node { node: Expression::Identifier(function), .. })) => {
                found.cleanup = Some(function.node.name.clone());
            }
            ("alias", Some(Node { node: Expression::StringLiteral(parts), span })) => {
                let text = self.string_parts(&parts.node, self.at(*span))?;
                found.alias = Some(text.readable());
            }
            ("weak", _) => found.weak = true,
            _ => found.unknown = Some(name.strip_prefix(UNKNOWN).unwrap_or(name).to_owned()),
        }
        Ok(())
    }

    fn priority(&mut self, argument: Option<&Node<Expression>>) -> Checked<u32> {
        match argument {
            None => Ok(DEFAULT_PRIORITY),
            Some(argument) => Ok(u32::try_from(self.constant_expression(argument)?).unwrap_or(DEFAULT_PRIORITY)),
        }
    }

    /// Attributes behind a `*`. An alignment is that of the pointer type.
    pub(super) fn pointer_attributes(
        &mut self,
        derived: &DerivedDeclarator,
        pointer: TypeId,
        found: &mut Attributes,
    ) -> Checked<()> {
        found.of_type = TypeAlign::Natural;
        let DerivedDeclarator::Pointer(qualifiers) = derived else { return Ok(()) };
        let mut here = Attributes::default();
        for qualifier in qualifiers {
            if let PointerQualifier::Extension(extensions) = &qualifier.node {
                self.attributes(extensions, &mut here)?;
            }
        }
        let of_type = self.aligned_type(pointer, &here);
        (here.align, here.last_align) = (None, None);
        *found = Attributes { of_type, ..std::mem::take(found).and(&here) };
        Ok(())
    }

    /// The type that attributes make of one.
    pub(super) fn with_attributes(&mut self, ty: TypeId, attributes: &Attributes) -> TypeId {
        let ty = self.with_mode(ty, attributes.mode);
        match attributes.vector {
            Some(size) => self.vector_type(ty, size),
            None => ty,
        }
    }

    fn with_mode(&mut self, ty: TypeId, mode: Option<Mode>) -> TypeId {
        let changed = match (self.hir.types.get(ty), mode) {
            (Type::Int { signed: true, .. }, Some(Mode::Integer(Rank::Char))) => {
                Type::Int { rank: Rank::SignedChar, signed: true }
            }
            (&Type::Int { signed, .. }, Some(Mode::Integer(rank))) => Type::Int { rank, signed },
            (Type::Float(_), Some(Mode::Float(bits))) => Type::Float(bits),
            _ => return ty,
        };
        self.types().intern(changed)
    }

    /// Vectors have a size; no value of one is computed. `vector_size` speaks of the type that pointers and arrays are made
    /// of.
    fn vector_type(&mut self, ty: TypeId, size: u64) -> TypeId {
        let outer = self.hir.types.get(ty).clone();
        match outer {
            Type::Pointer(to) => {
                let to = self.vector_type(to, size);
                self.pointer_to(to)
            }
            Type::Array(element, length) => {
                let element = self.vector_type(element, size);
                self.types().intern(Type::Array(element, length))
            }
            Type::Function { result, parameters, variadic, unspecified } => {
                let result = self.vector_type(result, size);
                self.types().intern(Type::Function { result, parameters, variadic, unspecified })
            }
            _ => {
                let bytes = self.hir.types.size(ty).unwrap_or(1).max(1);
                let elements = self.types().intern(Type::Array(ty, Some(size / bytes)));
                let field = Field { name: "elements".to_owned(), ty: elements, offset: 0, bits: None, align: size };
                let name = format!("vector of {} {}", size / bytes, self.name_of(ty));
                self.built_in_record(name, vec![field], size, size, Some("a vector"))
            }
        }
    }

    /// A type like another one, of which no value is computed. A record keeps its members, for a program names them.
    pub(super) fn opaque_type(&mut self, ty: TypeId, what: &str) -> TypeId {
        let Some(size) = self.hir.types.size(ty) else { return ty };
        let align = self.hir.types.align(ty);
        let fields = match *self.hir.types.get(ty) {
            Type::Record(id) => self.hir.types.record(id).fields.clone(),
            _ => vec![Field { name: "value".to_owned(), ty, offset: 0, bits: None, align }],
        };
        let name = format!("{} with {what}", self.name_of(ty));
        self.built_in_record(name, fields, size, align, Some(what))
    }

    /// An unsupported value instead of one whose type is not modelled.
    pub(super) fn opaque_value(&self, value: &Expr, ty: TypeId) -> Option<Expr> {
        let what = self.hir.types.opaque(value.ty)?;
        Some(unsupported(what, ty, value.span))
    }

    /// A place that nothing is known of, instead of one whose type is not modelled.
    pub(super) fn modelled(&mut self, place: Place) -> Place {
        let Some(what) = self.hir.types.opaque(place.ty).map(str::to_owned) else { return place };
        self.unsupported_place(&what, place.ty, place.span)
    }

    pub(super) fn unsupported_place(&mut self, what: &str, ty: TypeId, span: Span) -> Place {
        let pointer = unsupported(what, self.pointer_to(ty), span);
        Place { kind: PlaceKind::Deref(Box::new(pointer)), ty, span }
    }

    /// The part of a complex number, which is the operand of a cast: a pointer to it.
    pub(super) fn complex_part(&mut self, value: &Expr, span: Span) -> Expr {
        let part = match *self.hir.types.get(value.ty) {
            Type::Record(id) => self.hir.types.record(id).fields.first().map(|f| f.ty),
            _ => None,
        };
        let pointer = self.pointer_to(part.unwrap_or(value.ty));
        Expr { kind: ExprKind::Unsupported("a part of a complex number".to_owned()), ty: pointer, span }
    }

    pub(super) fn alignment(&mut self, expression: &Node<Expression>) -> Checked<Option<u64>> {
        let value = self.constant_expression(expression)?;
        match u64::try_from(value) {
            Ok(0) => Ok(None),
            Ok(align) if align.is_power_of_two() && align <= 1 << 28 => Ok(Some(align)),
            _ => Err(Problem::new(self.at(expression.span), "an alignment is a power of two")),
        }
    }
}

fn mode_of(mode: &str) -> Option<Mode> {
    Some(match mode {
        "QI" | "byte" => Mode::Integer(Rank::Char),
        "HI" => Mode::Integer(Rank::Short),
        "SI" => Mode::Integer(Rank::Int),
        "DI" => Mode::Integer(Rank::LongLong),
        "TI" => Mode::Integer(Rank::Int128),
        "word" | "pointer" | "unwind_word" => Mode::Integer(Rank::Long),
        "SF" => Mode::Float(32),
        "DF" => Mode::Float(64),
        "XF" => Mode::Float(80),
        "TF" => Mode::Float(128),
        _ => return None,
    })
}
