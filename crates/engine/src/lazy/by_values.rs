//! Refinement by values: a counterexample that values alone rule out makes more of them control.

use std::time::Instant;

use clinch_ir::Reason;
use clinch_ir::cfa::unfold::Destination;
use clinch_terms::{Symbol, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::path::Path;
use super::predicates::PredicateId;
use super::tree::{NodeId, Tree};
use super::waiting::Waiting;
use super::{Lazy, ROOT};

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
        let path: Vec<Destination> = nodes[1..].iter().map(|&n| self.tree.node(n).place).collect();
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
        self.waiting = Waiting::new(self.program, self.config);
        self.spurious.clear();
        self.wait(ROOT)
    }
}

/// The search for a smallest set of variables.
struct Search<'a, 'p> {
    lazy: &'a mut Lazy<'p>,
    /// Terms made on the way are thrown away with it.
    terms: Terms,
    path: Vec<Destination>,
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
