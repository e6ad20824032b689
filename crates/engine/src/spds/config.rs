//! What can be chosen.

/// How the engine works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Integer variables that are wider hold only so many bits: the program is another one then, and the verdict is about it.
    pub int_bits: Option<u32>,
    /// Bits of dynamic memory.
    pub heap_bits: u32,
    /// What is refined by what.
    pub abstraction: Abstraction,
    /// Which interpolants become predicates.
    pub interpolants: Interpolants,
    /// Room for nodes of decision diagrams.
    pub nodes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            int_bits: None,
            heap_bits: 256,
            abstraction: Abstraction::Both,
            interpolants: Interpolants::Conciliated,
            nodes: 1 << 24,
        }
    }
}

/// How counterexamples are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// No abstraction: post* of the program itself, the baseline.
    None,
    /// Without abstraction first, for a part of the time; then as [`Abstraction::Dag`].
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
