//! Large blocks: everything between two loop heads as one step (large-block encoding).
//!
//! A block summarises all loop-free ways from one cut point of an [`Unfolding`] to another, calls included. Runs are
//! deterministic but for what is open, so a block has a functional form: a guard, and a term for each variable written, both
//! over the values before and over symbols for what is open.

#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

use super::unfold::{Open, Point, PointId, Step, Target, Unfolding};
use crate::effect::Effect;
use crate::term::{BinOp, Node, Symbol, Term, Terms, UnOp};

/// A block has more points than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// A partial run: its condition, and the variables it changed.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub(super) condition: Term,
    pub(super) values: FxHashMap<Symbol, Term>,
}

/// The blocks that start at a point, with at most `limit` points in all.
pub fn blocks_from(
    unfolding: &mut Unfolding<'_>,
    terms: &mut Terms,
    from: PointId,
    limit: usize,
) -> Result<Vec<Step>, TooLarge> {
    blocks_between(unfolding, terms, from, limit, &FxHashSet::default())
}

/// The same where blocks end at more points than loop heads, `cuts`.
pub fn blocks_between(
    unfolding: &mut Unfolding<'_>,
    terms: &mut Terms,
    from: PointId,
    limit: usize,
    cuts: &FxHashSet<PointId>,
) -> Result<Vec<Step>, TooLarge> {
    walk_from(unfolding, terms, from, (limit, cuts), |_| false).map(|(blocks, _)| blocks)
}

/// The first parts of these blocks, up to some of the points that they pass on their way.
pub fn passages_from(
    unfolding: &mut Unfolding<'_>,
    terms: &mut Terms,
    from: PointId,
    limit: usize,
    is_wanted: impl Fn(&Point) -> bool,
) -> Result<Vec<Step>, TooLarge> {
    walk_from(unfolding, terms, from, (limit, &FxHashSet::default()), is_wanted).map(|(_, passages)| passages)
}

/// The blocks that start at a point, and their first parts.
fn walk_from(
    unfolding: &mut Unfolding<'_>,
    terms: &mut Terms,
    from: PointId,
    (limit, cuts): (usize, &FxHashSet<PointId>),
    is_wanted: impl Fn(&Point) -> bool,
) -> Result<(Vec<Step>, Vec<Step>), TooLarge> {
    let (order, steps) = points_of(unfolding, terms, from, limit, cuts)?;
    let mut walk = Walk { terms, cuts, incoming: FxHashMap::default(), targets: Vec::new(), open: Vec::new() };
    let mut passages = Vec::new();
    let tt = walk.terms.tt();
    walk.incoming.insert(from, vec![Partial { condition: tt, values: FxHashMap::default() }]);
    for &point in order.iter().rev() {
        let partials = walk.incoming.remove(&point).unwrap_or_default();
        let Some(partial) = join(walk.terms, partials) else { continue };
        if point != from && is_wanted(unfolding.point(point)) {
            let mut updates: Vec<(Symbol, Term)> = partial.values.iter().map(|(s, t)| (*s, *t)).collect();
            updates.sort_unstable();
            let (target, guard) = (Target::Point(point), partial.condition);
            passages.push(Step { from, target, effect: Effect { guard, updates, open: Vec::new() } });
        }
        for step in &steps[&point] {
            walk.take(unfolding, from, step, &partial);
        }
    }
    Ok((walk.blocks(from), passages))
}

/// The points of the blocks, children before parents, and their steps. Blocks end at loop heads and at `cuts`.
#[allow(clippy::type_complexity, reason = "two results of one walk")]
pub(super) fn points_of(
    unfolding: &mut Unfolding<'_>,
    terms: &mut Terms,
    from: PointId,
    limit: usize,
    cuts: &FxHashSet<PointId>,
) -> Result<(Vec<PointId>, FxHashMap<PointId, Vec<Step>>), TooLarge> {
    let mut order = Vec::new();
    let mut steps: FxHashMap<PointId, Vec<Step>> = FxHashMap::default();
    let mut seen = FxHashSet::from_iter([from]);
    steps.insert(from, unfolding.steps(terms, from));
    let mut path = vec![(from, 0)];
    while let Some((point, next)) = path.last_mut() {
        let Some(step) = steps[point].get(*next) else {
            order.push(*point);
            path.pop();
            continue;
        };
        *next += 1;
        if let Target::Point(to) = step.target
            && !unfolding.is_loop_head(to)
            && !cuts.contains(&to)
            && seen.insert(to)
        {
            if seen.len() > limit {
                return Err(TooLarge);
            }
            steps.insert(to, unfolding.steps(terms, to));
            path.push((to, 0));
        }
    }
    Ok((order, steps))
}

struct Walk<'t> {
    terms: &'t mut Terms,
    cuts: &'t FxHashSet<PointId>,
    incoming: FxHashMap<PointId, Vec<Partial>>,
    targets: Vec<(Target, Vec<Partial>)>,
    open: Vec<Open>,
}

impl Walk<'_> {
    /// Follows a step, with a partial run that comes to its start.
    fn take(&mut self, unfolding: &Unfolding<'_>, from: PointId, step: &Step, partial: &Partial) {
        let Some(next) = extend(self.terms, partial, &step.effect) else { return };
        self.open.extend(&step.effect.open);
        let target = step.target;
        match target {
            Target::End => return,
            Target::Point(to) if to != from && !unfolding.is_loop_head(to) && !self.cuts.contains(&to) => {
                self.incoming.entry(to).or_default().push(next);
                return;
            }
            Target::Point(_) | Target::Error(..) | Target::Open(..) => {}
        }
        match self.targets.iter_mut().find(|(t, _)| *t == target) {
            Some((_, partials)) => partials.push(next),
            None => self.targets.push((target, vec![next])),
        }
    }

    fn blocks(self, from: PointId) -> Vec<Step> {
        let mut blocks = Vec::new();
        for (target, partials) in self.targets {
            let Some(partial) = join(self.terms, partials) else { continue };
            let mut updates: Vec<(Symbol, Term)> = Vec::new();
            #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
            for (symbol, value) in partial.values {
                if !matches!(self.terms.node(value), Node::Symbol(s) if s == symbol) {
                    updates.push((symbol, value));
                }
            }
            updates.sort_unstable();
            let effect = Effect { guard: partial.condition, updates, open: self.open.clone() };
            blocks.push(Step { from, target, effect });
        }
        blocks
    }
}

/// A partial run with one more step; nothing if values rule the step out.
pub(super) fn extend(terms: &mut Terms, partial: &Partial, effect: &Effect<Symbol, Open>) -> Option<Partial> {
    let condition = extended_condition(terms, partial, effect)?;
    Some(with_effect(terms, partial.clone(), condition, effect))
}

/// As [`extend`], for a run that takes no other step.
pub(super) fn extend_last(terms: &mut Terms, partial: Partial, effect: &Effect<Symbol, Open>) -> Option<Partial> {
    let condition = extended_condition(terms, &partial, effect)?;
    Some(with_effect(terms, partial, condition, effect))
}

fn extended_condition(terms: &mut Terms, partial: &Partial, effect: &Effect<Symbol, Open>) -> Option<Term> {
    let guard = terms.substitute_symbols(effect.guard, &partial.values);
    let condition = terms.and(partial.condition, guard);
    (!matches!(terms.node(condition), Node::Bool(false))).then_some(condition)
}

fn with_effect(terms: &mut Terms, mut partial: Partial, condition: Term, effect: &Effect<Symbol, Open>) -> Partial {
    let updates: Vec<(Symbol, Term)> =
        effect.updates.iter().map(|&(s, t)| (s, terms.substitute_symbols(t, &partial.values))).collect();
    partial.values.extend(updates);
    partial.condition = condition;
    partial
}

/// The variables that one of two partial runs changed, ascending.
pub(super) fn changed_in_either(a: &FxHashMap<Symbol, Term>, b: &FxHashMap<Symbol, Term>) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = a.keys().chain(b.keys()).copied().collect();
    symbols.sort_unstable();
    symbols.dedup();
    symbols
}

/// Several partial runs that come to one point, as one. At most one of their conditions holds.
fn join(terms: &mut Terms, partials: Vec<Partial>) -> Option<Partial> {
    let mut partials = partials.into_iter();
    let mut joined = partials.next()?;
    for other in partials {
        for symbol in changed_in_either(&joined.values, &other.values) {
            let same = terms.symbol(symbol);
            let left = joined.values.get(&symbol).copied().unwrap_or(same);
            let right = other.values.get(&symbol).copied().unwrap_or(same);
            let value = if left == right { left } else { terms.ite(other.condition, right, left) };
            joined.values.insert(symbol, value);
        }
        joined.condition = either(terms, joined.condition, other.condition);
    }
    Some(joined)
}

/// `a or b`; where both are what comes of a branch, what was before it.
pub(super) fn either(terms: &mut Terms, a: Term, b: Term) -> Term {
    if let (Node::Binary(BinOp::And, before, one), Node::Binary(BinOp::And, also, other)) =
        (terms.node(a), terms.node(b))
        && before == also
        && is_negation(terms, one, other)
    {
        return before;
    }
    if is_negation(terms, a, b) { terms.tt() } else { terms.or(a, b) }
}

fn is_negation(terms: &mut Terms, a: Term, b: Term) -> bool {
    matches!(terms.node(a), Node::Unary(UnOp::Not, c) if c == b)
        || matches!(terms.node(b), Node::Unary(UnOp::Not, c) if c == a)
        || terms.not(a) == b
}
