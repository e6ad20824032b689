//! Cells of a state that are written before they are read again: states that differ in those alone have the same future.

use clinch_terms::{BinOp, LocId, Node, ProcId, Term, Terms, VarId};
use rustc_hash::FxHashSet;

use crate::program::{Assign, Init, Program, Rhs, Transition};

/// For each process, the cells whose value does not matter while it is at a location.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dead {
    /// By process and location, ascending.
    at: Vec<Vec<Vec<usize>>>,
}

impl Dead {
    /// A claim that these are dead, by process and location.
    pub fn new(at: Vec<Vec<Vec<usize>>>) -> Self {
        Dead { at }
    }

    /// What is dead in a program: cells that only one process reads, where it writes them before it reads them.
    pub fn of(program: &Program) -> Self {
        let accesses: Vec<Accesses> = program.transitions.iter().map(|t| Accesses::of(program, t)).collect();
        let at = (0..program.processes.len()).map(|p| dead_of_process(program, &accesses, ProcId(p as u32)));
        Dead { at: at.collect() }
    }

    /// The cells whose value does not matter while a process is at a location.
    pub fn at(&self, process: ProcId, location: LocId) -> &[usize] {
        self.at.get(process.index()).and_then(|of| of.get(location.index())).map_or(&[], Vec::as_slice)
    }

    /// Whether every value matters everywhere.
    pub fn is_empty(&self) -> bool {
        self.at.iter().flatten().all(Vec::is_empty)
    }

    /// The program in which every transition also sets to the least value what is dead where it leads, and which starts so.
    pub fn forget(&self, program: &Program) -> Program {
        let mut forgetful = program.clone();
        for (p, process) in program.processes.iter().enumerate() {
            for &cell in self.at(ProcId(p as u32), process.initial) {
                let (var, index) = variable_at(program, cell);
                forgetful.vars[var.index()].init[index.unwrap_or(0) as usize] = Init::Value(least(program, var));
            }
        }
        for (transition, before) in forgetful.transitions.iter_mut().zip(&program.transitions) {
            let written = Accesses::of(program, before).writes;
            let was_dead = |cell: &usize| before.moves.iter().any(|m| self.at(m.process, m.from).contains(cell));
            let dead = before.moves.iter().flat_map(|m| self.at(m.process, m.to));
            let mut forgotten: Vec<usize> =
                dead.copied().filter(|cell| written.contains(cell) || !was_dead(cell)).collect();
            forgotten.sort_unstable();
            forgotten.dedup();
            let mut reset = |cell: usize| {
                let (var, index) = variable_at(program, cell);
                let index = index.map(|index| forgetful.terms.int(index));
                Assign { var, index, value: Rhs::Term(forgetful.terms.int(least(program, var))) }
            };
            let resets: Vec<Assign> = forgotten.into_iter().map(&mut reset).collect();
            if !resets.is_empty() {
                transition.blocks.push(resets);
            }
        }
        forgetful
    }
}

fn least(program: &Program, var: VarId) -> i64 {
    program.var(var).domain.bounds().map_or(0, |(least, _)| least)
}

/// The variable a cell belongs to, and which of its elements it is.
fn variable_at(program: &Program, cell: usize) -> (VarId, Option<i64>) {
    let var = program.vars.partition_point(|var| var.first_cell as usize <= cell) - 1;
    let index = program.vars[var].len.map(|_| cell as i64 - i64::from(program.vars[var].first_cell));
    (VarId(var as u32), index)
}

/// The cells that a transition reads before it wrote them, and those that it certainly writes, ascending.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Those it may read.
    pub reads: Vec<usize>,
    /// Those it writes, whatever the state is.
    pub writes: Vec<usize>,
}

impl Accesses {
    /// The accesses of a transition.
    pub fn of(program: &Program, transition: &Transition) -> Self {
        let mut accesses = Accesses { reads: cells_read(program, transition.guard), writes: Vec::new() };
        for block in &transition.blocks {
            for assign in block {
                let value = if let Rhs::Term(value) = assign.value { Some(value) } else { None };
                let read = value.into_iter().chain(assign.index).flat_map(|term| cells_read(program, term));
                accesses.reads.extend(read.filter(|cell| !accesses.writes.contains(cell)));
            }
            accesses.writes.extend(block.iter().filter_map(|assign| cell_written(program, assign)));
        }
        for cells in [&mut accesses.reads, &mut accesses.writes] {
            cells.sort_unstable();
            cells.dedup();
        }
        accesses
    }
}

/// The cells that the value of a term may depend on.
pub fn cells_read(program: &Program, term: Term) -> Vec<usize> {
    cells_read_in(program, &program.terms, term)
}

/// The same for a term of a store that extends the program's.
pub fn cells_read_in(program: &Program, terms: &Terms, term: Term) -> Vec<usize> {
    let (mut cells, mut waiting, mut seen) = (Vec::new(), vec![term], FxHashSet::default());
    while let Some(term) = waiting.pop() {
        match terms.node(term) {
            _ if !seen.insert(term) => {}
            Node::Var(var) => cells.extend(program.cells_of(var)),
            Node::Binary(BinOp::Select, array, index) => match (terms.node(array), terms.node(index)) {
                (Node::Var(var), Node::Int(index)) => cells.extend(element(program, var, index)),
                _ => waiting.extend([array, index]),
            },
            _ => waiting.extend(terms.children(term)),
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn cell_written(program: &Program, assign: &Assign) -> Option<usize> {
    match assign.index.map(|index| program.terms.node(index)) {
        None => Some(program.var(assign.var).first_cell as usize),
        Some(Node::Int(index)) => element(program, assign.var, index),
        Some(_) => None,
    }
}

/// An element's cell, if there is such an element.
fn element(program: &Program, array: VarId, index: i64) -> Option<usize> {
    usize::try_from(index).ok().and_then(|index| program.cells_of(array).nth(index))
}

/// Backwards from where nothing more is read: what may still be read is live.
fn dead_of_process(program: &Program, accesses: &[Accesses], process: ProcId) -> Vec<Vec<usize>> {
    let candidates = private_to(program, accesses, process);
    let moves = |transition: &Transition| transition.moves.iter().find(|m| m.process == process).copied();
    let steps: Vec<_> = program.transitions.iter().map(moves).zip(accesses).collect();
    let mut live = vec![Vec::<usize>::new(); program.processes[process.index()].locations.len()];
    loop {
        let mut changed = false;
        for (m, accesses) in &steps {
            let Some(m) = m else { continue };
            let later = live[m.to.index()].iter().copied().filter(|cell| !accesses.writes.contains(cell));
            let needed: Vec<usize> = accesses.reads.iter().copied().chain(later).collect();
            let here = &mut live[m.from.index()];
            for cell in needed {
                if candidates.contains(&cell) && !here.contains(&cell) {
                    here.push(cell);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    live.iter().map(|live| candidates.iter().copied().filter(|cell| !live.contains(cell)).collect()).collect()
}

/// The cells that this process reads or writes, and no other one reads, nor the error condition.
fn private_to(program: &Program, accesses: &[Accesses], process: ProcId) -> Vec<usize> {
    let (mut own, mut public) = (Vec::new(), Vec::new());
    for (transition, accesses) in program.transitions.iter().zip(accesses) {
        if transition.moves.iter().any(|m| m.process == process) {
            own.extend(accesses.reads.iter().chain(&accesses.writes).copied());
        } else {
            public.extend(accesses.reads.iter().copied());
        }
    }
    public.extend(program.property.error.into_iter().flat_map(|error| cells_read(program, error)));
    own.sort_unstable();
    own.dedup();
    public.sort_unstable();
    own.retain(|cell| public.binary_search(cell).is_err());
    own
}
