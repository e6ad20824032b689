//! What a transition may read and write.

use clinch_terms::{BinOp, LocId, Node, ProcId, Term, Terms};
use rustc_hash::FxHashSet;

use crate::dead::cells_read;
use crate::program::{Assign, Program, Rhs, Transition};

/// The cells and locations that a transition may touch, whatever the state is.
#[derive(Debug)]
pub(super) struct Footprint {
    /// Cells read by its guard, its values or its indices, ascending.
    pub(super) reads: Vec<usize>,
    /// Cells it may write, ascending.
    pub(super) writes: Vec<usize>,
    /// Locations that its guard or its values ask about.
    sees: Vec<(ProcId, LocId)>,
}

impl Footprint {
    pub(super) fn of(program: &Program, transition: &Transition) -> Self {
        let values =
            transition.assigns().filter_map(|a| if let Rhs::Term(value) = a.value { Some(value) } else { None });
        let indices = transition.assigns().filter_map(|a| a.index);
        let terms: Vec<Term> = values.chain(indices).chain([transition.guard]).collect();
        Footprint {
            reads: sorted(terms.iter().flat_map(|&term| cells_read(program, term))),
            writes: sorted(transition.assigns().flat_map(|assign| may_write(program, assign))),
            sees: terms.iter().flat_map(|&term| locations_seen(&program.terms, term)).collect(),
        }
    }

    /// Whether what one of them writes is read or written by the other one. Moves of processes that both move are not looked at.
    pub(super) fn touches(&self, other: &Self) -> bool {
        meet(&self.writes, &other.writes) || meet(&self.writes, &other.reads) || meet(&self.reads, &other.writes)
    }

    /// Whether a transition changes the truth of a location that is asked about.
    pub(super) fn sees_move_of(&self, transition: &Transition) -> bool {
        let crosses =
            |&(p, l): &(ProcId, LocId)| transition.moves.iter().any(|m| m.process == p && (m.from == l) != (m.to == l));
        self.sees.iter().any(crosses)
    }
}

/// The cells that an assignment may write.
pub(super) fn may_write(program: &Program, assign: &Assign) -> Vec<usize> {
    let cells = program.cells_of(assign.var);
    match assign.index.map(|index| program.terms.node(index)) {
        Some(Node::Int(index)) => usize::try_from(index).ok().and_then(|i| cells.clone().nth(i)).into_iter().collect(),
        _ => cells.collect(),
    }
}

/// The locations that a term asks about.
pub(super) fn locations_seen(terms: &Terms, term: Term) -> Vec<(ProcId, LocId)> {
    let (mut found, mut waiting, mut seen) = (Vec::new(), vec![term], FxHashSet::default());
    while let Some(term) = waiting.pop() {
        match terms.node(term) {
            _ if !seen.insert(term) => {}
            Node::At(process, location) => found.push((process, location)),
            _ => waiting.extend(terms.children(term)),
        }
    }
    found
}

/// The conjuncts of a formula, from left to right.
pub(super) fn conjuncts(terms: &Terms, formula: Term) -> Vec<Term> {
    match terms.node(formula) {
        Node::Binary(BinOp::And, a, b) => [conjuncts(terms, a), conjuncts(terms, b)].concat(),
        _ => vec![formula],
    }
}

fn sorted(cells: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut cells: Vec<usize> = cells.collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn meet(a: &[usize], b: &[usize]) -> bool {
    a.iter().any(|cell| b.binary_search(cell).is_ok())
}
