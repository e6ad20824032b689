//! Evaluation of terms on concrete states, by walking the term. The reference for every faster evaluator.

use crate::program::{LocId, Program};
use crate::term::{BinOp, Node, Term, Terms, UnOp};

/// A concrete state: where each process is, and the content of each cell (Booleans as 0 and 1).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct State {
    /// The location of each process.
    pub locs: Vec<LocId>,
    /// The variables, arrays spread out.
    pub cells: Vec<i64>,
}

/// A step of the program that has no meaning: an error of the model, found at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// Divisor 0.
    #[error("division by zero")]
    DivisionByZero,
    /// An array index outside the array.
    #[error("index {index} out of range 0..{}", *len as i64 - 1)]
    IndexOutOfRange {
        /// The index.
        index: i64,
        /// The length of the array.
        len: u32,
    },
    /// A value assigned to a variable whose domain does not hold it.
    #[error("value {value} out of range {lo}..{hi}")]
    ValueOutOfRange {
        /// The value.
        value: i64,
        /// Smallest value of the domain.
        lo: i64,
        /// Largest value of the domain.
        hi: i64,
    },
    /// An operand of a bitwise operation does not fit in 32 bits, or a shift distance is not in 0..31.
    #[error("operand {0} of a bitwise operation or shift out of range")]
    BitOperand(i64),
}

/// Why a term has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EvalError {
    /// The model is at fault.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A value outgrew 64 bits: our limit, not the model's.
    #[error("an integer outgrew 64 bits")]
    Overflow,
}

/// `x op y` for the integer-valued operations; comparisons give 0 or 1.
#[inline]
pub fn integer_op(op: BinOp, x: i64, y: i64) -> Result<i64, EvalError> {
    let checked = match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::Div | BinOp::Rem if y == 0 => return Err(Fault::DivisionByZero.into()),
        BinOp::Div => x.checked_div(y),
        BinOp::Rem => Some(x.wrapping_rem(y)),
        BinOp::Mod => Some(x.rem_euclid(y)),
        BinOp::FloorDiv => x.checked_div_euclid(y),
        BinOp::BitAnd => return Ok(bit_operand(x)? & bit_operand(y)?),
        BinOp::BitOr => return Ok(bit_operand(x)? | bit_operand(y)?),
        BinOp::BitXor => return Ok(bit_operand(x)? ^ bit_operand(y)?),
        BinOp::Shl => return Ok(bit_operand(x)? << shift_distance(y)?),
        BinOp::Shr => return Ok(bit_operand(x)? >> shift_distance(y)?),
        BinOp::Eq => Some(i64::from(x == y)),
        BinOp::Le => Some(i64::from(x <= y)),
        BinOp::Lt => Some(i64::from(x < y)),
        _ => unreachable!("{op:?} is not an operation on two integers"),
    };
    checked.ok_or(EvalError::Overflow)
}

fn bit_operand(x: i64) -> Result<i64, Fault> {
    if i32::try_from(x).is_ok() { Ok(x) } else { Err(Fault::BitOperand(x)) }
}

fn shift_distance(n: i64) -> Result<u32, Fault> {
    u32::try_from(n).ok().filter(|&n| n < 32).ok_or(Fault::BitOperand(n))
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
    pub fn element_cell(&self, array: crate::VarId, index: i64) -> Result<usize, Fault> {
        let var = self.program.var(array);
        match u32::try_from(index).ok().filter(|&i| i < var.cells()) {
            Some(i) => Ok((var.first_cell + i) as usize),
            None => Err(Fault::IndexOutOfRange { index, len: var.cells() }),
        }
    }
}

/// `op x`, Booleans as 0 and 1.
#[inline]
pub fn unary_op(op: UnOp, x: i64) -> Result<i64, EvalError> {
    match op {
        UnOp::Not => Ok(i64::from(x == 0)),
        UnOp::Neg => x.checked_neg().ok_or(EvalError::Overflow),
        UnOp::BitNot => Ok(!bit_operand(x)?),
        UnOp::BoolToInt => Ok(x),
        UnOp::BvNot | UnOp::BvNeg | UnOp::BvToNat => unreachable!("programs have no bit-vectors"),
    }
}
