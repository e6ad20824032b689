//! The search: states that lead to an error are excluded level by level, or a run comes out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use clinch_ir::Reason;
use clinch_ir::cfa::unfold::Open;
use clinch_smt::{Lit, Wire};
use rustc_hash::FxHashSet;

use super::Stats;
use super::cube::{Bit, Cube};
use super::frames::{Frames, Lemma};
use super::system::{BEFORE, System, Target};
use crate::budget::{Budget, Observer, Progress};

/// Questions for one lemma, at most, to make it say more.
const TRIES: u64 = 300;
/// Obligations at most.
const OBLIGATIONS: usize = 4_000_000;

/// A way that is taken with these inputs.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) location: usize,
    pub(super) inputs: Vec<(Open, u64)>,
}

/// A way to the end of a run, the first first; what the variables are before it.
#[derive(Debug)]
pub(super) struct Counterexample {
    pub(super) taken: Vec<Taken>,
    /// The cells of memory at the start: their variables and values.
    pub(super) memory: Vec<(usize, u64)>,
    pub(super) target: Target,
}

/// States from which a way leads to states that are to be excluded, or to an error.
struct Predecessor {
    cube: Cube,
    taken: Taken,
    /// The variables after it, where it is the first way of all.
    memory: Vec<(usize, u64)>,
}

/// States that are to be excluded: an error can be reached from them.
struct Obligation {
    cube: Cube,
    /// How they lead on.
    taken: Taken,
    /// To the states of which obligation; none for an error.
    next: Option<usize>,
    target: Target,
}

/// Whether states can be reached.
enum Answer {
    /// No, and these bits alone say so.
    No(Cube),
    Yes(Predecessor),
}

pub(super) struct Search<'s, 'p> {
    pub(super) system: &'s mut System<'p>,
    pub(super) frames: Vec<Frames>,
    /// Bits that are constant at each location; none where no run comes.
    pub(super) constants: Vec<Option<Cube>>,
    /// The others.
    others: Vec<Vec<Bit>>,
    obligations: Vec<Obligation>,
    /// Level, number.
    waiting: BinaryHeap<Reverse<(usize, usize)>>,
    top: usize,
    pub(super) budget: &'s Budget,
    stats: &'s mut Stats,
}

impl<'s, 'p> Search<'s, 'p> {
    pub(super) fn new(
        system: &'s mut System<'p>,
        constants: Vec<Option<Cube>>,
        budget: &'s Budget,
        stats: &'s mut Stats,
    ) -> Self {
        let frames = system.locations.iter().map(|_| Frames::default()).collect();
        let mut others = Vec::new();
        for (location, constants) in constants.iter().enumerate() {
            let bits = constants.as_ref().map_or(&[][..], Cube::bits);
            for &(bit, value) in bits {
                let wire = system.now(location, bit);
                let literal = system.literal(location, wire, value);
                system.locations[location].gates.add([literal]);
            }
            others.push(system.bits().filter(|bit| bits.binary_search_by_key(bit, |b| b.0).is_err()).collect());
        }
        Search {
            system,
            frames,
            constants,
            others,
            obligations: Vec::new(),
            waiting: BinaryHeap::new(),
            top: 0,
            budget,
            stats,
        }
    }

    /// The way to an error, or the level whose lemmas are an invariant.
    pub(super) fn run(&mut self, observer: &mut dyn Observer) -> Result<Result<usize, Counterexample>, Reason> {
        loop {
            self.budget.check_iteration(self.top as u64)?;
            self.top += 1;
            self.stats.frames = self.top as u64;
            if let Some(found) = self.exclude_errors()? {
                return Ok(Err(found));
            }
            if let Some(level) = self.propagate()? {
                return Ok(Ok(level));
            }
            let states = self.stats.obligations;
            observer.progress(Progress { iteration: self.stats.frames, states, ..Progress::default() });
        }
    }

    /// No error is left behind the states of the last frame, or one is found.
    fn exclude_errors(&mut self) -> Result<Option<Counterexample>, Reason> {
        for location in 1..self.system.locations.len() {
            if self.constants[location].is_none() {
                continue;
            }
            for way in 0..self.system.locations[location].ways.len() {
                let target = self.system.locations[location].ways[way].target;
                if matches!(target, Target::Location(_)) {
                    continue;
                }
                while let Some(Predecessor { cube, taken, .. }) = self.predecessor((location, way), None, self.top)? {
                    self.oblige(Obligation { cube, taken, next: None, target }, self.top)?;
                    if let Some(found) = self.exclude()? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        Ok(None)
    }

    fn oblige(&mut self, obligation: Obligation, level: usize) -> Result<(), Reason> {
        if self.obligations.len() >= OBLIGATIONS {
            return Err(Reason::Unsupported("there are too many states to exclude".to_owned()));
        }
        self.waiting.push(Reverse((level, self.obligations.len())));
        self.obligations.push(obligation);
        self.stats.obligations += 1;
        Ok(())
    }

    /// Excludes what waits, or finds a run to it.
    fn exclude(&mut self) -> Result<Option<Counterexample>, Reason> {
        while let Some(Reverse((level, number))) = self.waiting.pop() {
            let (location, cube) = (self.obligations[number].taken.location, self.obligations[number].cube.clone());
            if self.frames[location].excludes(&cube, level) {
                self.wait_again(level, number);
                continue;
            }
            match self.reaches(location, &cube, level, true)? {
                Answer::Yes(found) if found.taken.location == BEFORE => {
                    return Ok(Some(self.counterexample(number, found.memory)));
                }
                Answer::Yes(Predecessor { cube, taken, .. }) => {
                    let target = self.obligations[number].target;
                    self.waiting.push(Reverse((level, number)));
                    self.oblige(Obligation { cube, taken, next: Some(number), target }, level - 1)?;
                }
                Answer::No(core) => {
                    let cube = self.generalise(location, core, level)?;
                    let level = self.last_level(location, &cube, level)?;
                    self.learn(location, Lemma { cube, level });
                    self.wait_again(level, number);
                }
            }
        }
        Ok(None)
    }

    /// What is excluded at one level comes back at the next: the error behind it is as near as ever.
    fn wait_again(&mut self, level: usize, number: usize) {
        if level < self.top {
            self.waiting.push(Reverse((level + 1, number)));
        }
    }

    fn counterexample(&self, first: usize, memory: Vec<(usize, u64)>) -> Counterexample {
        let (mut taken, mut at) = (Vec::new(), Some(first));
        while let Some(number) = at {
            taken.push(self.obligations[number].taken.clone());
            at = self.obligations[number].next;
        }
        Counterexample { taken, memory, target: self.obligations[first].target }
    }

    fn learn(&mut self, location: usize, lemma: Lemma) {
        self.stats.lemmas += 1;
        let literals = self.now(location, &lemma.cube);
        self.frames[location].add(&mut self.system.locations[location].gates, lemma, literals.into_iter());
    }

    /// Leaves out what is not needed: whole variables first, then bits.
    fn generalise(&mut self, location: usize, core: Cube, level: usize) -> Result<Cube, Reason> {
        let (mut cube, before) = (core, self.stats.queries);
        for whole in [true, false] {
            let of = |system: &System<'_>, bit: Bit| if whole { system.owner(bit).0 } else { bit.index() };
            let mut parts: Vec<usize> = cube.bits().iter().map(|(bit, _)| of(self.system, *bit)).collect();
            parts.dedup();
            for part in parts {
                if self.stats.queries - before > TRIES {
                    return Ok(cube);
                }
                let smaller = cube.keeping(|bit| of(self.system, bit) != part);
                if smaller.bits().len() == cube.bits().len() {
                    continue;
                }
                if let Answer::No(core) = self.reaches(location, &smaller, level, false)? {
                    cube = core;
                }
            }
        }
        Ok(cube)
    }

    /// The last level, up to the one behind the last frame, at which a cube is not reached.
    fn last_level(&mut self, location: usize, cube: &Cube, mut level: usize) -> Result<usize, Reason> {
        while level < self.top && matches!(self.reaches(location, cube, level + 1, false)?, Answer::No(_)) {
            level += 1;
        }
        Ok(level)
    }

    /// Carries lemmas forward; the first level all of whose lemmas hold at the next, too.
    fn propagate(&mut self) -> Result<Option<usize>, Reason> {
        for level in 1..=self.top {
            let mut left = 0;
            for location in 1..self.frames.len() {
                let here: Vec<Cube> = self.frames[location]
                    .lemmas()
                    .iter()
                    .filter(|l| l.level == level)
                    .map(|l| l.cube.clone())
                    .collect();
                for cube in here {
                    match self.reaches(location, &cube, level + 1, false)? {
                        Answer::No(cube) => self.learn(location, Lemma { cube, level: level + 1 }),
                        Answer::Yes(_) => left += 1,
                    }
                }
            }
            if left == 0 {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// Whether a run of so many blocks can come to a cube from outside of it.
    fn reaches(&mut self, location: usize, cube: &Cube, level: usize, lift: bool) -> Result<Answer, Reason> {
        let mut needed: Vec<(Bit, bool)> = Vec::new();
        for i in 0..self.system.locations[location].incoming.len() {
            let (from, way) = self.system.locations[location].incoming[i];
            if self.constants[from].is_none() || (level == 1 && from != BEFORE) {
                continue;
            }
            match self.step((from, way), Some((location, cube)), level - 1, lift)? {
                Ok(core) => needed.extend(core),
                Err(found) => return Ok(Answer::Yes(found)),
            }
        }
        Ok(Answer::No(Cube::new(needed)))
    }

    fn predecessor(
        &mut self,
        way: (usize, usize),
        to: Option<(usize, &Cube)>,
        level: usize,
    ) -> Result<Option<Predecessor>, Reason> {
        Ok(self.step(way, to, level, true)?.err())
    }

    /// Whether a way leads from `F_level` to a cube, or to an error: the bits of the cube that keep it from there, or states from
    /// which it does.
    #[allow(clippy::type_complexity, reason = "either bits or states")]
    fn step(
        &mut self,
        (from, way): (usize, usize),
        to: Option<(usize, &Cube)>,
        level: usize,
        lift: bool,
    ) -> Result<Result<Vec<(Bit, bool)>, Predecessor>, Reason> {
        self.budget.check()?;
        self.stats.queries += 1;
        let bits = to.map_or(&[][..], |(_, cube)| cube.bits());
        let then: Vec<Lit> = bits.iter().map(|&bit| self.then((from, way), bit)).collect();
        let now = to.filter(|(location, _)| *location == from).map(|(_, cube)| self.now(from, cube));
        let guard = self.guard(from, way);
        let frame: Vec<Lit> = self.frames[from].assumptions(level).collect();
        let gates = &mut self.system.locations[from].gates;
        // From outside of the cube, where it is about the same location.
        let outside = now.map(|now| {
            let outside = gates.fresh();
            gates.add(now.into_iter().map(|literal| !literal).chain([!outside]));
            outside
        });
        let answer = gates.ask(frame.into_iter().chain(outside).chain([guard]).chain(then.iter().rev().copied()));
        let found = match answer {
            None => Err(self.budget.check().err().unwrap_or(Reason::NoProgress)),
            Some(false) => {
                Ok(Ok(bits.iter().zip(&then).filter(|(_, literal)| gates.needs(**literal)).map(|(b, _)| *b).collect()))
            }
            Some(true) => Ok(Err(self.found((from, way), &then, lift)?)),
        };
        if let Some(outside) = outside {
            self.system.locations[from].gates.retire(outside);
        }
        found
    }

    /// The states that the solver found, and others that the same inputs lead to the same end.
    fn found(&mut self, (from, way): (usize, usize), then: &[Lit], lift: bool) -> Result<Predecessor, Reason> {
        let location = &self.system.locations[from];
        let bit = |wire| location.gates.known(wire).is_some_and(|literal| location.gates.holds(literal));
        let value = |word: &[Wire]| word.iter().zip(0..64).map(|(&wire, i)| u64::from(bit(wire)) << i).sum();
        let inputs = location.ways[way].open.iter().map(|(open, word)| (*open, value(word))).collect();
        let taken = Taken { location: from, inputs };
        if !lift || from == BEFORE {
            let memory = if from == BEFORE { self.memory(way) } else { Vec::new() };
            return Ok(Predecessor { cube: Cube::default(), taken, memory });
        }
        let cube = self.lifted((from, way), then)?;
        Ok(Predecessor { cube, taken, memory: Vec::new() })
    }

    /// The cells at the start.
    fn memory(&self, way: usize) -> Vec<(usize, u64)> {
        let gates = &self.system.locations[BEFORE].gates;
        let cells = self.system.variables.iter().enumerate().filter(|(_, variable)| variable.address.is_some());
        let holds = |bit| gates.known(self.system.then(BEFORE, way, bit)).is_some_and(|literal| gates.holds(literal));
        let value =
            |variable| self.system.bits_of(variable).zip(0..64).map(|(bit, i)| u64::from(holds(bit)) << i).sum();
        cells.map(|(variable, _)| (variable, value(variable))).collect()
    }

    /// The bits that matter: with them, the same inputs lead to the same end. Predicates first, for the solver needs what it is told first.
    fn lifted(&mut self, (from, way): (usize, usize), then: &[Lit]) -> Result<Cube, Reason> {
        let guard = self.guard(from, way);
        let gates = &self.system.locations[from].gates;
        let mut bits: Vec<((Bit, bool), Lit)> = Vec::new();
        for &bit in self.others[from].iter().rev() {
            if let Some(literal) = gates.known(self.system.now(from, bit)) {
                let value = gates.holds(literal);
                bits.push(((bit, value), if value { literal } else { !literal }));
            }
        }
        let state: FxHashSet<Lit> = bits.iter().map(|bit| bit.1).collect();
        let inputs = gates.inputs().map(|literal| if gates.holds(literal) { literal } else { !literal });
        let inputs: Vec<Lit> = inputs.filter(|literal| !state.contains(literal)).collect();
        let gates = &mut self.system.locations[from].gates;
        let elsewhere = gates.fresh();
        gates.add(then.iter().map(|&literal| !literal).chain([!guard, !elsewhere]));
        for turn in 0..2 {
            let assumptions = inputs.iter().copied().chain([elsewhere]).chain(bits.iter().map(|bit| bit.1));
            match gates.ask(assumptions) {
                Some(false) => {}
                None => return Err(self.budget.check().err().unwrap_or(Reason::NoProgress)),
                Some(true) => {
                    debug_assert!(turn > 0, "the same state and inputs lead to the same end");
                    break;
                }
            }
            bits.retain(|(_, literal)| gates.needs(*literal));
        }
        gates.retire(elsewhere);
        Ok(Cube::new(bits.into_iter().map(|(bit, _)| bit).collect()))
    }

    pub(super) fn now(&mut self, location: usize, cube: &Cube) -> Vec<Lit> {
        let mut literals = Vec::with_capacity(cube.bits().len());
        for &(bit, value) in cube.bits() {
            let wire = self.system.now(location, bit);
            literals.push(self.system.literal(location, wire, value));
        }
        literals
    }

    pub(super) fn then(&mut self, (from, way): (usize, usize), (bit, value): (Bit, bool)) -> Lit {
        let wire = self.system.then(from, way, bit);
        self.system.literal(from, wire, value)
    }

    pub(super) fn guard(&mut self, from: usize, way: usize) -> Lit {
        let guard = self.system.locations[from].ways[way].guard;
        self.system.literal(from, guard, true)
    }
}
