//! Systems over the rational numbers as Horn clauses: one predicate for each location.

use clinch_ir::{Application, Clause as HornClause, HornSystem, PredId, Predicate, Source, Span};
use clinch_terms::{Node, Sort, Term, Terms};

use super::clause::{Clause, TermId, VarIndex};
use super::expr::{Result, Translator};
use super::facts::{Facts, Role, Step};
use super::names::{Condition, Names};
use super::solve::{Solution, Task, solve};
use crate::junction::conjunction;
use crate::{Input, Numbers};

/// Clauses in the making.
pub(super) struct Builder {
    system: HornSystem,
}

impl Builder {
    pub(super) fn new(source: Source) -> Self {
        Builder { system: HornSystem::new(source) }
    }

    fn add(&mut self, body: Option<Application>, constraint: Term, head: Option<Application>, span: Span) {
        let body: Vec<Application> = body.into_iter().collect();
        let vars = HornSystem::collect_vars(&self.system.terms, &body, constraint, head.as_ref());
        self.system.clauses.push(HornClause { vars, body, constraint, head, span });
    }

    /// Symbols for the variables of the system.
    fn symbols(&mut self, names: &Names) -> Vec<Term> {
        names.shown.iter().map(|n| self.system.terms.fresh(n.clone(), Sort::Real)).collect()
    }
}

fn at(location: usize, args: Vec<Term>) -> Application {
    Application { predicate: PredId::from_index(location), args }
}

impl super::Translation for Builder {
    fn step(&mut self, clause: &Clause<'_>, _: &mut Facts, step: &Step) -> Result<()> {
        let terms = &mut self.system.terms;
        let fresh = |terms: &mut Terms, var: VarIndex| terms.fresh(clause.vars()[var.index()].name, Sort::Real);
        let known = clause.var_indices().zip(&step.roles).map(|(var, role)| match role {
            Role::Before(_) => Some(fresh(terms, var)),
            _ => None,
        });
        let known: Vec<Option<Term>> = known.collect();
        let before = step.before.iter().map(|v| known[v.index()].expect("it is known")).collect();
        let task = Task { clause, numbers: Numbers::Rational, constraints: &step.constraints, known };
        let Solution { values, guard } = solve(terms, task, &mut { fresh })?;
        let after = step.after.iter().map(|v| values[v.index()].unwrap_or_else(|| fresh(terms, *v))).collect();
        let guard = conjunction(terms, &guard);
        self.add(Some(at(step.from, before)), guard, Some(at(step.to, after)), step.span);
        Ok(())
    }

    /// Clauses have no place for predicates to start from; they are only checked.
    fn predicate(&mut self, clause: &Clause<'_>, vars: &[VarIndex], id: TermId) -> Result<()> {
        let mut terms = Terms::new();
        let scope = super::program::Positions(vars);
        Translator { terms: &mut terms, clause, numbers: Numbers::Rational, scope }.formula(id).map(|_| ())
    }

    fn declare(&mut self, facts: &Facts, names: &Names) {
        for location in facts.locations.keys() {
            let params = names.shown.iter().map(|n| self.system.terms.declare(n.clone(), Sort::Real)).collect();
            self.system.predicates.push(Predicate { name: location.clone(), params });
        }
        let args = self.symbols(names);
        let tt = self.system.terms.tt();
        let start = facts.start.expect("it was checked");
        self.add(None, tt, Some(at(start, args)), Span::default());
    }

    fn error_locations(&mut self, facts: &Facts) {
        let tt = self.system.terms.tt();
        for &location in &facts.errors {
            let params = self.system.predicates[location].params.clone();
            let args = params.into_iter().map(|p| {
                let name = self.system.terms.symbol_name(p).to_owned();
                self.system.terms.fresh(name, Sort::Real)
            });
            let args = args.collect();
            self.add(Some(at(location, args)), tt, None, Span::default());
        }
    }

    fn error_condition(&mut self, condition: &Condition<'_>) -> Result<()> {
        let &Condition { clause, id, facts, names } = condition;
        for location in 0..facts.locations.len() {
            let values = self.symbols(names);
            let here = |terms: &mut Terms, other| terms.bool(other == location);
            let scope = condition.named(&values, here);
            let terms = &mut self.system.terms;
            let formula = Translator { terms, clause, numbers: Numbers::Rational, scope }.formula(id)?;
            if terms.node(formula) != Node::Bool(false) {
                self.add(Some(at(location, values)), formula, None, Span::default());
            }
        }
        Ok(())
    }

    fn named_predicate(&mut self, condition: &Condition<'_>) -> Result<()> {
        let mut terms = Terms::new();
        let values: Vec<Term> = condition.names.shown.iter().map(|n| terms.fresh(n.clone(), Sort::Real)).collect();
        let scope = condition.named(&values, |terms: &mut Terms, _| terms.tt());
        let mut translator =
            Translator { terms: &mut terms, clause: condition.clause, numbers: Numbers::Rational, scope };
        translator.formula(condition.id).map(|_| ())
    }

    fn finish(self) -> Input {
        Input::Horn(Box::new(self.system))
    }
}
