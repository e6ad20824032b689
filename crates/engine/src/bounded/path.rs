//! Path conditions: what was decided on the way to a state, decision by decision.
//!
//! They are kept as a tree, so that two states that meet know where they parted: only what was decided since then
//! distinguishes them.

use clinch_terms::fold::{Folder, are_opposite};
use clinch_terms::{BinOp, Node, Term, Terms};
use rustc_hash::FxHashMap;

/// A path condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PathId(u32);

/// Nothing was decided.
pub(super) const ROOT: PathId = PathId(0);

/// How far back a condition is looked for among those that hold.
const BACK: usize = 64;

struct Decision {
    before: PathId,
    literal: Term,
    depth: u32,
    /// The conjunction of everything up to here.
    condition: Term,
}

/// All path conditions.
pub(super) struct Paths {
    decisions: Vec<Decision>,
    index: FxHashMap<(PathId, Term), PathId>,
}

/// How two paths meet.
pub(super) struct Meeting {
    /// What holds on either.
    pub(super) path: PathId,
    /// Holds on the second one and not on the first.
    pub(super) second: Term,
}

impl Paths {
    pub(super) fn new(terms: &mut Terms) -> Self {
        let tt = terms.tt();
        let root = Decision { before: ROOT, literal: tt, depth: 0, condition: tt };
        Paths { decisions: vec![root], index: FxHashMap::default() }
    }

    fn get(&self, path: PathId) -> &Decision {
        &self.decisions[path.0 as usize]
    }

    /// The whole condition.
    pub(super) fn condition(&self, path: PathId) -> Term {
        self.get(path).condition
    }

    /// A path with one more decision; none if it contradicts the others.
    pub(super) fn decide(&mut self, terms: &mut Terms, path: PathId, literal: Term) -> Option<PathId> {
        match terms.node(literal) {
            Node::Bool(true) => return Some(path),
            Node::Bool(false) => return None,
            Node::Binary(BinOp::And, a, b) => {
                let path = self.decide(terms, path, a)?;
                return self.decide(terms, path, b);
            }
            _ => {}
        }
        let mut at = path;
        for _ in 0..BACK {
            let decision = self.get(at);
            if decision.literal == literal {
                return Some(path);
            }
            if are_opposite(terms, decision.literal, literal) {
                return None;
            }
            if at == ROOT {
                break;
            }
            at = decision.before;
        }
        if let Some(&known) = self.index.get(&(path, literal)) {
            return Some(known);
        }
        let before = self.get(path);
        let (depth, so_far) = (before.depth + 1, before.condition);
        let condition = terms.and(so_far, literal);
        let id = PathId(u32::try_from(self.decisions.len()).expect("fewer than 2^32 decisions"));
        self.decisions.push(Decision { before: path, literal, depth, condition });
        self.index.insert((path, literal), id);
        Some(id)
    }

    /// How many decisions two paths share.
    pub(super) fn common_depth(&self, a: PathId, b: PathId) -> u32 {
        self.get(self.common(a, b)).depth
    }

    fn common(&self, mut a: PathId, mut b: PathId) -> PathId {
        while a != b {
            let (x, y) = (self.get(a), self.get(b));
            if x.depth >= y.depth {
                a = x.before;
            }
            if y.depth >= x.depth {
                b = y.before;
            }
        }
        a
    }

    /// The decisions after `from`, the first one first.
    fn since(&self, from: PathId, mut to: PathId) -> Vec<Term> {
        let mut literals = Vec::new();
        while to != from {
            literals.push(self.get(to).literal);
            to = self.get(to).before;
        }
        literals.reverse();
        literals
    }

    /// Two paths of which at most one is taken, as one.
    pub(super) fn meet(&mut self, terms: &mut Terms, folder: &mut Folder, a: PathId, b: PathId) -> Meeting {
        let common = self.common(a, b);
        let (first, second) = (self.since(common, a), self.since(common, b));
        let (either, chosen) = match (first.split_first(), second.split_first()) {
            (Some((x, more)), Some((y, others))) if are_opposite(terms, *x, *y) => {
                let (more, others) = (conjunction(terms, folder, more), conjunction(terms, folder, others));
                (folder.ite(terms, *y, others, more), *y)
            }
            _ => {
                let short = second.len() <= first.len();
                let (one, other) = (conjunction(terms, folder, &first), conjunction(terms, folder, &second));
                let chosen = if short { other } else { folder.not(terms, one) };
                (folder.or(terms, one, other), chosen)
            }
        };
        // A contradiction here means that neither is taken; then any path will do.
        let path = self.decide(terms, common, either).unwrap_or(a);
        Meeting { path, second: chosen }
    }
}

fn conjunction(terms: &mut Terms, folder: &mut Folder, literals: &[Term]) -> Term {
    let tt = terms.tt();
    literals.iter().fold(tt, |all, &literal| folder.and(terms, all, literal))
}
