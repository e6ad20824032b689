//! A step as formulas, over the values before it.

use clinch_terms::{Symbol, Term, Terms};

/// What a step does. `V` says what it writes, the variables of processes or those of procedures; `O` what is open in it.
#[derive(Clone, Debug)]
pub struct Effect<V = Symbol, O = Symbol> {
    /// When the step may be taken.
    pub guard: Term,
    /// What it writes, with the values afterwards.
    pub updates: Vec<(V, Term)>,
    /// What is open: inputs, and the contents of fresh memory.
    pub open: Vec<O>,
}

impl<V: Copy + Eq, O> Effect<V, O> {
    /// A step that may always be taken, and leaves nothing open.
    pub fn of_updates(terms: &mut Terms, updates: Vec<(V, Term)>) -> Self {
        Effect { guard: terms.tt(), updates, open: Vec::new() }
    }

    /// What a variable is after the step, if that writes it.
    pub fn value_of(&self, variable: V) -> Option<Term> {
        self.updates.iter().find(|u| u.0 == variable).map(|u| u.1)
    }
}
