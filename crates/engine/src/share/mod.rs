//! What engines tell each other about a program with procedures.
//!
//! Engines that look for an answer together run in processes of their own, on one program. What one finds out may save another one
//! work: it tells a [`Known`] fact through its [`Observer`](crate::Observer), and hears those of the others there, each with the
//! name of the engine it comes from. Facts are about the program as it was read, in exact machine arithmetic, whatever encoding
//! the engine that tells them works in.
//!
//! **Soundness.** Facts are hints. A proof that uses one has to establish it again, for `certify` sees the program and the proof and
//! nothing else; so a fact that is wrong, late or missing may cost time, never a verdict.

mod learned;
mod quota;
#[cfg(test)]
mod tests;

use clinch_analyses::intervals::is_trivial;
use clinch_ir::cfa::{CfaProgram, Op, ProcedureId};
use clinch_terms::{LocId, Portable, Symbol, Term, Terms};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

pub use learned::{Concrete, Learned};
pub use quota::Quota;

/// Parts of a formula that is told, at most.
pub const MAX_PARTS: usize = 200;
/// Facts that one engine tells, at most.
pub const MAX_FACTS: usize = 2_000;
/// States that one engine tells of one location, at most.
pub const MAX_STATES: usize = 200;
/// Globals whose values are part of a state: a program may have thousands of constants.
const MAX_GLOBALS: usize = 40;

/// What was told, and by whom.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fact {
    /// The engine that established it.
    pub from: String,
    /// What it established.
    pub what: Known,
}

/// A location of a procedure. What is said of it is said of all calls of the procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The location in it.
    pub location: LocId,
}

/// Something about a program. Formulas are over the program's symbols; symbols by themselves are positions in its store.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Known {
    /// Holds whenever a run is at the place: proved in exact machine arithmetic, over variables of the procedure and globals.
    Invariant {
        /// Where.
        at: Place,
        /// What holds.
        formula: Portable,
    },
    /// May hold whenever a run is at the place: part of a proof that was not accepted, or a guess.
    Candidate {
        /// Where.
        at: Place,
        /// What may hold.
        formula: Portable,
    },
    /// Is worth asking about in a procedure, at one of its locations or everywhere.
    Predicate {
        /// The procedure.
        procedure: ProcedureId,
        /// The location, if it is bound to one.
        location: Option<LocId>,
        /// What may be asked.
        formula: Portable,
    },
    /// No run within these bounds reaches an error: what is left to say where there is no verdict.
    NoErrorWithin(Bounds),
    /// A run was at the place with these values (positions of symbols, with their bits). Variables that do not matter are left out.
    State {
        /// Where.
        at: Place,
        /// Its values.
        values: Vec<(u32, u64)>,
    },
    /// The values of these variables decide where runs go.
    Control(Vec<u32>),
}

/// What a formula is good for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It may always hold.
    Candidate,
    /// It is worth asking about.
    Predicate,
}

/// How often things are repeated.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// For all that is not listed.
    pub default: u32,
    /// For these loops and procedures.
    pub of: Vec<(Repeated, u32)>,
}

/// What can be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Repeated {
    /// The loop with this head: how often runs come back to it before they leave the loop.
    Loop(Place),
    /// Calls of a procedure that is active already.
    Call(ProcedureId),
}

impl Bounds {
    /// So often at least is everything repeated.
    pub fn least(&self) -> u32 {
        self.of.iter().map(|(_, bound)| *bound).fold(self.default, u32::min)
    }
}

impl Known {
    /// An invariant, if it can be told: its formula is small, and over variables that have a value at the place.
    pub fn invariant(program: &CfaProgram, terms: &Terms, at: Place, formula: Term) -> Option<Known> {
        let formula = portable(program, terms, formula)?;
        let in_scope = formula.symbols().all(|s| is_in_scope(program, at.procedure, s));
        in_scope.then_some(Known::Invariant { at, formula })
    }

    /// A candidate for an invariant, if it can be told.
    pub fn candidate(program: &CfaProgram, terms: &Terms, at: Place, formula: Term) -> Option<Known> {
        portable(program, terms, formula).map(|formula| Known::Candidate { at, formula })
    }

    /// A predicate for a location, if it can be told.
    pub fn predicate(program: &CfaProgram, terms: &Terms, at: Place, formula: Term) -> Option<Known> {
        let (procedure, location) = (at.procedure, Some(at.location));
        portable(program, terms, formula).map(|formula| Known::Predicate { procedure, location, formula })
    }

    /// A formula with its standing, if it can be told.
    pub fn of_standing(
        program: &CfaProgram,
        terms: &Terms,
        at: Place,
        formula: Term,
        standing: Standing,
    ) -> Option<Known> {
        match standing {
            Standing::Candidate => Known::candidate(program, terms, at, formula),
            Standing::Predicate => Known::predicate(program, terms, at, formula),
        }
    }

    /// That the values of variables are control.
    pub fn control(program: &CfaProgram, variables: &[Symbol]) -> Option<Known> {
        let own = variables.iter().map(|v| v.index()).filter(|&v| v < program.terms.symbol_count());
        let own: Vec<u32> = own.filter_map(|v| u32::try_from(v).ok()).collect();
        (!own.is_empty()).then_some(Known::Control(own))
    }
}

/// A formula of a store that extends the program's, unless it is large or about symbols that the program does not have.
fn portable(program: &CfaProgram, terms: &Terms, formula: Term) -> Option<Portable> {
    let written = Portable::write(terms, formula, MAX_PARTS)?;
    let own = written.symbols().all(|symbol| symbol < program.terms.symbol_count());
    // What holds of all values, as bounds of machine integers do that were found in unbounded ones, helps nobody.
    (own && !is_trivial(terms, formula)).then_some(written)
}

/// Whether a symbol, by position, is a variable of the procedure, a global or a region.
fn is_in_scope(program: &CfaProgram, procedure: ProcedureId, symbol: usize) -> bool {
    let of = program.procedure(procedure);
    let own = of.params.iter().chain(&of.locals).copied();
    let regions = program.regions.iter().map(|r| r.symbol);
    own.chain(program.globals.iter().map(|g| g.symbol)).chain(regions).any(|s| s.index() == symbol)
}

/// Globals that something depends on, those of conditions first, and not too many of them.
pub(crate) fn globals_read(program: &CfaProgram) -> FxHashSet<Symbol> {
    let edges = || program.procedures.iter().flat_map(|p| &p.edges);
    let conditions = edges().filter(|e| matches!(e.op, Op::Assume(_)));
    let read = conditions.chain(edges()).flat_map(|e| e.op.reads(&program.terms));
    let globals: FxHashSet<Symbol> = program.globals.iter().map(|g| g.symbol).collect();
    let mut found = FxHashSet::default();
    for symbol in read.filter(|s| globals.contains(s)) {
        if found.len() < MAX_GLOBALS {
            found.insert(symbol);
        }
    }
    found
}
