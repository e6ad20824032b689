//! Which conjuncts of invariants a solution needs.
//!
//! A solution of strengthened clauses with all invariants is one of the original clauses, but most conjuncts are of
//! no use. Cores tell which ones of the premises a clause needs for what is needed of its head.

use clinch_ir::{Application, Clause, HornSystem, Interpretation};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::Term;

use super::Invariants;

/// Adds to a solution of the strengthened clauses those conjuncts without which it is none of the original clauses; all
/// conjuncts, if the solver cannot tell.
pub(super) fn solution(invariants: &Invariants, system: &HornSystem, mut solution: Interpretation) -> Interpretation {
    let mut selection = Selection {
        system,
        invariants,
        needed: invariants.conjuncts.iter().map(|c| vec![false; c.len()]).collect(),
        solution: &mut solution,
    };
    if selection.fixpoint().is_none() {
        selection.needed.iter_mut().for_each(|n| n.fill(true));
    }
    let needed = selection.needed;
    for (p, formula) in solution.formulas.iter_mut().enumerate() {
        for (&conjunct, _) in invariants.conjuncts[p].iter().zip(&needed[p]).filter(|(_, needed)| **needed) {
            *formula = solution.terms.and(*formula, conjunct);
        }
    }
    solution
}

struct Selection<'a> {
    system: &'a HornSystem,
    invariants: &'a Invariants,
    /// For each predicate, which conjuncts of its invariant are needed.
    needed: Vec<Vec<bool>>,
    solution: &'a mut Interpretation,
}

impl Selection<'_> {
    /// Selects until no clause needs more.
    fn fixpoint(&mut self) -> Option<()> {
        let mut changed = true;
        while changed {
            changed = false;
            for clause in &self.system.clauses {
                changed |= self.select(clause)?;
            }
        }
        Some(())
    }

    /// Selects what this clause needs. Whether that is more than before.
    fn select(&mut self, clause: &Clause) -> Option<bool> {
        let mut solver = Z3Solver::for_formulas();
        solver.assert(&self.solution.terms, clause.constraint);
        let (mut optional, mut assumptions) = (Vec::new(), Vec::new());
        for application in &clause.body {
            let p = application.predicate.index();
            for fact in self.facts(application) {
                solver.assert(&self.solution.terms, fact);
            }
            let others: Vec<usize> = (0..self.needed[p].len()).filter(|&i| !self.needed[p][i]).collect();
            for i in others {
                optional.push((p, i));
                assumptions.push((self.instance(application, self.invariants.conjuncts[p][i]), true));
            }
        }
        if let Some(head) = &clause.head {
            let facts = self.facts(head);
            let terms = &mut self.solution.terms;
            let all = terms.all(facts);
            let outside = terms.not(all);
            solver.assert(terms, outside);
        }
        if solver.check(&self.solution.terms, &assumptions) != Answer::Unsat {
            return None;
        }
        let core = solver.core();
        core.iter().map(|&k| optional[k]).for_each(|(p, i)| self.needed[p][i] = true);
        Some(!core.is_empty())
    }

    /// The solution and what is needed besides, about the arguments.
    fn facts(&mut self, application: &Application) -> Vec<Term> {
        let p = application.predicate.index();
        let conjuncts = self.invariants.conjuncts[p].iter().zip(&self.needed[p]);
        let needed = conjuncts.filter(|(_, needed)| **needed).map(|(&c, _)| c);
        let facts: Vec<Term> = [self.solution.formulas[p]].into_iter().chain(needed).collect();
        facts.into_iter().map(|f| self.instance(application, f)).collect()
    }

    fn instance(&mut self, application: &Application, formula: Term) -> Term {
        let params = &self.system.predicate(application.predicate).params;
        application.instantiate(&mut self.solution.terms, params, formula)
    }
}
