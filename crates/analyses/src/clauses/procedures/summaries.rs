//! Programs whose procedures call themselves as Horn clauses with summaries.
//!
//! There is one predicate for each location of a procedure, over the values there and those with which the procedure was
//! entered: at the exit that is the procedure's summary. A call is two clauses: the callee is entered, and where its summary
//! holds the caller goes on. The second one has two predicates in its body, so the clauses are not linear.
//!
//! What a procedure does not change has one value in it, and needs one parameter only.

use std::collections::BTreeSet;

use clinch_ir::Effect;
use clinch_ir::Reason;
use clinch_ir::cfa::effects::{Effects, fresh_like};
use clinch_ir::cfa::{
    CfaProgram, CfaProof, Edge, EdgeId, InputTrace, Liveness, Op, Procedure, ProcedureId, Summaries, SummaryPoint,
    partial_terms,
};
use clinch_ir::horn::{Derivation, HornSystem, Interpretation, PredId};
use clinch_machine::guided::{open_reason, run_guided, value_bits};
use clinch_terms::{LocId, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::writer::{Atom, Writer};
use super::{Encoding, View, may_overflow};

/// A program as clauses with summaries, and the way back.
#[derive(Clone, Debug)]
pub struct SummaryClauses {
    /// The clauses. Their store extends the program's.
    pub system: HornSystem,
    /// The location of each predicate.
    places: Vec<(ProcedureId, LocId)>,
    /// What the parameters of each predicate are, and how the clauses read their bits.
    variables: Vec<Vec<(Symbol, View)>>,
    /// Variables and the symbols for their values at the entry.
    entries: Vec<(Symbol, Symbol)>,
    /// What each procedure does not change, by the position of the procedure.
    kept: Vec<Vec<Symbol>>,
    /// Where each clause comes from.
    origins: Vec<Origin>,
    encoding: Encoding,
}

/// Where a clause comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// The start of the program.
    Start,
    /// An edge; the position of the input that it takes among the symbols of the clause.
    Edge(ProcedureId, EdgeId, Option<usize>),
    /// A call enters the callee.
    Enter,
    /// A call comes back. The second predicate of the body is the callee's summary.
    Return,
}

impl SummaryClauses {
    /// Reads a program as clauses. `limit` is how many locations there may be.
    pub fn new(program: &CfaProgram, encoding: Encoding, limit: usize) -> Result<Self, Reason> {
        let called = called(program);
        let locations: usize = called.iter().map(|&p| program.procedure(p).locations.len()).sum();
        if locations > limit {
            return Err(Reason::Unsupported(format!("more than {limit} control points")));
        }
        Ok(Translation::new(program, encoding, called).run())
    }

    /// A solution of the clauses as procedure summaries. `None` where they cannot be said in bits.
    pub fn proof(&self, solution: &Interpretation) -> Option<CfaProof> {
        let mut terms = solution.terms.clone();
        let entry_of: FxHashMap<Symbol, Symbol> = self.entries.iter().copied().collect();
        let mut points = Vec::new();
        for (i, &(procedure, location)) in self.places.iter().enumerate() {
            let parameters = self.system.predicates[i].params.iter().copied();
            let map = parameters.zip(self.variables[i].iter().copied()).collect();
            let mut facts = vec![self.encoding.in_bits(&mut terms, solution.formulas[i], map)?];
            for variable in &self.kept[procedure.index()] {
                let (now, entry) = (terms.symbol(*variable), terms.symbol(entry_of[variable]));
                facts.push(terms.eq(now, entry));
            }
            points.push(SummaryPoint { procedure, location, formula: terms.all(facts) });
        }
        let entries = self.entries.clone();
        let order = Vec::new();
        Some(CfaProof::Summaries(Summaries { terms, entries, points, order, int_bits: None, heap_bits: None }))
    }

    /// A refutation of the clauses as a run of the program; if the run ends otherwise, why there is none.
    pub fn trace(&self, program: &CfaProgram, derivation: &Derivation) -> Result<InputTrace, Reason> {
        let last = derivation.steps.last().and_then(|step| self.origins.get(step.clause.index()));
        let Some(Origin::Edge(procedure, edge, _)) = last else { return Err(may_overflow()) };
        if !matches!(program.procedure(*procedure).edges[edge.index()].op, Op::Error(_)) {
            return Err(open_reason(program, *procedure, *edge));
        }
        let mut inputs = self.inputs(derivation);
        run_guided(program, |_, request, _| {
            let next = inputs.last().filter(|i| i.0 == request.at.procedure && Some(i.1) == request.at.edge);
            let value = next.map_or(0, |input| input.2);
            if next.is_some() {
                inputs.pop();
            }
            value
        })
    }

    /// The inputs of the run that a derivation describes, the last one first.
    fn inputs(&self, derivation: &Derivation) -> Vec<(ProcedureId, EdgeId, u64)> {
        let mut inputs = Vec::new();
        // The steps that come before those seen, the latest on top; whether only those inside of a call count.
        let mut before = vec![(derivation.steps.len().wrapping_sub(1), false)];
        while let Some((at, inside)) = before.pop() {
            let Some(step) = derivation.steps.get(at) else { continue };
            match self.origins[step.clause.index()] {
                Origin::Enter if inside => continue,
                Origin::Edge(procedure, edge, Some(position)) => {
                    let value = step.values.get(position).and_then(value_bits);
                    inputs.push((procedure, edge, value.unwrap_or(0)));
                }
                _ => {}
            }
            before.extend(step.premises.first().map(|&caller| (caller, inside)));
            before.extend(step.premises.get(1).map(|&summary| (summary, true)));
        }
        inputs
    }
}

/// The procedures that runs may call, the first one first.
fn called(program: &CfaProgram) -> Vec<ProcedureId> {
    let mut found = vec![program.entry];
    let mut next = 0;
    while let Some(&procedure) = found.get(next) {
        next += 1;
        for edge in &program.procedure(procedure).edges {
            if let Op::Call { callee, .. } = edge.op
                && !found.contains(&callee)
            {
                found.push(callee);
            }
        }
    }
    found
}

/// What a procedure does to variables, its callees included.
#[derive(Clone, Debug, Default)]
struct Footprint {
    /// Global variables, regions and the counter of addresses, as far as they are read or written.
    used: BTreeSet<Symbol>,
    /// Those and parameters, as far as they are written.
    changed: BTreeSet<Symbol>,
}

struct Translation<'p> {
    program: &'p CfaProgram,
    encoding: Encoding,
    writer: Writer,
    called: Vec<ProcedureId>,
    /// What is alive as long as the program: global variables, regions, the counter of addresses.
    globals: Vec<Symbol>,
    initial: FxHashMap<Symbol, Term>,
    /// What each edge of each procedure does.
    effects: Vec<Vec<Effect>>,
    footprints: Vec<Footprint>,
    entries: Vec<(Symbol, Symbol)>,
    entry_of: FxHashMap<Symbol, Symbol>,
    places: Vec<(ProcedureId, LocId)>,
    predicates: FxHashMap<(ProcedureId, LocId), PredId>,
    variables: Vec<Vec<Symbol>>,
    origins: Vec<Origin>,
}

type Values = FxHashMap<Symbol, Term>;

impl<'p> Translation<'p> {
    fn new(program: &'p CfaProgram, encoding: Encoding, called: Vec<ProcedureId>) -> Self {
        let mut terms = program.terms.clone();
        let reading = Effects::new(program, &mut terms);
        let mut globals: Vec<Symbol> = program.globals.iter().map(|g| g.symbol).collect();
        globals.extend(program.regions.iter().map(|r| r.symbol));
        globals.push(reading.next_address);
        let initial = reading.initial_values(&mut terms).into_iter().collect();
        let mut effects = vec![Vec::new(); program.procedures.len()];
        for &id in &called {
            let procedure = program.procedure(id);
            effects[id.index()] =
                procedure.edges.iter().map(|edge| effect(&reading, &mut terms, procedure, edge)).collect();
        }
        let mut translation = Translation {
            program,
            encoding,
            writer: Writer::new(program, terms, encoding),
            called,
            globals,
            initial,
            effects,
            footprints: vec![Footprint::default(); program.procedures.len()],
            entries: Vec::new(),
            entry_of: FxHashMap::default(),
            places: Vec::new(),
            predicates: FxHashMap::default(),
            variables: Vec::new(),
            origins: Vec::new(),
        };
        translation.take_footprints();
        translation.declare_entries();
        translation
    }

    fn run(mut self) -> SummaryClauses {
        let partial = partial_terms(&self.program.terms);
        for id in self.called.clone() {
            self.declare_predicates(id, &partial);
        }
        self.start();
        for id in self.called.clone() {
            for edge in 0..self.program.procedure(id).edges.len() {
                self.edge(id, EdgeId::from_index(edge));
            }
        }
        let with_view = |s: &Symbol| (*s, self.writer.view(*s));
        let variables = self.variables.iter().map(|own| own.iter().map(with_view).collect()).collect();
        let kept = (0..self.program.procedures.len()).map(|p| self.kept(ProcedureId::from_index(p))).collect();
        SummaryClauses {
            system: self.writer.finish(),
            places: self.places,
            variables,
            entries: self.entries,
            kept,
            origins: self.origins,
            encoding: self.encoding,
        }
    }

    /// What the procedures use and change; a caller does what its callees do.
    fn take_footprints(&mut self) {
        let global: FxHashSet<Symbol> = self.globals.iter().copied().collect();
        for &id in &self.called {
            let footprint = &mut self.footprints[id.index()];
            for (edge, effect) in self.program.procedure(id).edges.iter().zip(&self.effects[id.index()]) {
                let terms = &self.writer.system.terms;
                let read = [effect.guard].into_iter().chain(effect.updates.iter().map(|u| u.1)).chain(edge.op.terms());
                footprint.used.extend(read.flat_map(|t| terms.symbols(t)));
                footprint.changed.extend(effect.updates.iter().map(|u| u.0));
                if let Op::Call { result: Some(target), .. } = edge.op {
                    footprint.changed.insert(target);
                }
            }
            footprint.used.extend(footprint.changed.iter().copied());
            footprint.used.retain(|s| global.contains(s));
        }
        let mut grows = true;
        while grows {
            grows = false;
            for &caller in &self.called {
                for edge in &self.program.procedure(caller).edges {
                    let Op::Call { callee, .. } = edge.op else { continue };
                    let inside = self.footprints[callee.index()].clone();
                    let own = &mut self.footprints[caller.index()];
                    let before = own.used.len() + own.changed.len();
                    own.used.extend(inside.used);
                    own.changed.extend(inside.changed.into_iter().filter(|s| global.contains(s)));
                    grows |= own.used.len() + own.changed.len() > before;
                }
            }
        }
    }

    fn declare_entries(&mut self) {
        let parameters = self.called.iter().flat_map(|&p| self.program.procedure(p).params.iter().copied());
        for variable in self.globals.clone().into_iter().chain(parameters) {
            let terms = &mut self.writer.system.terms;
            let name = format!("{}@entry", terms.symbol_name(variable));
            let entry = terms.declare(name, terms.symbol_sort(variable).clone());
            self.writer.inherit_view(entry, variable);
            self.entries.push((variable, entry));
            self.entry_of.insert(variable, entry);
        }
    }

    /// What a procedure does not change.
    fn kept(&self, procedure: ProcedureId) -> Vec<Symbol> {
        let changed = &self.footprints[procedure.index()].changed;
        let parameters = &self.program.procedure(procedure).params;
        self.globals.iter().chain(parameters).copied().filter(|s| !changed.contains(s)).collect()
    }

    fn declare_predicates(&mut self, id: ProcedureId, partial: &[bool]) {
        let procedure = self.program.procedure(id);
        let liveness = Liveness::new(&self.program.terms, procedure, partial, &FxHashSet::default());
        for location in (0..procedure.locations.len()).map(LocId::from_index) {
            let variables = self.variables_at(id, location, &liveness);
            let line = self.program.source.place(procedure.locations[location.index()].span).line;
            let name = format!("{}#{}:{line}", procedure.name, location.0);
            let predicate = self.writer.add_predicate(name, &variables);
            self.predicates.insert((id, location), predicate);
            self.places.push((id, location));
            self.variables.push(variables);
        }
    }

    /// The values that matter at a location: those with which the procedure was entered, and those that are live.
    fn variables_at(&self, id: ProcedureId, location: LocId, liveness: &Liveness) -> Vec<Symbol> {
        let procedure = self.program.procedure(id);
        let Footprint { used, changed } = &self.footprints[id.index()];
        let mut variables = Vec::new();
        for (i, &variable) in procedure.params.iter().chain(&procedure.locals).enumerate() {
            let is_parameter = i < procedure.params.len();
            if is_parameter && changed.contains(&variable) {
                variables.push(self.entry_of[&variable]);
            }
            if is_parameter && !changed.contains(&variable) || liveness.is_live(location, i) {
                variables.push(variable);
            }
        }
        for variable in used {
            if changed.contains(variable) {
                variables.push(self.entry_of[variable]);
            }
            variables.push(*variable);
        }
        variables
    }

    /// The predicate of a location; what is not among the values is what it was.
    fn atom(&mut self, place: (ProcedureId, LocId), values: &Values) -> Atom {
        let predicate = self.predicates[&place];
        let terms = &mut self.writer.system.terms;
        let now = self.variables[predicate.index()].iter();
        let now: Vec<(Symbol, Term)> =
            now.map(|&s| (s, values.get(&s).copied().unwrap_or_else(|| terms.symbol(s)))).collect();
        Atom { predicate, args: now.into_iter().map(|(s, value)| (value, self.writer.view(s))).collect() }
    }

    /// The values in a procedure that is entered with these: those at the entry are the same, other locals have any.
    fn entered(&mut self, id: ProcedureId, mut values: Values) -> Values {
        let procedure = self.program.procedure(id);
        for &variable in procedure.params.iter().chain(&procedure.locals) {
            values.entry(variable).or_insert_with(|| self.any_like(variable));
        }
        for variable in self.globals.iter().chain(&procedure.params) {
            let now = values.get(variable).copied();
            let now = now.unwrap_or_else(|| self.writer.system.terms.symbol(*variable));
            values.insert(self.entry_of[variable], now);
        }
        values
    }

    fn any_like(&mut self, variable: Symbol) -> Term {
        let any = fresh_like(&mut self.writer.system.terms, variable);
        self.writer.inherit_view(any, variable);
        self.writer.system.terms.symbol(any)
    }

    fn start(&mut self) {
        let (entry, initial) = (self.program.entry, std::mem::take(&mut self.initial));
        let values = self.entered(entry, initial);
        let head = self.atom((entry, self.program.procedure(entry).entry), &values);
        let tt = self.writer.system.terms.tt();
        self.writer.push(tt, &[], Some(&head));
        self.origins.push(Origin::Start);
    }

    fn edge(&mut self, id: ProcedureId, edge_id: EdgeId) {
        let edge = &self.program.procedure(id).edges[edge_id.index()];
        let effect = self.effects[id.index()][edge_id.index()].clone();
        let from = self.atom((id, edge.from), &Values::default());
        let head = match &edge.op {
            Op::Exit(_) | Op::Abort => return,
            Op::Error(_) | Op::Unsupported(_) | Op::Undefined(_) => None,
            Op::Call { callee, args, result } => return self.call((id, edge), from, *callee, args, *result),
            _ => Some(self.atom((id, edge.to), &effect.updates.iter().copied().collect())),
        };
        if let (Op::Input(target, _) | Op::BlockSize(target, _), Some(&open)) = (&edge.op, effect.open.first()) {
            self.writer.inherit_view(open, *target);
        }
        let used = self.writer.push(effect.guard, &[from], head.as_ref());
        let open = effect.open.first().filter(|_| matches!(edge.op, Op::Input(..)));
        let position = open.and_then(|&s| used.binary_search(&self.writer.symbol(s)).ok());
        self.origins.push(Origin::Edge(id, edge_id, position));
    }

    fn call(
        &mut self,
        (caller, edge): (ProcedureId, &Edge),
        from: Atom,
        callee: ProcedureId,
        args: &[Term],
        result: Option<Symbol>,
    ) {
        let called = self.program.procedure(callee);
        let arguments = called.params.iter().copied().zip(args.iter().copied()).collect();
        let inside = self.entered(callee, arguments);
        let entered = self.atom((callee, called.entry), &inside);
        let tt = self.writer.system.terms.tt();
        let body = [from];
        self.writer.push(tt, &body, Some(&entered));
        self.origins.push(Origin::Enter);
        let mut at_exit = inside;
        let mut after = Values::default();
        for variable in self.footprints[callee.index()].changed.clone() {
            let now = self.any_like(variable);
            at_exit.insert(variable, now);
            if self.globals.contains(&variable) {
                after.insert(variable, now);
            }
        }
        if let (Some(target), Some(value)) = (result, called.result) {
            after.insert(target, at_exit[&value]);
        }
        let summary = self.atom((callee, called.exit), &at_exit);
        let head = self.atom((caller, edge.to), &after);
        let [from] = body;
        self.writer.push(tt, &[from, summary], Some(&head));
        self.origins.push(Origin::Return);
    }
}

/// What an edge does to variables. A return writes the result; what a call does is said by its callee.
fn effect(reading: &Effects<'_>, terms: &mut Terms, procedure: &Procedure, edge: &Edge) -> Effect {
    match edge.op {
        Op::Return(value) => Effect::of_updates(terms, procedure.result.zip(value).into_iter().collect()),
        _ => reading.of(terms, &edge.op),
    }
}
