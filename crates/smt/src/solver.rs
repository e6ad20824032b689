//! What engines ask of a solver.

use clinch_terms::{Term, Terms};

/// Result of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver gave up.
    Unknown,
}

/// An incremental solver over the variables of one program. All variables are known to be in their domains.
pub trait Solver {
    /// Starts a scope.
    fn push(&mut self);

    /// Forgets what was asserted since the matching `push`.
    fn pop(&mut self);

    /// Adds a Boolean term.
    fn assert(&mut self, terms: &Terms, term: Term);

    /// Is there a model of the assertions in which these terms have these truth values?
    fn check(&mut self, terms: &Terms, assumptions: &[(Term, bool)]) -> Answer;

    /// After `Sat`: the value of a scalar term in the model, if it fits in 64 bits.
    fn value(&mut self, terms: &Terms, term: Term) -> Option<i64>;

    /// After `Unsat`: positions of assumptions that already have no model together.
    fn core(&self) -> Vec<usize>;
}
