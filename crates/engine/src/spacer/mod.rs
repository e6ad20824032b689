//! Z3's engine for Horn clauses, Spacer, as a reference to compare with.
//!
//! \[Spacer\] Komuravelli, Gurfinkel, Chaki: *SMT-based model checking for recursive programs*, FMSD 48 (2016).
//!
//! The search is Z3's; what stands here turns its answers into evidence of ours. A solution is read from Z3's model, and
//! looked at before it is handed on: where Z3's transformations of the clauses spoil it, Z3 is asked again without them, and
//! where it has quantifiers that formulas here cannot have, they are eliminated. A
//! refutation comes as ground facts; for each of them a clause, and values for all its symbols, are found by one query.

mod refutation;

use std::time::{Duration, Instant};

use clinch_ir::{HornSystem, HornVerdict, Interpretation, Reason};
use clinch_smt::{Answer, HornAnswer, Quantifiers, Refutation, Solver, Z3Solver};
use clinch_terms::{Node, Term, Terms};
use serde::Serialize;

use crate::HornOutcome;
use crate::budget::{Budget, Observer, Progress};

/// What a run took.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Seconds until Z3's verdict.
    pub verdict_time_s: f64,
    /// Seconds for turning it into evidence.
    pub evidence_time_s: f64,
    /// How often Z3 was asked.
    pub runs: u64,
    /// Queries about single clauses, for the evidence.
    pub queries: u64,
}

/// Decides Horn clauses.
pub fn check(system: &HornSystem, budget: &Budget, observer: &mut dyn Observer) -> HornOutcome<Stats> {
    let start = Instant::now();
    let mut run = Solving { system, budget, stats: Stats::default() };
    observer.progress(Progress { iteration: 1, ..Progress::default() });
    let (terms, answer) = run.first_answer();
    run.stats.verdict_time_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    observer.progress(Progress { iteration: 2, ..Progress::default() });
    let verdict = match answer {
        HornAnswer::Sat(candidates) => {
            run.solution(&terms, candidates).map_or_else(HornVerdict::Unknown, HornVerdict::Safe)
        }
        HornAnswer::Unsat => run.refutation(),
        HornAnswer::Unknown(why) => HornVerdict::Unknown(run.gave_up(&why)),
    };
    run.stats.evidence_time_s = start.elapsed().as_secs_f64();
    (verdict, run.stats)
}

struct Solving<'a> {
    system: &'a HornSystem,
    budget: &'a Budget,
    stats: Stats,
}

/// The processor's time of Z3's first run, where there are several.
const FIRST_RUN: Duration = Duration::from_millis(400);
/// A run that ends so shortly before its time was cut off.
const CUT_OFF: Duration = Duration::from_millis(20);

impl Solving<'_> {
    /// What Z3 says of the clauses. Its search cannot be left and taken up again: where engines take turns, it starts anew with more time
    /// in each of them.
    fn first_answer(&mut self) -> (Terms, HornAnswer) {
        let mut length = FIRST_RUN;
        loop {
            let part = if self.budget.takes_turns() { self.budget.part(length) } else { self.budget.clone() };
            let mut terms = self.system.terms.clone();
            self.stats.runs += 1;
            let answer = clinch_smt::solve(self.system, &mut terms, Quantifiers::Unreadable, part.remaining());
            let cut_off = matches!(answer, HornAnswer::Unknown(_)) && part.timed_out(CUT_OFF).is_some();
            if !cut_off || self.budget.check().is_err() {
                return (terms, answer);
            }
            length *= 2;
        }
    }

    /// A solution that is one, as far as one can see; perhaps another one than Z3 found first.
    fn solution(&mut self, terms: &Terms, candidates: Vec<Vec<Term>>) -> Result<Interpretation, Reason> {
        let unreadable = candidates.is_empty();
        if let Some(solution) = self.first_accepted(terms, candidates)? {
            return Ok(solution);
        }
        let plain = match self.ask_plainly() {
            (terms, Refutation::Solution(Some(formulas))) => self.accepted(terms, formulas)?,
            (_, Refutation::Solution(None)) => None,
            (_, Refutation::Facts(_)) => return Err(uncertified("Z3 gives different answers")),
            (_, Refutation::Unknown(why)) => return Err(self.gave_up(&why)),
        };
        match plain {
            Some(solution) => Ok(solution),
            // Asked plainly, Z3 leaves out what it says with quantifiers: that the rest is no solution means nothing.
            None if unreadable => self.without_quantifiers(),
            None => Err(uncertified("Z3's solution violates a clause")),
        }
    }

    /// The first solution that Z3 finds, with its quantifiers eliminated.
    fn without_quantifiers(&mut self) -> Result<Interpretation, Reason> {
        self.stats.runs += 1;
        let mut terms = self.system.terms.clone();
        let answer = clinch_smt::solve(self.system, &mut terms, Quantifiers::Eliminated, self.budget.remaining());
        let HornAnswer::Sat(candidates) = answer else { return Err(self.timed_out().unwrap_or_else(unreadable)) };
        self.first_accepted(&terms, candidates)?.ok_or_else(|| self.timed_out().unwrap_or_else(unreadable))
    }

    fn first_accepted(&mut self, terms: &Terms, candidates: Vec<Vec<Term>>) -> Result<Option<Interpretation>, Reason> {
        for formulas in candidates {
            if let Some(solution) = self.accepted(terms.clone(), formulas)? {
                return Ok(Some(solution));
            }
        }
        Ok(None)
    }

    fn refutation(&mut self) -> HornVerdict {
        match self.ask_plainly().1 {
            Refutation::Facts(Some(facts)) => {
                let derivation = refutation::derivation(self.system, &facts, self.budget, &mut self.stats.queries);
                derivation.map_or_else(HornVerdict::Unknown, HornVerdict::Unsafe)
            }
            Refutation::Facts(None) => {
                let reason =
                    self.timed_out().unwrap_or_else(|| uncertified("Z3's refutation is about other predicates"));
                HornVerdict::Unknown(reason)
            }
            Refutation::Solution(_) => HornVerdict::Unknown(uncertified("Z3 gives different answers")),
            Refutation::Unknown(why) => HornVerdict::Unknown(self.gave_up(&why)),
        }
    }

    /// Z3 without transformations.
    fn ask_plainly(&mut self) -> (Terms, Refutation) {
        self.stats.runs += 1;
        let mut terms = self.system.terms.clone();
        let answer = clinch_smt::refute(self.system, &mut terms, self.budget.remaining());
        (terms, answer)
    }

    /// The formulas, unless they violate a clause.
    fn accepted(&mut self, mut terms: Terms, formulas: Vec<Term>) -> Result<Option<Interpretation>, Reason> {
        for clause in 0..self.system.clauses.len() {
            self.budget.check()?;
            if self.is_violated(&mut terms, &formulas, clause) {
                return Ok(None);
            }
        }
        Ok(Some(Interpretation { terms, formulas }))
    }

    /// Whether the solver finds values that violate a clause. What it cannot say is left to the re-check.
    fn is_violated(&mut self, terms: &mut Terms, formulas: &[Term], clause: usize) -> bool {
        let clause = &self.system.clauses[clause];
        let mut facts = vec![clause.constraint];
        for (application, holds) in clause.body.iter().map(|a| (a, true)).chain(clause.head.iter().map(|a| (a, false)))
        {
            let predicate = application.predicate;
            let params = &self.system.predicate(predicate).params;
            let meaning = application.instantiate(terms, params, formulas[predicate.index()]);
            facts.push(if holds { meaning } else { terms.not(meaning) });
        }
        if facts.iter().any(|&f| terms.node(f) == Node::Bool(false)) {
            return false;
        }
        self.stats.queries += 1;
        let mut solver = Z3Solver::for_formulas();
        facts.iter().for_each(|&f| solver.assert(terms, f));
        solver.check(terms, &[]) == Answer::Sat
    }

    /// Why there is no answer: our limits, or what Z3 says.
    fn gave_up(&self, why: &str) -> Reason {
        // It may go on with pages of rules.
        let why = why.lines().next().unwrap_or_default();
        self.timed_out().unwrap_or_else(|| Reason::Unsupported(format!("Z3 gave up: {why}")))
    }

    /// Our limits, if they are near: Z3 may stop a little before the limit it was given.
    fn timed_out(&self) -> Option<Reason> {
        const NEAR: Duration = Duration::from_millis(200);
        self.budget.check_memory().err().or_else(|| self.budget.timed_out(NEAR))
    }
}

fn unreadable() -> Reason {
    uncertified("Z3's solution has quantifiers, or other parts that formulas here do not have")
}

fn uncertified(why: &str) -> Reason {
    Reason::Uncertified(why.to_owned())
}
