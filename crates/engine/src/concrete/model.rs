//! A program compiled for concrete execution.
//!
//! States are packed ([`clinch_ir::Layout`]); an [`Expander`](super::Expander) unpacks one into *slots* (first the
//! locations, then the cells), evaluates guards and right-hand sides there, and patches the packed words.

use clinch_ir::layout::Field;
use clinch_ir::range::range;
use clinch_ir::{Assign, InputDomain, Interpreter, Layout, Program, Reason, Rhs, TransId, Transition};
use clinch_terms::{Node, Term, VarId};

use super::code::{Code, SlotMap};

/// A compiled assignment.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) target: Written,
    pub(super) value: Source,
    /// Bounds to check, where the value might leave the target's domain.
    pub(super) check: Option<(i64, i64)>,
}

#[derive(Debug)]
pub(super) enum Written {
    Slot(u32),
    Element { first: u32, len: u32, index: Code },
}

#[derive(Debug)]
pub(super) enum Source {
    Code(Code),
    Input,
}

/// A compiled transition.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) id: TransId,
    /// Other processes that must be at a location: slot and location. The first mover is known to be in place.
    pub(super) partners: Box<[(u32, i64)]>,
    pub(super) guard: Option<Code>,
    pub(super) blocks: Box<[Box<[Write]>]>,
    /// Slots of the moved processes and where they go.
    pub(super) moves: Box<[(u32, i64)]>,
    /// Bounds of each input.
    pub(super) inputs: Box<[(i64, i64)]>,
}

/// A program ready to run.
#[derive(Debug)]
pub struct Model<'p> {
    /// The program.
    pub program: &'p Program,
    /// How its states are packed.
    pub layout: Layout,
    /// Where its variables are when unpacked.
    pub slots: SlotMap,
    /// Every slot's field, in slot order.
    pub(super) fields: Vec<Field>,
    pub(super) transitions: Vec<Compiled>,
    /// For each process and location, the transitions that start there; a rendezvous is listed at its first mover.
    pub(super) by_location: Vec<Vec<Box<[u32]>>>,
    /// Transitions that move no process.
    pub(super) global: Box<[u32]>,
    /// The error condition, true where it has no value.
    pub(super) error: Option<Code>,
    /// Values for unbounded inputs.
    pub inputs: InputDomain,
    /// Whether `inputs` leaves out values, so that exhausting the model proves nothing.
    pub restricted: bool,
}

impl<'p> Model<'p> {
    /// Compiles a program. Fails where an input or initial value is unbounded and `inputs` names no values for it.
    pub fn new(program: &'p Program, inputs: InputDomain) -> Result<Self, Reason> {
        let slots = SlotMap::new(program);
        let layout = Layout::new(program);
        let fields = layout.locs.iter().chain(&layout.cells).copied().collect();
        let transitions = program.transition_ids().map(|id| compile(program, slots, inputs, id));
        let transitions = transitions.collect::<Result<Vec<_>, _>>()?;
        let (by_location, global) = index(program);
        let error = program.property.error.map(|error| {
            let mut terms = program.terms.clone();
            let holds = clinch_ir::definedness::violated(program, &mut terms, error);
            Code::new(program, &terms, &slots, holds)
        });
        let restricted = check_initial_inputs(program, inputs)? || has_unbounded_input(program);
        Ok(Model { program, layout, slots, fields, transitions, by_location, global, error, inputs, restricted })
    }

    /// Compiles a program whose inputs will be given step by step; none are enumerated.
    pub fn open(program: &'p Program) -> Result<Self, Reason> {
        let closed = Self::new(program, InputDomain(Some((0, 0))))?;
        Ok(Model { restricted: false, ..closed })
    }

    /// All initial states, packed.
    pub fn initial_states(&self) -> Vec<Box<[u64]>> {
        let mut states = Vec::new();
        Interpreter::new(self.program).for_each_initial(self.inputs, |state| {
            let mut words = vec![0; self.layout.words].into_boxed_slice();
            self.layout.pack(&state, &mut words);
            states.push(words);
        });
        states
    }

    /// Compiles a further scalar term, of a store that extends the program's.
    pub fn compile(&self, terms: &clinch_terms::Terms, term: Term) -> Code {
        Code::new(self.program, terms, &self.slots, term)
    }

    /// What a search that found no error may say.
    pub fn exhausted(&self) -> Option<Reason> {
        match self.inputs.0 {
            Some((lo, hi)) if self.restricted => Some(Reason::RestrictedInputs(lo, hi)),
            _ => None,
        }
    }
}

/// Whether some cell may start anywhere in an unbounded domain; an error if no values were chosen for it.
fn check_initial_inputs(program: &Program, inputs: InputDomain) -> Result<bool, Reason> {
    let mut restricted = false;
    for ((init, domain), name) in program.cell_inits().zip(program.cell_domains()).zip(program.cell_names()) {
        if init == clinch_ir::Init::Any && domain.bounds().is_none() {
            restricted = true;
            if inputs.0.is_none() {
                return Err(Reason::InfiniteInputs(format!("the initial value of {name}")));
            }
        }
    }
    Ok(restricted)
}

fn has_unbounded_input(program: &Program) -> bool {
    let mut inputs = program.transitions.iter().flat_map(Transition::inputs);
    inputs.any(|assign| program.var(assign.var).domain.bounds().is_none())
}

fn compile(program: &Program, slots: SlotMap, inputs: InputDomain, id: TransId) -> Result<Compiled, Reason> {
    let transition = program.transition(id);
    let input_bounds: Option<Box<[(i64, i64)]>> =
        transition.inputs().map(|a| inputs.bounds(&program.var(a.var).domain)).collect();
    let guard = (program.terms.node(transition.guard) != Node::Bool(true))
        .then(|| Code::new(program, &program.terms, &slots, transition.guard));
    let blocks = merged_blocks(program, &transition.blocks);
    Ok(Compiled {
        id,
        partners: transition.moves.iter().skip(1).map(|m| (slots.process(m.process), m.from.0.into())).collect(),
        guard,
        blocks: blocks.iter().map(|b| b.iter().map(|a| compile_assign(program, slots, a)).collect()).collect(),
        moves: transition
            .moves
            .iter()
            .filter(|m| m.from != m.to)
            .map(|m| (slots.process(m.process), m.to.0.into()))
            .collect(),
        inputs: input_bounds
            .ok_or_else(|| Reason::InfiniteInputs(format!("an input of transition {}", transition.name)))?,
    })
}

fn compile_assign(program: &Program, slots: SlotMap, assign: &Assign) -> Write {
    let var = program.var(assign.var);
    let code = |term| Code::new(program, &program.terms, &slots, term);
    let first = slots.cell(var.first_cell);
    let target = match assign.index {
        None => Written::Slot(first),
        Some(index) => match program.terms.node(index) {
            Node::Int(i) if (0..i64::from(var.cells())).contains(&i) => Written::Slot(first + i as u32),
            _ => Written::Element { first, len: var.cells(), index: code(index) },
        },
    };
    let (value, check) = match assign.value {
        Rhs::Input => (Source::Input, None),
        Rhs::Term(term) => {
            let bounds = var.domain.bounds();
            let possible = range(program, &program.terms, term);
            (Source::Code(code(term)), bounds.filter(|&(lo, hi)| !possible.within(lo, hi)))
        }
    };
    Write { target, value, check }
}

/// Sequential blocks, with those that do not read or write what earlier ones of the group wrote made one.
fn merged_blocks(program: &Program, blocks: &[Vec<Assign>]) -> Vec<Vec<Assign>> {
    let mut merged: Vec<Vec<Assign>> = Vec::new();
    let mut written: Vec<VarId> = Vec::new();
    for block in blocks {
        let touches = |a: &Assign| {
            let value = if let Rhs::Term(t) = a.value { Some(t) } else { None };
            let read = value.into_iter().chain(a.index).flat_map(|t| program.terms.vars(t));
            read.chain([a.var]).any(|v| written.contains(&v))
        };
        match merged.last_mut() {
            Some(last) if !block.iter().any(touches) => last.extend(block),
            _ => {
                merged.push(block.clone());
                written.clear();
            }
        }
        written.extend(block.iter().map(|a| a.var));
    }
    merged
}

type LocationIndex = Vec<Vec<Box<[u32]>>>;

fn index(program: &Program) -> (LocationIndex, Box<[u32]>) {
    let mut by_location: Vec<Vec<Vec<u32>>> =
        program.processes.iter().map(|p| vec![Vec::new(); p.locations.len()]).collect();
    let mut global = Vec::new();
    for (i, transition) in program.transitions.iter().enumerate() {
        match transition.moves.first() {
            Some(m) => by_location[m.process.index()][m.from.index()].push(i as u32),
            None => global.push(i as u32),
        }
    }
    let boxed = by_location.into_iter().map(|p| p.into_iter().map(Vec::into_boxed_slice).collect()).collect();
    (boxed, global.into())
}
