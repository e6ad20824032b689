//! Answers about programs with procedures, and their evidence.

use clinch_terms::{LocId, Symbol, Term, Terms};

use crate::answer::Answer;
use crate::cfa::unfold::Point;
use crate::cfa::{Failure, InputId, ProcedureId};
use crate::program::Span;

/// What an engine says of a program with procedures.
pub type CfaVerdict = Answer<CfaProof, InputTrace>;

/// A run that ends in an error. A program is deterministic but for its inputs, so these are all there is to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputTrace {
    /// The inputs, in the order in which the run asks for them.
    pub inputs: Vec<InputValue>,
    /// The error reached.
    pub error: Failure,
    /// Where it stands.
    pub span: Span,
}

/// Where an input of a run comes from.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum InputOrigin {
    /// An edge that takes an input.
    Site(InputId),
    /// The contents of memory that was not written before it is read: the name of the object.
    Memory(String),
}

/// One input of a run.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InputValue {
    /// Where it comes from.
    pub origin: InputOrigin,
    /// Its bits; for mathematical integers the number, in two's complement of 64 bits.
    pub bits: u64,
    /// How many bits it has.
    pub width: u32,
}

/// Why no error is reachable.
#[derive(Clone, Debug)]
pub enum CfaProof {
    /// All states in which a run asks for an input or passes a loop head, or a superset of them: the start leads into
    /// it, and from each of them every value of the input leads to another one or ends the run without error.
    Reached(ReachedStates),
    /// Formulas that hold whenever a run passes a point.
    Invariants(Invariants),
    /// Bounds that no run exceeds; no run within them reaches an error.
    Unrolled(Unrolling),
    /// Loops that are safe by induction over their last iterations; the others have bounds.
    Induction(Induction),
    /// Formulas that relate the values at a location to those with which its procedure was entered.
    Summaries(Summaries),
}

/// A proof by k-induction. Take the first moment at which a run does what it must not: it reaches an error, something without
/// verdict, or the head of a listed loop while the loop's invariant does not hold. Until then everything was well, in
/// particular in the last iterations of every listed loop around that moment. So it is enough to execute, of each of these loops,
/// the first iterations as they are, and then the last ones, of which nothing is known but that all was well before.
#[derive(Clone, Debug)]
pub struct Induction {
    /// The store of the formulas; it extends the program's.
    pub terms: Terms,
    /// The loops that are cut.
    pub loops: Vec<InductiveLoop>,
    /// How often what is left is repeated, at most.
    pub unrolling: Unrolling,
}

/// A loop that is cut in a proof by induction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InductiveLoop {
    /// Its procedure.
    pub procedure: ProcedureId,
    /// Its head.
    pub head: LocId,
    /// The *k*: iterations in which all was well, before one that is examined. At least 1.
    pub depth: u32,
    /// The most iterations that are executed as they are while runs have no choice.
    pub forced: u32,
    /// What holds whenever a run passes the head, over the program's variables.
    pub invariant: Term,
}

/// How often runs repeat things, at most.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unrolling {
    /// Loops, by procedure and head (see [`order`](super::order)): how often a run comes back to the head before it
    /// leaves the loop. To the head of a loop that is not listed no run comes back.
    pub loops: Vec<(ProcedureId, LocId, u32)>,
    /// Procedures that call themselves: how often each is active at a time. Those not listed are active once.
    pub calls: Vec<(ProcedureId, u32)>,
}

/// Procedure summaries: for each location a formula over the values now and those at the entry of the procedure. It holds
/// for every call, whatever calls wait, so that recursion needs no more than one for each location.
#[derive(Clone, Debug)]
pub struct Summaries {
    /// The store of the formulas; it extends the program's.
    pub terms: Terms,
    /// Variables (globals, regions, parameters) and the symbols that stand for their values at the entry.
    pub entries: Vec<(Symbol, Symbol)>,
    /// What is known at locations. What is not listed is not reached.
    pub points: Vec<SummaryPoint>,
    /// A hint: bits of variables (the lowest is 0) in an order in which decision diagrams of the formulas are small. Nothing
    /// depends on it but the time it takes to check the proof.
    pub order: Vec<(Symbol, u32)>,
    /// If given, this is about the program whose integer variables are cut to this width (`finite::narrow`).
    pub int_bits: Option<u32>,
    /// If given, this is about the program whose heap has this number of bits (`finite::bound_heap`).
    /// It shows as well that no run needs more.
    pub heap_bits: Option<u32>,
}

/// What is known at a location.
#[derive(Clone, Copy, Debug)]
pub struct SummaryPoint {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The location in it.
    pub location: LocId,
    /// Over variables and their values at the entry.
    pub formula: Term,
}

/// A formula for each cut point of the unfolding that can be reached: the start, the heads of loops, and others if a proof says more.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// The store of the formulas; it extends the program's.
    pub terms: Terms,
    /// Points and formulas over the program's variables. What is not listed is not reached.
    pub points: Vec<(Point, Term)>,
    /// A symbol that is no variable, if there is one: the formulas hold for all its values.
    pub bound: Option<Bound>,
}

/// A symbol for all of whose values a formula holds: a place in arrays.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The symbol.
    pub symbol: Symbol,
    /// Where that place is in memory.
    pub cells: Vec<BoundCell>,
}

/// The cell of a region at a place `k`: the one at address `stride * k + origin`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoundCell {
    /// The region.
    pub region: Symbol,
    /// The distance of two cells.
    pub stride: u32,
    /// The address of the cell at place 0.
    pub origin: i64,
}

/// A set of states of the machine, in its own encoding.
#[derive(Clone, Debug, Default)]
pub struct ReachedStates {
    /// The states, sorted.
    pub states: Vec<Box<[u8]>>,
}
