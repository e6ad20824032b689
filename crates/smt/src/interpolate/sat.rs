//! Conflict-driven clause learning with a proof [Een and Sorensson, SAT 2003], and a theory asked along the way.
//!
//! Every learned clause remembers the chain of resolutions it comes from, so that a refutation is a DAG whose leaves are
//! the clauses of the problem and lemmas of the theory.

use super::rational::Rational;

/// A propositional variable.
pub(super) type Var = usize;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Lit(u32);

impl Lit {
    pub(super) fn new(var: Var, positive: bool) -> Lit {
        Lit(u32::try_from(2 * var).expect("fewer than 2^31 variables") + u32::from(!positive))
    }

    pub(super) fn var(self) -> Var {
        self.0 as usize / 2
    }

    pub(super) fn is_positive(self) -> bool {
        self.0.is_multiple_of(2)
    }

    pub(super) fn negated(self) -> Lit {
        Lit(self.0 ^ 1)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Part of a certificate: a literal whose negation stands in the lemma's clause.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) lit: Lit,
    pub(super) factor: Rational,
    /// Whether the opposite inequality is among the negated literals, too (with factor zero).
    pub(super) equation: bool,
}

/// Why a lemma holds.
#[derive(Clone, Debug)]
pub(super) enum Certificate {
    /// The negated literals, as inequalities times these positive factors, sum up to `0 <= negative` or `0 < 0`.
    Sum(Vec<Part>),
    /// The negated literals are equations; times these factors they sum up to an equation with integer coefficients and
    /// a constant that is not an integer.
    Congruence(Vec<Part>),
}

/// A clause that holds in the theory.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub(super) clause: Vec<Lit>,
    pub(super) certificate: Certificate,
}

/// What a theory says of a complete assignment.
#[derive(Debug)]
pub(super) enum Complete {
    /// It is a model.
    Model,
    /// It contradicts this lemma.
    Conflict(Lemma),
    /// Another atom must be decided first; it has the next variable's number.
    Split,
    /// Too hard.
    GaveUp(String),
}

/// A theory that watches the search. Literals are asserted in the order of the trail.
pub(super) trait Theory {
    /// A literal became true.
    fn assert(&mut self, lit: Lit, level: usize) -> Result<(), Lemma>;
    /// Whether what was asserted is consistent.
    fn check(&mut self) -> Result<(), Lemma>;
    /// Unassigned literals that follow, with the lemmas that say so. May be called once per assertion.
    fn implied(&mut self, lit: Lit, values: &[Option<bool>]) -> Vec<(Lit, Lemma)>;
    /// All literals are assigned.
    fn complete(&mut self) -> Complete;
    /// Only the first `keep` assertions stay.
    fn undo(&mut self, keep: usize);
}

/// Where a clause comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The problem; the number is the caller's.
    Input(usize),
    /// The theory.
    Theory(Certificate),
    /// Resolution: the first clause, then for each step the pivot and the other clause.
    Chain(ClauseId, Vec<(Var, ClauseId)>),
}

/// A clause's position.
pub(super) type ClauseId = usize;

#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) lits: Vec<Lit>,
    pub(super) origin: Origin,
}

/// How a search ended.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The clause with this number is empty.
    Refuted(ClauseId),
    Model,
    GaveUp(String),
}

const UNIT_FACTOR: f64 = 1.0 / 0.95;
const RESTART: u64 = 128;

/// The search.
#[derive(Debug, Default)]
pub(super) struct Sat<T> {
    pub(super) theory: T,
    pub(super) clauses: Vec<Clause>,
    watches: Vec<Vec<ClauseId>>,
    values: Vec<Option<bool>>,
    phases: Vec<bool>,
    levels: Vec<usize>,
    reasons: Vec<Option<ClauseId>>,
    /// The unit clause of a variable assigned at level 0, once somebody asked for it.
    units: Vec<Option<ClauseId>>,
    trail: Vec<Lit>,
    /// Length of the trail at each decision.
    decisions: Vec<usize>,
    propagated: usize,
    asserted: usize,
    activity: Vec<f64>,
    step: f64,
    order: Order,
    seen: Vec<bool>,
    pub(super) conflicts: u64,
    next_restart: u64,
}

impl<T: Theory + Default> Sat<T> {
    pub(super) fn new(theory: T) -> Self {
        Sat { theory, step: 1.0, next_restart: RESTART, ..Sat::default() }
    }

    pub(super) fn new_var(&mut self) -> Var {
        let var = self.values.len();
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.push(None);
        self.phases.push(false);
        self.levels.push(0);
        self.reasons.push(None);
        self.units.push(None);
        self.activity.push(0.0);
        self.seen.push(false);
        self.order.insert(var, &self.activity);
        var
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.values[lit.var()].map(|v| v == lit.is_positive())
    }

    /// Solves the given clauses (numbered by `Origin::Input`), without duplicates of literals in a clause.
    pub(super) fn solve(&mut self, inputs: Vec<Vec<Lit>>, limit: u64, stop: &dyn Fn() -> bool) -> Outcome {
        let mut conflict = None;
        for (number, lits) in inputs.into_iter().enumerate() {
            if lits.iter().any(|l| lits.contains(&l.negated())) {
                continue;
            }
            conflict = conflict.or(self.add(lits, Origin::Input(number)));
        }
        loop {
            conflict = conflict.or_else(|| self.deduce());
            if let Some(clause) = conflict.take() {
                self.conflicts += 1;
                if self.conflicts > limit || (self.conflicts.is_multiple_of(64) && stop()) {
                    return Outcome::GaveUp(format!("{} conflicts", self.conflicts));
                }
                match self.learn_from(clause) {
                    Some(empty) => return Outcome::Refuted(empty),
                    None => continue,
                }
            }
            if self.conflicts >= self.next_restart {
                self.next_restart = self.conflicts + RESTART;
                self.backtrack(0);
                continue;
            }
            if self.decide() {
                continue;
            }
            match self.theory.complete() {
                Complete::Model => return Outcome::Model,
                Complete::GaveUp(reason) => return Outcome::GaveUp(reason),
                Complete::Conflict(lemma) => conflict = Some(self.add_lemma(lemma)),
                Complete::Split => {
                    let var = self.new_var();
                    self.bump(var);
                }
            }
        }
    }

    /// Adds a clause; the clause again if all its literals are false.
    fn add(&mut self, mut lits: Vec<Lit>, origin: Origin) -> Option<ClauseId> {
        let id = self.clauses.len();
        // Watch literals that are true or free, else those that were assigned last.
        lits.sort_by_key(|&l| match self.value(l) {
            Some(false) => usize::MAX - self.levels[l.var()] - 1,
            _ => 0,
        });
        let (first, second) = (lits.first().copied(), lits.get(1).copied());
        self.clauses.push(Clause { lits, origin });
        if let (Some(a), Some(b)) = (first, second) {
            self.watches[a.index()].push(id);
            self.watches[b.index()].push(id);
        }
        let Some(first) = first else { return Some(id) };
        match self.value(first) {
            Some(false) => Some(id),
            None if second.is_none_or(|s| self.value(s) == Some(false)) => {
                let level = second.map_or(0, |s| self.levels[s.var()]);
                self.backtrack(level);
                self.assign(first, Some(id));
                None
            }
            _ => None,
        }
    }

    fn add_lemma(&mut self, lemma: Lemma) -> ClauseId {
        let id = self.clauses.len();
        self.add(lemma.clause, Origin::Theory(lemma.certificate));
        id
    }

    fn assign(&mut self, lit: Lit, reason: Option<ClauseId>) {
        debug_assert!(self.value(lit).is_none(), "assigned once");
        let var = lit.var();
        self.values[var] = Some(lit.is_positive());
        self.phases[var] = lit.is_positive();
        self.levels[var] = self.decisions.len();
        self.reasons[var] = reason;
        self.trail.push(lit);
    }

    /// Unit propagation and the theory, until nothing follows. A clause whose literals are all false, if there is one.
    fn deduce(&mut self) -> Option<ClauseId> {
        loop {
            if let Some(conflict) = self.propagate() {
                return Some(conflict);
            }
            if self.asserted == self.trail.len() {
                return self.theory.check().err().map(|lemma| self.add_lemma(lemma));
            }
            let from = self.asserted;
            while self.asserted < self.trail.len() {
                let lit = self.trail[self.asserted];
                let result = self.theory.assert(lit, self.levels[lit.var()]);
                self.asserted += 1;
                if let Err(lemma) = result {
                    return Some(self.add_lemma(lemma));
                }
            }
            for i in from..self.asserted {
                let implied = self.theory.implied(self.trail[i], &self.values);
                for (lit, lemma) in implied {
                    if self.value(lit).is_none() {
                        self.add_implication(lit, lemma);
                    }
                }
            }
        }
    }

    /// Assigns a literal that follows from the trail by a lemma; the lemma's other literals are false.
    fn add_implication(&mut self, lit: Lit, mut lemma: Lemma) {
        let at = lemma.clause.iter().position(|&l| l == lit).expect("the lemma implies the literal");
        lemma.clause.swap(0, at);
        let id = self.clauses.len();
        // Not `add`: that would go back to the level of the premise.
        for &l in &lemma.clause[..2] {
            self.watches[l.index()].push(id);
        }
        self.clauses.push(Clause { lits: lemma.clause, origin: Origin::Theory(lemma.certificate) });
        self.assign(lit, Some(id));
    }

    fn propagate(&mut self) -> Option<ClauseId> {
        while self.propagated < self.trail.len() {
            let falsified = self.trail[self.propagated].negated();
            self.propagated += 1;
            let mut watching = std::mem::take(&mut self.watches[falsified.index()]);
            let mut kept = 0;
            let mut conflict = None;
            for i in 0..watching.len() {
                let id = watching[i];
                if conflict.is_some() || !self.rewatch(id, falsified) {
                    watching[kept] = id;
                    kept += 1;
                    if conflict.is_none() {
                        let first = self.clauses[id].lits[0];
                        match self.value(first) {
                            Some(true) => {}
                            Some(false) => conflict = Some(id),
                            None => self.assign(first, Some(id)),
                        }
                    }
                }
            }
            watching.truncate(kept);
            watching.append(&mut self.watches[falsified.index()]);
            self.watches[falsified.index()] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Puts another literal that is not false in the place of the falsified one. The other watched literal is then first.
    fn rewatch(&mut self, id: ClauseId, falsified: Lit) -> bool {
        let lits = &mut self.clauses[id].lits;
        if lits[0] == falsified {
            lits.swap(0, 1);
        }
        let lits = &self.clauses[id].lits;
        if self.value(lits[0]) == Some(true) {
            return false;
        }
        let Some(k) = (2..lits.len()).find(|&k| self.value(lits[k]) != Some(false)) else { return false };
        let other = lits[k];
        self.clauses[id].lits.swap(1, k);
        self.watches[other.index()].push(id);
        true
    }

    /// Learns the clause of the first unique implication point and goes back to where it asserts a literal. The empty
    /// clause, if the conflict does not depend on decisions.
    fn learn_from(&mut self, conflict: ClauseId) -> Option<ClauseId> {
        let level = self.clauses[conflict].lits.iter().map(|l| self.levels[l.var()]).max().unwrap_or(0);
        self.backtrack(level);
        if level == 0 {
            return Some(self.refute(conflict));
        }
        let (lits, chain) = self.first_uip(conflict, level);
        self.step *= UNIT_FACTOR;
        let origin = Origin::Chain(conflict, chain);
        if self.step > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.step *= 1e-100;
        }
        let back = lits[1..].iter().map(|l| self.levels[l.var()]).max().unwrap_or(0);
        self.backtrack(back);
        self.add(lits, origin);
        None
    }

    fn first_uip(&mut self, conflict: ClauseId, level: usize) -> (Vec<Lit>, Vec<(Var, ClauseId)>) {
        let (mut lower, mut chain, mut zero) = (Vec::new(), Vec::new(), Vec::new());
        let (mut open, mut clause, mut position) = (0, conflict, self.trail.len());
        let mut marked = Vec::new();
        let asserting = loop {
            for i in 0..self.clauses[clause].lits.len() {
                let lit = self.clauses[clause].lits[i];
                let var = lit.var();
                if std::mem::replace(&mut self.seen[var], true) {
                    continue;
                }
                marked.push(var);
                match self.levels[var] {
                    0 => zero.push(var),
                    l if l == level => {
                        self.bump(var);
                        open += 1;
                    }
                    _ => {
                        self.bump(var);
                        lower.push(lit);
                    }
                }
            }
            let pivot = loop {
                position -= 1;
                let lit = self.trail[position];
                if self.seen[lit.var()] && self.levels[lit.var()] == level {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                break pivot.negated();
            }
            clause = self.reasons[pivot.var()].expect("a decision is the last of its level");
            chain.push((pivot.var(), clause));
        };
        for var in marked {
            self.seen[var] = false;
        }
        for var in zero {
            let unit = self.unit(var);
            chain.push((var, unit));
        }
        lower.insert(0, asserting);
        (lower, chain)
    }

    /// The unit clause of a variable assigned at level 0.
    fn unit(&mut self, var: Var) -> ClauseId {
        if let Some(unit) = self.units[var] {
            return unit;
        }
        // Reasons of reasons first: the trail orders them.
        let mut needed = vec![false; self.values.len()];
        needed[var] = true;
        let mut order = Vec::new();
        let end = self.decisions.first().copied().unwrap_or(self.trail.len());
        for &lit in self.trail[..end].iter().rev() {
            let v = lit.var();
            if needed[v] && self.units[v].is_none() {
                order.push(v);
                let reason = self.reasons[v].expect("no decisions at level 0");
                for l in &self.clauses[reason].lits {
                    needed[l.var()] = true;
                }
            }
        }
        for v in order.into_iter().rev() {
            let reason = self.reasons[v].expect("no decisions at level 0");
            let id = self.resolve_units(reason, Some(v));
            self.units[v] = Some(id);
        }
        self.units[var].expect("just made")
    }

    /// Resolves a clause with the units of all its literals but that of one variable.
    fn resolve_units(&mut self, clause: ClauseId, but: Option<Var>) -> ClauseId {
        let lits = self.clauses[clause].lits.clone();
        let (kept, others): (Vec<Lit>, Vec<Lit>) = lits.into_iter().partition(|l| Some(l.var()) == but);
        if others.is_empty() {
            return clause;
        }
        let chain = others.iter().map(|l| (l.var(), self.units[l.var()].expect("made before"))).collect();
        self.clauses.push(Clause { lits: kept, origin: Origin::Chain(clause, chain) });
        self.clauses.len() - 1
    }

    fn refute(&mut self, conflict: ClauseId) -> ClauseId {
        for lit in self.clauses[conflict].lits.clone() {
            self.unit(lit.var());
        }
        self.resolve_units(conflict, None)
    }

    fn backtrack(&mut self, level: usize) {
        if level >= self.decisions.len() {
            return;
        }
        let keep = self.decisions[level];
        for lit in self.trail.drain(keep..) {
            self.values[lit.var()] = None;
            self.reasons[lit.var()] = None;
            self.order.insert(lit.var(), &self.activity);
        }
        self.decisions.truncate(level);
        self.propagated = self.propagated.min(keep);
        if self.asserted > keep {
            self.theory.undo(keep);
            self.asserted = keep;
        }
    }

    fn decide(&mut self) -> bool {
        while let Some(var) = self.order.pop(&self.activity) {
            if self.values[var].is_none() {
                self.decisions.push(self.trail.len());
                self.assign(Lit::new(var, self.phases[var]), None);
                return true;
            }
        }
        false
    }

    fn bump(&mut self, var: Var) {
        self.activity[var] += self.step;
        self.order.raise(var, &self.activity);
    }
}

/// A heap of variables by activity, then by number.
#[derive(Debug, Default)]
struct Order {
    heap: Vec<Var>,
    position: Vec<Option<usize>>,
}

impl Order {
    fn before(activity: &[f64], a: Var, b: Var) -> bool {
        activity[a] > activity[b] || (activity[a] == activity[b] && a < b)
    }

    fn insert(&mut self, var: Var, activity: &[f64]) {
        if self.position.len() <= var {
            self.position.resize(var + 1, None);
        }
        if self.position[var].is_none() {
            self.position[var] = Some(self.heap.len());
            self.heap.push(var);
            self.up(self.heap.len() - 1, activity);
        }
    }

    fn raise(&mut self, var: Var, activity: &[f64]) {
        if let Some(i) = self.position.get(var).copied().flatten() {
            self.up(i, activity);
        }
    }

    fn pop(&mut self, activity: &[f64]) -> Option<Var> {
        let top = *self.heap.first()?;
        let last = self.heap.pop().expect("not empty");
        self.position[top] = None;
        if last != top {
            self.heap[0] = last;
            self.position[last] = Some(0);
            self.down(0, activity);
        }
        Some(top)
    }

    fn up(&mut self, mut i: usize, activity: &[f64]) {
        while i > 0 && Self::before(activity, self.heap[i], self.heap[(i - 1) / 2]) {
            self.swap(i, (i - 1) / 2);
            i = (i - 1) / 2;
        }
    }

    fn down(&mut self, mut i: usize, activity: &[f64]) {
        loop {
            let mut best = i;
            for child in [2 * i + 1, 2 * i + 2] {
                if child < self.heap.len() && Self::before(activity, self.heap[child], self.heap[best]) {
                    best = child;
                }
            }
            if best == i {
                return;
            }
            self.swap(i, best);
            i = best;
        }
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.heap.swap(i, j);
        self.position[self.heap[i]] = Some(i);
        self.position[self.heap[j]] = Some(j);
    }
}
