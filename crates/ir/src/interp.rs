//! The concrete interpreter: executes programs on [`State`]s straight from the terms. It is slow and simple; it judges
//! every trace, and shares nothing with the compiled transitions of the engines.

use crate::eval::{EvalError, Evaluator, Fault, State};
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
        let transition = self.program.transition(id);
        let in_place = transition.moves.iter().all(|m| state.locs[m.process.index()] == m.from);
        if !in_place || !self.evaluator.holds(transition.guard, state)? {
            return Ok(None);
        }
        let mut inputs = inputs.iter().copied();
        let mut current = state.clone();
        let mut writes = Vec::new();
        for block in &transition.blocks {
            for assign in block {
                writes.push(self.assignment(assign, &current, &mut inputs)?);
            }
            for (cell, value) in writes.drain(..) {
                current.cells[cell] = value;
            }
        }
        for m in &transition.moves {
            current.locs[m.process.index()] = m.to;
        }
        Ok(Some(current))
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
        let mut inputs = self.program.transition(id).inputs().peekable();
        if inputs.peek().is_none() {
            f(&[]);
            return true;
        }
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
