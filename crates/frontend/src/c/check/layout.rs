//! Layout of structs and unions, as gcc has it on x86.

use super::Checker;
use crate::c::hir::BitRange;
use crate::c::types::{Field, RecordId, TypeId};

/// A member before it has a place.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) ty: TypeId,
    pub(super) width: Option<u32>,
    /// From attributes and `_Alignas`.
    pub(super) align: Option<u64>,
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

/// The state of a layout: bits used so far, alignment so far.
struct Layout {
    is_union: bool,
    bits: u128,
    end: u128,
    align: u64,
}

impl Layout {
    /// The position for the next member, moved up to a multiple of `align` bytes.
    fn place(&mut self, align: u64, size_bits: u128) -> u128 {
        let unit = u128::from(align.max(1)) * 8;
        let start = if self.is_union { 0 } else { self.bits.div_ceil(unit) * unit };
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
        let mut fields = Vec::with_capacity(members.len());
        for member in members {
            let field = match member.width {
                None => self.place_member(&mut layout, &member, packing),
                Some(width) => self.place_bits(&mut layout, &member, width, packing),
            };
            if !member.padding {
                fields.push(Field { name: member.name, ty: member.ty, ..field });
            }
        }
        let align = packing.align.map_or(layout.align, |a| a.max(layout.align));
        let size = layout.end.div_ceil(8).div_ceil(u128::from(align)) * u128::from(align);
        let record = self.types().record_mut(id);
        record.fields = fields;
        record.align = align;
        record.size = u64::try_from(size).unwrap_or(0);
        record.complete = true;
        size <= i64::MAX as u128
    }

    /// The alignment of a member, and whether its own type's was given up.
    fn member_align(&self, member: &Member, packing: Packing) -> u64 {
        let natural = if packing.packed || member.packed { 1 } else { self.hir.types.align(member.ty) };
        let align = member.align.map_or(natural, |a| a.max(natural));
        packing.limit.map_or(align, |limit| align.min(limit))
    }

    fn place_member(&self, layout: &mut Layout, member: &Member, packing: Packing) -> Field {
        let align = self.member_align(member, packing);
        let size = u128::from(self.hir.types.size(member.ty).unwrap_or(0)) * 8;
        let start = layout.place(align, size);
        layout.align = layout.align.max(align);
        Field { name: String::new(), ty: member.ty, offset: (start / 8) as u64, bits: None }
    }

    /// A bit-field shares the storage unit of its type with what stands there, unless it would not fit (System V ABI).
    fn place_bits(&self, layout: &mut Layout, member: &Member, width: u32, packing: Packing) -> Field {
        let align = self.hir.types.align(member.ty);
        let unit = u128::from(align) * 8;
        let size = u128::from(self.hir.types.scalar_bits(member.ty).unwrap_or(8));
        let packed = packing.packed || member.packed || packing.limit.is_some();
        if let Some(more) = member.align {
            layout.bits = layout.bits.div_ceil(u128::from(more) * 8) * u128::from(more) * 8;
        }
        let position = if layout.is_union { 0 } else { layout.bits };
        let wide = u128::from(width);
        let fits = position % unit + wide <= size;
        let start = if width == 0 || !fits && !packed { position.div_ceil(unit) * unit } else { position };
        layout.advance(start, wide);
        if !member.padding {
            // With `#pragma pack`, gcc does not ask for the attribute.
            let natural = packing.limit.map_or(if packed { 1 } else { align }, |limit| align.min(limit));
            layout.align = layout.align.max(member.align.map_or(natural, |a| a.max(natural)));
        }
        // Packed bit-fields may stand anywhere: their unit then starts at a byte.
        let base = if start % unit + wide <= size { start / unit * unit } else { start / 8 * 8 };
        let bits = BitRange { lo: (start - base) as u32, width };
        Field { name: String::new(), ty: member.ty, offset: (base / 8) as u64, bits: Some(bits) }
    }
}
