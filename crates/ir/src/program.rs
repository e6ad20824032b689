//! Programs: processes over shared variables, interleaved.
//!
//! A process is a control-flow automaton. A [`Transition`] moves no process (a global guarded command), one, or two
//! (a rendezvous). Program counters are *control*: part of the state, never abstracted.

use std::sync::Arc;

use clinch_terms::{LocId, ProcId, Term, Terms, VarId};

clinch_terms::index_type! {
    /// A transition of a program.
    TransId
}

/// A stretch of the source text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The text a program was read from.
#[derive(Clone, Debug)]
pub struct Source {
    /// File name as the user gave it.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// Line and column, both from 1, of a byte offset. Columns count characters.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let before = &self.text.as_bytes()[..self.text.len().min(offset as usize)];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        (line, column)
    }
}

/// The values a scalar, or an element of an array, may hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// False and true.
    Bool,
    /// All integers.
    Unbounded,
    /// The integers from `lo` to `hi`, both included.
    Range {
        /// Smallest value.
        lo: i64,
        /// Largest value.
        hi: i64,
    },
    /// Names, standing for 0, 1, 2, ...
    Enum(Arc<[String]>),
}

impl Domain {
    /// Smallest and largest value, `None` for all integers.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Domain::Bool => Some((0, 1)),
            Domain::Unbounded => None,
            Domain::Range { lo, hi } => Some((*lo, *hi)),
            Domain::Enum(names) => Some((0, names.len() as i64 - 1)),
        }
    }

    /// Whether the value belongs to the domain.
    pub fn contains(&self, value: i64) -> bool {
        self.bounds().is_none_or(|(lo, hi)| lo <= value && value <= hi)
    }
}

/// Where a variable starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Init {
    /// At this value.
    Value(i64),
    /// Anywhere in its domain.
    Any,
}

/// A variable: a scalar or an array of constant size.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name in the source, qualified by its process where it is local (`Phil[0].fork`).
    pub name: String,
    /// Values of the scalar or of each element.
    pub domain: Domain,
    /// Number of elements, `None` for a scalar.
    pub len: Option<u32>,
    /// Initial value of the scalar, or of each element.
    pub init: Vec<Init>,
    /// Position of its first cell in a [`State`](crate::State).
    pub first_cell: u32,
}

impl Variable {
    /// How many cells of the state it takes.
    pub fn cells(&self) -> u32 {
        self.len.unwrap_or(1)
    }
}

/// A process: names of its locations, and where it starts.
#[derive(Clone, Debug)]
pub struct Process {
    /// Name, with parameters if it is an instance of a template.
    pub name: String,
    /// Names of its locations.
    pub locations: Vec<String>,
    /// Initial location.
    pub initial: LocId,
}

/// One process's part in a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The process that moves.
    pub process: ProcId,
    /// Where it must be.
    pub from: LocId,
    /// Where it is afterwards.
    pub to: LocId,
}

/// What is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rhs {
    /// The value of a term.
    Term(Term),
    /// Any value of the target's domain.
    Input,
}

/// One assignment.
#[derive(Clone, Copy, Debug)]
pub struct Assign {
    /// The variable written.
    pub var: VarId,
    /// Which element, for an array.
    pub index: Option<Term>,
    /// The new value.
    pub value: Rhs,
}

/// A guarded command, possibly bound to locations of processes.
#[derive(Clone, Debug)]
pub struct Transition {
    /// How it is called in traces.
    pub name: String,
    /// The processes that move: none, one, or two that meet.
    pub moves: Vec<Move>,
    /// When it may be taken. Evaluated in the state before.
    pub guard: Term,
    /// Blocks executed one after the other; the assignments of a block happen at once, all reading the state before the block.
    pub blocks: Vec<Vec<Assign>>,
    /// Where it stands in the source.
    pub span: Span,
}

impl Transition {
    /// All assignments, in order.
    pub fn assigns(&self) -> impl Iterator<Item = &Assign> {
        self.blocks.iter().flatten()
    }

    /// The assignments from inputs, in order: a step lists one value for each.
    pub fn inputs(&self) -> impl Iterator<Item = &Assign> {
        self.assigns().filter(|a| a.value == Rhs::Input)
    }
}

/// What must not be reachable.
#[derive(Clone, Debug, Default)]
pub struct Property {
    /// States that satisfy this term, or in which it has no value, are errors. It may speak about variables and locations.
    pub error: Option<Term>,
    /// States without successor are errors.
    pub deadlock: bool,
}

/// A program and its property.
#[derive(Clone, Debug)]
pub struct Program {
    /// All terms used below.
    pub terms: Terms,
    /// The variables.
    pub vars: Vec<Variable>,
    /// The processes.
    pub processes: Vec<Process>,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// What is an error. Besides, a run-time fault ([`crate::definedness`]) always is one.
    pub property: Property,
    /// Predicates the user suggests to start from.
    pub predicates: Vec<Term>,
    /// The text it came from.
    pub source: Source,
    /// How terms are printed.
    pub syntax: Syntax,
}

/// The concrete syntax in which a program's terms are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// Guarded commands.
    Gcl,
    /// DiVinE.
    Dve,
    /// ARMC's Prolog.
    Armc,
}

impl Program {
    /// An empty program read from `source`.
    pub fn new(source: Source, syntax: Syntax) -> Self {
        Program {
            terms: Terms::new(),
            vars: Vec::new(),
            processes: Vec::new(),
            transitions: Vec::new(),
            property: Property::default(),
            predicates: Vec::new(),
            source,
            syntax,
        }
    }

    /// Adds a variable; `init` has one entry per cell.
    pub fn add_var(&mut self, name: String, domain: Domain, len: Option<u32>, init: Vec<Init>) -> VarId {
        let first_cell = self.vars.last().map_or(0, |v| v.first_cell + v.cells());
        let var = Variable { name, domain, len, init, first_cell };
        assert_eq!(var.init.len(), var.cells() as usize, "one initial value per cell");
        self.vars.push(var);
        VarId::from_index(self.vars.len() - 1)
    }

    /// A variable's declaration.
    pub fn var(&self, var: VarId) -> &Variable {
        &self.vars[var.index()]
    }

    /// A transition.
    pub fn transition(&self, id: TransId) -> &Transition {
        &self.transitions[id.index()]
    }

    /// All transition ids, in order.
    pub fn transition_ids(&self) -> impl Iterator<Item = TransId> + use<> {
        (0..self.transitions.len()).map(TransId::from_index)
    }

    /// How many cells a state has.
    pub fn cell_count(&self) -> usize {
        self.vars.last().map_or(0, |v| (v.first_cell + v.cells()) as usize)
    }

    /// The domain of each cell, in order.
    pub fn cell_domains(&self) -> impl Iterator<Item = &Domain> {
        self.vars.iter().flat_map(|v| std::iter::repeat_n(&v.domain, v.cells() as usize))
    }

    /// The initial value of each cell, in order.
    pub fn cell_inits(&self) -> impl Iterator<Item = Init> {
        self.vars.iter().flat_map(|v| v.init.iter().copied())
    }

    /// The name of each cell, in order (`x`, or `a[2]`).
    pub fn cell_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.cell_count());
        for var in &self.vars {
            match var.len {
                None => names.push(var.name.clone()),
                Some(len) => names.extend((0..len).map(|i| format!("{}[{i}]", var.name))),
            }
        }
        names
    }

    /// The cells of a variable.
    pub fn cells_of(&self, var: VarId) -> std::ops::Range<usize> {
        let v = self.var(var);
        v.first_cell as usize..(v.first_cell + v.cells()) as usize
    }

    /// A value as the source language writes it.
    pub fn show_value(&self, domain: &Domain, value: i64) -> String {
        match (domain, self.syntax) {
            (Domain::Bool, Syntax::Gcl) => (value != 0).to_string(),
            (Domain::Enum(names), _) => match usize::try_from(value).ok().and_then(|i| names.get(i)) {
                Some(name) => name.clone(),
                None => value.to_string(),
            },
            _ => value.to_string(),
        }
    }
}
