//! States that runs have at loop heads, for engines that guess what always holds there.
//!
//! These runs are extra and short, so that the search itself does not have to stop at loop heads. They are counted, not timed: the same
//! program has the same states.

use clinch_ir::cfa::{Liveness, ProcedureId};
use clinch_machine::{Limits, LoopHeads, Machine, MachineState, Pause};
use clinch_terms::Symbol;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::{Candidates, Mood};
use crate::budget::Observer;
use crate::share::{Known, Place, globals_read};

/// Runs, so that each mood has its turns: many programs want inputs that few of them have.
const RUNS: usize = 60;
/// Edges of one run, and of all.
const STEPS: u64 = 30_000;
const ALL_STEPS: u64 = 300_000;
/// States of one loop head, in one run and in all.
const IN_ONE_RUN: usize = 8;
const IN_ALL: usize = 96;
/// Variables of a state.
const VARIABLES: usize = 60;

/// Runs the program a few times with random inputs, and tells some of the states at its loop heads.
pub(super) fn scout(machine: &Machine<'_>, candidates: &Candidates<'_>, seed: u64, observer: &mut dyn Observer) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let globals = globals_read(machine.program());
    let (liveness, variables, told) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
    let mut scout = Scout { machine, globals, liveness, variables, told };
    let mut left = ALL_STEPS;
    for mood in Mood::LIVELY.into_iter().cycle().take(RUNS) {
        let limits = Limits { steps: STEPS.min(left), ..Limits::default() };
        let mut state = machine.initial();
        let mut visits: FxHashMap<Place, Visits> = FxHashMap::default();
        loop {
            match machine.run_until_input(&mut state, &mut (), LoopHeads::Stop, &limits) {
                Pause::Input(request) => {
                    let bits = candidates.draw(&request, mood, &mut rng);
                    machine.supply(&mut state, &request, bits);
                }
                Pause::LoopHead(procedure, location) => {
                    let at = Place { procedure, location };
                    if visits.entry(at).or_default().is_worth_telling() {
                        scout.tell(at, &state, observer);
                    }
                }
                Pause::Stopped(_) => break,
            }
        }
        left = left.saturating_sub(state.steps());
    }
}

/// How often a run came to a loop head.
#[derive(Default)]
struct Visits {
    count: u64,
    told: usize,
    /// The next visit to tell: the gaps grow, so that a few states are spread over a long run.
    next: u64,
}

impl Visits {
    fn is_worth_telling(&mut self) -> bool {
        self.count += 1;
        if self.count < self.next || self.told == IN_ONE_RUN {
            return false;
        }
        self.told += 1;
        self.next = self.count + 1 + self.count / 2;
        true
    }
}

struct Scout<'m, 'p> {
    machine: &'m Machine<'p>,
    globals: FxHashSet<Symbol>,
    liveness: FxHashMap<ProcedureId, Liveness>,
    /// The variables that matter at a place.
    variables: FxHashMap<Place, Vec<Symbol>>,
    told: FxHashMap<Place, usize>,
}

impl Scout<'_, '_> {
    fn tell(&mut self, at: Place, state: &MachineState, observer: &mut dyn Observer) {
        let told = self.told.entry(at).or_default();
        if *told == IN_ALL {
            return;
        }
        *told += 1;
        if !self.variables.contains_key(&at) {
            let variables = self.variables_at(at);
            self.variables.insert(at, variables);
        }
        let value = |symbol: &Symbol| Some((u32::try_from(symbol.index()).ok()?, self.machine.value(state, *symbol)?));
        let values = self.variables[&at].iter().filter_map(value).collect();
        observer.tell(Known::State { at, values });
    }

    /// Variables of the procedure that are read later, and globals that are read at all.
    fn variables_at(&mut self, at: Place) -> Vec<Symbol> {
        let program = self.machine.program();
        let of = program.procedure(at.procedure);
        let liveness = self.liveness.entry(at.procedure).or_insert_with(|| {
            let total = vec![false; program.terms.len()];
            Liveness::new(&program.terms, of, &total, &FxHashSet::default())
        });
        let own = of.params.iter().chain(&of.locals).enumerate();
        let live = own.filter(|(i, _)| liveness.is_live(at.location, *i)).map(|(_, symbol)| *symbol);
        let globals = program.globals.iter().map(|g| g.symbol).filter(|g| self.globals.contains(g));
        live.chain(globals).take(VARIABLES).collect()
    }
}
