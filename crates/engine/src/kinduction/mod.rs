//! k-induction with auxiliary invariants: M. Sheeran, S. Singh, G. Stålmarck, *Checking Safety Properties Using Induction and a
//! SAT-Solver*, FMCAD 2000 (\[Simple\]); for programs as A. Donaldson, L. Haller, D. Kroening, P. Rümmer, *Software Verification Using
//! k-Induction*, SAS 2011 (\[Kind\]); with invariants that others find as D. Beyer, M. Dangl, P. Wendler, *Boosting k-Induction with
//! Continuously-Refined Invariants*, CAV 2015 (\[Kinv\]).
//!
//! If `k` iterations of a loop without error are never followed by one with an error, and the first `k` have none, there is none at
//! all. What is not true of every state, only of those that can be reached, has to be said by invariants: candidates are made
//! from templates, and the largest set of them that is preserved is kept (C. Flanagan, K. R. M. Leino, *Houdini, an Annotation
//! Assistant for ESC/Java*, FME 2001, \[Houdini\]), in exact bits, by the same induction. States that runs were in refute most of them
//! before.
//!
//! | papers                                   | here                                                        |
//! |------------------------------------------|-------------------------------------------------------------|
//! | base case                                | `Induction::base`, which is `crate::bounded`                |
//! | inductive step, cutting of loops         | `crate::bounded::cut`                                       |
//! | combined case rule of \[Kind\]             | one round executes base and step together                   |
//! | simple paths                             | deviation D5 of `crate::bounded`                            |
//! | candidate annotations                    | `candidates`                                                |
//! | refuted annotations are removed          | `Induction::keep_preserved`                                 |
//! | equalities from states, \[Algebraic\]      | `polynomials`                                               |
//! | the same for transition systems          | [`clauses`]                                                 |
//!
//! **Soundness.** See [`clinch_ir::cfa::Induction`]; `clinch_certify` does the last step again, with code of its own.
//!
//! **Deviations.**
//! - D1. All loops are cut at once, inner ones within the iterations of outer ones, rather than one after the other.
//! - D2. Loops in which memory is allocated are not cut but bounded, and so is recursion.
//! - D3. Iterations without choice are executed as they are, up to a number: small loops with constant bounds stay exact.

mod candidates;
pub mod clauses;
mod domains;
mod floats;
mod intervals;
mod memory;
mod places;
mod polynomials;
#[cfg(test)]
mod tests;

use std::time::Duration;

use clinch_ir::Reason;
use clinch_ir::cfa::{self, CfaProgram, CfaProof, CfaVerdict, InductiveLoop, InputTrace, ProcedureId};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{LocId, Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::CfaOutcome;
use crate::bounded::cut::{Candidate, Cuts, loops_to_cut};
use crate::bounded::{self, Bounded, Bounds, Found, Round, unrolling};
use crate::budget::{Budget, Observer};
use crate::explicit::states_at_loop_heads;
use crate::share::{Concrete, Fact, Known, Learned, Place};
use intervals::Chosen;

/// The head of a loop.
type Head = (ProcedureId, LocId);

/// While runs have no choice, so many iterations are executed as they are.
const FORCED: u32 = 32;
/// The largest `k`.
const DEEPEST: u32 = 64;
/// Bounds of what is not cut grow so often for one `k`.
const GROWTHS: u32 = 3;
/// Where floats are computed with, a question that intervals do not answer may take this long, bit by bit, for each iteration that
/// is looked at: mostly the next `k` is worth more.
const BITS: Duration = Duration::from_millis(60);
/// There, so many errors are looked at one by one.
const ALONE: usize = 32;
/// So long a question may take while products are among the candidates: they answer at once, or make hard what was easy.
const PRODUCTS: Duration = Duration::from_secs(1);

/// What is searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Whether errors are searched for as well. Beside bounded model checking that would be done twice.
    pub base_case: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config { base_case: true }
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// The last `k`.
    pub depth: u32,
    /// Loops that are cut.
    pub loops: u64,
    /// Candidates for invariants.
    pub candidates: u64,
    /// Those that are invariants, at the last `k`.
    pub invariants: u64,
    /// What the execution of base and step did.
    pub execution: bounded::Stats,
}

/// Checks a program.
pub fn check(program: &CfaProgram, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> CfaOutcome<Stats> {
    let bounds = bounded::Config::default();
    let mut induction = Induction::new(program, config, &bounds, budget);
    let verdict = induction.run(observer).unwrap_or_else(CfaVerdict::Unknown);
    let execution = induction.bounded.stats.clone();
    (verdict, Stats { execution, ..induction.stats })
}

struct Induction<'a> {
    program: &'a CfaProgram,
    config: &'a Config,
    bounded: Bounded<'a>,
    cuts: Cuts,
    /// All that was ever proposed: what was refuted is not tried again.
    proposed: FxHashSet<(Head, Term)>,
    /// Candidates by number, and whether each is one still.
    candidates: Vec<Candidate>,
    kept: Vec<bool>,
    /// Candidates of which the solver could not tell, for some `k`, whether they are preserved.
    open: FxHashSet<usize>,
    /// Bounds of floats, of which one at a time is a candidate.
    bounds_of_floats: Vec<Chosen>,
    /// Candidates with products.
    products: Vec<usize>,
    /// What others found out, and states that runs were in.
    learned: Learned,
    /// Of what is not cut.
    bounds: Bounds,
    stats: Stats,
}

impl<'a> Induction<'a> {
    fn new(program: &'a CfaProgram, config: &'a Config, bounds: &'a bounded::Config, budget: &'a Budget) -> Self {
        let bounded = Bounded::new(program, bounds, budget);
        let loops = loops_to_cut(&bounded.layout);
        let stats = Stats { loops: loops.len() as u64, ..Stats::default() };
        let cuts = Cuts { depth: 1, forced: FORCED, loops };
        let bounds = Bounds { default: 1, ..Bounds::default() };
        let (proposed, learned) = (FxHashSet::default(), Learned::default());
        let (candidates, kept, bounds_of_floats) = (Vec::new(), Vec::new(), Vec::new());
        Induction {
            program,
            config,
            bounded,
            cuts,
            proposed,
            candidates,
            kept,
            open: FxHashSet::default(),
            bounds_of_floats,
            products: Vec::new(),
            learned,
            bounds,
            stats,
        }
    }

    fn run(&mut self, observer: &mut dyn Observer) -> Result<CfaVerdict, Reason> {
        if self.cuts.loops.is_empty() && !self.config.base_case {
            return Err(Reason::NoProgress);
        }
        let seen = states_at_loop_heads(self.program);
        let seen: Vec<Fact> = seen.into_iter().map(|what| Fact { from: String::new(), what }).collect();
        self.learned.absorb(&seen, self.program, self.bounded.terms());
        let proposed = candidates::propose(&mut self.bounded, &self.cuts.loops, &self.learned.states);
        self.add_candidates(proposed.formulas);
        self.add_bounds(proposed.chains);
        for depth in depths() {
            (self.cuts.depth, self.stats.depth) = (depth, depth);
            // What others found may make hard what is easy without it.
            if depth > 1 {
                self.listen(observer);
            }
            if let Some(trace) = self.base(observer)? {
                return Ok(CfaVerdict::Unsafe(trace));
            }
            let mut proved = self.step(observer)?;
            if proved.is_none() && depth == 1 && self.add_products(&proposed.products) {
                proved = self.step(observer)?;
            }
            if let Some(round) = proved {
                return Ok(CfaVerdict::Safe(self.proof(&round)));
            }
        }
        Err(Reason::NoProgress)
    }

    /// What others found out may be what is missing.
    fn listen(&mut self, observer: &mut dyn Observer) {
        if self.learned.absorb(&observer.heard(), self.program, self.bounded.terms()) == 0 {
            return;
        }
        let formulas = [&self.learned.invariants, &self.learned.candidates, &self.learned.predicates];
        let all = formulas.into_iter().flatten().flat_map(|(at, all)| all.iter().map(|formula| (*at, *formula)));
        let new = all.map(|(at, formula)| ((at.procedure, at.location), formula)).collect();
        self.add_candidates(new);
    }

    /// Those that are new and about a loop that is cut.
    fn add_candidates(&mut self, proposed: Vec<(Head, Term)>) {
        for (at, formula) in proposed {
            self.add_candidate(at, formula);
        }
        self.drop_refuted();
        self.stats.candidates = self.cuts.loops.values().map(|cut| cut.candidates.len() as u64).sum();
    }

    /// What is dear is tried where the rest was not enough: whether there is some.
    fn add_products(&mut self, proposed: &[(Head, Term)]) -> bool {
        let added: Vec<usize> = proposed.iter().filter_map(|&(at, formula)| self.add_candidate(at, formula)).collect();
        self.products = added;
        self.drop_refuted();
        !self.products.is_empty()
    }

    /// Candidates with products make questions too hard: whether there were any.
    fn give_products_up(&mut self) -> bool {
        let kept: Vec<usize> = self.products.drain(..).filter(|&number| self.kept[number]).collect();
        kept.iter().for_each(|&number| self.kept[number] = false);
        self.open.extend(&kept);
        !kept.is_empty()
    }

    /// The number of a candidate, if it is new and about a loop that is cut.
    fn add_candidate(&mut self, at: Head, formula: Term) -> Option<usize> {
        let cut = self.cuts.loops.get_mut(&at)?;
        if !self.proposed.insert((at, formula)) {
            return None;
        }
        let (terms, number) = (self.bounded.terms(), self.candidates.len());
        let symbol = terms.declare(format!("active{number}"), Sort::Bool);
        let candidate = Candidate { number, formula, active: terms.symbol(symbol) };
        self.candidates.push(candidate);
        cut.candidates.push(candidate);
        Some(number)
    }

    /// What does not hold in a state that a run was in needs no solver.
    fn drop_refuted(&mut self) {
        for ((procedure, location), cut) in &mut self.cuts.loops {
            let at = Place { procedure: *procedure, location: *location };
            let states = self.learned.states.get(&at).into_iter().flatten();
            let states: Vec<Assignment> = states.map(|state| assignment(self.bounded.terms(), state)).collect();
            let terms = self.bounded.terms();
            cut.candidates.retain(|candidate| {
                let value = |state| evaluate(terms, state, candidate.formula);
                !states.iter().any(|state| value(state) == Some(Value::Bool(false)))
            });
        }
    }

    /// The base case: an error in the first iterations.
    fn base(&mut self, observer: &mut dyn Observer) -> Result<Option<InputTrace>, Reason> {
        if !self.config.base_case {
            return Ok(None);
        }
        let bounds = Bounds { default: self.cuts.depth, ..self.bounds.clone() };
        let round = self.bounded.round(&bounds, None, observer)?;
        self.bounded.error(&round)
    }

    /// The inductive step, together with the base case: the round in which nothing happens that must not, if there is one.
    fn step(&mut self, observer: &mut dyn Observer) -> Result<Option<Round>, Reason> {
        for _ in 0..GROWTHS {
            self.kept = (0..self.candidates.len()).map(|number| !self.open.contains(&number)).collect();
            let round = self.bounded.round(&self.bounds, Some(&self.cuts), observer)?;
            self.keep_preserved(&round)?;
            self.tell_kept(&round, observer);
            let bad = round.errors.iter().chain(&round.open).map(|e| e.0).chain(round.beyond.iter().map(|b| b.1));
            let mut bad: Vec<Term> = bad.map(|path| self.bounded.condition(path)).collect();
            if !self.bounds_of_floats.is_empty() && bad.len() <= ALONE {
                // One by one intervals refute what they do not refute together.
                bad.retain(|&condition| !self.is_refuted(&[condition]));
            }
            let some = self.some_of(&bad);
            let mut model = match self.ask(some)? {
                Found::Model(model) => model,
                Found::Unknown => {
                    self.give_products_up();
                    return Ok(None);
                }
                Found::None => {
                    debug_assert!(self.kept.len() == self.candidates.len() && self.is_preserved(&round));
                    return Ok(Some(round));
                }
            };
            let mut small = round.beyond.clone();
            small.retain(|(_, path)| {
                let condition = self.bounded.condition(*path);
                self.bounded.holds(&mut model, condition)
            });
            if small.is_empty() {
                return Ok(None);
            }
            for (what, _) in small {
                let bound = self.bounds.get(what).saturating_mul(2).max(1);
                self.bounds.of.insert(what, bound);
            }
        }
        Ok(None)
    }

    /// Where no run was left out, what is preserved holds until a run reaches an error, if it ever does: that is all that others
    /// need. Of runs beyond a bound nothing is known.
    fn tell_kept(&mut self, round: &Round, observer: &mut dyn Observer) {
        self.stats.invariants = 0;
        for ((procedure, location), cut) in &self.cuts.loops {
            let at = Place { procedure: *procedure, location: *location };
            for candidate in cut.candidates.iter().filter(|candidate| self.kept[candidate.number]) {
                self.stats.invariants += 1;
                if observer.shares() {
                    let (terms, formula) = (self.bounded.terms(), candidate.formula);
                    let known = match round.beyond.is_empty() {
                        true => Known::invariant(self.program, terms, at, formula),
                        false => Known::candidate(self.program, terms, at, formula),
                    };
                    known.into_iter().for_each(|known| observer.tell(known));
                }
            }
        }
    }

    /// Removes candidates until those left are preserved.
    fn keep_preserved(&mut self, round: &Round) -> Result<(), Reason> {
        let broken: Vec<(usize, Term)> = round.broken.iter().map(|b| (b.0, self.bounded.condition(b.1))).collect();
        // What does not even hold at first needs no solver.
        for (number, condition) in &broken {
            self.kept[*number] &= !matches!(self.bounded.terms().node(*condition), Node::Bool(true));
        }
        loop {
            self.choose_bounds(&broken)?;
            let is_left = |number: usize| self.kept[number] && !self.is_bound_of_float(number);
            let left: Vec<(usize, Term)> = broken.iter().copied().filter(|b| is_left(b.0)).collect();
            let conditions: Vec<Term> = left.iter().map(|b| b.1).collect();
            let some = self.some_of(&conditions);
            let before = self.kept.iter().filter(|kept| **kept).count();
            match self.ask(some)? {
                Found::None => return Ok(()),
                Found::Model(mut model) => {
                    for (number, condition) in left {
                        self.kept[number] &= !self.bounded.holds(&mut model, condition);
                    }
                }
                Found::Unknown if self.give_products_up() => continue,
                // What is not known to be preserved is not kept.
                Found::Unknown => left.into_iter().for_each(|(number, condition)| {
                    if self.kept[number] && !self.is_refuted(&[condition]) {
                        self.kept[number] = false;
                        self.open.insert(number);
                    }
                }),
            }
            if self.kept.iter().filter(|kept| **kept).count() == before {
                return Err(Reason::Unsupported("the solver's model is none".to_owned()));
            }
        }
    }

    /// Asks, for a limited time where floats or products are computed with.
    fn ask(&mut self, formula: Term) -> Result<Found, Reason> {
        let has_products = self.products.iter().any(|&number| self.kept[number]);
        match (self.bounds_of_floats.is_empty(), has_products) {
            (true, false) => Ok(self.bounded.ask(formula)?.map_or(Found::None, Found::Model)),
            (true, true) => self.bounded.ask_within(formula, PRODUCTS),
            (false, _) => self.bounded.ask_within(formula, BITS * (self.cuts.depth + 1)),
        }
    }

    /// Whether the solver still says that what is kept is preserved, whatever else is left out by now.
    fn is_preserved(&mut self, round: &Round) -> bool {
        let broken: Vec<_> = round.broken.iter().filter(|b| self.kept[b.0]).map(|b| b.1).collect();
        let broken: Vec<Term> = broken.into_iter().map(|path| self.bounded.condition(path)).collect();
        let some = self.some_of(&broken);
        matches!(self.bounded.ask(some), Ok(None) | Err(_))
    }

    /// One of the conditions, where those that are still candidates hold and nothing is said of the others.
    fn some_of(&mut self, conditions: &[Term]) -> Term {
        let terms = self.bounded.terms();
        let mut all: Vec<Term> = Vec::with_capacity(self.candidates.len() + 1);
        for (candidate, kept) in self.candidates.iter().zip(&self.kept) {
            all.push(if *kept { candidate.active } else { terms.not(candidate.active) });
        }
        // Last, so that questions share what is before.
        all.push(terms.any(conditions.iter().copied()));
        terms.all(all)
    }

    fn proof(&mut self, round: &Round) -> CfaProof {
        // What was executed is not part of the proof.
        let mut terms = self.program.terms.clone();
        let mut loops = Vec::new();
        for (&(procedure, head), cut) in &self.cuts.loops {
            let mut invariant = terms.tt();
            for candidate in cut.candidates.iter().filter(|candidate| self.kept[candidate.number]) {
                let symbols = self.bounded.terms().symbols(candidate.formula);
                let own: FxHashMap<Symbol, Term> = symbols.into_iter().map(|s| (s, terms.symbol(s))).collect();
                let formula =
                    terms.import(self.bounded.terms(), candidate.formula, &mut |symbol| own.get(&symbol).copied());
                invariant = terms.and(invariant, formula.expect("candidates are formulas over these symbols"));
            }
            let (depth, forced) = (self.cuts.depth, self.cuts.forced);
            loops.push(InductiveLoop { procedure, head, depth, forced, invariant });
        }
        CfaProof::Induction(cfa::Induction { terms, loops, unrolling: unrolling(round) })
    }
}

/// The values of `k`: each one at first, then with steps that grow.
fn depths() -> impl Iterator<Item = u32> {
    std::iter::successors(Some(1), |k: &u32| Some(k + 1 + k / 4)).take_while(|k| *k <= DEEPEST)
}

/// The values of a state.
fn assignment(terms: &Terms, state: &Concrete) -> Assignment {
    let value = |(symbol, bits): &(Symbol, u64)| {
        let value = match terms.symbol_sort(*symbol) {
            Sort::Bool => Value::Bool(*bits != 0),
            Sort::BitVec(width) => Value::BitVec { width: *width, bits: (*bits).into() },
            Sort::Int => Value::Int((*bits as i64).into()),
            _ => return None,
        };
        Some((*symbol, value))
    };
    state.iter().filter_map(value).collect()
}
