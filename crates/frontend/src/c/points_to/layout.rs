//! How the bytes of an abstract object are cut into fields.
//!
//! A layout knows *ranges*, stretches that consist of equal elements: an offset in a range means that offset in its first
//! element. Ranges are nested or disjoint, and go on behind their last element as far as accesses that start there reach. What
//! is accessed becomes a *field*; fields are disjoint, and accesses that overlap without being the same share one field, of
//! bytes.

use std::collections::BTreeMap;

/// A value: that of a variable, of the contents of a field, of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Val(pub(super) u32);

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
    /// How far an access that starts in it may reach beyond it; these bytes are like its own.
    pub(crate) over: i64,
}

impl Range {
    /// The bytes from `lo` to `hi`, in elements of a size.
    pub(crate) fn new(lo: i64, hi: i64, stride: i64) -> Range {
        Range { lo, hi, anchor: lo, stride, over: 0 }
    }

    /// The whole object, in elements of a size.
    pub(crate) fn everywhere(stride: i64) -> Range {
        Range { anchor: 0, ..Range::new(-FAR, FAR, stride) }
    }

    /// Whether it has no bounds.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.lo == -FAR && self.hi == FAR
    }

    pub(crate) fn contains(&self, offset: i64) -> bool {
        self.lo <= offset && offset < self.end()
    }

    /// The same place in the element that stands for all.
    pub(crate) fn wrap(&self, offset: i64) -> i64 {
        self.anchor + (offset - self.anchor).rem_euclid(self.stride)
    }

    fn overlaps(&self, other: &Range) -> bool {
        self.lo < other.end() && other.lo < self.end()
    }

    /// One past the last byte that is like its own, of a whole element.
    pub(crate) fn end(&self) -> i64 {
        if self.hi == FAR { FAR } else { self.hi + self.over + (-self.over).rem_euclid(self.stride) }
    }

    pub(crate) fn len(&self) -> i64 {
        self.end() - self.lo
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
        let (lo, hi, over) = (self.lo.min(other.lo), self.hi.max(other.hi), self.over.max(other.over));
        Range { lo, hi, anchor: self.anchor, stride, over }.canonical()
    }

    /// Consists of whole elements, and the first of them stands for all: what fits into that one lies in the range.
    fn canonical(mut self) -> Range {
        if self.lo == -FAR {
            self.anchor = self.anchor.rem_euclid(self.stride);
        } else {
            self.lo -= (self.lo - self.anchor).rem_euclid(self.stride);
            self.anchor = self.lo;
            self.hi = self.hi.max(self.anchor + self.stride);
        }
        if self.hi != FAR {
            self.hi += (self.anchor - self.hi).rem_euclid(self.stride);
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
        let ranges = self.ranges.iter().map(Range::end).max().unwrap_or(0);
        let fields = self.fields.iter().map(|(lo, f)| lo + f.width).max().unwrap_or(0);
        Some(ranges.max(fields)).filter(|&end| end < FAR / 4)
    }

    /// Notes that an access may start at an offset: where such a one reached only beyond the last element of a range, elements
    /// are. Whether that is news.
    pub(crate) fn adopt(&mut self, offset: i64, merges: &mut Merges) -> bool {
        let mut news = false;
        while let Some(range) = self.behind(offset) {
            self.insert_range(Range { hi: range.end(), ..range }, merges);
            news = true;
        }
        news
    }

    /// A range whose last element an offset is behind, and yet like it.
    fn behind(&self, offset: i64) -> Option<Range> {
        let mut at = offset;
        for range in &self.ranges {
            if range.contains(at) {
                if at >= range.hi {
                    return Some(*range);
                }
                at = range.wrap(at);
            }
        }
        None
    }

    /// The innermost range around a (normal) offset, if as many bytes from there reach into its next element.
    fn crossed(&self, offset: i64, width: i64) -> Option<Range> {
        self.around(offset).next().copied().filter(|r| offset + width > r.anchor + r.stride)
    }

    /// Notes an access; what is stored there.
    pub(crate) fn access(&mut self, offset: i64, field: Field, merges: &mut Merges) -> Val {
        self.adopt(offset, merges);
        let mut lo = self.normal(offset);
        let mut field = field;
        if let Some(known) = self.fields.get_mut(&lo)
            && known.width == field.width
            && (known.bytes || !field.bytes)
        {
            known.name = known.name.or(field.name);
            return known.content;
        }
        if let Some(around) = self.crossed(lo, field.width) {
            // It reaches into the next element, perhaps beyond the last one, and out of arrays inside of the element.
            field.bytes = true;
            if around.hi < FAR && around.over < field.width {
                self.insert_range(Range { over: field.width, ..around }, merges);
                return self.access(lo, field, merges);
            }
            (lo, field.width) = (around.anchor, around.stride);
        }
        // It reaches into an array behind (as the unit of a bit-field may), whose elements all stand at its end. If several
        // accesses are one field, there may be one among them that starts there.
        let end = lo + field.width;
        let mut entered = self.ranges.iter().filter(|r| lo < r.lo && r.lo < end);
        if let Some(range) = entered.clone().find(|r| r.hi < FAR && field.bytes && r.over < end - r.lo).copied() {
            self.insert_range(Range { over: end - range.lo, ..range }, merges);
            return self.access(lo, field, merges);
        }
        field.bytes |= entered.next().is_some();
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
                let inside = outer.lo <= range.lo && range.end() <= outer.end();
                let start = outer.wrap(range.lo);
                let fits = start + range.len() <= outer.anchor + outer.stride;
                if inside && fits && range.end() <= outer.hi {
                    range = range.shifted(start - range.lo);
                    if range == outer || (range.len() == outer.stride && range.stride == outer.stride) {
                        continue 'next;
                    }
                    i += 1;
                    continue;
                }
                // Elements of one do not fit into those of the other, or are only behind them: everything is looked at again.
                self.ranges.remove(i);
                todo.append(&mut self.ranges);
                if inside && fits {
                    todo.extend([range, Range { hi: outer.end(), ..outer }]);
                } else {
                    todo.push(outer.join(&range));
                }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes of an object, as a program uses them.
    #[derive(Clone, Copy, Debug)]
    enum Note {
        Array { at: i64, size: i64, count: i64 },
        Open { at: i64, size: i64 },
        Everywhere { size: i64 },
        Access { at: i64, width: i64 },
        Address { at: i64 },
    }

    fn notes() -> impl Strategy<Value = Vec<Note>> {
        let sizes = prop::sample::select(vec![1, 2, 3, 4, 6, 8, 12, 16, 24, 40]);
        let widths = prop::sample::select(vec![1, 2, 4, 8]);
        let open = (-16..64_i64, sizes.clone()).prop_map(|(at, size)| Note::Open { at, size });
        let everywhere = sizes.clone().prop_map(|size| Note::Everywhere { size });
        let array = (-16..64_i64, sizes, 1..5_i64).prop_map(|(at, size, count)| Note::Array { at, size, count });
        let access = (-16..96_i64, widths).prop_map(|(at, width)| Note::Access { at, width });
        let address = (-16..96_i64).prop_map(|at| Note::Address { at });
        prop::collection::vec(prop_oneof![6 => array, 6 => access, 6 => address, 1 => open, 1 => everywhere], 1..14)
    }

    fn noted(notes: &[Note]) -> Layout {
        let (mut layout, mut merges) = (Layout::default(), Merges::new());
        for note in notes {
            match *note {
                Note::Array { at, size, count } => {
                    layout.add_range(Range::new(at, at + size * count, size), &mut merges);
                }
                Note::Open { at, size } => {
                    layout.add_range(Range::new(at, FAR, size), &mut merges);
                }
                Note::Everywhere { size } => {
                    layout.add_range(Range::everywhere(size), &mut merges);
                }
                Note::Access { at, width } => {
                    let field = Field { width, bytes: false, content: Val(0), name: None };
                    layout.access(at, field, &mut merges);
                }
                Note::Address { .. } => {}
            }
        }
        // As the solver does: until no address is news.
        let mut addresses = notes.iter().filter_map(|n| if let Note::Address { at } = n { Some(*at) } else { None });
        while addresses.clone().any(|at| layout.adopt(at, &mut merges)) {}
        debug_assert!(addresses.all(|at| layout.behind(at).is_none()));
        layout
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        /// Whatever comes before and after it: elements of an array are one, and every byte of an access is in the field of its
        /// first byte, wherever addresses that may be the same lead.
        #[test]
        fn an_access_has_all_its_bytes(notes in notes()) {
            let layout = noted(&notes);
            let field = |byte| layout.field_at(layout.normal(byte)).map(|(lo, _)| lo);
            for note in &notes {
                match *note {
                    Note::Array { at, size, count } => {
                        let alike = |byte| layout.normal(byte) == layout.normal(byte + size);
                        prop_assert!((at..at + size * (count - 1)).all(alike), "{note:?}: {layout:?}");
                    }
                    Note::Open { at, size } => {
                        let alike = |byte| layout.normal(byte) == layout.normal(byte + size);
                        prop_assert!((at..at + 200).all(alike), "{note:?}: {layout:?}");
                    }
                    Note::Everywhere { size } => {
                        let alike = |byte| layout.normal(byte) == layout.normal(byte + size);
                        prop_assert!((-200..200).all(alike), "{note:?}: {layout:?}");
                    }
                    Note::Access { at, width } => {
                        let starts = notes.iter().filter_map(|n| if let Note::Address { at } = n { Some(*at) } else { None });
                        for start in starts.chain([at]).filter(|&start| layout.normal(start) == layout.normal(at)) {
                            let one = field(at).is_some() && (start..start + width).all(|byte| field(byte) == field(at));
                            prop_assert!(one, "{note:?} as at {start}: {layout:?}");
                        }
                    }
                    Note::Address { .. } => {}
                }
            }
        }
    }
}
