//! The program with a bounded heap.

use clinch_ir::cfa::{
    AllocKind, Assign, CfaProgram, Edge, Global, Location, Object, ObjectId, ObjectKind, Op, Procedure, ProcedureId,
    Target,
};
use clinch_ir::program::Span;
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::values::{Values, cut, is_garbage};
use super::{BoundedHeap, Mask, Memory, Uncut, fit};

/// Cells of a region that are made at once ([`Effects`](clinch_ir::cfa::effects::Effects) forgets a whole region for more).
const CHUNK: u64 = 16;

/// Cells of all regions, at most.
const CELLS: usize = 4096;

pub(super) fn rewrite(
    original: &CfaProgram,
    memory: Memory<'_>,
    values: &FxHashMap<Symbol, Values>,
    bits: u32,
) -> Result<BoundedHeap, String> {
    let cells: FxHashMap<Symbol, Vec<u64>> =
        original.regions.iter().map(|r| (r.symbol, memory.cells(r.symbol))).collect();
    let count: usize = original.regions.iter().map(|r| cells[&r.symbol].len()).sum();
    if count > CELLS {
        return Err(format!("{count} cells of memory, more than {CELLS}"));
    }
    let mut rewriter = Rewriter {
        program: original.clone(),
        counters: Vec::new(),
        slots: Vec::new(),
        bits,
        masks: FxHashMap::default(),
        addresses: FxHashSet::default(),
        uncut: FxHashMap::default(),
        exact: FxHashSet::default(),
        taken: FxHashMap::default(),
        exhausted: FxHashSet::default(),
        total: FxHashMap::default(),
        defined: FxHashMap::default(),
        memory,
    };
    rewriter.masks(values);
    rewriter.declare();
    let mut site = 0;
    for index in 0..original.procedures.len() {
        let mut procedure = rewriter.program.procedures[index].clone();
        rewriter.procedure(ProcedureId::from_index(index), &mut procedure, &mut site);
        rewriter.program.procedures[index] = procedure;
    }
    let Rewriter { program, masks, addresses, uncut, exact, taken, exhausted, .. } = rewriter;
    Ok(BoundedHeap { program, masks, addresses, cells, uncut, exact, taken, exhausted })
}

struct Rewriter<'p> {
    program: CfaProgram,
    memory: Memory<'p>,
    /// The variable that counts the slots that are taken, for each pool.
    counters: Vec<Symbol>,
    /// The objects of each slot, for each pool.
    slots: Vec<Vec<Vec<ObjectId>>>,
    bits: u32,
    masks: FxHashMap<Symbol, Mask>,
    addresses: FxHashSet<Symbol>,
    uncut: FxHashMap<(ProcedureId, LocId), Uncut>,
    exact: FxHashSet<Term>,
    taken: FxHashMap<(ProcedureId, usize), (u64, Term)>,
    exhausted: FxHashSet<(ProcedureId, usize)>,
    /// Terms whose reads of memory always have a value.
    total: FxHashMap<Term, Term>,
    /// When terms read existing cells only.
    defined: FxHashMap<Term, Term>,
}

/// Bits of a counter.
const COUNTER: u32 = 8;

impl Rewriter<'_> {
    fn masks(&mut self, values: &FxHashMap<Symbol, Values>) {
        let program = self.memory.program;
        let mut variables: Vec<Symbol> = program.globals.iter().map(|g| g.symbol).collect();
        variables.extend(program.procedures.iter().flat_map(|p| p.params.iter().chain(&p.locals)));
        for symbol in variables.into_iter().chain(program.regions.iter().map(|r| r.symbol)) {
            let Some(values) = values.get(&symbol) else { continue };
            if !values.blocks.is_empty() || values.fixed {
                self.addresses.insert(symbol);
            }
            if let Some(mask) = self.memory.mask(values) {
                self.masks.insert(symbol, mask);
            }
        }
    }

    /// Counters and slots.
    fn declare(&mut self) {
        for region in &mut self.program.regions {
            // What is not static is made before it is read.
            region.starts_zero = true;
        }
        for pool in 0..self.memory.pools.len() {
            let of = self.memory.pools[pool].clone();
            let counter = self.program.terms.declare(format!("heap#{pool}"), Sort::BitVec(COUNTER));
            let init = self.program.terms.bit_vec(COUNTER, 0);
            self.program.globals.push(Global { symbol: counter, init });
            let may = of.slots.next_power_of_two() * 2 - 1;
            let may = if of.slots.is_power_of_two() { may } else { of.slots.next_power_of_two() - 1 };
            self.masks.insert(counter, Mask { may: if of.slots == 0 { 0 } else { may }, one: 0 });
            self.addresses.insert(counter);
            self.counters.push(counter);
            let regions = self.memory.regions(pool);
            let smallest = regions.iter().map(|&r| self.memory.cell_bytes(r)).min().unwrap_or(of.stride);
            let mut slots = Vec::new();
            for slot in 0..of.slots {
                let mut objects = Vec::new();
                for offset in (0..of.capacity.max(1)).step_by((smallest * CHUNK) as usize) {
                    let size = (smallest * CHUNK).min(of.capacity - offset.min(of.capacity));
                    objects.push(ObjectId::from_index(self.program.objects.len()));
                    self.program.objects.push(Object {
                        name: "a block of memory".to_owned(),
                        address: of.slot(slot) + offset,
                        size,
                        ty: String::new(),
                        kind: ObjectKind::Local(self.program.entry),
                        bytes: Vec::new(),
                        regions: regions.clone(),
                    });
                }
                slots.push(objects);
            }
            self.slots.push(slots);
        }
    }

    fn procedure(&mut self, id: ProcedureId, procedure: &mut Procedure, site: &mut usize) {
        let original = procedure.edges.len();
        let guards = self.total_edges(procedure);
        let first_site = *site;
        for index in 0..original {
            let edge = procedure.edges[index].clone();
            match edge.op {
                Op::Alloc { target, size, zeroed, .. } => {
                    self.allocation(id, procedure, index, (*site, target, size, zeroed));
                    *site += 1;
                }
                Op::Enter(object) => self.entered(id, procedure, index, object),
                Op::Input(symbol, input) => {
                    let garbage = is_garbage(&self.program, input);
                    if let Some(&mask) = self.masks.get(&symbol).filter(|_| garbage) {
                        let (terms, to) = (&mut self.program.terms, edge.to);
                        let between = add_location(procedure, edge.span);
                        let value = terms.symbol(symbol);
                        let value = fit(terms, mask, value);
                        let op = Op::Assign(vec![Assign { target: Target::Var(symbol), value }]);
                        procedure.edges[index].to = between;
                        procedure.edges.push(Edge { from: between, to, op, span: edge.span });
                        self.uncut.insert((id, between), Uncut::Variable(symbol));
                    }
                }
                Op::Print(_) | Op::SameObject(..) => procedure.edges[index].op = Op::Skip,
                _ => {}
            }
        }
        let pools: FxHashSet<usize> = (first_site..*site).map(|s| self.memory.pool_of[s]).collect();
        for pool in 0..self.memory.pools.len() {
            if pools.contains(&pool) && self.memory.pools[pool].kind == AllocKind::Stack {
                self.restore(procedure, pool);
            }
        }
        self.guard(procedure, &guards);
    }

    /// Gives all reads of memory a value; the locations that something is asked of first.
    fn total_edges(&mut self, procedure: &mut Procedure) -> Vec<(LocId, Term)> {
        let mut guards: Vec<(LocId, Term)> = Vec::new();
        for index in 0..procedure.edges.len() {
            let op = procedure.edges[index].op.clone();
            let mut conditions = Vec::new();
            if !matches!(op, Op::Print(_) | Op::Exit(_) | Op::Free(_)) {
                conditions.extend(op.terms().into_iter().map(|t| self.defined(t)));
            }
            if let Op::Assign(assigns) = &op {
                for assign in assigns {
                    if let Target::Cell(region, address) = assign.target {
                        let address = self.total(address);
                        conditions.push(self.memory.has_cell(&mut self.program.terms, region, address));
                    }
                }
            }
            let condition = self.program.terms.all(conditions);
            let from = procedure.edges[index].from;
            match guards.iter_mut().find(|(l, _)| *l == from) {
                Some((_, all)) => *all = self.program.terms.and(*all, condition),
                None => guards.push((from, condition)),
            }
            procedure.edges[index].op = self.total_op(op);
        }
        let terms = &self.program.terms;
        guards.retain(|(_, condition)| terms.node(*condition) != Node::Bool(true));
        guards
    }

    fn total_op(&mut self, op: Op) -> Op {
        match op {
            Op::Assume(condition) => Op::Assume(self.total(condition)),
            Op::Assign(assigns) => {
                let total = |a: Assign| {
                    let target = match a.target {
                        Target::Cell(region, address) => Target::Cell(region, self.total(address)),
                        variable => variable,
                    };
                    Assign { target, value: self.total(a.value) }
                };
                Op::Assign(assigns.into_iter().map(total).collect())
            }
            Op::Call { callee, args, result } => {
                Op::Call { callee, args: args.into_iter().map(|a| self.total(a)).collect(), result }
            }
            Op::Return(Some(value)) => Op::Return(Some(self.total(value))),
            Op::Alloc { target, size, kind, zeroed } => Op::Alloc { target, size: self.total(size), kind, zeroed },
            op => op,
        }
    }

    /// The term, in which a cell that does not exist holds zero.
    fn total(&mut self, term: Term) -> Term {
        if let Some(&known) = self.total.get(&term) {
            return known;
        }
        let children: Vec<Term> = self.program.terms.children(term).collect();
        for child in children {
            self.total(child);
        }
        let known = &self.total;
        let rebuilt = self.program.terms.map_children(term, |_, child| known[&child]);
        let terms = &mut self.program.terms;
        let total = match terms.node(rebuilt) {
            Node::Binary(BinOp::Select, array, address) => match terms.node(array) {
                Node::Symbol(region) => {
                    let exists = self.memory.has_cell(terms, region, address);
                    let sort = terms.sort(rebuilt);
                    let zero = terms.zero(&sort);
                    terms.ite(exists, rebuilt, zero)
                }
                _ => rebuilt,
            },
            _ => rebuilt,
        };
        self.total.insert(term, total);
        total
    }

    /// That the term reads cells that exist only.
    fn defined(&mut self, term: Term) -> Term {
        if let Some(&known) = self.defined.get(&term) {
            return known;
        }
        let condition = match self.program.terms.node(term) {
            Node::Ite(condition, a, b) => {
                let (dc, da, db) = (self.defined(condition), self.defined(a), self.defined(b));
                let condition = self.total(condition);
                let branch = self.program.terms.ite(condition, da, db);
                self.program.terms.and(dc, branch)
            }
            node => {
                let children: Vec<Term> = self.program.terms.children(term).collect();
                let mut all: Vec<Term> = children.into_iter().map(|c| self.defined(c)).collect();
                if let Node::Binary(BinOp::Select, array, address) = node
                    && let Node::Symbol(region) = self.program.terms.node(array)
                {
                    let address = self.total(address);
                    all.push(self.memory.has_cell(&mut self.program.terms, region, address));
                }
                self.program.terms.all(all)
            }
        };
        self.defined.insert(term, condition);
        condition
    }

    /// What leaves a location does so from another one, where the condition holds.
    fn guard(&mut self, procedure: &mut Procedure, guards: &[(LocId, Term)]) {
        for &(location, condition) in guards {
            let span = procedure.edges.iter().find(|e| e.from == location).map_or(Span::default(), |e| e.span);
            let inside = add_location(procedure, span);
            procedure.edges.iter_mut().filter(|e| e.from == location).for_each(|e| e.from = inside);
            let otherwise = self.program.terms.not(condition);
            self.exact.extend([condition, otherwise]);
            let what = Op::Undefined("memory is accessed outside of all objects".to_owned());
            end(procedure, (location, otherwise), what, span);
            procedure.edges.push(Edge { from: location, to: inside, op: Op::Assume(condition), span });
        }
    }

    /// The first free slot, whichever that is.
    fn allocation(
        &mut self,
        id: ProcedureId,
        procedure: &mut Procedure,
        index: usize,
        (site, target, size, zeroed): (usize, Symbol, Term, bool),
    ) {
        let pool = self.memory.pool_of[site];
        let of = self.memory.pools[pool].clone();
        let Edge { from, to, span, .. } = procedure.edges[index];
        let width = self.program.terms.bv_width(size);
        let terms = &mut self.program.terms;
        let most = terms.bit_vec(width, cut(width, of.capacity));
        let fits = terms.bv_ule(size, most);
        let counter = terms.symbol(self.counters[pool]);
        let mut free = Vec::new();
        for slot in 0..of.slots {
            let terms = &mut self.program.terms;
            let number = terms.bit_vec(COUNTER, slot);
            let next = terms.eq(counter, number);
            free.push(next);
            let condition = terms.and(next, fits);
            self.exact.insert(condition);
            let start = add_location(procedure, span);
            let edge = Edge { from, to: start, op: Op::Assume(condition), span };
            self.taken.insert((id, procedure.edges.len()), (of.slot(slot), size));
            procedure.edges.push(edge);
            self.slot(id, procedure, (start, to, span), (pool, slot, target, zeroed));
        }
        let free = self.program.terms.any(free);
        let fits = self.program.terms.and(free, fits);
        let exhausted = self.program.terms.not(fits);
        self.exact.insert(exhausted);
        let what = Op::Unsupported(format!("a heap of more than {} bits", self.bits));
        let full = add_location(procedure, span);
        let dead = add_location(procedure, span);
        procedure.edges[index] = Edge { from, to: full, op: Op::Assume(exhausted), span };
        self.exhausted.insert((id, procedure.edges.len()));
        procedure.edges.push(Edge { from: full, to: dead, op: what, span });
    }

    /// Takes a slot.
    fn slot(
        &mut self,
        id: ProcedureId,
        procedure: &mut Procedure,
        (start, to, span): (LocId, LocId, Span),
        (pool, slot, target, zeroed): (usize, u64, Symbol, bool),
    ) {
        let of = self.memory.pools[pool].clone();
        let address = of.slot(slot);
        let mut at = start;
        for object in self.slots[pool][slot as usize].clone() {
            let next = add_location(procedure, span);
            procedure.edges.push(Edge { from: at, to: next, op: Op::Enter(object), span });
            self.uncut.insert((id, next), Uncut::Cells(address, address + of.stride));
            at = next;
        }
        let mut assigns = self.contents(address, address + of.capacity, zeroed);
        let width = self.program.terms.symbol_sort(target).clone();
        let Sort::BitVec(width) = width else { return };
        let terms = &mut self.program.terms;
        let (value, taken) = (terms.bit_vec(width, address), terms.bit_vec(COUNTER, slot + 1));
        assigns.push(Assign { target: Target::Var(target), value });
        assigns.push(Assign { target: Target::Var(self.counters[pool]), value: taken });
        procedure.edges.push(Edge { from: at, to, op: Op::Assign(assigns), span });
    }

    /// What fresh cells hold: zeros, or what their masks allow.
    fn contents(&mut self, from: u64, to: u64, zeroed: bool) -> Vec<Assign> {
        let mut assigns = Vec::new();
        let (pointer_bits, terms) = (self.program.pointer_bits, &mut self.program.terms);
        for region in &self.program.regions {
            let mask = self.masks.get(&region.symbol);
            if mask.is_none() && !zeroed {
                continue;
            }
            let cells = self.memory.cells(region.symbol);
            for &cell in cells.iter().filter(|c| (from..to).contains(c)) {
                let (array, address) = (terms.symbol(region.symbol), terms.bit_vec(pointer_bits, cell));
                let value = terms.select(array, address);
                let value = match (mask, terms.sort(value)) {
                    (_, Sort::BitVec(width)) if zeroed => terms.bit_vec(width, 0),
                    (Some(&mask), _) => fit(terms, mask, value),
                    (None, _) => terms.ff(),
                };
                assigns.push(Assign { target: Target::Cell(region.symbol, address), value });
            }
        }
        assigns
    }

    /// A local object comes to life: its cells keep to their masks.
    fn entered(&mut self, id: ProcedureId, procedure: &mut Procedure, index: usize, object: ObjectId) {
        let object = &self.program.objects[object.index()];
        let (from, to) = (object.address, object.address + object.size);
        let assigns = self.contents(from, to, false);
        if assigns.is_empty() {
            return;
        }
        let edge = procedure.edges[index].clone();
        let between = add_location(procedure, edge.span);
        procedure.edges[index].to = between;
        procedure.edges.push(Edge { from: between, to: edge.to, op: Op::Assign(assigns), span: edge.span });
        self.uncut.insert((id, between), Uncut::Cells(from, to));
    }

    /// A call gives back what it takes from the stack.
    fn restore(&mut self, procedure: &mut Procedure, pool: usize) {
        let counter = self.counters[pool];
        let saved = self.program.terms.declare(format!("stack#{pool}"), Sort::BitVec(COUNTER));
        self.masks.insert(saved, self.masks[&counter]);
        self.addresses.insert(saved);
        procedure.locals.push(saved);
        let (now, before) = (self.program.terms.symbol(counter), self.program.terms.symbol(saved));
        let (save, restore) = (
            Op::Assign(vec![Assign { target: Target::Var(saved), value: now }]),
            Op::Assign(vec![Assign { target: Target::Var(counter), value: before }]),
        );
        for index in 0..procedure.edges.len() {
            if matches!(procedure.edges[index].op, Op::Return(_)) {
                let edge = procedure.edges[index].clone();
                let between = add_location(procedure, edge.span);
                // First the result, as long as guards are where it starts.
                procedure.edges[index].to = between;
                procedure.edges.push(Edge { from: between, to: edge.to, op: restore.clone(), span: edge.span });
            }
        }
        let (entry, span) = (procedure.entry, procedure.span);
        procedure.entry = add_location(procedure, span);
        procedure.edges.push(Edge { from: procedure.entry, to: entry, op: save, span });
    }
}

fn add_location(procedure: &mut Procedure, span: Span) -> LocId {
    procedure.locations.push(Location { label: None, span });
    LocId::from_index(procedure.locations.len() - 1)
}

/// Under a condition, the run ends.
fn end(procedure: &mut Procedure, (from, condition): (LocId, Term), what: Op, span: Span) {
    let (at, dead) = (add_location(procedure, span), add_location(procedure, span));
    procedure.edges.push(Edge { from, to: at, op: Op::Assume(condition), span });
    procedure.edges.push(Edge { from: at, to: dead, op: what, span });
}
