//! Where blocks are: pools of slots of one size.
//!
//! A slot starts at a multiple of a power of two that is not less than its size, so that the place in it is in other bits of an
//! address than the number of the slot. Behind the slots of a pool there is one that is never given away: an address that
//! nothing has, for what was never written.

use clinch_ir::cfa::{AllocKind, CfaProgram, Op};
use clinch_terms::{Symbol, Term};

use super::values::Values;

/// A site of allocation.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) kind: AllocKind,
    /// How many bytes are asked for.
    pub(super) sizes: Values,
    /// The regions with cells in its blocks.
    pub(super) regions: Vec<Symbol>,
}

/// Slots of one size, for blocks with cells of the same regions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pool {
    pub(super) kind: AllocKind,
    /// Bytes of a block, at most.
    pub(super) capacity: u64,
    /// Bytes between the starts of two slots: a power of two.
    pub(super) stride: u64,
    /// How many there are.
    pub(super) slots: u64,
    /// Where the first one is.
    pub(super) first: u64,
}

/// Slots of a pool, at most.
const SLOTS: u64 = 64;
/// Slots of a pool whose blocks have unknown sizes.
const OPEN_SLOTS: u64 = 4;
/// Blocks start at multiples of this.
const ALIGN: u64 = 16;

impl Pool {
    /// Where a slot is.
    pub(super) fn slot(&self, i: u64) -> u64 {
        self.first + i * self.stride
    }

    /// The bits that may be one, and those that are, of the addresses at a place in all slots, with the one that nobody gets.
    pub(super) fn bits(&self, place: Option<u64>) -> (u64, u64) {
        let offsets = match place {
            Some(place) => (place, place),
            None => (self.stride - 1, 0),
        };
        let all = (0..=self.slots).map(|i| self.slot(i));
        all.fold((0, u64::MAX), |(may, one), slot| (may | slot | offsets.0, one & (slot | offsets.1)))
    }
}

/// The sites of a program, in the order of procedures and edges.
pub(super) fn sites(program: &CfaProgram) -> Vec<(AllocKind, Term)> {
    let ops = program.procedures.iter().flat_map(|p| &p.edges).map(|e| &e.op);
    let site = |op: &Op| match op {
        Op::Alloc { size, kind, .. } => Some((*kind, *size)),
        _ => None,
    };
    ops.filter_map(site).collect()
}

/// The pools, and which one each site uses.
pub(super) fn pools(program: &CfaProgram, sites: &[Site], bits: u32) -> (Vec<Pool>, Vec<usize>) {
    let bytes = u64::from(bits / 8);
    let mut pools: Vec<Pool> = Vec::new();
    let mut used = Vec::with_capacity(sites.len());
    let mut regions: Vec<&[Symbol]> = Vec::new();
    for Site { kind, sizes, regions: own } in sites {
        let largest = sizes.numbers.last().copied().filter(|_| !sizes.wide && sizes.blocks.is_empty());
        let (capacity, slots) = match largest {
            Some(size) if size <= bytes => (size, (bytes / size.max(1)).min(SLOTS)),
            Some(size) => (size, 0),
            None => (bytes / OPEN_SLOTS, OPEN_SLOTS),
        };
        let capacity = if slots == 0 { 0 } else { capacity };
        // Behind a block there is as much room again, so that what goes too far is seen.
        let stride = (2 * capacity).next_power_of_two().max(ALIGN);
        let pool = Pool { kind: *kind, capacity, stride, slots, first: 0 };
        let found = pools.iter().zip(&regions).position(|(p, regions)| *p == pool && *regions == own);
        used.push(found.unwrap_or(pools.len()));
        if found.is_none() {
            pools.push(pool);
            regions.push(own);
        }
    }
    place(program, &mut pools);
    (pools, used)
}

/// Below all functions and objects if there is room, otherwise above them. The first slot of all is not at 0.
fn place(program: &CfaProgram, pools: &mut [Pool]) {
    let objects = program.objects.iter().map(|o| o.address);
    let functions = program.procedures.iter().filter_map(|p| p.address);
    let lowest = objects.chain(functions.clone()).min().unwrap_or(u64::MAX);
    let mut next = 0u64;
    for pool in pools.iter_mut() {
        let skipped = u64::from(next == 0);
        let span = (pool.slots + 1 + skipped).next_power_of_two() * pool.stride;
        let base = next.next_multiple_of(span);
        pool.first = base + skipped * pool.stride;
        next = base + span;
    }
    if next > lowest {
        let ends = program.objects.iter().map(|o| o.address.saturating_add(o.size));
        let highest = ends.chain(functions).max().unwrap_or(0);
        let origin = highest.max(next).saturating_add(1).min(1 << 62).next_power_of_two();
        pools.iter_mut().for_each(|p| p.first += origin);
    }
}
