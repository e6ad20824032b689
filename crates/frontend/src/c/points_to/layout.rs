//! How the bytes of an abstract object are cut into fields.
//!
//! A layout knows *ranges*, stretches that consist of equal elements: an offset in a range means that offset in its first
//! element. Ranges are nested or disjoint. What is accessed becomes a *field*; fields are disjoint, and accesses that
//! overlap without being the same share one field, of bytes.

use std::collections::BTreeMap;

use super::graph::Val;

/// Beyond every offset of an object.
pub(crate) const FAR: i64 = 1 << 50;

/// A stretch of equal elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    /// First byte; `-FAR` is no bound.
    pub(crate) lo: i64,
    /// One past the last byte; `FAR` is no bound.
    pub(crate) hi: i64,
    /// Where one of its elements starts, which stands for all of them.
    pub(crate) anchor: i64,
    /// Bytes of an element, positive.
    pub(crate) stride: i64,
}

impl Range {
    /// The whole object, in elements of a size.
    pub(crate) fn everywhere(stride: i64) -> Range {
        Range { lo: -FAR, hi: FAR, anchor: 0, stride }
    }

    /// Whether it has no bounds.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.lo == -FAR && self.hi == FAR
    }

    pub(crate) fn contains(&self, offset: i64) -> bool {
        self.lo <= offset && offset < self.hi
    }

    /// The same place in the element that stands for all.
    pub(crate) fn wrap(&self, offset: i64) -> i64 {
        self.anchor + (offset - self.anchor).rem_euclid(self.stride)
    }

    fn overlaps(&self, other: &Range) -> bool {
        self.lo < other.hi && other.lo < self.hi
    }

    fn len(&self) -> i64 {
        self.hi - self.lo
    }

    fn shifted(mut self, by: i64) -> Range {
        self.lo = if self.lo == -FAR { -FAR } else { self.lo + by };
        self.hi = if self.hi == FAR { FAR } else { self.hi + by };
        self.anchor += by;
        self
    }

    /// The smallest range that treats all offsets of both alike which either does.
    fn join(&self, other: &Range) -> Range {
        let stride = gcd(gcd(self.stride, other.stride), self.anchor - other.anchor);
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), anchor: self.anchor, stride }.canonical()
    }

    /// The first whole element stands for all; it lies in the range.
    fn canonical(mut self) -> Range {
        if self.lo == -FAR {
            self.anchor = self.anchor.rem_euclid(self.stride);
        } else {
            self.anchor = self.lo + (self.anchor - self.lo).rem_euclid(self.stride);
            self.hi = self.hi.max(self.anchor + self.stride);
        }
        self
    }
}

pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Bytes that are accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// How many.
    pub(crate) width: i64,
    /// Not always accessed as a whole.
    pub(crate) bytes: bool,
    /// What is stored there.
    pub(crate) content: Val,
    /// A name for people, an index.
    pub(crate) name: Option<u32>,
}

/// Pairs of contents that turned out to be the same.
pub(crate) type Merges = Vec<(Val, Val)>;

/// The layout of an abstract object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Outer ones before those inside them.
    ranges: Vec<Range>,
    /// By first byte.
    fields: BTreeMap<i64, Field>,
}

impl Layout {
    /// The offset that stands for all offsets that may be this one.
    pub(crate) fn normal(&self, offset: i64) -> i64 {
        self.ranges.iter().fold(offset, |o, r| if r.contains(o) { r.wrap(o) } else { o })
    }

    /// The ranges that contain a (normal) offset, innermost first.
    pub(crate) fn around(&self, offset: i64) -> impl Iterator<Item = &Range> {
        self.ranges.iter().rev().filter(move |r| r.contains(offset))
    }

    /// The field that contains a (normal) offset, with its first byte.
    pub(crate) fn field_at(&self, offset: i64) -> Option<(i64, &Field)> {
        self.fields.range(..=offset).next_back().map(|(&lo, f)| (lo, f)).filter(|(lo, f)| offset < lo + f.width)
    }

    /// All fields, ascending.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (i64, &Field)> {
        self.fields.iter().map(|(&lo, f)| (lo, f))
    }

    /// One past the last byte that is accessed; none if there may be any number of elements.
    pub(crate) fn end(&self) -> Option<i64> {
        let ranges = self.ranges.iter().map(|r| r.hi).max().unwrap_or(0);
        let fields = self.fields.iter().map(|(lo, f)| lo + f.width).max().unwrap_or(0);
        Some(ranges.max(fields)).filter(|&end| end < FAR / 4)
    }

    /// Notes an access; what is stored there.
    pub(crate) fn access(&mut self, offset: i64, field: Field, merges: &mut Merges) -> Val {
        let mut lo = self.normal(offset);
        let mut field = field;
        if let Some(known) = self.fields.get_mut(&lo)
            && known.width == field.width
            && (known.bytes || !field.bytes)
        {
            known.name = known.name.or(field.name);
            return known.content;
        }
        let width = field.width;
        let mut extended = false;
        loop {
            let innermost = self.around(lo).next().copied();
            let Some(around) = innermost.filter(|r| lo + width > r.anchor + r.stride) else { break };
            // It reaches into the next element, perhaps beyond the last one, and out of arrays inside of the element.
            field.bytes = true;
            if around.hi < FAR && (!extended || around.hi < lo + width) {
                self.insert_range(Range { hi: around.hi + width, ..around }, merges);
                lo = self.normal(lo);
                extended = true;
                continue;
            }
            (lo, field.width) = (around.anchor, around.stride);
            break;
        }
        // It reaches into an array behind (as the unit of a bit-field may), whose elements all stand at its end.
        field.bytes |= self.ranges.iter().any(|r| lo < r.lo && r.lo < lo + field.width);
        self.insert_field(lo, field, merges)
    }

    fn insert_field(&mut self, lo: i64, mut field: Field, merges: &mut Merges) -> Val {
        let (mut lo, mut hi) = (lo, lo + field.width);
        loop {
            let overlapping = self.fields.range(..hi).next_back().map(|(&l, f)| (l, *f));
            let Some((l, known)) = overlapping.filter(|(l, f)| l + f.width > lo) else { break };
            self.fields.remove(&l);
            field.bytes |= known.bytes || (l, l + known.width) != (lo, hi);
            (lo, hi) = (lo.min(l), hi.max(l + known.width));
            field.name = known.name.or(field.name);
            if known.content != field.content {
                merges.push((known.content, field.content));
            }
            field.content = known.content;
        }
        field.width = hi - lo;
        self.fields.insert(lo, field);
        field.content
    }

    /// Notes that a stretch consists of equal elements. Whether that is news.
    pub(crate) fn add_range(&mut self, range: Range, merges: &mut Merges) -> bool {
        let before = self.ranges.clone();
        self.insert_range(range, merges);
        self.ranges != before
    }

    fn insert_range(&mut self, range: Range, merges: &mut Merges) {
        let before = self.ranges.clone();
        self.ranges.push(range.canonical());
        self.settle_ranges();
        if self.ranges != before {
            self.settle_fields(merges);
        }
    }

    /// Makes the ranges nested or disjoint, each in the standing element of those around it.
    fn settle_ranges(&mut self) {
        let mut todo = std::mem::take(&mut self.ranges);
        todo.sort_by_key(|r| (r.len(), -r.stride, -r.lo));
        'next: while let Some(mut range) = todo.pop() {
            let mut i = 0;
            while i < self.ranges.len() {
                let outer = self.ranges[i];
                if !outer.overlaps(&range) {
                    i += 1;
                    continue;
                }
                let inside = outer.lo <= range.lo && range.hi <= outer.hi;
                let start = outer.wrap(range.lo);
                if inside && start + range.len() <= outer.anchor + outer.stride {
                    range = range.shifted(start - range.lo);
                    if range == outer || (range.len() == outer.stride && range.stride == outer.stride) {
                        continue 'next;
                    }
                    i += 1;
                    continue;
                }
                // Elements of one do not fit into those of the other: everything is looked at again.
                let joined = outer.join(&range);
                self.ranges.remove(i);
                todo.append(&mut self.ranges);
                todo.push(joined);
                todo.sort_by_key(|r| (r.len(), -r.stride, -r.lo));
                continue 'next;
            }
            self.ranges.push(range);
        }
    }

    fn settle_fields(&mut self, merges: &mut Merges) {
        for (lo, field) in std::mem::take(&mut self.fields) {
            let content = self.access(lo, field, merges);
            if content != field.content {
                merges.push((content, field.content));
            }
        }
    }

    /// Takes over what another layout says, whose offset 0 is `shift` here.
    pub(crate) fn absorb(&mut self, other: Layout, shift: i64, merges: &mut Merges) {
        self.ranges.extend(other.ranges.into_iter().map(|r| r.shifted(shift).canonical()));
        self.settle_ranges();
        self.settle_fields(merges);
        for (lo, field) in other.fields {
            let content = self.access(lo + shift, field, merges);
            if content != field.content {
                merges.push((content, field.content));
            }
        }
    }
}
