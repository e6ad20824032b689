//! What may be chosen: each field is a strategy, the paper's choice beside what pays today.

use clinch_smt::ItpConfig;
use clinch_terms::Symbol;

use crate::share::Fact;

/// How the engine works.
#[derive(Clone, Debug)]
pub struct Config {
    /// How much of a program is one step.
    pub blocks: BlockSize,
    /// Which node is processed next.
    pub order: Order,
    /// How precise successors are.
    pub abstraction: Abstraction,
    /// Where predicates hold good.
    pub scope: Scope,
    /// Where predicates come from.
    pub focus: Focus,
    /// Which part of a spurious counterexample is looked at.
    pub part: Part,
    /// What becomes of the subtree of a pivot node.
    pub subtree: Subtree,
    /// What of an interpolant becomes a predicate.
    pub grain: Grain,
    /// Whether an equation between numbers becomes two inequalities, of which one may survive alone.
    pub split_equations: bool,
    /// Which variables' values may be control.
    pub values: Values,
    /// What is known without abstraction.
    pub data_flow: DataFlow,
    /// Variables whose values are control from the beginning, if any may be: what an earlier run came to ([`Stats::tracked_variables`]).
    ///
    /// [`Stats::tracked_variables`]: super::Stats::tracked_variables
    pub track: Vec<Symbol>,
    /// What other engines found out so far.
    pub facts: Vec<Fact>,
    /// How interpolants are found.
    pub interpolation: ItpConfig,
    /// How many nodes of the tree are drawn at the end.
    pub draw: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            blocks: BlockSize::Loops,
            order: Order::ReversePostOrder,
            abstraction: Abstraction::CartesianThenBoolean,
            scope: Scope::Location,
            focus: Focus::Interpolants,
            part: Part::FromPivot,
            subtree: Subtree::Remove,
            grain: Grain::AtomsThenConjuncts,
            split_equations: true,
            values: Values::Control,
            data_flow: DataFlow::Intervals,
            track: Vec::new(),
            facts: Vec::new(),
            // Blocks are large formulas: each attempt to do without a part of one takes long.
            interpolation: ItpConfig { minimise: 4, ..ItpConfig::default() },
            draw: 0,
        }
    }
}

impl Config {
    /// Whether there are few labels, with many questions about each. Places with values are many.
    pub(super) fn has_few_labels(&self) -> bool {
        self.blocks == BlockSize::Loops && self.values == Values::None
    }

    /// The configuration of the paper (`--preset blast`).
    pub fn blast() -> Self {
        Config {
            blocks: BlockSize::Basic,
            order: Order::DepthFirst,
            abstraction: Abstraction::CartesianThenBoolean,
            scope: Scope::Subtree,
            focus: Focus::Core,
            part: Part::FromPivot,
            subtree: Subtree::Remove,
            grain: Grain::Atoms,
            split_equations: false,
            values: Values::None,
            data_flow: DataFlow::None,
            ..Config::default()
        }
    }
}

/// How much of a program is one step of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockSize {
    /// One edge of a control-flow automaton.
    Edge,
    /// A basic block, or a branch with the basic block behind it: what the paper's automata have on their edges.
    Basic,
    /// Everything up to the next loop head: large-block encoding. Abstraction is then computed at loop heads only.
    Loops,
}

/// Which unmarked node is processed next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The newest, as in the paper.
    DepthFirst,
    /// The oldest.
    BreadthFirst,
    /// The first in reverse post-order of the control-flow automata: what comes before a loop's end is done before what
    /// comes behind it.
    ReversePostOrder,
    /// The oldest; but a node whose region contains that of another one at its control point goes before what waits below that one
    /// \[Subsumer\].
    SubsumerFirst,
}

/// How abstract successors are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// The strongest conjunction of predicates and their negations ([Lazy, 3.2]).
    Cartesian,
    /// The strongest Boolean combination of predicates, by enumeration of models.
    Boolean,
    /// Conjunctions, until the predicates of a counterexample are all there and it comes back.
    CartesianThenBoolean,
}

/// Where a new predicate is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// In the whole subtree of the pivot node ([Lazy, 4.2]).
    Subtree,
    /// At the control point it was found for.
    Location,
}

/// Where the predicates of a refinement come from: the focus operator ([Lazy, 5.3]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Focus {
    /// The atoms of the contradictory part of the path formula, primes dropped.
    Core,
    /// The atoms of checked sequence interpolants.
    Interpolants,
}

/// Which part of a spurious counterexample is refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// All of it.
    WholePath,
    /// What comes after the pivot node, from the region of that node.
    FromPivot,
}

/// What becomes of the subtree of a pivot node: `keep_subtree` of algorithm 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subtree {
    /// It is built anew.
    Remove,
    /// Only the path to the error is labelled anew.
    Keep,
}

/// Which variables are tracked by value where refinement finds that they matter: nodes then have their values beside the control
/// point, as explicit-value analyses do, and predicates are for the rest. With large blocks only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// None.
    None,
    /// Variables and memory cells that are assigned constants and copies of such.
    Control,
    /// All, counters included, until they take too many values.
    All,
}

/// Cheap invariants from a data-flow pass, which regions have from the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataFlow {
    /// None.
    None,
    /// Constants and bounds of variables at loop heads, wrap-around respected.
    Intervals,
}

/// What of an interpolant becomes a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Its atoms: few different ones, but only Boolean successors are sure to have the interpolant.
    Atoms,
    /// Its conjuncts, whole: Cartesian successors have all of it.
    Conjuncts,
    /// Atoms, and conjuncts where a counterexample comes back.
    AtomsThenConjuncts,
}
