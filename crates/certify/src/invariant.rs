//! Re-checks that abstract states are an inductive invariant without errors.
//!
//! With `I` the union of the abstract states, and all variables in their domains: initial states are in `I`; a step from a
//! state in `I` ends in `I` and keeps the domains; no state in `I` is an error, faults or (if that is asked) is stuck.

use clinch_ir::definedness::{in_domain, violated};
use clinch_ir::symbolic::{at_locations, initial_condition, input_condition};
use clinch_ir::{AbstractProof, AbstractState, Domain, Effect, Program, SymbolicTransition, TransId};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{LocId, Node, Term, Terms, VarId};
use rustc_hash::FxHashMap;

use crate::{Rejection, Stop};

pub(crate) fn check(program: &Program, proof: &AbstractProof, stop: Stop<'_>) -> Result<(), Rejection> {
    check_shape(program, proof)?;
    let mut checker = Checker::new(program, proof);
    checker.check_domains()?;
    checker.check_initiation()?;
    for (number, state) in proof.states.iter().enumerate() {
        if stop() {
            return Err(Rejection::Stopped);
        }
        checker.check_state(number, state)?;
    }
    Ok(())
}

/// The proof speaks about this program.
fn check_shape(program: &Program, proof: &AbstractProof) -> Result<(), Rejection> {
    let states_fit = proof.states.iter().all(|s| {
        s.locs.len() == program.processes.len()
            && s.literals.iter().all(|&(p, _)| (p as usize) < proof.predicates.len())
    });
    let targets = || proof.successors.iter().flatten().flat_map(|(_, targets)| targets);
    if !proof.terms.extends(&program.terms) || !states_fit {
        return wrong("it is about another program");
    }
    if proof.successors.len() != proof.states.len() || targets().any(|&t| t as usize >= proof.states.len()) {
        return wrong("its hints do not fit its states");
    }
    Ok(())
}

struct Checker<'a> {
    program: &'a Program,
    proof: &'a AbstractProof,
    terms: Terms,
    solver: Z3Solver,
    symbolic: Vec<SymbolicTransition>,
    /// The error condition, true where it has no value.
    error: Option<Term>,
    after: FxHashMap<(TransId, u32), Term>,
    by_locs: FxHashMap<&'a [LocId], Vec<u32>>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, proof: &'a AbstractProof) -> Self {
        let mut terms = proof.terms.clone();
        let symbolic = program.transition_ids().map(|id| SymbolicTransition::new(program, &mut terms, id)).collect();
        let error = program.property.error.map(|error| violated(program, &mut terms, error));
        let mut by_locs: FxHashMap<&[LocId], Vec<u32>> = FxHashMap::default();
        for (number, state) in proof.states.iter().enumerate() {
            by_locs.entry(&state.locs).or_default().push(number as u32);
        }
        Checker {
            program,
            proof,
            terms,
            solver: Z3Solver::new(program),
            symbolic,
            error,
            after: FxHashMap::default(),
            by_locs,
        }
    }

    /// The literals of an abstract state.
    fn alpha(&self, state: &AbstractState) -> Vec<(Term, bool)> {
        state.literals.iter().map(|&(p, value)| (self.proof.predicates[p as usize], value)).collect()
    }

    /// Whether facts and literals exclude each other.
    fn refuted(&mut self, facts: &[Term], literals: &[(Term, bool)]) -> Result<bool, Rejection> {
        if facts.iter().any(|&f| self.terms.node(f) == Node::Bool(false)) {
            return Ok(true);
        }
        self.solver.push();
        for &fact in facts {
            self.solver.assert(&self.terms, fact);
        }
        let answer = self.solver.check(&self.terms, literals);
        self.solver.pop();
        match answer {
            Answer::Unsat => Ok(true),
            Answer::Sat => Ok(false),
            Answer::Unknown => Err(Rejection::Undecided("the solver gave up on a query of the proof".to_string())),
        }
    }

    /// Steps keep all variables in their domains; everything else relies on that.
    fn check_domains(&mut self) -> Result<(), Rejection> {
        for i in 0..self.symbolic.len() {
            let SymbolicTransition { effect: Effect { guard, updates, open: inputs }, fault, .. } =
                self.symbolic[i].clone();
            let mut kept = self.terms.tt();
            for (var, value) in updates {
                let fits = self.stays_in_domain(var, value);
                kept = self.terms.and(kept, fits);
            }
            let inputs_fit = input_condition(&mut self.terms, &inputs);
            let (no_fault, leaves) = (self.terms.not(fault), self.terms.not(kept));
            if !self.refuted(&[guard, no_fault, inputs_fit, leaves], &[])? {
                return wrong("a step takes a variable out of its domain");
            }
        }
        Ok(())
    }

    fn stays_in_domain(&mut self, var: VarId, value: Term) -> Term {
        let declaration = self.program.var(var);
        if matches!(declaration.domain, Domain::Bool | Domain::Unbounded) {
            return self.terms.tt();
        }
        let mut conjuncts = Vec::new();
        for offset in 0..declaration.cells() {
            let cell = match declaration.len {
                None => value,
                Some(_) => {
                    let index = self.terms.int(offset.into());
                    self.terms.select(value, index)
                }
            };
            conjuncts.push(in_domain(self.program, &mut self.terms, &declaration.domain, cell));
        }
        self.terms.all(conjuncts)
    }

    fn check_initiation(&mut self) -> Result<(), Rejection> {
        let locs: Vec<LocId> = self.program.processes.iter().map(|p| p.initial).collect();
        let mut facts = vec![initial_condition(self.program, &mut self.terms)];
        for number in self.by_locs.get(locs.as_slice()).cloned().unwrap_or_default() {
            let literals = self.alpha(&self.proof.states[number as usize]);
            facts.push(self.none_of(&literals));
        }
        if self.refuted(&facts, &[])? { Ok(()) } else { wrong("an initial state is not in it") }
    }

    /// The negation of a conjunction of literals.
    fn none_of(&mut self, literals: &[(Term, bool)]) -> Term {
        let violated: Vec<Term> =
            literals.iter().map(|&(t, value)| if value { self.terms.not(t) } else { t }).collect();
        self.terms.any(violated)
    }

    fn check_state(&mut self, number: usize, state: &AbstractState) -> Result<(), Rejection> {
        let alpha = self.alpha(state);
        if let Some(error) = self.error {
            let error = at_locations(&mut self.terms, &state.locs, error);
            if !self.refuted(&[error], &alpha)? {
                return wrong("it contains an error");
            }
        }
        let mut guards = Vec::new();
        for id in self.program.transition_ids() {
            let moves = &self.program.transition(id).moves;
            if moves.iter().all(|m| state.locs[m.process.index()] == m.from) {
                guards.push(self.check_transition(number, state, &alpha, id)?);
            }
        }
        if self.program.property.deadlock {
            let stuck: Vec<Term> = guards.into_iter().map(|g| self.terms.not(g)).collect();
            if !self.refuted(&stuck, &alpha)? {
                return wrong("it contains a deadlock");
            }
        }
        Ok(())
    }

    /// Steps by one transition stay in the invariant. Returns the guard at the state's locations.
    fn check_transition(
        &mut self,
        number: usize,
        state: &AbstractState,
        alpha: &[(Term, bool)],
        id: TransId,
    ) -> Result<Term, Rejection> {
        let step = &self.symbolic[id.index()];
        let guard = at_locations(&mut self.terms, &state.locs, step.effect.guard);
        let fault = at_locations(&mut self.terms, &state.locs, step.fault);
        if !self.refuted(&[fault], alpha)? {
            return wrong("a step from it is a fault");
        }
        let mut locs = state.locs.clone();
        for m in &self.program.transition(id).moves {
            locs[m.process.index()] = m.to;
        }
        let hinted = self.proof.successors[number].iter().find(|(t, _)| *t == id);
        let hints = hinted.map(|(_, targets)| targets.clone()).unwrap_or_default();
        if self.ends_in(state, alpha, id, guard, &locs, &hints)? {
            return Ok(guard);
        }
        let all = self.by_locs.get(locs.as_slice()).cloned().unwrap_or_default();
        if self.ends_in(state, alpha, id, guard, &locs, &all)? {
            return Ok(guard);
        }
        wrong("a step leaves it")
    }

    /// Whether every step from the abstract state ends in one of the targets.
    fn ends_in(
        &mut self,
        state: &AbstractState,
        alpha: &[(Term, bool)],
        id: TransId,
        guard: Term,
        locs: &[LocId],
        targets: &[u32],
    ) -> Result<bool, Rejection> {
        let inputs = self.symbolic[id.index()].effect.open.clone();
        let mut facts = vec![guard, input_condition(&mut self.terms, &inputs)];
        for &target in targets {
            let target = &self.proof.states[target as usize];
            if target.locs != locs {
                continue;
            }
            let mut literals = Vec::new();
            for &(p, value) in &target.literals {
                let after = self.after(id, p, &state.locs);
                if !alpha.contains(&(after, value)) {
                    literals.push((after, value));
                }
            }
            if literals.is_empty() {
                return Ok(true);
            }
            facts.push(self.none_of(&literals));
        }
        self.refuted(&facts, alpha)
    }

    fn after(&mut self, id: TransId, p: u32, locs: &[LocId]) -> Term {
        let (terms, symbolic, program) = (&mut self.terms, &self.symbolic[id.index()], self.program);
        let predicate = self.proof.predicates[p as usize];
        let after = *self.after.entry((id, p)).or_insert_with(|| symbolic.after(program, terms, predicate));
        if self.terms.mentions_control(after) { at_locations(&mut self.terms, locs, after) } else { after }
    }
}

fn wrong<T>(what: &str) -> Result<T, Rejection> {
    Err(Rejection::Wrong(format!("the abstract states are no proof: {what}")))
}
