//! Terms over the state of processes as terms over symbols: integers become bit-vectors that are wide enough for all their values,
//! or stay integers where some have no bounds.
//!
//! What is read is total. Where the original has no value (a division by zero, an index outside of its array) the reading has any:
//! the automaton does not come there, because faults are asked about first.

use clinch_terms::{BinOp, LocId, Node, ProcId, Sort, Symbol, Term, Terms, UnOp, VarId};
use rustc_hash::FxHashMap;

use crate::answer::Reason;
use crate::cfa::Integers;
use crate::program::{Domain, Program};
use crate::range::{Interval, of_operation};

/// An integer: its term, and what it may be. A bit-vector is read as a signed number if the interval has negative ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) term: Term,
    pub(super) range: Interval,
}

/// What a scalar term is read as.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar {
    Truth(Term),
    Number(Number),
}

impl Scalar {
    pub(super) fn term(self) -> Term {
        match self {
            Scalar::Truth(term) | Scalar::Number(Number { term, .. }) => term,
        }
    }
}

/// The widest word.
const WIDEST: u32 = 64;

/// How many bits the values of an interval need: as natural numbers, or in two's complement.
fn width_of(range: Interval, signed: bool) -> Result<u32, Reason> {
    let too_wide = || Reason::Unsupported(format!("integers of more than {WIDEST} bits"));
    let (lo, hi) = range.bounds().ok_or_else(too_wide)?;
    let bits = |value: i128| i128::BITS - value.leading_zeros();
    let width = if signed { bits(hi.max(0)).max(bits(!lo.min(-1))) + 1 } else { bits(hi.max(0)) };
    Some(width.max(1)).filter(|&width| width <= WIDEST).ok_or_else(too_wide)
}

fn is_signed(range: Interval) -> bool {
    range.bounds().is_none_or(|(lo, _)| lo < 0)
}

/// Reads terms of a program. `from` is their store, `to` that of the automaton.
pub(super) struct Reading<'a> {
    pub(super) program: &'a Program,
    pub(super) from: Terms,
    pub(super) to: Terms,
    integers: Integers,
    /// The symbol of each cell.
    pub(super) cells: Vec<Symbol>,
    /// The symbol that says where each process is.
    pub(super) locations: Vec<Symbol>,
    /// The inputs of the transition that is read.
    pub(super) inputs: Vec<Scalar>,
    memo: FxHashMap<Term, Scalar>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(program: &'a Program, from: Terms, integers: Integers) -> Result<Self, Reason> {
        let (cells, locations, inputs) = (Vec::new(), Vec::new(), Vec::new());
        let (to, memo) = (Terms::new(), FxHashMap::default());
        let mut reading = Reading { program, from, to, integers, cells, locations, inputs, memo };
        for (domain, name) in program.cell_domains().zip(program.cell_names()) {
            let symbol = reading.declare(name, domain)?;
            reading.cells.push(symbol);
        }
        for process in &program.processes {
            let symbol = reading.declare(process.name.clone(), &locations_of(process.locations.len()))?;
            reading.locations.push(symbol);
        }
        Ok(reading)
    }

    /// A variable for the values of a domain.
    pub(super) fn declare(&mut self, name: String, domain: &Domain) -> Result<Symbol, Reason> {
        let sort = match (domain, self.integers) {
            (Domain::Bool, _) => Sort::Bool,
            (_, Integers::Mathematical) => Sort::Int,
            (_, Integers::Machine) => {
                let range = interval_of(domain);
                Sort::BitVec(width_of(range, is_signed(range))?)
            }
        };
        Ok(self.to.declare(name, sort))
    }

    /// A variable for the values of a domain, as it is read.
    pub(super) fn variable(&mut self, symbol: Symbol, domain: &Domain) -> Scalar {
        let term = self.to.symbol(symbol);
        match domain {
            Domain::Bool => Scalar::Truth(term),
            _ => Scalar::Number(Number { term, range: interval_of(domain) }),
        }
    }

    /// A value of a domain.
    pub(super) fn value(&mut self, domain: &Domain, value: i64) -> Result<Term, Reason> {
        if *domain == Domain::Bool {
            return Ok(self.to.bool(value != 0));
        }
        let number = self.constant(value)?;
        self.as_stored(number, domain)
    }

    /// A number as a variable of the domain holds it; it is in the domain.
    fn as_stored(&mut self, number: Number, domain: &Domain) -> Result<Term, Reason> {
        let range = interval_of(domain);
        match self.integers {
            Integers::Mathematical => Ok(number.term),
            Integers::Machine => {
                let width = width_of(range, is_signed(range))?;
                Ok(self.fit(number, width))
            }
        }
    }

    /// The value that a term gives to a cell.
    pub(super) fn stored(&mut self, term: Term, domain: &Domain) -> Result<Term, Reason> {
        match self.scalar(term)? {
            Scalar::Truth(term) => Ok(term),
            Scalar::Number(number) => self.as_stored(number, domain),
        }
    }

    /// Whether a variable that may hold more than its domain is in it.
    pub(super) fn in_domain(&mut self, symbol: Symbol, domain: &Domain) -> Result<Term, Reason> {
        let (Some((lo, hi)), false) = (domain.bounds(), *domain == Domain::Bool) else { return Ok(self.to.tt()) };
        let term = self.to.symbol(symbol);
        let range = match *self.to.symbol_sort(symbol) {
            Sort::BitVec(width) => all_of(width, is_signed(interval_of(domain))),
            _ => Interval::ALL,
        };
        let number = Number { term, range };
        let (least, greatest) = (self.constant(lo)?, self.constant(hi)?);
        let above = self.compare(BinOp::Le, least, number)?;
        let below = self.compare(BinOp::Le, number, greatest)?;
        Ok(self.to.and(above, below))
    }

    /// Whether a process is at a location.
    pub(super) fn is_at(&mut self, process: ProcId, location: LocId) -> Result<Term, Reason> {
        let here = self.location(process, location)?;
        let now = self.to.symbol(self.locations[process.index()]);
        Ok(self.to.eq(now, here))
    }

    /// The number of a location.
    pub(super) fn location(&mut self, process: ProcId, location: LocId) -> Result<Term, Reason> {
        let domain = locations_of(self.program.processes[process.index()].locations.len());
        self.value(&domain, location.0.into())
    }

    /// The inputs of another transition come next.
    pub(super) fn start_transition(&mut self) {
        self.inputs.clear();
        self.memo.clear();
    }

    /// A Boolean term.
    pub(super) fn truth(&mut self, term: Term) -> Result<Term, Reason> {
        Ok(self.scalar(term)?.term())
    }

    fn number(&mut self, term: Term) -> Result<Number, Reason> {
        match self.scalar(term)? {
            Scalar::Number(number) => Ok(number),
            Scalar::Truth(condition) => {
                let (one, zero) = (self.constant(1)?, self.constant(0)?);
                self.choice(condition, one, zero)
            }
        }
    }

    fn scalar(&mut self, term: Term) -> Result<Scalar, Reason> {
        if let Some(&known) = self.memo.get(&term) {
            return Ok(known);
        }
        let scalar = match self.from.node(term) {
            Node::Bool(value) => Scalar::Truth(self.to.bool(value)),
            Node::Int(value) => Scalar::Number(self.constant(value)?),
            Node::Var(var) => self.cell(var, 0),
            Node::Input(i) => self.inputs[i as usize],
            Node::At(process, location) => Scalar::Truth(self.is_at(process, location)?),
            Node::Unary(op, of) => self.unary(op, of)?,
            Node::Binary(BinOp::And, a, b) => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                Scalar::Truth(self.to.and(a, b))
            }
            Node::Binary(BinOp::Or, a, b) => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                Scalar::Truth(self.to.or(a, b))
            }
            Node::Binary(BinOp::Select, array, index) => self.element(array, index)?,
            Node::Binary(op, a, b) => self.binary(op, a, b)?,
            Node::Ite(condition, a, b) => {
                let condition = self.truth(condition)?;
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                self.either(condition, a, b)?
            }
            node => unreachable!("{node:?} is not a scalar term over a state"),
        };
        self.memo.insert(term, scalar);
        Ok(scalar)
    }

    fn cell(&mut self, var: VarId, offset: u32) -> Scalar {
        let program = self.program;
        let variable = program.var(var);
        let symbol = self.cells[(variable.first_cell + offset) as usize];
        self.variable(symbol, &variable.domain)
    }

    fn unary(&mut self, op: UnOp, of: Term) -> Result<Scalar, Reason> {
        Ok(match op {
            UnOp::Not => {
                let of = self.truth(of)?;
                Scalar::Truth(self.to.not(of))
            }
            UnOp::BoolToInt => Scalar::Number(self.number(of)?),
            UnOp::Neg => {
                let (zero, of) = (self.constant(0)?, self.number(of)?);
                Scalar::Number(self.operation(BinOp::Sub, zero, of)?)
            }
            // The bits of `x` turned around are those of `-1 - x`.
            UnOp::BitNot => {
                let (ones, of) = (self.constant(-1)?, self.number(of)?);
                Scalar::Number(self.operation(BinOp::Sub, ones, of)?)
            }
            UnOp::BvNot | UnOp::BvNeg | UnOp::BvToNat | UnOp::Float(..) | UnOp::Extended(_) => {
                unreachable!("programs have no bit-vectors")
            }
        })
    }

    fn binary(&mut self, op: BinOp, a: Term, b: Term) -> Result<Scalar, Reason> {
        if op == BinOp::Eq
            && let (Scalar::Truth(a), Scalar::Truth(b)) = (self.scalar(a)?, self.scalar(b)?)
        {
            return Ok(Scalar::Truth(self.to.eq(a, b)));
        }
        let (a, b) = (self.number(a)?, self.number(b)?);
        Ok(match op {
            BinOp::Eq | BinOp::Le | BinOp::Lt => Scalar::Truth(self.compare(op, a, b)?),
            _ => Scalar::Number(self.operation(op, a, b)?),
        })
    }

    /// An element of an array; the last one outside of its bounds.
    fn element(&mut self, array: Term, index: Term) -> Result<Scalar, Reason> {
        match self.from.node(array) {
            Node::Var(var) => {
                let last = self.program.var(var).cells() - 1;
                if let Node::Int(index) = self.from.node(index) {
                    let offset = u32::try_from(index).unwrap_or(last).min(last);
                    return Ok(self.cell(var, offset));
                }
                let index = self.number(index)?;
                let mut value = self.cell(var, last);
                for offset in (0..last).rev() {
                    let (position, cell) = (self.constant(offset.into())?, self.cell(var, offset));
                    let here = self.compare(BinOp::Eq, index, position)?;
                    value = self.either(here, cell, value)?;
                }
                Ok(value)
            }
            Node::Store(array, at, value) => {
                let (here, written) = (self.binary(BinOp::Eq, at, index)?, self.scalar(value)?);
                let other = self.element(array, index)?;
                self.either(here.term(), written, other)
            }
            node => unreachable!("{node:?} is not an array"),
        }
    }

    fn either(&mut self, condition: Term, a: Scalar, b: Scalar) -> Result<Scalar, Reason> {
        match (a, b) {
            (Scalar::Number(a), Scalar::Number(b)) => Ok(Scalar::Number(self.choice(condition, a, b)?)),
            (a, b) => Ok(Scalar::Truth(self.to.ite(condition, a.term(), b.term()))),
        }
    }

    fn choice(&mut self, condition: Term, a: Number, b: Number) -> Result<Number, Reason> {
        let range = a.range.hull(b.range);
        let (a, b, _) = self.in_one_width(a, b, range)?;
        Ok(Number { term: self.to.ite(condition, a, b), range })
    }

    fn constant(&mut self, value: i64) -> Result<Number, Reason> {
        let range = Interval::new(value, value);
        let term = match self.integers {
            Integers::Mathematical => self.to.int(value),
            Integers::Machine => self.to.bit_vec(width_of(range, value < 0)?, value as u64),
        };
        Ok(Number { term, range })
    }

    /// A number in so many bits: exact if they are enough for it, its remainder otherwise.
    fn fit(&mut self, number: Number, width: u32) -> Term {
        self.to.resize(is_signed(number.range), width, number.term)
    }

    /// Two numbers in words of one width, which is enough for both and for a third; whether these are read as signed numbers.
    fn in_one_width(&mut self, a: Number, b: Number, result: Interval) -> Result<(Term, Term, bool), Reason> {
        if self.integers == Integers::Mathematical {
            return Ok((a.term, b.term, true));
        }
        let all = a.range.hull(b.range).hull(result);
        let signed = is_signed(all);
        let width = width_of(all, signed)?;
        Ok((self.fit(a, width), self.fit(b, width), signed))
    }

    fn compare(&mut self, op: BinOp, a: Number, b: Number) -> Result<Term, Reason> {
        let (x, y, signed) = self.in_one_width(a, b, a.range)?;
        Ok(match (op, self.integers, signed) {
            (BinOp::Eq, ..) => self.to.eq(x, y),
            (_, Integers::Mathematical, _) => self.to.binary(op, x, y),
            (BinOp::Le, _, true) => self.to.bv_sle(x, y),
            (BinOp::Le, _, false) => self.to.bv_ule(x, y),
            (_, _, true) => self.to.bv_slt(x, y),
            (_, _, false) => self.to.bv_ult(x, y),
        })
    }

    fn operation(&mut self, op: BinOp, a: Number, b: Number) -> Result<Number, Reason> {
        let range = of_operation(op, a.range, b.range);
        let term = match (op, self.integers) {
            (BinOp::Mod | BinOp::FloorDiv, _) => return self.floored(op, a, b),
            (BinOp::Div | BinOp::Rem, _) => {
                let b = self.without_zero(b)?;
                self.operate(op, a, b, range)?
            }
            (BinOp::Shl | BinOp::Shr, Integers::Machine) => {
                let b = self.shift_distance(b)?;
                let wide = range.hull(Interval::new(0, i64::from(u32::MAX)));
                self.operate(op, a, b, wide)?
            }
            (BinOp::Add | BinOp::Sub | BinOp::Mul, _) | (_, Integers::Machine) => self.operate(op, a, b, range)?,
            _ => return Err(Reason::Unsupported("bitwise operations on integers without bounds".to_owned())),
        };
        Ok(Number { term, range })
    }

    fn operate(&mut self, op: BinOp, a: Number, b: Number, result: Interval) -> Result<Term, Reason> {
        let (x, y, signed) = self.in_one_width(a, b, result)?;
        if self.integers == Integers::Mathematical {
            return Ok(self.to.binary(op, x, y));
        }
        let op = match (op, signed) {
            (BinOp::Add, _) => BinOp::BvAdd,
            (BinOp::Sub, _) => BinOp::BvSub,
            (BinOp::Mul, _) => BinOp::BvMul,
            (BinOp::Div, true) => BinOp::BvSdiv,
            (BinOp::Div, false) => BinOp::BvUdiv,
            (BinOp::Rem, true) => BinOp::BvSrem,
            (BinOp::Rem, false) => BinOp::BvUrem,
            (BinOp::BitAnd, _) => BinOp::BvAnd,
            (BinOp::BitOr, _) => BinOp::BvOr,
            (BinOp::BitXor, _) => BinOp::BvXor,
            (BinOp::Shl, _) => BinOp::BvShl,
            (BinOp::Shr, true) => BinOp::BvAshr,
            (BinOp::Shr, false) => BinOp::BvLshr,
            _ => unreachable!("{op:?} is no operation on two integers"),
        };
        Ok(self.to.bv(op, x, y))
    }

    /// The remainder that is not negative, and the quotient that goes with it. The divisor is a positive constant.
    fn floored(&mut self, op: BinOp, a: Number, b: Number) -> Result<Number, Reason> {
        let Some((divisor, _)) = b.range.bounds().filter(|(lo, hi)| lo == hi && *lo > 0) else {
            return Err(Reason::Unsupported("a remainder whose divisor is no constant".to_owned()));
        };
        let range = of_operation(op, a.range, b.range);
        if self.integers == Integers::Mathematical {
            return Ok(Number { term: self.to.binary(op, a.term, b.term), range });
        }
        if op == BinOp::Mod && divisor.count_ones() == 1 {
            // A remainder of the bits is one of the number.
            let width = divisor.trailing_zeros();
            let enough = width_of(a.range, is_signed(a.range))?.max(width);
            let word = self.fit(a, enough);
            let term = if width == 0 { self.constant(0)?.term } else { self.to.extract(width - 1, 0, word) };
            return Ok(Number { term, range });
        }
        let remainder = self.operation(BinOp::Rem, a, b)?;
        let zero = self.constant(0)?;
        let negative = self.compare(BinOp::Lt, remainder, zero)?;
        let shifted = if op == BinOp::Mod {
            self.operation(BinOp::Add, remainder, b)?
        } else {
            let quotient = self.operation(BinOp::Div, a, b)?;
            let one = self.constant(1)?;
            self.operation(BinOp::Sub, quotient, one)?
        };
        let plain = if op == BinOp::Mod { remainder } else { self.operation(BinOp::Div, a, b)? };
        let chosen = self.choice(negative, shifted, plain)?;
        let width = width_of(range, is_signed(range))?;
        Ok(Number { term: self.fit(chosen, width), range })
    }

    /// The number, or 1 where it is 0.
    fn without_zero(&mut self, number: Number) -> Result<Number, Reason> {
        if !number.range.contains(0) {
            return Ok(number);
        }
        let (zero, one) = (self.constant(0)?, self.constant(1)?);
        let is_zero = self.compare(BinOp::Eq, number, zero)?;
        self.choice(is_zero, one, number)
    }

    /// The number, or 0 where it is no distance for a shift.
    fn shift_distance(&mut self, number: Number) -> Result<Number, Reason> {
        if number.range.within(0, 31) {
            return Ok(number);
        }
        let (least, greatest) = (self.constant(0)?, self.constant(31)?);
        let above = self.compare(BinOp::Le, least, number)?;
        let below = self.compare(BinOp::Le, number, greatest)?;
        let fits = self.to.and(above, below);
        let chosen = self.choice(fits, number, least)?;
        let range = Interval::new(0, 31);
        Ok(match self.integers {
            Integers::Mathematical => Number { range, ..chosen },
            Integers::Machine => Number { term: self.fit(chosen, 5), range },
        })
    }
}

/// The domain of a program counter.
fn locations_of(count: usize) -> Domain {
    Domain::Range { lo: 0, hi: (count as i64 - 1).max(0) }
}

fn interval_of(domain: &Domain) -> Interval {
    domain.bounds().map_or(Interval::ALL, |(lo, hi)| Interval::new(lo, hi))
}

/// All numbers of so many bits.
fn all_of(width: u32, signed: bool) -> Interval {
    match (signed, width) {
        (true, _) => Interval::new(i64::MIN >> (64 - width), i64::MAX >> (64 - width)),
        (false, 64) => Interval::new(0, i64::MAX),
        (false, _) => Interval::new(0, (1 << width) - 1),
    }
}
