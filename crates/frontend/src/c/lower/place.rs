//! Places: loads, stores, addresses, bit-fields.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, Op, Target};
use clinch_terms::{BinOp, Symbol, Term};

use super::super::hir::{Call, Callee, Expr, ExprKind, Place, PlaceKind};
use super::super::points_to::{Cell, ExtendedFunction, Library, library};
use super::super::types::{BitRange, TypeId};
use super::Lowering;
use super::storage::Spot;
use super::values::Value;

/// Why a run ends that would show what a compiler makes of a float that a bit-field does not hold.
const NOT_IN_BIT_FIELD: &str = "a floating-point number in a bit-field that it does not fit";

/// Something that is read or written, its address known.
#[derive(Clone, Debug)]
pub(super) enum Lvalue {
    /// A variable of the automaton.
    Symbol(Symbol),
    /// Scalars of a record that is split, with their offsets from the start of the place.
    Split(Vec<(u64, TypeId, Symbol)>),
    /// In memory.
    Memory {
        /// Where.
        address: Term,
        /// Where, for the pointer analysis.
        cell: Option<Cell>,
        /// Which bits, for a bit-field.
        bits: Option<BitRange>,
    },
    /// In a record that is only a value: its scalars, with their offsets from the start of the place.
    Value(Vec<(u64, TypeId, Term)>),
}

/// What it is evaluated for where something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// To read or write there.
    Access,
    /// To know the address, which may be that behind the last element of an array.
    Address,
}

impl Lowering<'_> {
    /// Evaluates where a place is that is read or written.
    pub(super) fn target(&mut self, place: &Place) -> Lvalue {
        self.locate(place, Purpose::Access)
    }

    fn locate(&mut self, place: &Place, purpose: Purpose) -> Lvalue {
        match &place.kind {
            PlaceKind::Variable(v) => match self.storage.variables.get(v).cloned() {
                Some(Spot::Symbol(symbol)) => Lvalue::Symbol(symbol),
                Some(Spot::Split(leaves)) => {
                    Lvalue::Split(leaves.into_iter().map(|(leaf, s)| (leaf.offset, leaf.ty, s)).collect())
                }
                Some(Spot::Memory(home)) => {
                    let address = self.home(home);
                    Lvalue::Memory { address, cell: self.cell_of(*v), bits: None }
                }
                // A variable that nothing uses.
                None => Lvalue::Value(Vec::new()),
            },
            PlaceKind::Deref(pointer) => {
                let address = self.pointer(pointer, purpose);
                let cell = self.points.pointee(pointer);
                Lvalue::Memory { address, cell, bits: None }
            }
            PlaceKind::Field(inner, record, i) => {
                let field = &self.hir.types.record(*record).fields[*i];
                let size = self.hir.types.size(field.ty).unwrap_or(0);
                let inner = self.locate(inner, purpose);
                let scalar = self.hir.types.scalar_bits(field.ty).is_some();
                self.member(inner, field.offset, size, field.bits, scalar)
            }
            PlaceKind::String(i) => {
                let address = match self.storage.strings.get(i) {
                    Some(&object) => self.object_address(object),
                    None => self.address(0),
                };
                Lvalue::Memory { address, cell: self.points.place(place), bits: None }
            }
            PlaceKind::Value(e) => match self.record(e) {
                Value::Block { address, cell } => Lvalue::Memory { address, cell, bits: None },
                Value::Leaves(leaves) => Lvalue::Value(leaves),
                _ => Lvalue::Value(Vec::new()),
            },
        }
    }

    fn member(&mut self, inner: Lvalue, offset: u64, size: u64, bits: Option<BitRange>, scalar: bool) -> Lvalue {
        let inside = |o: u64| (offset..(offset + size).max(offset + 1)).contains(&o);
        match inner {
            Lvalue::Split(leaves) => {
                let leaves: Vec<_> =
                    leaves.into_iter().filter(|l| inside(l.0)).map(|(o, t, s)| (o - offset, t, s)).collect();
                match leaves[..] {
                    [(0, _, symbol)] if scalar => Lvalue::Symbol(symbol),
                    _ => Lvalue::Split(leaves),
                }
            }
            Lvalue::Value(leaves) => {
                Lvalue::Value(leaves.into_iter().filter(|l| inside(l.0)).map(|(o, t, v)| (o - offset, t, v)).collect())
            }
            Lvalue::Memory { address, cell, .. } => {
                let address = self.plus(address, offset);
                Lvalue::Memory { address, cell: cell.map(|c| c.plus(offset as i64)), bits }
            }
            Lvalue::Symbol(symbol) => Lvalue::Symbol(symbol),
        }
    }

    /// The value of a scalar place.
    pub(super) fn load(&mut self, place: &Place) -> Term {
        let target = self.target(place);
        self.read(&target, place.ty, place.span)
    }

    pub(super) fn address_of(&mut self, place: &Place) -> Term {
        match self.locate(place, Purpose::Address) {
            Lvalue::Memory { address, .. } => address,
            _ => {
                self.body.stop(Op::Unsupported("the address of a value".to_owned()), place.span);
                self.address(0)
            }
        }
    }

    /// The scalar at a target.
    pub(super) fn read(&mut self, target: &Lvalue, ty: TypeId, span: Span) -> Term {
        match target {
            Lvalue::Symbol(symbol) => self.terms.symbol(*symbol),
            Lvalue::Split(leaves) => match leaves.first() {
                Some(&(_, _, symbol)) => self.terms.symbol(symbol),
                None => self.constant(ty, 0),
            },
            Lvalue::Value(leaves) => match leaves.first() {
                Some(&(_, _, term)) => term,
                None => self.unsupported("this value", ty, span),
            },
            Lvalue::Memory { address, cell, bits: None } => {
                let bytes = self.memory_bytes(ty);
                self.read_memory(*address, *cell, (ty, bytes), span).unwrap_or_else(|| self.constant(ty, 0))
            }
            Lvalue::Memory { address, cell, bits: Some(bits) } => {
                let unit = self.read_memory(*address, *cell, (ty, bits.unit.into()), span);
                let Some(unit) = unit else { return self.constant(ty, 0) };
                if self.mathematical() {
                    return self.unsupported("a bit-field among mathematical integers", ty, span);
                }
                self.bits_of_unit(unit, *bits, ty)
            }
        }
    }

    fn bits_of_unit(&mut self, unit: Term, bits: BitRange, ty: TypeId) -> Term {
        let field = self.terms.extract(bits.lo + bits.width - 1, bits.lo, unit);
        self.terms.resize(self.hir.types.is_signed(ty), self.bits(ty), field)
    }

    /// Reads bytes of a scalar from memory. Nothing, after an edge that says why, where that is not modelled.
    fn read_memory(
        &mut self,
        address: Term,
        cell: Option<Cell>,
        (ty, bytes): (TypeId, u64),
        span: Span,
    ) -> Option<Term> {
        let Some(region) = cell.and_then(|c| self.points.region(c)) else {
            self.body.stop(Op::Unsupported("an access to unknown memory".to_owned()), span);
            return None;
        };
        let region = &self.regions[region.0];
        let (symbol, cell_bytes) = (region.symbol, u64::from(region.cell_bytes));
        let array = self.terms.symbol(symbol);
        if bytes == cell_bytes {
            return Some(self.terms.select(array, address));
        }
        if self.cannot_be_bytes(ty, span) {
            return None;
        }
        let parts: Vec<Term> = (0..bytes)
            .rev()
            .map(|i| {
                let at = self.plus(address, i);
                self.terms.select(array, at)
            })
            .collect();
        parts.into_iter().reduce(|high, low| self.terms.bv(BinOp::BvConcat, high, low))
    }

    /// Bytes of a value in memory; a `long double` is kept in the first eight of its bytes.
    fn memory_bytes(&self, ty: TypeId) -> u64 {
        u64::from(self.bits(ty)) / 8
    }

    /// Stops where a value cannot be put together from bytes.
    fn cannot_be_bytes(&mut self, ty: TypeId, span: Span) -> bool {
        let long_double = self.hir.types.scalar_bits(ty).is_some_and(|b| b > 64);
        let what = if self.mathematical() {
            "memory that is accessed in several ways, among mathematical integers"
        } else if long_double {
            "the bytes of a long double"
        } else {
            return false;
        };
        self.body.stop(Op::Unsupported(what.to_owned()), span);
        true
    }

    /// Writes a scalar.
    pub(super) fn store(&mut self, target: &Lvalue, ty: TypeId, value: Term, span: Span) {
        if let Some(assigns) = self.assigns(target, ty, value, span)
            && !assigns.is_empty()
        {
            self.body.emit(Op::Assign(assigns), span);
        }
    }

    /// The assignments that write a scalar. Nothing where that is not modelled.
    pub(super) fn assigns(&mut self, target: &Lvalue, ty: TypeId, value: Term, span: Span) -> Option<Vec<Assign>> {
        match target {
            Lvalue::Symbol(symbol) => Some(vec![Assign { target: Target::Var(*symbol), value }]),
            Lvalue::Split(leaves) => {
                leaves.first().map(|&(_, _, symbol)| vec![Assign { target: Target::Var(symbol), value }])
            }
            Lvalue::Value(_) => Some(Vec::new()),
            Lvalue::Memory { address, cell, bits: None } => {
                let bytes = self.memory_bytes(ty);
                self.write_memory(*address, *cell, (ty, bytes), value, span)
            }
            Lvalue::Memory { address, cell, bits: Some(bits) } => {
                let bytes = bits.unit.into();
                let unit = self.read_memory(*address, *cell, (ty, bytes), span)?;
                if self.mathematical() {
                    self.unsupported("a bit-field among mathematical integers", ty, span);
                    return None;
                }
                let unit = self.with_bits(unit, *bits, value);
                self.write_memory(*address, *cell, (ty, bytes), unit, span)
            }
        }
    }

    /// The unit with other bits in the field.
    pub(super) fn with_bits(&mut self, unit: Term, bits: BitRange, value: Term) -> Term {
        let width = self.terms.bv_width(unit);
        let end = bits.lo + bits.width;
        let mut result = self.terms.extract(bits.width - 1, 0, value);
        if bits.lo > 0 {
            let low = self.terms.extract(bits.lo - 1, 0, unit);
            result = self.terms.bv(BinOp::BvConcat, result, low);
        }
        if end < width {
            let high = self.terms.extract(width - 1, end, unit);
            result = self.terms.bv(BinOp::BvConcat, high, result);
        }
        result
    }

    pub(super) fn write_memory(
        &mut self,
        address: Term,
        cell: Option<Cell>,
        (ty, bytes): (TypeId, u64),
        value: Term,
        span: Span,
    ) -> Option<Vec<Assign>> {
        let Some(region) = cell.and_then(|c| self.points.region(c)) else {
            self.body.stop(Op::Unsupported("an access to unknown memory".to_owned()), span);
            return None;
        };
        let region = &self.regions[region.0];
        let (symbol, cell_bytes) = (region.symbol, u64::from(region.cell_bytes));
        if bytes == cell_bytes {
            return Some(vec![Assign { target: Target::Cell(symbol, address), value }]);
        }
        if self.cannot_be_bytes(ty, span) {
            return None;
        }
        let assigns = (0..bytes).map(|i| {
            let at = self.plus(address, i);
            let low = i as u32 * 8;
            let value = self.terms.extract(low + 7, low, value);
            Assign { target: Target::Cell(symbol, at), value }
        });
        Some(assigns.collect())
    }

    /// A value that goes to a place.
    pub(super) fn value_for(&mut self, target: &Lvalue, value: &Expr) -> Term {
        let of_float = match &value.kind {
            ExprKind::Convert(from) => self.is_float(from.ty),
            ExprKind::Call(call) => self.converts_extended(call),
            _ => false,
        };
        let term = self.scalar(value);
        if of_float {
            self.guard_bit_field(target, value.ty, term, value.span);
        }
        term
    }

    fn converts_extended(&self, call: &Call) -> bool {
        let Callee::Direct(function) = call.callee else { return false };
        library(self.hir, function) == Some(Library::Extended(ExtendedFunction::To))
    }

    /// The integral part of a float must be one of the bit-field that it goes to; otherwise the behaviour is undefined, and
    /// compilers differ.
    pub(super) fn guard_bit_field(&mut self, target: &Lvalue, ty: TypeId, value: Term, span: Span) {
        if !matches!(target, Lvalue::Memory { bits: Some(_), .. }) || self.mathematical() {
            return;
        }
        let kept = self.after_store(target, ty, value);
        let fits = self.equal(kept, value);
        self.guard(fits, Op::Unsupported(NOT_IN_BIT_FIELD.to_owned()), span);
    }

    /// What a place holds after a value was stored: a bit-field keeps only its bits.
    pub(super) fn after_store(&mut self, target: &Lvalue, ty: TypeId, value: Term) -> Term {
        match target {
            Lvalue::Memory { bits: Some(bits), .. } if !self.mathematical() => {
                let unit = BitRange { lo: 0, ..*bits };
                self.bits_of_unit(value, unit, ty)
            }
            _ => value,
        }
    }
}
