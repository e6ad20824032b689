//! Directed symbolic execution: one run at a time, towards the error.
//!
//! Inputs are symbols, variables and cells of memory are terms over them; addresses are numbers. A run goes where one model of its conditions
//! goes, as in \[Dart\]; where inputs decide, the other way waits with its condition, and is solved for when its turn comes. What waits is taken up by
//! its distance from the error, as in \[Dse\].
//!
//! | paper | here |
//! |---|---|
//! | path condition, concrete state | `state::State::conditions`, `state::State::model` |
//! | independent constraints, counterexample cache \[Klee\] | `query::Queries` |
//! | logical inputs for pointers \[Cute\], lazy initialisation \[Gse\] | `Search::outside`: an object for each pointer from outside |
//! | distance to the target line \[Dse\] | `distance::Distances` |
//!
//! **Invariant of the loop.** The model of a state satisfies its conditions; with its values as inputs the machine comes to the state's location with the
//! values that the state's terms have then, unless it stops before at something that has no meaning.
//! **Soundness.** An error is told only when the machine has come to it with the values of the model. Nothing is ever proved: where nothing
//! waits any more, runs may have been left out.
//!
//! **Deviations.**
//! - D1. An address is the number that it has in the model. Other numbers wait like the other way at a branch.
//! - D2. At the head of a loop a run ends if one was there before with the same terms in what it may still read, and the same conditions on their
//!   symbols.

mod distance;
mod memory;
mod query;
mod queue;
mod seen;
mod state;
mod step;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaVerdict, DYNAMIC_BASE, EdgeId, InputTrace, Integers};
use clinch_machine::guided::run_guided;
use clinch_machine::{InputRequest, InputSource};
use clinch_terms::{LocId, Sort, Term, Terms};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::CfaOutcome;
use crate::budget::{Budget, Observer, Progress, Ticker};
use distance::Distances;
use memory::Memory;
use query::Queries;
use queue::{Pending, Queue};
use seen::Seen;
use state::{Asked, Frame, List, State};
use step::{End, Place};

/// What a run of the engine did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Runs that were begun, or taken up where they waited.
    pub runs: u64,
    /// Edges taken.
    pub steps: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Questions that were answered without it.
    pub cached: u64,
    /// Runs that ended at the head of a loop because another one had been there.
    pub repeated: u64,
    /// Errors that the machine did not come to.
    pub unconfirmed: u64,
}

/// Edges after which a run waits for its next turn.
const TURN: u64 = 20_000;
/// Runs after which the observer is told.
const TELL: u64 = 256;

/// Looks for inputs that lead to an error.
pub fn check(program: &CfaProgram, budget: &Budget, observer: &mut dyn Observer) -> CfaOutcome<Stats> {
    if program.integers == Integers::Mathematical {
        let reason = Reason::Unsupported("symbolic execution is for machine integers".to_owned());
        return (CfaVerdict::Unknown(reason), Stats::default());
    }
    let mut search = Search::new(program);
    let verdict = match search.run(budget, observer) {
        Ok(Some(trace)) => CfaVerdict::Unsafe(trace),
        Ok(None) => {
            let reason = "no error was found, and symbolic execution proves nothing".to_owned();
            CfaVerdict::Unknown(Reason::Inconclusive(reason))
        }
        Err(reason) => CfaVerdict::Unknown(reason),
    };
    let stats = Stats { queries: search.queries.asked, cached: search.queries.saved, ..search.stats };
    (verdict, stats)
}

struct Search<'p> {
    program: &'p CfaProgram,
    terms: Terms,
    distances: Distances,
    /// The edges that leave each location.
    edges: Vec<Vec<Rc<[EdgeId]>>>,
    heads: Vec<Vec<bool>>,
    /// How often runs came to each location.
    visits: Vec<Vec<u32>>,
    /// Where the value of each symbol of the program is.
    places: Vec<Place>,
    /// The values with which the variables of each procedure start.
    zeros: Vec<Vec<Term>>,
    /// The first address that belongs to the program.
    first_address: u64,
    /// Which terms read memory.
    reading: FxHashMap<Term, bool>,
    queries: Queries,
    queue: Queue,
    seen: Seen,
    stats: Stats,
}

impl<'p> Search<'p> {
    fn new(program: &'p CfaProgram) -> Self {
        let mut terms = program.terms.clone();
        let mut places = vec![Place::Nowhere; terms.symbol_count()];
        for (number, global) in program.globals.iter().enumerate() {
            places[global.symbol.index()] = Place::Global(number);
        }
        for (number, region) in program.regions.iter().enumerate() {
            places[region.symbol.index()] = Place::Region(number);
        }
        let mut zeros = Vec::new();
        for procedure in &program.procedures {
            let own: Vec<_> = procedure.params.iter().chain(&procedure.locals).copied().collect();
            own.iter().enumerate().for_each(|(slot, symbol)| places[symbol.index()] = Place::Slot(slot));
            let zero = |terms: &mut Terms, sort: Sort| match sort {
                Sort::Bool => terms.ff(),
                sort => terms.zero(&sort),
            };
            let sorts = own.into_iter().map(|symbol| terms.symbol_sort(symbol).clone()).collect::<Vec<_>>();
            zeros.push(sorts.into_iter().map(|sort| zero(&mut terms, sort)).collect());
        }
        Search {
            program,
            terms,
            distances: Distances::new(program),
            edges: program.procedures.iter().map(edges_from).collect(),
            heads: program.procedures.iter().map(|p| p.loop_heads()).collect(),
            visits: program.procedures.iter().map(|p| vec![0; p.locations.len()]).collect(),
            places,
            zeros,
            first_address: first_address(program),
            reading: FxHashMap::default(),
            queries: Queries::new(),
            queue: Queue::default(),
            seen: Seen::new(program),
            stats: Stats::default(),
        }
    }

    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Result<Option<InputTrace>, Reason> {
        let mut ticker = Ticker::new();
        let start = self.start();
        let entry = start.top().location;
        self.wait_for_turn(start, entry);
        while let Some(pending) = self.queue.pop() {
            budget.check()?;
            self.stats.runs += 1;
            if self.stats.runs.is_multiple_of(TELL) {
                observer.progress(Progress { states: self.queue.len() as u64, ..Progress::default() });
            }
            let Some(state) = self.resumed(pending) else { continue };
            if let Some(trace) = self.follow(state, budget, &mut ticker)? {
                return Ok(Some(trace));
            }
        }
        Ok(None)
    }

    fn start(&self) -> State {
        let program = self.program;
        let location = program.procedure(program.entry).entry;
        let values = self.zeros[program.entry.index()].clone();
        let frame = Frame { procedure: program.entry, location, call_edge: None, values, blocks: Vec::new() };
        State {
            frames: vec![Rc::new(frame)],
            globals: Rc::new(program.globals.iter().map(|global| global.init).collect()),
            memory: Memory::new(program),
            conditions: List::default(),
            model: Rc::default(),
            inputs: List::default(),
            detours: 0,
        }
    }

    /// A state goes on if there are inputs for which its condition holds.
    fn resumed(&mut self, Pending { mut state, condition, .. }: Pending) -> Option<State> {
        if let Some(condition) = condition {
            state.model = self.queries.model(&mut self.terms, &state, condition)?;
            state.conditions.push(condition);
        }
        debug_assert!(state.conditions.iter().all(|&condition| state.model.holds(&self.terms, condition)));
        Some(state)
    }

    /// One run, to its end, to where another one was, or to the end of its turn. The error, if there is one.
    fn follow(&mut self, mut state: State, budget: &Budget, ticker: &mut Ticker) -> Result<Option<InputTrace>, Reason> {
        for _ in 0..TURN {
            ticker.tick(budget)?;
            self.stats.steps += 1;
            match self.step(&mut state) {
                Ok(()) => {}
                Err(End::Over) => return Ok(None),
                Err(End::Error) => return Ok(self.confirmed(&state)),
            }
            let Frame { procedure, location, .. } = *state.top();
            self.visits[procedure.index()][location.index()] += 1;
            if self.heads[procedure.index()][location.index()] {
                if !self.seen.is_new(&mut self.queries, &self.terms, self.program, &state) {
                    self.stats.repeated += 1;
                    return Ok(None);
                }
                self.wait_for_turn(state, location);
                return Ok(None);
            }
        }
        let location = state.top().location;
        self.wait_for_turn(state, location);
        Ok(None)
    }

    /// A run goes on later.
    fn wait_for_turn(&mut self, state: State, location: LocId) {
        let frames = state.frames.iter().map(Rc::as_ref);
        let Some(distance) = self.distances.of(self.program, frames, location) else { return };
        let alike = self.seen.alike(&self.terms, &state, location);
        let visits = self.visits[state.top().procedure.index()][location.index()];
        let distance = distance.saturating_add(state.detours);
        self.queue.push(Pending { state, condition: None, distance, visits, alike });
    }

    /// The way to a location waits, which is open if a condition holds.
    fn wait(&mut self, state: &State, to: LocId, condition: Term, detour: u32) {
        let frames = state.frames.iter().map(Rc::as_ref);
        let Some(distance) = self.distances.of(self.program, frames, to) else { return };
        let detours = state.detours.saturating_add(detour);
        let alike = self.seen.alike(&self.terms, state, to).saturating_add(detours);
        let visits = self.visits[state.top().procedure.index()][to.index()].saturating_add(detours);
        let distance = distance.saturating_add(detours);
        let state = State { detours, ..state.clone() };
        self.queue.push(Pending { state, condition: Some(condition), distance, visits, alike });
    }

    /// The machine runs with the values of the model.
    fn confirmed(&mut self, state: &State) -> Option<InputTrace> {
        let mut sites = Vec::new();
        let mut cells = Vec::new();
        for &(asked, term) in state.inputs.iter() {
            let bits = state.model.bits(&self.terms, term).unwrap_or(0);
            match asked {
                Asked::Site(site) => sites.push((site, bits)),
                Asked::Memory(address, width) => cells.push(((address, width), bits)),
            }
        }
        // The lists begin with what was asked for last.
        cells.reverse();
        let answer = |_: usize, request: &InputRequest, _: &[_]| match request.source {
            InputSource::Site(asked) => sites.pop().filter(|(site, _)| *site == asked).map_or(0, |(_, bits)| bits),
            InputSource::Memory { address, .. } => {
                let known = cells.iter().position(|(cell, _)| *cell == (address, request.width));
                match known {
                    Some(position) => cells.remove(position).1,
                    None => part(&cells, address),
                }
            }
        };
        let trace = run_guided(self.program, answer).ok();
        self.stats.unconfirmed += u64::from(trace.is_none());
        trace
    }
}

/// What cells say of an address that is in one of them.
fn part(cells: &[((u64, u32), u64)], address: u64) -> u64 {
    let covers = |&&((start, width), _): &&((u64, u32), u64)| (start..start + u64::from(width / 8)).contains(&address);
    cells.iter().find(covers).map_or(0, |((start, _), bits)| bits >> (8 * (address - start)))
}

fn first_address(program: &CfaProgram) -> u64 {
    let functions = program.procedures.iter().filter_map(|procedure| procedure.address);
    let objects = program.objects.iter().map(|object| object.address);
    functions.chain(objects).min().unwrap_or(DYNAMIC_BASE)
}

fn edges_from(procedure: &clinch_ir::cfa::Procedure) -> Vec<Rc<[EdgeId]>> {
    let mut edges = vec![Vec::new(); procedure.locations.len()];
    for (number, edge) in procedure.edges.iter().enumerate() {
        edges[edge.from.index()].push(EdgeId::from_index(number));
    }
    edges.into_iter().map(Rc::from).collect()
}
