//! Counterexamples spelled out: the formula of a path, with a copy of each variable for every time it is written
//! ("explicit substitutions", [Lazy, 5.3]).

use clinch_ir::cfa::unfold::Open;
use clinch_terms::{Node, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::label::{Label, LabelId, Labels};

/// A step of a path.
pub(super) struct PathStep {
    pub(super) label: LabelId,
    /// Its guard, and equations for what it writes.
    pub(super) formula: Term,
    /// The guard alone.
    pub(super) guard: Term,
    /// The equations alone, each with the variable that is written.
    pub(super) equations: Vec<(Symbol, Term)>,
    /// The symbols for what is open in it.
    pub(super) open: Vec<Open>,
    /// What is asked of the region of the node it leads to.
    pub(super) region: Term,
}

/// A path from the root.
pub(super) struct Path {
    pub(super) steps: Vec<PathStep>,
    /// The variable that each copy is one of. A copy belongs to one variable for ever.
    owner: FxHashMap<Symbol, Term>,
}

impl Path {
    /// The path along these labels; `regions` are those of the nodes they lead to.
    pub(super) fn new(terms: &mut Terms, labels: &Labels<'_>, along: &[LabelId], regions: &[Term]) -> Self {
        let mut path = Path { steps: Vec::with_capacity(along.len()), owner: FxHashMap::default() };
        // The copies that are the variables' values now; a variable not listed is its own.
        let mut now: FxHashMap<Symbol, Term> = FxHashMap::default();
        for (&label, &region) in along.iter().zip(regions) {
            let mut step = path.step(terms, labels.get(label), label, &mut now);
            step.region = terms.substitute_symbols(region, &now);
            path.steps.push(step);
        }
        path
    }

    fn step(&mut self, terms: &mut Terms, label: &Label, id: LabelId, now: &mut FxHashMap<Symbol, Term>) -> PathStep {
        let number = self.steps.len();
        let mut instance: FxHashMap<Symbol, Term> = FxHashMap::default();
        for &symbol in &label.local {
            let (name, sort) = (format!("{}#{number}", terms.symbol_name(symbol)), terms.symbol_sort(symbol).clone());
            let fresh = terms.fresh(name, sort);
            instance.insert(symbol, fresh);
        }
        let open = label.step.effect.open.iter().filter_map(|open| match terms.node(*instance.get(&open.symbol)?) {
            Node::Symbol(symbol) => Some(Open { symbol, ..*open }),
            _ => None,
        });
        let open = open.collect();
        let locals = instance.clone();
        instance.extend(label.reads.iter().filter_map(|s| Some((*s, *now.get(s)?))));
        let guard = terms.substitute_symbols(label.step.effect.guard, &instance);
        let mut equations = Vec::new();
        let mut changes = Vec::with_capacity(label.step.effect.updates.len());
        for &(symbol, value) in &label.step.effect.updates {
            let value_here = terms.substitute_symbols(value, &instance);
            let own = terms.symbol(symbol);
            // What is open needs no second name.
            let copy = match (terms.node(value), terms.node(value_here)) {
                (Node::Symbol(of), Node::Symbol(here))
                    if locals.contains_key(&of) && !self.owner.contains_key(&here) =>
                {
                    value_here
                }
                _ => {
                    let sort = terms.symbol_sort(symbol).clone();
                    let copy = terms.fresh(format!("{}#{number}", terms.symbol_name(symbol)), sort);
                    equations.push((symbol, terms.eq(copy, value_here)));
                    copy
                }
            };
            if let Node::Symbol(copy) = terms.node(copy) {
                self.owner.insert(copy, own);
            }
            changes.push((symbol, copy));
        }
        now.extend(changes);
        let all: Vec<Term> = std::iter::once(guard).chain(equations.iter().map(|e| e.1)).collect();
        let (formula, region) = (terms.all(all), terms.tt());
        PathStep { label: id, formula, guard, equations, open, region }
    }

    /// Keeps of the equations only those for some variables: the others may become anything in each step.
    pub(super) fn keep_only(&mut self, terms: &mut Terms, variables: &FxHashSet<Symbol>) {
        for step in &mut self.steps {
            step.equations.retain(|(variable, _)| variables.contains(variable));
            let all: Vec<Term> = std::iter::once(step.guard).chain(step.equations.iter().map(|e| e.1)).collect();
            step.formula = terms.all(all);
        }
    }

    /// A formula about copies as one about variables: primes are dropped.
    pub(super) fn without_primes(&self, terms: &mut Terms, formula: Term) -> Term {
        terms.substitute_symbols(formula, &self.owner)
    }
}
