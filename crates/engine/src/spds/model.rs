//! A program as a symbolic pushdown system.
//!
//! Control points are the locations of procedures, one more for each call (where it comes back, before the result is taken over), one
//! for each edge that is an error or has no verdict, and the start. Local variables that are dead at a point are forgotten there.

use clinch_bdd::words::select;
use clinch_bdd::{Bdd, Bdds};
use clinch_ir::cfa::{Assign, CfaProgram, EdgeId, Liveness, Op, Procedure, ProcedureId, Target};
use clinch_terms::{LocId, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Obstacle;
use super::choices::choices;
use super::footprint::frames;
use super::layout::{Layout, Storage, lay_out};
use super::order::{procedures_in_order, reverse_post_order};
use super::question::Question;
use super::system::{Bit, FrameId, Kind, PointId, Rule, Spds, VERSIONS, Version};
use super::translate::{OPEN, Translator};
use super::widths::Widths;

type Result<T> = std::result::Result<T, Obstacle>;

/// Where a rule comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The first values of globals.
    Start,
    /// An edge; for a call the push.
    Edge(ProcedureId, EdgeId),
    /// A call that comes back.
    Return,
    /// The exit of a procedure.
    Exit,
}

/// A program as a symbolic pushdown system.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) spds: Spds,
    pub(super) layout: Layout,
    /// For each rule.
    pub(super) origins: Vec<Origin>,
    pub(super) questions: Vec<Question>,
    /// The procedure of each frame.
    pub(super) procedures: Vec<ProcedureId>,
    /// The control point of each location, by frame.
    pub(super) locations: Vec<FxHashMap<LocId, PointId>>,
    /// Whether the procedure of a frame, with all it calls, takes no input.
    pub(super) silent: Vec<bool>,
}

/// Reads a program.
pub(super) fn read(bdds: &mut Bdds, program: &CfaProgram, widths: &Widths) -> Result<Model> {
    let procedures = procedures_in_order(program);
    let layout = lay_out(program, &procedures, widths)?;
    bdds.make_variables(VERSIONS * layout.bits + OPEN);
    let mut builder = Builder {
        program,
        layout: &layout,
        frame_of: procedures.iter().enumerate().map(|(i, &p)| (p, FrameId(i as u32))).collect(),
        translator: Translator::new(bdds, &program.terms, &layout),
        points: Vec::new(),
        priorities: Vec::new(),
        rules: Vec::new(),
        origins: Vec::new(),
        questions: Vec::new(),
        locations: Vec::new(),
        globals: global_bits(program, &layout),
    };
    builder.place_points(&procedures);
    for &procedure in &procedures {
        builder.procedure(procedure)?;
    }
    let start = builder.start()?;
    let Builder { points, priorities, rules, origins, questions, locations, globals, .. } = builder;
    let entries = procedures.iter().zip(&locations).map(|(&p, points)| points[&program.procedure(p).entry]).collect();
    let parameters = procedures.iter().map(|&p| parameter_bits(program, &layout, p)).collect();
    let results = procedures.iter().map(|p| layout.results.get(p).map_or(Vec::new(), |s| s.bits.clone())).collect();
    let targets = questions.iter().map(|q| q.point).collect();
    let chosen = |(&id, points): (&ProcedureId, &FxHashMap<LocId, PointId>)| {
        let choices = choices(program, program.procedure(id)).into_iter();
        choices.filter_map(|choice| points.get(&choice.location).copied()).collect::<Vec<_>>()
    };
    let chained = procedures.iter().zip(&locations).flat_map(chosen).collect();
    let mut spds = Spds { frames: Vec::new(), points, rules, start, targets, priorities, chained };
    let first = procedures.iter().position(|&p| p == program.entry).expect("the entry is in the order");
    let called = spds.rules.iter().any(|r| matches!(r.kind, Kind::Push(f, _) if f.index() == first));
    let entry = (!called).then_some(first);
    spds.frames = frames(&spds, &globals, entries, parameters, results, entry);
    keep_unchanged(&mut spds);
    let silent = silent(program, &procedures);
    Ok(Model { spds, layout, origins, questions, procedures, locations, silent })
}

/// Which procedures take no input, nor do those they call.
fn silent(program: &CfaProgram, procedures: &[ProcedureId]) -> Vec<bool> {
    let speaks = |op: &Op| matches!(op, Op::Input(..) | Op::Enter(_) | Op::Alloc { .. });
    let mut silent: FxHashMap<ProcedureId, bool> =
        procedures.iter().map(|&p| (p, !program.procedure(p).edges.iter().any(|e| speaks(&e.op)))).collect();
    loop {
        let calls_speaker = |p: &ProcedureId| {
            let mut edges = program.procedure(*p).edges.iter();
            silent[p] && edges.any(|e| matches!(&e.op, Op::Call { callee, .. } if !silent[callee]))
        };
        let Some(&next) = procedures.iter().find(|p| calls_speaker(p)) else { break };
        silent.insert(next, false);
    }
    procedures.iter().map(|p| silent[p]).collect()
}

/// A parameter that is never changed stands for its value at the entry: it is not forgotten.
fn keep_unchanged(spds: &mut Spds) {
    let Spds { frames, points, rules, .. } = spds;
    for rule in rules {
        let frame = &frames[points[rule.from.index()].index()];
        rule.forgotten.retain(|b| frame.changed.contains(b) || !frame.parameters.contains(b));
    }
}

/// The bits of global scalars and cells.
fn global_bits(program: &CfaProgram, layout: &Layout) -> FxHashSet<Bit> {
    let scalars = program.globals.iter().filter_map(|g| layout.scalars.get(&g.symbol));
    let regions = program.regions.iter().filter_map(|r| layout.regions.get(&r.symbol));
    scalars.chain(regions.flatten().map(|c| &c.storage)).flat_map(|s| s.bits.iter().copied()).collect()
}

/// The bits of parameters that matter.
fn parameter_bits(program: &CfaProgram, layout: &Layout, id: ProcedureId) -> Vec<Bit> {
    let procedure = program.procedure(id);
    let liveness = live(program, procedure);
    let params = procedure.params.iter().enumerate().filter(|(i, _)| liveness.is_live(procedure.entry, *i));
    params.flat_map(|(_, s)| layout.scalars[s].bits.iter().copied()).collect()
}

fn live(program: &CfaProgram, procedure: &Procedure) -> Liveness {
    // Nothing fails in this reading.
    let partial = vec![false; program.terms.len()];
    let globals = &program.globals;
    debug_assert!(globals.iter().all(|g| !procedure.locals.contains(&g.symbol)));
    Liveness::new(&program.terms, procedure, &partial, &FxHashSet::default())
}

struct Builder<'a> {
    program: &'a CfaProgram,
    layout: &'a Layout,
    frame_of: FxHashMap<ProcedureId, FrameId>,
    translator: Translator<'a>,
    points: Vec<FrameId>,
    priorities: Vec<u32>,
    rules: Vec<Rule>,
    origins: Vec<Origin>,
    questions: Vec<Question>,
    locations: Vec<FxHashMap<LocId, PointId>>,
    globals: FxHashSet<Bit>,
}

/// The locals of a procedure and where they are live.
struct Locals {
    liveness: Liveness,
    symbols: Vec<Symbol>,
}

impl Locals {
    fn is_live(&self, symbol: Symbol, at: LocId) -> bool {
        self.symbols.iter().position(|&s| s == symbol).is_none_or(|i| self.liveness.is_live(at, i))
    }
}

/// What a rule under construction writes.
struct Writing {
    relation: Bdd,
    written: Vec<Bit>,
}

impl<'a> Builder<'a> {
    fn point(&mut self, frame: FrameId, priority: u32) -> PointId {
        self.points.push(frame);
        self.priorities.push(priority);
        PointId(self.points.len() as u32 - 1)
    }

    /// Points for all locations that control can reach.
    fn place_points(&mut self, procedures: &[ProcedureId]) {
        let mut priority = 0;
        for (i, &procedure) in procedures.iter().enumerate() {
            let frame = FrameId(i as u32);
            let mut points = FxHashMap::default();
            for location in reverse_post_order(self.program.procedure(procedure)) {
                points.insert(location, self.point(frame, priority));
                priority += 2;
            }
            self.locations.push(points);
        }
    }

    fn rule(&mut self, origin: Origin, from: PointId, kind: Kind, writing: Writing, forgotten: Vec<Bit>) -> Result<()> {
        let Writing { relation, mut written } = writing;
        let open = self.translator.take_open();
        let relation =
            if open.is_empty() { relation } else { relation.exists_in(&self.translator.bdds.variables(&open)?)? };
        written.sort_unstable();
        if !relation.is_false() {
            self.rules.push(Rule { from, kind, relation, written, forgotten });
            self.origins.push(origin);
        }
        Ok(())
    }

    fn nothing(&self) -> Writing {
        Writing { relation: self.translator.bdds.tt(), written: Vec::new() }
    }

    /// The first values of globals.
    fn start(&mut self) -> Result<PointId> {
        let program = self.program;
        let frame = self.frame_of[&program.entry];
        let start = self.point(frame, 0);
        let mut writing = self.nothing();
        for global in &program.globals {
            self.write(&mut writing, global.symbol, global.init)?;
        }
        for region in &program.regions {
            for cell in self.layout.regions.get(&region.symbol).map_or(&[][..], Vec::as_slice) {
                writing.written.extend(&cell.storage.bits);
                if region.starts_zero {
                    let zeros = self.translator.bdds.word(cell.storage.width, 0);
                    self.assign(&mut writing, &cell.storage, &zeros, Version::Next)?;
                }
            }
        }
        let entry = self.locations[frame.index()][&program.procedure(program.entry).entry];
        self.rule(Origin::Start, start, Kind::Step(entry), writing, Vec::new())?;
        Ok(start)
    }

    /// The variable gets the value, if it has a place.
    fn write(&mut self, writing: &mut Writing, symbol: Symbol, value: Term) -> Result<()> {
        let layout = self.layout;
        let Some(storage) = layout.scalars.get(&symbol) else { return Ok(()) };
        let value = self.translator.low(value, storage.needed())?;
        writing.written.extend(&storage.bits);
        self.assign(writing, storage, &value, Version::Next)
    }

    /// The place holds the value, of which at least the bits that are needed are given.
    fn assign(&self, writing: &mut Writing, storage: &Storage, value: &[Bdd], version: Version) -> Result<()> {
        let variables = storage.bits.iter().map(|b| self.translator.bdds.variable(b.at(version)));
        let variables = variables.collect::<std::result::Result<Vec<_>, _>>()?;
        writing.relation = writing.relation.and(&self.translator.bdds.eq(&variables, &storage.held(value))?)?;
        Ok(())
    }

    fn procedure(&mut self, id: ProcedureId) -> Result<()> {
        let procedure = self.program.procedure(id);
        let symbols = procedure.params.iter().chain(&procedure.locals).copied().collect();
        let locals = Locals { liveness: live(self.program, procedure), symbols };
        let points = self.locations[self.frame_of[&id].index()].clone();
        for (i, edge) in procedure.edges.iter().enumerate() {
            if let Some(&from) = points.get(&edge.from) {
                self.edge(id, EdgeId::from_index(i), from, &points, &locals)?;
            }
        }
        if let Some(&exit) = points.get(&procedure.exit) {
            let mut writing = self.nothing();
            let layout = self.layout;
            if let (Some(register), Some(result)) = (layout.results.get(&id), procedure.result) {
                let value = self.translator.stored(&layout.scalars[&result], Version::Current)?;
                writing.written.extend(&register.bits);
                self.assign(&mut writing, register, &value, Version::Next)?;
            }
            self.rule(Origin::Exit, exit, Kind::Pop, writing, Vec::new())?;
        }
        Ok(())
    }

    fn edge(
        &mut self,
        id: ProcedureId,
        edge_id: EdgeId,
        from: PointId,
        points: &FxHashMap<LocId, PointId>,
        locals: &Locals,
    ) -> Result<()> {
        let procedure = self.program.procedure(id);
        let edge = &procedure.edges[edge_id.index()];
        let origin = Origin::Edge(id, edge_id);
        let mut writing = self.nothing();
        match &edge.op {
            Op::Error(_) | Op::Unsupported(_) | Op::Undefined(_) => {
                let point = self.point(self.points[from.index()], 0);
                let error = matches!(edge.op, Op::Error(_));
                self.questions.push(Question { point, procedure: id, edge: edge_id, error });
                let all = self.bits_of(&locals.symbols);
                return self.rule(origin, from, Kind::Step(point), writing, all);
            }
            Op::Exit(_) | Op::Abort => return Ok(()),
            Op::Call { .. } => return self.call(origin, edge, from, points, locals),
            Op::Skip | Op::Leave(_) | Op::Free(_) | Op::Print(_) | Op::SameObject(..) | Op::Return(None) => {}
            Op::Assume(condition) => writing.relation = self.translator.truth(*condition)?,
            Op::Assign(assigns) => self.assigns(&mut writing, assigns, edge.to, locals)?,
            Op::Return(Some(value)) => {
                if let Some(result) = procedure.result.filter(|&r| locals.is_live(r, edge.to)) {
                    self.write(&mut writing, result, *value)?;
                }
            }
            Op::Input(symbol, _) | Op::BlockSize(symbol, _) => {
                if locals.is_live(*symbol, edge.to) {
                    let layout = self.layout;
                    writing.written.extend(layout.scalars.get(symbol).map_or(&[][..], |s| &s.bits));
                }
            }
            Op::Enter(object) => {
                let object = &self.program.objects[object.index()];
                let inside = |address: u64| (object.address..object.address + object.size).contains(&address);
                let layout = self.layout;
                let cells = object.regions.iter().filter_map(|r| layout.regions.get(r)).flatten();
                writing.written.extend(cells.filter(|c| inside(c.address)).flat_map(|c| &c.storage.bits));
            }
            Op::Alloc { .. } => {
                let place = self.program.source.place(edge.span);
                let at = format!("at {}:{}:{}", place.file, place.line, place.column);
                return Err(Obstacle::Unsupported(format!("dynamic memory, {at}")));
            }
        }
        let to = points[&edge.to];
        let forgotten = self.dying(locals, edge.from, edge.to, &writing);
        self.rule(origin, from, Kind::Step(to), writing, forgotten)
    }

    fn bits_of(&self, symbols: &[Symbol]) -> Vec<Bit> {
        symbols.iter().filter_map(|s| self.layout.scalars.get(s)).flat_map(|s| s.bits.iter().copied()).collect()
    }

    /// The locals that matter before the edge but not behind it.
    fn dying(&self, locals: &Locals, from: LocId, to: LocId, writing: &Writing) -> Vec<Bit> {
        let dies = |s: &&Symbol| locals.is_live(**s, from) && !locals.is_live(**s, to);
        let symbols: Vec<Symbol> = locals.symbols.iter().filter(dies).copied().collect();
        let mut bits = self.bits_of(&symbols);
        bits.retain(|b| !writing.written.contains(b));
        bits
    }

    fn assigns(&mut self, writing: &mut Writing, assigns: &[Assign], to: LocId, locals: &Locals) -> Result<()> {
        let layout = self.layout;
        // The cells that are written, with their values so far.
        let mut cells: Vec<(&Storage, Vec<Bdd>)> = Vec::new();
        for assign in assigns {
            let (region, address) = match assign.target {
                Target::Var(symbol) if !locals.is_live(symbol, to) => continue,
                Target::Var(symbol) => {
                    self.write(writing, symbol, assign.value)?;
                    continue;
                }
                Target::Cell(region, address) => (region, address),
            };
            let table = layout.regions.get(&region).map_or(&[][..], Vec::as_slice);
            if table.is_empty() {
                continue;
            }
            let address = self.translator.low(address, self.program.pointer_bits)?;
            let value = self.translator.low(assign.value, table[0].storage.needed())?;
            let bdds = self.translator.bdds;
            for cell in table {
                let here = bdds.eq(&address, &bdds.word(address.len() as u32, cell.address))?;
                if here.is_false() {
                    continue;
                }
                let at = cells.iter().position(|(s, _)| *s == &cell.storage);
                let before = match at {
                    Some(i) => cells[i].1.clone(),
                    None => {
                        let mut before = self.translator.stored(&cell.storage, Version::Current)?;
                        before.truncate(cell.storage.needed() as usize);
                        before
                    }
                };
                let after = select(&here, &value, &before)?;
                match at {
                    Some(i) => cells[i].1 = after,
                    None => cells.push((&cell.storage, after)),
                }
            }
        }
        for (storage, value) in cells {
            writing.written.extend(&storage.bits);
            self.assign(writing, storage, &value, Version::Next)?;
        }
        Ok(())
    }

    /// `⟨m⟩ ↪ ⟨f₀, m>⟩` and `⟨m>⟩ ↪ ⟨m'⟩`.
    fn call(
        &mut self,
        origin: Origin,
        edge: &clinch_ir::cfa::Edge,
        from: PointId,
        points: &FxHashMap<LocId, PointId>,
        locals: &Locals,
    ) -> Result<()> {
        let Op::Call { callee, args, result } = &edge.op else { return Ok(()) };
        let program = self.program;
        let layout = self.layout;
        let called = program.procedure(*callee);
        let liveness = live(program, called);
        let mut writing = self.nothing();
        for (i, (param, &arg)) in called.params.iter().zip(args).enumerate() {
            if liveness.is_live(called.entry, i) {
                let storage = &layout.scalars[param];
                let value = self.translator.low(arg, storage.needed())?;
                self.assign(&mut writing, storage, &value, Version::Argument)?;
            }
        }
        let back = self.point(self.points[from.index()], self.priorities[from.index()] + 1);
        // The target of the result is dead while the call runs, unless it is a global.
        let target = result.filter(|&t| locals.is_live(t, edge.to) && layout.scalars.contains_key(&t));
        let mut forgotten = self.dying(locals, edge.from, edge.to, &writing);
        let global = |bit: &Bit| self.globals.contains(bit);
        if let Some(target) = target {
            let was_live = locals.is_live(target, edge.from);
            let bits = &layout.scalars[&target].bits;
            forgotten.extend(bits.iter().copied().filter(|b| was_live && !global(b)));
        }
        let frame = self.frame_of[callee];
        self.rule(origin, from, Kind::Push(frame, back), writing, forgotten)?;
        let mut writing = self.nothing();
        let mut forgotten = Vec::new();
        if let Some(register) = layout.results.get(callee) {
            forgotten.clone_from(&register.bits);
            if let Some(target) = target {
                let storage = &layout.scalars[&target];
                let value = self.translator.stored(register, Version::Current)?;
                writing.written.extend(&storage.bits);
                self.assign(&mut writing, storage, &value, Version::Next)?;
            }
        }
        let to = points[&edge.to];
        self.rule(Origin::Return, back, Kind::Step(to), writing, forgotten)
    }
}
