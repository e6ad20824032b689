//! What the engine found, as plain data: formulas and inputs.

use std::collections::VecDeque;

use clinch_analyses::finite::Uncut;
use clinch_bdd::Bdd;
use clinch_bdd::words::Fill;
use clinch_ir::Reason;
use clinch_ir::cfa::effects::Effects;
use clinch_ir::cfa::{Addresses, CfaProgram, InputId, InputTrace, Liveness, Op, ProcedureId, Summaries, SummaryPoint};
use clinch_machine::InputSource;
use clinch_machine::guided::{run_guided, value_bits};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{BinOp, LocId, Sort, Symbol, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Setting;
use super::layout::Storage;
use super::model::{Model, Origin};
use super::system::{Bit, PointId, Version};
use super::trace::{Step, Valuation};
use super::widths::Widths;

/// The sets of states of control points as procedure summaries of the program that was searched.
pub(super) fn summaries(setting: &Setting<'_>, reached: impl Fn(PointId) -> Bdd) -> Summaries {
    let Setting { program, widths, model, .. } = *setting;
    let mut writer = Writer::new(program, widths, model);
    let mut points = Vec::new();
    for (frame, &procedure) in model.procedures.iter().enumerate() {
        let facts = writer.facts(frame);
        let mut locations: Vec<(LocId, PointId)> = model.locations[frame].iter().map(|(&l, &p)| (l, p)).collect();
        locations.sort_unstable_by_key(|(_, p)| *p);
        let liveness = writer.liveness(frame);
        for (location, point) in locations {
            let states = reached(point);
            if !states.is_false() {
                let states = writer.formula(&states);
                let local = writer.local_facts(frame, location, &liveness);
                let formula = writer.terms.all([facts, local, states]);
                points.push(SummaryPoint { procedure, location, formula });
            }
        }
    }
    let (int_bits, heap_bits) = (setting.config.int_bits, widths.heap_bits);
    let order = writer.order();
    Summaries { terms: writer.terms, entries: writer.entries, points, order, int_bits, heap_bits }
}

struct Writer<'a> {
    program: &'a CfaProgram,
    widths: &'a Widths,
    model: &'a Model,
    terms: Terms,
    /// Variables and the symbols for their values at the entry.
    entries: Vec<(Symbol, Symbol)>,
    entry_of: FxHashMap<Symbol, Symbol>,
    /// The truth value of each bit now.
    bits: FxHashMap<Bit, (Symbol, Option<u64>, u32)>,
    /// Bits of parameters that stand for their value at the entry: writes that do not matter are not in the system.
    kept: FxHashSet<Bit>,
    known: FxHashMap<Bdd, Term>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a CfaProgram, widths: &'a Widths, model: &'a Model) -> Self {
        let mut terms = program.terms.clone();
        Effects::new(program, &mut terms);
        let mut variables: Vec<Symbol> = program.globals.iter().map(|g| g.symbol).collect();
        variables.extend(program.regions.iter().map(|r| r.symbol));
        variables.extend(model.procedures.iter().flat_map(|&p| program.procedure(p).params.iter().copied()));
        let mut entries = Vec::new();
        for variable in variables {
            let sort = terms.symbol_sort(variable).clone();
            let name = format!("{}@entry", terms.symbol_name(variable));
            entries.push((variable, terms.declare(name, sort)));
        }
        let entry_of = entries.iter().copied().collect();
        let mut bits = FxHashMap::default();
        let mut place = |storage: &Storage, symbol: Symbol, address: Option<u64>| {
            for (i, &bit) in storage.bits.iter().enumerate() {
                bits.insert(bit, (symbol, address, storage.positions[i]));
            }
        };
        for global in &program.globals {
            model.layout.scalars.get(&global.symbol).into_iter().for_each(|s| place(s, global.symbol, None));
        }
        for &procedure in &model.procedures {
            let procedure = program.procedure(procedure);
            for &symbol in procedure.params.iter().chain(&procedure.locals) {
                model.layout.scalars.get(&symbol).into_iter().for_each(|s| place(s, symbol, None));
            }
        }
        for region in &program.regions {
            let cells = model.layout.regions.get(&region.symbol);
            cells.into_iter().flatten().for_each(|c| place(&c.storage, region.symbol, Some(c.address)));
        }
        let frames = model.spds.frames.iter();
        let kept = frames.flat_map(|f| f.parameters.iter().copied().filter(|b| !f.changed.contains(b))).collect();
        Writer { program, widths, model, terms, entries, entry_of, bits, kept, known: FxHashMap::default() }
    }

    /// What holds everywhere in a procedure: what it does not change is what it was, and was narrow if it is narrow.
    fn facts(&mut self, frame: usize) -> Term {
        let program = self.program;
        let procedure = program.procedure(self.model.procedures[frame]);
        let outputs: FxHashSet<Bit> = self.model.spds.frames[frame].outputs.iter().copied().collect();
        let written = self.written(frame);
        let kept = |storage: &Storage| storage.bits.iter().all(|b| !outputs.contains(b));
        let mut facts = Vec::new();
        for global in &program.globals {
            let storage = self.model.layout.scalars.get(&global.symbol);
            let same = storage.map_or(!written.contains(&global.symbol), kept);
            self.fact(&mut facts, global.symbol, same);
        }
        for &parameter in &procedure.params {
            self.fact(&mut facts, parameter, !written.contains(&parameter));
        }
        for region in &program.regions {
            let same = !written.contains(&region.symbol);
            self.fact(&mut facts, region.symbol, same);
            let cells = self.model.layout.regions.get(&region.symbol).into_iter().flatten();
            for cell in cells.filter(|c| !same && kept(&c.storage)) {
                let index = self.terms.bit_vec(program.pointer_bits, cell.address);
                let (now, entry) = (self.terms.symbol(region.symbol), self.terms.symbol(self.entry_of[&region.symbol]));
                let (now, entry) = (self.terms.select(now, index), self.terms.select(entry, index));
                facts.push(self.terms.eq(now, entry));
            }
        }
        self.terms.all(facts)
    }

    fn fact(&mut self, facts: &mut Vec<Term>, variable: Symbol, same: bool) {
        let (now, entry) = (self.terms.symbol(variable), self.terms.symbol(self.entry_of[&variable]));
        if same {
            facts.push(self.terms.eq(now, entry));
        }
        facts.extend(self.narrow_fact(variable, entry));
    }

    /// The variables and regions that a procedure or what it calls may write.
    fn written(&self, frame: usize) -> FxHashSet<Symbol> {
        let mut procedures = vec![self.model.procedures[frame]];
        let mut seen: FxHashSet<_> = procedures.iter().copied().collect();
        let mut written = FxHashSet::default();
        while let Some(id) = procedures.pop() {
            let procedure = self.program.procedure(id);
            for edge in &procedure.edges {
                written.extend(procedure.writes(&edge.op));
                match &edge.op {
                    Op::Assign(assigns) => {
                        for assign in assigns {
                            if let clinch_ir::cfa::Target::Cell(region, _) = assign.target {
                                written.insert(region);
                            }
                        }
                    }
                    Op::Enter(object) => written.extend(&self.program.objects[object.index()].regions),
                    Op::Call { callee, .. } if seen.insert(*callee) => procedures.push(*callee),
                    _ => {}
                }
            }
        }
        written
    }

    fn liveness(&self, frame: usize) -> Liveness {
        let procedure = self.program.procedure(self.model.procedures[frame]);
        let partial = vec![false; self.program.terms.len()];
        Liveness::new(&self.program.terms, procedure, &partial, &FxHashSet::default())
    }

    /// Globals and live locals are narrow; parameters that are live and whose writes do not matter are what they were.
    fn local_facts(&mut self, frame: usize, location: LocId, liveness: &Liveness) -> Term {
        let procedure = self.program.procedure(self.model.procedures[frame]);
        let here = (self.model.procedures[frame], location);
        let locals = procedure.params.iter().chain(&procedure.locals).enumerate();
        let live = locals.filter(|(i, _)| liveness.is_live(location, *i)).map(|(_, &s)| s);
        let all: Vec<Symbol> = self.program.globals.iter().map(|g| g.symbol).chain(live).collect();
        let mut facts = Vec::new();
        for symbol in all {
            let now = self.terms.symbol(symbol);
            let is = |uncut: Option<&Uncut>| uncut == Some(&Uncut::Variable(symbol));
            let cut = !is(self.widths.uncut.get(&here)) && !is(self.widths.unmasked.get(&here));
            facts.extend(cut.then(|| self.narrow_fact(symbol, now)).flatten());
        }
        self.cell_facts(here, &mut facts);
        for (i, parameter) in procedure.params.iter().enumerate() {
            let kept =
                self.model.layout.scalars.get(parameter).is_some_and(|s| s.bits.iter().all(|b| self.kept.contains(b)));
            if kept && liveness.is_live(location, i) {
                let (now, entry) = (self.terms.symbol(*parameter), self.terms.symbol(self.entry_of[parameter]));
                facts.push(self.terms.eq(now, entry));
            }
        }
        self.terms.all(facts)
    }

    /// Cells are narrow, where they are.
    fn cell_facts(&mut self, here: (ProcedureId, LocId), facts: &mut Vec<Term>) {
        let (model, widths) = (self.model, self.widths);
        let fresh = |map: &FxHashMap<_, Uncut>, address: u64| match map.get(&here) {
            Some(&Uncut::Cells(from, to)) => (from..to).contains(&address),
            _ => false,
        };
        for region in &self.program.regions {
            let uncut = match (widths.variables.get(&region.symbol), widths.masks.get(&region.symbol)) {
                (Some(_), _) => &widths.uncut,
                (None, Some(_)) => &widths.unmasked,
                (None, None) => continue,
            };
            let cells = model.layout.regions.get(&region.symbol).into_iter().flatten();
            for cell in cells.filter(|c| !fresh(uncut, c.address)) {
                let index = self.terms.bit_vec(self.program.pointer_bits, cell.address);
                let array = self.terms.symbol(region.symbol);
                let value = self.terms.select(array, index);
                facts.extend(self.narrow_fact(region.symbol, value));
            }
        }
    }

    /// That a value has no other bits than those that are held.
    fn narrow_fact(&mut self, variable: Symbol, value: Term) -> Option<Term> {
        let Sort::BitVec(width) = self.terms.sort(value) else { return None };
        if let Some(&narrowing) = self.widths.variables.get(&variable) {
            let low = self.terms.extract(narrowing.bits - 1, 0, value);
            let fitted = self.terms.resize(narrowing.signed, width, low);
            return Some(self.terms.eq(value, fitted));
        }
        let mask = *self.widths.masks.get(&variable).filter(|_| width <= 64)?;
        let open = self.terms.bit_vec(width, !mask.may | mask.one);
        let known = self.terms.bv(BinOp::BvAnd, value, open);
        let one = self.terms.bit_vec(width, mask.one);
        Some(self.terms.eq(known, one))
    }

    /// A set of states as a formula: one choice for each node of the diagram.
    fn formula(&mut self, states: &Bdd) -> Term {
        let mut work = vec![states.clone()];
        while let Some(function) = work.last().cloned() {
            if self.known.contains_key(&function) {
                work.pop();
                continue;
            }
            let Some((variable, then, otherwise)) = function.split() else {
                let constant = self.terms.bool(function.is_true());
                self.known.insert(function, constant);
                continue;
            };
            match (self.known.get(&then).copied(), self.known.get(&otherwise).copied()) {
                (Some(a), Some(b)) => {
                    let bit = self.bit(variable);
                    let choice = self.terms.ite(bit, a, b);
                    self.known.insert(function, choice);
                }
                (a, b) => {
                    work.extend(a.is_none().then_some(then));
                    work.extend(b.is_none().then_some(otherwise));
                }
            }
        }
        self.known[states]
    }

    /// The bits of scalars, now and at the entry, as the diagrams have them.
    fn order(&self) -> Vec<(Symbol, u32)> {
        let scalars = self.bits.iter().filter(|(_, (_, address, _))| address.is_none());
        let mut scalars: Vec<(Bit, Symbol, u32)> =
            scalars.map(|(&bit, &(s, _, position))| (bit, s, position)).collect();
        scalars.sort_unstable_by_key(|(bit, ..)| bit.at(Version::Current));
        let entry = |symbol: Symbol, position: u32| self.entry_of.get(&symbol).map(|&entry| (entry, position));
        scalars.into_iter().flat_map(|(_, s, position)| [Some((s, position)), entry(s, position)]).flatten().collect()
    }

    /// The truth value of a decision variable.
    fn bit(&mut self, variable: u32) -> Term {
        let (bit, version) = Bit::of(variable);
        let (symbol, address, position) = self.bits[&bit];
        let symbol =
            if version == Version::Entry || self.kept.contains(&bit) { self.entry_of[&symbol] } else { symbol };
        let mut value = self.terms.symbol(symbol);
        if let Some(address) = address {
            let index = self.terms.bit_vec(self.program.pointer_bits, address);
            value = self.terms.select(value, index);
        }
        if self.terms.sort(value) == Sort::Bool {
            return value;
        }
        let one = self.terms.bit_vec(1, 1);
        let part = self.terms.extract(position, position, value);
        self.terms.eq(part, one)
    }
}

/// The run of the real program that a run of the system stands for, executed.
pub(super) fn counterexample(setting: &Setting<'_>, steps: &[Step]) -> Result<InputTrace, Reason> {
    let mut guide = Guide::new(setting.original);
    let mut before = &Valuation::default();
    for step in steps {
        guide.follow(setting, step, before);
        before = &step.after;
    }
    let Guide { mut sites, mut memory, .. } = guide;
    let found = run_guided(setting.original, |_, request, _| match &request.source {
        InputSource::Site(site) => match sites.pop_front() {
            Some((expected, bits)) if expected == *site => bits,
            _ => 0,
        },
        InputSource::Memory { address, .. } => match memory.get_mut(address) {
            Some(values) if values.len() > 1 => values.pop_front().unwrap_or(0),
            Some(values) => values.front().copied().unwrap_or(0),
            None => 0,
        },
    });
    match (found, setting.config.int_bits) {
        (Err(Reason::Uncertified(_)), Some(bits)) => Err(Reason::Uncertified(format!(
            "an error was found for {bits}-bit integers; with the inputs found it does not happen in the real widths"
        ))),
        (found, _) => found,
    }
}

/// The inputs of a run: what places in the program ask for, and the first contents of memory, in the order of the run.
struct Guide {
    sites: VecDeque<(InputId, u64)>,
    memory: FxHashMap<u64, VecDeque<u64>>,
    /// Blocks in the system, with their sizes, and where the machine has them.
    blocks: Vec<(u64, u64, u64)>,
    machine: Addresses,
}

impl Guide {
    fn new(program: &CfaProgram) -> Self {
        let (sites, memory) = (VecDeque::new(), FxHashMap::default());
        Guide { sites, memory, blocks: Vec::new(), machine: Addresses::new(program) }
    }

    fn follow(&mut self, setting: &Setting<'_>, step: &Step, before: &Valuation) {
        let (program, model) = (setting.program, setting.model);
        let (op, here) = match model.origins[step.rule.index()] {
            Origin::Edge(procedure, edge) => {
                (&program.procedure(procedure).edges[edge.index()].op, (procedure, edge.index()))
            }
            Origin::Start => {
                for region in program.regions.iter().filter(|r| !r.starts_zero) {
                    self.cells(setting, region.symbol, &step.after, |_| true);
                }
                return;
            }
            _ => return,
        };
        match op {
            Op::Input(symbol, site) => {
                let bits = model.layout.scalars.get(symbol).map_or(0, |s| value(s, &step.after));
                self.sites.push_back((*site, bits));
            }
            Op::Enter(object) => {
                let object = &program.objects[object.index()];
                let inside = |address: u64| (object.address..object.address + object.size).contains(&address);
                for &region in &object.regions {
                    self.cells(setting, region, &step.after, inside);
                }
            }
            Op::Assume(_) => {
                if let Some(&(address, size)) = setting.widths.taken.get(&here) {
                    let size = size_of(setting, size, before);
                    self.blocks.extend(self.machine.make(size).map(|in_machine| (address, size, in_machine)));
                }
            }
            _ => {}
        }
    }

    /// The contents of cells of a region.
    fn cells(&mut self, setting: &Setting<'_>, region: Symbol, values: &Valuation, inside: impl Fn(u64) -> bool) {
        for cell in setting.model.layout.regions.get(&region).into_iter().flatten().filter(|c| inside(c.address)) {
            let address = self.in_machine(cell.address);
            let mut contents = value(&cell.storage, values);
            // What was never written may be an address by chance.
            if cell.storage.width == setting.program.pointer_bits {
                contents = self.in_machine(contents);
            }
            self.memory.entry(address).or_default().push_back(contents);
        }
    }

    /// Where the machine has what is at an address of the system.
    fn in_machine(&self, address: u64) -> u64 {
        let inside = |&(block, size, _): &(u64, u64, u64)| (block..block + size.max(1)).contains(&address);
        let block = self.blocks.iter().rev().copied().find(inside);
        block.map_or(address, |(block, _, machine)| machine + (address - block))
    }
}

fn size_of(setting: &Setting<'_>, size: Term, values: &Valuation) -> u64 {
    let terms = &setting.program.terms;
    let mut assignment = Assignment::default();
    for symbol in terms.symbols(size) {
        if let (Some(storage), Sort::BitVec(width)) =
            (setting.model.layout.scalars.get(&symbol), terms.symbol_sort(symbol))
        {
            let bits = value(storage, values) & (u64::MAX >> (64 - (*width).clamp(1, 64)));
            assignment.insert(symbol, Value::BitVec { width: *width, bits: bits.into() });
        }
    }
    evaluate(terms, &assignment, size).and_then(|v| value_bits(&v)).unwrap_or(0)
}

/// The value that is stored.
pub(super) fn value(storage: &Storage, values: &Valuation) -> u64 {
    let mut bits = storage.ones;
    for (&bit, &position) in storage.bits.iter().zip(&storage.positions).filter(|(_, p)| **p < 64) {
        bits |= u64::from(values.get(bit, Version::Current)) << position;
    }
    let held = storage.needed();
    if storage.fill == Fill::Sign && (1..64).contains(&held) && bits >> (held - 1) & 1 == 1 {
        bits |= u64::MAX << held;
    }
    bits
}
