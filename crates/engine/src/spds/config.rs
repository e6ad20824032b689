//! What can be chosen.

/// How the engine works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// The width to which integer variables are cut; the verdict is then about the program with such integers.
    pub int_bits: Option<u32>,
    /// Bits of dynamic memory for each kind of block. A program that may need more has no verdict.
    pub heap_bits: u32,
    /// What is refined by what.
    pub abstraction: Abstraction,
    /// Which interpolants become predicates.
    pub interpolants: Interpolants,
    /// What is kept weak where a call comes back.
    pub calls: Calls,
    /// Room for nodes of decision diagrams.
    pub nodes: usize,
    /// How many layers of the last search are drawn at the end.
    pub draw: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            int_bits: None,
            heap_bits: 1024,
            abstraction: Abstraction::Both,
            interpolants: Interpolants::Conciliated,
            calls: Calls::WeakCaller,
            nodes: 1 << 24,
            draw: 0,
        }
    }
}

/// How counterexamples are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// No abstraction: post* of the program itself, the baseline.
    None,
    /// Without abstraction and as [`Abstraction::Dag`], in turns that grow.
    Both,
    /// One counterexample is excluded at a time ([Spds, 4.1]).
    Single,
    /// A whole graph of counterexamples is excluded at a time ([Spds, 4.2]).
    Dag,
}

/// Which interpolant is taken between the strongest and the weakest one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpolants {
    /// The strongest ([Spds, 2.1]).
    Strongest,
    /// The weakest.
    Weakest,
    /// One over the greatest conciliating set ([Spds, figure 1]).
    Conciliated,
    /// One over a minimal conciliating set ([Spds, figure 2]).
    Minimal,
}

/// What is kept weak where a call comes back: `W_{m>}` and `W_{<f}` bound each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Calls {
    /// The condition `W_{m>}` on the caller, for the strongest effect of the procedure ([Spds, table 1]).
    WeakCaller,
    /// The effect `W_{<f}` of the procedure, for the strongest states of the caller: it says what is asked of the procedure,
    /// not what it did in this counterexample, and so holds for more calls.
    WeakEffect,
}
