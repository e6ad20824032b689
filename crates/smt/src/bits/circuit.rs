//! Circuits: conjunctions, exclusive disjunctions and choices over inputs, each made once.
//!
//! What is equal in an obvious way is one gate, for a SAT solver pays for every copy. Negation is part of a reference to a gate, so
//! it costs nothing.

use std::ops::Not;

use clinch_terms::words::Words;
use clinch_terms::work;
use rustc_hash::FxHashMap;

/// The nanoseconds that a gate takes, about, with its way to the solver.
const GATE: u64 = 500;

/// A gate of a circuit, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Bit(u32);

impl Bit {
    pub(crate) const FALSE: Bit = Bit(0);
    pub(crate) const TRUE: Bit = Bit(1);

    /// The constant.
    pub(crate) fn constant(value: bool) -> Bit {
        Bit(u32::from(value))
    }

    /// The number of the gate. The arguments of a gate have smaller numbers.
    pub(crate) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// The gate with this number.
    pub(crate) fn of_gate(number: usize) -> Bit {
        Bit((number as u32) << 1)
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it has a known value, and which.
    pub(crate) fn as_constant(self) -> Option<bool> {
        (self.gate() == 0).then_some(self.is_negated())
    }
}

impl Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// What a gate computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Gate {
    /// The gate with number 0.
    False,
    /// Anything.
    Input,
    And(Bit, Bit),
    /// Of two gates that are not negated.
    Xor(Bit, Bit),
    /// The second if the first holds, else the third; the first two are not negated.
    Ite(Bit, Bit, Bit),
}

impl Gate {
    /// What it depends on.
    pub(crate) fn arguments(self) -> impl Iterator<Item = Bit> {
        let (count, arguments) = match self {
            Gate::False | Gate::Input => (0, [Bit::FALSE; 3]),
            Gate::And(a, b) | Gate::Xor(a, b) => (2, [a, b, Bit::FALSE]),
            Gate::Ite(c, a, b) => (3, [c, a, b]),
        };
        arguments.into_iter().take(count)
    }
}

#[derive(Debug)]
pub(crate) struct Circuit {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, Bit>,
}

impl Default for Circuit {
    fn default() -> Self {
        Circuit { gates: vec![Gate::False], known: FxHashMap::default() }
    }
}

impl Circuit {
    /// How many gates there are.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// What the gate with this number computes.
    pub(crate) fn gate(&self, number: usize) -> Gate {
        self.gates[number]
    }

    /// A new input.
    pub(crate) fn input(&mut self) -> Bit {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Bit {
        work::add(GATE);
        let number = u32::try_from(self.gates.len()).ok().filter(|&n| n < 1 << 31).expect("fewer than 2^31 gates");
        self.gates.push(gate);
        Bit(number << 1)
    }

    fn make(&mut self, gate: Gate) -> Bit {
        if let Some(&known) = self.known.get(&gate) {
            return known;
        }
        let new = self.push(gate);
        self.known.insert(gate, new);
        new
    }

    pub(crate) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Bit::FALSE || a == !b {
            return Bit::FALSE;
        }
        if a == Bit::TRUE || a == b {
            return b;
        }
        match self.absorb(a, b).or_else(|| self.absorb(b, a)) {
            Some(simpler) => simpler,
            None => self.make(Gate::And(a, b)),
        }
    }

    /// A conjunction of which one part is a conjunction, or the negation of one, that has the other part in it.
    fn absorb(&mut self, part: Bit, whole: Bit) -> Option<Bit> {
        let Gate::And(a, b) = self.gates[whole.gate()] else { return None };
        match whole.is_negated() {
            false if part == a || part == b => Some(whole),
            false if part == !a || part == !b => Some(Bit::FALSE),
            true if part == !a || part == !b => Some(part),
            true if part == a => Some(self.and(part, !b)),
            true if part == b => Some(self.and(part, !a)),
            _ => None,
        }
    }

    pub(crate) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let negated = a.is_negated() != b.is_negated();
        let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let plain = match a {
            _ if a == b => Bit::FALSE,
            Bit::FALSE => b,
            _ => self.make(Gate::Xor(a, b)),
        };
        if negated { !plain } else { plain }
    }

    pub(crate) fn ite(&mut self, c: Bit, a: Bit, b: Bit) -> Bit {
        if c.is_negated() {
            return self.ite(!c, b, a);
        }
        match (a, b) {
            _ if c == Bit::FALSE || a == b => b,
            _ if a == !b => self.xor(c, b),
            // Where it chooses itself, the condition is a constant.
            (a, b) if a == Bit::TRUE || a == c => self.or(c, b),
            (a, b) if a == Bit::FALSE || a == !c => self.and(!c, b),
            (a, b) if b == Bit::FALSE || b == c => self.and(c, a),
            (a, b) if b == Bit::TRUE || b == !c => self.or(!c, a),
            (a, b) if a.is_negated() => !self.make(Gate::Ite(c, !a, !b)),
            (a, b) => self.make(Gate::Ite(c, a, b)),
        }
    }

    /// Extends the values of the first gates to the gates before a number; an input without value is false.
    pub(crate) fn evaluate_to(&self, end: usize, values: &mut Vec<bool>) {
        for number in values.len()..end {
            let of = |bit: Bit| values[bit.gate()] != bit.is_negated();
            let value = match self.gates[number] {
                Gate::False | Gate::Input => false,
                Gate::And(a, b) => of(a) && of(b),
                Gate::Xor(a, b) => of(a) != of(b),
                Gate::Ite(c, a, b) => of(if of(c) { a } else { b }),
            };
            values.push(value);
        }
    }
}

impl Words for Circuit {
    type Bit = Bit;

    fn constant(&self, value: bool) -> Bit {
        Bit::constant(value)
    }

    fn as_constant(&self, a: &Bit) -> Option<bool> {
        a.as_constant()
    }

    fn not(&mut self, a: &Bit) -> Bit {
        !*a
    }

    fn and(&mut self, a: &Bit, b: &Bit) -> Bit {
        Circuit::and(self, *a, *b)
    }

    fn or(&mut self, a: &Bit, b: &Bit) -> Bit {
        Circuit::or(self, *a, *b)
    }

    fn xor(&mut self, a: &Bit, b: &Bit) -> Bit {
        Circuit::xor(self, *a, *b)
    }

    fn ite(&mut self, condition: &Bit, a: &Bit, b: &Bit) -> Bit {
        Circuit::ite(self, *condition, *a, *b)
    }
}
