//! Where the variables of a program are: bits, in an order.
//!
//! Variables that occur together in an edge stand together, bit by bit, the lowest first: sums and comparisons of them stay
//! small. Indices of arrays come first ([`selectors`]). The four versions of a bit are neighbours ([`Bit::at`]).

use clinch_bdd::Bdd;
use clinch_bdd::words::Fill;
use clinch_ir::cfa::{CfaProgram, Op, Procedure, ProcedureId, Target};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::choices::choices;
use super::system::Bit;
use super::widths::Widths;
use super::{Obstacle, force};

/// A place for a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Storage {
    /// The bits that are held, the lowest first.
    pub(super) bits: Vec<Bit>,
    /// Which bits of the value they are.
    pub(super) positions: Vec<u32>,
    /// How many the value has.
    pub(super) width: u32,
    /// What is above those held.
    pub(super) fill: Fill,
    /// The bits below that are not held, and one.
    pub(super) ones: u64,
}

impl Storage {
    /// How many of the lowest bits of a value are needed to store it.
    pub(super) fn needed(&self) -> u32 {
        self.positions.last().map_or(0, |p| p + 1)
    }

    /// The bits of a value that are held.
    pub(super) fn held(&self, value: &[Bdd]) -> Vec<Bdd> {
        self.positions.iter().map(|&p| value[p as usize].clone()).collect()
    }
}

/// A cell of memory.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) address: u64,
    pub(super) storage: Storage,
}

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Scalars.
    pub(super) scalars: FxHashMap<Symbol, Storage>,
    /// The cells of each region.
    pub(super) regions: FxHashMap<Symbol, Vec<Cell>>,
    /// Where procedures leave their results.
    pub(super) results: FxHashMap<ProcedureId, Storage>,
    /// One more than the highest bit.
    pub(super) bits: u32,
}

/// Cells of memory, at most.
const CELLS: u64 = 2048;

/// What a place is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Scalar(Symbol),
    Cell(Symbol, u64),
    Result(ProcedureId),
}

/// Decides where the variables of the procedures are.
pub(super) fn lay_out(program: &CfaProgram, procedures: &[ProcedureId], widths: &Widths) -> Result<Layout, Obstacle> {
    let mut groups = Groups::default();
    let mut selectors = selectors(program, procedures);
    selectors.extend(pointers(program, procedures, widths));
    for &symbol in &selectors {
        groups.add(Owner::Scalar(symbol));
    }
    groups.selectors = selectors.into_iter().map(Owner::Scalar).collect();
    for &id in procedures {
        if program.procedure(id).result.is_some_and(|r| groups.is_selector(Owner::Scalar(r))) {
            groups.add(Owner::Result(id));
            groups.selectors.insert(Owner::Result(id));
        }
    }
    for &id in procedures {
        let procedure = program.procedure(id);
        procedure.params.iter().chain(&procedure.locals).for_each(|&s| {
            groups.add(Owner::Scalar(s));
        });
        relate(program, procedure, widths, &mut groups);
        if let Some(result) = procedure.result {
            groups.join(Owner::Result(id), Owner::Scalar(result));
        }
    }
    let read = read_symbols(program, procedures);
    program.globals.iter().filter(|g| read.contains(&g.symbol)).for_each(|g| {
        groups.add(Owner::Scalar(g.symbol));
    });
    for region in program.regions.iter().filter(|r| read.contains(&r.symbol)) {
        for address in addresses(program, widths, region.symbol)? {
            groups.add(Owner::Cell(region.symbol, address));
        }
    }
    // Globals that nobody reads have no place, even if they are written.
    let unread: FxHashSet<Symbol> = program.globals.iter().map(|g| g.symbol).filter(|s| !read.contains(s)).collect();
    let mut layout = Layout::default();
    for group in groups.in_order(&steps(program, procedures)) {
        let group: Vec<Owner> =
            group.into_iter().filter(|o| !matches!(o, Owner::Scalar(s) if unread.contains(s))).collect();
        place(program, &group, widths, &mut layout)?;
    }
    for region in &program.regions {
        layout.regions.entry(region.symbol).or_default();
    }
    Ok(layout)
}

/// The variables of each step that an input chooses: what moves together is to be close together.
fn steps(program: &CfaProgram, procedures: &[ProcedureId]) -> Vec<Vec<Symbol>> {
    let procedures = procedures.iter().map(|&p| program.procedure(p));
    let of = |p: &Procedure| choices(program, p).iter().flat_map(|c| c.variables(program, p)).collect::<Vec<_>>();
    procedures.flat_map(of).collect()
}

fn read_symbols(program: &CfaProgram, procedures: &[ProcedureId]) -> FxHashSet<Symbol> {
    let edges = procedures.iter().flat_map(|&p| &program.procedure(p).edges);
    edges.flat_map(|e| e.op.reads(&program.terms)).collect()
}

/// Variables of few bits that choose among many others (an index into an array that is one variable for each element), in
/// the order in which they are met, and those that get or give their values by a plain copy. They come first, apart from what
/// they choose among: then an access is small for each value of the index, while between the elements it would have to
/// remember all of them.
fn selectors(program: &CfaProgram, procedures: &[ProcedureId]) -> Vec<Symbol> {
    /// Wider ones have too many values.
    const BITS: u32 = 8;
    /// Fewer choices are no array.
    const CHOICES: u32 = 3;
    let mut found = Vec::new();
    let mut elements: FxHashSet<Symbol> = FxHashSet::default();
    let narrow = |s: Symbol| matches!(program.terms.symbol_sort(s), Sort::BitVec(width) if *width <= BITS);
    for op in procedures.iter().flat_map(|&p| &program.procedure(p).edges).map(|e| &e.op) {
        let mut counts: Vec<(Symbol, u32)> = Vec::new();
        let (mut seen, mut stack) = (FxHashSet::default(), operands(op));
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            stack.extend(program.terms.children(term));
            let Node::Ite(condition, ..) = program.terms.node(term) else { continue };
            elements.extend(branches(program, term));
            for symbol in program.terms.symbols(condition) {
                match counts.iter_mut().find(|(s, _)| *s == symbol) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((symbol, 1)),
                }
            }
        }
        found.extend(counts.into_iter().filter(|&(s, count)| count >= CHOICES && narrow(s)).map(|(s, _)| s));
    }
    let mut known = FxHashSet::default();
    found.retain(|&s| known.insert(s));
    // A value that leaves an index (as an argument, as a result) and is far from it would have to be remembered as well.
    let copies = copies(program, procedures);
    let mut i = 0;
    while i < found.len() {
        let others = copies.get(&found[i]).map_or(&[][..], Vec::as_slice);
        let new = others.iter().filter(|s| narrow(**s) && !elements.contains(s) && known.insert(**s));
        found.extend(new.copied().collect::<Vec<_>>());
        i += 1;
    }
    found
}

/// The variables that a choice is between.
fn branches(program: &CfaProgram, term: Term) -> impl Iterator<Item = Symbol> {
    let symbol = |t: Term| match program.terms.node(t) {
        Node::Symbol(symbol) => Some(symbol),
        _ => None,
    };
    let branches = match program.terms.node(term) {
        Node::Ite(_, then, otherwise) => [symbol(then), symbol(otherwise)],
        _ => [None, None],
    };
    branches.into_iter().flatten()
}

/// The variables that a variable is copied to or from, as it is.
fn copies(program: &CfaProgram, procedures: &[ProcedureId]) -> FxHashMap<Symbol, Vec<Symbol>> {
    let mut copies: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
    let mut add = |to: Symbol, value: Term| {
        if let Node::Symbol(from) = program.terms.node(value) {
            copies.entry(to).or_default().push(from);
            copies.entry(from).or_default().push(to);
        }
    };
    for &id in procedures {
        let procedure = program.procedure(id);
        for edge in &procedure.edges {
            match &edge.op {
                Op::Assign(assigns) => assigns.iter().for_each(|a| {
                    if let Target::Var(to) = a.target {
                        add(to, a.value);
                    }
                }),
                Op::Return(Some(value)) => procedure.result.iter().for_each(|&r| add(r, *value)),
                Op::Call { callee, args, .. } => {
                    program.procedure(*callee).params.iter().zip(args).for_each(|(&p, &a)| add(p, a));
                }
                _ => {}
            }
        }
    }
    for &id in procedures {
        for edge in &program.procedure(id).edges {
            if let Op::Call { callee, result: Some(target), .. } = &edge.op {
                program.procedure(*callee).result.iter().for_each(|&r| {
                    copies.entry(*target).or_default().push(r);
                    copies.entry(r).or_default().push(*target);
                });
            }
        }
    }
    copies
}

fn operands(op: &Op) -> Vec<Term> {
    match op {
        Op::Assume(term) | Op::Return(Some(term)) => vec![*term],
        Op::Assign(assigns) => assigns.iter().map(|a| a.value).collect(),
        Op::Call { args, .. } => args.clone(),
        _ => Vec::new(),
    }
}

/// Pointers choose among the cells they may point to.
fn pointers(program: &CfaProgram, procedures: &[ProcedureId], widths: &Widths) -> Vec<Symbol> {
    let procedures = procedures.iter().map(|&p| program.procedure(p));
    let locals = procedures.flat_map(|p| p.params.iter().chain(&p.locals).copied());
    let all = program.globals.iter().map(|g| g.symbol).chain(locals);
    all.filter(|s| widths.masks.contains_key(s) && widths.addresses.contains(s)).collect()
}

/// The addresses at which a region has cells.
fn addresses(program: &CfaProgram, widths: &Widths, region: Symbol) -> Result<Vec<u64>, Obstacle> {
    if let Some(cells) = widths.cells.as_ref().and_then(|c| c.get(&region)) {
        return Ok(cells.clone());
    }
    let bytes = program.region(region).map_or(1, |r| u64::from(r.cell_bytes.max(1)));
    let objects: Vec<_> = program.objects.iter().filter(|o| o.regions.contains(&region)).collect();
    let count: u64 = objects.iter().map(|o| o.size / bytes).fold(0, u64::saturating_add);
    if count > CELLS {
        return Err(Obstacle::Unsupported(format!("{count} cells of memory, more than {CELLS}")));
    }
    Ok(objects.iter().flat_map(|o| (0..o.size / bytes).map(|i| o.address + i * bytes)).collect())
}

/// Variables that occur together belong together.
fn relate(program: &CfaProgram, procedure: &Procedure, widths: &Widths, groups: &mut Groups) {
    if let Some(cells) = &widths.cells {
        return relate_cells(program, procedure, (widths, cells), groups);
    }
    let mut relate_value = |targets: Vec<Symbol>, value: Term| {
        let (data, conditions) = parts(program, value);
        let of_value = data.into_iter().filter(|&s| is_scalar(program, s));
        groups.join_all(targets.into_iter().chain(of_value).map(Owner::Scalar));
        conditions.into_iter().for_each(|condition| relate_condition(program, condition, groups));
    };
    let mut results = Vec::new();
    for edge in &procedure.edges {
        match &edge.op {
            Op::Assume(term) => relate_value(Vec::new(), *term),
            Op::Assign(assigns) => {
                for assign in assigns {
                    let target = match assign.target {
                        Target::Var(symbol) => vec![symbol],
                        Target::Cell(_, address) => program.terms.symbols(address),
                    };
                    relate_value(target.into_iter().filter(|&s| is_scalar(program, s)).collect(), assign.value);
                }
            }
            Op::Call { callee, args, result } => {
                for (&param, &arg) in program.procedure(*callee).params.iter().zip(args) {
                    relate_value(vec![param], arg);
                }
                results.extend(result.map(|target| (Owner::Result(*callee), Owner::Scalar(target))));
            }
            Op::Return(Some(value)) => relate_value(procedure.result.into_iter().collect(), *value),
            _ => {}
        }
    }
    results.into_iter().for_each(|(result, target)| groups.join(result, target));
}

/// What is compared in a condition belongs together; what stands in different comparisons of it does not.
fn relate_condition(program: &CfaProgram, condition: Term, groups: &mut Groups) {
    let (mut seen, mut work) = (FxHashSet::default(), vec![condition]);
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        let (data, conditions) = parts(program, term);
        groups.join_all(data.into_iter().filter(|&s| is_scalar(program, s)).map(Owner::Scalar));
        work.extend(conditions);
    }
}

/// The variables that a value is computed from, and the conditions that it depends on. A formula is nothing but conditions, unless it is a comparison.
fn parts(program: &CfaProgram, value: Term) -> (Vec<Symbol>, Vec<Term>) {
    let terms = &program.terms;
    let (mut data, mut conditions) = (Vec::new(), Vec::new());
    match terms.node(value) {
        Node::Unary(UnOp::Not, a) => return (data, vec![a]),
        Node::Binary(BinOp::And | BinOp::Or, a, b) => return (data, vec![a, b]),
        Node::Binary(BinOp::Eq, a, b) if terms.sort(a) == Sort::Bool => return (data, vec![a, b]),
        _ => {}
    }
    let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Symbol(symbol) => data.push(symbol),
            Node::Ite(condition, a, b) => {
                conditions.push(condition);
                work.extend([a, b]);
            }
            _ => work.extend(terms.children(term)),
        }
    }
    (data, conditions)
}

/// The same where cells are known: they belong to what is computed from them, while addresses do not.
fn relate_cells(
    program: &CfaProgram,
    procedure: &Procedure,
    (widths, cells): (&Widths, &FxHashMap<Symbol, Vec<u64>>),
    groups: &mut Groups,
) {
    let owners = |symbol: Symbol| -> Vec<Owner> {
        match cells.get(&symbol) {
            // Pointers have few bits, and choose among other cells.
            Some(_) if widths.masks.contains_key(&symbol) => Vec::new(),
            Some(cells) => cells.iter().map(|&a| Owner::Cell(symbol, a)).collect(),
            None => vec![Owner::Scalar(symbol)],
        }
    };
    let of = |t: Term| data(program, t).into_iter().flat_map(owners);
    for edge in &procedure.edges {
        match &edge.op {
            Op::Assume(term) => groups.join_all(of(*term)),
            Op::Assign(assigns) => {
                for assign in assigns {
                    let (Target::Var(target) | Target::Cell(target, _)) = assign.target;
                    groups.join_all(owners(target).into_iter().chain(of(assign.value)));
                }
            }
            Op::Call { callee, args, result } => {
                for (&param, &arg) in program.procedure(*callee).params.iter().zip(args) {
                    groups.join_all(owners(param).into_iter().chain(of(arg)));
                }
                if let Some(target) = result {
                    groups.join_all([Owner::Result(*callee), Owner::Scalar(*target)]);
                }
            }
            Op::Return(Some(value)) => {
                groups.join_all(procedure.result.into_iter().map(Owner::Scalar).chain(of(*value)));
            }
            _ => {}
        }
    }
}

/// The variables and regions that a term is computed from; not those that addresses of cells are.
fn data(program: &CfaProgram, term: Term) -> Vec<Symbol> {
    let mut found = Vec::new();
    let (mut seen, mut work) = (FxHashSet::default(), vec![term]);
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        match program.terms.node(term) {
            Node::Symbol(symbol) => found.push(symbol),
            Node::Binary(BinOp::Select, array, _) => work.push(array),
            Node::Ite(_, then, _) if matches!(program.terms.node(then), Node::Binary(BinOp::Select, ..)) => {
                work.push(then)
            }
            _ => work.extend(program.terms.children(term)),
        }
    }
    found
}

fn is_scalar(program: &CfaProgram, symbol: Symbol) -> bool {
    !matches!(program.terms.symbol_sort(symbol), Sort::Array(_))
}

fn place(program: &CfaProgram, group: &[Owner], widths: &Widths, layout: &mut Layout) -> Result<(), Obstacle> {
    let mut storages = Vec::with_capacity(group.len());
    for owner in group {
        storages.push(storage(program, *owner, widths)?);
    }
    let widest = storages.iter().map(Storage::needed).max().unwrap_or(0);
    for i in 0..widest {
        for storage in &mut storages {
            if storage.positions.contains(&i) {
                storage.bits.push(Bit(layout.bits));
                layout.bits += 1;
            }
        }
    }
    for (owner, storage) in group.iter().zip(storages) {
        match *owner {
            Owner::Scalar(symbol) => {
                layout.scalars.insert(symbol, storage);
            }
            Owner::Result(procedure) => {
                layout.results.insert(procedure, storage);
            }
            Owner::Cell(region, address) => layout.regions.entry(region).or_default().push(Cell { address, storage }),
        }
    }
    Ok(())
}

/// A place without bits, but with their positions.
fn storage(program: &CfaProgram, owner: Owner, widths: &Widths) -> Result<Storage, Obstacle> {
    let symbol = match owner {
        Owner::Scalar(symbol) | Owner::Cell(symbol, _) => symbol,
        Owner::Result(procedure) => {
            program.procedure(procedure).result.ok_or(Obstacle::Unsupported("a call without result".to_owned()))?
        }
    };
    let sort = match (owner, program.terms.symbol_sort(symbol)) {
        (Owner::Cell(..), Sort::Array(of)) => of.1.clone(),
        (_, sort) => sort.clone(),
    };
    let width = match sort {
        Sort::Bool => 1,
        Sort::BitVec(width) => width,
        other => return Err(Obstacle::Unsupported(format!("unbounded data: a variable of sort {other}"))),
    };
    let narrowing = widths.variables.get(&symbol);
    let held = narrowing.map_or(width, |n| n.bits);
    let fill = if narrowing.is_some_and(|n| n.signed) { Fill::Sign } else { Fill::Zero };
    let Some(mask) = widths.masks.get(&symbol).filter(|_| width <= 64 && narrowing.is_none()) else {
        return Ok(Storage { bits: Vec::new(), positions: (0..held).collect(), width, fill, ones: 0 });
    };
    let open = mask.may & !mask.one;
    let positions = (0..width).filter(|i| open >> i & 1 == 1).collect();
    Ok(Storage { bits: Vec::new(), positions, width, fill: Fill::Zero, ones: mask.one })
}

/// Owners that belong together: a union-find structure.
#[derive(Default)]
struct Groups {
    index: FxHashMap<Owner, usize>,
    owners: Vec<Owner>,
    parent: Vec<usize>,
    /// These form groups of their own.
    selectors: FxHashSet<Owner>,
}

impl Groups {
    fn is_selector(&self, owner: Owner) -> bool {
        self.selectors.contains(&owner)
    }

    fn add(&mut self, owner: Owner) -> usize {
        *self.index.entry(owner).or_insert_with(|| {
            self.owners.push(owner);
            self.parent.push(self.owners.len() - 1);
            self.owners.len() - 1
        })
    }

    fn find(&self, mut i: usize) -> usize {
        while self.parent[i] != i {
            i = self.parent[i];
        }
        i
    }

    fn join(&mut self, a: Owner, b: Owner) {
        let apart = self.is_selector(a) != self.is_selector(b);
        let (a, b) = (self.add(a), self.add(b));
        if apart {
            return;
        }
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }

    fn join_all(&mut self, owners: impl IntoIterator<Item = Owner>) {
        let (selectors, others): (Vec<Owner>, Vec<Owner>) = owners.into_iter().partition(|&o| self.is_selector(o));
        for group in [selectors, others] {
            let mut owners = group.into_iter();
            let Some(first) = owners.next() else { continue };
            self.add(first);
            owners.for_each(|o| self.join(first, o));
        }
    }

    /// The groups by their first members; selectors come first. Where there are sets of variables that are to be close together, the
    /// others are in an order that brings them there.
    fn in_order(&self, close: &[Vec<Symbol>]) -> Vec<Vec<Owner>> {
        let mut groups: Vec<Vec<Owner>> = vec![Vec::new(); self.owners.len()];
        for (i, &owner) in self.owners.iter().enumerate() {
            groups[self.find(i)].push(owner);
        }
        groups.retain(|g| !g.is_empty());
        let first = groups.iter().position(|g| !self.is_selector(g[0])).unwrap_or(groups.len());
        let mut others = groups.split_off(first);
        let of_owner: FxHashMap<Owner, usize> =
            others.iter().enumerate().flat_map(|(i, g)| g.iter().map(move |&owner| (owner, i))).collect();
        let members = |symbols: &Vec<Symbol>| {
            let all = symbols.iter().filter_map(|&s| of_owner.get(&Owner::Scalar(s)).copied());
            let mut all: Vec<usize> = all.collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let edges: Vec<Vec<usize>> = close.iter().map(members).collect();
        groups.extend(force::order(others.len(), &edges).into_iter().map(|i| std::mem::take(&mut others[i])));
        groups
    }
}
