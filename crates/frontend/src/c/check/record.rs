//! Structs, unions and enumerations.

use clinch_ir::Span;
use lang_c::ast::{
    DeclarationSpecifier, EnumType, Expression, StructDeclaration, StructField, StructKind, StructType, TypeSpecifier,
};
use lang_c::span::Node;

use super::attribute::{Attributes, TypeAlign};
use super::layout::{Member, Packing};
use super::scope::{Symbol, Tag};
use super::{Checked, Checker};
use crate::c::parse::{RecordAttributes, parse_expression};
use crate::c::types::{DataModel, Rank, Record, RecordId, Type, TypeId};
use crate::diagnostic::Problem;

impl Checker<'_> {
    pub(super) fn record_type(&mut self, node: &StructType, span: Span) -> Checked<RecordId> {
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

    /// `struct S;` declares a type of the scope in which it stands, even if there is one around it.
    pub(super) fn declare_tag(&mut self, node: &StructType, span: Span) {
        let Some(tag) = node.identifier.as_ref().map(|i| i.node.name.as_str()) else { return };
        if !self.scope().tags.contains_key(tag) {
            self.new_record(Some(tag), node.kind.node == StructKind::Union, span);
        }
    }

    fn new_record(&mut self, tag: Option<&str>, is_union: bool, span: Span) -> RecordId {
        let name = tag.map_or_else(|| self.made_up_name(span), str::to_owned);
        let shared = self.scopes.len() == 1 && !self.own_records.contains(&(self.base, name.clone()));
        let known = self.shared_records.get(&name).copied().filter(|_| shared);
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
        // What holds at the closing brace counts.
        let limit = self.unit.pragmas.pack_at(span.end - self.base);
        let packing = Packing { packed: attributes.packed, limit, align };
        let mut members = Vec::new();
        for declaration in list {
            match &declaration.node {
                StructDeclaration::Field(field) => self.members(&field.node, self.at(field.span), &mut members)?,
                StructDeclaration::StaticAssert(assertion) => self.static_assert(&assertion.node)?,
            }
        }
        self.check_members(&members, is_union, span)?;
        let own = match complete {
            true => self.types().add_record(Record { is_union, ..new_record(name.clone(), span) }),
            false => id,
        };
        if !self.complete_record(own, members, packing) {
            return Err(Problem::new(span, "the type is larger than memory"));
        }
        let reversed = [span.start, span.end].iter().any(|&at| self.unit.pragmas.is_reversed_at(at - self.base));
        let record = self.types().record_mut(own);
        record.transparent = attributes.transparent;
        record.opaque = match attributes.unknown {
            Some(what) => Some(format!("attribute `{what}`")),
            None => reversed.then(|| "#pragma scalar_storage_order".to_owned()),
        };
        if own == id {
            return Ok(id);
        }
        if self.hir.types.record(own).is_laid_out_as(self.hir.types.record(id)) {
            self.types().remove_last_record();
            return Ok(id);
        }
        // What was declared so far in this unit took it for the other one: the units are checked again.
        self.other_records.insert((self.base, name.clone()));
        self.scope().tags.insert(name, Tag::Record(own));
        Ok(own)
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
                let member = self.new_member(String::new(), base, &attributes, span)?;
                members.push(member);
            }
            return Ok(());
        }
        for declarator in &field.declarators {
            let span = self.at(declarator.span);
            let mut attributes = attributes.clone();
            let (mut name, mut ty) = (None, base);
            if let Some(node) = &declarator.node.declarator {
                let declared = self.declarator(base, node)?;
                attributes = self.declared_attributes(base, &attributes, &declared);
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
            let member = self.new_member(name, ty, &attributes, span)?;
            members.push(Member { width, padding, ..member });
        }
        Ok(())
    }

    fn new_member(&self, name: String, ty: TypeId, attributes: &Attributes, span: Span) -> Checked<Member> {
        let type_align = match attributes.of_type {
            TypeAlign::Natural => self.hir.types.align(ty),
            TypeAlign::Bytes(bytes) => bytes,
            TypeAlign::Unknown => {
                return Err(Problem::new(span, "the alignment of this type is not modelled: a typedef may change it"));
            }
        };
        let Attributes { align, packed, .. } = *attributes;
        Ok(Member { name, ty, width: None, align, type_align, packed, padding: false })
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

    pub(super) fn enum_type(&mut self, node: &EnumType, span: Span) -> Checked<TypeId> {
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
        let mut attributes = self.unit.records.get(&(span.start - self.base)).cloned().unwrap_or_default();
        for enumerator in &node.enumerators {
            let mut found = Attributes::default();
            self.attributes(&enumerator.node.extensions, &mut found)?;
            attributes.unknown = attributes.unknown.or(found.unknown);
        }
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

/// The record of `struct S`, where that is all but for attributes. With a storage class or a qualifier gcc does not take it for a
/// new declaration.
pub(super) fn lone_tag(specifiers: &[Node<DeclarationSpecifier>]) -> Option<&StructType> {
    let mut found = None;
    for specifier in specifiers {
        match &specifier.node {
            DeclarationSpecifier::TypeSpecifier(Node { node: TypeSpecifier::Struct(record), .. }) => {
                found = Some(&record.node).filter(|record| record.declarations.is_none());
            }
            DeclarationSpecifier::Extension(_) => {}
            _ => return None,
        }
    }
    found
}

/// A struct whose members are not known yet.
pub(super) fn new_record(name: String, span: Span) -> Record {
    let (fields, opaque) = (Vec::new(), None);
    Record { name, is_union: false, complete: false, fields, size: 0, align: 1, opaque, transparent: false, span }
}
