//! Declaration specifiers: from `unsigned long`, `struct S { ... }`, `typeof(x)` to a type.

use clinch_ir::Span;
use lang_c::ast::{
    AlignmentSpecifier, DeclarationSpecifier, EnumType, Expression, SpecifierQualifier, StorageClassSpecifier,
    StructDeclaration, StructField, StructKind, StructType, TS18661FloatFormat, TS18661FloatType, TypeName, TypeOf,
    TypeSpecifier,
};
use lang_c::span::Node;

use super::attribute::Attributes;
use super::expr::Operand;
use super::layout::{Member, Packing};
use super::scope::{Symbol, Tag};
use super::{Checked, Checker};
use crate::c::hir::VariableId;
use crate::c::parse::{RecordAttributes, parse_expression};
use crate::c::types::{DataModel, Field, Rank, Record, RecordId, Type, TypeId};
use crate::diagnostic::Problem;

/// What the specifiers of a declaration say.
#[derive(Clone, Debug)]
pub(super) struct Specified {
    pub(super) ty: TypeId,
    pub(super) is_typedef: bool,
    pub(super) is_extern: bool,
    pub(super) is_static: bool,
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
    /// A type that stands alone, and its own alignment.
    other: Option<(TypeId, Option<u64>)>,
}

impl Checker<'_> {
    pub(super) fn specifiers(&mut self, specifiers: &[Node<DeclarationSpecifier>], span: Span) -> Checked<Specified> {
        self.length_of_type = None;
        let mut words = Words::default();
        let (mut is_typedef, mut is_extern, mut is_static, mut inline) = (false, false, false, false);
        let mut attributes = Attributes::default();
        let mut inferred = false;
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    StorageClassSpecifier::Typedef => is_typedef = true,
                    StorageClassSpecifier::Extern => is_extern = true,
                    StorageClassSpecifier::Static => is_static = true,
                    _ => {}
                },
                DeclarationSpecifier::TypeSpecifier(node) => {
                    inferred |= is_auto_type(&node.node);
                    self.word(&mut words, node)?;
                }
                DeclarationSpecifier::TypeQualifier(_) => {}
                DeclarationSpecifier::Function(_) => inline = true,
                DeclarationSpecifier::Alignment(node) => attributes.raise(self.alignas(&node.node)?),
                DeclarationSpecifier::Extension(extensions) => self.attributes(extensions, &mut attributes)?,
            }
        }
        let (ty, align) = self.type_of_words(words, span)?;
        attributes.raise(align);
        Ok(Specified { ty, is_typedef, is_extern, is_static, inferred, inline, attributes, length: None })
    }

    /// The type and the attributes of a list of specifiers without storage class.
    pub(super) fn qualified(&mut self, list: &[Node<SpecifierQualifier>], span: Span) -> Checked<(TypeId, Attributes)> {
        let mut words = Words::default();
        let mut attributes = Attributes::default();
        for specifier in list {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(node) => self.word(&mut words, node)?,
                SpecifierQualifier::TypeQualifier(_) => {}
                SpecifierQualifier::Extension(extensions) => self.attributes(extensions, &mut attributes)?,
            }
        }
        let (ty, align) = self.type_of_words(words, span)?;
        attributes.raise(align);
        Ok((ty, attributes))
    }

    pub(super) fn type_name(&mut self, name: &Node<TypeName>) -> Checked<TypeId> {
        let span = self.at(name.span);
        let (mut ty, mut attributes) = self.qualified(&name.node.specifiers, span)?;
        if let Some(declarator) = &name.node.declarator {
            let declared = self.declarator(ty, declarator)?;
            self.length_of_type = match declared.ty == ty {
                true => self.length_of_type.take(),
                false => declared.runtime_length,
            };
            ty = declared.ty;
            attributes = attributes.and(&declared.attributes);
        }
        let ty = self.with_attributes(ty, &attributes);
        match attributes.unknown {
            Some(what) => Ok(self.opaque_type(ty, &format!("attribute `{what}`"))),
            None => Ok(ty),
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

    /// A type that one specifier names, and its alignment if an attribute says one.
    fn single_type(&mut self, specifier: &TypeSpecifier, span: Span) -> Checked<(TypeId, Option<u64>)> {
        let ty = match specifier {
            TypeSpecifier::Void => self.basic.void,
            TypeSpecifier::Bool => self.basic.bool,
            TypeSpecifier::Atomic(name) => self.type_name(name)?,
            TypeSpecifier::Struct(node) => {
                let record = self.record_type(&node.node, span)?;
                self.types().intern(Type::Record(record))
            }
            TypeSpecifier::Enum(node) => self.enum_type(&node.node, span)?,
            TypeSpecifier::TypeOf(node) => match &node.node {
                TypeOf::Type(name) => self.type_name(name)?,
                // lang-c takes the name of a type for an expression here.
                TypeOf::Expression(expression) => match &expression.node {
                    Expression::Identifier(name)
                        if matches!(self.lookup(&name.node.name), Some(Symbol::Typedef(..))) =>
                    {
                        return self.single_type(&TypeSpecifier::TypedefName((**name).clone()), span);
                    }
                    _ => self.type_of_evaluated(expression)?,
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
        Ok((ty, None))
    }

    fn type_of_words(&mut self, words: Words, span: Span) -> Checked<(TypeId, Option<u64>)> {
        let sized = words.long > 0 || words.short || words.char || words.int128 || words.signed || words.unsigned;
        if let Some(other) = words.other {
            let mixed = sized || words.int || words.float.is_some();
            return if mixed { Err(Problem::new(span, "a declaration has one type only")) } else { Ok(other) };
        }
        if words.complex {
            return Ok((self.complex(words.float.unwrap_or(64), words.long > 0), None));
        }
        let ty = match words.float {
            Some(64) if words.long == 1 => Type::Float(80),
            Some(bits) if !sized => Type::Float(bits),
            Some(_) => return Err(Problem::new(span, "these words do not make a type together")),
            None => Type::Int { rank: int_rank(&words, span)?, signed: !words.unsigned },
        };
        Ok((self.types().intern(ty), None))
    }

    /// A complex number: recognised, so that sizes are right. No operation on it is.
    fn complex(&mut self, bits: u32, long: bool) -> TypeId {
        let part = self.types().intern(Type::Float(if long { 80 } else { bits }));
        let size = self.hir.types.size(part).unwrap_or(8);
        let name = format!("{} _Complex", self.name_of(part));
        let field = |name: &str, offset| Field { name: name.to_owned(), ty: part, offset, bits: None };
        let fields = vec![field("real part", 0), field("imaginary part", size)];
        let align = self.hir.types.align(part);
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
        let field = |name: &str, ty, offset| Field { name: name.to_owned(), ty, offset, bits: None };
        let fields = vec![
            field("gp_offset", unsigned, 0),
            field("fp_offset", unsigned, 4),
            field("overflow_arg_area", pointer, 8),
            field("reg_save_area", pointer, 16),
        ];
        let record = self.built_in_record("__va_list_tag".to_owned(), fields, 24, 8, None);
        self.types().intern(Type::Array(record, Some(1)))
    }

    fn alignas(&mut self, specifier: &AlignmentSpecifier) -> Checked<Option<u64>> {
        match specifier {
            AlignmentSpecifier::Type(name) => {
                let ty = self.type_name(name)?;
                Ok(Some(self.hir.types.align(ty)))
            }
            AlignmentSpecifier::Constant(expression) => self.alignment(expression),
        }
    }

    fn record_type(&mut self, node: &StructType, span: Span) -> Checked<RecordId> {
        let is_union = node.kind.node == StructKind::Union;
        let tag = node.identifier.as_ref().map(|i| i.node.name.as_str());
        let known = match (tag, &node.declarations) {
            (None, _) => None,
            (Some(tag), None) => self.lookup_tag(tag),
            (Some(tag), Some(_)) => self.scope().tags.get(tag).copied(),
        };
        let id = match known {
            Some(Tag::Record(id)) if self.hir.types.record(id).is_union == is_union => id,
            Some(_) => {
                return Err(Problem::new(span, format!("`{}` is another kind of tag", tag.unwrap_or_default())));
            }
            None => self.new_record(tag, is_union, span),
        };
        match &node.declarations {
            Some(declarations) => self.define_record(id, declarations, span),
            None => Ok(id),
        }
    }

    fn new_record(&mut self, tag: Option<&str>, is_union: bool, span: Span) -> RecordId {
        let name = tag.map_or_else(|| self.made_up_name(span), str::to_owned);
        let known = self.shared_records.get(&name).copied().filter(|_| self.scopes.len() == 1);
        let id = match known.filter(|&id| self.hir.types.record(id).is_union == is_union) {
            Some(id) => {
                self.reused_records.insert(id);
                id
            }
            None => {
                let record = Record { is_union, ..new_record(name, span) };
                self.types().add_record(record)
            }
        };
        if let Some(tag) = tag {
            self.scope().tags.insert(tag.to_owned(), Tag::Record(id));
        }
        id
    }

    /// A name for a record without tag: the same in all units that include its declaration.
    fn made_up_name(&self, span: Span) -> String {
        if !self.has_several_units {
            return format!("<anonymous {}>", span.start);
        }
        let place = self.map.place(span);
        format!("<{}:{}:{}>", place.file, place.line, place.column)
    }

    /// Completes a record. One that another unit defined in the same way is that one.
    fn define_record(&mut self, id: RecordId, list: &[Node<StructDeclaration>], span: Span) -> Checked<RecordId> {
        let reused = self.reused_records.remove(&id);
        let Record { name, is_union, complete, .. } = self.hir.types.record(id).clone();
        if complete && !reused {
            return Err(Problem::new(span, format!("`{name}` is declared twice")));
        }
        let start = span.start - self.base;
        let attributes = self.unit.records.get(&start).cloned().unwrap_or_default();
        let align = self.record_align(&attributes, span)?;
        let packing = Packing { packed: attributes.packed, limit: self.unit.pragmas.pack_at(start), align };
        let mut members = Vec::new();
        for declaration in list {
            match &declaration.node {
                StructDeclaration::Field(field) => self.members(&field.node, self.at(field.span), &mut members)?,
                StructDeclaration::StaticAssert(assertion) => self.static_assert(&assertion.node)?,
            }
        }
        self.check_members(&members, is_union, span)?;
        if complete && self.has_members(id, &members) {
            return Ok(id);
        }
        let mut id = id;
        if complete {
            let record = Record { is_union, ..new_record(name.clone(), span) };
            id = self.types().add_record(record);
            self.scope().tags.insert(name, Tag::Record(id));
        }
        if !self.complete_record(id, members, packing) {
            return Err(Problem::new(span, "the type is larger than memory"));
        }
        let reversed = self.unit.pragmas.is_reversed_at(start);
        let record = self.types().record_mut(id);
        record.transparent = attributes.transparent;
        record.opaque = match attributes.unknown {
            Some(what) => Some(format!("attribute `{what}`")),
            None => reversed.then(|| "#pragma scalar_storage_order".to_owned()),
        };
        Ok(id)
    }

    fn has_members(&self, id: RecordId, members: &[Member]) -> bool {
        let fields = &self.hir.types.record(id).fields;
        let members: Vec<&Member> = members.iter().filter(|m| !m.padding).collect();
        let same = |(f, m): (&Field, &&Member)| f.name == m.name && f.ty == m.ty && f.bits.map(|b| b.width) == m.width;
        fields.len() == members.len() && fields.iter().zip(&members).all(same)
    }

    /// `aligned(8)`, `aligned(sizeof(long))`, `aligned`.
    fn record_align(&mut self, attributes: &RecordAttributes, span: Span) -> Checked<Option<u64>> {
        let mut align = None;
        for argument in &attributes.aligned {
            let value = match argument.as_str() {
                "" => 16,
                text => self.alignment_text(text, span)?,
            };
            if !value.is_power_of_two() || value > 1 << 28 {
                return Err(Problem::new(span, "an alignment is a power of two"));
            }
            align = align.max(Some(value));
        }
        Ok(align)
    }

    /// The parser keeps the argument of `aligned` as text, for lang-c has no place for it.
    fn alignment_text(&mut self, text: &str, span: Span) -> Checked<u64> {
        let unreadable = || Problem::new(span, format!("cannot read the alignment `{text}`"));
        let expression = parse_expression(text).ok_or_else(unreadable)?;
        let value = self.constant_expression(&expression).map_err(|_| unreadable())?;
        u64::try_from(value).map_err(|_| unreadable())
    }

    fn members(&mut self, field: &StructField, span: Span, members: &mut Vec<Member>) -> Checked<()> {
        let (base, attributes) = self.qualified(&field.specifiers, span)?;
        if field.declarators.is_empty() {
            // An anonymous struct or union; anything else declares nothing.
            if matches!(self.hir.types.get(base), Type::Record(_)) && !self.has_tag(base) {
                let Attributes { align, packed, .. } = attributes;
                members.push(Member { name: String::new(), ty: base, width: None, align, packed, padding: false });
            }
            return Ok(());
        }
        for declarator in &field.declarators {
            let span = self.at(declarator.span);
            let mut attributes = attributes.clone();
            let (mut name, mut ty) = (None, base);
            if let Some(node) = &declarator.node.declarator {
                let declared = self.declarator(base, node)?;
                attributes = attributes.and(&declared.attributes);
                (name, ty) = (declared.name, declared.ty);
            }
            ty = self.with_attributes(ty, &attributes);
            if let Some(what) = attributes.unknown.take() {
                ty = self.opaque_type(ty, &format!("attribute `{what}`"));
            }
            let width = match &declarator.node.bit_width {
                Some(width) => Some(self.bit_width(width, ty, name.is_some())?),
                None => None,
            };
            let padding = name.is_none() && width.is_some();
            let name = name.map(|(name, _)| name).unwrap_or_default();
            if matches!(self.hir.types.get(ty), Type::Function { .. }) {
                return Err(Problem::new(span, format!("member `{name}` is a function")));
            }
            let Attributes { align, packed, .. } = attributes;
            members.push(Member { name, ty, width, align, packed, padding });
        }
        Ok(())
    }

    fn has_tag(&self, ty: TypeId) -> bool {
        matches!(*self.hir.types.get(ty), Type::Record(id) if !self.hir.types.record(id).name.starts_with('<'))
    }

    fn bit_width(&mut self, width: &Node<Expression>, ty: TypeId, named: bool) -> Checked<u32> {
        let span = self.at(width.span);
        let value = self.constant_expression(width)?;
        if !self.hir.types.is_integer(ty) {
            return Err(Problem::new(span, format!("a bit-field cannot have type `{}`", self.name_of(ty))));
        }
        let bits = if ty == self.basic.bool { 1 } else { self.hir.types.scalar_bits(ty).unwrap_or(0) };
        match u32::try_from(value) {
            Ok(0) if named => Err(Problem::new(span, "a bit-field with a name has at least one bit")),
            Ok(width) if width <= bits => Ok(width),
            _ => Err(Problem::new(
                span,
                format!("the width of a bit-field of type `{}` is at most {bits}", self.name_of(ty)),
            )),
        }
    }

    fn check_members(&mut self, members: &[Member], is_union: bool, span: Span) -> Checked<()> {
        let mut names = rustc_hash::FxHashSet::default();
        for (i, member) in members.iter().enumerate() {
            let flexible = matches!(self.hir.types.get(member.ty), Type::Array(_, None));
            let last = i + 1 == members.len() || is_union;
            if self.hir.types.size(member.ty).is_none() && !(flexible && last) {
                let ty = self.name_of(member.ty);
                return Err(Problem::new(span, format!("member `{}` has the incomplete type `{ty}`", member.name)));
            }
            if !member.name.is_empty() && !names.insert(member.name.as_str()) {
                return Err(Problem::new(span, format!("member `{}` is declared twice", member.name)));
            }
        }
        Ok(())
    }

    fn enum_type(&mut self, node: &EnumType, span: Span) -> Checked<TypeId> {
        let tag = node.identifier.as_ref().map(|i| i.node.name.as_str());
        if node.enumerators.is_empty() {
            let tag = tag.ok_or_else(|| Problem::new(span, "an enumeration without enumerators"))?;
            return match self.lookup_tag(tag) {
                Some(Tag::Enum(ty)) => Ok(ty.unwrap_or(self.basic.unsigned)),
                Some(_) => Err(Problem::new(span, format!("`{tag}` is another kind of tag"))),
                None => {
                    self.scope().tags.insert(tag.to_owned(), Tag::Enum(None));
                    Ok(self.basic.unsigned)
                }
            };
        }
        let mut values = Vec::new();
        let mut next = 0_i128;
        for enumerator in &node.enumerators {
            let name = &enumerator.node.identifier.node.name;
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant_expression(expression)?;
            }
            let ty = self.enumerator_type(next);
            self.declare_new(name, Symbol::Enumerator(next, ty), self.at(enumerator.span))?;
            values.push(next);
            next += 1;
        }
        let attributes = self.unit.records.get(&(span.start - self.base)).cloned().unwrap_or_default();
        let mut ty = self.enumeration_type(&values, attributes.packed);
        for (enumerator, value) in node.enumerators.iter().zip(values) {
            if i32::try_from(value).is_err() {
                // Its own type until here, that of the whole from now on.
                let name = enumerator.node.identifier.node.name.clone();
                self.scope().names.insert(name, Symbol::Enumerator(value, ty));
            }
        }
        if let Some(what) = attributes.unknown {
            ty = self.opaque_type(ty, &format!("attribute `{what}`"));
        }
        if let Some(tag) = tag {
            let old = self.scope().tags.insert(tag.to_owned(), Tag::Enum(Some(ty)));
            if matches!(old, Some(Tag::Record(_) | Tag::Enum(Some(_)))) {
                return Err(Problem::new(span, format!("`{tag}` is declared twice")));
            }
        }
        Ok(ty)
    }

    /// `int` where the value fits; gcc allows larger ones.
    fn enumerator_type(&mut self, value: i128) -> TypeId {
        if i32::try_from(value).is_ok() { self.basic.int } else { self.enumeration_type(&[value], false) }
    }

    /// `unsigned` unless a value is negative, wider where it must be, and as narrow as can be if packed, as gcc has it.
    fn enumeration_type(&mut self, values: &[i128], packed: bool) -> TypeId {
        let negative = values.iter().any(|v| *v < 0);
        let fits = |bits: u32| {
            let (lo, hi) =
                if negative { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1_i128 << bits) - 1) };
            values.iter().all(|v| (lo..=hi).contains(v))
        };
        let wide = if self.hir.types.model == DataModel::Lp64 { Rank::Long } else { Rank::LongLong };
        let rank = match packed {
            true if fits(8) && negative => Rank::SignedChar,
            true if fits(8) => Rank::Char,
            true if fits(16) => Rank::Short,
            _ if fits(32) => Rank::Int,
            _ => wide,
        };
        self.types().intern(Type::Int { rank, signed: negative })
    }
}

/// A struct whose members are not known yet.
fn new_record(name: String, span: Span) -> Record {
    let (fields, opaque) = (Vec::new(), None);
    Record { name, is_union: false, complete: false, fields, size: 0, align: 1, opaque, transparent: false, span }
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

/// Bits of a floating type with its width in the name; none for the one that stands for `__int128`.
pub(super) fn float_bits(float: &TS18661FloatType) -> Option<u32> {
    match (&float.format, float.width) {
        (TS18661FloatFormat::DecimalExtended, 128) => None,
        (TS18661FloatFormat::BinaryExtended | TS18661FloatFormat::DecimalExtended, 32) => Some(64),
        (TS18661FloatFormat::BinaryExtended | TS18661FloatFormat::DecimalExtended, 64) => Some(80),
        (_, width) => Some(width as u32),
    }
}
