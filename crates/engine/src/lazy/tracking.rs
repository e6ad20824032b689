//! Values as control: variables whose values are part of where a node is, beside the control point.
//!
//! As predicates, values that a program keeps for control (the state of a protocol, the status of a thread) cost many
//! questions to the prover and as many refinements. As control they cost nothing but places. Which ones are tracked is found by
//! counterexamples, as predicates are: where values alone rule one out, a smallest set that does is tracked from then on.

use std::time::Instant;

use clinch_analyses::values::{Valuation, ValuedBlocks, control_variables};
use clinch_ir::Reason;
use clinch_ir::cfa::CfaProgram;
use clinch_ir::cfa::blocks::TooLarge;
use clinch_ir::cfa::unfold::{PointId, Step, Target, Unfolding};
use clinch_terms::{Symbol, Term, Terms};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::config::{BlockSize, Config, Values};
use super::path::Path;
use super::predicates::PredicateId;
use super::sources::Sources;
use super::tree::{NodeId, Tree};
use super::waiting::Waiting;
use super::{Lazy, ROOT};

/// What is known at a place, by number.
pub(super) type ValuesId = u32;

/// Nothing.
pub(super) const NOTHING_KNOWN: ValuesId = 0;

/// Values that a tracked variable may take at one control point: more, and it is no control.
const MOST_VALUES: usize = 200;
/// As many for one that arithmetic computes.
const MOST_COUNTED: usize = 40;
/// Places at one step of a counterexample.
const MOST_PLACES: usize = 200;

/// The variables whose values are control.
pub(super) struct Tracking {
    mode: Values,
    blocks: ValuedBlocks,
    pub(super) tracked: FxHashSet<Symbol>,
    /// What may be tracked, in the order in which it is preferred.
    candidates: IndexSet<Symbol, FxBuildHasher>,
    control: FxHashSet<Symbol>,
    sources: Sources,
    /// The counter that fresh addresses come from.
    counter: Option<Symbol>,
    valuations: IndexSet<Valuation, FxBuildHasher>,
    /// The values met at each control point.
    met: FxHashMap<(PointId, Symbol), FxHashSet<Term>>,
    /// A variable that took too many.
    excess: Option<Symbol>,
    /// How many points blocks were cut at when the tree was begun.
    cuts: usize,
}

impl Tracking {
    pub(super) fn new(program: &CfaProgram, config: &Config, limit: usize) -> Self {
        let mode = if config.blocks == BlockSize::Loops { config.values } else { Values::None };
        let control = if mode == Values::None { FxHashSet::default() } else { control_variables(program) };
        Tracking {
            mode,
            blocks: ValuedBlocks::new(program, limit),
            tracked: config.track.iter().copied().collect(),
            candidates: IndexSet::default(),
            control,
            sources: if mode == Values::None { Sources::default() } else { Sources::new(program) },
            counter: None,
            valuations: IndexSet::from_iter([Valuation::default()]),
            met: FxHashMap::default(),
            excess: None,
            cuts: 0,
        }
    }

    /// Says which variables there are.
    pub(super) fn declare(&mut self, variables: &[Symbol], counter: Symbol) {
        self.control.insert(counter);
        self.counter = Some(counter);
        let rest = variables.iter().filter(|_| self.mode == Values::All);
        let control = variables.iter().filter(|s| self.control.contains(s));
        if self.mode != Values::None {
            self.candidates = control.chain(rest).copied().collect();
        }
    }

    /// Whether variables may be tracked.
    pub(super) fn is_on(&self) -> bool {
        self.mode != Values::None
    }

    pub(super) fn valuation(&self, id: ValuesId) -> &Valuation {
        self.valuations.get_index(id as usize).expect("an id of this list")
    }

    pub(super) fn tracked_variables(&self) -> Vec<Symbol> {
        let mut variables: Vec<Symbol> = self.tracked.iter().copied().collect();
        variables.sort_unstable();
        variables
    }

    /// Whether blocks end at a point that is no loop head.
    pub(super) fn is_cut(&self, point: PointId) -> bool {
        self.blocks.cuts().contains(&point)
    }

    /// Whether a variable of the program may be read after a point, before it is written. Labels do not say what others become.
    pub(super) fn is_live(&self, unfolding: &Unfolding<'_>, point: PointId, variable: Symbol) -> bool {
        !self.is_on() || self.blocks.is_live(unfolding, point, variable)
    }

    /// What may be tracked and is not yet, of the variables and of all that they are computed from.
    fn with_sources(&self, variables: &[Symbol]) -> Vec<Symbol> {
        let mut all = self.sources.closure(variables);
        all.extend(self.counter.filter(|_| all.iter().any(|&v| self.sources.is_region(v))));
        all.retain(|s| self.candidates.contains(s) && !self.tracked.contains(s));
        all
    }

    /// Tracks those of the variables that may be tracked. Whether there are new ones.
    pub(super) fn track(&mut self, variables: impl IntoIterator<Item = Symbol>) -> bool {
        let before = self.tracked.len();
        self.tracked.extend(variables.into_iter().filter(|s| self.candidates.contains(s)));
        self.tracked.len() > before
    }

    /// What is known before the program starts.
    pub(super) fn initially(&mut self, terms: &mut Terms, unfolding: &Unfolding<'_>) -> ValuesId {
        self.met.clear();
        self.cuts = self.blocks.cuts().len();
        let valuation = self.blocks.initially(terms, unfolding, &self.tracked);
        self.valuations.insert_full(valuation).0 as ValuesId
    }

    /// The blocks that leave a place, with what is known where they end.
    pub(super) fn leaving(
        &mut self,
        unfolding: &mut Unfolding<'_>,
        terms: &mut Terms,
        point: PointId,
        values: ValuesId,
    ) -> Result<Vec<(Step, ValuesId)>, TooLarge> {
        let known = self.valuation(values).clone();
        let blocks = self.blocks.leaving(unfolding, terms, (point, &known), &self.tracked)?;
        let mut found = Vec::new();
        for valued in blocks {
            if let Target::Point(to) = valued.block.target {
                self.count(to, &valued.known);
            }
            found.push((valued.block, self.valuations.insert_full(valued.known).0 as ValuesId));
        }
        Ok(found)
    }

    fn count(&mut self, point: PointId, known: &Valuation) {
        for (symbol, value) in known.iter() {
            let met = self.met.entry((point, symbol)).or_default();
            let is_counted = Some(symbol) == self.counter || !self.control.contains(&symbol);
            let most = if is_counted { MOST_COUNTED } else { MOST_VALUES };
            if met.insert(value) && met.len() > most {
                self.excess = Some(symbol);
            }
        }
    }

    /// Whether values rule out that runs go along the points, from the start, to the target behind the last one.
    fn refutes(
        &mut self,
        (unfolding, terms): (&mut Unfolding<'_>, &mut Terms),
        path: &[Target],
        tracked: &FxHashSet<Symbol>,
    ) -> bool {
        let mut places = vec![self.blocks.initially(terms, unfolding, tracked)];
        for step in path.windows(2) {
            let Target::Point(from) = step[0] else { return false };
            let limits = (tracked, MOST_PLACES);
            match self.blocks.follow(unfolding, terms, (from, &places), step[1], limits) {
                Some(next) => places = next,
                None => return false,
            }
        }
        places.is_empty()
    }
}

impl Lazy<'_> {
    /// Where values that are not tracked yet help against a counterexample: tracks them and starts again. Otherwise the path is left with
    /// the variables that matter for it.
    pub(super) fn refine_by_values(&mut self, path: &mut Path, nodes: &[NodeId]) -> Result<bool, Reason> {
        if !self.labels.tracking.is_on() {
            return Ok(false);
        }
        let start = Instant::now();
        let found = self.values_for(path, nodes);
        self.stats.values_seconds += start.elapsed().as_secs_f64();
        self.budget.check()?;
        let found = found?;
        if found.is_empty() {
            return Ok(false);
        }
        self.labels.tracking.tracked.extend(found);
        self.restart()?;
        Ok(true)
    }

    /// Variables to track: the fewest whose values rule the counterexample out, or else all control that matters for it.
    fn values_for(&mut self, path: &mut Path, nodes: &[NodeId]) -> Result<Vec<Symbol>, Reason> {
        let own: FxHashMap<Symbol, Symbol> =
            self.labels.tracking.candidates.iter().map(|&s| (self.labels.symbol_of(s), s)).collect();
        let relevant =
            self.with_analysis(|analysis| Ok(analysis.relevant_variables(path, &|s| own.contains_key(&s))))?;
        let control: Vec<Symbol> = relevant.iter().flatten().filter_map(|s| own.get(s).copied()).collect();
        if let Some(found) = self.values_against(nodes, &control) {
            return Ok(found);
        }
        if let Some(relevant) = relevant {
            path.keep_only(&mut self.terms, &relevant.into_iter().collect());
        }
        Ok(self.labels.tracking.with_sources(&control))
    }

    /// A smallest set of variables whose values rule out a counterexample, beside those that are tracked: of the relevant ones, or else
    /// of all.
    fn values_against(&mut self, nodes: &[NodeId], relevant: &[Symbol]) -> Option<Vec<Symbol>> {
        let path: Vec<Target> = nodes[1..].iter().map(|&n| self.tree.node(n).place).collect();
        let tracking = &self.labels.tracking;
        let background = tracking.tracked.clone();
        let all: Vec<Symbol> = tracking.candidates.iter().copied().filter(|s| !background.contains(s)).collect();
        let some: Vec<Symbol> = all.iter().copied().filter(|s| relevant.contains(s)).collect();
        let mut search = Search { terms: self.terms.clone(), lazy: self, path };
        let more = [some, all].into_iter().find(|m| !m.is_empty() && search.refutes_with(&background, m))?;
        Some(search.smallest(&background, false, &more))
    }

    /// Tracks the variables of predicates that are about values only, instead of using the predicates.
    pub(super) fn track_instead(&mut self, wanted: &[(usize, Vec<PredicateId>)]) -> Result<bool, Reason> {
        let tracking = &mut self.labels.tracking;
        if !tracking.is_on() {
            return Ok(false);
        }
        let mut new = Vec::new();
        for &predicate in wanted.iter().flat_map(|w| &w.1) {
            let symbols = self.predicates.symbols(predicate);
            let own: Vec<Symbol> = symbols.iter().filter_map(|s| Some(self.labels.variables.get(s)?.0)).collect();
            if own.iter().all(|s| tracking.candidates.contains(s)) {
                new.extend(own);
            }
        }
        let new = tracking.with_sources(&new);
        if new.is_empty() {
            return Ok(false);
        }
        tracking.tracked.extend(new);
        self.restart()?;
        Ok(true)
    }

    /// A variable that takes too many values is not tracked any more. Where blocks end at more points than before, the tree has labels
    /// that do not, and is begun again.
    pub(super) fn restart_if_places_changed(&mut self) -> Result<(), Reason> {
        let tracking = &mut self.labels.tracking;
        let excess = tracking.excess.take();
        if let Some(symbol) = excess {
            tracking.tracked.remove(&symbol);
            tracking.candidates.shift_remove(&symbol);
        }
        if excess.is_some() || tracking.blocks.cuts().len() > tracking.cuts {
            self.restart()?;
        }
        Ok(())
    }

    /// Begins a new tree. Predicates stay.
    pub(super) fn restart(&mut self) -> Result<(), Reason> {
        self.labels.restart(&mut self.terms);
        self.post.restart(self.config.has_few_labels());
        self.tree = Tree::new(self.post.bdds.tt(), self.labels.unfolding.start());
        self.waiting = Waiting::new(self.program, self.config.order);
        self.spurious.clear();
        self.wait(ROOT)
    }
}

/// The search for a smallest set of variables.
struct Search<'a, 'p> {
    lazy: &'a mut Lazy<'p>,
    /// Terms made on the way are thrown away with it.
    terms: Terms,
    path: Vec<Target>,
}

impl Search<'_, '_> {
    fn refutes_with(&mut self, background: &FxHashSet<Symbol>, more: &[Symbol]) -> bool {
        let mut tracked = background.clone();
        tracked.extend(more);
        let labels = &mut self.lazy.labels;
        self.lazy.budget.check().is_ok()
            && labels.tracking.refutes((&mut labels.unfolding, &mut self.terms), &self.path, &tracked)
    }

    /// QuickXplain (U. Junker, AAAI 2004): of `more`, which refutes together with the background, a part that does and of which
    /// nothing can be left out; what comes first is preferred.
    fn smallest(&mut self, background: &FxHashSet<Symbol>, grown: bool, more: &[Symbol]) -> Vec<Symbol> {
        if grown && self.refutes_with(background, &[]) {
            return Vec::new();
        }
        if more.len() <= 1 {
            return more.to_vec();
        }
        let (first, second) = more.split_at(more.len() / 2);
        let mut with_first = background.clone();
        with_first.extend(first);
        let mut found = self.smallest(&with_first, true, second);
        let mut with_found = background.clone();
        with_found.extend(&found);
        let grown = !found.is_empty();
        found.extend(self.smallest(&with_found, grown, first));
        found
    }
}
