//! The concrete interpreter: executes programs on [`State`]s straight from the terms. It is slow and simple; it judges
//! every trace, and shares nothing with the compiled transitions of the engines.

use clinch_terms::{EvalError, Fault};

use crate::eval::{Evaluator, State};
use crate::program::{Assign, Domain, Init, Program, Rhs, TransId};

/// Values tried for inputs whose domain is unbounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InputDomain(pub Option<(i64, i64)>);

impl InputDomain {
    /// The values to try for a domain; `None` if there are infinitely many and no choice was made.
    pub fn bounds(&self, domain: &Domain) -> Option<(i64, i64)> {
        domain.bounds().or(self.0)
    }
}

/// A state that a transition leads to. Its memory can be used again for the next one.
#[derive(Clone, Debug, Default)]
pub struct Successor {
    /// The state.
    pub state: State,
    /// The cells that were written, some perhaps twice.
    pub written: Vec<usize>,
    /// What the assignments of a block write, which happens at once.
    writes: Vec<(usize, i64)>,
}

impl Successor {
    fn start_from(&mut self, state: &State) {
        self.state.locs.clone_from(&state.locs);
        self.state.cells.clone_from(&state.cells);
        self.written.clear();
        self.writes.clear();
    }

    fn write_block(&mut self) {
        for (cell, value) in self.writes.drain(..) {
            self.state.cells[cell] = value;
            self.written.push(cell);
        }
    }
}

/// Executes a program.
#[derive(Clone, Copy)]
pub struct Interpreter<'p> {
    program: &'p Program,
    evaluator: Evaluator<'p>,
}

impl<'p> Interpreter<'p> {
    /// For a program.
    pub fn new(program: &'p Program) -> Self {
        Interpreter { program, evaluator: Evaluator::new(program) }
    }

    /// The evaluator of the program's terms.
    pub fn evaluator(&self) -> &Evaluator<'p> {
        &self.evaluator
    }

    /// Whether a state may be the first.
    pub fn is_initial(&self, state: &State) -> bool {
        let locs_fit = state.locs.iter().zip(&self.program.processes).all(|(loc, p)| *loc == p.initial);
        let cells = state.cells.iter().zip(self.program.cell_inits()).zip(self.program.cell_domains());
        let same_shape =
            state.locs.len() == self.program.processes.len() && state.cells.len() == self.program.cell_count();
        same_shape
            && locs_fit
            && cells.into_iter().all(|((&value, init), domain)| match init {
                Init::Value(v) => value == v,
                Init::Any => domain.contains(value),
            })
    }

    /// Executes a transition. `None` if it is not enabled.
    pub fn fire(&self, state: &State, id: TransId, inputs: &[i64]) -> Result<Option<State>, EvalError> {
        let mut next = Successor::default();
        Ok(self.fire_into(state, id, inputs, &mut next)?.then_some(next.state))
    }

    /// Executes a transition; `next` is the successor afterwards. Whether it is enabled.
    pub fn fire_into(
        &self,
        state: &State,
        id: TransId,
        inputs: &[i64],
        next: &mut Successor,
    ) -> Result<bool, EvalError> {
        let transition = self.program.transition(id);
        let in_place = transition.moves.iter().all(|m| state.locs[m.process.index()] == m.from);
        if !in_place || !self.evaluator.holds(transition.guard, state)? {
            return Ok(false);
        }
        let mut inputs = inputs.iter().copied();
        next.start_from(state);
        for block in &transition.blocks {
            for assign in block {
                let write = self.assignment(assign, &next.state, &mut inputs)?;
                next.writes.push(write);
            }
            next.write_block();
        }
        for m in &transition.moves {
            next.state.locs[m.process.index()] = m.to;
        }
        Ok(true)
    }

    fn assignment(
        &self,
        assign: &Assign,
        before: &State,
        inputs: &mut impl Iterator<Item = i64>,
    ) -> Result<(usize, i64), EvalError> {
        let var = self.program.var(assign.var);
        let value = match assign.value {
            Rhs::Term(term) => self.evaluator.value(term, before)?,
            Rhs::Input => inputs.next().expect("one value per input of the transition"),
        };
        let cell = match assign.index {
            None => var.first_cell as usize,
            Some(index) => self.evaluator.element_cell(assign.var, self.evaluator.value(index, before)?)?,
        };
        match var.domain.bounds() {
            Some((lo, hi)) if value < lo || hi < value => Err(Fault::ValueOutOfRange { value, lo, hi }.into()),
            _ => Ok((cell, value)),
        }
    }

    /// Calls `f` with every combination of input values of a transition; `false` if there are infinitely many.
    pub fn for_each_input(&self, id: TransId, domain: InputDomain, mut f: impl FnMut(&[i64])) -> bool {
        let inputs = self.program.transition(id).inputs();
        let bounds: Option<Vec<(i64, i64)>> = inputs.map(|a| domain.bounds(&self.program.var(a.var).domain)).collect();
        match bounds {
            Some(bounds) => {
                for_each_combination(&bounds, &mut f);
                true
            }
            None => false,
        }
    }

    /// Calls `f` with every initial state; `false` if there are infinitely many.
    pub fn for_each_initial(&self, domain: InputDomain, mut f: impl FnMut(State)) -> bool {
        let locs: Vec<_> = self.program.processes.iter().map(|p| p.initial).collect();
        let cells = self.program.cell_inits().zip(self.program.cell_domains());
        let bounds: Option<Vec<(i64, i64)>> = cells
            .map(|(init, d)| match init {
                Init::Value(v) => Some((v, v)),
                Init::Any => domain.bounds(d),
            })
            .collect();
        match bounds {
            Some(bounds) => {
                for_each_combination(&bounds, &mut |cells| f(State { locs: locs.clone(), cells: cells.to_vec() }));
                true
            }
            None => false,
        }
    }
}

/// Calls `f` with every vector whose entries lie in the bounds, the last entry varying fastest.
fn for_each_combination(bounds: &[(i64, i64)], f: &mut impl FnMut(&[i64])) {
    if bounds.iter().any(|(lo, hi)| lo > hi) {
        return;
    }
    let mut values: Vec<i64> = bounds.iter().map(|b| b.0).collect();
    loop {
        f(&values);
        let Some(i) = (0..bounds.len()).rev().find(|&i| values[i] < bounds[i].1) else { return };
        values[i] += 1;
        for (value, bound) in values.iter_mut().zip(bounds).skip(i + 1) {
            *value = bound.0;
        }
    }
}
