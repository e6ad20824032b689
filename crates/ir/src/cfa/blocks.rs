//! Large blocks: everything between two loop heads as one step (large-block encoding).
//!
//! A block summarises all loop-free ways from one cut point of an [`Unfolding`] to another, calls included. Runs are
//! deterministic but for what is open, so a block has a functional form: a guard, and a term for each variable written, both
//! over the values before and over symbols for what is open.

use clinch_terms::{BinOp, Node, Symbol, Term, Terms, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::unfold::{Destination, Open, Point, PointId, Step, Unfolding};
use crate::effect::Effect;

/// A block has more points than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// A partial run: when a run is on it, and the variables that it changed, with their values.
#[derive(Clone, Debug)]
pub struct Partial {
    /// When a run is on it.
    pub condition: Term,
    /// The variables that it changed.
    pub values: FxHashMap<Symbol, Term>,
}

impl Partial {
    /// With one more step; nothing if values rule the step out.
    pub fn extended(&self, terms: &mut Terms, effect: &Effect<Symbol, Open>) -> Option<Partial> {
        let condition = self.extended_condition(terms, effect)?;
        Some(self.clone().after(terms, condition, effect))
    }

    /// The same, of a run that takes no other step.
    pub fn into_extended(self, terms: &mut Terms, effect: &Effect<Symbol, Open>) -> Option<Partial> {
        let condition = self.extended_condition(terms, effect)?;
        Some(self.after(terms, condition, effect))
    }

    fn extended_condition(&self, terms: &mut Terms, effect: &Effect<Symbol, Open>) -> Option<Term> {
        let guard = terms.substitute_symbols(effect.guard, &self.values);
        let condition = terms.and(self.condition, guard);
        (!matches!(terms.node(condition), Node::Bool(false))).then_some(condition)
    }

    fn after(mut self, terms: &mut Terms, condition: Term, effect: &Effect<Symbol, Open>) -> Partial {
        let updates: Vec<(Symbol, Term)> =
            effect.updates.iter().map(|&(s, t)| (s, terms.substitute_symbols(t, &self.values))).collect();
        self.values.extend(updates);
        self.condition = condition;
        self
    }

    /// Several that come to one point, as one. At most one of their conditions holds. `choose` makes one value of a variable's two: the
    /// second if the condition holds, otherwise the first.
    pub fn joined(
        terms: &mut Terms,
        partials: Vec<Partial>,
        mut choose: impl FnMut(&mut Terms, Symbol, Term, [Term; 2]) -> Term,
    ) -> Option<Partial> {
        let mut partials = partials.into_iter();
        let mut joined = partials.next()?;
        for other in partials {
            let mut changed: Vec<Symbol> = joined.values.keys().chain(other.values.keys()).copied().collect();
            changed.sort_unstable();
            changed.dedup();
            for symbol in changed {
                let same = terms.symbol(symbol);
                let [first, second] = [&joined, &other].map(|p| p.values.get(&symbol).copied().unwrap_or(same));
                let one = if first == second { first } else { choose(terms, symbol, other.condition, [first, second]) };
                joined.values.insert(symbol, one);
            }
            joined.condition = either(terms, joined.condition, other.condition);
        }
        Some(joined)
    }

    /// The run as a step, with those of the variables it changed that matter.
    pub fn into_effect(self, terms: &Terms, open: Vec<Open>, matters: impl Fn(Symbol) -> bool) -> Effect<Symbol, Open> {
        let is_same = |symbol, value| matches!(terms.node(value), Node::Symbol(s) if s == symbol);
        let changes = self.values.into_iter().filter(|&(symbol, value)| !is_same(symbol, value) && matters(symbol));
        let mut updates: Vec<(Symbol, Term)> = changes.collect();
        updates.sort_unstable();
        Effect { guard: self.condition, updates, open }
    }
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
pub fn blocks_through(
    unfolding: &mut Unfolding<'_>,
    terms: &mut Terms,
    from: PointId,
    limit: usize,
    is_wanted: impl Fn(&Point) -> bool,
) -> Result<Vec<Step>, TooLarge> {
    walk_from(unfolding, terms, from, (limit, &FxHashSet::default()), is_wanted).map(|(_, through)| through)
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
    let mut through = Vec::new();
    let tt = walk.terms.tt();
    walk.incoming.insert(from, vec![Partial { condition: tt, values: FxHashMap::default() }]);
    for &point in order.iter().rev() {
        let partials = walk.incoming.remove(&point).unwrap_or_default();
        let Some(partial) = Partial::joined(walk.terms, partials, choose) else { continue };
        if point != from && is_wanted(unfolding.point(point)) {
            let effect = partial.clone().into_effect(walk.terms, Vec::new(), |_| true);
            through.push(Step { from, target: Destination::Point(point), effect });
        }
        for step in &steps[&point] {
            walk.take(unfolding, from, step, &partial);
        }
    }
    Ok((walk.blocks(from), through))
}

/// The points of the blocks, children before parents, and their steps. Blocks end at loop heads and at `cuts`.
#[allow(clippy::type_complexity, reason = "two results of one walk")]
pub fn points_of(
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
        if let Destination::Point(to) = step.target
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
    targets: Vec<(Destination, Vec<Partial>)>,
    open: Vec<Open>,
}

impl Walk<'_> {
    /// Follows a step, with a partial run that comes to its start.
    fn take(&mut self, unfolding: &Unfolding<'_>, from: PointId, step: &Step, partial: &Partial) {
        let Some(next) = partial.extended(self.terms, &step.effect) else { return };
        self.open.extend(&step.effect.open);
        let target = step.target;
        match target {
            Destination::End => return,
            Destination::Point(to) if to != from && !unfolding.is_loop_head(to) && !self.cuts.contains(&to) => {
                self.incoming.entry(to).or_default().push(next);
                return;
            }
            Destination::Point(_) | Destination::Error(..) | Destination::Open(..) => {}
        }
        match self.targets.iter_mut().find(|(t, _)| *t == target) {
            Some((_, partials)) => partials.push(next),
            None => self.targets.push((target, vec![next])),
        }
    }

    fn blocks(self, from: PointId) -> Vec<Step> {
        let mut blocks = Vec::new();
        for (target, partials) in self.targets {
            let Some(partial) = Partial::joined(self.terms, partials, choose) else { continue };
            let effect = partial.into_effect(self.terms, self.open.clone(), |_| true);
            blocks.push(Step { from, target, effect });
        }
        blocks
    }
}

/// One value of a variable's two.
fn choose(terms: &mut Terms, _: Symbol, condition: Term, [first, second]: [Term; 2]) -> Term {
    terms.ite(condition, second, first)
}

/// `a or b`; where both are what comes of a branch, what was before it.
fn either(terms: &mut Terms, a: Term, b: Term) -> Term {
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
