//! Under-approximation refinement with abstract matching.
//!
//! \[Alpha\] Păsăreanu, Pelánek, Visser: *Predicate Abstraction with Under-Approximation Refinement*, LMCS 2007, figures
//! 2 and 3. The program is executed concretely; what is stored, and used to decide whether a state was seen, is its
//! abstraction by predicates. Every explored step is real, so every error found is real. For each explored step a prover
//! checks that the abstraction loses nothing; where it may, predicates are added, and the search is done again.
//!
//! | paper | here |
//! |---|---|
//! | `REFINEMENTSEARCH` (figure 3) | [`check`] |
//! | `alphaSEARCH` (figure 2) | `search::AlphaSearch::run` |
//! | `Phi`, `Phi_new` | [`Predicates`], `Exactness::phi_new` |
//! | `alpha_Phi(s)` | `exact::AlphaState` |
//! | `States`, `Transitions`, `Wait` | `search::AbstractSystem`, `AlphaSearch::wait` |
//! | `phi[e_i(x)/x]` | `Exactness::after` |
//! | `AP` | `initial_predicates` |
//!
//! **Invariant.** `Wait` and all stored concrete states are reachable; each abstract state has the labels of its concrete one.
//! **Soundness.** Unsafe: the path of concrete states is a run of the program. Safe: if nothing was added to `Phi`, each
//! abstract state leads by each transition into an abstract state that is stored, for all the concrete states it stands
//! for; so the stored abstract states are an inductive invariant, and none has an error label. That is the proof, and
//! `certify` checks it again.
//!
//! **Deviations.**
//! - D1. A guard is taken apart: its atoms are the predicates. What the predicates of a state say of a guard or a conjunct
//!   without reasoning is not asked of the prover.
//! - D2. A run-time fault is a transition into an error: its condition is a guard like the others.
//! - D3. Solving for inputs (7.1) checks that all steps by a transition end in abstract states that were found, rather
//!   than that each found one is reached from every state; this suffices for both verdicts.
//! - D4. If a check fails and yet no predicate is new (the prover gave up), the answer is unknown, not "unreachable".
//! - D5. Without prover (7.3) a search that adds nothing still ends: then every conjunct is itself a predicate.
//!
//! Programs with procedures and memory are searched in the same way from one loop head to the next: see `procedures`.

mod exact;
mod inputs;
mod options;
mod predicates;
mod procedures;
mod search;

use clinch_ir::definedness::violated;
use clinch_ir::print::show;
use clinch_ir::{
    AbstractProof, AbstractState, InputDomain, Program, Proof, Reason, SymbolicTransition, TransId, Verdict,
};
use clinch_smt::{Counters, Prover};
use clinch_terms::Terms;
use serde::Serialize;

use self::exact::Exactness;
use self::inputs::{InputSolver, cell_values};
pub use self::options::OPTIONS;
pub use self::predicates::{Predicate, Predicates, Scope};
pub use self::procedures::check as check_procedures;
use self::search::{AbstractSystem, AlphaSearch};
use crate::Outcome;
use crate::budget::{Budget, Observer, Progress};
use crate::concrete::Model;
use crate::goals::Goals;

/// Which waiting state is explored next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The oldest; what the paper's theorems on termination assume.
    #[default]
    BreadthFirst,
    /// The newest.
    DepthFirst,
}

/// Whether exactness is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProverUse {
    /// For each step.
    #[default]
    On,
    /// Never: every step adds its predicates ([Alpha, section 7.3], AMCS-NoTP in \[Split\]).
    Off,
}

/// Where new predicates are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PredicateScope {
    /// Everywhere.
    #[default]
    Global,
    /// Where the transition that asked for them starts ([Alpha, section 7.2]).
    Transition,
}

/// Where input values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inputs {
    /// All values of a domain are tried.
    BruteForce(InputDomain),
    /// One value for each satisfiable combination of predicates, from the solver.
    #[default]
    Solve,
}

/// When it is seen that an error was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ErrorLookup {
    /// After the search, as in the paper; or when the search is stopped by a limit.
    #[default]
    AtEnd,
    /// When the state is explored.
    AtOnce,
}

/// Options of the engine.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Search order.
    pub order: Order,
    /// Whether a prover is used.
    pub prover: ProverUse,
    /// After this many failures of a transition in a row, the states it failed in become predicates
    /// ([Alpha, section 6.1], AddAll in \[Split\]).
    pub add_all: Option<u32>,
    /// Where predicates are used.
    pub scope: PredicateScope,
    /// Treatment of inputs.
    pub inputs: Inputs,
    /// When errors are looked up.
    pub lookup: ErrorLookup,
}

/// One iteration of the refinement loop.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Iteration {
    /// States generated, the initial one included.
    pub concrete_states: u64,
    /// Abstract states stored.
    pub abstract_states: u64,
    /// Predicates added for the next iteration.
    pub new_predicates: Vec<String>,
    /// Calls of the prover, where there is one.
    pub queries: u64,
    /// Questions answered from the caches.
    pub cache_hits: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Refinement iterations.
    pub iterations: u64,
    /// Each of them.
    pub per_iteration: Vec<Iteration>,
    /// Predicates at the end.
    pub predicates: u64,
}

/// `REFINEMENTSEARCH` ([Alpha, figure 3]).
pub fn check(program: &Program, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> Outcome<Stats> {
    let model = match config.inputs {
        Inputs::BruteForce(domain) => Model::new(program, domain),
        Inputs::Solve => Model::open(program),
    };
    let model = match model {
        Ok(model) => model,
        Err(reason) => return (Verdict::Unknown(reason), Stats::default()),
    };
    let mut refinement = Refinement::new(&model, config);
    let verdict = refinement.run(budget, observer).unwrap_or_else(Verdict::Unknown);
    (verdict, refinement.stats)
}

/// What every part of a run looks at.
#[derive(Clone, Copy)]
struct Context<'a> {
    model: &'a Model<'a>,
    config: &'a Config,
    budget: &'a Budget,
}

/// What one search gave.
struct Searched {
    system: AbstractSystem,
    /// The predicates for the next search.
    phi_new: Predicates,
    /// Whether every check succeeded.
    exact: bool,
    /// Why it did not run to its end.
    stopped: Option<Reason>,
}

/// What lives from iteration to iteration.
struct Refinement<'a> {
    model: &'a Model<'a>,
    config: &'a Config,
    terms: Terms,
    symbolic: Vec<SymbolicTransition>,
    phi: Predicates,
    prover: Option<Prover>,
    solver: Option<InputSolver>,
    /// In how many iterations in a row each transition was not exact.
    failures: Vec<u32>,
    counted: Counters,
    stats: Stats,
}

impl<'a> Refinement<'a> {
    fn new(model: &'a Model<'a>, config: &'a Config) -> Self {
        let program = model.program;
        let mut terms = program.terms.clone();
        let symbolic: Vec<SymbolicTransition> =
            program.transition_ids().map(|id| SymbolicTransition::new(program, &mut terms, id)).collect();
        let phi = initial_predicates(model, &mut terms, &symbolic);
        Refinement {
            model,
            config,
            terms,
            failures: vec![0; symbolic.len()],
            symbolic,
            phi,
            prover: (config.prover == ProverUse::On).then(|| Prover::new(program)),
            solver: (config.inputs == Inputs::Solve && is_open(program)).then(|| InputSolver::new(program)),
            counted: Counters::default(),
            stats: Stats::default(),
        }
    }

    /// Searches, with more predicates each time, until there is a verdict.
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Result<Verdict, Reason> {
        loop {
            budget.check_iteration(self.stats.iterations)?;
            let Searched { system, phi_new, exact, stopped } =
                self.alpha_search(budget, self.stats.iterations + 1, observer.goals());
            self.record(&system, &phi_new);
            observer.progress(Progress {
                iteration: self.stats.iterations,
                predicates: self.stats.predicates,
                states: system.len() as u64,
                ..Progress::default()
            });
            if let Some((state, end)) = &system.error {
                return Ok(Verdict::Unsafe(system.trace_to(&self.model.layout, *state, end.clone())));
            }
            if let Some(reason) = stopped {
                return Err(reason);
            }
            if phi_new.len() == self.phi.len() {
                return match (exact, self.model.exhausted()) {
                    (false, _) => Err(Reason::NoProgress),
                    (true, Some(reason)) => Err(reason),
                    (true, None) => Ok(Verdict::Safe(Proof::AbstractStates(self.proof(&system)))),
                };
            }
            self.phi = phi_new;
        }
    }

    /// One search.
    fn alpha_search(&mut self, budget: &Budget, iteration: u64, goals: Option<&mut Goals>) -> Searched {
        let context = Context { model: self.model, config: self.config, budget };
        let exactness = Exactness::new(context, &mut self.terms, &self.symbolic, &self.phi, self.prover.as_mut());
        let mut search = AlphaSearch::new(context, &self.phi, exactness, self.solver.as_mut());
        search.goals = goals.map(|goals| (goals, iteration));
        let stopped = search.run().err();
        let AlphaSearch { system, exactness, .. } = search;
        let Exactness { phi_new, inexact, .. } = exactness;
        let exact = inexact.is_empty();
        let phi_new = self.add_all(phi_new, &inexact, &system);
        Searched { system, phi_new, exact, stopped }
    }

    /// The heuristic of [Alpha, section 6.1]: describe the states in which a transition keeps failing.
    fn add_all(&mut self, mut phi: Predicates, inexact: &[(TransId, usize)], system: &AbstractSystem) -> Predicates {
        let Some(patience) = self.config.add_all else { return phi };
        let mut failed = vec![false; self.failures.len()];
        inexact.iter().for_each(|(i, _)| failed[i.index()] = true);
        for (count, failed) in self.failures.iter_mut().zip(failed) {
            *count = if failed { *count + 1 } else { 0 };
        }
        for &(i, number) in inexact {
            if self.failures[i.index()] >= patience {
                self.describe(&mut phi, &system.concrete[number]);
            }
        }
        phi
    }

    /// Adds `x = value` for each cell of a concrete state.
    fn describe(&mut self, phi: &mut Predicates, words: &[u64]) {
        let state = self.model.layout.unpack(words);
        for equation in cell_values(self.model.program, &mut self.terms, &state) {
            phi.add(self.model, &mut self.terms, equation, Scope::Everywhere);
        }
    }

    fn record(&mut self, system: &AbstractSystem, phi_new: &Predicates) {
        let counters = self.prover.as_ref().map(Prover::counters).unwrap_or_default();
        let new = phi_new.iter().skip(self.phi.len());
        self.stats.per_iteration.push(Iteration {
            concrete_states: system.generated,
            abstract_states: system.len() as u64,
            new_predicates: new.map(|p| show(self.model.program, &self.terms, p.term)).collect(),
            queries: counters.queries - self.counted.queries,
            cache_hits: counters.cache_hits - self.counted.cache_hits,
        });
        self.stats.iterations = self.stats.per_iteration.len() as u64;
        self.stats.predicates = phi_new.len() as u64;
        self.counted = counters;
    }

    fn proof(&self, system: &AbstractSystem) -> AbstractProof {
        let mut expander = crate::concrete::Expander::new(self.model);
        let states = system.concrete.iter().map(|words| {
            expander.load(words);
            let locs = self.model.layout.unpack(words).locs;
            let bits = self.phi.values(&mut expander, &locs).expect("it was evaluated in the search");
            let active = (0..self.phi.len()).filter(|&p| self.phi.active(p, &locs));
            let literals = active.map(|p| (p as u32, bits[p / 64] >> (p % 64) & 1 != 0)).collect();
            AbstractState { locs, literals }
        });
        AbstractProof {
            states: states.collect(),
            terms: self.terms.clone(),
            predicates: self.phi.iter().map(|p| p.term).collect(),
            successors: system.transitions.clone(),
        }
    }
}

/// The predicates of the guards, of the property and of the user.
fn initial_predicates(model: &Model<'_>, terms: &mut Terms, symbolic: &[SymbolicTransition]) -> Predicates {
    let mut phi = Predicates::default();
    let guards = symbolic.iter().flat_map(|s| [s.effect.guard, s.fault]);
    let property = model.program.property.error.map(|error| violated(model.program, terms, error));
    let given = model.program.predicates.iter().copied();
    for formula in guards.chain(property).chain(given).collect::<Vec<_>>() {
        phi.add(model, terms, formula, Scope::Everywhere);
    }
    phi
}

fn is_open(program: &Program) -> bool {
    program.transitions.iter().any(|t| t.inputs().next().is_some())
        || program.cell_inits().any(|init| init == clinch_ir::Init::Any)
}
