//! Symbols that the constraint of a clause defines (`x = t`, `x`, `not x`) are replaced by their definitions; constraints
//! are folded, and clauses that always hold are dropped.

use clinch_ir::Clause;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::history::Origin;
use super::rewrite::{Rewriting, is_real, is_sum, opposite};
use super::work::{Work, conjunction, roots, symbols_of};
use clinch_terms::linear::{Linear, as_symbol};

/// How often what follows from conjuncts is used again.
const MAX_PROPAGATIONS: usize = 20;

/// Brings all clauses into normal form.
pub(super) fn run(work: &mut Work<'_>, stop: &dyn Fn() -> bool) -> bool {
    let live: Vec<usize> = work.live().filter(|&id| !work.is_normal(id)).collect();
    let mut changed = false;
    for id in live {
        if stop() {
            break;
        }
        changed |= normalise(work, id) != Some(id);
    }
    changed
}

/// The clause in normal form, in its place. `None`: it always holds, and is dropped.
pub(super) fn normalise(work: &mut Work<'_>, id: usize) -> Option<usize> {
    let old = work.clause(id).clone();
    let mut new = old.clone();
    let mut todo = Elimination {
        conjuncts: work.terms.facts(old.constraint),
        others: new.body.iter().chain(&new.head).flat_map(|a| a.args.iter().copied()).collect(),
        definitions: Vec::new(),
    };
    let in_body = symbols_of(&work.terms, old.body.iter().flat_map(|a| a.args.iter().copied()));
    let limits = Limits { reals: work.history.reals, max_definition: work.options.max_definition };
    // Arguments in the body stay symbols where there is a choice.
    let rank = |s: Symbol| Some(usize::from(in_body.binary_search(&s).is_ok()));
    let satisfiable = todo.run(&mut work.terms, limits, &rank);
    let mut others = todo.others.into_iter();
    for arg in new.body.iter_mut().chain(&mut new.head).flat_map(|a| a.args.iter_mut()) {
        *arg = others.next().expect("as many arguments as before");
    }
    if !satisfiable || holds_trivially(&new) {
        work.remove(id);
        return None;
    }
    new.constraint = conjunction(&mut work.terms, &todo.conjuncts);
    if new.constraint == old.constraint && new.body == old.body && new.head == old.head {
        work.set_normal(id);
        return Some(id);
    }
    new.vars = symbols_of(&work.terms, roots(&new));
    work.remove(id);
    let made = work.add(new, Origin::Rewritten { parent: id, definitions: todo.definitions });
    work.set_normal(made);
    Some(made)
}

/// Whether the head stands in the body.
fn holds_trivially(clause: &Clause) -> bool {
    clause.head.as_ref().is_some_and(|head| clause.body.contains(head))
}

/// How far elimination goes.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Whether real numbers occur.
    pub(super) reals: bool,
    /// The largest term that is substituted.
    pub(super) max_definition: usize,
}

/// A conjunction whose symbols are eliminated, and terms that stand beside it.
pub(super) struct Elimination {
    pub(super) conjuncts: Vec<Term>,
    pub(super) others: Vec<Term>,
    /// What was eliminated, in order; a definition may mention symbols that were eliminated after it.
    pub(super) definitions: Vec<(Symbol, Term)>,
}

impl Elimination {
    /// Eliminates symbols until there are no more definitions; those of smaller `rank` first, those without one never.
    /// Says whether the conjunction may be satisfiable.
    ///
    /// Each round eliminates symbols that do not depend on each other, at once: a chain of n definitions takes log n rounds.
    pub(super) fn run(&mut self, terms: &mut Terms, limits: Limits, rank: &dyn Fn(Symbol) -> Option<usize>) -> bool {
        let mut map = FxHashMap::default();
        loop {
            let mut rewriting = Rewriting::new(map, limits.reals);
            rewriting.apply_all(terms, &mut self.conjuncts);
            rewriting.apply_all(terms, &mut self.others);
            if !self.flatten(terms) || !self.propagate(terms, limits.reals) {
                return false;
            }
            map = self.choose(terms, limits, rank);
            if map.is_empty() {
                return true;
            }
        }
    }

    /// Splits conjuncts and drops repeated ones. Says whether they may be satisfiable.
    fn flatten(&mut self, terms: &mut Terms) -> bool {
        let mut seen = FxHashSet::default();
        let mut flat = Vec::new();
        for conjunct in std::mem::take(&mut self.conjuncts) {
            for part in terms.facts(conjunct) {
                if terms.node(part) == Node::Bool(false) {
                    return false;
                }
                if seen.insert(part) {
                    flat.push(part);
                }
            }
        }
        self.conjuncts = flat;
        !self.conjuncts.iter().any(|&c| seen.contains(&opposite(terms, c)))
    }

    /// Uses what conjuncts say inside of other ones: from `c` and `c = d` follows `d`. Says whether they may be satisfiable.
    fn propagate(&mut self, terms: &mut Terms, reals: bool) -> bool {
        for _ in 0..MAX_PROPAGATIONS {
            let mut rewriting = Rewriting::under(terms, &self.conjuncts, reals);
            for conjunct in &mut self.conjuncts {
                *conjunct = rewriting.apply_inside(terms, *conjunct);
            }
            rewriting.apply_all(terms, &mut self.others);
            if !rewriting.used() {
                break;
            }
            if !self.flatten(terms) {
                return false;
            }
        }
        true
    }

    /// Definitions that do not depend on each other; their conjuncts are taken out.
    fn choose(
        &mut self,
        terms: &mut Terms,
        limits: Limits,
        rank: &dyn Fn(Symbol) -> Option<usize>,
    ) -> FxHashMap<Symbol, Term> {
        let mut chosen = FxHashMap::default();
        let mut mentioned: FxHashSet<Symbol> = FxHashSet::default();
        let definitions = &mut self.definitions;
        self.conjuncts.retain(|&conjunct| {
            let mut candidates = definitions_in(terms, conjunct, limits.reals);
            candidates.retain(|(x, _)| rank(*x).is_some() && !mentioned.contains(x) && !chosen.contains_key(x));
            candidates.sort_by_key(|(x, _)| rank(*x));
            for (x, definition) in candidates {
                let term = definition.term(terms);
                let Some(symbols) = small_symbols(terms, term, limits.max_definition) else { continue };
                if symbols.contains(&x) || symbols.iter().any(|s| chosen.contains_key(s)) {
                    continue;
                }
                mentioned.extend(symbols);
                chosen.insert(x, term);
                definitions.push((x, term));
                return false;
            }
            true
        });
        chosen
    }
}

/// What a symbol equals.
enum Definition {
    Term(Term),
    Sum(Linear),
}

impl Definition {
    fn term(self, terms: &mut Terms) -> Term {
        match self {
            Definition::Term(term) => term,
            Definition::Sum(sum) => sum.term(terms),
        }
    }
}

/// The symbols a conjunct defines; it may be that the term mentions the symbol.
fn definitions_in(terms: &mut Terms, conjunct: Term, reals: bool) -> Vec<(Symbol, Definition)> {
    match terms.node(conjunct) {
        Node::Symbol(x) => vec![(x, Definition::Term(terms.tt()))],
        Node::Unary(UnOp::Not, a) => match terms.node(a) {
            Node::Symbol(x) => vec![(x, Definition::Term(terms.ff()))],
            Node::Binary(BinOp::Eq, a, b) => different(terms, a, b),
            _ => Vec::new(),
        },
        Node::Binary(BinOp::Eq, a, b) => equal(terms, a, b, reals),
        _ => Vec::new(),
    }
}

/// `a = b`.
fn equal(terms: &Terms, a: Term, b: Term, reals: bool) -> Vec<(Symbol, Definition)> {
    let mut found = Vec::new();
    for (x, t) in [(a, b), (b, a)] {
        if let Some(s) = as_symbol(terms, x)
            && (!reals || same_sort(terms, s, t))
        {
            found.push((s, Definition::Term(t)));
        }
    }
    if !reals
        && (is_sum(terms, a) || is_sum(terms, b))
        && let Some(difference) = Linear::difference(terms, a, b)
    {
        let solutions = difference.solutions();
        found.extend(solutions.filter_map(|(t, sum)| Some((as_symbol(terms, t)?, Definition::Sum(sum)))));
    }
    found
}

/// `not (a = b)`: each is the negation of the other if they are Boolean.
fn different(terms: &mut Terms, a: Term, b: Term) -> Vec<(Symbol, Definition)> {
    let mut found = Vec::new();
    for (x, t) in [(a, b), (b, a)] {
        match as_symbol(terms, x) {
            Some(s) if *terms.symbol_sort(s) == Sort::Bool => found.push((s, Definition::Term(terms.not(t)))),
            _ => {}
        }
    }
    found
}

/// Whether a symbol has the sort of a term, among numbers: an integer constant may stand for a real number, but must not
/// be substituted for one.
fn same_sort(terms: &Terms, symbol: Symbol, term: Term) -> bool {
    !terms.symbol_sort(symbol).is_numeric() || (*terms.symbol_sort(symbol) == Sort::Real) == is_real(terms, term)
}

/// The symbols of a term with at most so many distinct subterms.
fn small_symbols(terms: &Terms, term: Term, limit: usize) -> Option<FxHashSet<Symbol>> {
    let (mut seen, mut symbols, mut stack) = (FxHashSet::default(), FxHashSet::default(), vec![term]);
    while let Some(t) = stack.pop() {
        if seen.insert(t) {
            if seen.len() > limit {
                return None;
            }
            symbols.extend(as_symbol(terms, t));
            stack.extend(terms.children(t));
        }
    }
    Some(symbols)
}
