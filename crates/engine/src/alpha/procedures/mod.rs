//! Abstract matching on programs with procedures and memory.
//!
//! The algorithm is that of the module above, on another view of a program: a transition is a block, all loop-free ways from one loop head
//! to the next ([`clinch_ir::cfa::blocks`]); concrete states are those of the machine, heap included. A predicate belongs to a loop
//! head, calls that wait included.
//!
//! For a concrete state `s` and its abstract state, inputs are tried until the solver says that every step from every state that matches `s` ends
//! in an abstract state that was found. An escape that it shows instead is a state that matches, and inputs `e`. If `s` goes on with `e` to an
//! abstract state that is new, that one is explored. If not, `s` and the escape differ, and the abstraction did not see it: what decides in `s` that it
//! takes another way, or what the predicates are that the escape has other values of after the step, becomes predicates.
//!
//! **Invariant.** Stored concrete states are reachable, and each has the predicates of its abstract state.
//! **Soundness.** Unsafe: the inputs are executed again. Safe: the abstract states at each loop head are an inductive invariant in
//! exact bits, which `certify` establishes again for all contents of memory.

mod runs;

use std::collections::VecDeque;
use std::rc::Rc;

use clinch_ir::Reason;
use clinch_ir::cfa::blocks::blocks_from;
use clinch_ir::cfa::unfold::{Destination, Open, PointId, Step, Unfolding};
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, EdgeId, InputTrace, InputValue, Invariants, Op, show_c_in};
use clinch_machine::guided::value_bits;
use clinch_smt::{Answer, Literal, Solver, Z3Solver};
use clinch_terms::implicant::implicant;
use clinch_terms::predicate::{Atom, normal_atom};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use self::runs::{Arrival, Chosen, Concrete, Runs};
use super::{Config, Iteration, Order, Stats};
use crate::CfaOutcome;
use crate::budget::{Budget, Observer, Progress, Ticker};

/// Points of a block at most.
const BLOCK_POINTS: usize = 5_000;
/// Inputs tried for one state.
const TRIES: usize = 256;
/// What a query may use: work, milliseconds.
const LIMITS: (u32, u32) = (5_000_000, 2_000);

/// `REFINEMENTSEARCH` ([Alpha, figure 3]) on a program with procedures.
pub fn check(program: &CfaProgram, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> CfaOutcome<Stats> {
    if program.is_recursive() {
        let reason = Reason::Recursion("variables would have to be there several times".to_owned());
        return (CfaVerdict::Unknown(reason), Stats::default());
    }
    let mut refinement = Refinement::new(program, config, budget);
    let verdict = refinement.run(observer).unwrap_or_else(CfaVerdict::Unknown);
    (verdict, refinement.stats)
}

/// An abstract state: where control is, and the values of the predicates there.
type AlphaState = (PointId, Box<[bool]>);

/// The concrete state an abstract one was reached with, and how.
struct Visit {
    state: Box<[u8]>,
    arrival: Option<(usize, Vec<InputValue>)>,
}

/// One search.
#[derive(Default)]
struct AlphaSearch {
    /// `States`, with the concrete state each was first met by.
    states: IndexMap<AlphaState, Visit, FxBuildHasher>,
    wait: VecDeque<usize>,
    /// States generated: the initial one and every successor.
    generated: u64,
    /// Whether some step could not be shown to be exact.
    inexact: bool,
    /// `Phi_new` without `Phi`.
    missing: IndexSet<(PointId, Term), FxBuildHasher>,
}

impl AlphaSearch {
    /// Matches a generated state; it waits if its abstract state is new.
    fn visit(&mut self, alpha: AlphaState, visit: Visit) {
        self.generated += 1;
        let new = self.states.len();
        self.states.entry(alpha).or_insert_with(|| {
            self.wait.push_back(new);
            visit
        });
    }

    /// The inputs on the way to a state, and some more.
    fn inputs_to(&self, number: usize, last: Vec<InputValue>) -> Vec<InputValue> {
        let mut parts = vec![last];
        let mut at = number;
        while let Some((from, inputs)) = &self.states[at].arrival {
            parts.push(inputs.clone());
            at = *from;
        }
        parts.into_iter().rev().flatten().collect()
    }
}

/// A step from a state that matches, which ends in no abstract state that was found. Formulas are over the state before, with the inputs put in.
struct Escape {
    inputs: Chosen,
    /// When the block is taken.
    guard: Term,
    /// For each of the targets that the block may lead to, what it says of the step, and what of that is not so here.
    missed: Vec<(Term, Vec<Term>)>,
}

/// What lives from iteration to iteration.
struct Refinement<'a> {
    program: &'a CfaProgram,
    config: &'a Config,
    budget: &'a Budget,
    runs: Runs<'a>,
    unfolding: Unfolding<'a>,
    terms: Terms,
    /// What holds at the start. There are no predicates there: what has no first value has any.
    initial: Vec<Term>,
    /// `Phi`, by the point where predicates are used.
    phi: FxHashMap<PointId, IndexSet<Term, FxBuildHasher>>,
    blocks: FxHashMap<PointId, Rc<[Step]>>,
    solver: Z3Solver,
    queries: u64,
    /// For what has no model together with literals: those literals.
    refuted: FxHashMap<Term, Vec<Vec<Literal>>>,
    cache_hits: u64,
    stats: Stats,
}

impl<'a> Refinement<'a> {
    fn new(program: &'a CfaProgram, config: &'a Config, budget: &'a Budget) -> Self {
        let mut terms = program.terms.clone();
        let unfolding = Unfolding::new(program, &mut terms);
        let solver = Z3Solver::for_formulas();
        solver.set_limits(LIMITS.0, LIMITS.1);
        let first = unfolding.initial_values(&mut terms);
        let equals = |(symbol, value): (Symbol, Term)| {
            let now = terms.symbol(symbol);
            terms.eq(now, value)
        };
        let initial = first.into_iter().map(equals).collect();
        let (phi, blocks) = (FxHashMap::default(), FxHashMap::default());
        let runs = Runs::new(&unfolding, budget);
        let (refuted, queries, cache_hits) = (FxHashMap::default(), 0, 0);
        Refinement {
            program,
            config,
            budget,
            runs,
            unfolding,
            terms,
            initial,
            phi,
            blocks,
            solver,
            queries,
            refuted,
            cache_hits,
            stats: Stats::default(),
        }
    }

    /// Searches, with more predicates each time, until there is a verdict.
    fn run(&mut self, observer: &mut dyn Observer) -> Result<CfaVerdict, Reason> {
        loop {
            self.budget.check_iteration(self.stats.iterations)?;
            let mut search = AlphaSearch::default();
            let outcome = self.alpha_search(&mut search);
            self.record(&search);
            observer.progress(Progress {
                iteration: self.stats.iterations,
                predicates: self.stats.predicates,
                states: search.states.len() as u64,
                ..Progress::default()
            });
            if let Some(trace) = outcome? {
                return Ok(CfaVerdict::Unsafe(trace));
            }
            if !search.inexact {
                return Ok(CfaVerdict::Safe(CfaProof::Invariants(self.proof(&search))));
            }
            if !self.add(search.missing) {
                return Err(Reason::NoProgress);
            }
        }
    }

    /// The search of figure 2.
    fn alpha_search(&mut self, search: &mut AlphaSearch) -> Result<Option<InputTrace>, Reason> {
        let (start, state) = (self.unfolding.start(), self.runs.start());
        let alpha = self.alpha(start, &state);
        search.visit(alpha, Visit { state, arrival: None });
        let mut ticker = Ticker::new();
        loop {
            let next = match self.config.order {
                Order::BreadthFirst => search.wait.pop_front(),
                Order::DepthFirst => search.wait.pop_back(),
            };
            let Some(number) = next else { return Ok(None) };
            ticker.tick(self.budget)?;
            if let Some(trace) = self.explore(search, number)? {
                return Ok(Some(trace));
            }
        }
    }

    /// `alpha_Phi(s)`.
    fn alpha(&self, point: PointId, state: &[u8]) -> AlphaState {
        let Some(phi) = self.phi.get(&point) else { return (point, Box::default()) };
        let concrete = Concrete::new(&self.runs, state);
        let truths = concrete.truths(&self.terms, phi.iter().copied());
        (point, truths.into_iter().map(|truth| truth == Some(true)).collect())
    }

    /// Goes on from a state with one input after the other, until all that matches it is covered, or it is known what is missing.
    fn explore(&mut self, search: &mut AlphaSearch, number: usize) -> Result<Option<InputTrace>, Reason> {
        let (alpha, visit) = search.states.get_index(number).expect("it waits");
        let (alpha, state) = (alpha.clone(), visit.state.clone());
        debug_assert_eq!(self.alpha(alpha.0, &state), alpha, "a stored state has the predicates of its abstract one");
        let blocks = self.blocks_from(alpha.0)?;
        let (mut targets, mut inputs): (Vec<AlphaState>, Chosen) = (Vec::new(), Chosen::default());
        for _ in 0..TRIES {
            self.budget.check()?;
            match self.runs.step(&mut self.unfolding, &state, &inputs)? {
                Arrival::Error(trace) => {
                    let inputs = search.inputs_to(number, trace.inputs);
                    return Ok(Some(InputTrace { inputs, ..trace }));
                }
                Arrival::Point(to, state, inputs) => {
                    let target = self.alpha(to, &state);
                    search.visit(target.clone(), Visit { state, arrival: Some((number, inputs)) });
                    targets.extend((!targets.contains(&target)).then_some(target));
                }
                Arrival::End => {}
            }
            let Some(escape) = self.escape(&alpha, &blocks, &targets)? else { return Ok(None) };
            let Some(escape) = escape else { break };
            match self.difference(&state, &escape) {
                Some(Some(formula)) if alpha.0 != self.unfolding.start() => {
                    let missing = self.explain(&state, formula);
                    search.missing.extend(missing.into_iter().map(|predicate| (alpha.0, predicate)));
                    break;
                }
                Some(None) if escape.inputs != inputs => inputs = escape.inputs,
                _ => break,
            }
        }
        search.inexact = true;
        Ok(None)
    }

    fn blocks_from(&mut self, point: PointId) -> Result<Rc<[Step]>, Reason> {
        if let Some(known) = self.blocks.get(&point) {
            return Ok(Rc::clone(known));
        }
        let blocks = blocks_from(&mut self.unfolding, &mut self.terms, point, BLOCK_POINTS)
            .map_err(|_| Reason::Unsupported("a loop body with too many ways through it".to_owned()))?;
        let blocks: Rc<[Step]> = blocks.into();
        self.blocks.insert(point, Rc::clone(&blocks));
        Ok(blocks)
    }

    /// A step out of what was found: none if there is none, and nothing about it (`Some(None)`) if the solver gives up.
    #[allow(clippy::option_option, reason = "there is none, there may be one, this is one")]
    fn escape(
        &mut self,
        alpha: &AlphaState,
        blocks: &[Step],
        targets: &[AlphaState],
    ) -> Result<Option<Option<Escape>>, Reason> {
        let phi: Vec<Term> = self.phi.get(&alpha.0).into_iter().flatten().copied().collect();
        let mut matches: Vec<Literal> = phi.into_iter().zip(alpha.1.iter().copied()).collect();
        if alpha.0 == self.unfolding.start() {
            matches.extend(self.initial.iter().map(|&equation| (equation, true)));
        }
        let known: FxHashSet<Literal> = matches.iter().copied().collect();
        for block in blocks {
            let there = self.literals_after(block, targets);
            let formula = self.leaves(block.effect.guard, &there);
            if self.terms.node(formula) == Node::Bool(false) {
                continue;
            }
            let cores = self.refuted.get(&formula).map_or(&[][..], Vec::as_slice);
            if cores.iter().any(|core| core.iter().all(|literal| known.contains(literal))) {
                self.cache_hits += 1;
                continue;
            }
            self.budget.check()?;
            self.queries += 1;
            self.solver.push();
            self.solver.assert(&self.terms, formula);
            let answer = self.solver.check(&self.terms, &matches);
            let escape = (answer == Answer::Sat).then(|| self.escape_by(block, &there));
            if answer == Answer::Unsat {
                let core = self.solver.core().into_iter().map(|i| matches[i]).collect();
                self.refuted.entry(formula).or_default().push(core);
            }
            self.solver.pop();
            if answer != Answer::Unsat {
                return Ok(Some(escape));
            }
        }
        Ok(None)
    }

    /// What each of the targets that a block may lead to says of a step by it.
    fn literals_after(&mut self, block: &Step, targets: &[AlphaState]) -> Vec<Vec<Term>> {
        let Destination::Point(to) = block.target else { return Vec::new() };
        let phi: Vec<Term> = self.phi.get(&to).into_iter().flatten().copied().collect();
        let updates: FxHashMap<Symbol, Term> = block.effect.updates.iter().copied().collect();
        let terms = &mut self.terms;
        let after: Vec<Term> = phi.into_iter().map(|p| terms.substitute_symbols(p, &updates)).collect();
        let there = targets.iter().filter(|target| target.0 == to);
        let literals = there.map(|(_, values)| {
            after.iter().zip(values).map(|(&p, &value)| if value { p } else { terms.not(p) }).collect()
        });
        literals.collect()
    }

    /// The block is taken, and leads to none of these.
    fn leaves(&mut self, guard: Term, there: &[Vec<Term>]) -> Term {
        let mut leaves = guard;
        for literals in there {
            let reached = self.terms.all(literals.iter().copied());
            let elsewhere = self.terms.not(reached);
            leaves = self.terms.and(leaves, elsewhere);
        }
        leaves
    }

    /// The escape of the solver's model.
    fn escape_by(&mut self, block: &Step, there: &[Vec<Term>]) -> Escape {
        let (mut inputs, mut values) = (Chosen::default(), FxHashMap::default());
        for &Open { point, edge, symbol } in &block.effect.open {
            let sort = self.terms.symbol_sort(symbol).clone();
            let found = self.is_input(point, edge).then(|| self.solver.symbol_value(&self.terms, symbol)).flatten();
            // Memory that was never written holds 0 in the runs here.
            let bits = found.as_ref().and_then(value_bits).unwrap_or(0);
            values.insert(symbol, constant(&mut self.terms, &sort, bits));
            inputs.insert((point, edge), bits);
        }
        let mut missed = Vec::new();
        for literals in there {
            let fails = |literal: &&Term| self.solver.value(&self.terms, **literal) == Some(0);
            let failing: Vec<Term> = literals.iter().filter(fails).copied().collect();
            let all = self.terms.all(literals.iter().copied());
            let failing = failing.into_iter().map(|l| self.terms.substitute_symbols(l, &values)).collect();
            missed.push((self.terms.substitute_symbols(all, &values), failing));
        }
        Escape { inputs, guard: self.terms.substitute_symbols(block.effect.guard, &values), missed }
    }

    /// Why a state does not take the escape, as a formula that holds in it and not there; nothing (`Some(None)`) if it does. `None` if that has no value.
    #[allow(clippy::option_option, reason = "it has no value, there is none, this is one")]
    fn difference(&mut self, state: &[u8], escape: &Escape) -> Option<Option<Term>> {
        if !self.holds(state, escape.guard)? {
            return Some(Some(self.terms.not(escape.guard)));
        }
        for (all, failing) in &escape.missed {
            if self.holds(state, *all)? {
                return Some(Some(self.terms.all(failing.iter().copied())));
            }
        }
        Some(None)
    }

    fn is_input(&self, point: PointId, edge: EdgeId) -> bool {
        let procedure = self.unfolding.point(point).procedure;
        matches!(self.program.procedure(procedure).edges[edge.index()].op, Op::Input(..))
    }

    fn holds(&self, state: &[u8], formula: Term) -> Option<bool> {
        let concrete = Concrete::new(&self.runs, state);
        concrete.truths(&self.terms, std::iter::once(formula))[0]
    }

    /// The atoms that decide that a formula holds in a state.
    fn explain(&mut self, state: &[u8], formula: Term) -> Vec<Term> {
        let concrete = Concrete::new(&self.runs, state);
        let terms = &mut self.terms;
        let literals = implicant(terms, &[formula], &concrete).unwrap_or_default();
        let atoms = literals.into_iter().filter_map(|literal| {
            let atom = match terms.node(literal) {
                Node::Unary(UnOp::Not, atom) => atom,
                _ => literal,
            };
            // An order and the converse of its negation are one predicate.
            let atom = match terms.node(atom) {
                Node::Binary(BinOp::BvUle, a, b) => terms.bv_ult(b, a),
                Node::Binary(BinOp::BvSle, a, b) => terms.bv_slt(b, a),
                _ => atom,
            };
            match normal_atom(terms, atom) {
                Atom::Predicate { key, .. } => Some(key),
                Atom::Constant(_) => None,
            }
        });
        atoms.collect()
    }

    /// Adds predicates; whether one of them is new.
    fn add(&mut self, missing: impl IntoIterator<Item = (PointId, Term)>) -> bool {
        let mut new = false;
        for (point, predicate) in missing {
            new |= self.phi.entry(point).or_default().insert(predicate);
        }
        new
    }

    fn record(&mut self, search: &AlphaSearch) {
        let new = search.missing.iter().filter(|(point, p)| !self.phi.get(point).is_some_and(|phi| phi.contains(p)));
        let new: Vec<String> = new.map(|(_, p)| show_c_in(self.program, &self.terms, *p)).collect();
        self.stats.predicates += new.len() as u64;
        self.stats.per_iteration.push(Iteration {
            concrete_states: search.generated,
            abstract_states: search.states.len() as u64,
            new_predicates: new,
            queries: std::mem::take(&mut self.queries),
            cache_hits: std::mem::take(&mut self.cache_hits),
        });
        self.stats.iterations = self.stats.per_iteration.len() as u64;
    }

    /// The abstract states of each point as a formula.
    fn proof(&mut self, search: &AlphaSearch) -> Invariants {
        let mut formulas: IndexMap<PointId, Term, FxBuildHasher> = IndexMap::default();
        formulas.insert(self.unfolding.start(), self.terms.all(self.initial.iter().copied()));
        for (point, values) in search.states.keys().filter(|(point, _)| *point != self.unfolding.start()) {
            let phi: Vec<Term> = self.phi.get(point).into_iter().flatten().copied().collect();
            let terms = &mut self.terms;
            let literals: Vec<Term> =
                phi.iter().zip(values).map(|(&p, &value)| if value { p } else { terms.not(p) }).collect();
            let state = terms.all(literals);
            let before = formulas.get(point).copied().unwrap_or_else(|| terms.ff());
            formulas.insert(*point, terms.or(before, state));
        }
        let points = formulas.into_iter().map(|(point, formula)| (self.unfolding.point(point).clone(), formula));
        Invariants { points: points.collect(), terms: self.terms.clone(), bound: None }
    }
}

/// A constant of a sort; for an array, all its elements.
fn constant(terms: &mut Terms, sort: &Sort, bits: u64) -> Term {
    match sort {
        Sort::Bool => terms.bool(bits != 0),
        Sort::BitVec(width) => terms.bit_vec(*width, bits),
        Sort::Array(of) => {
            let element = constant(terms, &of.1, bits);
            terms.const_array(sort.clone(), element)
        }
        Sort::Int | Sort::Real => terms.int(bits as i64),
    }
}
