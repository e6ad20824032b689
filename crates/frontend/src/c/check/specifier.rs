//! Declaration specifiers: from `unsigned long`, `struct S { ... }`, `typeof(x)` to a type.

use clinch_ir::Span;
use lang_c::ast::{
    AlignmentSpecifier, DeclarationSpecifier, EnumType, Expression, Extension, SpecifierQualifier,
    StorageClassSpecifier, StructDeclaration, StructField, StructKind, StructType, TS18661FloatFormat,
    TS18661FloatType, TypeName, TypeOf, TypeSpecifier,
};
use lang_c::span::Node;

use super::layout::{Member, Packing};
use super::scope::{Symbol, Tag};
use super::{Checked, Checker};
use crate::c::parse::{RecordAttributes, parse_expression};
use crate::c::types::{DataModel, Field, Rank, Record, RecordId, Type, TypeId};
use crate::diagnostic::Problem;

/// What the specifiers of a declaration say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Specified {
    pub(super) ty: TypeId,
    pub(super) is_typedef: bool,
    pub(super) is_extern: bool,
    pub(super) is_static: bool,
    /// `__auto_type`: the type is that of the initialiser.
    pub(super) inferred: bool,
    /// `inline`, without which a definition is one for all units.
    pub(super) inline: bool,
    pub(super) sizes: Sizes,
}

/// Attributes that change sizes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    pub(super) align: Option<u64>,
    pub(super) packed: bool,
    /// `mode(DI)`: the rank of the integer.
    pub(super) mode: Option<Rank>,
}

impl Sizes {
    fn raise(&mut self, align: Option<u64>) {
        self.align = self.align.max(align);
    }
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
        let mut words = Words::default();
        let (mut is_typedef, mut is_extern, mut is_static, mut inline) = (false, false, false, false);
        let mut sizes = Sizes::default();
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
                DeclarationSpecifier::Alignment(node) => sizes.raise(self.alignas(&node.node)?),
                DeclarationSpecifier::Extension(extensions) => self.attributes(extensions, &mut sizes)?,
            }
        }
        let (ty, align) = self.type_of_words(words, span)?;
        sizes.raise(align);
        let ty = self.with_mode(ty, sizes.mode);
        Ok(Specified { ty, is_typedef, is_extern, is_static, inferred, inline, sizes })
    }

    /// The type and the size attributes of a list of specifiers without storage class.
    pub(super) fn qualified(&mut self, list: &[Node<SpecifierQualifier>], span: Span) -> Checked<(TypeId, Sizes)> {
        let mut words = Words::default();
        let mut sizes = Sizes::default();
        for specifier in list {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(node) => self.word(&mut words, node)?,
                SpecifierQualifier::TypeQualifier(_) => {}
                SpecifierQualifier::Extension(extensions) => self.attributes(extensions, &mut sizes)?,
            }
        }
        let (ty, align) = self.type_of_words(words, span)?;
        sizes.raise(align);
        Ok((self.with_mode(ty, sizes.mode), sizes))
    }

    pub(super) fn type_name(&mut self, name: &Node<TypeName>) -> Checked<TypeId> {
        let span = self.at(name.span);
        let (ty, _) = self.qualified(&name.node.specifiers, span)?;
        match &name.node.declarator {
            Some(declarator) => Ok(self.declarator(ty, declarator)?.ty),
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
                    Expression::Identifier(name) if matches!(self.lookup(&name.node.name), Some(Symbol::Typedef(..))) => {
                        return self.single_type(&TypeSpecifier::TypedefName((**name).clone()), span);
                    }
                    _ => self.type_of_expression(expression)?,
                },
            },
            TypeSpecifier::TypedefName(name) => match self.lookup(&name.node.name) {
                Some(Symbol::Typedef(ty, align)) => return Ok((ty, align)),
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
        self.built_in_record(name, fields, 2 * size, part)
    }

    /// A record that the compiler knows; the same for all that ask.
    fn built_in_record(&mut self, name: String, fields: Vec<Field>, size: u64, aligned_as: TypeId) -> TypeId {
        if let Some(&record) = self.shared_records.get(&name) {
            return self.types().intern(Type::Record(record));
        }
        let align = self.hir.types.align(aligned_as);
        let span = Span::default();
        let record = Record { name: name.clone(), is_union: false, complete: true, fields, size, align, span };
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
        let record = self.built_in_record("__va_list_tag".to_owned(), fields, 24, pointer);
        self.types().intern(Type::Array(record, Some(1)))
    }

    pub(super) fn with_mode(&mut self, ty: TypeId, mode: Option<Rank>) -> TypeId {
        match (self.hir.types.get(ty), mode) {
            (&Type::Int { signed, .. }, Some(rank)) => self.types().intern(Type::Int { rank, signed }),
            _ => ty,
        }
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

    fn alignment(&mut self, expression: &Node<Expression>) -> Checked<Option<u64>> {
        let value = self.constant_expression(expression)?;
        match u64::try_from(value) {
            Ok(0) => Ok(None),
            Ok(align) if align.is_power_of_two() && align <= 1 << 28 => Ok(Some(align)),
            _ => Err(Problem::new(self.at(expression.span), "an alignment is a power of two")),
        }
    }

    /// Reads the attributes that change sizes; the others mean nothing here.
    pub(super) fn attributes(&mut self, extensions: &[Node<Extension>], sizes: &mut Sizes) -> Checked<()> {
        for extension in extensions {
            let Extension::Attribute(attribute) = &extension.node else { continue };
            match (attribute.name.node.trim_matches('_'), attribute.arguments.first()) {
                ("packed", _) => sizes.packed = true,
                ("aligned", None) => sizes.raise(Some(16)),
                ("aligned", Some(argument)) => {
                    let align = self.alignment(argument)?;
                    sizes.raise(align);
                }
                ("mode", Some(Node { node: Expression::Identifier(name), .. })) => {
                    sizes.mode = mode_rank(name.node.name.trim_matches('_'));
                }
                _ => {}
            }
        }
        Ok(())
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
                let record = Record { name, is_union, complete: false, fields: Vec::new(), size: 0, align: 1, span };
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
        let packing = Packing { packed: attributes.packed, limit: self.unit.pack_at(start), align };
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
            let record =
                Record { name: name.clone(), is_union, complete: false, fields: Vec::new(), size: 0, align: 1, span };
            id = self.types().add_record(record);
            self.scope().tags.insert(name, Tag::Record(id));
        }
        if !self.complete_record(id, members, packing) {
            return Err(Problem::new(span, "the type is larger than memory"));
        }
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
        let (base, sizes) = self.qualified(&field.specifiers, span)?;
        if field.declarators.is_empty() {
            // An anonymous struct or union; anything else declares nothing.
            if matches!(self.hir.types.get(base), Type::Record(_)) && !self.has_tag(base) {
                let Sizes { align, packed, .. } = sizes;
                members.push(Member { name: String::new(), ty: base, width: None, align, packed, padding: false });
            }
            return Ok(());
        }
        for declarator in &field.declarators {
            let span = self.at(declarator.span);
            let mut sizes = sizes;
            let (mut name, mut ty) = (None, base);
            if let Some(node) = &declarator.node.declarator {
                let declared = self.declarator(base, node)?;
                self.attributes(&node.node.extensions, &mut sizes)?;
                (name, ty) = (declared.name, self.with_mode(declared.ty, sizes.mode));
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
            let Sizes { align, packed, .. } = sizes;
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
        let ty = self.enumeration_type(&values);
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
        if i32::try_from(value).is_ok() { self.basic.int } else { self.enumeration_type(&[value]) }
    }

    /// `unsigned` unless a value is negative, wider where it must be, as gcc has it.
    fn enumeration_type(&mut self, values: &[i128]) -> TypeId {
        let negative = values.iter().any(|v| *v < 0);
        let fits = |bits: u32| {
            let (lo, hi) =
                if negative { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1_i128 << bits) - 1) };
            values.iter().all(|v| (lo..=hi).contains(v))
        };
        let wide = if self.hir.types.model == DataModel::Lp64 { Rank::Long } else { Rank::LongLong };
        let rank = if fits(32) { Rank::Int } else { wide };
        self.types().intern(Type::Int { rank, signed: negative })
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
        (true, false, 0, false) if !words.int => Ok(Rank::Char),
        (false, true, 0, false) => Ok(Rank::Short),
        (false, false, 0, false) => Ok(Rank::Int),
        (false, false, 1, false) => Ok(Rank::Long),
        (false, false, 2, false) => Ok(Rank::LongLong),
        (false, false, 0, true) if !words.int => Ok(Rank::Int128),
        _ => wrong(),
    }
}

/// Bits of a floating type with its width in the name; none for the one that stands for `__int128`.
fn float_bits(float: &TS18661FloatType) -> Option<u32> {
    match (&float.format, float.width) {
        (TS18661FloatFormat::DecimalExtended, 128) => None,
        (TS18661FloatFormat::BinaryExtended | TS18661FloatFormat::DecimalExtended, 32) => Some(64),
        (TS18661FloatFormat::BinaryExtended | TS18661FloatFormat::DecimalExtended, 64) => Some(80),
        (_, width) => Some(width as u32),
    }
}

fn mode_rank(mode: &str) -> Option<Rank> {
    match mode {
        "QI" | "byte" => Some(Rank::Char),
        "HI" => Some(Rank::Short),
        "SI" => Some(Rank::Int),
        "DI" => Some(Rank::LongLong),
        "TI" => Some(Rank::Int128),
        "word" | "pointer" => Some(Rank::Long),
        _ => None,
    }
}
