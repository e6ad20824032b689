//! Which predicates can matter for a question about a clause.
//!
//! Symbols that no conjunct of the constraint and no predicate connects are independent: what is known of the one says
//! nothing about the other. A question then needs only the premises it is connected to, and more questions are equal.

use clinch_ir::Clause;
use clinch_terms::{BinOp, Node, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use crate::search::BitSet;

/// The predicates assumed of each premise of a clause.
pub(super) type Premises = Vec<BitSet>;

/// The independent parts of a clause.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// For each head predicate, the premises it is connected to.
    pub(super) entailment: Vec<Premises>,
    /// The premises that the constraint is connected to: whether the step is possible depends on them alone, because
    /// every premise by itself is satisfiable.
    pub(super) feasibility: Premises,
    /// Whether the step is possible whatever the premises are.
    pub(super) always_feasible: bool,
}

impl Parts {
    /// `body` and `head` are the predicates about the clause's symbols.
    pub(super) fn new(terms: &Terms, clause: &Clause, body: &[Vec<Term>], head: &[Term]) -> Self {
        let mut union = Union::new(&clause.vars);
        let fixed = fixed_terms(terms, clause);
        for &term in fixed.iter().chain(body.iter().flatten()) {
            union.join(&terms.symbols(term));
        }
        let constrained: BitSet = fixed.iter().flat_map(|&t| terms.symbols(t)).map(|s| union.part(s)).collect();
        let part_of: Vec<Vec<Option<usize>>> = body
            .iter()
            .map(|predicates| predicates.iter().map(|&p| terms.symbols(p).first().map(|&s| union.part(s))).collect())
            .collect();
        let premises_in = |parts: &BitSet, constants: bool| -> Premises {
            let inside = |part: &Option<usize>| part.map_or(constants, |p| parts.contains(p));
            part_of.iter().map(|ps| (0..ps.len()).filter(|&i| inside(&ps[i])).collect()).collect()
        };
        let entailment = head.iter().map(|&p| {
            let parts: BitSet = terms.symbols(p).into_iter().map(|s| union.part(s)).collect();
            premises_in(&parts, false)
        });
        let entailment = entailment.collect();
        let feasibility = premises_in(&constrained, true);
        let always_feasible = fixed.is_empty() && feasibility.iter().all(BitSet::is_empty);
        Parts { entailment, feasibility, always_feasible }
    }
}

/// What ties the symbols of a clause together besides predicates: the conjuncts of its constraint, and arguments that are
/// not symbols of their own.
fn fixed_terms(terms: &Terms, clause: &Clause) -> Vec<Term> {
    let mut fixed = Vec::new();
    let mut stack = vec![clause.constraint];
    while let Some(term) = stack.pop() {
        match terms.node(term) {
            Node::Bool(true) => {}
            Node::Binary(BinOp::And, a, b) => stack.extend([a, b]),
            _ => fixed.push(term),
        }
    }
    let args: Vec<Term> = clause.body.iter().flat_map(|a| a.args.iter().copied()).collect();
    let plain = |t: Term| matches!(terms.node(t), Node::Symbol(_)) && args.iter().filter(|&&o| o == t).count() == 1;
    fixed.extend(args.iter().copied().filter(|&t| !plain(t)));
    fixed
}

/// Union-find over the symbols of a clause.
struct Union {
    position: FxHashMap<Symbol, usize>,
    parent: Vec<usize>,
}

impl Union {
    fn new(vars: &[Symbol]) -> Self {
        Union { position: vars.iter().enumerate().map(|(i, &s)| (s, i)).collect(), parent: (0..vars.len()).collect() }
    }

    fn part(&self, symbol: Symbol) -> usize {
        let mut at = self.position[&symbol];
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, symbols: &[Symbol]) {
        for pair in symbols.windows(2) {
            let (a, b) = (self.part(pair[0]), self.part(pair[1]));
            self.parent[a] = b;
        }
    }
}
