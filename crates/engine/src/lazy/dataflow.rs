//! Cheap invariants: what a data-flow pass knows at a loop head holds there without a question to the prover.

use clinch_analyses::intervals::{Fact, Intervals, bounds};
use clinch_bdd::Literal;

use clinch_ir::cfa::unfold::{Point, PointId};
use clinch_ir::cfa::{CfaProgram, Liveness, ProcedureId};
use clinch_terms::{LocId, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::label::Labels;
use super::predicates::Predicates;
use crate::share::{Place, globals_read};

/// Loop heads whose facts are told to other engines.
const LOOP_HEADS: usize = 200;

/// The facts of a program.
pub(super) struct DataFlow<'p> {
    program: &'p CfaProgram,
    intervals: Option<Intervals>,
    /// Globals that something depends on.
    globals: FxHashSet<Symbol>,
    liveness: FxHashMap<ProcedureId, Liveness>,
    /// By point; `None` where no run comes.
    facts: FxHashMap<PointId, Option<Vec<Literal>>>,
}

impl<'p> DataFlow<'p> {
    /// The facts of a program; none of them unless `on`.
    pub(super) fn new(program: &'p CfaProgram, on: bool) -> Self {
        let intervals = if on { Intervals::new(program) } else { None };
        let (liveness, facts) = (FxHashMap::default(), FxHashMap::default());
        DataFlow { program, intervals, globals: globals_read(program), liveness, facts }
    }

    /// What holds at a point whenever a run comes there; `None` if none does. Only the start and the points where large blocks end have
    /// facts: what holds elsewhere follows.
    pub(super) fn facts(
        &mut self,
        terms: &mut Terms,
        labels: &mut Labels<'_>,
        predicates: &mut Predicates,
        point: PointId,
    ) -> Option<&[Literal]> {
        let ends = labels.unfolding.is_loop_head(point) || labels.tracking.is_cut(point);
        let matters = ends || point == labels.unfolding.start();
        if self.intervals.is_none() || !matters {
            return Some(&[]);
        }
        if !self.facts.contains_key(&point) {
            let known = self.known(labels.unfolding.point(point).clone());
            let facts = known.map(|known| literals(terms, labels, predicates, known));
            self.facts.insert(point, facts);
        }
        self.facts[&point].as_deref()
    }

    /// What holds at loop heads whatever calls wait for their procedures, as formulas over the program's variables.
    pub(super) fn invariants(&mut self, terms: &mut Terms, labels: &Labels<'_>) -> Vec<(Place, Term)> {
        let mut found = Vec::new();
        for Place { procedure, location } in self.loop_heads() {
            let known = self.known(Point { calls: Box::default(), procedure, location }).unwrap_or_default();
            for (symbol, fact) in known {
                let bounds = bounds(terms, symbol, fact, labels.has_sign(symbol));
                found.extend(bounds.into_iter().map(|bound| (Place { procedure, location }, bound)));
            }
        }
        found
    }

    /// The loop heads of which something is known, and not too many of them.
    fn loop_heads(&self) -> Vec<Place> {
        let Some(intervals) = &self.intervals else { return Vec::new() };
        let mut found = Vec::new();
        for (i, of) in self.program.procedures.iter().enumerate() {
            let procedure = ProcedureId::from_index(i);
            for (l, is_head) in of.loop_heads().into_iter().enumerate() {
                let location = LocId::from_index(l);
                if is_head && found.len() < LOOP_HEADS && intervals.at(procedure, location).is_some() {
                    found.push(Place { procedure, location });
                }
            }
        }
        found
    }

    /// What is known of the variables that matter: those of the procedure, of the calls that wait for it, and globals.
    fn known(&mut self, point: Point) -> Option<Vec<(Symbol, Fact)>> {
        let mut frames: Vec<(ProcedureId, LocId)> = vec![(point.procedure, point.location)];
        for &(procedure, edge) in point.calls.iter().rev() {
            frames.push((procedure, self.program.procedure(procedure).edges[edge.index()].from));
        }
        let mut found = Vec::new();
        for (depth, (procedure, location)) in frames.into_iter().enumerate() {
            let live = self.live(procedure, location);
            let known = self.intervals.as_ref()?.at(procedure, location)?;
            let matters = |symbol| live.contains(&symbol) || depth == 0 && self.globals.contains(&symbol);
            // Between which addresses a pointer lies is a matter of this model; which object it points to is not.
            let is_pointer = |symbol| self.program.variables.get(&symbol).is_some_and(|v| v.pointer);
            let says = |symbol, fact: Fact| fact.is_constant() || !is_pointer(symbol);
            found.extend(known.facts().filter(|&(symbol, fact)| matters(symbol) && says(symbol, fact)));
        }
        Some(found)
    }

    fn live(&mut self, procedure: ProcedureId, location: LocId) -> FxHashSet<Symbol> {
        let of = self.program.procedure(procedure);
        let liveness = self.liveness.entry(procedure).or_insert_with(|| {
            let total = vec![false; self.program.terms.len()];
            Liveness::new(&self.program.terms, of, &total, &FxHashSet::default())
        });
        let variables = of.params.iter().chain(&of.locals).enumerate();
        variables.filter(|(i, _)| liveness.is_live(location, *i)).map(|(_, symbol)| *symbol).collect()
    }
}

/// Bounds as literals of the encoding; those that are no single atoms there are left out.
fn literals(
    terms: &mut Terms,
    labels: &mut Labels<'_>,
    predicates: &mut Predicates,
    known: Vec<(Symbol, Fact)>,
) -> Vec<Literal> {
    let mut facts = Vec::new();
    for (symbol, fact) in known {
        if labels.has_integers() && matches!(fact, Fact::Floats(_)) {
            continue;
        }
        for bound in bounds(terms, symbol, fact, labels.has_sign(symbol)) {
            let bound = labels.formula(terms, bound);
            facts.extend(predicates.add_literal(terms, bound));
        }
    }
    facts.sort_unstable();
    facts.dedup_by_key(|fact| fact.0);
    facts
}
