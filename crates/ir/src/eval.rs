//! Evaluation of terms on concrete states, by walking the term. The reference for every faster evaluator.

use clinch_terms::integers::{integer_op, unary_op};
use clinch_terms::{BinOp, EvalError, Fault, LocId, Node, Term, Terms};

use crate::program::Program;

/// A concrete state: where each process is, and the content of each cell (Booleans as 0 and 1).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct State {
    /// The location of each process.
    pub locs: Vec<LocId>,
    /// The variables, arrays spread out.
    pub cells: Vec<i64>,
}

/// Evaluates terms of one program.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    program: &'a Program,
    terms: &'a Terms,
}

impl<'a> Evaluator<'a> {
    /// For the program's own terms.
    pub fn new(program: &'a Program) -> Self {
        Self::with_terms(program, &program.terms)
    }

    /// For terms of a store that extends the program's.
    pub fn with_terms(program: &'a Program, terms: &'a Terms) -> Self {
        Evaluator { program, terms }
    }

    /// The value of a Boolean term.
    pub fn holds(&self, term: Term, state: &State) -> Result<bool, EvalError> {
        Ok(self.value(term, state)? != 0)
    }

    /// The value of a scalar term, Booleans as 0 and 1.
    pub fn value(&self, term: Term, state: &State) -> Result<i64, EvalError> {
        self.walk(term, state).map_err(|error| *error)
    }

    /// The same. Errors are rare, and results without room for them are small enough for registers.
    fn walk(&self, term: Term, state: &State) -> Result<i64, Box<EvalError>> {
        match self.terms.node(term) {
            Node::Bool(b) => Ok(i64::from(b)),
            Node::Int(v) => Ok(v),
            Node::Var(v) => Ok(state.cells[self.program.var(v).first_cell as usize]),
            Node::At(process, location) => Ok(i64::from(state.locs[process.index()] == location)),
            Node::Unary(op, a) => Ok(unary_op(op, self.walk(a, state)?)?),
            Node::Binary(BinOp::And, a, b) => {
                if self.walk(a, state)? != 0 {
                    self.walk(b, state)
                } else {
                    Ok(0)
                }
            }
            Node::Binary(BinOp::Or, a, b) => {
                if self.walk(a, state)? != 0 {
                    Ok(1)
                } else {
                    self.walk(b, state)
                }
            }
            Node::Binary(BinOp::Select, array, index) => self.element(array, self.walk(index, state)?, state),
            Node::Binary(op, a, b) => Ok(integer_op(op, self.walk(a, state)?, self.walk(b, state)?)?),
            Node::Ite(c, a, b) => {
                if self.walk(c, state)? != 0 {
                    self.walk(a, state)
                } else {
                    self.walk(b, state)
                }
            }
            // Programs have no bit-vectors.
            node => unreachable!("{node:?} is not a scalar term over a state"),
        }
    }

    fn element(&self, array: Term, index: i64, state: &State) -> Result<i64, Box<EvalError>> {
        match self.terms.node(array) {
            Node::Var(v) => Ok(state.cells[self.element_cell(v, index).map_err(EvalError::from)?]),
            Node::Store(base, at, value) => {
                if self.walk(at, state)? == index {
                    self.walk(value, state)
                } else {
                    self.element(base, index, state)
                }
            }
            node => unreachable!("{node:?} is not an array"),
        }
    }

    /// The cell of an array's element.
    pub(crate) fn element_cell(&self, array: clinch_terms::VarId, index: i64) -> Result<usize, Fault> {
        let var = self.program.var(array);
        match u32::try_from(index).ok().filter(|&i| i < var.cells()) {
            Some(i) => Ok((var.first_cell + i) as usize),
            None => Err(Fault::IndexOutOfRange { index, len: var.cells() }),
        }
    }
}
