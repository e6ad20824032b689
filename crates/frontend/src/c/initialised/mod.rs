//! Checks of values that were never written, as part of the program.
//!
//! Every variable, and every cell of memory, that may hold such a value has a companion of the same width: a bit of it is 1 if that bit of the value was
//! set. What is computed from bits that were not set is not set; bits that are moved, masked or put together are followed one by one, since that is what
//! bit-fields and unions do. A value that was not set may be copied, passed and computed with. It is an error where it decides a branch, where it is an address,
//! and where it leaves the program.

mod places;
mod shadow;

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, CfaProgram, Check, Edge, Failure, Global, ObjectId, Op, Procedure, ProcedureId, Target};
use clinch_terms::{BinOp, LocId, Sort, Symbol, Term};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::ghost::{chain, fresh, guard, hidden, is_in_loop, table};
use super::instances::Calls;
use super::lower::POINTERS_FROM_OUTSIDE;

use places::{called_once, decisive, is_from_outside, never_written, open_places};

/// Bytes of an object that is forgotten when it lives again.
const FORGOTTEN: u64 = 512;

/// Cells that one edge changes.
const AT_ONCE: usize = 64;

/// Adds the checks.
pub(super) fn check_initialised(program: &mut CfaProgram, calls: &Calls) {
    let open = open_places(program);
    let mut pass = Initialised::new(program, &open, calls);
    for index in 0..pass.program.procedures.len() {
        pass.procedure(ProcedureId::from_index(index));
    }
}

/// The pass.
struct Initialised<'p> {
    program: &'p mut CfaProgram,
    /// Which calls of the program models are there for.
    calls: &'p Calls,
    /// Companions of variables and regions.
    companions: FxHashMap<Symbol, Symbol>,
    /// Procedures that are called once in every run, and not in a loop.
    once: FxHashSet<ProcedureId>,
    /// Whether there is memory that others have written, nobody knows where.
    foreign: bool,
    /// What is known of terms: which bits are set, and whether all are.
    bits: FxHashMap<Term, Term>,
    whole: FxHashMap<Term, Term>,
}

impl<'p> Initialised<'p> {
    fn new(program: &'p mut CfaProgram, open: &[Symbol], calls: &'p Calls) -> Self {
        let mut companions = FxHashMap::default();
        for &symbol in open {
            let name = format!("{}.set", program.terms.symbol_name(symbol));
            let cell = program.region(symbol).map(|region| region.cell_bytes);
            let companion = match cell {
                Some(bytes) => table(program, name, 8 * bytes),
                None => {
                    let sort = program.terms.symbol_sort(symbol).clone();
                    hidden(program, name, sort)
                }
            };
            companions.insert(symbol, companion);
        }
        let once = called_once(program);
        let (bits, whole) = (FxHashMap::default(), FxHashMap::default());
        let foreign = program.assumptions.iter().any(|text| text == POINTERS_FROM_OUTSIDE);
        let mut pass = Initialised { program, calls, companions, once, foreign, bits, whole };
        pass.declare_companions();
        pass
    }

    fn declare_companions(&mut self) {
        let globals = self.program.globals.clone();
        for Global { symbol, .. } in globals {
            if let Some(&companion) = self.companions.get(&symbol) {
                let init = self.all_set(companion);
                self.program.globals.push(Global { symbol: companion, init });
            }
        }
        for procedure in &mut self.program.procedures {
            let own = |symbols: &[Symbol]| -> Vec<Symbol> {
                symbols.iter().filter_map(|symbol| self.companions.get(symbol).copied()).collect()
            };
            let locals: Vec<Symbol> =
                procedure.locals.iter().copied().filter(|&local| Some(local) != procedure.result).collect();
            let (params, locals) = (own(&procedure.params), own(&locals));
            procedure.params.extend(params);
            procedure.locals.extend(locals);
        }
        self.declare_results();
    }

    /// What a procedure returns comes with its companion in a variable that all know.
    fn declare_results(&mut self) {
        let results: Vec<Symbol> = self.program.procedures.iter().filter_map(|p| p.result).collect();
        for result in results {
            if let Some(&companion) = self.companions.get(&result)
                && self.program.globals.iter().all(|global| global.symbol != companion)
            {
                let init = self.all_set(companion);
                self.program.globals.push(Global { symbol: companion, init });
            }
        }
    }

    /// The value of a companion where all is set.
    fn all_set(&mut self, companion: Symbol) -> Term {
        match *self.program.terms.symbol_sort(companion) {
            Sort::BitVec(width) => self.ones(width),
            _ => self.program.terms.tt(),
        }
    }

    fn none_set(&mut self, companion: Symbol) -> Term {
        let sort = self.program.terms.symbol_sort(companion).clone();
        self.program.terms.zero(&sort)
    }

    /// Rewrites the edges of a procedure.
    fn procedure(&mut self, id: ProcedureId) {
        let mut procedure = std::mem::replace(&mut self.program.procedures[id.index()], Procedure::new(""));
        let forgotten = self.forgotten(id, &procedure);
        let leaving = procedure.successors();
        let edges = std::mem::take(&mut procedure.edges);
        let is_check = |at: LocId| {
            let mut ops = leaving[at.index()].iter().map(|edge| &edges[edge.index()].op);
            ops.any(|op| matches!(op, Op::Error(failure) if failure.check != Check::Assertion))
        };
        for (location, leaving) in leaving.iter().enumerate() {
            let leaving: Vec<&Edge> = leaving.iter().map(|edge| &edges[edge.index()]).collect();
            let mut at = LocId::from_index(location);
            // What the program sets up for itself is as it should be, and other checks may ask what they like.
            if id != self.program.entry && !leaving.iter().any(|edge| is_check(edge.to)) {
                at = self.guards(&mut procedure, id, at, &leaving);
            }
            for edge in leaving {
                self.edge(&mut procedure, id, at, edge, &forgotten);
            }
        }
        self.program.procedures[id.index()] = procedure;
    }

    /// Checks what the edges out of a location decide by; where they start then.
    fn guards(&mut self, procedure: &mut Procedure, id: ProcedureId, mut at: LocId, leaving: &[&Edge]) -> LocId {
        let mut conditions: IndexMap<Term, &Edge, FxBuildHasher> = IndexMap::default();
        for edge in leaving {
            let status = match edge.op {
                Op::Return(status) if procedure.name == "main" => status,
                _ => None,
            };
            for term in decisive(self.program, &edge.op).into_iter().chain(status) {
                conditions.entry(self.is_whole(term)).or_insert(edge);
            }
        }
        for (condition, edge) in conditions {
            // What goes wrong in a model is the mistake of the call.
            let span = self.calls.get(&id).copied().unwrap_or(edge.span);
            let text = format!("value that was never set: {}", self.program.source.excerpt(span));
            let otherwise = match self.foreign {
                true => Op::Unsupported(format!(
                    "whether somebody outside set a value: {}",
                    self.program.source.excerpt(span)
                )),
                false => Op::Error(Failure { check: Check::Uninitialised, text }),
            };
            at = guard(&mut self.program.terms, procedure, at, condition, otherwise, span);
        }
        at
    }

    /// An edge with what it does to companions.
    fn edge(
        &mut self,
        procedure: &mut Procedure,
        id: ProcedureId,
        from: LocId,
        edge: &Edge,
        forgotten: &FxHashMap<ObjectId, Vec<Vec<Assign>>>,
    ) {
        let mut edge = Edge { from, ..edge.clone() };
        let mut after = Vec::new();
        let nothing = never_written(self.program, &edge.op);
        match &mut edge.op {
            Op::Assign(assigns) => {
                let companions: Vec<Assign> =
                    assigns.iter().filter_map(|assign| self.companion_assign(assign)).collect();
                // What is written into literals at the start is known by its form.
                match id == self.program.entry {
                    true => edge.from = chain(procedure, edge.from, vec![companions]),
                    false => assigns.extend(companions),
                }
            }
            Op::Input(symbol, _) | Op::BlockSize(symbol, _) => after.extend(self.taken(*symbol, nothing.is_none())),
            Op::Alloc { target, size, .. } => {
                after.extend(self.taken(*target, true));
                if is_from_outside(&procedure.name) {
                    edge.to = self.fill(procedure, edge.to, *target, *size);
                }
            }
            Op::Call { callee, args, result } => {
                let params = if *callee == id { &procedure.params } else { &self.program.procedure(*callee).params };
                let open: Vec<bool> = params.iter().map(|param| self.companions.contains_key(param)).collect();
                let own = args.clone().into_iter().zip(open);
                args.extend(own.filter(|(_, is_open)| *is_open).map(|(arg, _)| self.shadow_bits(arg)));
                let returned = if *callee == id { procedure.result } else { self.program.procedure(*callee).result };
                after.extend(result.zip(returned).and_then(|(result, returned)| self.received(result, returned)));
            }
            Op::Return(Some(value)) => {
                let before = procedure.result.and_then(|result| self.returned(*value, result));
                edge.from = chain(procedure, edge.from, vec![before.into_iter().collect()]);
            }
            Op::Enter(object) => match forgotten.get(object) {
                Some(cells) => edge.from = chain(procedure, edge.from, cells.clone()),
                None => edge.op = Op::Unsupported("a large local object that lives again".to_owned()),
            },
            _ => {}
        }
        if !after.is_empty() {
            let (middle, to, span) = (fresh(procedure, edge.to), edge.to, edge.span);
            edge.to = middle;
            procedure.edges.push(Edge { from: middle, to, op: Op::Assign(after), span });
        }
        procedure.edges.push(edge);
    }

    fn companion_assign(&mut self, assign: &Assign) -> Option<Assign> {
        let (Target::Var(symbol) | Target::Cell(symbol, _)) = assign.target;
        let companion = *self.companions.get(&symbol)?;
        let target = match assign.target {
            Target::Var(_) => Target::Var(companion),
            Target::Cell(_, address) => Target::Cell(companion, address),
        };
        Some(Assign { target, value: self.shadow_bits(assign.value) })
    }

    /// A variable that gets a value from elsewhere, or none.
    fn taken(&mut self, symbol: Symbol, is_set: bool) -> Option<Assign> {
        let companion = *self.companions.get(&symbol)?;
        let value = if is_set { self.all_set(companion) } else { self.none_set(companion) };
        Some(Assign { target: Target::Var(companion), value })
    }

    /// All of a block is set, byte by byte; where that starts.
    fn fill(&mut self, procedure: &mut Procedure, to: LocId, block: Symbol, size: Term) -> LocId {
        let bits = self.program.pointer_bits;
        let counter =
            hidden(self.program, format!("{}.filled", self.program.terms.symbol_name(block)), Sort::BitVec(bits));
        procedure.locals.push(counter);
        let (zero, one) = (self.program.terms.bit_vec(bits, 0), self.program.terms.bit_vec(bits, 1));
        let terms = &mut self.program.terms;
        let (i, start) = (terms.symbol(counter), terms.symbol(block));
        let (next, address) = (terms.bv(BinOp::BvAdd, i, one), terms.bv(BinOp::BvAdd, start, i));
        let more = terms.binary(BinOp::BvUlt, i, size);
        let done = terms.not(more);
        let mut step = vec![Assign { target: Target::Var(counter), value: next }];
        step.extend(self.set_everywhere(address));
        let (first, head, inside) = (fresh(procedure, to), fresh(procedure, to), fresh(procedure, to));
        let reset = Op::Assign(vec![Assign { target: Target::Var(counter), value: zero }]);
        let edges = [
            (first, head, reset),
            (head, inside, Op::Assume(more)),
            (inside, head, Op::Assign(step)),
            (head, to, Op::Assume(done)),
        ];
        procedure.edges.extend(edges.map(|(from, to, op)| Edge { from, to, op, span: Span::default() }));
        first
    }

    /// Whatever starts at an address is set.
    fn set_everywhere(&mut self, address: Term) -> Vec<Assign> {
        let mut tables: Vec<Symbol> =
            self.companions.values().copied().filter(|&t| self.program.region(t).is_some()).collect();
        tables.sort_unstable();
        let cell = |this: &mut Self, table: Symbol| {
            let bits = this.program.region(table).map_or(8, |region| 8 * region.cell_bytes);
            Assign { target: Target::Cell(table, address), value: this.ones(bits) }
        };
        tables.into_iter().map(|table| cell(self, table)).collect()
    }

    fn received(&mut self, result: Symbol, returned: Symbol) -> Option<Assign> {
        let companion = *self.companions.get(&result)?;
        let value = match self.companions.get(&returned) {
            Some(&returned) => self.program.terms.symbol(returned),
            None => self.all_set(companion),
        };
        Some(Assign { target: Target::Var(companion), value })
    }

    fn returned(&mut self, value: Term, result: Symbol) -> Option<Assign> {
        let companion = *self.companions.get(&result)?;
        Some(Assign { target: Target::Var(companion), value: self.shadow_bits(value) })
    }

    /// What is to be forgotten of the objects of a procedure when they begin to live: all that was set in an earlier life. There is nothing for those that
    /// live once, and no entry for those that are too large.
    fn forgotten(&mut self, id: ProcedureId, procedure: &Procedure) -> FxHashMap<ObjectId, Vec<Vec<Assign>>> {
        let mut all = FxHashMap::default();
        for edge in &procedure.edges {
            let Op::Enter(object) = edge.op else { continue };
            let lives_once = self.once.contains(&id) && !is_in_loop(procedure, edge);
            let cells = if lives_once { Some(Vec::new()) } else { self.cells_of(object) };
            all.extend(cells.map(|cells| (object, cells)));
        }
        all
    }

    fn cells_of(&mut self, object: ObjectId) -> Option<Vec<Vec<Assign>>> {
        let object = &self.program.objects[object.index()];
        let (start, size, regions) = (object.address, object.size, object.regions.clone());
        if size > FORGOTTEN {
            return None;
        }
        let mut cells = Vec::new();
        for companion in regions.iter().filter_map(|region| self.companions.get(region).copied()) {
            let Sort::Array(of) = self.program.terms.symbol_sort(companion).clone() else { continue };
            let value = self.program.terms.zero(&of.1);
            for offset in 0..size {
                let address = self.program.terms.bit_vec(self.program.pointer_bits, start + offset);
                cells.push(Assign { target: Target::Cell(companion, address), value });
            }
        }
        Some(cells.chunks(AT_ONCE).map(<[Assign]>::to_vec).collect())
    }
}
