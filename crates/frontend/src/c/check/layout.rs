//! Layout of structs and unions, as gcc has it on x86.

use super::Checker;
use crate::c::types::{BitRange, Field, RecordId, TypeId};

/// A member before it has a place.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) ty: TypeId,
    pub(super) width: Option<u32>,
    /// From attributes and `_Alignas`.
    pub(super) align: Option<u64>,
    /// That of its type, which a typedef may set.
    pub(super) type_align: u64,
    pub(super) packed: bool,
    /// An unnamed bit-field is only padding.
    pub(super) padding: bool,
}

/// What attributes and pragmas say about a record.
#[derive(Clone, Copy, Default)]
pub(super) struct Packing {
    pub(super) packed: bool,
    /// `#pragma pack`
    pub(super) limit: Option<u64>,
    pub(super) align: Option<u64>,
}

/// A member that has its place: its first bit and its alignment.
struct Placed {
    member: Member,
    start: u128,
    align: u64,
}

/// The state of a layout: bits used so far, alignment so far.
struct Layout {
    is_union: bool,
    bits: u128,
    end: u128,
    align: u64,
}

fn bits(bytes: u64) -> u128 {
    u128::from(bytes.max(1)) * 8
}

impl Layout {
    /// The position for the next member, moved up to a multiple of `align` bytes.
    fn place(&mut self, align: u64, size_bits: u128) -> u128 {
        let start = if self.is_union { 0 } else { self.bits.next_multiple_of(bits(align)) };
        self.advance(start, size_bits);
        start
    }

    fn advance(&mut self, start: u128, size_bits: u128) {
        self.bits = start + size_bits;
        self.end = self.end.max(self.bits);
    }
}

impl Checker<'_> {
    /// Places the members and completes the record. `false` if it is larger than memory.
    pub(super) fn complete_record(&mut self, id: RecordId, members: Vec<Member>, packing: Packing) -> bool {
        let is_union = self.hir.types.record(id).is_union;
        let mut layout = Layout { is_union, bits: 0, end: 0, align: 1 };
        let mut placed = Vec::with_capacity(members.len());
        for member in members {
            let (start, align) = match member.width {
                None => self.place_member(&mut layout, &member, packing),
                Some(width) => self.place_bits(&mut layout, &member, width, packing),
            };
            if !member.padding {
                placed.push(Placed { member, start, align });
            }
        }
        let align = packing.align.map_or(layout.align, |a| a.max(layout.align));
        let size = layout.end.next_multiple_of(bits(align)) / 8;
        let fields = placed.into_iter().map(|p| self.field_at(p, size)).collect();
        let record = self.types().record_mut(id);
        record.fields = fields;
        record.align = align;
        record.size = u64::try_from(size).unwrap_or(0);
        record.complete = true;
        size <= i64::MAX as u128
    }

    fn place_member(&self, layout: &mut Layout, member: &Member, packing: Packing) -> (u128, u64) {
        let own = if packing.packed || member.packed { 1 } else { member.type_align };
        let align = member.align.map_or(own, |a| a.max(own));
        let align = packing.limit.map_or(align, |limit| align.min(limit));
        let size = u128::from(self.hir.types.size(member.ty).unwrap_or(0)) * 8;
        let start = layout.place(align, size);
        layout.align = layout.align.max(align);
        (start, align)
    }

    /// A bit-field shares the storage unit of its type with what stands there, unless it would take more units than its type
    /// (System V ABI). Unnamed ones do not align the record.
    fn place_bits(&self, layout: &mut Layout, member: &Member, width: u32, packing: Packing) -> (u128, u64) {
        let unit = bits(member.type_align);
        let size = u128::from(self.hir.types.scalar_bits(member.ty).unwrap_or(8));
        let packed = packing.packed || member.packed;
        let position = if layout.is_union { 0 } else { layout.bits };
        let wide = u128::from(width);
        let whole = whole_integer(width, position, packed);
        // On ILP32 the largest of them are aligned as others are, in records.
        let whole = whole.map(|align| align.min(bits(self.hir.types.align(member.ty))));
        let mut align = member.align.map_or(1, bits).max(whole.unwrap_or(1));
        if width == 0 {
            align = align.max(unit);
        } else if let Some(limit) = packing.limit {
            align = align.min(bits(limit));
        }
        let mut start = position.next_multiple_of(align);
        let free = packed || packing.limit.is_some() || whole.is_some() || width == 0;
        if !free && (start % unit + wide).div_ceil(unit) > size / unit {
            start = start.next_multiple_of(unit);
        }
        layout.advance(start, wide);
        if !member.padding {
            // With `#pragma pack`, gcc does not ask for the attribute.
            let natural =
                packing.limit.map_or(if packed { 1 } else { member.type_align }, |l| member.type_align.min(l));
            layout.align = layout.align.max(natural).max((align / 8) as u64);
        }
        (start, (align / 8).max(1) as u64)
    }

    fn field_at(&self, placed: Placed, size: u128) -> Field {
        let Placed { member: Member { name, ty, width, .. }, start, align } = placed;
        let (offset, bits) = match width {
            None => (start / 8, None),
            Some(width) => {
                let (base, bits) = self.access_unit(ty, start, width, size);
                (base / 8, Some(bits))
            }
        };
        Field { name, ty, offset: offset as u64, bits, align }
    }

    /// What is read and written for a bit-field: the unit of its type, if it has all of the bits and lies in the record. If not,
    /// only the bytes that have some of the bits.
    fn access_unit(&self, ty: TypeId, start: u128, width: u32, size: u128) -> (u128, BitRange) {
        let unit = u128::from(self.hir.types.scalar_bits(ty).unwrap_or(8));
        let base = start / bits(self.hir.types.align(ty)) * bits(self.hir.types.align(ty));
        let end = start + u128::from(width);
        let (base, unit) = match end <= base + unit && base + unit <= size * 8 {
            true => (base, unit / 8),
            false => (start / 8 * 8, end.div_ceil(8) - start / 8),
        };
        (base, BitRange { lo: (start - base) as u32, width, unit: unit as u32 })
    }
}

/// The alignment in bits of a bit-field that gcc takes for an integer: it is as wide as one and happens to stand where one may.
fn whole_integer(width: u32, position: u128, packed: bool) -> Option<u128> {
    let is_whole = matches!(width, 8 | 16 | 32 | 64) && !(packed && width > 8);
    let align = u128::from(width);
    (is_whole && position.is_multiple_of(align)).then_some(align)
}
