//! What is tried in a state: a stubborn set of transitions, found by a closure (\[Guard\], algorithm 1).
//!
//! The set starts with what must be taken before the error condition can hold. With an enabled transition come all that may not accord with it; with a
//! disabled one, what must be taken before it can be enabled, for the reason that asks for the fewest. Where deadlocks count, or steps may be faults, one of the set must
//! be enabled: if none is, the enabled transitions are tried as seeds, those first that few depend on. Why this is enough is said where it is re-checked
//! (`certify::reduced`).

use clinch_ir::{Independence, Program, ReducedSet, StateSet, TransId, TransitionSet};
use clinch_terms::Term;
use rustc_hash::FxHashMap;

use super::bfs::SHARDS;
use crate::concrete::{Code, Expander, Model};

/// Seeds that are tried in a state.
const SEEDS: usize = 6;

/// A formula and its tests.
struct Condition {
    code: Code,
    tests: Vec<usize>,
}

/// What all threads know.
pub(super) struct Reduction {
    independence: Independence,
    /// Transitions, those first that few depend on.
    seeds: Vec<TransId>,
    conditions: Vec<Vec<Condition>>,
    tests: Vec<Code>,
    error: Option<(Term, Vec<usize>)>,
    /// Whether an enabled transition must be tried if there is one.
    must_be_live: bool,
    everything: TransitionSet,
    nothing: TransitionSet,
}

impl Reduction {
    /// For a model, unless it is too large.
    pub(super) fn new(model: &Model<'_>) -> Option<Self> {
        let program: &Program = model.program;
        let independence = Independence::of(program)?;
        let compile = |term| model.compile(&independence.terms, term);
        let condition = |&term: &Term| Condition { code: compile(term), tests: independence.tests(term) };
        let conditions =
            program.transition_ids().map(|id| independence.conditions(id).iter().map(condition).collect()).collect();
        let tests = (0..independence.test_count()).map(|test| compile(independence.test(test))).collect();
        let mut seeds: Vec<TransId> = program.transition_ids().collect();
        seeds.sort_by_key(|&id| independence.dependent(id).iter().count());
        Some(Reduction {
            seeds,
            conditions,
            tests,
            error: independence.error.map(|error| (error, independence.tests(error))),
            must_be_live: program.property.deadlock || independence.may_fault,
            everything: TransitionSet::all(program),
            nothing: TransitionSet::empty(program),
            independence,
        })
    }

    /// Whether a step must lead to a later level where something waits.
    pub(super) fn must_lead_on(&self) -> bool {
        self.independence.may_fault
    }

    /// All transitions.
    pub(super) fn everything(&self) -> &TransitionSet {
        &self.everything
    }
}

/// What was tried, in the order of the states.
#[derive(Default)]
pub(super) struct Tried {
    sets: Vec<TransitionSet>,
    numbers: FxHashMap<TransitionSet, u32>,
    of_states: [Vec<u32>; SHARDS],
}

impl Tried {
    /// Notes what was tried in the next state of a shard.
    pub(super) fn push(&mut self, shard: usize, set: TransitionSet) {
        let next = self.sets.len() as u32;
        let number = *self.numbers.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            next
        });
        self.of_states[shard].push(number);
    }

    /// The proof, with where levels end.
    pub(super) fn into_set(self, states: StateSet, levels: &[[usize; SHARDS]]) -> ReducedSet {
        let levels = (0..SHARDS).map(|shard| levels.iter().map(|ends| ends[shard]).collect()).collect();
        ReducedSet { states, sets: self.sets, tried: self.of_states.into(), levels }
    }
}

/// Chooses what is tried in one state after the other.
pub(super) struct Chooser<'r> {
    reduction: &'r Reduction,
    /// What must be taken before the error condition can hold, by the values of its tests.
    towards_error: FxHashMap<Vec<Option<i64>>, TransitionSet>,
    waiting: Vec<TransId>,
}

/// A closed set, with those of it that are enabled.
struct Stubborn {
    set: TransitionSet,
    enabled: Vec<TransId>,
}

impl<'r> Chooser<'r> {
    pub(super) fn new(reduction: &'r Reduction) -> Self {
        Chooser { reduction, towards_error: FxHashMap::default(), waiting: Vec::new() }
    }

    /// What it chooses by.
    pub(super) fn reduction(&self) -> &'r Reduction {
        self.reduction
    }

    /// What is tried in the state that was loaded, and what of it is enabled.
    pub(super) fn choose(&mut self, expander: &mut Expander<'_>) -> (TransitionSet, Vec<TransId>) {
        let reduction = self.reduction;
        let mut stubborn = Stubborn { set: reduction.nothing.clone(), enabled: Vec::new() };
        if let Some((error, tests)) = &reduction.error {
            let wanted = self.towards(expander, *error, tests);
            self.close(expander, &mut stubborn, &wanted);
        }
        if reduction.must_be_live && stubborn.enabled.is_empty() {
            stubborn = self.with_seed(expander, &stubborn);
        }
        (stubborn.set, stubborn.enabled)
    }

    /// How many transitions are enabled in the state that was loaded.
    pub(super) fn count_enabled(&self, expander: &mut Expander<'_>) -> usize {
        let nothing = &self.reduction.nothing;
        let here: Vec<TransId> = self.reduction.seeds.iter().copied().filter(|&id| expander.in_place(id)).collect();
        here.into_iter().filter(|&id| self.disabling(expander, id, nothing).is_none()).count()
    }

    /// The set with an enabled transition, if there is one.
    fn with_seed(&mut self, expander: &mut Expander<'_>, base: &Stubborn) -> Stubborn {
        let reduction = self.reduction;
        let mut best: Option<Stubborn> = None;
        let here: Vec<TransId> = reduction.seeds.iter().copied().filter(|&id| expander.in_place(id)).collect();
        let mut tried = 0;
        for id in here {
            if tried == SEEDS || best.as_ref().is_some_and(|best| best.enabled.len() <= 1) {
                break;
            }
            if self.disabling(expander, id, &base.set).is_some() {
                continue;
            }
            tried += 1;
            let mut seed = reduction.nothing.clone();
            seed.insert(id);
            let mut stubborn = Stubborn { set: base.set.clone(), enabled: Vec::new() };
            self.close(expander, &mut stubborn, &seed);
            if best.as_ref().is_none_or(|best| stubborn.enabled.len() < best.enabled.len()) {
                best = Some(stubborn);
            }
        }
        best.unwrap_or_else(|| Stubborn { set: reduction.everything.clone(), enabled: Vec::new() })
    }

    /// Adds transitions, and what comes with them.
    fn close(&mut self, expander: &mut Expander<'_>, stubborn: &mut Stubborn, more: &TransitionSet) {
        let reduction = self.reduction;
        self.add(stubborn, more);
        while let Some(id) = self.waiting.pop() {
            let away = reduction.away(expander, id, &stubborn.set);
            if let Some(leaving) = away {
                self.add(stubborn, leaving);
            } else if let Some(condition) = self.disabling(expander, id, &stubborn.set) {
                for changes in reduction.changes(expander, condition) {
                    self.add(stubborn, changes);
                }
            } else {
                stubborn.enabled.push(id);
                self.add(stubborn, reduction.independence.dependent(id));
            }
        }
    }

    fn add(&mut self, stubborn: &mut Stubborn, more: &TransitionSet) {
        if stubborn.set.lacks(more) > 0 {
            self.waiting.extend(more.iter().filter(|&id| !stubborn.set.contains(id)));
            stubborn.set.add(more);
        }
    }

    /// The condition that disables a transition whose processes are in place, and of which the fewest would be new.
    fn disabling(&self, expander: &mut Expander<'_>, id: TransId, set: &TransitionSet) -> Option<&'r Condition> {
        let reduction: &'r Reduction = self.reduction;
        let conditions = reduction.conditions[id.index()].iter();
        let is_false: Vec<&Condition> = conditions.filter(|c| expander.value(&c.code) == Some(0)).collect();
        if let [_, _, ..] = is_false.as_slice() {
            return is_false.into_iter().min_by_key(|condition| reduction.price(expander, condition, set));
        }
        is_false.first().copied()
    }

    /// What must be taken before the error condition can hold: for some tests what changes them, while the others may have any value.
    fn towards(&mut self, expander: &mut Expander<'_>, error: Term, tests: &[usize]) -> TransitionSet {
        let reduction = self.reduction;
        let values: Vec<Option<i64>> = tests.iter().map(|&test| expander.value(&reduction.tests[test])).collect();
        if let Some(known) = self.towards_error.get(&values) {
            return known.clone();
        }
        let place = |test| tests.iter().position(|&t| t == test).expect("a test of the condition");
        let mut fixed = values.clone();
        if !reduction.independence.is_false(error, |test| fixed[place(test)]) {
            return reduction.everything.clone();
        }
        for i in 0..fixed.len() {
            let value = fixed[i].take();
            if !reduction.independence.is_false(error, |test| fixed[place(test)]) {
                fixed[i] = value;
            }
        }
        let mut set = reduction.nothing.clone();
        for (&test, value) in tests.iter().zip(fixed) {
            if let Some(value) = value {
                set.add(reduction.independence.changes(test, value));
            }
        }
        self.towards_error.insert(values, set.clone());
        set
    }
}

impl Reduction {
    /// What may change the tests of a condition. One that has no value now does not matter to the value of the condition.
    fn changes(&self, expander: &mut Expander<'_>, condition: &Condition) -> Vec<&TransitionSet> {
        let change = |&test: &usize| Some(self.independence.changes(test, expander.value(&self.tests[test])?));
        condition.tests.iter().filter_map(change).collect()
    }

    fn price(&self, expander: &mut Expander<'_>, condition: &Condition, set: &TransitionSet) -> u32 {
        self.changes(expander, condition).into_iter().map(|changes| set.lacks(changes)).sum()
    }

    /// The moves of a process that is not where a transition starts which must come first, fewest of the set being new.
    fn away(&self, expander: &Expander<'_>, id: TransId, set: &TransitionSet) -> Option<&TransitionSet> {
        let moves = expander.program().transition(id).moves.iter();
        let leaving = moves.filter_map(|m| {
            let here = expander.location(m.process);
            (here != m.from).then(|| self.independence.leaving(m.process, here, m.from))
        });
        leaving.min_by_key(|leaving| set.lacks(leaving))
    }
}
