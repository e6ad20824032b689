//! Breadth-first search on all cores, with the same result for any number of them.
//!
//! The states live in [`SHARDS`] tables, chosen by hash. A round takes a batch of the current level, cut into blocks of
//! fixed size. *Expansion* turns each block into successors, sorted by the shard they belong to; the blocks are
//! independent. *Insertion* puts the successors into their shards; the shards are independent, and each takes the
//! blocks in order. So numbering, parents and statistics depend on the program alone.

use clinch_ir::{Proof, Reason, StateSet, TraceEnd, TransId, Verdict};
use clinch_terms::Fault;
use rayon::prelude::*;

use super::Stats;
use crate::Outcome;
use crate::budget::{Budget, Observer, Progress};
use crate::concrete::{Event, Expander, Model, StateTable, hash_words, trace_of};

/// How many tables there are.
const SHARDS: usize = 4;
/// States per block.
const BLOCK: usize = 512;
/// Blocks per round: enough to keep the cores busy, little enough for the successors to stay in the cache.
const BLOCKS: usize = 32;
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
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome<Stats> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let mut search = Search::new(model);
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
            None => Verdict::Safe(Proof::ReachedSet(search.into_set())),
        },
    };
    (verdict, stats)
}

struct Search<'m> {
    model: &'m Model<'m>,
    shards: Vec<Shard>,
    lanes: Vec<Lane<'m>>,
    stats: Stats,
}

impl<'m> Search<'m> {
    fn new(model: &'m Model<'m>) -> Self {
        let mut shards: Vec<Shard> =
            (0..SHARDS).map(|_| Shard { table: StateTable::new(model.layout.words), parents: Vec::new() }).collect();
        for words in model.initial_states() {
            let hash = hash_words(&words);
            let shard = &mut shards[shard_of(hash)];
            if shard.table.insert(&words, hash as u32).is_ok() {
                shard.parents.push(NONE);
            }
        }
        Search { model, shards, lanes: Vec::new(), stats: Stats::default() }
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
            if blocks.is_empty() {
                debug_assert_eq!(level.iter().sum::<usize>(), self.len(), "a stored state was not expanded");
                self.stats.depth = self.stats.depth.saturating_sub(1);
                return Ok(None);
            }
            for round in blocks.chunks(BLOCKS) {
                budget.check_memory()?;
                self.expand(pool, round);
                if let Some(finding) = self.lanes[..round.len()].iter_mut().find_map(|lane| lane.finding.take()) {
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
            self.stats.depth += 1;
            observer.progress(Progress { states: self.len() as u64, ..Progress::default() });
        }
    }

    fn expand(&mut self, pool: &rayon::ThreadPool, round: &[Block]) {
        while self.lanes.len() < round.len() {
            self.lanes.push(Lane::new(self.model));
        }
        let (shards, lanes) = (&self.shards, &mut self.lanes[..round.len()]);
        if round.len() == 1 {
            lanes[0].expand(self.model, &shards[round[0].shard].table, round[0]);
        } else {
            let work = lanes.par_iter_mut().zip(round);
            pool.install(|| work.for_each(|(lane, block)| lane.expand(self.model, &shards[block.shard].table, *block)));
        }
        self.stats.transitions += self.lanes[..round.len()].iter().map(|l| l.transitions).sum::<u64>();
    }

    fn insert(&mut self, pool: &rayon::ThreadPool, lanes: usize) {
        let lanes = &self.lanes[..lanes];
        let insert = |(s, shard): (usize, &mut Shard)| lanes.iter().for_each(|lane| shard.insert(&lane.successors[s]));
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

    fn into_set(self) -> StateSet {
        let layout = self.model.layout.clone();
        StateSet { layout, chunks: self.shards.into_iter().map(|s| s.table.into_vectors()).collect() }
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
    fn new(model: &'m Model<'m>) -> Self {
        Lane { expander: Expander::new(model), successors: Default::default(), transitions: 0, finding: None }
    }

    /// Expands the states of a block, up to the first that is an error.
    fn expand(&mut self, model: &Model<'_>, states: &StateTable, block: Block) {
        self.successors.iter_mut().for_each(Vec::clear);
        self.transitions = 0;
        for number in block.first..block.end {
            let state = id(block.shard, number);
            self.expander.load(states.get(number));
            match self.expander.is_error() {
                Ok(false) => {}
                Ok(true) => return self.finding = Some((state, Finding::Error(TraceEnd::Error))),
                Err(reason) => return self.finding = Some((state, Finding::Stop(reason))),
            }
            let before = self.transitions;
            if let Some(finding) = self.expand_loaded(model, state) {
                self.finding = Some((state, finding));
                return;
            }
            if self.transitions == before && model.program.property.deadlock {
                self.finding = Some((state, Finding::Error(TraceEnd::Deadlock)));
                return;
            }
        }
    }

    fn expand_loaded(&mut self, model: &Model<'_>, state: u32) -> Option<Finding> {
        let (successors, transitions) = (&mut self.successors, &mut self.transitions);
        let mut finding = None;
        let fault = |t: TransId, inputs: &[i64], fault: Fault| TraceEnd::Fault(t, inputs.to_vec(), fault);
        self.expander.for_each(|event| match event {
            Event::Step(step) => {
                *transitions += 1;
                let hash = hash_words(step.words);
                let buffer = &mut successors[shard_of(hash)];
                buffer.push((hash << 32) | u64::from(state));
                buffer.extend_from_slice(step.words);
            }
            Event::Fault(t, inputs, f) => {
                finding.get_or_insert_with(|| Finding::Error(fault(t, inputs, f)));
            }
            Event::Overflow(t) => {
                finding.get_or_insert_with(|| Finding::Stop(Expander::overflow_reason(model, t)));
            }
        });
        finding
    }
}
