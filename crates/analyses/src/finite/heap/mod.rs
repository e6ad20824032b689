//! A bounded heap: the program with dynamic memory of a given size, whose memory is a table of known cells.
//!
//! An allocation takes the next slot of a pool ([`pools`]); where there is none left the program goes on to something that is
//! not modelled, and so does every access to a cell that no object has: a proof that neither is reached is one for the
//! program itself. Blocks that are freed are not used again; those on the stack are when their call returns.
//!
//! What may be in variables and cells is found out first ([`values`]), for two purposes. A region has cells only where it is
//! accessed. And a pointer has few bits that are not known ([`Mask`]); this is not taken for granted by anyone, but can be proved
//! like everything else, with one exception: a pointer that was never written has some value that a pointer may have,
//! among them an address that no object has.

mod pools;
mod rewrite;
mod values;

use rustc_hash::{FxHashMap, FxHashSet};

use clinch_ir::cfa::{CfaProgram, Integers, Op, ProcedureId, Target};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term, Terms};

use pools::{Pool, Site};
use values::{Analysis, Values};

/// The bits of a value that are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mask {
    /// The bits that may be one.
    pub may: u64,
    /// The bits that are one.
    pub one: u64,
}

/// What does not keep to its mask at a location: it was just made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncut {
    /// A variable.
    Variable(Symbol),
    /// The cells from the first address, up to the second one.
    Cells(u64, u64),
}

/// A program with a bounded heap.
#[derive(Clone, Debug)]
pub struct BoundedHeap {
    /// The program. Its terms extend those of the original. Slots are objects behind those of the original.
    pub program: CfaProgram,
    /// The known bits of variables and of the cells of regions, where some are known.
    pub masks: FxHashMap<Symbol, Mask>,
    /// The variables and regions that may hold addresses, and those made here.
    pub addresses: FxHashSet<Symbol>,
    /// Where each region has cells.
    pub cells: FxHashMap<Symbol, Vec<u64>>,
    /// Where a variable or cells do not keep to their masks.
    pub uncut: FxHashMap<(ProcedureId, LocId), Uncut>,
    /// Conditions about addresses and sizes.
    pub exact: FxHashSet<Term>,
    /// The steps that take a slot: its address, and how many bytes are asked for.
    pub taken: FxHashMap<(ProcedureId, usize), (u64, Term)>,
    /// The edges where no slot is left.
    pub exhausted: FxHashSet<(ProcedureId, usize)>,
}

/// Whether a program has dynamic memory.
pub fn allocates(program: &CfaProgram) -> bool {
    program.procedures.iter().flat_map(|p| &p.edges).any(|e| matches!(e.op, Op::Alloc { .. }))
}

/// Bounds the heap. The reason why it cannot be done, otherwise.
pub fn bound_heap(original: &CfaProgram, bits: u32) -> Result<BoundedHeap, String> {
    if original.integers != Integers::Machine {
        return Err("dynamic memory with unbounded integers".to_owned());
    }
    let mut analysis = Analysis::new(original);
    let by_site = places(original, &mut analysis);
    let sites = pools::sites(original).into_iter().enumerate().map(|(i, site)| {
        let used = |r: &Symbol| by_site.get(r).is_some_and(|places| places.iter().any(|(s, _)| *s == i));
        let regions = original.regions.iter().map(|r| r.symbol).filter(used).collect();
        Site { kind: site.0, sizes: analysis.of(site.1), regions }
    });
    let (pools, pool_of) = pools::pools(original, &sites.collect::<Vec<_>>(), bits);
    let places = by_site.into_iter().map(|(region, list)| (region, in_pools(list, &pool_of))).collect();
    let memory = Memory { program: original, pools, pool_of, places };
    rewrite::rewrite(original, memory, &analysis.values, bits)
}

/// Where regions are accessed in blocks: sites or pools, and places in their blocks.
type Places = FxHashMap<Symbol, Vec<(usize, Option<u64>)>>;

fn in_pools(list: Vec<(usize, Option<u64>)>, pool_of: &[usize]) -> Vec<(usize, Option<u64>)> {
    let mut list: Vec<_> = list.into_iter().map(|(site, place)| (pool_of[site], place)).collect();
    list.sort_unstable();
    list.dedup();
    let any: Vec<usize> = list.iter().filter(|(_, place)| place.is_none()).map(|(pool, _)| *pool).collect();
    list.retain(|(pool, place)| place.is_none() || !any.contains(pool));
    list
}

/// By sites.
fn places(program: &CfaProgram, analysis: &mut Analysis<'_>) -> Places {
    let mut places: Places = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut add = |region: Symbol, values: Values| places.entry(region).or_default().extend(values.blocks);
    for op in program.procedures.iter().flat_map(|p| &p.edges).map(|e| &e.op) {
        if let Op::Assign(assigns) = op {
            for assign in assigns {
                if let Target::Cell(region, address) = assign.target {
                    add(region, analysis.of(address));
                }
            }
        }
        let mut work = op.terms();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            work.extend(program.terms.children(term));
            if let Node::Binary(BinOp::Select, array, address) = program.terms.node(term)
                && let Node::Symbol(region) = program.terms.node(array)
            {
                add(region, analysis.of(address));
            }
        }
    }
    places
}

/// Where the cells of regions are.
struct Memory<'p> {
    program: &'p CfaProgram,
    pools: Vec<Pool>,
    /// The pool of each site.
    pool_of: Vec<usize>,
    places: Places,
}

impl Memory<'_> {
    fn cell_bytes(&self, region: Symbol) -> u64 {
        self.program.region(region).map_or(1, |r| u64::from(r.cell_bytes.max(1)))
    }

    /// The places of a region in the slots of a pool.
    fn offsets(&self, region: Symbol, pool: usize) -> Vec<u64> {
        let (bytes, capacity) = (self.cell_bytes(region), self.pools[pool].capacity);
        let places = self.places.get(&region).into_iter().flatten().filter(|(p, _)| *p == pool);
        let fits = |place: u64| place.checked_add(bytes).is_some_and(|end| end <= capacity);
        let mut offsets = Vec::new();
        for &(_, place) in places {
            match place {
                Some(place) => offsets.extend(Some(place).filter(|&p| fits(p))),
                None => offsets.extend((0..capacity).step_by(bytes as usize).filter(|&p| fits(p))),
            }
        }
        offsets
    }

    /// The regions with cells in a pool.
    fn regions(&self, pool: usize) -> Vec<Symbol> {
        let regions = self.program.regions.iter().map(|r| r.symbol);
        regions.filter(|&r| !self.offsets(r, pool).is_empty()).collect()
    }

    /// The addresses of the cells of a region.
    fn cells(&self, region: Symbol) -> Vec<u64> {
        let bytes = self.cell_bytes(region);
        let objects = self.program.objects.iter().filter(|o| o.regions.contains(&region));
        let mut cells: Vec<u64> = objects.flat_map(|o| (0..o.size / bytes).map(|i| o.address + i * bytes)).collect();
        for (i, pool) in self.pools.iter().enumerate() {
            let offsets = self.offsets(region, i);
            cells.extend((0..pool.slots).flat_map(|s| offsets.iter().map(move |o| pool.slot(s) + o)));
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// That the region has a cell at an address.
    fn has_cell(&self, terms: &mut Terms, region: Symbol, address: Term) -> Term {
        let (bytes, width) = (self.cell_bytes(region), terms.bv_width(address));
        let mut cases = Vec::new();
        for object in self.program.objects.iter().filter(|o| o.regions.contains(&region) && o.size >= bytes) {
            let last = object.address + (object.size / bytes - 1) * bytes;
            let range = between(terms, address, object.address, last);
            let start = part_is(terms, address, bytes - 1, object.address & (bytes - 1));
            cases.push(terms.and(range, start));
        }
        for (i, pool) in self.pools.iter().enumerate().filter(|(_, p)| p.slots > 0) {
            for offset in self.offsets(region, i) {
                let range = between(terms, address, pool.slot(0), pool.slot(pool.slots) - 1);
                let place = part_is(terms, address, pool.stride - 1, offset);
                cases.push(terms.and(range, place));
            }
        }
        debug_assert_eq!(width, self.program.pointer_bits);
        terms.any(cases)
    }

    /// The known bits of values, where some are.
    fn mask(&self, values: &Values) -> Option<Mask> {
        let none = values.numbers.is_empty() && values.blocks.is_empty();
        let inside = |&(site, place): &(usize, Option<u64>)| {
            let pool = &self.pools[self.pool_of[site]];
            place.is_none_or(|p| p < pool.stride) && pool.slots > 0
        };
        if values.wide || none || !values.blocks.iter().all(inside) {
            return None;
        }
        let numbers = values.numbers.iter().map(|&n| (n, n));
        let blocks = values.blocks.iter().map(|&(site, place)| self.pools[self.pool_of[site]].bits(place));
        let (may, one) = numbers.chain(blocks).fold((0, u64::MAX), |(m, o), (n, p)| (m | n, o & p));
        Some(Mask { may, one })
    }
}

fn between(terms: &mut Terms, value: Term, first: u64, last: u64) -> Term {
    let width = terms.bv_width(value);
    let (first, last) = (terms.bit_vec(width, first), terms.bit_vec(width, last));
    let (above, below) = (terms.bv_ule(first, value), terms.bv_ule(value, last));
    terms.and(above, below)
}

/// That the bits of a mask are those given.
fn part_is(terms: &mut Terms, value: Term, mask: u64, bits: u64) -> Term {
    let width = terms.bv_width(value);
    if mask == 0 {
        return terms.bool(bits == 0);
    }
    debug_assert!((mask + 1).is_power_of_two());
    let (part, bits) =
        (terms.extract(mask.count_ones().min(width) - 1, 0, value), terms.bit_vec(mask.count_ones(), bits));
    terms.eq(part, bits)
}

/// The value with the known bits as they are known.
pub(super) fn fit(terms: &mut Terms, mask: Mask, value: Term) -> Term {
    let Sort::BitVec(width) = terms.sort(value) else { return value };
    let (may, one) = (terms.bit_vec(width, mask.may), terms.bit_vec(width, mask.one));
    let value = terms.bv(BinOp::BvAnd, value, may);
    terms.bv(BinOp::BvOr, value, one)
}
