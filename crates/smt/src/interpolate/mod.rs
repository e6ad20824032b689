//! Tree interpolation: formulas that say, at every node of an infeasible derivation, what its subtree has to do with the
//! contradiction.
//!
//! A query is a tree of formulas whose conjunction has no model. The answer is a formula for each node, over the symbols
//! that the node's subtree shares with the rest, implied by the node's formula and the answers of its children, and false
//! at the root. A sequence is a tree in which every node has at most one child.
//!
//! First, Z3 says which conjuncts matter (`core`). Then strategies are tried in turn: `farkas` reads interpolants off a
//! refutation found by our own little solver; `newton` computes strongest postconditions of what matters; `horn` asks
//! Z3's engine for Horn clauses. Whatever a strategy finds, Z3 checks (`weaken`), dropping conjuncts nobody needs.

mod arithmetic;
mod cases;
mod check;
mod combine;
mod congruence;
mod core;
mod eliminate;
mod farkas;
mod formula;
mod horn;
mod linear;
mod newton;
mod problem;
mod rational;
mod sat;
mod simplex;
#[cfg(test)]
mod tests;
mod tree;
mod weaken;

use clinch_terms::{Symbol, Term, Terms};
use rustc_hash::FxHashSet;

pub use check::check;
use tree::{Span, Tree};

/// A node of a derivation tree: its own formula, and the nodes below it. Children come before parents; the last node is
/// the root.
#[derive(Clone, Debug)]
pub struct ItpNode {
    /// A formula over symbols.
    pub formula: Term,
    /// Positions of the nodes below.
    pub children: Vec<usize>,
}

/// A way to find interpolants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// From a refutation with Farkas certificates: for linear arithmetic with any Boolean structure.
    Farkas,
    /// Strongest postconditions of the conjuncts that matter.
    Newton,
    /// One query to Z3's engine for Horn clauses.
    Horn,
}

/// What may be chosen.
#[derive(Clone, Debug)]
pub struct ItpConfig {
    /// Tried in this order.
    pub methods: Vec<Method>,
    /// How many queries may be spent on a smaller set of conjuncts.
    pub minimise: usize,
    /// How many conflicts the search for a refutation may have.
    pub conflicts: u64,
}

impl Default for ItpConfig {
    fn default() -> Self {
        ItpConfig { methods: vec![Method::Farkas, Method::Newton, Method::Horn], minimise: 16, conflicts: 20_000 }
    }
}

/// One formula per node: false at the root; for each node, the formulas of its children and its own formula imply its
/// formula; and the symbols of its formula occur both in its subtree and outside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interpolants {
    /// By node.
    pub formulas: Vec<Term>,
    /// How they were found.
    pub method: Method,
    /// How many results of methods tried before failed the check.
    pub rejected: usize,
}

/// Why there are no interpolants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItpError {
    /// The formulas have a model together.
    Satisfiable,
    /// No method found any.
    GaveUp(String),
}

/// What a method works on.
struct Query<'a> {
    terms: &'a mut Terms,
    tree: &'a Tree,
    /// The conjuncts that matter, by position in the tree.
    core: &'a [Vec<Term>],
    config: &'a ItpConfig,
    stop: &'a dyn Fn() -> bool,
}

impl Query<'_> {
    /// The symbols that occur in conjuncts that matter both in a subtree and outside it.
    fn shared_in_core(&self, position: usize) -> Vec<Symbol> {
        let span = self.tree.subtree[position];
        let (mut inside, mut outside) = (FxHashSet::default(), FxHashSet::default());
        for (p, conjuncts) in self.core.iter().enumerate() {
            let side = if Span::at(p).within(span) { &mut inside } else { &mut outside };
            side.extend(conjuncts.iter().flat_map(|&c| self.terms.symbols(c)));
        }
        let mut shared: Vec<Symbol> = inside.intersection(&outside).copied().collect();
        shared.sort_unstable();
        shared
    }
}

/// Interpolants of a tree of formulas, checked.
pub fn interpolate(
    terms: &mut Terms,
    tree: &[ItpNode],
    config: &ItpConfig,
    stop: &dyn Fn() -> bool,
) -> Result<Interpolants, ItpError> {
    let shape = Tree::new(terms, tree).ok_or_else(|| ItpError::GaveUp("not a tree".to_owned()))?;
    let core = core::core(terms, &shape, tree, config, stop)?;
    let mut reasons = Vec::new();
    let mut rejected = 0;
    let mut query = Query { terms, tree: &shape, core: &core.conjuncts, config, stop };
    for &method in &config.methods {
        // Without a core, postconditions grow with the tree.
        if !core.confirmed && method == Method::Newton {
            continue;
        }
        if stop() {
            reasons.push("stopped".to_owned());
            break;
        }
        let found = match method {
            Method::Farkas => farkas::interpolants(&mut query),
            Method::Newton => newton::interpolants(&mut query).and_then(|c| confirm(&mut query, c)),
            Method::Horn => horn::interpolants(&mut query).and_then(|c| confirm(&mut query, c)),
        };
        match found {
            Ok(by_position) => {
                let formulas = (0..tree.len()).map(|node| by_position[shape.position[node]]).collect();
                return Ok(Interpolants { formulas, method, rejected });
            }
            Err(Failure::Satisfiable) => return Err(ItpError::Satisfiable),
            Err(Failure::Rejected) => {
                rejected += 1;
                reasons.push(format!("{method:?}: not confirmed"));
            }
            Err(Failure::GaveUp(reason)) => reasons.push(format!("{method:?}: {reason}")),
        }
    }
    Err(ItpError::GaveUp(reasons.join("; ")))
}

fn confirm(query: &mut Query<'_>, candidates: Vec<Term>) -> Result<Vec<Term>, Failure> {
    weaken::weaken(query, candidates, &mut |_, _, _| false).map_err(|_| Failure::Rejected)
}

/// Why a method failed.
enum Failure {
    /// The formulas have a model together.
    Satisfiable,
    /// It found formulas that are not interpolants.
    Rejected,
    GaveUp(String),
}

impl From<&str> for Failure {
    fn from(reason: &str) -> Self {
        Failure::GaveUp(reason.to_owned())
    }
}
