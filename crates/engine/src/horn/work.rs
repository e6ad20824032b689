//! The clauses while they are being simplified.

use std::sync::Arc;

use clinch_ir::{Application, Clause, HornSystem};
use clinch_terms::{Node, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashSet;

use super::SimplifyOptions;
use super::history::{Event, History, Origin, Record};

/// The system being simplified. Clauses are numbered by their records; predicates as in the original.
pub(super) struct Work<'a> {
    pub(super) options: &'a SimplifyOptions,
    pub(super) terms: Terms,
    pub(super) history: History,
    pub(super) predicates: Vec<Parameters>,
    state: Vec<State>,
    size: usize,
    /// The clauses may not become larger than this in all.
    pub(super) max_size: usize,
}

/// The parameters a predicate has left.
pub(super) struct Parameters {
    pub(super) params: Arc<[Symbol]>,
    /// Their positions in the original predicate.
    pub(super) kept: Vec<usize>,
}

/// What is known of a clause.
#[derive(Clone, Copy)]
struct State {
    live: bool,
    /// Nothing is left to do for [`super::equations`].
    normal: bool,
    size: usize,
}

impl<'a> Work<'a> {
    pub(super) fn new(system: &HornSystem, options: &'a SimplifyOptions) -> Self {
        let predicates = system
            .predicates
            .iter()
            .map(|p| Parameters { params: p.params.clone().into(), kept: (0..p.params.len()).collect() });
        let terms = system.terms.clone();
        let params = system.predicates.iter().flat_map(|p| p.params.iter().copied());
        let symbols = params.chain(system.clauses.iter().flat_map(|c| c.vars.iter().copied()));
        let mut work = Work {
            options,
            history: History { reals: { symbols }.any(|s| mentions_reals(terms.symbol_sort(s))), ..History::default() },
            terms,
            predicates: predicates.collect(),
            state: Vec::new(),
            size: 0,
            max_size: usize::MAX,
        };
        for clause in &system.clauses {
            work.add(clause.clone(), Origin::Original);
        }
        work.max_size = work.size.saturating_mul(options.max_factor).saturating_add(1000);
        work
    }

    /// Adds a live clause.
    pub(super) fn add(&mut self, clause: Clause, origin: Origin) -> usize {
        let size = node_count(&self.terms, roots(&clause));
        self.size += size;
        self.history.records.push(Record { clause, origin });
        self.state.push(State { live: true, normal: false, size });
        self.state.len() - 1
    }

    /// Takes a clause out of the system.
    pub(super) fn remove(&mut self, id: usize) {
        if std::mem::replace(&mut self.state[id].live, false) {
            self.size -= self.state[id].size;
        }
    }

    /// Says that equations have nothing to do here.
    pub(super) fn set_normal(&mut self, id: usize) {
        self.state[id].normal = true;
    }

    pub(super) fn is_normal(&self, id: usize) -> bool {
        self.state[id].normal
    }

    /// The clauses of the system, ascending.
    pub(super) fn live(&self) -> impl Iterator<Item = usize> {
        (0..self.state.len()).filter(|&id| self.state[id].live)
    }

    pub(super) fn clause(&self, id: usize) -> &Clause {
        &self.history.records[id].clause
    }

    /// The number of distinct subterms of a clause.
    pub(super) fn size_of(&self, id: usize) -> usize {
        self.state[id].size
    }

    /// The sizes of all clauses together.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Takes away parameters of a predicate (ascending positions).
    pub(super) fn drop_parameters(&mut self, p: usize, gone: &[usize]) {
        let Parameters { params, kept } = &self.predicates[p];
        let stay = (0..params.len()).filter(|i| gone.binary_search(i).is_err());
        let (params, kept) = stay.map(|i| (params[i], kept[i])).collect::<(Vec<_>, Vec<_>)>();
        self.predicates[p] = Parameters { params: params.into(), kept };
    }

    pub(super) fn record(&mut self, event: Event) {
        self.history.events.push(event);
    }
}

pub(crate) fn mentions_reals(sort: &Sort) -> bool {
    match sort {
        Sort::Real => true,
        Sort::Array(of) => mentions_reals(&of.0) || mentions_reals(&of.1),
        Sort::Bool | Sort::Int | Sort::BitVec(_) => false,
    }
}

/// All terms that stand in a clause.
pub(super) fn roots(clause: &Clause) -> impl Iterator<Item = Term> {
    application_args(&clause.body, clause.head.as_ref()).chain([clause.constraint])
}

fn application_args<'c>(body: &'c [Application], head: Option<&'c Application>) -> impl Iterator<Item = Term> + 'c {
    body.iter().chain(head).flat_map(|a| a.args.iter().copied())
}

/// Calls `f` once for each distinct subterm.
pub(super) fn visit_all(terms: &Terms, roots: impl IntoIterator<Item = Term>, mut f: impl FnMut(Node)) {
    let mut seen = FxHashSet::default();
    let mut stack: Vec<Term> = roots.into_iter().collect();
    while let Some(t) = stack.pop() {
        if seen.insert(t) {
            f(terms.node(t));
            stack.extend(terms.children(t));
        }
    }
}

/// The symbols of several terms, ascending.
pub(super) fn symbols_of(terms: &Terms, roots: impl IntoIterator<Item = Term>) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    visit_all(terms, roots, |node| {
        if let Node::Symbol(s) = node {
            symbols.push(s);
        }
    });
    symbols.sort_unstable();
    symbols
}

fn node_count(terms: &Terms, roots: impl IntoIterator<Item = Term>) -> usize {
    let mut count = 0;
    visit_all(terms, roots, |_| count += 1);
    count
}

/// The conjunction of many, as a tree of small depth: terms are walked by recursion.
pub(super) fn conjunction(terms: &mut Terms, conjuncts: &[Term]) -> Term {
    match conjuncts {
        [] => terms.tt(),
        [one] => *one,
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            let (left, right) = (conjunction(terms, left), conjunction(terms, right));
            terms.and(left, right)
        }
    }
}
