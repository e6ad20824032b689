//! Where a program sees more of an address than which object it belongs to.
//!
//! Objects have addresses of our choice, and C leaves the choice to others: what a program does must not depend on it. Copying
//! an address, moving it and accessing memory there do not. Its bits, its order with addresses of other objects and whether
//! the end of one object is the start of another do: such uses are found here, for the lowering to guard.

use super::super::hir::{BinaryOp, Expr, Hir};
use super::super::types::{DataModel, Type, TypeId};
use super::Analysis;
use super::flow::{Flow, key};
use super::graph::{Cell, Census};
use super::layout::Val;

/// What an operation wants of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Want {
    /// Their bits.
    Bits,
    /// Whether they are equal.
    Equality,
    /// Whether they are equal, both of pointer type: one that is no address of an object may be anything.
    Identity,
    /// Which one is greater.
    Order,
    /// Their distance. A number that is subtracted moves an address.
    Distance,
    /// Their distance, both of pointer type. The result is no address, so neither may be one alone: the distance from a null pointer
    /// would be the address itself.
    Difference,
    /// Their sum. A number that is added moves an address.
    Sum,
}

/// An operation that may see an address.
#[derive(Debug)]
pub(super) struct Use {
    key: usize,
    want: Want,
    left: Option<Val>,
    right: Option<Val>,
}

/// The objects whose addresses an operand may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    /// Those with fixed addresses.
    Fixed,
    /// Also those that are made when the program runs.
    Dynamic,
}

/// What has to be checked before an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Observation {
    /// These operands may be addresses, and their bits are seen.
    Bits {
        /// The left one.
        left: Option<Home>,
        /// The right one.
        right: Option<Home>,
    },
    /// One operand may be an address, and is compared with a number.
    Number {
        /// Whether it is the left one.
        left: bool,
        /// Whose address it may be.
        home: Home,
    },
    /// Both operands may be addresses, of objects that are not the same.
    DifferentObjects,
    /// Both operands are addresses of the same kind of objects, of which there may be several.
    SeveralObjects,
    /// Whether they are the same object is asked.
    Identity {
        /// Both may be addresses of string literals that a compiler may merge.
        literals: bool,
        /// One may be the end of an object, and the other one the start of another.
        adjacent: bool,
        /// One may be the address of a block that is no more, and the other one that of a block in its place.
        reused: bool,
    },
}

/// What an operation wants of its operands.
pub(super) fn want(op: BinaryOp) -> Want {
    match op {
        BinaryOp::Eq | BinaryOp::Ne => Want::Equality,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Want::Order,
        BinaryOp::Sub => Want::Distance,
        BinaryOp::Add => Want::Sum,
        _ => Want::Bits,
    }
}

impl Analysis<'_> {
    /// Notes an operation, by its expression, with its operands.
    pub(super) fn observe(&mut self, e: &Expr, want: Want, left: (&Expr, &Flow), right: Option<(&Expr, &Flow)>) {
        self.observe_at(key(e), want, left, right);
    }

    /// Notes an operation by a key.
    pub(super) fn observe_at(&mut self, key: usize, want: Want, left: (&Expr, &Flow), right: Option<(&Expr, &Flow)>) {
        let left = self.address_in(left.0.ty, left.1);
        let right = right.and_then(|(e, flow)| self.address_in(e.ty, flow));
        self.note(Use { key, want, left, right });
    }

    /// Notes `place op= operand`: the type and the value of the place, the operand and its value.
    pub(super) fn observe_update(&mut self, key: usize, want: Want, sides: (TypeId, &Flow, &Expr, &Flow)) {
        let left = self.address_in(sides.0, sides.1);
        let right = self.address_in(sides.2.ty, sides.3);
        self.note(Use { key, want, left, right });
    }

    fn note(&mut self, used: Use) {
        if used.left.is_some() || used.right.is_some() {
            self.uses.push(used);
        }
    }

    /// The value, where its type has room for an address.
    fn address_in(&self, ty: TypeId, flow: &Flow) -> Option<Val> {
        match flow {
            Flow::Scalar(value) if holds_addresses(self.hir, ty) => Some(*value),
            _ => None,
        }
    }

    /// What has to be checked, by the expression of the operation.
    pub(super) fn observations(&mut self) -> Vec<(usize, Observation)> {
        let uses = std::mem::take(&mut self.uses);
        uses.into_iter().filter_map(|used| Some((used.key, self.observation(&used)?))).collect()
    }

    fn observation(&mut self, used: &Use) -> Option<Observation> {
        let (left, right) = (self.object(used.left), self.object(used.right));
        match (used.want, left, right) {
            (_, None, None) | (Want::Sum | Want::Distance, Some(_), None) | (Want::Sum, None, Some(_)) => None,
            (Want::Identity, None, _) | (Want::Identity, _, None) => None,
            (Want::Equality | Want::Identity, Some(a), Some(b)) => self.identity(a, b, used.want),
            (Want::Sum, Some(_), Some(_)) => Some(Observation::DifferentObjects),
            (Want::Order | Want::Distance | Want::Difference, Some(a), Some(b)) if a.node != b.node => {
                Some(Observation::DifferentObjects)
            }
            (Want::Order | Want::Distance | Want::Difference, Some(a), Some(_)) => {
                let one = self.graph.census(a.node).is_one();
                (!one).then_some(Observation::SeveralObjects)
            }
            // The sign of an address of 32 bits is not known.
            (Want::Order, ..) if self.hir.types.model == DataModel::Ilp32 => self.bits((left, right)),
            (Want::Equality | Want::Order, a, _) => {
                let home = self.home(a.or(right))?;
                Some(Observation::Number { left: a.is_some(), home })
            }
            _ => self.bits((left, right)),
        }
    }

    fn bits(&self, (left, right): (Option<Cell>, Option<Cell>)) -> Option<Observation> {
        Some(Observation::Bits { left: self.home(left), right: self.home(right) })
    }

    fn home(&self, cell: Option<Cell>) -> Option<Home> {
        let census = self.graph.census(cell?.node);
        Some(if census.dynamic { Home::Dynamic } else { Home::Fixed })
    }

    /// What a value points to, if that is an object of the program.
    fn object(&mut self, value: Option<Val>) -> Option<Cell> {
        let cell = self.graph.link(value?)?;
        (!self.graph.census(cell.node).is_empty()).then_some(cell)
    }

    /// Two addresses of different objects are equal only if one is the end of an object, or is one no more; literals may be one
    /// object.
    fn identity(&mut self, a: Cell, b: Cell, want: Want) -> Option<Observation> {
        let (of_a, of_b) = (self.graph.census(a.node), self.graph.census(b.node));
        let literals = of_a.literals > 0 && of_b.literals > 0 && self.may_share(a, b);
        let adjacent = a.node != b.node && (may_be_end(a, of_a) || may_be_end(b, of_b));
        // A pointer to what is no more has no value that may be looked at, but many look whether `realloc` moved a block.
        let by_number = want == Want::Equality;
        let reused = of_a.dynamic && of_b.dynamic && (by_number || self.is_reallocated(a) || self.is_reallocated(b));
        (literals || adjacent || reused).then_some(Observation::Identity { literals, adjacent, reused })
    }

    fn is_reallocated(&mut self, cell: Cell) -> bool {
        let blocks = self.reallocated.clone();
        blocks.into_iter().any(|block| self.graph.link(block).is_some_and(|block| block.node == cell.node))
    }
}

impl Analysis<'_> {
    /// Whether there are different literals in two objects of which one ends like the other: compilers put them into one
    /// object, or do not.
    fn may_share(&mut self, a: Cell, b: Cell) -> bool {
        let (left, right) = (self.literals_of(a), self.literals_of(b));
        let strings = &self.hir.strings;
        let alike = |i: usize, j: usize| strings[i].ends_with(&strings[j]) || strings[j].ends_with(&strings[i]);
        left.iter().any(|&i| right.iter().any(|&j| i != j && alike(i, j)))
    }

    fn literals_of(&mut self, cell: Cell) -> Vec<usize> {
        let mut strings: Vec<(usize, Cell)> = self.strings.iter().map(|(&i, &cell)| (i, cell)).collect();
        strings.sort_unstable_by_key(|(i, _)| *i);
        strings.retain(|(_, of)| self.graph.find(*of).node == cell.node);
        strings.into_iter().map(|(i, _)| i).collect()
    }
}

/// Whether an address may be that of the byte behind its object.
fn may_be_end(cell: Cell, objects: Census) -> bool {
    cell.spread != 0 || cell.offset >= objects.end
}

/// Whether a number is below all addresses of objects, or above them.
pub(super) fn is_no_address(hir: &Hir, value: i128) -> bool {
    let (low, high) = addresses(hir.types.model);
    let bits = hir.types.model.pointer_bits();
    let unsigned = value.rem_euclid(1 << bits);
    !(i128::from(low)..i128::from(high)).contains(&unsigned)
}

/// The addresses that objects may have: neither the first nor the last page, and on a 64-bit machine only half of what 48
/// bits can say, as the System V ABI has it for user programs.
pub(crate) fn addresses(model: DataModel) -> (u64, u64) {
    match model {
        DataModel::Ilp32 => (0x1000, 0xffff_f000),
        DataModel::Lp64 => (0x1000, 1 << 47),
    }
}

/// Whether values of a type have room for an address.
fn holds_addresses(hir: &Hir, ty: TypeId) -> bool {
    match hir.types.get(ty) {
        Type::Pointer(_) => true,
        Type::Int { .. } | Type::Float(_) => {
            hir.types.scalar_bits(ty).is_some_and(|bits| bits >= hir.types.model.pointer_bits())
        }
        _ => false,
    }
}
