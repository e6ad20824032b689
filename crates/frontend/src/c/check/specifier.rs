//! Declaration specifiers: from `unsigned long`, `struct S { ... }`, `typeof(x)` to a type.

use clinch_ir::Span;
use lang_c::ast::{
    DeclarationSpecifier, Expression, SpecifierQualifier, StorageClassSpecifier, TypeName, TypeOf, TypeQualifier,
    TypeSpecifier,
};
use lang_c::span::Node;

use super::attribute::{Attributes, TypeAlign};
use super::expr::Operand;
use super::literal::float_bits;
use super::record::new_record;
use super::scope::Symbol;
use super::{Checked, Checker};
use crate::c::hir::VariableId;
use crate::c::types::{DataModel, Field, Rank, Record, Type, TypeId};
use crate::diagnostic::Problem;

/// What the specifiers of a declaration say.
#[derive(Clone, Debug)]
pub(super) struct Specified {
    pub(super) ty: TypeId,
    pub(super) is_typedef: bool,
    pub(super) is_extern: bool,
    pub(super) is_static: bool,
    pub(super) is_register: bool,
    /// `__auto_type`: the type is that of the initialiser.
    pub(super) inferred: bool,
    /// `inline`, without which a definition is one for all units.
    pub(super) inline: bool,
    pub(super) attributes: Attributes,
    /// The variable that holds the length of the type, if that is known at run time only.
    pub(super) length: Option<VariableId>,
}

/// Counts of the words that make up an arithmetic type.
#[derive(Default)]
struct Words {
    long: u32,
    short: bool,
    char: bool,
    int: bool,
    int128: bool,
    signed: bool,
    unsigned: bool,
    float: Option<u32>,
    complex: bool,
    /// `_Atomic` as a qualifier.
    atomic: bool,
    /// A type that stands alone, and its alignment.
    other: Option<(TypeId, TypeAlign)>,
}

impl Checker<'_> {
    pub(super) fn specifiers(&mut self, specifiers: &[Node<DeclarationSpecifier>], span: Span) -> Checked<Specified> {
        self.length_of_type = None;
        let mut words = Words::default();
        let (mut is_typedef, mut is_extern, mut is_static, mut inline) = (false, false, false, false);
        let mut attributes = Attributes::default();
        let (mut inferred, mut is_register) = (false, false);
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    StorageClassSpecifier::Typedef => is_typedef = true,
                    StorageClassSpecifier::Extern => is_extern = true,
                    StorageClassSpecifier::Static => is_static = true,
                    StorageClassSpecifier::Register => is_register = true,
                    _ => {}
                },
                DeclarationSpecifier::TypeSpecifier(node) => {
                    inferred |= is_auto_type(&node.node);
                    self.word(&mut words, node)?;
                }
                DeclarationSpecifier::TypeQualifier(node) => words.atomic |= node.node == TypeQualifier::Atomic,
                DeclarationSpecifier::Function(_) => inline = true,
                // The parser makes an attribute of `_Alignas`.
                DeclarationSpecifier::Alignment(_) => {}
                DeclarationSpecifier::Extension(extensions) => self.attributes(extensions, &mut attributes)?,
            }
        }
        let (ty, of_type) = self.type_of_words(words, span)?;
        attributes.of_type = of_type;
        let length = None;
        Ok(Specified { ty, is_typedef, is_extern, is_static, is_register, inferred, inline, attributes, length })
    }

    /// The type and the attributes of a list of specifiers without storage class.
    pub(super) fn qualified(&mut self, list: &[Node<SpecifierQualifier>], span: Span) -> Checked<(TypeId, Attributes)> {
        let mut words = Words::default();
        let mut attributes = Attributes::default();
        for specifier in list {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(node) => self.word(&mut words, node)?,
                SpecifierQualifier::TypeQualifier(node) => words.atomic |= node.node == TypeQualifier::Atomic,
                SpecifierQualifier::Extension(extensions) => self.attributes(extensions, &mut attributes)?,
            }
        }
        let (ty, of_type) = self.type_of_words(words, span)?;
        attributes.of_type = of_type;
        Ok((ty, attributes))
    }

    pub(super) fn type_name(&mut self, name: &Node<TypeName>) -> Checked<TypeId> {
        self.aligned_type_name(name).map(|(ty, _)| ty)
    }

    /// A type and its alignment.
    pub(super) fn aligned_type_name(&mut self, name: &Node<TypeName>) -> Checked<(TypeId, TypeAlign)> {
        let span = self.at(name.span);
        let (mut ty, mut attributes) = self.qualified(&name.node.specifiers, span)?;
        if let Some(declarator) = &name.node.declarator {
            let mut declared = self.declarator(ty, declarator)?;
            attributes = self.declared_attributes(ty, &attributes, &declared);
            self.length_of_type = match declared.ty == ty {
                true => self.length_of_type.take(),
                false => declared.runtime_length.or(declared.row_lengths.pop()),
            };
            ty = declared.ty;
        }
        let ty = self.with_attributes(ty, &attributes);
        let align = self.aligned_type(ty, &attributes);
        match attributes.unknown {
            Some(what) => Ok((self.opaque_type(ty, &format!("attribute `{what}`")), align)),
            None => Ok((ty, align)),
        }
    }

    fn word(&mut self, words: &mut Words, node: &Node<TypeSpecifier>) -> Checked<()> {
        let span = self.at(node.span);
        match &node.node {
            TypeSpecifier::Char => words.char = true,
            TypeSpecifier::Short => words.short = true,
            TypeSpecifier::Int => words.int = true,
            TypeSpecifier::Long => words.long += 1,
            TypeSpecifier::Float => words.float = Some(32),
            TypeSpecifier::Double => words.float = Some(64),
            TypeSpecifier::Signed => words.signed = true,
            TypeSpecifier::Unsigned => words.unsigned = true,
            TypeSpecifier::Complex => words.complex = true,
            TypeSpecifier::TS18661Float(float) => match float_bits(float) {
                Some(bits) => words.float = Some(bits),
                None => words.int128 = true,
            },
            other => {
                if words.other.is_some() {
                    return Err(Problem::new(span, "a declaration has one type only"));
                }
                words.other = Some(self.single_type(other, span)?);
            }
        }
        Ok(())
    }

    /// A type that one specifier names, and its alignment.
    fn single_type(&mut self, specifier: &TypeSpecifier, span: Span) -> Checked<(TypeId, TypeAlign)> {
        let ty = match specifier {
            TypeSpecifier::Void => self.basic.void,
            TypeSpecifier::Bool => self.basic.bool,
            TypeSpecifier::Atomic(name) => {
                let (ty, align) = self.aligned_type_name(name)?;
                return Ok((ty, self.align_of_atomic(ty, align)));
            }
            TypeSpecifier::Struct(node) => {
                let record = self.record_type(&node.node, span)?;
                self.types().intern(Type::Record(record))
            }
            TypeSpecifier::Enum(node) => self.enum_type(&node.node, span)?,
            TypeSpecifier::TypeOf(node) => match &node.node {
                TypeOf::Type(name) => return self.aligned_type_name(name),
                // lang-c takes the name of a type for an expression here.
                TypeOf::Expression(expression) => match &expression.node {
                    Expression::Identifier(name)
                        if matches!(self.lookup(&name.node.name), Some(Symbol::Typedef(..))) =>
                    {
                        return self.single_type(&TypeSpecifier::TypedefName((**name).clone()), span);
                    }
                    _ => {
                        let ty = self.type_of_evaluated(expression)?;
                        return Ok((ty, self.align_in_typeof(expression, ty)));
                    }
                },
            },
            TypeSpecifier::TypedefName(name) => match self.lookup(&name.node.name) {
                Some(Symbol::Typedef(ty, align, length)) => {
                    self.length_of_type = match length {
                        Some(length) => Some(self.value(Operand::Place(self.variable_place(length, span)))?),
                        None => None,
                    };
                    return Ok((ty, align));
                }
                Some(Symbol::Poison) => return Err(Problem::consequence()),
                _ if name.node.name == "__builtin_va_list" => self.va_list(),
                _ => return Err(Problem::new(span, format!("`{}` is not a type", name.node.name))),
            },
            _ => return Err(Problem::new(span, "not a type")),
        };
        Ok((ty, TypeAlign::Natural))
    }

    fn type_of_words(&mut self, words: Words, span: Span) -> Checked<(TypeId, TypeAlign)> {
        let atomic = words.atomic;
        let (ty, align) = self.plain_type_of_words(words, span)?;
        Ok((ty, if atomic { self.align_of_atomic(ty, align) } else { align }))
    }

    /// gcc aligns atomic objects that processors have instructions for to their size.
    fn align_of_atomic(&self, ty: TypeId, align: TypeAlign) -> TypeAlign {
        match (self.hir.types.size(ty), align) {
            (Some(size @ (1 | 2 | 4 | 8 | 16)), TypeAlign::Natural) if size > self.hir.types.align(ty) => {
                TypeAlign::Bytes(size)
            }
            _ => align,
        }
    }

    fn plain_type_of_words(&mut self, words: Words, span: Span) -> Checked<(TypeId, TypeAlign)> {
        let sized = words.long > 0 || words.short || words.char || words.int128 || words.signed || words.unsigned;
        if let Some(other) = words.other {
            let mixed = sized || words.int || words.float.is_some();
            return if mixed { Err(Problem::new(span, "a declaration has one type only")) } else { Ok(other) };
        }
        let plain_complex = words.complex && !sized && !words.int;
        let ty = match words.float.or(plain_complex.then_some(64)) {
            Some(64) if words.long == 1 => Type::Float(80),
            Some(bits) if !sized => Type::Float(bits),
            Some(_) => return Err(Problem::new(span, "these words do not make a type together")),
            None => Type::Int { rank: int_rank(&words, span)?, signed: !words.unsigned },
        };
        let ty = self.types().intern(ty);
        Ok((if words.complex { self.complex(ty) } else { ty }, TypeAlign::Natural))
    }

    /// A complex number: recognised, so that sizes are right. No operation on it is.
    fn complex(&mut self, part: TypeId) -> TypeId {
        let size = self.hir.types.size(part).unwrap_or(8);
        let name = format!("{} _Complex", self.name_of(part));
        let align = self.hir.types.align(part);
        let field = |name: &str, offset| Field { name: name.to_owned(), ty: part, offset, bits: None, align };
        let fields = vec![field("real part", 0), field("imaginary part", size)];
        self.built_in_record(name, fields, 2 * size, align, Some("a complex number"))
    }

    /// A record that the compiler knows; the same for all that ask.
    pub(super) fn built_in_record(
        &mut self,
        name: String,
        fields: Vec<Field>,
        size: u64,
        align: u64,
        opaque: Option<&str>,
    ) -> TypeId {
        if let Some(&record) = self.shared_records.get(&name) {
            return self.types().intern(Type::Record(record));
        }
        let opaque = opaque.map(str::to_owned);
        let record =
            Record { complete: true, fields, size, align, opaque, ..new_record(name.clone(), Span::default()) };
        let id = self.types().add_record(record);
        self.shared_records.insert(name, id);
        self.types().intern(Type::Record(id))
    }

    /// `__builtin_va_list`: an array of one struct, or a pointer.
    fn va_list(&mut self) -> TypeId {
        if self.hir.types.model == DataModel::Ilp32 {
            return self.pointer_to(self.basic.char);
        }
        let (unsigned, pointer) = (self.basic.unsigned, self.basic.void_pointer);
        let field = |name: &str, ty, offset, align| Field { name: name.to_owned(), ty, offset, bits: None, align };
        let fields = vec![
            field("gp_offset", unsigned, 0, 4),
            field("fp_offset", unsigned, 4, 4),
            field("overflow_arg_area", pointer, 8, 8),
            field("reg_save_area", pointer, 16, 8),
        ];
        let record = self.built_in_record("__va_list_tag".to_owned(), fields, 24, 8, None);
        self.types().intern(Type::Array(record, Some(1)))
    }
}

fn is_auto_type(specifier: &TypeSpecifier) -> bool {
    matches!(specifier, TypeSpecifier::TypedefName(name) if name.node.name == "__auto_type")
}

fn int_rank(words: &Words, span: Span) -> Checked<Rank> {
    let wrong = || Err(Problem::new(span, "these words do not make a type together"));
    if words.signed && words.unsigned {
        return wrong();
    }
    match (words.char, words.short, words.long, words.int128) {
        (true, false, 0, false) if !words.int => Ok(if words.signed { Rank::SignedChar } else { Rank::Char }),
        (false, true, 0, false) => Ok(Rank::Short),
        (false, false, 0, false) => Ok(Rank::Int),
        (false, false, 1, false) => Ok(Rank::Long),
        (false, false, 2, false) => Ok(Rank::LongLong),
        (false, false, 0, true) if !words.int => Ok(Rank::Int128),
        _ => wrong(),
    }
}
