//! How the cells of memory are read: as most of the program reads them.
//!
//! C knows types of accesses, not of memory. A reading that does not suit an access costs a case distinction there, never the meaning.

use clinch_ir::cfa::{Assign, CfaProgram, Op, Target};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// Which number bits stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum View {
    /// Two's complement.
    Signed,
    /// Not negative.
    Unsigned,
}

/// The array variable that an array is made from.
pub(super) fn region_of(terms: &Terms, array: Term) -> Option<Symbol> {
    match terms.node(array) {
        Node::Symbol(symbol) => Some(symbol),
        Node::Store(inner, ..) => region_of(terms, inner),
        Node::Ite(_, a, b) => region_of(terms, a).or_else(|| region_of(terms, b)),
        _ => None,
    }
}

/// The view of each region's cells that suits most accesses; `variables` are those of scalars.
pub(super) fn views_of_regions(program: &CfaProgram, variables: &FxHashMap<Symbol, View>) -> FxHashMap<Symbol, View> {
    let mut votes = Votes { terms: &program.terms, variables, balance: FxHashMap::default() };
    for term in program.terms.all_terms() {
        votes.of_term(term);
    }
    for edge in program.procedures.iter().flat_map(|p| &p.edges) {
        match &edge.op {
            Op::Assign(assigns) => assigns.iter().for_each(|assign| votes.of_assignment(assign)),
            Op::Free(address) | Op::BlockSize(_, address) => votes.of_address(*address),
            _ => {}
        }
    }
    let balance = votes.balance;
    let view = |region: Symbol| match balance.get(&region) {
        Some(1..) => View::Unsigned,
        _ => View::Signed,
    };
    program.regions.iter().map(|region| (region.symbol, view(region.symbol))).collect()
}

struct Votes<'a> {
    terms: &'a Terms,
    variables: &'a FxHashMap<Symbol, View>,
    /// Accesses to a region that read bits as unsigned, less those that read them as signed.
    balance: FxHashMap<Symbol, i64>,
}

impl Votes<'_> {
    fn of_term(&mut self, term: Term) {
        match self.terms.node(term) {
            Node::Extend { signed, of, .. } => self.vote(of, if signed { View::Signed } else { View::Unsigned }),
            Node::Binary(op, a, b) if op.compares_bit_vectors() => {
                let signed = matches!(op, BinOp::BvSlt | BinOp::BvSle);
                [a, b].into_iter().for_each(|side| self.vote(side, if signed { View::Signed } else { View::Unsigned }));
            }
            Node::Binary(BinOp::BvUdiv | BinOp::BvUrem | BinOp::BvLshr, a, _) => self.vote(a, View::Unsigned),
            Node::Binary(BinOp::BvSdiv | BinOp::BvSrem | BinOp::BvAshr, a, _) => self.vote(a, View::Signed),
            Node::Binary(BinOp::Eq, a, b) => {
                for (read, other) in [(a, b), (b, a)] {
                    self.as_the_other(read, other);
                }
            }
            Node::Binary(BinOp::Select, _, address) => self.of_address(address),
            _ => {}
        }
    }

    fn of_assignment(&mut self, assign: &Assign) {
        match assign.target {
            Target::Var(symbol) => {
                if let Some(&view) = self.variables.get(&symbol) {
                    self.vote(assign.value, view);
                }
            }
            Target::Cell(region, address) => {
                self.of_address(address);
                if let Some(view) = self.view_of(assign.value) {
                    self.count(region, view);
                }
            }
        }
    }

    /// Addresses are not negative, and neither is what they are computed from.
    fn of_address(&mut self, address: Term) {
        match self.terms.node(address) {
            Node::Binary(BinOp::BvAdd | BinOp::BvSub, base, _) => self.of_address(base),
            _ => self.vote(address, View::Unsigned),
        }
    }

    /// What is compared with a variable is best read as that is.
    fn as_the_other(&mut self, read: Term, other: Term) {
        if let Some(view) = self.view_of(other) {
            self.vote(read, view);
        }
    }

    /// The view of a variable, or of a number that is negative in one of them.
    fn view_of(&self, term: Term) -> Option<View> {
        match self.terms.node(term) {
            Node::Symbol(symbol) => self.variables.get(&symbol).copied(),
            Node::Extend { signed, .. } => signed.then_some(View::Signed),
            Node::BitVec(width, bits) => (bits >> (width - 1) & 1 == 1).then_some(View::Signed),
            _ => None,
        }
    }

    fn vote(&mut self, read: Term, view: View) {
        if let Node::Binary(BinOp::Select, array, _) = self.terms.node(read)
            && let Some(region) = region_of(self.terms, array)
        {
            self.count(region, view);
        }
    }

    fn count(&mut self, region: Symbol, view: View) {
        *self.balance.entry(region).or_default() += if view == View::Unsigned { 1 } else { -1 };
    }
}
