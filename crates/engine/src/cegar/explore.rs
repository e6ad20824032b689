//! `abstractCheck` ([Subsumer, figure 2]): the abstract states reachable under the present predicates.

use clinch_ir::{ClauseId, HornSystem, Interpretation, PredId, Reason};
use clinch_terms::Terms;

use super::Config;
use super::frontier::{Expansion, Frontier, Work};
use super::post::Abstraction;
use super::precision::Precision;
use super::tree::{Inserted, NodeId, Tree};
use crate::budget::{Budget, Ticker};
use crate::search::BitSet;

/// How a search ends.
#[derive(Debug)]
pub(super) enum Exploration {
    /// Nothing is left to expand, and no error was met: the states of the tree are a solution.
    Closed,
    /// A clause without head applies to these nodes.
    Error(Expansion),
}

/// The clauses in which each location is a premise, those without head first.
pub(super) struct Uses(Vec<Vec<(ClauseId, usize)>>);

impl Uses {
    pub(super) fn new(system: &HornSystem) -> Self {
        let mut uses = vec![Vec::new(); system.predicates.len()];
        for id in system.clause_ids() {
            for (position, application) in system.clause(id).body.iter().enumerate() {
                uses[application.predicate.index()].push((id, position));
            }
        }
        for list in &mut uses {
            list.sort_by_key(|&(id, _)| system.clause(id).head.is_some());
        }
        Uses(uses)
    }

    fn at(&self, location: PredId) -> &[(ClauseId, usize)] {
        &self.0[location.index()]
    }
}

/// One search.
pub(super) struct Search<'a, 's> {
    pub(super) system: &'s HornSystem,
    pub(super) terms: &'a mut Terms,
    pub(super) uses: &'a Uses,
    pub(super) precision: &'a Precision,
    pub(super) abstraction: &'a mut Abstraction<'s>,
    pub(super) tree: Tree,
    pub(super) frontier: Frontier,
    self_check: bool,
}

impl<'a, 's> Search<'a, 's> {
    pub(super) fn new(
        system: &'s HornSystem,
        terms: &'a mut Terms,
        uses: &'a Uses,
        precision: &'a Precision,
        abstraction: &'a mut Abstraction<'s>,
        config: &Config,
    ) -> Self {
        let tree = Tree::new(system, config.order.subsumed());
        let frontier = Frontier::new(config.order);
        Search { system, terms, uses, precision, abstraction, tree, frontier, self_check: config.self_check }
    }

    pub(super) fn abstract_check(&mut self, budget: &Budget, ticker: &mut Ticker) -> Result<Exploration, Reason> {
        for clause in self.system.clause_ids() {
            if self.system.clause(clause).body.is_empty()
                && let Some(error) = self.expand(Expansion { clause, premises: Vec::new() })
            {
                return Ok(Exploration::Error(error));
            }
        }
        while let Some(work) = self.frontier.next(&self.tree) {
            let steps = match work {
                Work::Step(step) => vec![step],
                Work::Node(node) => {
                    self.tree.mark_expanded(node);
                    self.steps_from(node)
                }
            };
            for step in steps {
                ticker.tick(budget)?;
                if let Some(error) = self.expand(step) {
                    return Ok(Exploration::Error(error));
                }
                if self.self_check {
                    self.tree.check_invariant();
                    self.frontier.check_invariant(&self.tree);
                }
            }
        }
        Ok(Exploration::Closed)
    }

    /// Takes a step; returns it if it derives the contradiction.
    fn expand(&mut self, step: Expansion) -> Option<Expansion> {
        let states: Vec<&BitSet> = step.premises.iter().map(|&p| &self.tree.node(p).state).collect();
        let state = self.abstraction.post(self.terms, self.precision, step.clause, &states)?;
        let Some(head) = &self.system.clause(step.clause).head else { return Some(step) };
        match self.tree.insert(head.predicate, state, step.clause, &step.premises) {
            Inserted::Covered => {}
            Inserted::Node { id, subtree, pruned } => {
                self.frontier.schedule(id, &subtree, &pruned);
                if self.frontier.of_steps() {
                    self.tree.mark_expanded(id);
                    self.schedule_steps_from(id);
                }
            }
        }
        None
    }

    fn schedule_steps_from(&mut self, node: NodeId) {
        for step in self.steps_from(node) {
            let is_error = self.system.clause(step.clause).head.is_none();
            let predicates = step.premises.iter().map(|&p| self.tree.node(p).state.len()).sum();
            self.frontier.schedule_step(step, is_error, predicates);
        }
    }

    /// All steps in which the node is a premise, the others being nodes that were expanded before.
    fn steps_from(&mut self, node: NodeId) -> Vec<Expansion> {
        let mut steps = Vec::new();
        for &(clause, position) in self.uses.at(self.tree.node(node).location) {
            let body = &self.system.clause(clause).body;
            let mut partial: Vec<Vec<NodeId>> = vec![Vec::new()];
            for (i, application) in body.iter().enumerate() {
                let mut choices = if i == position { vec![node] } else { self.tree.expanded_at(application.predicate) };
                if i < position {
                    // The node itself at an earlier position is the case of that position.
                    choices.retain(|&c| c != node);
                }
                partial = partial
                    .iter()
                    .flat_map(|chosen| choices.iter().map(move |&c| chosen.iter().copied().chain([c]).collect()))
                    .collect();
            }
            steps.extend(partial.into_iter().map(|premises| Expansion { clause, premises }));
        }
        steps
    }

    /// The states of the closed tree as formulas.
    pub(super) fn solution(&self) -> Interpretation {
        let mut terms = self.terms.clone();
        let mut formulas = Vec::new();
        for (location, states) in self.system.predicate_ids().zip(self.tree.largest()) {
            let predicates = self.precision.at(location);
            let cases: Vec<_> = states.iter().map(|s| terms.all(s.iter().map(|i| predicates[i]))).collect();
            formulas.push(terms.any(cases));
        }
        Interpretation { terms, formulas }
    }
}
