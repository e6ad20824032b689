//! Breadth-first search on all cores, with the same result for any number of them.
//!
//! The states live in [`SHARDS`] tables, chosen by hash. A round takes a batch of the current level, cut into blocks of
//! fixed size. *Expansion* turns each block into successors, sorted by the shard they belong to; the blocks are
//! independent. *Insertion* puts the successors into their shards; the shards are independent, and each takes the
//! blocks in order. So numbering, parents and statistics depend on the program alone.

use clinch_ir::{Dead, Proof, Reason, StateSet, TraceEnd, TransId, TransitionSet, Verdict};
use rayon::prelude::*;

use super::Stats;
use super::reduce::{Chooser, Reduction, Tried};
use crate::Outcome;
use crate::budget::{Budget, Observer, Progress};
use crate::concrete::{Event, Expander, Model, StateTable, hash_words, trace_of};

/// How many tables there are.
pub(super) const SHARDS: usize = 4;
/// States per block.
const BLOCK: usize = 512;
/// Blocks per round: enough to keep the cores busy, little enough for the successors to stay in the cache.
const BLOCKS: usize = 32;
/// Enabled transitions that are counted to see whether a reduction is worth its time.
const SAMPLE: u64 = 1 << 14;
/// Parent of an initial state.
const NONE: u32 = u32::MAX;

/// Number of a state: its number in its shard, and the shard in the low bits.
fn id(shard: usize, number: usize) -> u32 {
    (number * SHARDS + shard) as u32
}

struct Shard {
    table: StateTable,
    parents: Vec<u32>,
}

/// What an expansion found in a state, besides successors.
#[derive(Clone)]
enum Finding {
    Error(TraceEnd),
    Stop(Reason),
}

/// Working place of one block.
struct Lane<'m> {
    expander: Expander<'m>,
    /// Chooses what is tried, where not everything is.
    chooser: Option<Chooser<'m>>,
    /// What was tried in the states of the block, in a reduced search.
    tried: Vec<TransitionSet>,
    /// Transitions that were enabled, and those of them that were taken, if that is asked for.
    enabled: u64,
    taken: u64,
    found: Found,
}

/// What the expansion of a block found.
#[derive(Default)]
struct Found {
    /// For each shard, successors as: hash tag and parent in one word, then the state.
    successors: [Vec<u64>; SHARDS],
    transitions: u64,
    finding: Option<(u32, Finding)>,
}

/// A range of states of one shard.
#[derive(Clone, Copy)]
struct Block {
    shard: usize,
    first: usize,
    end: usize,
}

pub(super) fn search(
    model: &Model<'_>,
    threads: usize,
    reduction: Option<&Reduction>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome<Stats> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let mut search = Search::new(model, reduction);
    let outcome = match pool {
        Ok(pool) => search.run(&pool, budget, observer),
        Err(error) => Err(Reason::Unsupported(format!("cannot start threads: {error}"))),
    };
    let mut stats = std::mem::take(&mut search.stats);
    stats.states = search.len() as u64;
    stats.bytes_per_state = search.bytes() as f64 / search.len().max(1) as f64;
    let verdict = match outcome {
        Err(reason) => Verdict::Unknown(reason),
        Ok(Some((state, end))) => Verdict::Unsafe(trace_of(model, &search.path_to(state), end)),
        Ok(None) => match model.exhausted() {
            Some(reason) => Verdict::Unknown(reason),
            None => Verdict::Safe(search.into_proof()),
        },
    };
    (verdict, stats)
}

struct Search<'m> {
    model: &'m Model<'m>,
    shards: Vec<Shard>,
    lanes: Vec<Lane<'m>>,
    reduction: Option<&'m Reduction>,
    /// Whether the reduction is worth its time.
    reduces: bool,
    /// Of the first states, how many transitions were enabled, and how many were taken.
    enabled: u64,
    taken: u64,
    /// Whether steps may have been left out of which nobody counted how many there were.
    uncounted: bool,
    tried: Tried,
    /// Where levels end in each shard.
    levels: Vec<[usize; SHARDS]>,
    stats: Stats,
}

impl<'m> Search<'m> {
    fn new(model: &'m Model<'m>, reduction: Option<&'m Reduction>) -> Self {
        let mut shards: Vec<Shard> =
            (0..SHARDS).map(|_| Shard { table: StateTable::new(model.layout.words), parents: Vec::new() }).collect();
        for words in model.initial_states() {
            let hash = hash_words(&words);
            let shard = &mut shards[shard_of(hash)];
            if shard.table.insert(&words, hash as u32).is_ok() {
                shard.parents.push(NONE);
            }
        }
        Search {
            model,
            shards,
            lanes: Vec::new(),
            reduction,
            reduces: reduction.is_some(),
            enabled: 0,
            taken: 0,
            uncounted: false,
            tried: Tried::default(),
            levels: Vec::new(),
            stats: Stats::default(),
        }
    }

    fn len(&self) -> usize {
        self.shards.iter().map(|s| s.table.len()).sum()
    }

    fn bytes(&self) -> usize {
        self.shards.iter().map(|s| s.table.bytes() + 4 * s.parents.capacity()).sum()
    }

    /// Level by level until nothing new is found, or an error is.
    fn run(
        &mut self,
        pool: &rayon::ThreadPool,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<Option<(u32, TraceEnd)>, Reason> {
        let mut level: [usize; SHARDS] = [0; SHARDS];
        loop {
            let next: [usize; SHARDS] = std::array::from_fn(|s| self.shards[s].table.len());
            let blocks = blocks_of(&level, &next);
            self.levels.push(next);
            if blocks.is_empty() {
                debug_assert_eq!(level.iter().sum::<usize>(), self.len(), "a stored state was not expanded");
                self.stats.depth = self.stats.depth.saturating_sub(1);
                return Ok(None);
            }
            for round in blocks.chunks(BLOCKS) {
                budget.check_memory()?;
                self.expand(pool, round);
                if let Some(finding) = self.lanes[..round.len()].iter_mut().find_map(|lane| lane.found.finding.take()) {
                    return match finding {
                        (state, Finding::Error(end)) => Ok(Some((state, end))),
                        (_, Finding::Stop(reason)) => Err(reason),
                    };
                }
                self.insert(pool, round.len());
                if self.len() >= NONE as usize / SHARDS {
                    return Err(Reason::Unsupported("more than 2^30 states".to_string()));
                }
            }
            level = next;
            // To choose costs several times as much as to take a step: a few steps less are not worth it.
            self.reduces &= self.taken < SAMPLE || self.taken * 4 < self.enabled * 3;
            self.stats.depth += 1;
            observer.progress(Progress { states: self.len() as u64, ..Progress::default() });
        }
    }

    fn expand(&mut self, pool: &rayon::ThreadPool, round: &[Block]) {
        while self.lanes.len() < round.len() {
            self.lanes.push(Lane::new(self.model, self.reduction));
        }
        let closed = self.levels.last().expect("a level");
        let counts = self.taken < SAMPLE;
        self.uncounted |= self.reduces && !counts;
        let reduction = self.reduces.then_some(counts);
        let known = Known { model: self.model, shards: &self.shards, closed, reduction };
        let lanes = &mut self.lanes[..round.len()];
        if round.len() == 1 {
            lanes[0].expand(&known, round[0]);
        } else {
            let work = lanes.par_iter_mut().zip(round);
            pool.install(|| work.for_each(|(lane, block)| lane.expand(&known, *block)));
        }
        for (lane, block) in self.lanes.iter_mut().zip(round) {
            lane.tried.drain(..).for_each(|set| self.tried.push(block.shard, set));
            if counts {
                self.enabled += lane.enabled;
                self.taken += lane.taken;
            }
        }
        self.stats.transitions += self.lanes[..round.len()].iter().map(|l| l.found.transitions).sum::<u64>();
    }

    fn insert(&mut self, pool: &rayon::ThreadPool, lanes: usize) {
        let lanes = &self.lanes[..lanes];
        let insert =
            |(s, shard): (usize, &mut Shard)| lanes.iter().for_each(|lane| shard.insert(&lane.found.successors[s]));
        if lanes.len() == 1 {
            self.shards.iter_mut().enumerate().for_each(insert);
        } else {
            pool.install(|| self.shards.par_iter_mut().enumerate().for_each(insert));
        }
    }

    /// The states from an initial one to this.
    fn path_to(&self, state: u32) -> Vec<Box<[u64]>> {
        let mut path = Vec::new();
        let mut current = state;
        while current != NONE {
            let (shard, number) = (current as usize % SHARDS, current as usize / SHARDS);
            path.push(self.shards[shard].table.get(number).into());
            current = self.shards[shard].parents[number];
        }
        path.reverse();
        path
    }

    fn into_proof(self) -> Proof {
        let layout = self.model.layout.clone();
        let chunks = self.shards.into_iter().map(|s| s.table.into_vectors()).collect();
        let states = StateSet { layout, chunks };
        match self.reduction {
            Some(_) if self.uncounted || self.taken < self.enabled => {
                Proof::ReducedSet(self.tried.into_set(states, &self.levels), Dead::default())
            }
            _ => Proof::ReachedSet(states),
        }
    }
}

/// What all lanes see of the search.
struct Known<'s> {
    model: &'s Model<'s>,
    shards: &'s [Shard],
    /// The states before these are not at a later level.
    closed: &'s [usize; SHARDS],
    /// Whether the search is reduced, and if so, whether enabled transitions are counted.
    reduction: Option<bool>,
}

impl Known<'_> {
    /// Whether a successor is at a later level.
    fn is_later(&self, words: &[u64]) -> bool {
        let hash = hash_words(words);
        let shard = shard_of(hash);
        self.shards[shard].table.find(words, hash as u32).is_none_or(|number| number >= self.closed[shard])
    }
}

fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

fn blocks_of(from: &[usize; SHARDS], to: &[usize; SHARDS]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for shard in 0..SHARDS {
        for first in (from[shard]..to[shard]).step_by(BLOCK) {
            blocks.push(Block { shard, first, end: to[shard].min(first + BLOCK) });
        }
    }
    blocks
}

impl Shard {
    fn insert(&mut self, successors: &[u64]) {
        let Shard { table, parents } = self;
        table.insert_batch(successors, |parent| parents.push(parent));
    }
}

impl<'m> Lane<'m> {
    fn new(model: &'m Model<'m>, reduction: Option<&'m Reduction>) -> Self {
        Lane {
            expander: Expander::new(model),
            chooser: reduction.map(Chooser::new),
            tried: Vec::new(),
            enabled: 0,
            taken: 0,
            found: Found::default(),
        }
    }

    /// Expands the states of a block, up to the first that is an error.
    fn expand(&mut self, known: &Known<'_>, block: Block) {
        self.found.successors.iter_mut().for_each(Vec::clear);
        self.found.transitions = 0;
        (self.enabled, self.taken) = (0, 0);
        for number in block.first..block.end {
            let state = id(block.shard, number);
            self.expander.load(known.shards[block.shard].table.get(number));
            match self.expander.is_error() {
                Ok(false) => {}
                Ok(true) => return self.found.finding = Some((state, Finding::Error(TraceEnd::Error))),
                Err(reason) => return self.found.finding = Some((state, Finding::Stop(reason))),
            }
            let before = self.found.transitions;
            self.expand_loaded(known, state);
            if self.found.finding.is_some() {
                return;
            }
            if self.found.transitions == before && known.model.program.property.deadlock {
                self.found.finding = Some((state, Finding::Error(TraceEnd::Deadlock)));
                return;
            }
        }
    }

    fn expand_loaded(&mut self, known: &Known<'_>, state: u32) {
        let Lane { expander, chooser, found, .. } = self;
        let Some(chooser) = chooser else {
            return expander.for_each(|event| found.note(known.model, state, event));
        };
        let Some(counts) = known.reduction else {
            self.tried.push(chooser.reduction().everything().clone());
            return expander.for_each(|event| found.note(known.model, state, event));
        };
        let all = if counts { chooser.count_enabled(expander) as u64 } else { 0 };
        self.enabled += all;
        let (mut set, enabled) = chooser.choose(expander);
        let mut leads_on = !chooser.reduction().must_lead_on();
        for &t in &enabled {
            expander.for_transition(t, |event| {
                leads_on |= matches!(&event, Event::Step(step) if known.is_later(step.words));
                found.note(known.model, state, event);
            });
        }
        if !leads_on {
            set = chooser.reduction().everything().clone();
            let is_new = |t: TransId| !enabled.contains(&t);
            expander.for_each(|event| {
                if is_new(event.transition()) {
                    found.note(known.model, state, event)
                }
            });
        }
        self.taken += if leads_on { enabled.len() as u64 } else { all };
        self.tried.push(set);
    }
}

impl Found {
    fn note(&mut self, model: &Model<'_>, state: u32, event: Event<'_>) {
        let finding = match event {
            Event::Step(step) => {
                self.transitions += 1;
                let hash = hash_words(step.words);
                let buffer = &mut self.successors[shard_of(hash)];
                buffer.push((hash << 32) | u64::from(state));
                buffer.extend_from_slice(step.words);
                return;
            }
            Event::Fault(t, inputs, fault) => Finding::Error(TraceEnd::Fault(t, inputs.to_vec(), fault)),
            Event::Overflow(t) => Finding::Stop(Expander::overflow_reason(model, t)),
        };
        self.finding.get_or_insert((state, finding));
    }
}
