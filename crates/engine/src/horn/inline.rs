//! Predicates are resolved away: each use is replaced by one clause per definition. What is left are loop heads and
//! recursive procedures, and what would make the clauses grow.

use std::collections::BTreeSet;

use clinch_ir::{Application, Clause, PredId};
use clinch_terms::{Symbol, Term};
use rustc_hash::FxHashMap;

use super::equations::normalise;
use super::history::{Event, Inlined, Origin, Renamed};
use super::work::{Work, conjunction};

/// Resolves away all predicates it can, the cheapest ones first.
pub(super) fn run(work: &mut Work<'_>, stop: &dyn Fn() -> bool) -> bool {
    let mut inlining = Inlining::new(work);
    (0..inlining.work.predicates.len()).for_each(|p| inlining.estimate(p));
    let mut changed = false;
    while let Some((_, p)) = inlining.queue.pop_first() {
        if stop() {
            break;
        }
        inlining.cost[p] = None;
        for neighbour in inlining.resolve_away(p) {
            inlining.estimate(neighbour);
        }
        changed = true;
    }
    changed
}

/// How many more clauses there will be, and how much larger they will be in all.
type Cost = (isize, isize);

struct Inlining<'w, 'a> {
    work: &'w mut Work<'a>,
    /// For each predicate the clauses with it as head.
    definitions: Vec<BTreeSet<usize>>,
    /// For each predicate the clauses with it in their body.
    uses: Vec<BTreeSet<usize>>,
    cost: Vec<Option<Cost>>,
    queue: BTreeSet<(Cost, usize)>,
}

impl<'w, 'a> Inlining<'w, 'a> {
    fn new(work: &'w mut Work<'a>) -> Self {
        let count = work.predicates.len();
        let live: Vec<usize> = work.live().collect();
        let mut this = Inlining {
            work,
            definitions: vec![BTreeSet::new(); count],
            uses: vec![BTreeSet::new(); count],
            cost: vec![None; count],
            queue: BTreeSet::new(),
        };
        live.into_iter().for_each(|id| this.enter(id));
        this
    }

    fn enter(&mut self, id: usize) {
        let clause = self.work.clause(id);
        clause.head.iter().for_each(|h| _ = self.definitions[h.predicate.index()].insert(id));
        clause.body.iter().for_each(|a| _ = self.uses[a.predicate.index()].insert(id));
    }

    fn leave(&mut self, id: usize) {
        let clause = self.work.clause(id);
        clause.head.iter().for_each(|h| _ = self.definitions[h.predicate.index()].remove(&id));
        clause.body.iter().for_each(|a| _ = self.uses[a.predicate.index()].remove(&id));
        self.work.remove(id);
    }

    /// Puts a predicate into the queue, with its cost, or takes it out.
    fn estimate(&mut self, p: usize) {
        if let Some(old) = self.cost[p].take() {
            self.queue.remove(&(old, p));
        }
        self.cost[p] = self.cost_of(p);
        self.queue.extend(self.cost[p].map(|cost| (cost, p)));
    }

    /// What it costs to resolve a predicate away, if that is possible and cheap enough.
    fn cost_of(&self, p: usize) -> Option<Cost> {
        let (definitions, uses) = (&self.definitions[p], &self.uses[p]);
        if definitions.is_empty() || uses.is_empty() || !definitions.is_disjoint(uses) {
            return None;
        }
        let width = definitions.iter().map(|&d| self.work.clause(d).body.len()).max()?;
        let size: usize = definitions.iter().map(|&d| self.work.size_of(d)).sum();
        let (mut made, mut made_size, mut gone_size) = (0_usize, 0_usize, size);
        let allowed = definitions.len() + uses.len() + self.work.options.growth;
        for &user in uses {
            let body = &self.work.clause(user).body;
            let times = body.iter().filter(|a| a.predicate.index() == p).count();
            let longest = width.max(body.len()).max(self.work.options.max_body);
            if body.len() - times + times * width > longest {
                return None;
            }
            let resolvents = definitions.len().checked_pow(times as u32)?;
            made = made.checked_add(resolvents)?;
            let average = self.work.size_of(user) + times * size / definitions.len();
            made_size = made_size.checked_add(resolvents.checked_mul(average)?)?;
            gone_size += self.work.size_of(user);
        }
        let fits = (self.work.size() - gone_size).checked_add(made_size)? <= self.work.max_size;
        let growth = |new: usize, old: usize| new as isize - old as isize;
        (made <= allowed && fits).then(|| (growth(made, definitions.len() + uses.len()), growth(made_size, gone_size)))
    }

    /// Replaces all uses of a predicate by resolvents. Returns the predicates whose clauses changed.
    fn resolve_away(&mut self, p: usize) -> BTreeSet<usize> {
        let definitions: Vec<usize> = self.definitions[p].iter().copied().collect();
        let uses: Vec<usize> = self.uses[p].iter().copied().collect();
        let params = self.params_around(&definitions, &uses);
        let mut changed: BTreeSet<usize> = params.iter().map(|(q, _)| q.index()).collect();
        changed.remove(&p);
        let (predicate, event) = (PredId::from_index(p), |predicate, definitions, uses| {
            Event::Inlined(Inlined { predicate, definitions, uses, params })
        });
        self.work.record(event(predicate, definitions.clone(), uses.clone()));
        definitions.iter().chain(&uses).for_each(|&id| self.leave(id));
        let lonely = uses.len() == 1 && count(self.work.clause(uses[0]), predicate) == 1;
        let mut todo: Vec<usize> = uses.into_iter().rev().collect();
        while let Some(user) = todo.pop() {
            match self.work.clause(user).body.iter().position(|a| a.predicate == predicate) {
                Some(position) => {
                    let made = self.resolve_all(user, position, &definitions, lonely);
                    todo.extend(made.into_iter().rev());
                }
                None => self.enter(user),
            }
        }
        changed
    }

    /// One clause per definition, normalised and not yet entered.
    fn resolve_all(&mut self, user: usize, position: usize, definitions: &[usize], lonely: bool) -> Vec<usize> {
        self.work.remove(user);
        let mut made = Vec::new();
        for (i, &definition) in definitions.iter().enumerate() {
            // A clause that is not needed again gives away its symbols.
            let last = i + 1 == definitions.len();
            let consumer = self.renamed(user, last);
            let definition = self.renamed(definition, lonely);
            let id = resolve(self.work, consumer, position, definition);
            made.extend(normalise(self.work, id));
        }
        made
    }

    fn renamed(&mut self, clause: usize, keep_symbols: bool) -> Renamed {
        if keep_symbols {
            return Renamed { clause, symbols: Vec::new() };
        }
        let terms = &mut self.work.terms;
        let vars = &self.work.history.records[clause].clause.vars;
        let fresh = vars.iter().map(|&s| {
            let (name, sort) = (terms.symbol_name(s).to_owned(), terms.symbol_sort(s).clone());
            (s, terms.declare(name, sort))
        });
        Renamed { clause, symbols: fresh.collect() }
    }

    /// The parameters of all predicates in some clauses.
    fn params_around(&self, definitions: &[usize], uses: &[usize]) -> Vec<(PredId, std::sync::Arc<[Symbol]>)> {
        let clauses = definitions.iter().chain(uses).map(|&id| self.work.clause(id));
        let around: BTreeSet<PredId> =
            clauses.flat_map(|c| c.body.iter().chain(&c.head)).map(|a| a.predicate).collect();
        around.into_iter().map(|p| (p, self.work.predicates[p.index()].params.clone())).collect()
    }
}

fn count(clause: &Clause, predicate: PredId) -> usize {
    clause.body.iter().filter(|a| a.predicate == predicate).count()
}

/// The resolvent of two clauses.
fn resolve(work: &mut Work<'_>, consumer: Renamed, position: usize, definition: Renamed) -> usize {
    let upper = instance(work, &consumer);
    let lower = instance(work, &definition);
    let head = lower.head.expect("a definition has a head");
    let terms = &mut work.terms;
    let pairs = upper.body[position].args.iter().zip(&head.args);
    let mut conjuncts: Vec<Term> = pairs.map(|(&a, &b)| terms.eq(a, b)).collect();
    conjuncts.extend([lower.constraint, upper.constraint]);
    let mut body: Vec<Application> = upper.body;
    body.splice(position..=position, lower.body);
    let mut vars = upper.vars;
    vars.extend(lower.vars);
    let constraint = conjunction(terms, &conjuncts);
    let clause = Clause { vars, body, constraint, head: upper.head, span: upper.span };
    work.add(clause, Origin::Resolvent { consumer, position, definition })
}

/// A clause with its symbols renamed.
fn instance(work: &mut Work<'_>, renamed: &Renamed) -> Clause {
    let mut clause = work.clause(renamed.clause).clone();
    if renamed.symbols.is_empty() {
        return clause;
    }
    let terms = &mut work.terms;
    clause.vars = renamed.symbols.iter().map(|&(_, fresh)| fresh).collect();
    let map: FxHashMap<Symbol, Term> = renamed.symbols.iter().map(|&(s, fresh)| (s, terms.symbol(fresh))).collect();
    let mut rewriting = super::rewrite::Rewriting::new(map, work.history.reals);
    rewriting.apply_all(terms, clause.body.iter_mut().chain(&mut clause.head).flat_map(|a| a.args.iter_mut()));
    clause.constraint = rewriting.apply(terms, clause.constraint);
    clause
}
