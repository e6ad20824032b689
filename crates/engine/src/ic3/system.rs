//! A program as circuits: at each loop head the blocks that leave it, bit by bit.

use std::collections::BTreeSet;

use clinch_ir::Reason;
use clinch_ir::cfa::blocks::blocks_from;
use clinch_ir::cfa::unfold::{Destination, Open, PointId, Step, Unfolding};
use clinch_ir::cfa::{CfaProgram, EdgeId, ProcedureId};
use clinch_smt::{Gates, Lit, Wire};
use clinch_terms::cases::{comparison, distributed, is_comparison};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, offsets};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cube::{Bit, Cube};
use crate::budget::Budget;

/// Points of a block at most.
const BLOCK_POINTS: usize = 20_000;
/// Locations at most.
const LOCATIONS: usize = 2_000;
/// Cells of a region at most: of larger ones nothing is known.
const CELLS: u64 = 128;
/// Predicates at most, and the parts of formulas in which they are looked for.
const PREDICATES: usize = 200;
const PARTS: usize = 20_000;
/// Parts of a predicate at most.
const LARGE: usize = 16;
/// Predicates that differ in a constant only, at most.
const ALIKE: usize = 20;
/// What a choice may choose, as far as it is looked at.
const LEAVES: usize = 20;

/// Where all runs come from: a location with one way, which sets the variables.
pub(super) const BEFORE: usize = 0;

/// A variable, a cell of memory, or a predicate: a bit that others determine, and that says more than they do.
#[derive(Debug)]
pub(super) struct Variable {
    /// What it is in circuits: a symbol, or a formula over those of others.
    inside: Term,
    /// What it is in the program.
    pub(super) value: Term,
    /// Its address, if it is in memory.
    pub(super) address: Option<u64>,
    pub(super) width: u32,
    /// Its lowest bit.
    first: u32,
}

/// A loop-free way from one location to another.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) target: Target,
    pub(super) guard: Wire,
    /// What it changes, by variable.
    changes: FxHashMap<usize, Vec<Wire>>,
    /// The inputs on it.
    pub(super) open: Vec<(Open, Vec<Wire>)>,
}

/// Where a way leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Location(usize),
    Error,
    /// To something that is not modelled.
    Open(ProcedureId, EdgeId),
}

/// A loop head of the unfolding, or the start.
#[derive(Debug)]
pub(super) struct Location {
    /// None for the location before the start.
    pub(super) point: Option<PointId>,
    pub(super) gates: Gates,
    /// The bits of variables, by variable.
    words: Vec<Vec<Wire>>,
    pub(super) ways: Vec<Way>,
    /// Where runs come from: a location and its way.
    pub(super) incoming: Vec<(usize, usize)>,
}

/// The circuits of a program.
#[derive(Debug)]
pub(super) struct System<'p> {
    pub(super) terms: Terms,
    pub(super) unfolding: Unfolding<'p>,
    pub(super) variables: Vec<Variable>,
    pub(super) locations: Vec<Location>,
    /// The variable of each bit.
    owners: Vec<u32>,
}

/// A region as single cells.
struct Cells {
    /// The region, with the cells in it.
    contents: Term,
    /// Their addresses, with the symbols that stand for them.
    cells: Vec<(u64, Symbol)>,
}

/// The steps of a program before they become circuits.
struct Steps {
    /// By location; those of the start are the second.
    of: Vec<Vec<Step>>,
    points: Vec<PointId>,
}

impl<'p> System<'p> {
    /// The circuits, or why there are none.
    pub(super) fn new(program: &'p CfaProgram, budget: &Budget) -> Result<Self, Reason> {
        let mut terms = program.terms.clone();
        let mut unfolding = Unfolding::new(program, &mut terms);
        let steps = steps(&mut unfolding, &mut terms, budget)?;
        let start = unfolding.initial_values(&mut terms);
        let mut reading = Reading::new(program, terms);
        let ways = reading.ways(&steps, start, budget)?;
        let Reading { terms, variables, .. } = reading;
        let owners = variables.iter().zip(0..).flat_map(|(v, i)| std::iter::repeat_n(i, v.width as usize)).collect();
        let mut system = System { terms, unfolding, variables, locations: Vec::new(), owners };
        for (number, ways) in ways.into_iter().enumerate() {
            budget.check()?;
            let point = number.checked_sub(1).map(|i| steps.points[i]);
            let location = system.location(point, ways, budget)?;
            system.locations.push(location);
        }
        for from in 0..system.locations.len() {
            for way in 0..system.locations[from].ways.len() {
                if let Target::Location(to) = system.locations[from].ways[way].target {
                    system.locations[to].incoming.push((from, way));
                }
            }
        }
        Ok(system)
    }

    fn location(
        &self,
        point: Option<PointId>,
        ways: Vec<(Target, Plain)>,
        budget: &Budget,
    ) -> Result<Location, Reason> {
        let budget = budget.clone();
        let mut gates = Gates::new(move || budget.check().is_err());
        let mut circuits = Vec::with_capacity(ways.len());
        for (target, plain) in ways {
            let mut word = |term| gates.word(&self.terms, term).ok_or_else(too_large);
            let guard = word(plain.guard)?[0];
            let changes = plain.changes.into_iter().map(|(v, term)| Ok((v, word(term)?)));
            let changes = changes.collect::<Result<_, Reason>>()?;
            let mut open = Vec::new();
            for (what, term) in plain.open {
                open.push((what, word(term)?));
            }
            circuits.push(Way { target, guard, changes, open });
        }
        let words = self.variables.iter().map(|v| gates.word(&self.terms, v.inside).ok_or_else(too_large));
        let words = words.collect::<Result<_, Reason>>()?;
        Ok(Location { point, gates, words, ways: circuits, incoming: Vec::new() })
    }

    /// The variable of a bit, and which of its bits that is.
    pub(super) fn owner(&self, bit: Bit) -> (usize, u32) {
        let variable = self.owners[bit.index()] as usize;
        (variable, bit.index() as u32 - self.variables[variable].first)
    }

    /// A bit of the state at a location.
    pub(super) fn now(&self, location: usize, bit: Bit) -> Wire {
        let (variable, place) = self.owner(bit);
        self.locations[location].words[variable][place as usize]
    }

    /// A bit of the state at the end of a way.
    pub(super) fn then(&self, location: usize, way: usize, bit: Bit) -> Wire {
        let (variable, place) = self.owner(bit);
        match self.locations[location].ways[way].changes.get(&variable) {
            Some(word) => word[place as usize],
            None => self.now(location, bit),
        }
    }

    /// The literal of a place in the circuit of a location, or its negation.
    pub(super) fn literal(&mut self, location: usize, wire: Wire, value: bool) -> Lit {
        let literal = self.locations[location].gates.literal(wire);
        if value { literal } else { !literal }
    }

    /// All bits.
    pub(super) fn bits(&self) -> impl Iterator<Item = Bit> + use<> {
        (0..self.owners.len() as u32).map(Bit::new)
    }

    /// What holds of a variable in all states of a cube: its bits there.
    pub(super) fn formula(&self, terms: &mut Terms, cube: &Cube) -> Term {
        let mut parts = Vec::new();
        for bits in cube.bits().chunk_by(|a, b| self.owner(a.0).0 == self.owner(b.0).0) {
            let variable = &self.variables[self.owner(bits[0].0).0];
            // Bits that stand side by side are one number.
            for run in bits.chunk_by(|a, b| a.0.index() + 1 == b.0.index()) {
                parts.push(piece(terms, variable, self.owner(run[0].0).1, run));
            }
        }
        terms.all(parts)
    }

    /// All bits of a variable.
    pub(super) fn bits_of(&self, variable: usize) -> impl Iterator<Item = Bit> + use<> {
        let first = self.variables[variable].first;
        (first..first + self.variables[variable].width).map(Bit::new)
    }
}

/// Some bits of a variable have values.
fn piece(terms: &mut Terms, variable: &Variable, lowest: u32, bits: &[(Bit, bool)]) -> Term {
    if matches!(terms.sort(variable.value), Sort::Bool) {
        return if bits[0].1 { variable.value } else { terms.not(variable.value) };
    }
    let width = bits.len() as u32;
    let part = terms.extract(lowest + width - 1, lowest, variable.value);
    let mut number = num_bigint::BigUint::default();
    bits.iter().zip(0..).for_each(|((_, value), i)| number.set_bit(i, *value));
    let number = terms.big_bit_vec(width, number);
    terms.eq(part, number)
}

fn too_large() -> Reason {
    Reason::Unsupported("a block has no circuit of bearable size".to_owned())
}

/// The blocks between loop heads, as far as they can be reached.
fn steps(unfolding: &mut Unfolding<'_>, terms: &mut Terms, budget: &Budget) -> Result<Steps, Reason> {
    let mut points = vec![unfolding.start()];
    let mut seen = FxHashSet::from_iter([unfolding.start()]);
    let mut of = Vec::new();
    while of.len() < points.len() {
        budget.check()?;
        if points.len() > LOCATIONS {
            return Err(Reason::Unsupported("there are too many loops".to_owned()));
        }
        let from = points[of.len()];
        let blocks = blocks_from(unfolding, terms, from, BLOCK_POINTS);
        let blocks = blocks.map_err(|_| Reason::Unsupported("a block is too large".to_owned()))?;
        for step in &blocks {
            if let Destination::Point(to) = step.target
                && seen.insert(to)
            {
                points.push(to);
            }
        }
        of.push(blocks);
    }
    Ok(Steps { of, points })
}

/// Regions as single cells, where these have fixed addresses. What is at other addresses may be anything.
fn regions(program: &CfaProgram, terms: &mut Terms) -> FxHashMap<Symbol, Cells> {
    let mut regions = FxHashMap::default();
    for region in &program.regions {
        let bytes = u64::from(region.cell_bytes.max(1));
        let objects = program.objects.iter().filter(|object| object.regions.contains(&region.symbol));
        let addresses: Vec<u64> =
            objects.flat_map(|o| (0..o.size).step_by(bytes as usize).map(|offset| o.address + offset)).collect();
        let Sort::Array(of) = terms.symbol_sort(region.symbol).clone() else { continue };
        let mut contents = terms.symbol(region.symbol);
        let mut cells = Vec::new();
        if addresses.len() as u64 <= CELLS {
            for address in addresses {
                let symbol = terms.declare(format!("{}@{address:x}", region.name), of.1.clone());
                let (at, value) = (program.address(terms, address), terms.symbol(symbol));
                contents = terms.store(contents, at, value);
                cells.push((address, symbol));
            }
        }
        regions.insert(region.symbol, Cells { contents, cells });
    }
    regions
}

/// A way as terms over the symbols of variables and inputs.
struct Plain {
    guard: Term,
    changes: Vec<(usize, Term)>,
    open: Vec<(Open, Term)>,
}

/// A way before its variables have numbers: what it writes may be whole regions.
struct Raw {
    target: Target,
    guard: Term,
    updates: Vec<(Symbol, Term)>,
    open: Vec<Open>,
}

/// Reads steps, with the variables that matter.
struct Reading {
    terms: Terms,
    regions: FxHashMap<Symbol, Cells>,
    /// The region and the address of a cell, by the symbol that stands for it.
    cells: FxHashMap<Symbol, (Symbol, Term)>,
    variables: Vec<Variable>,
    /// By the symbol.
    numbers: FxHashMap<Symbol, usize>,
}

impl Reading {
    fn new(program: &CfaProgram, mut terms: Terms) -> Self {
        let regions = regions(program, &mut terms);
        let mut cells = FxHashMap::default();
        for region in program.regions.iter().map(|region| region.symbol) {
            for &(address, cell) in regions.get(&region).iter().flat_map(|of| &of.cells) {
                cells.insert(cell, (region, program.address(&mut terms, address)));
            }
        }
        Reading { terms, regions, cells, variables: Vec::new(), numbers: FxHashMap::default() }
    }

    /// The ways from each location. Variables that no condition depends on are left out.
    fn ways(
        &mut self,
        steps: &Steps,
        start: Vec<(Symbol, Term)>,
        budget: &Budget,
    ) -> Result<Vec<Vec<(Target, Plain)>>, Reason> {
        let number: FxHashMap<PointId, usize> = steps.points.iter().copied().zip(1..).collect();
        let contents: FxHashMap<Symbol, Term> =
            self.regions.iter().map(|(region, of)| (*region, of.contents)).collect();
        let guard = self.terms.tt();
        let mut all = vec![vec![Raw { target: Target::Location(1), guard, updates: start, open: Vec::new() }]];
        for steps in &steps.of {
            budget.check()?;
            let mut ways = Vec::new();
            for step in steps {
                let target = match step.target {
                    Destination::Point(to) => Target::Location(number[&to]),
                    Destination::Error(..) => Target::Error,
                    Destination::Open(procedure, edge) => Target::Open(procedure, edge),
                    Destination::End => continue,
                };
                let mut read = |term| {
                    let term = self.terms.substitute_symbols(term, &contents);
                    distributed(&mut self.terms, term)
                };
                let guard = read(step.effect.guard);
                let updates = step.effect.updates.iter().map(|&(symbol, value)| (symbol, read(value))).collect();
                ways.push(Raw { target, guard, updates, open: step.effect.open.clone() });
            }
            all.push(ways);
        }
        let inputs: FxHashSet<Symbol> =
            all.iter().flatten().flat_map(|way| way.open.iter().map(|o| o.symbol)).collect();
        self.find_variables(&all, &inputs, budget)?;
        self.find_predicates(&all);
        Ok(all.into_iter().map(|ways| ways.into_iter().map(|way| self.plain(way)).collect()).collect())
    }

    /// The variables that conditions depend on.
    fn find_variables(&mut self, all: &[Vec<Raw>], inputs: &FxHashSet<Symbol>, budget: &Budget) -> Result<(), Reason> {
        let guards: Vec<Term> = all.iter().flatten().map(|way| way.guard).collect();
        let mut waiting = self.terms.symbols_of(&guards);
        while let Some(symbol) = waiting.pop() {
            let is_region = self.regions.contains_key(&symbol);
            if is_region || inputs.contains(&symbol) || self.numbers.contains_key(&symbol) {
                continue;
            }
            budget.check()?;
            let width = match self.terms.symbol_sort(symbol) {
                Sort::Bool => 1,
                Sort::BitVec(width) => *width,
                _ => return Err(Reason::Unsupported("a variable has no bits".to_owned())),
            };
            let (value, address) = match self.cells.get(&symbol).copied() {
                Some((region, at)) => {
                    let region = self.terms.symbol(region);
                    let address = self.terms.as_bit_vec(at).and_then(|(_, bits)| u64::try_from(bits).ok());
                    (self.terms.select(region, at), address)
                }
                None => (self.terms.symbol(symbol), None),
            };
            self.numbers.insert(symbol, self.variables.len());
            let inside = self.terms.symbol(symbol);
            self.add(Variable { inside, value, address, width, first: 0 });
            let written: Vec<Term> = all.iter().flatten().filter_map(|way| self.written(way, symbol)).collect();
            waiting.extend(self.terms.symbols_of(&written));
        }
        Ok(())
    }

    fn add(&mut self, variable: Variable) {
        let first = self.variables.last().map_or(0, |last| last.first + last.width);
        self.variables.push(Variable { first, ..variable });
    }

    /// Orders and equations of variables that conditions ask about.
    fn find_predicates(&mut self, all: &[Vec<Raw>]) {
        let mut roots: Vec<Term> = all.iter().flatten().map(|way| way.guard).collect();
        for symbol in self.numbers.keys().copied().collect::<BTreeSet<Symbol>>() {
            roots.extend(all.iter().flatten().filter_map(|way| self.written(way, symbol)).collect::<Vec<_>>());
        }
        let mut found: BTreeSet<(usize, Term)> = BTreeSet::new();
        let mut seen = FxHashSet::default();
        for root in roots {
            for part in self.terms.parts(root) {
                if seen.len() < PARTS && seen.insert(part) {
                    self.atoms(part, &mut found);
                }
            }
        }
        let mut known: Vec<Term> = found.into_iter().map(|(_, atom)| atom).take(PREDICATES / 2).collect();
        self.close(&mut known, all);
        let cells: FxHashMap<Symbol, Term> = self
            .cells
            .iter()
            .map(|(&cell, &(region, at))| (cell, (region, at)))
            .map(|(cell, (region, at))| {
                let region = self.terms.symbol(region);
                (cell, self.terms.select(region, at))
            })
            .collect();
        for inside in known {
            let value = self.terms.substitute_symbols(inside, &cells);
            self.add(Variable { inside, value, address: None, width: 1, first: 0 });
        }
    }

    /// What a comparison says about variables, where it compares choices: about each of what is chosen.
    fn atoms(&mut self, part: Term, found: &mut BTreeSet<(usize, Term)>) {
        let Node::Binary(op, a, b) = self.terms.node(part) else { return };
        if !is_comparison(op) || !matches!(self.terms.sort(a), Sort::BitVec(_)) {
            return;
        }
        let [first, second] = [a, b].map(|side| leaves(&mut self.terms, side));
        for (&a, &b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
            let atom = comparison(&mut self.terms, op, a, b);
            if self.is_predicate(atom) {
                found.insert((self.terms.size(atom, LARGE), atom));
            }
        }
    }

    /// Whether a comparison is over variables, is small, and says more than that one of them has a value.
    fn is_predicate(&self, atom: Term) -> bool {
        let Node::Binary(op, a, b) = self.terms.node(atom) else { return false };
        let symbols = self.terms.symbols(atom);
        let is_state = !symbols.is_empty() && symbols.iter().all(|symbol| self.numbers.contains_key(symbol));
        let is_value = op == BinOp::Eq && (self.terms.as_bit_vec(a).is_some() || self.terms.as_bit_vec(b).is_some());
        is_state && (!is_value || symbols.len() > 1) && self.terms.size(atom, LARGE) < LARGE
    }

    /// Adds what predicates are before the ways, as far as that is as simple.
    fn close(&mut self, known: &mut Vec<Term>, all: &[Vec<Raw>]) {
        let mut next = 0;
        // Without it a variable that grows would have a predicate for each of its values.
        let mut alike: FxHashMap<Term, usize> = FxHashMap::default();
        while next < known.len() && known.len() < PREDICATES {
            let predicate = known[next];
            next += 1;
            for way in all.iter().flatten() {
                for symbol in self.terms.symbols(predicate) {
                    let written = self.written(way, symbol);
                    let leaves = written.map_or_else(Vec::new, |written| leaves(&mut self.terms, written));
                    for leaf in leaves {
                        let before = self.terms.substitute_symbols(predicate, &FxHashMap::from_iter([(symbol, leaf)]));
                        let before = distributed(&mut self.terms, before);
                        if known.len() >= PREDICATES || !self.is_predicate(before) || known.contains(&before) {
                            continue;
                        }
                        let like_it = alike.entry(offsets::without(&mut self.terms, before)).or_default();
                        *like_it += 1;
                        if *like_it <= ALIKE {
                            known.push(before);
                        }
                    }
                }
            }
        }
    }

    /// What a way writes to a variable or a cell.
    fn written(&mut self, way: &Raw, symbol: Symbol) -> Option<Term> {
        let cell = self.cells.get(&symbol).copied();
        let of = cell.map_or(symbol, |(region, _)| region);
        let value = way.updates.iter().find(|update| update.0 == of)?.1;
        Some(cell.map_or(value, |(_, at)| self.terms.select(value, at)))
    }

    fn plain(&mut self, way: Raw) -> (Target, Plain) {
        let insides: Vec<Term> = self.variables.iter().map(|variable| variable.inside).collect();
        let mut changes = Vec::new();
        for (number, inside) in insides.into_iter().enumerate() {
            let symbols = self.terms.symbols(inside);
            let written = symbols.into_iter().filter_map(|symbol| Some((symbol, self.written(&way, symbol)?)));
            let written: FxHashMap<Symbol, Term> = written.collect();
            if !written.is_empty() {
                let then = self.terms.substitute_symbols(inside, &written);
                changes.push((number, distributed(&mut self.terms, then)));
            }
        }
        let scalar = |sort: &Sort| matches!(sort, Sort::Bool | Sort::BitVec(_));
        let open = way.open.into_iter().filter(|open| scalar(self.terms.symbol_sort(open.symbol))).collect::<Vec<_>>();
        let open = open.into_iter().map(|open| (open, self.terms.symbol(open.symbol))).collect();
        (way.target, Plain { guard: way.guard, changes, open })
    }
}

/// What a choice between terms may choose; of sums of choices, too.
fn leaves(terms: &mut Terms, term: Term) -> Vec<Term> {
    let (mut leaves, mut waiting) = (Vec::new(), vec![term]);
    while let Some(term) = waiting.pop() {
        let found = match terms.node(term) {
            Node::Ite(_, a, b) => {
                waiting.extend([b, a]);
                continue;
            }
            Node::Binary(op @ (BinOp::BvAdd | BinOp::BvSub), a, b) => {
                let (first, second) = (self::leaves(terms, a), self::leaves(terms, b));
                let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
                pairs.take(LEAVES).map(|(a, b)| offsets::sum(terms, op, a, b)).collect()
            }
            _ => vec![term],
        };
        for leaf in found {
            if leaves.len() < LEAVES && !leaves.contains(&leaf) {
                leaves.push(leaf);
            }
        }
        if leaves.len() >= LEAVES {
            break;
        }
    }
    leaves
}
