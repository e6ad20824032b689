//! Bounds of floats, chosen with intervals.
//!
//! A model that breaks a bound is mostly too hard to find bit by bit, and a proof that there is none as well. So what intervals do not
//! show to be preserved is not kept. Of the bounds of a place in one direction one is a candidate at a time: the strongest one at
//! first, and the next one where it is not preserved, until all of them are. Widening by thresholds comes to the same box
//! (P. Cousot, R. Cousot, *Comparing the Galois Connection and Widening/Narrowing Approaches to Abstract Interpretation*, PLILP 1992).

use clinch_ir::Reason;
use clinch_smt::refuted_by_intervals;
use clinch_terms::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::floats::Chain;
use super::{Head, Induction};

/// How long one question may take, and how much longer for each iteration that is looked at.
const MILLISECONDS: u32 = 10;
/// The depth up to which bounds are looked for again that were not found for a smaller one.
const TRIED_AGAIN: u32 = 3;

/// Bounds of which one is chosen.
pub(super) struct Chosen {
    /// Numbers of candidates, from the strongest to the weakest.
    numbers: Vec<usize>,
    /// The place of the one that is chosen; behind the last one there is none.
    at: usize,
}

impl Induction<'_> {
    /// Candidates of which one of each chain is kept.
    pub(super) fn add_bounds(&mut self, chains: Vec<(Head, Chain)>) {
        for (head, chain) in chains {
            let numbers = chain.into_iter().filter_map(|formula| self.add_candidate(head, formula)).collect();
            self.bounds_of_floats.push(Chosen { numbers, at: 0 });
        }
        // What runs refute is none.
        self.add_candidates(Vec::new());
    }

    pub(super) fn is_bound_of_float(&self, number: usize) -> bool {
        self.bounds_of_floats.iter().any(|chosen| chosen.numbers.binary_search(&number).is_ok())
    }

    /// Chooses bounds that are preserved. `broken` says on which paths each candidate does not hold.
    pub(super) fn choose_bounds(&mut self, broken: &[(usize, Term)]) -> Result<(), Reason> {
        if self.bounds_of_floats.is_empty() {
            return Ok(());
        }
        let alive: FxHashSet<usize> =
            self.cuts.loops.values().flat_map(|cut| &cut.candidates).map(|candidate| candidate.number).collect();
        let mut paths: FxHashMap<usize, Vec<Term>> = FxHashMap::default();
        broken.iter().for_each(|&(number, condition)| paths.entry(number).or_default().push(condition));
        for chain in 0..self.bounds_of_floats.len() {
            let (numbers, at) = (&self.bounds_of_floats[chain].numbers, self.bounds_of_floats[chain].at);
            // One that failed tries again with one step more; later the price grows and the hope does not.
            let at = if at >= numbers.len() && self.cuts.depth <= TRIED_AGAIN { 0 } else { at };
            let first = numbers[at..].iter().position(|number| alive.contains(number) && self.kept[*number]);
            let at = first.map_or(numbers.len(), |first| at + first);
            for (i, &number) in self.bounds_of_floats[chain].numbers.iter().enumerate() {
                self.kept[number] = i == at;
            }
            self.bounds_of_floats[chain].at = at;
        }
        loop {
            let mut changed = false;
            for chain in 0..self.bounds_of_floats.len() {
                while let Some(&number) = self.bounds_of_floats[chain].numbers.get(self.bounds_of_floats[chain].at) {
                    self.bounded.check_budget()?;
                    let preserved = paths.get(&number).is_none_or(|paths| self.is_refuted(paths));
                    if alive.contains(&number) && preserved {
                        break;
                    }
                    self.weaken(chain);
                    changed = true;
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// Chooses the next bound.
    fn weaken(&mut self, chain: usize) {
        let chosen = &mut self.bounds_of_floats[chain];
        self.kept[chosen.numbers[chosen.at]] = false;
        chosen.at += 1;
        if let Some(&next) = chosen.numbers.get(chosen.at) {
            self.kept[next] = true;
        }
    }

    /// Whether intervals show that none of some conditions holds where what is kept does.
    pub(super) fn is_refuted(&mut self, conditions: &[Term]) -> bool {
        let formula = self.some_of(conditions);
        let terms = self.bounded.terms();
        refuted_by_intervals(terms, formula, MILLISECONDS * (1 + self.cuts.depth))
    }
}
