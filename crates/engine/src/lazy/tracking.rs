//! Values as control: variables whose values are part of where a node is, beside the control point.
//!
//! As predicates, values that a program keeps for control (the state of a protocol, the status of a thread) cost many
//! questions to the prover and as many refinements. As control they cost nothing but places. Which ones are tracked is found by
//! counterexamples, as predicates are: where values alone rule one out, a smallest set that does is tracked from then on.

use clinch_analyses::values::{Valuation, ValuedBlocks, control_variables};
use clinch_ir::cfa::CfaProgram;
use clinch_ir::cfa::blocks::TooLarge;
use clinch_ir::cfa::unfold::{Destination, PointId, Step, Unfolding};
use clinch_terms::{Symbol, Term, Terms};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::config::{BlockSize, Config, Values};
use super::sources::Sources;

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
    pub(super) blocks: ValuedBlocks,
    pub(super) tracked: FxHashSet<Symbol>,
    /// What may be tracked, in the order in which it is preferred.
    pub(super) candidates: IndexSet<Symbol, FxBuildHasher>,
    control: FxHashSet<Symbol>,
    sources: Sources,
    /// The counter that fresh addresses come from.
    counter: Option<Symbol>,
    valuations: IndexSet<Valuation, FxBuildHasher>,
    /// The values met at each control point.
    met: FxHashMap<(PointId, Symbol), FxHashSet<Term>>,
    /// A variable that took too many.
    pub(super) excess: Option<Symbol>,
    /// How many points blocks were cut at when the tree was begun.
    pub(super) cuts: usize,
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
    pub(super) fn with_sources(&self, variables: &[Symbol]) -> Vec<Symbol> {
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
            if let Destination::Point(to) = valued.block.target {
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
    pub(super) fn refutes(
        &mut self,
        (unfolding, terms): (&mut Unfolding<'_>, &mut Terms),
        path: &[Destination],
        tracked: &FxHashSet<Symbol>,
    ) -> bool {
        let mut places = vec![self.blocks.initially(terms, unfolding, tracked)];
        for step in path.windows(2) {
            let Destination::Point(from) = step[0] else { return false };
            let limits = (tracked, MOST_PLACES);
            match self.blocks.follow(unfolding, terms, (from, &places), step[1], limits) {
                Some(next) => places = next,
                None => return false,
            }
        }
        places.is_empty()
    }
}
