//! Successors of a packed state.

use clinch_ir::{Interpreter, Program, Reason, TransId};
use clinch_terms::{EvalError, Fault, LocId, ProcId};

use super::code::{Code, Scratch};
use super::model::{Compiled, Model, Source, Written};

/// A successor, or why there is none.
#[derive(Debug)]
pub enum Event<'a> {
    /// A step of the program.
    Step(Step<'a>),
    /// The transition is a fault of the model in this state.
    Fault(TransId, &'a [i64], Fault),
    /// An integer outgrew 64 bits.
    Overflow(TransId),
}

impl Event<'_> {
    /// The transition that is taken, or has no meaning.
    pub fn transition(&self) -> TransId {
        match self {
            Event::Step(step) => step.transition,
            Event::Fault(t, ..) | Event::Overflow(t) => *t,
        }
    }
}

/// A step of the program.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The transition taken.
    pub transition: TransId,
    /// The values of its inputs.
    pub inputs: &'a [i64],
    /// The packed state after it.
    pub words: &'a [u64],
}

/// Computes successors. Owns all working memory, so that a step allocates nothing.
#[derive(Debug)]
pub struct Expander<'m> {
    model: &'m Model<'m>,
    slots: Vec<i64>,
    loaded: Vec<u64>,
    /// The successor being built.
    words: Vec<u64>,
    scratch: Scratch,
    /// Slot and new value of the block being executed.
    pending: Vec<(u32, i64)>,
    /// Slot and value before, to restore after a step of several blocks.
    undo: Vec<(u32, i64)>,
    inputs: Vec<i64>,
}

impl<'m> Expander<'m> {
    /// For a model.
    pub fn new(model: &'m Model<'m>) -> Self {
        Expander {
            model,
            slots: vec![0; model.fields.len()],
            loaded: vec![0; model.layout.words],
            words: vec![0; model.layout.words],
            scratch: Scratch::default(),
            pending: Vec::new(),
            undo: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Unpacks a state; the next calls are about it.
    pub fn load(&mut self, words: &[u64]) {
        self.loaded.copy_from_slice(words);
        for (slot, field) in self.slots.iter_mut().zip(&self.model.fields) {
            *slot = field.get(words);
        }
    }

    /// The program.
    pub fn program(&self) -> &'m Program {
        self.model.program
    }

    /// Where a process is in the loaded state.
    pub fn location(&self, process: ProcId) -> LocId {
        LocId(self.slots[process.index()] as u32)
    }

    /// The slots of the loaded state.
    pub fn slots(&self) -> &[i64] {
        &self.slots
    }

    /// Whether the loaded state satisfies the error condition. A condition that is undefined does not hold.
    pub fn is_error(&mut self) -> Result<bool, Reason> {
        match &self.model.error {
            Some(error) => match self.value(error) {
                Some(value) => Ok(value != 0),
                None => Err(Reason::Overflow("the error condition".to_string())),
            },
            None => Ok(false),
        }
    }

    /// The value of a term in the loaded state, `None` where it is undefined or outgrows 64 bits.
    pub fn value(&mut self, code: &Code) -> Option<i64> {
        self.scratch.trap = false;
        let value = code.eval(&self.slots, &mut self.scratch);
        (!self.scratch.trap).then_some(value)
    }

    /// Calls `f` with everything that can happen in the loaded state, in the order of the transitions of each process
    /// and then the global ones.
    pub fn for_each(&mut self, mut f: impl FnMut(Event<'_>)) {
        let model = self.model;
        for (process, locations) in model.by_location.iter().enumerate() {
            for &t in &locations[self.slots[process] as usize] {
                self.try_transition(&model.transitions[t as usize], &mut f);
            }
        }
        for &t in &model.global {
            self.try_transition(&model.transitions[t as usize], &mut f);
        }
    }

    /// Calls `f` with what happens when one transition is tried in the loaded state; not at all if it is disabled.
    pub fn for_transition(&mut self, id: TransId, mut f: impl FnMut(Event<'_>)) {
        let model = self.model;
        if self.in_place(id) {
            self.try_transition(&model.transitions[id.index()], &mut f);
        }
    }

    /// Like [`Expander::for_transition`], with these inputs instead of all of the model's.
    pub fn for_transition_with(&mut self, id: TransId, inputs: &[i64], mut f: impl FnMut(Event<'_>)) {
        let model = self.model;
        let t = &model.transitions[id.index()];
        if self.in_place(id) && self.is_enabled(t, &mut f) {
            self.inputs.clear();
            self.inputs.extend_from_slice(inputs);
            self.execute(t, &mut f);
        }
    }

    /// Whether the processes the transition moves are where it starts.
    pub fn in_place(&self, id: TransId) -> bool {
        let moves = &self.model.program.transition(id).moves;
        moves.iter().all(|m| self.slots[m.process.index()] == i64::from(m.from.0))
    }

    fn try_transition(&mut self, t: &Compiled, f: &mut impl FnMut(Event<'_>)) {
        if t.partners.iter().any(|&(slot, location)| self.slots[slot as usize] != location) {
            return;
        }
        if !self.is_enabled(t, f) {
            return;
        }
        if t.inputs.is_empty() {
            self.inputs.clear();
            return self.execute(t, f);
        }
        self.for_each_input(t, f);
    }

    /// Whether the guard holds; a guard without value is reported to `f`.
    fn is_enabled(&mut self, t: &Compiled, f: &mut impl FnMut(Event<'_>)) -> bool {
        self.scratch.trap = false;
        let Some(guard) = &t.guard else { return true };
        let enabled = guard.eval(&self.slots, &mut self.scratch) != 0;
        if self.scratch.trap {
            self.inputs.clear();
            self.inputs.extend(t.inputs.iter().map(|b| b.0));
            self.explain(t, f);
            return false;
        }
        enabled
    }

    fn for_each_input(&mut self, t: &Compiled, f: &mut impl FnMut(Event<'_>)) {
        self.inputs.clear();
        self.inputs.extend(t.inputs.iter().map(|b| b.0));
        loop {
            self.execute(t, f);
            let Some(i) = (0..t.inputs.len()).rev().find(|&i| self.inputs[i] < t.inputs[i].1) else { return };
            self.inputs[i] += 1;
            for j in i + 1..t.inputs.len() {
                self.inputs[j] = t.inputs[j].0;
            }
        }
    }

    /// Executes an enabled transition with the current inputs.
    fn execute(&mut self, t: &Compiled, f: &mut impl FnMut(Event<'_>)) {
        let model = self.model;
        self.scratch.trap = false;
        let last = t.blocks.len().saturating_sub(1);
        let mut next_input = 0;
        self.pending.clear();
        self.undo.clear();
        // Earlier blocks change the slots, because later ones read them; the last only the packed words.
        let mut written = 0;
        for (i, block) in t.blocks.iter().enumerate() {
            for write in block {
                let value = match &write.value {
                    Source::Code(code) => code.eval(&self.slots, &mut self.scratch),
                    Source::Input => {
                        next_input += 1;
                        self.inputs[next_input - 1]
                    }
                };
                let slot = match &write.target {
                    Written::Slot(slot) => *slot,
                    Written::Element { first, len, index } => {
                        let index = index.eval(&self.slots, &mut self.scratch);
                        let inside = (0..i64::from(*len)).contains(&index);
                        self.scratch.trap |= !inside;
                        if inside { first + index as u32 } else { *first }
                    }
                };
                self.scratch.trap |= write.check.is_some_and(|(lo, hi)| value < lo || hi < value);
                self.pending.push((slot, value));
            }
            if self.scratch.trap {
                break;
            }
            if i < last {
                for &(slot, value) in &self.pending[written..] {
                    self.undo.push((slot, self.slots[slot as usize]));
                    self.slots[slot as usize] = value;
                }
                written = self.pending.len();
            }
        }
        for &(slot, value) in self.undo.iter().rev() {
            self.slots[slot as usize] = value;
        }
        if self.scratch.trap {
            return self.explain(t, f);
        }
        self.words.copy_from_slice(&self.loaded);
        for &(slot, value) in self.pending.iter().chain(&t.moves) {
            model.fields[slot as usize].set(&mut self.words, value);
        }
        f(Event::Step(Step { transition: t.id, inputs: &self.inputs, words: &self.words }));
    }

    /// The compiled code met a trap: the interpreter says which.
    #[cold]
    fn explain(&mut self, t: &Compiled, f: &mut impl FnMut(Event<'_>)) {
        let state = self.model.layout.unpack(&self.loaded);
        match Interpreter::new(self.model.program).fire(&state, t.id, &self.inputs) {
            Err(EvalError::Fault(fault)) => f(Event::Fault(t.id, &self.inputs, fault)),
            Err(EvalError::Overflow) => f(Event::Overflow(t.id)),
            Ok(_) => unreachable!("the compiled code and the interpreter disagree on {t:?}"),
        }
    }

    /// The reason to stop after an overflow.
    pub fn overflow_reason(model: &Model<'_>, t: TransId) -> Reason {
        Reason::Overflow(format!("transition {}", model.program.transition(t).name))
    }
}
