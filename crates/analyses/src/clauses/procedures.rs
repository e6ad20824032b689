//! Programs with procedures as Horn clauses, and evidence about the clauses as evidence about the program.
//!
//! There is one predicate for each cut point (the start and the loop heads) of the program's [`Unfolding`], over the variables
//! that are live there, and one clause for each large block. Clauses speak about bit-vectors, or about integers
//! ([`IntEncoding`]).

mod statements;
mod summaries;
mod writer;

use std::collections::BTreeSet;

use clinch_ir::Reason;
use clinch_ir::cfa::blocks::blocks_from;
use clinch_ir::cfa::unfold::{Destination, Open, Point, PointId, Step, Unfolding};
use clinch_ir::cfa::{Bound, BoundCell, CfaProgram, CfaProof, EdgeId, InputTrace, Invariants, Op, ProcedureId};
use clinch_ir::horn::{Derivation, HornSystem, Interpretation, PredId};
use clinch_machine::InputRequest;
use clinch_machine::guided::{open_reason, run_guided, value_bits};
use clinch_terms::{BinOp, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use crate::encoding::{Overflow, View, widen};

pub use statements::Statement;
pub use summaries::SummaryClauses;

use writer::{Atom, Writer};

/// How the clauses speak about machine integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// As bit-vectors: exact.
    Bits,
    /// As integers.
    Integers(Overflow),
}

impl Encoding {
    /// A formula of clauses in this encoding as one in bits: for each symbol the variable that it stands for, and how the clauses
    /// read its bits.
    fn in_bits(self, terms: &mut Terms, formula: Term, map: FxHashMap<Symbol, (Symbol, View)>) -> Option<Term> {
        match self {
            Encoding::Bits => {
                let map = map.into_iter().map(|(from, (to, _))| (from, terms.symbol(to))).collect();
                Some(terms.substitute_symbols(formula, &map))
            }
            Encoding::Integers(_) => widen(terms, formula, &map),
        }
    }
}

/// A program as clauses, and the way back.
#[derive(Clone, Debug)]
pub struct CfaClauses {
    /// The clauses. Their store extends the program's.
    pub system: HornSystem,
    /// The cut point of each predicate.
    points: Vec<Point>,
    /// The variables of each predicate, in the order of its parameters: of the program, and as the clauses speak about them.
    variables: Vec<Vec<(Symbol, View)>>,
    /// The block of each clause; the first clause, the initial one, has none.
    origins: Vec<Option<Origin>>,
    encoding: Encoding,
}

/// Where a clause comes from.
#[derive(Clone, Debug)]
struct Origin {
    target: Destination,
    /// What is open in the block, with the position of its value among the symbols of the clause.
    open: Vec<OpenValue>,
}

#[derive(Clone, Debug)]
struct OpenValue {
    calls: Box<[(ProcedureId, EdgeId)]>,
    procedure: ProcedureId,
    edge: EdgeId,
    position: usize,
}

impl CfaClauses {
    /// Reads a program as clauses. `limit` is how many control points there may be.
    pub fn new(program: &CfaProgram, encoding: Encoding, limit: usize) -> Result<Self, Reason> {
        let mut terms = program.terms.clone();
        let mut unfolding = Unfolding::new(program, &mut terms);
        let blocks = all_blocks(&mut unfolding, &mut terms, limit)?;
        Ok(Translation::new(program, &unfolding, terms, encoding, blocks).run())
    }

    /// The region that is a parameter of a predicate.
    pub fn region(&self, predicate: PredId, parameter: usize) -> Symbol {
        self.variables[predicate.index()][parameter].0
    }

    /// A solution of the clauses as invariants of the program. `None` where they cannot be said in bits.
    pub fn proof(&self, solution: &Interpretation) -> Option<CfaProof> {
        let mut terms = solution.terms.clone();
        let mut points = Vec::new();
        for (i, point) in self.points.iter().enumerate() {
            let formula = self.formula(&mut terms, i, solution.formulas[i], &[])?;
            points.push((point.clone(), formula));
        }
        Some(CfaProof::Invariants(Invariants { terms, points, bound: None }))
    }

    /// The same for a solution that holds for all values of a symbol, a place in arrays, with what is known of numbers whatever the
    /// place is. For each predicate there are symbols for the values of its arrays there.
    pub fn proof_for_all(
        &self,
        solution: &Interpretation,
        numbers: &[Term],
        place: Symbol,
        values: &[Vec<(Symbol, BoundCell)>],
    ) -> Option<CfaProof> {
        let mut terms = solution.terms.clone();
        let mut cells: Vec<BoundCell> = Vec::new();
        for (_, cell) in values.iter().flatten() {
            if !cells.contains(cell) {
                cells.push(*cell);
            }
        }
        let Sort::Array(of) = terms.symbol_sort(cells.first()?.region).clone() else { return None };
        let symbol = terms.declare("k", of.0.clone());
        let mut points = Vec::new();
        for (i, point) in self.points.iter().enumerate() {
            let mut more = vec![(place, (symbol, View::Signed))];
            let mut read: FxHashMap<Symbol, Term> = FxHashMap::default();
            for &(value, cell) in &values[i] {
                let Sort::Array(of) = terms.symbol_sort(cell.region).clone() else { return None };
                let stand_in = terms.declare("v", of.1.clone());
                let view = self.variables[i].iter().find(|v| v.0 == cell.region).map_or(View::Signed, |v| v.1);
                more.push((value, (stand_in, view)));
                read.insert(stand_in, cell_at(&mut terms, symbol, cell));
            }
            let formula = self.formula(&mut terms, i, solution.formulas[i], &more)?;
            let formula = terms.substitute_symbols(formula, &read);
            let far = far_away(&mut terms, symbol, &cells);
            let of_cells = terms.or(far, formula);
            let of_numbers = self.formula(&mut terms, i, numbers[i], &[])?;
            points.push((point.clone(), terms.and(of_numbers, of_cells)));
        }
        Some(CfaProof::Invariants(Invariants { terms, points, bound: Some(Bound { symbol, cells }) }))
    }

    /// A formula about the parameters of a predicate, and about more symbols, as one about the program's variables.
    fn formula(
        &self,
        terms: &mut Terms,
        predicate: usize,
        formula: Term,
        more: &[(Symbol, (Symbol, View))],
    ) -> Option<Term> {
        let parameters = self.system.predicates[predicate].params.iter().copied();
        let own = parameters.zip(self.variables[predicate].iter().copied());
        let map: FxHashMap<Symbol, (Symbol, View)> = own.chain(more.iter().copied()).collect();
        self.encoding.in_bits(terms, formula, map)
    }

    /// A refutation of the clauses as a run of the program; if the run ends otherwise, why there is none.
    pub fn trace(&self, program: &CfaProgram, derivation: &Derivation) -> Result<InputTrace, Reason> {
        match self.last_origin(derivation) {
            Some(Origin { target: Destination::Open(procedure, edge), .. }) => {
                return Err(open_reason(program, *procedure, *edge));
            }
            None => return Err(may_overflow()),
            _ => {}
        }
        // The first step of a derivation is the initial clause.
        run_guided(program, |passed, request, calls| self.input(derivation, passed + 1, request, calls))
    }

    fn last_origin(&self, derivation: &Derivation) -> Option<&Origin> {
        self.origins.get(derivation.steps.last()?.clause.index())?.as_ref()
    }

    /// The value of an input in the n-th block of a derivation; 0 for what does not matter.
    fn input(
        &self,
        derivation: &Derivation,
        block: usize,
        request: &InputRequest,
        calls: &[(ProcedureId, EdgeId)],
    ) -> u64 {
        let value = || {
            let step = derivation.steps.get(block)?;
            let origin = self.origins[step.clause.index()].as_ref()?;
            let here = |o: &&OpenValue| {
                o.procedure == request.at.procedure && Some(o.edge) == request.at.edge && *o.calls == *calls
            };
            let position = origin.open.iter().find(here)?.position;
            value_bits(step.values.get(position)?)
        };
        value().unwrap_or(0)
    }
}

/// Nothing says that no operation overflows.
fn may_overflow() -> Reason {
    Reason::Uncertified("a signed operation may overflow".to_owned())
}

/// What stands at a place of a region.
fn cell_at(terms: &mut Terms, place: Symbol, cell: BoundCell) -> Term {
    let sort = terms.symbol_sort(place).clone();
    let (place, region) = (terms.symbol(place), terms.symbol(cell.region));
    let address = match sort {
        Sort::BitVec(width) => {
            // Solvers like shifts better than products.
            let (op, by) = match cell.stride.is_power_of_two() {
                true => (BinOp::BvShl, cell.stride.trailing_zeros()),
                false => (BinOp::BvMul, cell.stride),
            };
            let (by, origin) = (terms.bit_vec(width, u64::from(by)), terms.bit_vec(width, cell.origin as u64));
            let distance = terms.bv(op, place, by);
            terms.bv(BinOp::BvAdd, distance, origin)
        }
        _ => {
            let (stride, origin) = (terms.int(i64::from(cell.stride)), terms.int(cell.origin));
            let distance = terms.mul(stride, place);
            terms.add(distance, origin)
        }
    };
    terms.select(region, address)
}

/// So far from place 0 that addresses wrap around: nothing is said of such places.
fn far_away(terms: &mut Terms, place: Symbol, cells: &[BoundCell]) -> Term {
    let Sort::BitVec(width) = *terms.symbol_sort(place) else { return terms.ff() };
    let place = terms.symbol(place);
    let stride = cells.iter().map(|c| c.stride).max().unwrap_or(1).max(8).next_power_of_two();
    let limit = terms.bit_vec(width, (1 << (width - 1)) / u64::from(stride));
    let (least, below) = (terms.bv_neg(limit), terms.bv_slt(place, limit));
    let above = terms.bv_sle(least, place);
    let near = terms.and(above, below);
    terms.not(near)
}

fn all_blocks(unfolding: &mut Unfolding<'_>, terms: &mut Terms, limit: usize) -> Result<Vec<Vec<Step>>, Reason> {
    let too_large = || Reason::Unsupported(format!("more than {limit} control points"));
    let mut order = vec![unfolding.start()];
    let mut blocks = Vec::new();
    while let Some(&from) = order.get(blocks.len()) {
        let found = blocks_from(unfolding, terms, from, limit).map_err(|_| too_large())?;
        for block in &found {
            if let Destination::Point(to) = block.target
                && !order.contains(&to)
            {
                order.push(to);
            }
        }
        blocks.push(found);
        if unfolding.point_count() > limit {
            return Err(too_large());
        }
    }
    Ok(blocks)
}

struct Translation<'p> {
    program: &'p CfaProgram,
    initial: FxHashMap<Symbol, Term>,
    encoding: Encoding,
    blocks: Vec<Vec<Step>>,
    /// The predicate of each cut point.
    predicates: FxHashMap<PointId, PredId>,
    live: Vec<Vec<Symbol>>,
    writer: Writer,
    points: Vec<Point>,
    origins: Vec<Option<Origin>>,
    /// The point of each point id that opens something.
    all_points: Vec<Point>,
}

impl<'p> Translation<'p> {
    fn new(
        program: &'p CfaProgram,
        unfolding: &Unfolding<'p>,
        mut terms: Terms,
        encoding: Encoding,
        blocks: Vec<Vec<Step>>,
    ) -> Self {
        let initial = unfolding.initial_values(&mut terms).into_iter().collect();
        let ids: Vec<PointId> = cut_points(&blocks, unfolding.start());
        let predicates = ids.iter().enumerate().map(|(i, &p)| (p, PredId::from_index(i))).collect();
        let points = ids.iter().map(|&p| unfolding.point(p).clone()).collect();
        Translation {
            program,
            initial,
            encoding,
            blocks,
            predicates,
            live: Vec::new(),
            writer: Writer::new(program, terms, encoding),
            points,
            origins: Vec::new(),
            all_points: (0..unfolding.point_count()).map(|i| unfolding.point(PointId::from_index(i)).clone()).collect(),
        }
    }

    fn run(mut self) -> CfaClauses {
        self.live = self.live_variables();
        self.declare_predicates();
        self.initial_clause();
        for block in std::mem::take(&mut self.blocks).into_iter().flatten() {
            self.clause(&block);
        }
        let views = |s: &Symbol| (*s, self.writer.view(*s));
        let variables = self.live.iter().map(|symbols| symbols.iter().map(views).collect()).collect();
        CfaClauses {
            system: self.writer.finish(),
            points: self.points,
            variables,
            origins: self.origins,
            encoding: self.encoding,
        }
    }

    /// The variables of each cut point that a later block reads.
    fn live_variables(&self) -> Vec<Vec<Symbol>> {
        let open: BTreeSet<Symbol> =
            self.blocks.iter().flatten().flat_map(|b| b.effect.open.iter().map(|o| o.symbol)).collect();
        let mut live: Vec<BTreeSet<Symbol>> = vec![BTreeSet::new(); self.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (from, blocks) in self.blocks.iter().enumerate().rev() {
                let mut here = live[from].clone();
                for block in blocks {
                    let behind = match block.target {
                        Destination::Point(to) => live[self.predicates[&to].index()].clone(),
                        _ => BTreeSet::new(),
                    };
                    here.extend(self.writer.system.terms.symbols(block.effect.guard));
                    let updates: FxHashMap<Symbol, Term> = block.effect.updates.iter().copied().collect();
                    for symbol in behind {
                        match updates.get(&symbol) {
                            Some(&value) => here.extend(self.writer.system.terms.symbols(value)),
                            None => {
                                here.insert(symbol);
                            }
                        }
                    }
                }
                here.retain(|s| !open.contains(s));
                if here.len() != live[from].len() {
                    live[from] = here;
                    changed = true;
                }
            }
        }
        live.into_iter().map(|s| s.into_iter().collect()).collect()
    }

    fn declare_predicates(&mut self) {
        for (i, symbols) in self.live.clone().iter().enumerate() {
            let name = point_name(self.program, &self.points[i]);
            self.writer.add_predicate(name, symbols);
        }
    }

    /// The start: globals have their initial values, everything else any.
    fn initial_clause(&mut self) {
        let initial = std::mem::take(&mut self.initial);
        let live = self.live[0].clone();
        let head = self.atom(PredId(0), &live, &initial);
        let tt = self.writer.system.terms.tt();
        self.push_clause(tt, None, Some(head), None);
    }

    /// A predicate of variables some of which have new values.
    fn atom(&mut self, predicate: PredId, live: &[Symbol], values: &FxHashMap<Symbol, Term>) -> Atom {
        let now = |s: &Symbol| {
            let value = values.get(s).copied().unwrap_or_else(|| self.writer.system.terms.symbol(*s));
            (value, self.writer.view(*s))
        };
        Atom { predicate, args: live.iter().map(now).collect() }
    }

    fn clause(&mut self, block: &Step) {
        for &Open { point, edge, symbol } in &block.effect.open {
            self.inherit_view(point, edge, symbol);
        }
        let head = match block.target {
            Destination::Point(to) => {
                let predicate = self.predicates[&to];
                let updates: FxHashMap<Symbol, Term> = block.effect.updates.iter().copied().collect();
                let live = self.live[predicate.index()].clone();
                Some(self.atom(predicate, &live, &updates))
            }
            _ => None,
        };
        self.push_clause(block.effect.guard, Some(self.predicates[&block.from]), head, Some(block));
    }

    /// What is open is read as the variable that takes it.
    fn inherit_view(&mut self, point: PointId, edge: EdgeId, symbol: Symbol) {
        let procedure = self.all_points[point.index()].procedure;
        let target = match &self.program.procedure(procedure).edges[edge.index()].op {
            Op::Input(target, _) | Op::BlockSize(target, _) => *target,
            _ => return,
        };
        self.writer.inherit_view(symbol, target);
    }

    /// Adds a clause: its guard and arguments are over the program's variables before the block.
    fn push_clause(&mut self, guard: Term, body: Option<PredId>, head: Option<Atom>, block: Option<&Step>) {
        let body = body.map(|predicate| {
            let own = self.live[predicate.index()].iter();
            let args = own.map(|&s| (self.writer.system.terms.symbol(s), self.writer.view(s)));
            Atom { predicate, args: args.collect() }
        });
        let body: Vec<Atom> = body.into_iter().collect();
        let used = self.writer.push(guard, &body, head.as_ref());
        let origin = block.map(|block| self.origin(block, &used));
        self.origins.push(origin);
    }

    fn origin(&mut self, block: &Step, used: &[Symbol]) -> Origin {
        let mut open = Vec::new();
        for &Open { point, edge, symbol } in &block.effect.open {
            let symbol = self.writer.symbol(symbol);
            let point = &self.all_points[point.index()];
            if let Ok(position) = used.binary_search(&symbol) {
                open.push(OpenValue { calls: point.calls.clone(), procedure: point.procedure, edge, position });
            }
        }
        Origin { target: block.target, open }
    }
}

/// The cut points in the order of their blocks.
fn cut_points(blocks: &[Vec<Step>], start: PointId) -> Vec<PointId> {
    let mut order = vec![start];
    for block in blocks.iter().flatten() {
        if let Destination::Point(to) = block.target
            && !order.contains(&to)
        {
            order.push(to);
        }
    }
    order
}

fn point_name(program: &CfaProgram, point: &Point) -> String {
    let procedure = program.procedure(point.procedure);
    let line = program.source.place(procedure.locations[point.location.index()].span).line;
    let calls: String = point.calls.iter().map(|(_, edge)| format!("@{}", edge.0)).collect();
    format!("{}{calls}#{}:{line}", procedure.name, point.location.0)
}
