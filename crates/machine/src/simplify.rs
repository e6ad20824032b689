//! Counterexamples made simple: fewer inputs, smaller ones, zero where nothing depends on them.

use clinch_ir::cfa::{CfaProgram, InputKind, InputOrigin, InputTrace, InputValue};

use crate::guided::input_value;
use crate::{InputRequest, Limits, Machine, Stop};

/// How many steps all attempts together may take.
const STEPS: u64 = 3_000_000;

/// And those before them, which see whether it matters how many arguments the program gets: no run starts with a million of them.
const FIRST_STEPS: u64 = 50_000_000;

/// What it takes to start one, and to give it an input, in steps.
const START: u64 = 5000;
const INPUT: u64 = 20;

/// A run to the same error with simpler inputs, as far as there is one that is easy to find. Each attempt is executed.
pub fn simplified(program: &CfaProgram, trace: InputTrace) -> InputTrace {
    let machine = Machine::new(program);
    let mut attempts = Attempts { machine: &machine, goal: &trace, left: FIRST_STEPS, longest: FIRST_STEPS };
    let bits: Vec<u64> = trace.inputs.iter().map(|input| input.bits).collect();
    let Some(mut best) = attempts.run(&bits) else { return trace };
    // Simpler inputs do not lead to much longer runs.
    attempts.longest = (FIRST_STEPS - attempts.left).saturating_mul(2) + 1000;
    attempts.start_as_usual(&mut best);
    attempts.left = STEPS;
    loop {
        let before = measure(&best);
        attempts.drop_inputs(&mut best);
        attempts.shrink_inputs(&mut best);
        if measure(&best) >= before || attempts.left == 0 {
            break;
        }
    }
    InputTrace { inputs: best, ..trace }
}

/// How simple inputs are: how many there are, and how large.
fn measure(inputs: &[InputValue]) -> (usize, u64) {
    (inputs.len(), inputs.iter().map(|input| size(input.bits, input.width)).sum())
}

/// How far a number is from zero, in bits; negative ones are less simple than positive ones.
fn size(bits: u64, width: u32) -> u64 {
    let number = signed(bits, width);
    2 * u64::from(u64::BITS - number.unsigned_abs().leading_zeros()) + u64::from(number < 0)
}

fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    if width == 0 { bits as i64 } else { ((bits << unused) as i64) >> unused }
}

/// Runs that are to end in the same error.
struct Attempts<'m> {
    machine: &'m Machine<'m>,
    goal: &'m InputTrace,
    /// Steps that may still be taken, in all of them and in one.
    left: u64,
    longest: u64,
}

impl Attempts<'_> {
    /// Runs with these inputs, and zeros after them. The inputs that were asked for, if the run ends as it should.
    fn run(&mut self, bits: &[u64]) -> Option<Vec<InputValue>> {
        let mut taken: Vec<InputValue> = Vec::new();
        let mut state = self.machine.initial();
        let mut inputs = |request: &InputRequest| {
            let value = bits.get(taken.len()).copied().unwrap_or(0);
            taken.push(input_value(request, value));
            Some(value)
        };
        let limits = Limits { steps: self.left.min(self.longest), ..Limits::default() };
        let outcome = self.machine.run(&mut state, &mut inputs, &mut (), &limits);
        self.left = self.left.saturating_sub(state.steps() + START + INPUT * bits.len() as u64);
        (outcome.stop == Stop::Error(self.goal.error.clone()) && outcome.at.span == self.goal.span).then_some(taken)
    }

    /// Takes other inputs if they are simpler and lead to the error, too.
    fn improve(&mut self, best: &mut Vec<InputValue>, bits: &[u64]) -> bool {
        let better = self.run(bits).filter(|inputs| measure(inputs) < measure(best));
        let better = better.filter(|inputs| self.is_usual(inputs) || !self.is_usual(best));
        better.map(|inputs| *best = inputs).is_some()
    }

    /// Whether no parameter of the entry function is zero: programs are not started without their own name.
    fn is_usual(&self, inputs: &[InputValue]) -> bool {
        inputs.iter().all(|input| input.bits != 0 || !self.is_parameter(input))
    }

    fn is_parameter(&self, input: &InputValue) -> bool {
        let sites = &self.machine.program().inputs;
        match input.origin {
            InputOrigin::Site(site) => matches!(sites[site.index()].kind, InputKind::Parameter(_)),
            InputOrigin::Memory(_) => false,
        }
    }

    /// Programs are mostly started with their name alone.
    fn start_as_usual(&mut self, best: &mut Vec<InputValue>) {
        let bits = best.iter().map(|input| if self.is_parameter(input) { 1 } else { input.bits });
        let bits: Vec<u64> = bits.collect();
        self.improve(best, &bits);
    }

    /// Leaves inputs out: many at a time, then fewer.
    fn drop_inputs(&mut self, best: &mut Vec<InputValue>) {
        let mut length = best.len();
        while length > 0 {
            let mut start = 0;
            while start < best.len() && self.left > 0 {
                let end = (start + length).min(best.len());
                let others: Vec<u64> = best[..start].iter().chain(&best[end..]).map(|input| input.bits).collect();
                if !self.improve(best, &others) {
                    start += length;
                }
            }
            length /= 2;
        }
    }

    /// Makes each input smaller: zero, one, then nearer to zero.
    fn shrink_inputs(&mut self, best: &mut Vec<InputValue>) {
        let mut index = 0;
        while index < best.len() && self.left > 0 {
            for smaller in [|_: i64| 0, |_| 1, |n| n / 2, |n: i64| n - n.signum()] {
                while let Some(input) = best.get(index) {
                    let value = smaller(signed(input.bits, input.width)) as u64;
                    let mut bits: Vec<u64> = best.iter().map(|input| input.bits).collect();
                    bits[index] = value;
                    if !self.improve(best, &bits) {
                        break;
                    }
                }
            }
            index += 1;
        }
    }
}
