//! Runs from a place to the next loop heads, with values.

use std::collections::BTreeMap;

use clinch_ir::cfa::blocks::Partial;
use clinch_ir::cfa::unfold::{Destination, Open, PointId, Step, Unfolding};
use clinch_terms::{Node, Sort, Symbol, Term, Terms};
use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::valuation::{self, Valuation};
use super::{Area, ValuedBlock, ValuedBlocks};

/// Partial runs in one walk.
const PARTIALS: usize = 60_000;

/// Partial runs with different values that a point may have before blocks end there.
const CROWD: usize = 12;

/// Why there are no blocks.
pub(super) enum Stopped {
    /// There are too many partial runs.
    TooLarge,
    /// Too many meet at a point.
    Crowded(PointId),
}

/// As many that are followed by values alone.
const FOLLOWED: usize = 6_000;

type Grouped = IndexMap<Valuation, Vec<Partial>, FxBuildHasher>;

struct Walk<'a, 'p> {
    with: &'a ValuedBlocks,
    unfolding: &'a Unfolding<'p>,
    terms: &'a mut Terms,
    area: &'a Area,
    tracked: &'a FxHashSet<Symbol>,
    from: PointId,
    /// Partial runs that wait at points, by the position of these.
    incoming: BTreeMap<usize, Vec<Partial>>,
    targets: IndexMap<(Destination, Valuation), Vec<Partial>, FxBuildHasher>,
    open: IndexSet<Open, FxBuildHasher>,
}

/// The blocks that leave a place.
pub(super) fn blocks(
    with: &ValuedBlocks,
    (unfolding, terms): (&Unfolding<'_>, &mut Terms),
    area: &Area,
    (from, known): (PointId, &Valuation),
    tracked: &FxHashSet<Symbol>,
) -> Result<Vec<ValuedBlock>, Stopped> {
    let condition = terms.tt();
    let first = Partial { condition, values: known.values() };
    let mut walk = Walk {
        with,
        unfolding,
        terms,
        area,
        tracked,
        from,
        incoming: BTreeMap::from([(0, vec![first])]),
        targets: IndexMap::default(),
        open: IndexSet::default(),
    };
    let mut taken = 0;
    while let Some((at, partials)) = walk.incoming.pop_first() {
        let partials = walk.joined(at, partials);
        if partials.len() > CROWD && at != 0 {
            return Err(Stopped::Crowded(area.points[at]));
        }
        for partial in partials {
            taken += 1;
            if taken > PARTIALS {
                return Err(Stopped::TooLarge);
            }
            walk.take_steps(at, partial);
        }
    }
    Ok(walk.finish())
}

impl Walk<'_, '_> {
    /// The partial runs at a point: those that agree on what is known are one.
    fn joined(&mut self, at: usize, partials: Vec<Partial>) -> Vec<Partial> {
        if partials.len() == 1 {
            return partials;
        }
        let point = self.area.points[at];
        let mut grouped = Grouped::default();
        for mut partial in partials {
            partial.values.retain(|&symbol, _| self.with.is_live(self.unfolding, point, symbol));
            let known = self.with.known(self.terms, self.unfolding, point, &partial.values, self.tracked);
            grouped.entry(known).or_default().push(partial);
        }
        grouped.into_iter().map(|(known, group)| join(self.terms, &known, group)).collect()
    }

    /// Follows all steps from a point. What is known of many variables goes along, so that it is copied only where steps part.
    fn take_steps(&mut self, at: usize, partial: Partial) {
        let area = self.area;
        let Some((last, others)) = area.steps[at].split_last() else { return };
        for step in others {
            if let Some(next) = partial.extended(self.terms, &step.effect) {
                self.take(step, next);
            }
        }
        if let Some(next) = partial.into_extended(self.terms, &last.effect) {
            self.take(last, next);
        }
    }

    fn take(&mut self, step: &Step, next: Partial) {
        self.open.extend(&step.effect.open);
        let known = match step.target {
            Destination::End => return,
            Destination::Point(to) if to != self.from && self.area.position.contains_key(&to) => {
                self.incoming.entry(self.area.position[&to]).or_default().push(next);
                return;
            }
            Destination::Point(to) => self.with.known(self.terms, self.unfolding, to, &next.values, self.tracked),
            Destination::Error(..) | Destination::Open(..) => Valuation::default(),
        };
        self.targets.entry((step.target, known)).or_default().push(next);
    }

    fn finish(self) -> Vec<ValuedBlock> {
        let open: Vec<Open> = self.open.into_iter().collect();
        let mut blocks = Vec::new();
        for ((target, known), partials) in self.targets {
            let partial = join(self.terms, &known, partials);
            // What is not read any more may be what it was.
            let matters = |symbol| match target {
                Destination::Point(to) => self.with.is_live(self.unfolding, to, symbol),
                Destination::End | Destination::Error(..) | Destination::Open(..) => false,
            };
            let effect = partial.into_effect(self.terms, open.clone(), matters);
            blocks.push(ValuedBlock { block: Step { from: self.from, target, effect }, known });
        }
        blocks
    }
}

/// Partial runs that agree on what is known, as one.
fn join(terms: &mut Terms, known: &Valuation, partials: Vec<Partial>) -> Partial {
    let choose = |terms: &mut Terms, symbol, condition, [left, right]: [Term; 2]| {
        join_values(terms, (left, right), condition, known.get(symbol))
    };
    Partial::joined(terms, partials, choose).expect("groups are not empty")
}

/// Two values as one. What is known of a region is on top, so that it can be read.
fn join_values(terms: &mut Terms, (left, right): (Term, Term), condition: Term, known: Option<Term>) -> Term {
    match known {
        Some(known) if matches!(terms.sort(left), Sort::Array(_)) => {
            let (left, right) = (valuation::without(terms, left, known), valuation::without(terms, right, known));
            let below = if left == right { left } else { terms.ite(condition, right, left) };
            valuation::with(terms, below, known)
        }
        _ => terms.ite(condition, right, left),
    }
}

/// All values that are known on a way.
type Values = FxHashMap<Symbol, Term>;

/// Where values lead from places at one point to a target, all else being open.
pub(super) fn follow(
    with: &ValuedBlocks,
    (unfolding, terms): (&Unfolding<'_>, &mut Terms),
    area: &Area,
    (from, places): (PointId, &[Valuation]),
    target: Destination,
    (tracked, limit): (&FxHashSet<Symbol>, usize),
) -> Option<Vec<Valuation>> {
    let leads = area.leading_to(from, target);
    let mut incoming: BTreeMap<usize, Vec<Values>> = BTreeMap::new();
    incoming.insert(0, places.iter().map(Valuation::values).collect());
    let mut found: IndexSet<Valuation, FxBuildHasher> = IndexSet::default();
    let mut taken = 0;
    while let Some((at, mut ways)) = incoming.pop_first() {
        if area.is_join(at) && ways.len() > 1 {
            let point = area.points[at];
            ways = met(ways, |values| with.known(terms, unfolding, point, values, tracked));
        }
        for values in ways {
            taken += 1;
            if taken > FOLLOWED || found.len() > limit {
                return None;
            }
            let leading = |step: &&Step| match area.inside(from, step.target) {
                Some(position) => leads[position],
                None => step.target == target,
            };
            let steps: Vec<&Step> = area.steps[at].iter().filter(leading).collect();
            // What is known of many variables goes along, so that it is copied only where steps part.
            for (values, step) in repeated(values, &steps) {
                let Some(after) = after(terms, values, step) else { continue };
                match (area.inside(from, step.target), step.target) {
                    (Some(position), _) => incoming.entry(position).or_default().push(after),
                    (None, Destination::Point(to)) => {
                        found.insert(with.known(terms, unfolding, to, &after, tracked));
                    }
                    (None, _) => {
                        found.insert(Valuation::default());
                    }
                }
            }
        }
    }
    Some(found.into_iter().collect())
}

/// The values for each step: copies, and for the last one the values themselves.
fn repeated<'s>(values: Values, steps: &'s [&'s Step]) -> impl Iterator<Item = (Values, &'s Step)> {
    let last = steps.len().saturating_sub(1);
    let mut own = Some(values);
    steps.iter().enumerate().filter_map(move |(i, &step)| {
        let values = if i == last { own.take() } else { own.clone() };
        Some((values?, step))
    })
}

/// Ways that know the same of tracked variables are one: those that are not tracked are forgotten where ways do not agree on them.
fn met(ways: Vec<Values>, mut known: impl FnMut(&Values) -> Valuation) -> Vec<Values> {
    let mut places: IndexMap<Valuation, Values, FxBuildHasher> = IndexMap::default();
    for values in ways {
        match places.entry(known(&values)) {
            Entry::Occupied(mut before) => before.get_mut().retain(|symbol, value| values.get(symbol) == Some(value)),
            Entry::Vacant(place) => drop(place.insert(values)),
        }
    }
    places.into_values().collect()
}

/// The constants after a step; nothing if they rule it out.
fn after(terms: &mut Terms, mut values: Values, step: &Step) -> Option<Values> {
    let guard = terms.substitute_symbols(step.effect.guard, &values);
    if matches!(terms.node(guard), Node::Bool(false)) {
        return None;
    }
    let updates: Vec<(Symbol, Term)> =
        step.effect.updates.iter().map(|&(s, t)| (s, terms.substitute_symbols(t, &values))).collect();
    for (symbol, value) in updates {
        match valuation::constant_part(terms, symbol, value, &[]) {
            Some(constant) => drop(values.insert(symbol, constant)),
            None => drop(values.remove(&symbol)),
        }
    }
    Some(values)
}
