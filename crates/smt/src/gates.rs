//! Questions about one circuit that are asked again and again, for a SAT solver that keeps what it learns.
//!
//! Terms become gates ([`crate::bits`]), and gates become clauses (Tseitin) when they are first spoken of.

use std::fmt;
use std::ops::Not;

use batsat::{Callbacks, Solver, SolverInterface, SolverOpts, lbool};
use clinch_terms::{Term, Terms, work};
use rustc_hash::FxHashMap;

use crate::bits::{Bit, Blaster, Gate, is_in_bits};

/// The nanoseconds that a propagation takes, about.
const PROPAGATION: u64 = 60;
/// The nanoseconds that a question takes beside them.
const QUESTION: u64 = 1_000;

/// How many literals are retired at a time.
const RETIRED: usize = 500;

/// A truth value in a circuit, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lit(batsat::Lit);

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(!self.0)
    }
}

/// A place in a circuit, of which the solver need not know yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wire(Bit);

/// What asks a solver to stop.
struct Watch(Box<dyn Fn() -> bool>);

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        (self.0)()
    }
}

/// A circuit, and clauses about it.
pub struct Gates {
    blaster: Blaster,
    solver: Solver<Watch>,
    /// By the number of the gate.
    literals: Vec<Option<Lit>>,
    /// Always true.
    truth: Lit,
    asked: Vec<batsat::Lit>,
    /// What is not asked for any more.
    over: Vec<Lit>,
    propagations: u64,
}

impl fmt::Debug for Gates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gates").field("gates", &self.blaster.circuit.len()).finish_non_exhaustive()
    }
}

/// What is known of the places in a circuit.
#[derive(Debug)]
pub struct Evaluated(Vec<Option<bool>>);

impl Evaluated {
    /// The value of a place, if it is known.
    pub fn value(&self, wire: Wire) -> Option<bool> {
        self.0[wire.0.gate()].map(|value| value != wire.0.is_negated())
    }
}

impl Gates {
    /// Without gates. A question ends without answer when `stop` says so.
    pub fn new(stop: impl Fn() -> bool + 'static) -> Gates {
        Gates::about(Blaster::default(), stop)
    }

    /// The same circuit, of which nothing was said yet.
    pub fn anew(&mut self, stop: impl Fn() -> bool + 'static) -> Gates {
        Gates::about(std::mem::take(&mut self.blaster), stop)
    }

    fn about(blaster: Blaster, stop: impl Fn() -> bool + 'static) -> Gates {
        let mut solver = Solver::new(SolverOpts::default(), Watch(Box::new(stop)));
        let truth = batsat::Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![truth]);
        let truth = Lit(truth);
        Gates { blaster, solver, literals: Vec::new(), truth, asked: Vec::new(), over: Vec::new(), propagations: 0 }
    }

    /// The literal that holds.
    pub fn truth(&self) -> Lit {
        self.truth
    }

    /// A new literal, of which nothing is known.
    pub fn fresh(&mut self) -> Lit {
        Lit(batsat::Lit::new(self.solver.new_var_default(), true))
    }

    /// The bits of a term, the lowest first; `None` if they are too many, or a part of it has none.
    pub fn word(&mut self, terms: &Terms, term: Term) -> Option<Vec<Wire>> {
        let parts = terms.parts(term);
        if !is_in_bits(terms, &parts) {
            return None;
        }
        let word = self.blaster.word(terms, &parts, term)?;
        Some(word.iter().map(|&bit| Wire(bit)).collect())
    }

    /// The gates that may have any value, as far as something was said about them.
    pub fn inputs(&self) -> impl Iterator<Item = Lit> {
        let circuit = &self.blaster.circuit;
        let known = self.literals.iter().enumerate().filter_map(|(gate, literal)| Some((gate, (*literal)?)));
        known.filter(|(gate, _)| circuit.gate(*gate) == Gate::Input).map(|(_, literal)| literal)
    }

    /// Says that one of the literals holds.
    pub fn add(&mut self, clause: impl IntoIterator<Item = Lit>) {
        let mut clause: Vec<batsat::Lit> = clause.into_iter().map(|literal| literal.0).collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    /// Says that a literal will not be assumed any more: clauses that hold without it are not needed.
    pub fn retire(&mut self, literal: Lit) {
        self.over.push(literal);
        // The solver looks through all clauses after each of these.
        if self.over.len() >= RETIRED {
            std::mem::take(&mut self.over).into_iter().for_each(|literal| self.add([!literal]));
        }
    }

    /// Whether all that was said can hold with these literals; `None` if the question was stopped.
    pub fn ask(&mut self, assumptions: impl IntoIterator<Item = Lit>) -> Option<bool> {
        self.asked.clear();
        self.asked.extend(assumptions.into_iter().map(|literal| literal.0));
        let answer = self.solver.solve_limited(&self.asked);
        let propagations = self.solver.num_propagations();
        work::add(QUESTION + (propagations - self.propagations) * PROPAGATION);
        self.propagations = propagations;
        if answer == lbool::TRUE {
            Some(true)
        } else if answer == lbool::FALSE {
            Some(false)
        } else {
            None
        }
    }

    /// The value of a literal, after a question that was answered with yes.
    pub fn holds(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal.0) == lbool::TRUE
    }

    /// Whether the answer no needs this assumption.
    pub fn needs(&self, assumption: Lit) -> bool {
        self.solver.unsat_core_contains_var(assumption.0.var())
    }

    /// What is known of each place if that much is known of some inputs, gate by gate.
    pub fn evaluate(&self, known: &FxHashMap<Wire, bool>) -> Evaluated {
        let circuit = &self.blaster.circuit;
        let mut values: Vec<Option<bool>> = Vec::with_capacity(circuit.len());
        for number in 0..circuit.len() {
            let of = |bit: Bit| values[bit.gate()].map(|value| value != bit.is_negated());
            let value = match circuit.gate(number) {
                Gate::False => Some(false),
                Gate::Input => known.get(&Wire(Bit::of_gate(number))).copied(),
                Gate::And(a, b) => match (of(a), of(b)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), other) | (other, Some(true)) => other,
                    (None, None) => None,
                },
                Gate::Xor(a, b) => of(a).zip(of(b)).map(|(a, b)| a != b),
                Gate::Ite(c, a, b) => match of(c) {
                    Some(condition) => of(if condition { a } else { b }),
                    None => of(a).filter(|value| of(b) == Some(*value)),
                },
            };
            values.push(value);
        }
        Evaluated(values)
    }

    /// The literal of a place, if the solver knows of it.
    pub fn known(&self, wire: Wire) -> Option<Lit> {
        let literal = self.literals.get(wire.0.gate()).copied().flatten()?;
        Some(if wire.0.is_negated() { !literal } else { literal })
    }

    /// The literal of a place.
    pub fn literal(&mut self, wire: Wire) -> Lit {
        let bit = wire.0;
        if self.literals.len() <= bit.gate() {
            self.literals.resize(self.blaster.circuit.len(), None);
        }
        let mut waiting = vec![bit.gate()];
        while let Some(&number) = waiting.last() {
            let gate = self.blaster.circuit.gate(number);
            let open = waiting.len();
            if self.literals[number].is_none() {
                waiting.extend(gate.arguments().map(Bit::gate).filter(|&argument| self.literals[argument].is_none()));
            }
            if waiting.len() == open {
                waiting.pop();
                if self.literals[number].is_none() {
                    self.literals[number] = Some(self.define(gate));
                }
            }
        }
        self.of(bit)
    }

    fn of(&self, bit: Bit) -> Lit {
        let literal = self.literals[bit.gate()].expect("gates are defined after their arguments");
        if bit.is_negated() { !literal } else { literal }
    }

    fn define(&mut self, gate: Gate) -> Lit {
        if gate == Gate::False {
            return !self.truth;
        }
        // Gates follow from inputs, so that nothing else is to be decided.
        let decided = gate == Gate::Input;
        let new = Lit(batsat::Lit::new(self.solver.new_var(lbool::UNDEF, decided), true));
        match gate {
            Gate::False | Gate::Input => {}
            Gate::And(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.add([!new, a]);
                self.add([!new, b]);
                self.add([new, !a, !b]);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.add([!new, a, b]);
                self.add([!new, !a, !b]);
                self.add([new, !a, b]);
                self.add([new, a, !b]);
            }
            Gate::Ite(c, a, b) => {
                let (c, a, b) = (self.of(c), self.of(a), self.of(b));
                self.add([!c, !a, new]);
                self.add([!c, a, !new]);
                self.add([c, !b, new]);
                self.add([c, b, !new]);
                // Implied, and found sooner.
                self.add([!a, !b, new]);
                self.add([a, b, !new]);
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use clinch_terms::{BinOp, Sort};

    use super::*;

    #[test]
    fn questions_about_a_sum() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(8)));
        let [x, y] = [x, y].map(|symbol| terms.symbol(symbol));
        let sum = terms.bv(BinOp::BvAdd, x, y);
        let mut gates = Gates::new(|| false);
        let words = [x, y, sum].map(|term| gates.word(&terms, term).expect("bits"));
        let known: FxHashMap<Wire, bool> = words[0].iter().chain(&words[1][..2]).map(|&wire| (wire, false)).collect();
        let evaluated = gates.evaluate(&known);
        let values: Vec<Option<bool>> = words[2].iter().map(|&wire| evaluated.value(wire)).collect();
        assert!(values[..2] == [Some(false); 2] && values[2..] == [None; 6], "{values:?}");
        let [x, y, sum] = words.map(|word| word.into_iter().map(|wire| gates.literal(wire)).collect::<Vec<_>>());
        let number = |word: &[Lit], value: u32| -> Vec<Lit> {
            word.iter().enumerate().map(|(i, &bit)| if value >> i & 1 == 1 { bit } else { !bit }).collect()
        };
        let (three, five) = (number(&x, 3), number(&sum, 5));
        assert_eq!(gates.ask(three.iter().chain(&five).copied()), Some(true));
        let found: u32 = y.iter().enumerate().map(|(i, &bit)| u32::from(gates.holds(bit)) << i).sum();
        assert_eq!(found, 2);
        // An even number and an even number are no odd one: nothing but the lowest bits is needed.
        let (two, four) = (number(&x, 2), number(&y, 4));
        assert_eq!(gates.ask(two.iter().chain(&four).chain(&five).copied()), Some(false));
        assert!(gates.needs(two[0]) && gates.needs(four[0]) && gates.needs(five[0]));
        assert!(
            two[1..].iter().chain(&four[1..]).chain(&five[1..]).filter(|&&literal| gates.needs(literal)).count() < 21
        );
        // What was only assumed is forgotten, what was said is not.
        assert_eq!(gates.ask(two.iter().copied()), Some(true));
        gates.add([!two[1]]);
        assert_eq!(gates.ask(two), Some(false));
        assert_eq!(gates.inputs().count(), 16);
    }

    #[test]
    fn a_question_can_be_stopped() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(64)));
        let [x, y] = [x, y].map(|symbol| terms.symbol(symbol));
        let (product, other) = (terms.bv(BinOp::BvMul, x, y), terms.bit_vec(64, 0x1234_5677_89ab_cdef));
        let (same, one) = (terms.eq(product, other), terms.bit_vec(64, 1));
        let (larger, also) = (terms.bv_ult(one, x), terms.bv_ult(one, y));
        let (both, high) = (terms.and(larger, also), terms.bit_vec(64, 1 << 32));
        let (low, small) = (terms.bv_ult(x, high), terms.bv_ult(y, high));
        let all = terms.all([same, both, low, small]);
        let mut gates = Gates::new(|| true);
        let word = gates.word(&terms, all).expect("bits");
        let literal = gates.literal(word[0]);
        assert_eq!(gates.ask([literal]), None);
    }
}
