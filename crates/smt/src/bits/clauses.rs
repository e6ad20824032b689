//! Circuits as Boolean formulas of Z3.

use rustc_hash::FxHashSet;
use z3::Model;
use z3::ast::Bool;

use super::circuit::{Bit, Circuit, Gate};

/// The gates of a circuit that matter for one of them, in Z3.
#[derive(Debug)]
pub(crate) struct Formulas {
    /// By the number of the gate; none for what does not matter, and for conjunctions that are part of a larger one.
    gates: Vec<Option<Bool>>,
    goal: Bit,
}

impl Formulas {
    /// Translates what matters for a gate.
    pub(crate) fn new(circuit: &Circuit, goal: Bit) -> Self {
        let uses = uses(circuit, goal);
        let mut formulas = Formulas { gates: vec![None; uses.len()], goal };
        for number in 0..uses.len() {
            if uses[number] != Uses::None && uses[number] != Uses::Conjunct {
                formulas.gates[number] = Some(formulas.translate(circuit, &uses, number));
            }
        }
        formulas
    }

    /// What must hold so that the goal holds, each part once. Z3 would split a conjunction too, but as a tree: what its parts share
    /// it would split again and again.
    pub(crate) fn goals(&self, circuit: &Circuit) -> Vec<Bool> {
        let (mut goals, mut waiting) = (Vec::new(), vec![self.goal]);
        let mut seen = FxHashSet::default();
        while let Some(part) = waiting.pop() {
            match circuit.gate(part.gate()) {
                _ if !seen.insert(part) => {}
                Gate::And(a, b) if !part.is_negated() => waiting.extend([b, a]),
                _ => goals.push(self.of(part)),
            }
        }
        goals
    }

    fn of(&self, bit: Bit) -> Bool {
        let gate = self.gates[bit.gate()].as_ref().expect("arguments come before gates");
        if bit.is_negated() { gate.not() } else { gate.clone() }
    }

    fn translate(&self, circuit: &Circuit, uses: &[Uses], number: usize) -> Bool {
        match circuit.gate(number) {
            Gate::False => Bool::from_bool(false),
            Gate::Input => Bool::new_const(number as u32),
            Gate::And(a, b) => Bool::and(&self.conjuncts(circuit, uses, a, b)),
            Gate::Xor(a, b) => self.of(a).xor(self.of(b)),
            Gate::Ite(c, a, b) => self.of(c).ite(&self.of(a), &self.of(b)),
        }
    }

    /// The parts of a conjunction, and of those conjunctions in it that are used nowhere else.
    fn conjuncts(&self, circuit: &Circuit, uses: &[Uses], a: Bit, b: Bit) -> Vec<Bool> {
        let (mut conjuncts, mut waiting) = (Vec::new(), vec![b, a]);
        while let Some(part) = waiting.pop() {
            match circuit.gate(part.gate()) {
                Gate::And(a, b) if uses[part.gate()] == Uses::Conjunct => waiting.extend([b, a]),
                _ => conjuncts.push(self.of(part)),
            }
        }
        conjuncts
    }

    /// The values of all gates in a model of the goal.
    pub(crate) fn values(&self, circuit: &Circuit, model: &Model) -> Vec<bool> {
        let mut values = Vec::with_capacity(circuit.len());
        for (number, gate) in self.gates.iter().enumerate() {
            circuit.evaluate_to(number, &mut values);
            if let (Gate::Input, Some(input)) = (circuit.gate(number), gate) {
                values.push(model.eval(input, true).and_then(|value| value.as_bool()).unwrap_or(false));
            }
        }
        values
    }
}

/// How a gate is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Uses {
    /// Not at all.
    None,
    /// Once, as a part of a conjunction, and it is one itself.
    Conjunct,
    /// In other ways.
    Other,
}

fn uses(circuit: &Circuit, goal: Bit) -> Vec<Uses> {
    let mut uses = vec![Uses::None; goal.gate() + 1];
    let is_conjunction = matches!(circuit.gate(goal.gate()), Gate::And(..)) && !goal.is_negated();
    uses[goal.gate()] = if is_conjunction { Uses::Conjunct } else { Uses::Other };
    for number in (0..uses.len()).rev().filter(|&n| n > 0) {
        if uses[number] == Uses::None {
            continue;
        }
        let gate = circuit.gate(number);
        for argument in gate.arguments() {
            let is_conjunct = matches!(gate, Gate::And(..))
                && matches!(circuit.gate(argument.gate()), Gate::And(..))
                && !argument.is_negated();
            let used = &mut uses[argument.gate()];
            *used = if is_conjunct && *used == Uses::None { Uses::Conjunct } else { Uses::Other };
        }
    }
    uses
}
