//! Clause instances for ground facts.

use clinch_ir::{Clause, Derivation, DerivationStep, HornSystem, Reason};
use clinch_smt::{Answer, Fact, Solver, Z3Solver};
use clinch_terms::{Terms, Value};

use crate::budget::Budget;
use crate::horn::equals;
use crate::spacer::uncertified;

/// Ways to match the body of a clause with facts that are tried for one step.
const MATCHES: usize = 64;

/// A clause instance for each fact. Z3 may change the order of a clause's body and leave out what occurs twice, so
/// premises are found by their predicates.
pub(super) fn derivation(
    system: &HornSystem,
    facts: &[Fact],
    budget: &Budget,
    queries: &mut u64,
) -> Result<Derivation, Reason> {
    let mut search = Search { system, facts, terms: system.terms.clone(), queries };
    let mut steps = Vec::new();
    for fact in facts {
        budget.check()?;
        steps.push(search.instance(fact).ok_or_else(|| uncertified("a fact of Z3's follows from no clause"))?);
    }
    Ok(Derivation { steps })
}

struct Search<'a> {
    system: &'a HornSystem,
    facts: &'a [Fact],
    terms: Terms,
    queries: &'a mut u64,
}

impl Search<'_> {
    /// A clause, premises and values that derive the fact.
    fn instance(&mut self, fact: &Fact) -> Option<DerivationStep> {
        let system = self.system;
        for id in system.clause_ids() {
            let clause = system.clause(id);
            if clause.head.as_ref().map(|h| h.predicate) != fact.predicate {
                continue;
            }
            for premises in self.matches(clause, fact) {
                if let Some(values) = self.values(clause, fact, &premises) {
                    return Some(DerivationStep { clause: id, values, premises });
                }
            }
        }
        None
    }

    /// For each application of the body a premise of the fact with its predicate, in all ways.
    fn matches(&self, clause: &Clause, fact: &Fact) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new()];
        for application in &clause.body {
            let fits = |p: &&usize| self.facts[**p].predicate == Some(application.predicate);
            let longer = found.iter().flat_map(|done: &Vec<usize>| {
                fact.premises.iter().filter(fits).map(|&p| done.iter().copied().chain([p]).collect::<Vec<usize>>())
            });
            found = longer.take(MATCHES).collect();
        }
        found
    }

    /// Values of the clause's symbols with which it derives the fact from the premises.
    fn values(&mut self, clause: &Clause, fact: &Fact, premises: &[usize]) -> Option<Vec<Value>> {
        *self.queries += 1;
        let mut solver = Z3Solver::for_formulas();
        let body = clause.body.iter().zip(premises.iter().map(|&p| &self.facts[p]));
        for (application, fact) in body.chain(clause.head.iter().map(|head| (head, fact))) {
            for (&arg, value) in application.args.iter().zip(&fact.args) {
                let same = equals(&mut self.terms, arg, value)?;
                solver.assert(&self.terms, same);
            }
        }
        solver.assert(&self.terms, clause.constraint);
        match solver.check(&self.terms, &[]) {
            Answer::Sat => clause.vars.iter().map(|&v| solver.symbol_value(&self.terms, v)).collect(),
            Answer::Unsat | Answer::Unknown => None,
        }
    }
}
