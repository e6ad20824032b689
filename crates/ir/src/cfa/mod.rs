//! Programs with procedures and memory: what C becomes.
//!
//! A [`CfaProgram`] is a set of procedures, each a control-flow automaton whose edges carry an [`Op`]. Its variables are
//! [`Symbol`]s of the term store: scalars (bit-vectors, or integers in the mathematical reading) and *regions*, the parts of
//! memory that no pointer can confuse, which are arrays from addresses to cells.
//!
//! **Determinism.** Of the edges that leave a location, at most one is enabled in any state: several edges out of one
//! location are all [`Op::Assume`]. Everything open is an [`Op::Input`] (or the contents of fresh memory), so a run is
//! determined by its inputs, and a list of input values is a counterexample.
//!
//! **Memory.** Concretely there is one flat memory of bytes, little-endian, in which objects live at addresses. A term
//! `select(region, address)` reads a cell of the region's width at that address; regions never overlap, which the pointer
//! analysis of the front end guarantees, so the symbolic reading may use one array for each. A *ghost* region is a table of its own, all zeros
//! at first, which no object is in. Reading or writing outside a
//! live object, or through a dangling pointer, is undefined behaviour: the machine stops there, the symbolic
//! reading goes on with any contents.

mod addresses;
pub mod blocks;
mod check;
pub mod effects;
mod liveness;
pub mod order;
mod partial;
pub mod print;
mod source;
pub mod unfold;
mod verdict;

use clinch_terms::{LocId, Sort, Symbol, Term, Terms, index_type};
use rustc_hash::FxHashMap;

use crate::program::Span;

pub use addresses::{Addresses, DYNAMIC_BASE, MOST_ON_STACK, OUTSIDE_MIDDLE, OUTSIDE_SIZE};
pub use check::{Check, Checks, Failure};
pub use liveness::Liveness;
pub use partial::{may_fail, partial_terms};
pub use print::{hexadecimal, show_c, show_c_in, show_float};
pub use source::{LineMarker, Place, SourceMap};
pub use verdict::{
    Bound, BoundCell, CfaProof, CfaVerdict, Induction, InductiveLoop, InputOrigin, InputTrace, InputValue, Invariants,
    ReachedStates, Summaries, SummaryPoint, Unrolling,
};

index_type! {
    /// A procedure of a program.
    ProcedureId
}
index_type! {
    /// An edge of one procedure.
    EdgeId
}
index_type! {
    /// An object with a fixed address.
    ObjectId
}
index_type! {
    /// A place in the program that takes an input.
    InputId
}

/// How integers are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Integers {
    /// Bit-vectors, as the machine has them.
    #[default]
    Machine,
    /// Unbounded, without wrap-around: variables and addresses have sort `Int`.
    Mathematical,
}

/// A program with procedures.
#[derive(Clone, Debug, Default)]
pub struct CfaProgram {
    /// All terms used below; variables are its symbols.
    pub terms: Terms,
    /// Bits of an address: 32 or 64.
    pub pointer_bits: u32,
    /// How integers are read.
    pub integers: Integers,
    /// Global scalars.
    pub globals: Vec<Global>,
    /// Regions of memory.
    pub regions: Vec<Region>,
    /// Objects with fixed addresses, ascending by address.
    pub objects: Vec<Object>,
    /// The procedures.
    pub procedures: Vec<Procedure>,
    /// Where a run starts: a procedure without parameters that initialises memory, calls `main` and exits.
    pub entry: ProcedureId,
    /// The places that take inputs.
    pub inputs: Vec<InputSite>,
    /// What people want to know about a variable.
    pub variables: FxHashMap<Symbol, VariableInfo>,
    /// Where the scalars of an object of a type are, by the C name of the type; `*` and the C name of a pointer type for what it
    /// points to. For people: what is not listed is shown as an address.
    pub layouts: FxHashMap<String, Vec<Member>>,
    /// What is accessed where a check of memory fails, by the location of the error. For people.
    pub accesses: FxHashMap<(ProcedureId, LocId), Access>,
    /// Whether there are objects where pointers from outside lead to. They have any contents, and addresses of their own
    /// ([`CfaProgram::outside_object`]); a run that comes to one by an input goes on.
    pub outside_is_valid: bool,
    /// What was assumed about the program and its environment, one sentence each.
    pub assumptions: Vec<String>,
    /// The text.
    pub source: SourceMap,
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where.
    pub address: Term,
    /// The start of the object that it is meant for, if that is known.
    pub base: Option<Term>,
    /// How many bytes; none for a block that is freed.
    pub bytes: Option<Term>,
}

/// A global scalar.
#[derive(Clone, Copy, Debug)]
pub struct Global {
    /// The variable.
    pub symbol: Symbol,
    /// A constant.
    pub init: Term,
}

/// A part of memory that no pointer confuses with another one: an array from addresses to cells.
#[derive(Clone, Debug)]
pub struct Region {
    /// The array variable: `(Array address cell)`.
    pub symbol: Symbol,
    /// Bytes of a cell: a power of two, at most 8. Cells start at the address of their first byte.
    pub cell_bytes: u32,
    /// Whether all objects in it are static, so that it starts as zeros.
    pub starts_zero: bool,
    /// For people: a variable or a member (`list.next`).
    pub name: String,
    /// Whether it is no part of memory but a table of the checks, which says something about addresses.
    pub ghost: bool,
}

/// What kind of object one with a fixed address is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A global or static: alive always, starts as zero bytes.
    Static,
    /// Where callers and a function hand over a record: as [`ObjectKind::Static`], without a name in the source.
    Handover,
    /// A string literal: alive always, not writable.
    Literal,
    /// A local of a procedure that cannot be active twice at a time: alive from [`Op::Enter`] to [`Op::Leave`].
    Local(ProcedureId),
}

/// An object with a fixed address.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name in the source.
    pub name: String,
    /// Where it starts.
    pub address: u64,
    /// How many bytes it has.
    pub size: u64,
    /// Its C type, where it has one.
    pub ty: String,
    /// How long it lives.
    pub kind: ObjectKind,
    /// For a literal: its bytes. Empty otherwise.
    pub bytes: Vec<u8>,
    /// For a variable: the regions that hold its cells.
    pub regions: Vec<Symbol>,
}

/// A scalar in an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Where it starts, in bytes.
    pub offset: u64,
    /// How C gets there: `.next`, `[2].count`, or nothing.
    pub path: String,
    /// Its C type.
    pub ty: String,
}

/// What people want to know about a variable.
#[derive(Clone, Debug)]
pub struct VariableInfo {
    /// Its name in the source.
    pub name: String,
    /// Its C type, as text.
    pub ty: String,
    /// Whether its bits are read as a signed number.
    pub signed: bool,
    /// Whether it is a pointer.
    pub pointer: bool,
    /// Made by the front end: not shown.
    pub hidden: bool,
}

/// Where an input comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// `__VERIFIER_nondet_X()`: the name of the function.
    Nondet(String),
    /// The result of a function without body.
    Extern(String),
    /// The first value of a local variable without initialiser.
    Uninitialised(String),
    /// A global that is an input.
    Environment(String),
    /// A parameter of the entry function.
    Parameter(String),
    /// A value that is not modelled (a floating-point result, ...). Any value is a sound reading; the machine, which
    /// needs the real one, carries it as *unknown* and stops where control or an address depends on it.
    Opaque(String),
    /// How many blocks of the heap nothing points to any more. Any number is a sound reading; the machine counts them.
    Lost,
}

/// A place that takes inputs.
#[derive(Clone, Debug)]
pub struct InputSite {
    /// Where the values come from.
    pub kind: InputKind,
    /// The C type of the value, as text.
    pub ty: String,
    /// Whether the value is shown as a signed number.
    pub signed: bool,
    /// Where it stands.
    pub span: Span,
}

/// A control-flow automaton.
#[derive(Clone, Debug, Default)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Variables that take the arguments.
    pub params: Vec<Symbol>,
    /// The other variables of a call, parameters excluded.
    pub locals: Vec<Symbol>,
    /// The variable that holds the result at [`Procedure::exit`]; one of the locals.
    pub result: Option<Symbol>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// Where a call starts.
    pub entry: LocId,
    /// Where a call ends; no edge leaves it.
    pub exit: LocId,
    /// The address of the function, where its address is taken.
    pub address: Option<u64>,
    /// Where it is declared.
    pub span: Span,
}

/// A location of a procedure.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// A label of the source.
    pub label: Option<String>,
    /// The statement that starts here.
    pub span: Span,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocId,
    /// Where it ends. An edge that ends the run goes to a location that nothing leaves.
    pub to: LocId,
    /// What it does.
    pub op: Op,
    /// Where it stands.
    pub span: Span,
}

/// What is assigned to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A scalar.
    Var(Symbol),
    /// A cell of memory: a region and an address.
    Cell(Symbol, Term),
}

/// One assignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Assign {
    /// What is written.
    pub target: Target,
    /// The new value.
    pub value: Term,
}

/// How long a block of memory lives that is allocated at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocKind {
    /// To the end of the call (`alloca`, arrays of variable length, addressed locals of recursive procedures).
    Stack,
    /// Until it is freed.
    Heap,
}

/// A formatted output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Print {
    /// The format, as `printf` reads it.
    pub format: Vec<u8>,
    /// Its arguments, after the default promotions. A `%s` takes an address.
    pub args: Vec<Term>,
    /// Whether it goes to the standard output (otherwise to the standard error, or nowhere).
    pub stdout: bool,
}

/// What an edge does. Terms are evaluated in the state before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Enabled only where the condition (of sort Bool) holds. Where no edge of a location is enabled the run ends, without
    /// error (`__VERIFIER_assume`).
    Assume(Term),
    /// Assignments at once, to distinct targets.
    Assign(Vec<Assign>),
    /// Any value of the variable's sort.
    Input(Symbol, InputId),
    /// A call.
    Call {
        /// Who is called.
        callee: ProcedureId,
        /// One for each parameter.
        args: Vec<Term>,
        /// Where the result goes.
        result: Option<Symbol>,
    },
    /// The end of the call: the edge goes to the exit. The value goes to [`Procedure::result`].
    Return(Option<Term>),
    /// The lifetime of a local object begins, with unknown contents.
    Enter(ObjectId),
    /// The lifetime of a local object ends.
    Leave(ObjectId),
    /// A fresh block of memory.
    Alloc {
        /// Takes its address.
        target: Symbol,
        /// How many bytes (a bit-vector of pointer width; unsigned).
        size: Term,
        /// How long it lives.
        kind: AllocKind,
        /// Whether it starts as zero bytes, or with unknown contents.
        zeroed: bool,
    },
    /// Ends the life of a heap block; a null pointer is ignored.
    Free(Term),
    /// The size in bytes of the heap block that starts at the address.
    BlockSize(Symbol, Term),
    /// Two addresses must belong to one object, for their order or distance is asked for next: that of different objects is
    /// undefined, and depends on where they happen to be.
    SameObject(Term, Term),
    /// Prints.
    Print(Print),
    /// The error: what the property forbids.
    Error(Failure),
    /// Ends the run with an exit status.
    Exit(Term),
    /// Ends the run by a signal.
    Abort,
    /// What comes here is not modelled: a verdict that depends on it is UNKNOWN, with this reason.
    Unsupported(String),
    /// Undefined behaviour (a call through a pointer that holds no suitable function, ...).
    Undefined(String),
}

impl CfaProgram {
    /// The variables that have a value at the start, with it; the others have any.
    pub fn initial_values(&self, terms: &mut Terms) -> Vec<(Symbol, Term)> {
        let mut values: Vec<(Symbol, Term)> = self.globals.iter().map(|g| (g.symbol, g.init)).collect();
        for region in self.regions.iter().filter(|r| r.starts_zero) {
            if let Sort::Array(of) = terms.symbol_sort(region.symbol).clone() {
                let zero = terms.zero(&of.1);
                values.push((region.symbol, terms.const_array(Sort::Array(of), zero)));
            }
        }
        values
    }

    /// A program for a 64-bit machine without procedures yet; the first one will be its entry.
    pub fn new(terms: Terms, source: SourceMap) -> Self {
        CfaProgram { terms, pointer_bits: 64, source, ..CfaProgram::default() }
    }

    /// A procedure.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// Whether it never asks for an input: then there is but one run.
    pub fn has_one_run(&self) -> bool {
        let is_own = |id: InputId| matches!(self.inputs[id.index()].kind, InputKind::Opaque(_) | InputKind::Lost);
        let mut edges = self.procedures.iter().flat_map(|p| &p.edges);
        !edges.any(|edge| matches!(edge.op, Op::Input(_, id) if !is_own(id)))
    }

    /// Whether some procedure may be active twice at a time.
    pub fn is_recursive(&self) -> bool {
        let callees = |procedure: &Procedure| -> Vec<usize> {
            let calls = procedure.edges.iter().filter_map(|e| match e.op {
                Op::Call { callee, .. } => Some(callee.index()),
                _ => None,
            });
            calls.collect()
        };
        let callees: Vec<Vec<usize>> = self.procedures.iter().map(callees).collect();
        // Procedures that call none but those taken away are taken away; what is left has a cycle.
        let mut left = vec![true; callees.len()];
        loop {
            let leaves = |p: usize| left[p] && callees[p].iter().all(|&c| !left[c]);
            let Some(leaf) = (0..callees.len()).find(|&p| leaves(p)) else { break };
            left[leaf] = false;
        }
        left.contains(&true)
    }

    /// The region an array variable stands for.
    pub fn region(&self, symbol: Symbol) -> Option<&Region> {
        self.regions.iter().find(|r| r.symbol == symbol)
    }
}

impl Procedure {
    /// A procedure with an entry and an exit, in this order, and nothing between them.
    pub fn new(name: impl Into<String>) -> Self {
        let locations = vec![Location::default(); 2];
        Procedure { name: name.into(), locations, exit: LocId(1), ..Procedure::default() }
    }

    /// The edges that leave each location, by their ids.
    pub fn successors(&self) -> Vec<Vec<EdgeId>> {
        let mut successors = vec![Vec::new(); self.locations.len()];
        for (i, edge) in self.edges.iter().enumerate() {
            successors[edge.from.index()].push(EdgeId::from_index(i));
        }
        successors
    }

    /// Which locations are heads of loops: every cycle goes through one. They are the targets of the edges that close a
    /// cycle in a depth-first walk from the entry.
    pub fn loop_heads(&self) -> Vec<bool> {
        let successors = self.successors();
        let mut heads = vec![false; self.locations.len()];
        let mut seen = vec![false; self.locations.len()];
        let mut active = vec![false; self.locations.len()];
        let mut path = vec![(self.entry, 0)];
        seen[self.entry.index()] = true;
        active[self.entry.index()] = true;
        while let Some((at, next)) = path.last_mut() {
            let Some(edge) = successors[at.index()].get(*next) else {
                active[at.index()] = false;
                path.pop();
                continue;
            };
            *next += 1;
            let to = self.edges[edge.index()].to;
            heads[to.index()] |= active[to.index()];
            if !seen[to.index()] {
                seen[to.index()] = true;
                active[to.index()] = true;
                path.push((to, 0));
            }
        }
        heads
    }
}
