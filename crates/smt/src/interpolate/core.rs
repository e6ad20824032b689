//! The conjuncts that make a tree of formulas infeasible.

use clinch_terms::{Term, Terms};
use rustc_hash::FxHashSet;

use super::tree::Tree;
use super::{ItpConfig, ItpError, ItpNode};
use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// Work that a query may do (see [`Z3Solver::set_limits`]).
const RESOURCES: u32 = 2_000_000;
const MILLISECONDS: u32 = 1_000;

/// The conjuncts that methods work on.
pub(super) struct Core {
    /// By position in the tree.
    pub(super) conjuncts: Vec<Vec<Term>>,
    /// Whether they are known to have no model. Formulas with many choices in a row can be too hard for one query, but not
    /// for a method that goes from node to node.
    pub(super) confirmed: bool,
}

/// For each position of the tree, conjuncts of its formula; together they have no model.
pub(super) fn core(
    terms: &mut Terms,
    tree: &Tree,
    nodes: &[ItpNode],
    config: &ItpConfig,
    stop: &dyn Fn() -> bool,
) -> Result<Core, ItpError> {
    let by_position: Vec<Vec<Term>> = tree.node_at.iter().map(|&node| terms.facts(nodes[node].formula)).collect();
    let mut seen = FxHashSet::default();
    let all: Vec<Term> = by_position.iter().flatten().copied().filter(|&c| seen.insert(c)).collect();
    let mut solver = Z3Solver::for_formulas();
    solver.set_limits(RESOURCES, MILLISECONDS);
    let mut core = match ask(&mut solver, terms, &all) {
        (Answer::Unsat, core) => core,
        (Answer::Sat, _) => return Err(ItpError::Satisfiable),
        (Answer::Unknown, _) => return Ok(Core { conjuncts: by_position, confirmed: false }),
    };
    minimise(&mut solver, terms, &mut core, config.minimise, stop);
    let kept: FxHashSet<Term> = core.into_iter().collect();
    let kept = |conjuncts: Vec<Term>| conjuncts.into_iter().filter(|c| kept.contains(c)).collect();
    Ok(Core { conjuncts: by_position.into_iter().map(kept).collect(), confirmed: true })
}

fn ask(solver: &mut Z3Solver, terms: &Terms, assumed: &[Term]) -> (Answer, Vec<Term>) {
    let assumptions: Vec<(Term, bool)> = assumed.iter().map(|&t| (t, true)).collect();
    let answer = solver.check(terms, &assumptions);
    let core = if answer == Answer::Unsat { solver.core() } else { Vec::new() };
    (answer, core.into_iter().map(|i| assumed[i]).collect())
}

/// Leaves out one conjunct after the other, large ones first: those have more to say.
fn minimise(solver: &mut Z3Solver, terms: &Terms, core: &mut Vec<Term>, queries: usize, stop: &dyn Fn() -> bool) {
    let size = |term: Term| {
        let mut nodes = 0;
        terms.visit(term, &mut |_| nodes += 1);
        nodes
    };
    let mut candidates: Vec<(usize, Term)> = core.iter().map(|&t| (size(t), t)).collect();
    candidates.sort_by_key(|&(size, term)| (std::cmp::Reverse(size), std::cmp::Reverse(term)));
    solver.set_limits(RESOURCES / 10, MILLISECONDS / 10);
    for (_, candidate) in candidates.into_iter().take(queries) {
        if stop() {
            return;
        }
        if !core.contains(&candidate) {
            continue;
        }
        let without: Vec<Term> = core.iter().copied().filter(|&t| t != candidate).collect();
        if let (Answer::Unsat, smaller) = ask(solver, terms, &without) {
            *core = smaller;
        }
    }
}
