//! Splitting on programs with procedures and memory: the algorithm of the module above, on states of the machine.
//!
//! States are those in which an input is asked for. Control, calls that wait and which objects there are belong to an abstract state as they
//! are; cells are the variables of active calls, global ones, and memory in words of eight bytes. An input of up to eight bits gets all its values, a wider one
//! those of `--input-domain`, or some that look promising: then there is no proof at the end.

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, InputTrace, InputValue, ReachedStates};
use clinch_machine::guided::input_value;
use clinch_machine::{Cell, InputRequest, Limits, LoopHeads, Machine, MachineState, Parts, Pause};
use indexmap::{IndexMap, IndexSet};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxBuildHasher;

use super::{Config, Segment, Stats, Threshold, split_eligible};
use crate::CfaOutcome;
use crate::budget::{Budget, Observer, Progress, Ticker};
use crate::concrete::runs::error_of;
use crate::explicit::{Candidates, RunsConfig};

/// Values tried for an input that has too many.
const SAMPLES: usize = 16;

/// `GeneralSplitting` ([Split, algorithm 3]) on a program with procedures.
pub fn check(program: &CfaProgram, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> CfaOutcome<Stats> {
    let mut stats = Stats::default();
    let verdict = general_splitting(program, config, budget, observer, &mut stats);
    (verdict.unwrap_or_else(CfaVerdict::Unknown), stats)
}

fn general_splitting(
    program: &CfaProgram,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Result<CfaVerdict, Reason> {
    let machine = Machine::new(program);
    let runs_config = RunsConfig { exhaustive_bits: 8, ..RunsConfig::default() };
    let candidates = Candidates::new(program, &runs_config);
    let mut phi = Phi::default();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(config.seed);
    loop {
        budget.check_iteration(stats.iterations)?;
        let mut search = Search {
            machine: &machine,
            candidates: &candidates,
            config,
            budget,
            phi: &mut phi,
            states: IndexMap::default(),
            generated: 0,
            unfinished: None,
        };
        let outcome = search.run();
        let Search { states, generated, unfinished, .. } = search;
        let added = match outcome {
            Ok(None) => {
                let (segments, spread) = (|| segments(&states, &phi), || spread_cells(&states));
                split_eligible(config.strategy, states.len(), segments, spread, &mut rng)
            }
            _ => Vec::new(),
        };
        stats.record((states.len(), generated), phi.len(), added.iter().map(|split| phi.show(split)).collect());
        let (iteration, predicates) = (stats.iterations, stats.predicates);
        observer.progress(Progress { iteration, predicates, states: stats.states, ..Progress::default() });
        if let Some(trace) = outcome? {
            return Ok(CfaVerdict::Unsafe(trace));
        }
        if added.is_empty() {
            let mut states: Vec<Box<[u8]>> = states.into_values().map(|visit| visit.state).collect();
            states.sort_unstable();
            let proof = CfaProof::Reached(ReachedStates { states });
            return unfinished.map_or(Ok(CfaVerdict::Safe(proof)), Err);
        }
        phi.add(&added);
    }
}

/// `Eligible(Phi)` cell by cell: the segments of all abstract states.
fn segments(states: &States, phi: &Phi) -> Vec<Vec<Segment>> {
    let mut segments = vec![Vec::new(); phi.cells.len()];
    for (number, visit) in states.values().enumerate() {
        for &Extent { cell, min, max } in visit.spread() {
            segments[cell as usize].push(Segment { state: number as u32, min, max });
        }
    }
    segments
}

/// `Eligible(Phi)` state by state.
fn spread_cells(states: &States) -> impl Iterator<Item = Vec<Threshold>> {
    let thresholds = |visit: &Visit| -> Vec<Threshold> {
        visit.spread().map(|extent| Threshold { cell: extent.cell, above: extent.min }).collect()
    };
    states.values().map(thresholds).filter(|cells| !cells.is_empty())
}

/// `Phi`: constants that cells are compared with.
#[derive(Default)]
struct Phi {
    cells: IndexSet<Cell, FxBuildHasher>,
    /// Sorted, for each cell.
    constants: Vec<Vec<i64>>,
}

impl Phi {
    fn number(&mut self, cell: Cell) -> u32 {
        let number = self.cells.insert_full(cell).0;
        self.constants.resize(self.cells.len(), Vec::new());
        number as u32
    }

    /// How many predicates there are.
    fn len(&self) -> usize {
        self.constants.iter().map(Vec::len).sum()
    }

    fn add(&mut self, splits: &[Threshold]) {
        for split in splits {
            let constants = &mut self.constants[split.cell as usize];
            if let Err(place) = constants.binary_search(&split.above) {
                constants.insert(place, split.above);
            }
        }
    }

    fn show(&self, split: &Threshold) -> String {
        format!("{:?} > {}", self.cells[split.cell as usize], split.above)
    }
}

/// The values of a cell among the concrete states that matched an abstract one.
#[derive(Clone, Copy)]
struct Extent {
    cell: u32,
    min: i64,
    max: i64,
}

/// The concrete state an abstract one was first met by, how that was reached, and how far the others reach.
struct Visit {
    state: Box<[u8]>,
    arrival: Option<(usize, InputValue)>,
    extents: Vec<Extent>,
}

impl Visit {
    /// The cells with more than one value.
    fn spread(&self) -> impl Iterator<Item = &Extent> {
        self.extents.iter().filter(|extent| extent.min != extent.max)
    }
}

/// An abstract state: its shape, and the ranks of its cells among their constants.
type AlphaState = (Box<[u64]>, Box<[u32]>);

type States = IndexMap<AlphaState, Visit, FxBuildHasher>;

/// `BFS-AMCS` ([Split, algorithm 4]).
struct Search<'a, 'm> {
    machine: &'a Machine<'m>,
    candidates: &'a Candidates<'a>,
    config: &'a Config,
    budget: &'a Budget,
    phi: &'a mut Phi,
    states: States,
    generated: u64,
    /// Why the states are not all there are.
    unfinished: Option<Reason>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<Option<InputTrace>, Reason> {
        let mut ticker = Ticker::new();
        if let Some(trace) = self.go_on(self.machine.initial(), None)? {
            return Ok(Some(trace));
        }
        let mut next = 0;
        while next < self.states.len() {
            ticker.tick(self.budget)?;
            if let Some(trace) = self.expand(next)? {
                return Ok(Some(trace));
            }
            next += 1;
        }
        Ok(None)
    }

    fn expand(&mut self, number: usize) -> Result<Option<InputTrace>, Reason> {
        let mut paused = self.machine.decode(&self.states[number].state).expect("what was encoded can be decoded");
        let limits = Limits::default();
        let Pause::Input(request) = self.machine.run_until_input(&mut paused, &mut (), LoopHeads::Pass, &limits) else {
            return Ok(None);
        };
        for bits in self.values(&request) {
            let mut state = paused.clone();
            self.machine.supply(&mut state, &request, bits);
            let arrival = Some((number, input_value(&request, bits)));
            if let Some(trace) = self.go_on(state, arrival)? {
                return Ok(Some(trace));
            }
        }
        Ok(None)
    }

    /// The values to try for an input.
    fn values(&mut self, request: &InputRequest) -> Vec<u64> {
        let choice = self.candidates.choose(request, self.machine.input_matters(request), 1 << 8);
        match (choice.complete, self.config.inputs.0) {
            (true, _) => choice.values,
            (false, Some((lo, hi))) => {
                self.unfinished.get_or_insert(Reason::RestrictedInputs(lo, hi));
                (lo..=hi).map(|value| value as u64).collect()
            }
            (false, None) => {
                self.unfinished.get_or_insert(Reason::SampledInputs);
                choice.values.into_iter().take(SAMPLES).collect()
            }
        }
    }

    /// Runs on to the next input, and matches the state there.
    fn go_on(
        &mut self,
        mut state: MachineState,
        arrival: Option<(usize, InputValue)>,
    ) -> Result<Option<InputTrace>, Reason> {
        self.generated += 1;
        let budget = self.budget;
        let interrupt = || budget.check().is_err();
        let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
        match self.machine.run_until_input(&mut state, &mut (), LoopHeads::Pass, &limits) {
            Pause::Stopped(outcome) => {
                let error = error_of(self.machine.program(), &outcome, budget)?;
                let span = outcome.at.span;
                Ok(error.map(|error| InputTrace { inputs: self.inputs_to(arrival), error, span }))
            }
            Pause::Input(_) | Pause::LoopHead(..) => {
                self.matches(&state, arrival);
                Ok(None)
            }
        }
    }

    /// Matches a generated state; it waits if its abstract state is new.
    fn matches(&mut self, state: &MachineState, arrival: Option<(usize, InputValue)>) {
        let Parts { shape, cells } = self.machine.parts(state);
        let cells: Vec<(u32, i64)> = cells.into_iter().map(|(cell, value)| (self.phi.number(cell), value)).collect();
        let rank = |&(cell, value): &(u32, i64)| {
            self.phi.constants[cell as usize].partition_point(|&constant| constant < value) as u32
        };
        let alpha = (shape.into_boxed_slice(), cells.iter().map(rank).collect());
        match self.states.get_mut(&alpha) {
            Some(visit) => {
                for (extent, (_, value)) in visit.extents.iter_mut().zip(cells) {
                    extent.min = extent.min.min(value);
                    extent.max = extent.max.max(value);
                }
            }
            None => {
                let extents = cells.iter().map(|&(cell, value)| Extent { cell, min: value, max: value }).collect();
                let mut bytes = Vec::new();
                self.machine.encode(state, &mut bytes);
                self.states.insert(alpha, Visit { state: bytes.into_boxed_slice(), arrival, extents });
            }
        }
    }

    /// The inputs of a run that ends with this one.
    fn inputs_to(&self, arrival: Option<(usize, InputValue)>) -> Vec<InputValue> {
        let mut inputs = Vec::new();
        let mut last = arrival.as_ref();
        while let Some((from, input)) = last {
            inputs.push(input.clone());
            last = self.states[*from].arrival.as_ref();
        }
        inputs.reverse();
        inputs
    }
}
