//! What variables and cells may hold, without regard to the order of steps: numbers, and places in blocks of memory.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use clinch_ir::cfa::{CfaProgram, InputId, InputKind, Liveness, Op, Procedure, Target, partial_terms};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term, Terms};

/// More numbers than these are all numbers, more places in a block are all places.
const MANY: usize = 32;

/// Values of a bit-vector.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Values {
    /// Numbers.
    pub(super) numbers: BTreeSet<u64>,
    /// Sites of allocation and places in their blocks, in bytes from the start; `None` is any.
    pub(super) blocks: BTreeSet<(usize, Option<u64>)>,
    /// Anything else too.
    pub(super) wide: bool,
    /// Addresses of objects or functions are among them, or computed from those.
    pub(super) fixed: bool,
}

impl Values {
    fn wide() -> Self {
        Values { wide: true, ..Values::default() }
    }

    pub(super) fn number(value: u64) -> Self {
        Values { numbers: BTreeSet::from([value]), ..Values::default() }
    }

    fn block(site: usize) -> Self {
        Values { blocks: BTreeSet::from([(site, Some(0))]), ..Values::default() }
    }

    /// Adds values; whether there are more now.
    fn join(&mut self, other: &Values) -> bool {
        let before = (self.numbers.len(), self.blocks.len(), self.wide, self.fixed);
        let known = self.numbers.is_superset(&other.numbers) || self.wide;
        if known && self.blocks.is_superset(&other.blocks) && (self.wide || !other.wide) && (self.fixed || !other.fixed)
        {
            return false;
        }
        self.wide |= other.wide;
        self.fixed |= other.fixed;
        self.numbers.extend(&other.numbers);
        self.blocks.extend(&other.blocks);
        self.widen();
        before != (self.numbers.len(), self.blocks.len(), self.wide, self.fixed)
    }

    fn widen(&mut self) {
        self.wide |= self.numbers.len() > MANY;
        if self.wide {
            self.numbers.clear();
        }
        let sites: BTreeSet<usize> = self.blocks.iter().map(|(s, _)| *s).collect();
        for site in sites {
            let places = self.blocks.iter().filter(|(s, _)| *s == site);
            let any = self.blocks.contains(&(site, None));
            if any || places.count() > MANY {
                self.wide |= !any;
                self.blocks.retain(|(s, place)| *s != site || place.is_none());
                self.blocks.insert((site, None));
            }
        }
    }

    /// Only numbers, and these.
    fn finite(&self) -> Option<&BTreeSet<u64>> {
        (!self.wide && self.blocks.is_empty()).then_some(&self.numbers)
    }

    fn map(&self, f: impl Fn(u64) -> u64) -> Values {
        match self.finite() {
            Some(numbers) => Values { numbers: numbers.iter().map(|&n| f(n)).collect(), ..Values::default() },
            None => Values::wide(),
        }
    }

    /// The sum with every one of some numbers, in a width.
    fn moved(&self, by: &Values, width: u32, sign: impl Fn(u64) -> u64) -> Values {
        let wide = self.wide || by.wide || !by.blocks.is_empty();
        let mut sums = Values { wide, fixed: self.fixed || by.fixed, ..Values::default() };
        if by.wide {
            sums.blocks.extend(self.blocks.iter().map(|(site, _)| (*site, None)));
        }
        for &n in &by.numbers {
            let n = sign(n);
            sums.numbers.extend(self.numbers.iter().map(|&m| cut(width, m.wrapping_add(n))));
            for &(site, place) in &self.blocks {
                let place = place.map(|p| cut(width, p.wrapping_add(n)));
                sums.blocks.insert((site, place));
                sums.wide |= place.is_none();
            }
        }
        sums.widen();
        sums
    }
}

/// The lowest bits.
pub(super) fn cut(width: u32, value: u64) -> u64 {
    if width < 64 { value & ((1 << width) - 1) } else { value }
}

/// The values of all variables, and of the cells of all regions.
pub(super) struct Analysis<'p> {
    program: &'p CfaProgram,
    pub(super) values: FxHashMap<Symbol, Values>,
    memo: FxHashMap<Term, Values>,
    /// The number of each site of allocation.
    sites: FxHashMap<(usize, usize), usize>,
    liveness: Vec<Liveness>,
    changed: bool,
}

impl<'p> Analysis<'p> {
    /// Sites are numbered in the order of procedures and edges.
    pub(super) fn new(program: &'p CfaProgram) -> Self {
        let mut sites = FxHashMap::default();
        for (p, procedure) in program.procedures.iter().enumerate() {
            for (e, edge) in procedure.edges.iter().enumerate() {
                if matches!(edge.op, Op::Alloc { .. }) {
                    sites.insert((p, e), sites.len());
                }
            }
        }
        // What reads memory is looked at even if nobody needs it.
        let partial = partial_terms(&program.terms);
        let live = |p: &Procedure| Liveness::new(&program.terms, p, &partial, &FxHashSet::default());
        let liveness = program.procedures.iter().map(live).collect();
        let (values, memo) = (FxHashMap::default(), FxHashMap::default());
        let mut analysis = Analysis { program, values, memo, sites, liveness, changed: false };
        analysis.start();
        analysis.solve();
        analysis.forget_fresh();
        analysis
    }

    /// What was never written holds anything, but for pointers: they hold some value of a pointer.
    fn forget_fresh(&mut self) {
        let program = self.program;
        for region in program.regions.iter().filter(|r| !r.starts_zero) {
            self.forget(region.symbol);
        }
        for (p, procedure) in program.procedures.iter().enumerate() {
            for edge in &procedure.edges {
                if let Op::Input(symbol, site) = edge.op
                    && is_garbage(program, site)
                    && self.is_live(p, symbol, edge.to)
                {
                    self.forget(symbol);
                }
            }
        }
        self.solve();
    }

    fn forget(&mut self, symbol: Symbol) {
        let program = self.program;
        let values = self.values.entry(symbol).or_default();
        if values.blocks.is_empty() || !values.numbers.iter().all(|&n| n == 0 || is_address(program, n)) {
            self.add(symbol, &Values::wide());
        }
    }

    fn is_live(&self, p: usize, symbol: Symbol, at: LocId) -> bool {
        let procedure = &self.program.procedures[p];
        let local = procedure.params.iter().chain(&procedure.locals).position(|s| *s == symbol);
        local.is_none_or(|i| self.liveness[p].is_live(at, i))
    }

    fn start(&mut self) {
        let program = self.program;
        for global in &program.globals {
            let init = self.of(global.init);
            self.add(global.symbol, &init);
        }
        for region in &program.regions {
            self.add(region.symbol, &Values::number(0));
        }
        for (p, procedure) in program.procedures.iter().enumerate() {
            for (i, &local) in procedure.params.iter().chain(&procedure.locals).enumerate() {
                if i >= procedure.params.len() && self.liveness[p].is_live(procedure.entry, i) {
                    self.add(local, &Values::wide());
                }
            }
        }
    }

    fn solve(&mut self) {
        let program = self.program;
        loop {
            self.changed = false;
            self.memo.clear();
            for p in 0..program.procedures.len() {
                for e in 0..program.procedures[p].edges.len() {
                    self.edge(p, e);
                }
            }
            if !self.changed {
                return;
            }
        }
    }

    fn add(&mut self, symbol: Symbol, values: &Values) {
        if self.values.entry(symbol).or_default().join(values) {
            self.changed = true;
            self.memo.clear();
        }
    }

    fn edge(&mut self, p: usize, e: usize) {
        let program = self.program;
        let procedure = &program.procedures[p];
        let edge = &procedure.edges[e];
        match &edge.op {
            Op::Assign(assigns) => {
                for assign in assigns {
                    let values = self.of(assign.value);
                    match assign.target {
                        Target::Var(symbol) | Target::Cell(symbol, _) => self.add(symbol, &values),
                    }
                }
            }
            Op::Input(symbol, site) if !is_garbage(program, *site) && self.is_live(p, *symbol, edge.to) => {
                self.add(*symbol, &Values::wide());
            }
            Op::BlockSize(symbol, _) => self.add(*symbol, &Values::wide()),
            Op::Call { callee, args, result } => {
                let called = program.procedure(*callee);
                for (&param, &arg) in called.params.iter().zip(args) {
                    let values = self.of(arg);
                    self.add(param, &values);
                }
                if let (Some(target), Some(from)) = (result, called.result) {
                    let values = self.values.get(&from).cloned().unwrap_or_default();
                    self.add(*target, &values);
                }
            }
            Op::Return(Some(value)) => {
                if let Some(result) = procedure.result {
                    let values = self.of(*value);
                    self.add(result, &values);
                }
            }
            Op::Alloc { target, .. } => {
                let site = self.sites[&(p, e)];
                self.add(*target, &Values::block(site));
            }
            _ => {}
        }
    }

    /// The values of a term.
    pub(super) fn of(&mut self, term: Term) -> Values {
        if let Some(known) = self.memo.get(&term) {
            return known.clone();
        }
        let values = self.compute(term);
        self.memo.insert(term, values.clone());
        values
    }

    fn compute(&mut self, term: Term) -> Values {
        let terms = &self.program.terms;
        let Sort::BitVec(width @ 1..=64) = terms.sort(term) else { return Values::wide() };
        match terms.node(term) {
            Node::BitVec(_, value) => {
                let fixed = width == self.program.pointer_bits && is_address(self.program, value);
                Values { fixed, ..Values::number(value) }
            }
            Node::Symbol(symbol) => self.values.get(&symbol).cloned().unwrap_or_default(),
            Node::Ite(_, a, b) => {
                let (mut a, b) = (self.of(a), self.of(b));
                a.join(&b);
                a
            }
            Node::Binary(BinOp::Select, region, _) => match terms.node(region) {
                Node::Symbol(region) => self.values.get(&region).cloned().unwrap_or_default(),
                _ => Values::wide(),
            },
            Node::Binary(BinOp::BvAdd, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                let (a, b) = if a.blocks.is_empty() { (b, a) } else { (a, b) };
                a.moved(&b, width, |n| n)
            }
            Node::Binary(BinOp::BvSub, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                a.moved(&b, width, |n| cut(width, n.wrapping_neg()))
            }
            Node::Extract { lo, of, .. } if small(terms, of) => self.of(of).map(|n| cut(width, n >> lo.min(63))),
            Node::Extend { signed, of, .. } if small(terms, of) => {
                let inner = terms.bv_width(of);
                let high = |n: u64| if signed && n >> (inner - 1) & 1 == 1 { u64::MAX << (inner - 1) } else { 0 };
                self.of(of).map(|n| cut(width, n | high(n)))
            }
            _ => Values::wide(),
        }
    }
}

/// Whether an object or a function is there.
fn is_address(program: &CfaProgram, number: u64) -> bool {
    let object = program.objects.iter().any(|o| (o.address..=o.address + o.size).contains(&number));
    object || program.procedures.iter().any(|p| p.address == Some(number))
}

/// Whether the input is what a variable holds that was never written.
pub(super) fn is_garbage(program: &CfaProgram, site: InputId) -> bool {
    matches!(program.inputs[site.index()].kind, InputKind::Uninitialised(_))
}

fn small(terms: &Terms, term: Term) -> bool {
    matches!(terms.sort(term), Sort::BitVec(1..=64))
}
