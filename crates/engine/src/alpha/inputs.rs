//! Open systems: one input value per satisfiable combination of the predicates ([Alpha, section 7.1]).
//!
//! The solver enumerates the combinations: find a value, see which predicates hold after the step, exclude that
//! combination, and again until there is none left.

use clinch_ir::symbolic::{at_locations, cell_equals, cell_terms, initial_condition, input_condition};
use clinch_ir::{Domain, Program, Reason, State, TransId};
use clinch_smt::{Answer, Literal, Solver, Z3Solver};
use clinch_terms::{LocId, Node, Term, Terms};

use super::Context;
use super::exact::{AlphaState, Exactness};
use crate::budget::Budget;
use crate::concrete::Expander;

/// Finds input values.
pub(super) struct InputSolver {
    solver: Z3Solver,
}

impl InputSolver {
    pub(super) fn new(program: &Program) -> Self {
        InputSolver { solver: Z3Solver::new(program) }
    }

    /// An initial state for each satisfiable combination of the predicates.
    pub(super) fn initial_states(&mut self, exactness: &mut Exactness<'_>) -> Result<Vec<Box<[u64]>>, Reason> {
        let Context { model, budget, .. } = exactness.context;
        let (terms, phi) = (&mut *exactness.terms, exactness.phi);
        let program = model.program;
        let locs: Vec<LocId> = program.processes.iter().map(|p| p.initial).collect();
        let condition = initial_condition(program, terms);
        let wanted = cell_terms(program, terms);
        let observed: Vec<(usize, Term)> =
            (0..phi.len()).filter(|&p| phi.active(p, &locs)).map(|p| (p, phi.get(p).term)).collect();
        let mut expander = Expander::new(model);
        let mut states = Vec::new();
        self.enumerate(terms, &[condition], &wanted, budget, |terms, cells| {
            let mut words = vec![0; model.layout.words].into_boxed_slice();
            model.layout.pack(&State { locs: locs.clone(), cells: cells.to_vec() }, &mut words);
            expander.load(&words);
            let bits = phi.values(&mut expander, &locs)?;
            states.push(words);
            Ok(combination(terms, observed.iter().map(|&(p, t)| (t, bits[p / 64] >> (p % 64) & 1 != 0))))
        })?;
        Ok(states)
    }

    /// Input values of a transition in a concrete state, one for each satisfiable combination of the predicates after it.
    pub(super) fn step_inputs(
        &mut self,
        exactness: &mut Exactness<'_>,
        words: &[u64],
        i: TransId,
    ) -> Result<Vec<Vec<i64>>, Reason> {
        let (Context { model, budget, .. }, phi) = (exactness.context, exactness.phi);
        let program = model.program;
        let state = model.layout.unpack(words);
        let domains: Vec<Domain> = program.transition(i).inputs().map(|a| program.var(a.var).domain.clone()).collect();
        let next_locs = locations_after(program, i, &state.locs);
        let observed: Vec<Term> = (0..phi.len())
            .filter(|&p| phi.active(p, &next_locs))
            .map(|p| exactness.after(i, p, &[], &state.locs))
            .collect();
        let terms = &mut *exactness.terms;
        let mut facts = vec![input_condition(terms, &domains)];
        facts.extend(cell_values(program, terms, &state));
        let wanted: Vec<Term> = (0..domains.len()).map(|k| terms.intern(Node::Input(k as u32))).collect();
        let mut expander = Expander::new(model);
        let mut found: Vec<Vec<i64>> = Vec::new();
        self.enumerate(terms, &facts, &wanted, budget, |terms, inputs| {
            found.push(inputs.to_vec());
            let mut bits = None;
            expander.load(words);
            let mut next: Option<Box<[u64]>> = None;
            expander.for_transition_with(i, inputs, |event| {
                if let crate::concrete::Event::Step(step) = event {
                    next = Some(step.words.into());
                }
            });
            if let Some(next) = next {
                expander.load(&next);
                bits = Some(phi.values(&mut expander, &next_locs)?);
            }
            // Disabled or faulty: one value shows it as well as any other.
            let Some(bits) = bits else { return Ok(terms.tt()) };
            let active = (0..phi.len()).filter(|&p| phi.active(p, &next_locs));
            let values = active.map(|p| bits[p / 64] >> (p % 64) & 1 != 0);
            Ok(combination(terms, observed.iter().copied().zip(values)))
        })?;
        Ok(found)
    }

    /// Checks that steps from the abstract state, with any inputs, end in one of the targets; else refines with what the
    /// inputs of a step that does not tell apart.
    pub(super) fn check_closed(
        &mut self,
        exactness: &mut Exactness<'_>,
        number: usize,
        s: &AlphaState,
        i: TransId,
        targets: &[AlphaState],
    ) {
        let phi = exactness.phi;
        let symbolic = exactness.symbolic(i).clone();
        let next_locs = locations_after(exactness.context.model.program, i, &s.locs);
        let active: Vec<usize> = (0..phi.len()).filter(|&p| phi.active(p, &next_locs)).collect();
        let after: Vec<Term> = active.iter().map(|&p| exactness.after(i, p, &[], &s.locs)).collect();
        let terms = &mut *exactness.terms;
        let guard = at_locations(terms, &s.locs, symbolic.effect.guard);
        let inputs_fit = input_condition(terms, &symbolic.effect.open);
        let mut facts = vec![guard, inputs_fit];
        for target in targets {
            let values = active.iter().map(|&p| target.bit(p));
            let reached = combination(terms, after.iter().copied().zip(values));
            facts.push(terms.not(reached));
        }
        let premises: Vec<Literal> =
            (0..phi.len()).filter(|&p| phi.active(p, &s.locs)).map(|p| (phi.get(p).term, s.bit(p))).collect();
        self.solver.push();
        for fact in facts {
            self.solver.assert(exactness.terms, fact);
        }
        let answer = self.solver.check(exactness.terms, &premises);
        let escape: Option<Vec<i64>> = (0..symbolic.effect.open.len())
            .map(|k| {
                let input = exactness.terms.intern(Node::Input(k as u32));
                self.solver.value(exactness.terms, input)
            })
            .collect();
        self.solver.pop();
        if answer == Answer::Unsat {
            return;
        }
        let inputs = escape.unwrap_or_else(|| vec![0; symbolic.effect.open.len()]);
        for &p in &active {
            let formula = exactness.after(i, p, &inputs, &s.locs);
            exactness.refine(number, i, formula);
        }
    }

    /// Calls `f` with values of the wanted terms under the facts, as often as there are values not excluded by a formula
    /// that `f` returned.
    fn enumerate(
        &mut self,
        terms: &mut Terms,
        facts: &[Term],
        wanted: &[Term],
        budget: &Budget,
        mut f: impl FnMut(&mut Terms, &[i64]) -> Result<Term, Reason>,
    ) -> Result<(), Reason> {
        self.solver.push();
        for &fact in facts {
            self.solver.assert(terms, fact);
        }
        let outcome = loop {
            if let Err(reason) = budget.check() {
                break Err(reason);
            }
            match self.solver.check(terms, &[]) {
                Answer::Unsat => break Ok(()),
                Answer::Unknown => break Err(Reason::Unsupported("the solver finds no input values".to_string())),
                Answer::Sat => {}
            }
            let values: Option<Vec<i64>> = wanted.iter().map(|&t| self.solver.value(terms, t)).collect();
            let Some(values) = values else { break Err(Reason::Overflow("an input".to_string())) };
            match f(terms, &values) {
                Ok(seen) => {
                    let other = terms.not(seen);
                    self.solver.assert(terms, other);
                }
                Err(reason) => break Err(reason),
            }
        };
        self.solver.pop();
        outcome
    }
}

fn combination(terms: &mut Terms, literals: impl Iterator<Item = Literal>) -> Term {
    let conjuncts: Vec<Term> = literals.map(|(t, value)| if value { t } else { terms.not(t) }).collect();
    terms.all(conjuncts)
}

fn locations_after(program: &Program, i: TransId, locs: &[LocId]) -> Vec<LocId> {
    let mut after = locs.to_vec();
    for m in &program.transition(i).moves {
        after[m.process.index()] = m.to;
    }
    after
}

/// What the cells of a state are, each as an equation.
pub(super) fn cell_values(program: &Program, terms: &mut Terms, state: &State) -> Vec<Term> {
    let cells = cell_terms(program, terms);
    let values = state.cells.iter().zip(program.cell_domains());
    cells.into_iter().zip(values).map(|(cell, (&value, domain))| cell_equals(terms, domain, cell, value)).collect()
}
