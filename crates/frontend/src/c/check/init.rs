//! Initialisers (C11 6.7.9), flattened to values at offsets.

use clinch_ir::Span;
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::Node;

use super::{Checked, Checker};
use crate::c::hir::{Expr, ExprKind, Init, InitItem};
use crate::c::types::{BitRange, Record, RecordId, Type, TypeId};
use crate::diagnostic::Problem;

/// More elements than this are not written one by one.
const MAX_ELEMENTS: u64 = 1 << 20;

/// The value that is written first where two are written may not be evaluated.
const PARTLY_OVERRIDDEN: &str = "a struct of which a later initialiser replaces a part";
const OVERRIDDEN: &str = "a value with effects that a later initialiser replaces";

/// A part of the object that is initialised.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) ty: TypeId,
    pub(super) offset: u64,
    pub(super) bits: Option<BitRange>,
}

impl Part {
    fn whole(ty: TypeId) -> Part {
        Part { ty, offset: 0, bits: None }
    }
}

/// What is known of the object while its initialiser is read.
#[derive(Default)]
pub(super) struct Filled {
    pub(super) items: Vec<InitItem>,
    resets: Vec<Reset>,
    /// The members of unions that the initialiser is about.
    members: Vec<ActiveMember>,
}

/// A part that is initialised as a whole: what earlier items wrote there is gone (C11 6.7.9, 19).
struct Reset {
    /// How many items there were before.
    items: usize,
    from: u64,
    to: u64,
}

/// A member of a union that is initialised: where the union is, which one, and the member.
type ActiveMember = (u64, RecordId, usize);

/// The items of a braced list, read one after the other.
pub(super) struct Cursor<'t> {
    items: &'t [Node<InitializerListItem>],
    pub(super) next: usize,
    /// The value of the next item, if it was needed to decide where it goes.
    pending: Option<Expr>,
}

impl<'t> Cursor<'t> {
    fn item(&self) -> Option<&'t InitializerListItem> {
        self.items.get(self.next).map(|i| &i.node)
    }

    /// Whether the next item goes where the last one ended.
    fn at_plain(&self) -> bool {
        self.item().is_some_and(|i| i.designation.is_empty())
    }

    fn advance(&mut self) {
        self.next += 1;
        self.pending = None;
    }
}

impl Checker<'_> {
    /// The initialiser of an object, whose type it may complete.
    pub(super) fn initializer(&mut self, ty: TypeId, node: &Node<Initializer>) -> Checked<(TypeId, Init)> {
        let span = self.at(node.span);
        match &node.node {
            Initializer::List(items) => self.initializer_list(ty, items, span),
            Initializer::Expression(expression) => {
                if let Some(items) = self.literal_items(ty, expression)? {
                    return self.initializer_list(ty, items, span);
                }
                if let Type::Array(element, _) = *self.hir.types.get(ty) {
                    let Some(parts) = self.string_for(element, expression) else {
                        return Err(Problem::new(span, "an array needs a list of values"));
                    };
                    let (length, filled) = self.filled(|this| this.string(Part::whole(ty), parts, span))?;
                    return Ok((self.completed(ty, length, span)?, Init { zero_fill: true, items: filled.items }));
                }
                let value = self.rvalue(expression)?;
                let at = value.span;
                let value = self.convert_assigned(value, ty, at)?;
                Ok((ty, Init { zero_fill: false, items: vec![InitItem { offset: 0, ty, bits: None, value }] }))
            }
        }
    }

    pub(super) fn initializer_list(
        &mut self,
        ty: TypeId,
        items: &[Node<InitializerListItem>],
        span: Span,
    ) -> Checked<(TypeId, Init)> {
        let (length, filled) = self.filled(|this| this.braced(Part::whole(ty), items, span))?;
        let mut init = Init { zero_fill: true, items: filled.items };
        apply_resets(&filled.resets, &mut init);
        doubt_overridden(&mut init);
        self.doubt_partly_overridden(&mut init);
        let ty = self.completed(ty, length, span)?;
        Ok((self.with_flexible_member(ty, &init), init))
    }

    /// What an initialiser writes. One inside of it, that of a compound literal, has nothing to do with it.
    fn filled<T>(&mut self, read: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<(T, Filled)> {
        let outer = std::mem::take(&mut self.filled);
        let result = read(self);
        let filled = std::mem::replace(&mut self.filled, outer);
        Ok((result?, filled))
    }

    /// An array whose length its initialiser says.
    fn completed(&mut self, ty: TypeId, length: u64, span: Span) -> Checked<TypeId> {
        match *self.hir.types.get(ty) {
            Type::Array(element, None) => self.array_type(element, Some(length), span),
            _ if self.hir.types.size(ty).is_none() => {
                Err(Problem::new(span, format!("`{}` is incomplete", self.name_of(ty))))
            }
            _ => Ok(ty),
        }
    }

    /// A struct whose flexible last member is initialised is larger than its type: it gets a type of its own.
    fn with_flexible_member(&mut self, ty: TypeId, init: &Init) -> TypeId {
        let Type::Record(id) = *self.hir.types.get(ty) else { return ty };
        let end_of = |i: &InitItem| i.offset + self.hir.types.size(i.ty).unwrap_or(0);
        let end = init.items.iter().map(end_of).max().unwrap_or(0);
        let record: &Record = self.hir.types.record(id);
        let Some(last) = record.fields.last() else { return ty };
        let &Type::Array(element, None) = self.hir.types.get(last.ty) else { return ty };
        let size = self.hir.types.size(element).unwrap_or(1).max(1);
        if end <= last.offset {
            return ty;
        }
        let length = (end - last.offset).div_ceil(size);
        let mut larger = record.clone();
        let array = self.types().intern(Type::Array(element, Some(length)));
        if let Some(last) = larger.fields.last_mut() {
            last.ty = array;
            larger.size = larger.size.max((last.offset + length * size).next_multiple_of(larger.align.max(1)));
        }
        let id = self.types().add_record(larger);
        self.types().intern(Type::Record(id))
    }

    /// A part with a list of its own. For an array, how many elements the list reaches.
    fn braced(&mut self, part: Part, items: &[Node<InitializerListItem>], span: Span) -> Checked<u64> {
        let mut cursor = Cursor { items, next: 0, pending: None };
        self.deeper(span, |c| match *c.hir.types.get(part.ty) {
            Type::Array(element, length) => {
                let first = items.first().map(|i| &i.node).filter(|i| i.designation.is_empty() && items.len() == 1);
                if let Some(Initializer::Expression(e)) = first.map(|i| &i.initializer.node)
                    && let Some(parts) = c.string_for(element, e)
                {
                    return c.string(part, parts, span);
                }
                c.array_list(part, element, length, &mut cursor)
            }
            Type::Record(record) => c.record_list(part, record, &mut cursor, span).map(|()| 0),
            _ => match items.first() {
                None => Ok(0),
                Some(item) => match &item.node.initializer.node {
                    Initializer::List(inner) => c.braced(part, inner, span),
                    Initializer::Expression(_) => c.element(part, &mut cursor).map(|()| 0),
                },
            },
        })
    }

    fn array_list(
        &mut self,
        part: Part,
        element: TypeId,
        length: Option<u64>,
        cursor: &mut Cursor<'_>,
    ) -> Checked<u64> {
        let (mut index, mut reached) = (0, 0);
        while let Some(item) = cursor.item() {
            let start = cursor.next;
            if let Some((first, rest)) = item.designation.split_first() {
                let (lo, hi) = self.index_range(first, length)?;
                self.range((part, element), (lo, hi), rest, cursor)?;
                index = hi + 1;
            } else if length.is_some_and(|l| index >= l) {
                break; // Excess elements are a warning in gcc.
            } else {
                self.element(self.element_part(part, element, index), cursor)?;
                index += 1;
            }
            if cursor.next == start {
                cursor.advance(); // An element without size takes nothing.
            }
            reached = reached.max(index);
        }
        Ok(reached)
    }

    pub(super) fn element_part(&self, array: Part, element: TypeId, index: u64) -> Part {
        let size = self.hir.types.size(element).unwrap_or(0);
        Part { ty: element, offset: array.offset.saturating_add(index.saturating_mul(size)), bits: None }
    }

    fn index_range(&mut self, designator: &Node<Designator>, length: Option<u64>) -> Checked<(u64, u64)> {
        let span = self.at(designator.span);
        let (lo, hi) = match &designator.node {
            Designator::Index(index) => {
                let index = self.constant_expression(index)?;
                (index, index)
            }
            Designator::Range(range) => {
                (self.constant_expression(&range.node.from)?, self.constant_expression(&range.node.to)?)
            }
            Designator::Member(name) => {
                return Err(Problem::new(span, format!("an array has no member `{}`", name.node.name)));
            }
        };
        let limit = length.map_or(i128::from(u32::MAX), i128::from);
        if lo < 0 || hi >= limit || lo > hi {
            return Err(Problem::new(span, "the index is outside of the array"));
        }
        if hi - lo >= i128::from(MAX_ELEMENTS) {
            return Err(Problem::new(span, "the range has too many elements"));
        }
        Ok((lo as u64, hi as u64))
    }

    fn record_list(&mut self, part: Part, record: RecordId, cursor: &mut Cursor<'_>, span: Span) -> Checked<()> {
        if !self.hir.types.record(record).complete {
            return Err(Problem::new(span, format!("`{}` is incomplete", self.name_of(part.ty))));
        }
        let is_union = self.hir.types.record(record).is_union;
        let mut field = 0;
        while let Some(item) = cursor.item() {
            let start = cursor.next;
            if !item.designation.is_empty() {
                field = self.designated_field(part, record, &item.designation, cursor)? + 1;
            } else if field >= self.hir.types.record(record).fields.len() || is_union && field > 0 {
                break;
            } else {
                self.activate(part, record, field);
                self.element(self.field_part(part, record, field), cursor)?;
                field += 1;
            }
            if cursor.next == start && cursor.item().is_some_and(|i| !i.designation.is_empty()) {
                cursor.advance();
            }
        }
        Ok(())
    }

    fn field_part(&self, part: Part, record: RecordId, field: usize) -> Part {
        let field = &self.hir.types.record(record).fields[field];
        Part { ty: field.ty, offset: part.offset.saturating_add(field.offset), bits: field.bits }
    }

    /// `.m ... = value`: initialises it and says which member it was.
    fn designated_field(
        &mut self,
        part: Part,
        record: RecordId,
        designators: &[Node<Designator>],
        cursor: &mut Cursor<'_>,
    ) -> Checked<usize> {
        let span = self.at(designators[0].span);
        let Designator::Member(name) = &designators[0].node else {
            return Err(Problem::new(span, format!("`{}` is not an array", self.name_of(part.ty))));
        };
        let path = self.field_path(record, &name.node.name).filter(|p| !p.is_empty());
        let Some(path) = path else {
            let ty = self.name_of(part.ty);
            return Err(Problem::new(span, format!("`{ty}` has no member `{}`", name.node.name)));
        };
        let field = path[0].1;
        let inner = self.field_part(part, record, field);
        if self.hir.types.record(record).is_union && !self.filled.members.contains(&(part.offset, record, field)) {
            self.reset(part);
            self.activate(part, record, field);
        }
        // A member of an anonymous record is looked up there again.
        let rest = if path.len() > 1 { designators } else { &designators[1..] };
        self.designated(inner, rest, cursor)?;
        Ok(field)
    }

    /// Initialises the part that the remaining designators lead to, and goes on behind it.
    pub(super) fn designated(
        &mut self,
        part: Part,
        designators: &[Node<Designator>],
        cursor: &mut Cursor<'_>,
    ) -> Checked<()> {
        let Some((first, rest)) = designators.split_first() else { return self.element(part, cursor) };
        match *self.hir.types.get(part.ty) {
            Type::Array(element, length) => {
                let (lo, hi) = self.index_range(first, length)?;
                self.range((part, element), (lo, hi), rest, cursor)?;
                self.array_rest(part, element, length, hi + 1, cursor)
            }
            Type::Record(record) => {
                let field = self.designated_field(part, record, designators, cursor)?;
                self.record_rest(part, record, field + 1, cursor)
            }
            _ => {
                let span = self.at(first.span);
                Err(Problem::new(span, format!("`{}` has no parts", self.name_of(part.ty))))
            }
        }
    }

    fn array_rest(
        &mut self,
        part: Part,
        element: TypeId,
        length: Option<u64>,
        from: u64,
        cursor: &mut Cursor<'_>,
    ) -> Checked<()> {
        let mut index = from;
        while cursor.at_plain() && length.is_none_or(|l| index < l) {
            let start = cursor.next;
            self.element(self.element_part(part, element, index), cursor)?;
            index += 1;
            if cursor.next == start {
                break;
            }
        }
        Ok(())
    }

    fn record_rest(&mut self, part: Part, record: RecordId, from: usize, cursor: &mut Cursor<'_>) -> Checked<()> {
        let record_type = self.hir.types.record(record);
        let last = if record_type.is_union { from } else { record_type.fields.len() };
        for field in from..last {
            if !cursor.at_plain() {
                break;
            }
            self.element(self.field_part(part, record, field), cursor)?;
        }
        Ok(())
    }

    /// Initialises a part from the next item, or from as many as it takes if the braces are left out.
    fn element(&mut self, part: Part, cursor: &mut Cursor<'_>) -> Checked<()> {
        let Some(item) = cursor.item() else { return Ok(()) };
        let span = self.at(item.initializer.span);
        let expression = match &item.initializer.node {
            Initializer::List(items) => {
                cursor.advance();
                self.reset(part);
                return self.braced(part, items, span).map(|_| ());
            }
            Initializer::Expression(expression) => expression,
        };
        if let Some(items) = self.literal_items(part.ty, expression)? {
            cursor.advance();
            self.reset(part);
            return self.braced(part, items, span).map(|_| ());
        }
        match *self.hir.types.get(part.ty) {
            Type::Array(element, length) => match self.string_for(element, expression) {
                Some(parts) => {
                    cursor.advance();
                    self.reset(part);
                    self.string(part, parts, span).map(|_| ())
                }
                None => self.elided_array(part, element, length, cursor),
            },
            Type::Record(record) => {
                let is_string = matches!(expression.node, Expression::StringLiteral(_));
                let value = if is_string { None } else { Some(self.pending_value(expression, cursor)?) };
                match value {
                    Some(value) if self.initialises_whole(&value, part.ty, record) => {
                        let value = self.convert_assigned(value, part.ty, span)?;
                        cursor.advance();
                        self.push(part, value);
                        Ok(())
                    }
                    value => {
                        cursor.pending = value;
                        self.elided_record(part, record, cursor)
                    }
                }
            }
            _ => {
                let value = self.pending_value(expression, cursor)?;
                let value = self.convert_assigned(value, part.ty, span)?;
                cursor.advance();
                self.push(part, value);
                Ok(())
            }
        }
    }

    /// Whether a value initialises a record as a whole: one of another type may be for its first member, without braces.
    fn initialises_whole(&mut self, value: &Expr, ty: TypeId, record: RecordId) -> bool {
        if !matches!(self.hir.types.get(value.ty), Type::Record(_)) {
            return false;
        }
        let first = self.hir.types.record(record).fields.first().map(|field| field.ty);
        let has_parts = first.is_some_and(|ty| matches!(self.hir.types.get(ty), Type::Record(_) | Type::Array(..)));
        !has_parts || self.compatible(value.ty, ty, 0)
    }

    /// The list of a compound literal, where it initialises an object of its own type as the list alone would: an array, or
    /// something that lives for the whole run.
    fn literal_items<'t>(
        &mut self,
        ty: TypeId,
        node: &'t Node<Expression>,
    ) -> Checked<Option<&'t [Node<InitializerListItem>]>> {
        let Expression::CompoundLiteral(literal) = &node.node else { return Ok(None) };
        let of = self.type_name(&literal.node.type_name)?;
        let same = match (self.hir.types.get(ty), self.hir.types.get(of)) {
            (&Type::Array(wanted, _), &Type::Array(found, _)) => wanted == found,
            _ => self.in_static && ty == of,
        };
        Ok(same.then_some(&literal.node.initializer_list[..]))
    }

    /// A record that is initialised by a value, and then a part of it again: gcc forgets the value, the standard does not say so.
    fn doubt_partly_overridden(&self, init: &mut Init) {
        for i in 0..init.items.len() {
            let item = &init.items[i];
            if !matches!(self.hir.types.get(item.ty), Type::Record(_)) {
                continue;
            }
            let inside = item.offset..item.offset.saturating_add(self.hir.types.size(item.ty).unwrap_or(0));
            if init.items[i + 1..].iter().any(|later| inside.contains(&first_byte(later))) {
                init.items[i].value.kind = ExprKind::Unsupported(PARTLY_OVERRIDDEN.to_owned());
            }
        }
    }

    /// The member of a union is the one that is initialised from here on.
    fn activate(&mut self, part: Part, record: RecordId, field: usize) {
        if self.hir.types.record(record).is_union {
            self.filled.members.retain(|&(offset, of, _)| (offset, of) != (part.offset, record));
            self.filled.members.push((part.offset, record, field));
        }
    }

    /// The part is initialised as a whole from here on.
    fn reset(&mut self, part: Part) {
        let is_whole = part.bits.is_none();
        if let Some(size) = self.hir.types.size(part.ty).filter(|_| is_whole) {
            let inside = part.offset..part.offset.saturating_add(size);
            self.filled.members.retain(|(offset, ..)| !inside.contains(offset));
        }
        if let Some(size) = self.hir.types.size(part.ty).filter(|_| is_whole && !self.filled.items.is_empty()) {
            self.filled.resets.push(Reset {
                items: self.filled.items.len(),
                from: part.offset,
                to: part.offset.saturating_add(size),
            });
        }
    }

    fn pending_value(&mut self, expression: &Node<Expression>, cursor: &mut Cursor<'_>) -> Checked<Expr> {
        match cursor.pending.take() {
            Some(value) => Ok(value),
            None => self.rvalue(expression),
        }
    }

    fn push(&mut self, part: Part, value: Expr) {
        self.filled.items.push(InitItem { offset: part.offset, ty: part.ty, bits: part.bits, value });
    }

    fn elided_array(
        &mut self,
        part: Part,
        element: TypeId,
        length: Option<u64>,
        cursor: &mut Cursor<'_>,
    ) -> Checked<()> {
        if length == Some(0) {
            return Ok(());
        }
        self.element(self.element_part(part, element, 0), cursor)?;
        self.array_rest(part, element, length, 1, cursor)
    }

    fn elided_record(&mut self, part: Part, record: RecordId, cursor: &mut Cursor<'_>) -> Checked<()> {
        if self.hir.types.record(record).fields.is_empty() {
            return Ok(());
        }
        self.activate(part, record, 0);
        self.element(self.field_part(part, record, 0), cursor)?;
        self.record_rest(part, record, 1, cursor)
    }

    /// The string literal that initialises a whole array of such elements.
    fn string_for<'t>(&self, element: TypeId, node: &'t Node<Expression>) -> Option<&'t [String]> {
        let Expression::StringLiteral(parts) = &node.node else { return None };
        self.hir.types.is_integer(element).then_some(&parts.node[..])
    }

    /// Writes the characters of a string; how many there are, with the terminating zero.
    fn string(&mut self, part: Part, parts: &[String], span: Span) -> Checked<u64> {
        let Type::Array(element, length) = *self.hir.types.get(part.ty) else { return Err(Problem::consequence()) };
        let text = self.string_parts(parts, span)?;
        let size = self.hir.types.size(text.element).unwrap_or(1);
        if self.hir.types.size(element) != Some(size) {
            let element = self.name_of(element);
            return Err(Problem::new(span, format!("a string cannot initialise an array of `{element}`")));
        }
        let room = length.unwrap_or(text.length).min(text.length);
        for (i, bytes) in text.bytes.chunks(size as usize).take(room as usize).enumerate() {
            let value = bytes.iter().rev().fold(0_i128, |v, b| v << 8 | i128::from(*b));
            if value != 0 {
                let value = self.int(value, element, span);
                self.push(self.element_part(part, element, i as u64), value);
            }
        }
        Ok(text.length)
    }
}

/// The first byte that an item writes. The unit of a bit-field may begin inside the member before.
fn first_byte(item: &InitItem) -> u64 {
    item.offset + item.bits.map_or(0, |bits| u64::from(bits.lo / 8))
}

/// Drops the items that a later part replaces. Lists without designators go forward only: nothing is replaced there.
fn apply_resets(resets: &[Reset], init: &mut Init) {
    let ahead = |r: &Reset| first_byte(&init.items[r.items - 1]) >= r.from;
    if init.items.is_sorted_by_key(first_byte) && !resets.iter().any(ahead) {
        return;
    }
    let mut gone = vec![false; init.items.len()];
    for reset in resets {
        for (item, gone) in init.items[..reset.items].iter().zip(&mut gone) {
            *gone |= (reset.from..reset.to).contains(&first_byte(item));
        }
    }
    for (item, gone) in init.items.iter_mut().zip(&mut gone) {
        if *gone && item.value.has_effects() {
            item.value.kind = ExprKind::Unsupported(OVERRIDDEN.to_owned());
            *gone = false;
        }
    }
    let mut gone = gone.into_iter();
    init.items.retain(|_| !gone.next().unwrap_or(false));
}

/// What is initialised twice may be evaluated once or twice (C11 6.7.9, 19): that must not matter.
fn doubt_overridden(init: &mut Init) {
    if init.items.is_sorted_by(|a, b| place_of(a) < place_of(b)) {
        return;
    }
    let mut last = std::collections::BTreeMap::new();
    for (i, item) in init.items.iter().enumerate() {
        last.insert(place_of(item), i);
    }
    for (i, item) in init.items.iter_mut().enumerate() {
        if last.get(&place_of(item)) != Some(&i) && item.value.has_effects() {
            item.value.kind = ExprKind::Unsupported(OVERRIDDEN.to_owned());
        }
    }
}

/// Where an item is written, to the bit.
fn place_of(item: &InitItem) -> (u64, u32) {
    (item.offset, item.bits.map_or(0, |bits| bits.lo))
}
