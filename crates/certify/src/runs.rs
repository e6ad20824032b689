//! Evidence about programs with procedures: runs, and closed sets of states.

use clinch_ir::cfa::{CfaProgram, InputOrigin, InputTrace, InputValue, ReachedStates};
use clinch_machine::{InputRequest, InputSource, Limit, Limits, LoopHeads, Machine, MachineState, Pause, Stop as End};
use rustc_hash::FxHashSet;

use crate::{Rejection, Stop};

/// Inputs of more bits than this are not tried exhaustively.
const EXHAUSTIVE_BITS: u32 = 16;

/// Edges of a piece of a run before every loop head is looked up in the set.
const UNWATCHED_STEPS: u64 = 1 << 22;

/// Replays a run: it asks for these inputs, in this order, and ends in the error.
pub fn check_input_trace(program: &CfaProgram, trace: &InputTrace, stop: Stop<'_>) -> Result<(), Rejection> {
    let machine = Machine::new(program);
    let mut inputs = trace.inputs.iter();
    let mut strange = None;
    let mut next = |request: &InputRequest| {
        let input = inputs.next()?;
        if !answers(input, request) {
            strange.get_or_insert(format!("the run asks for {:?}, the trace has {:?}", request.source, input.origin));
        }
        Some(input.bits)
    };
    let limits = Limits { interrupt: Some(&|| stop()), ..Limits::default() };
    let outcome = machine.run(&mut machine.initial(), &mut next, &mut (), &limits);
    if let Some(text) = strange {
        return Err(Rejection::Wrong(text));
    }
    match outcome.stop {
        End::Error(error) if error == trace.error && outcome.at.span == trace.span => Ok(()),
        End::Limit(limit) => Err(Rejection::Undecided(format!("the run hits a limit ({limit:?})"))),
        other => Err(Rejection::Wrong(format!("the run ends otherwise: {other:?}"))),
    }
}

fn answers(input: &InputValue, request: &InputRequest) -> bool {
    let same = match (&input.origin, &request.source) {
        (InputOrigin::Site(a), InputSource::Site(b)) => a == b,
        (InputOrigin::Memory(a), InputSource::Memory { object, .. }) => a == object,
        _ => false,
    };
    same && input.width == request.width
}

/// Checks that the start leads into the set, and that from each of its states every value of the input leads into it again
/// or to an end without error.
pub fn check_reached_states(program: &CfaProgram, reached: &ReachedStates, stop: Stop<'_>) -> Result<(), Rejection> {
    let machine = Machine::new(program);
    let set: FxHashSet<&[u8]> = reached.states.iter().map(AsRef::as_ref).collect();
    let check = Closure { machine: &machine, set, stop };
    check.leads_inside(&mut machine.initial())?;
    for bytes in &reached.states {
        let state = machine.decode(bytes).ok_or_else(|| Rejection::Wrong("not a state".to_owned()))?;
        check.is_closed(state)?;
    }
    Ok(())
}

struct Closure<'a> {
    machine: &'a Machine<'a>,
    set: FxHashSet<&'a [u8]>,
    stop: Stop<'a>,
}

impl Closure<'_> {
    fn is_closed(&self, state: MachineState) -> Result<(), Rejection> {
        let mut paused = state;
        match self.next_pause(&mut paused, LoopHeads::Stop, u64::MAX) {
            Pause::Input(request) => {
                let mut state = paused.clone();
                for bits in self.values(&request)? {
                    state.clone_from(&paused);
                    self.machine.supply(&mut state, &request, bits);
                    self.leads_inside(&mut state)?;
                }
                Ok(())
            }
            Pause::LoopHead(..) if self.contains(&paused) => Ok(()),
            Pause::LoopHead(..) => self.leads_inside(&mut paused),
            Pause::Stopped(outcome) => self.ends_well(outcome.stop),
        }
    }

    /// All values of an input; one stands for all if none is ever read.
    fn values(&self, request: &InputRequest) -> Result<std::ops::Range<u64>, Rejection> {
        match request.width {
            _ if !self.machine.input_matters(request) => Ok(0..1),
            width @ 1..=EXHAUSTIVE_BITS => Ok(0..1 << width),
            width => Err(Rejection::Undecided(format!("an input of {width} bits has too many values"))),
        }
    }

    /// Follows a run to the next input; the state there, or one at a loop head on the way, must be in the set.
    fn leads_inside(&self, state: &mut MachineState) -> Result<(), Rejection> {
        let unwatched = if self.set.is_empty() { u64::MAX } else { UNWATCHED_STEPS };
        let mut pause = self.next_pause(state, LoopHeads::Pass, state.steps().saturating_add(unwatched));
        if matches!(&pause, Pause::Stopped(o) if o.stop == End::Limit(Limit::Steps)) {
            loop {
                pause = self.next_pause(state, LoopHeads::Stop, u64::MAX);
                match pause {
                    Pause::LoopHead(..) if self.contains(state) => return Ok(()),
                    Pause::LoopHead(..) if (self.stop)() => return Err(Rejection::Undecided("out of time".to_owned())),
                    Pause::LoopHead(..) => {}
                    _ => break,
                }
            }
        }
        match pause {
            Pause::Stopped(outcome) => self.ends_well(outcome.stop),
            _ if self.contains(state) => Ok(()),
            _ => Err(Rejection::Wrong("a run leaves the set of states".to_owned())),
        }
    }

    fn next_pause(&self, state: &mut MachineState, heads: LoopHeads, steps: u64) -> Pause {
        let limits = Limits { steps, interrupt: Some(&|| (self.stop)()), ..Limits::default() };
        self.machine.run_until_input(state, &mut (), heads, &limits)
    }

    fn contains(&self, state: &MachineState) -> bool {
        let mut bytes = Vec::new();
        self.machine.encode(state, &mut bytes);
        self.set.contains(bytes.as_slice())
    }

    fn ends_well(&self, end: End) -> Result<(), Rejection> {
        match end {
            End::Exit(_) | End::Abort | End::Blocked => Ok(()),
            End::Limit(limit) => Err(Rejection::Undecided(format!("a run hits a limit ({limit:?})"))),
            other => Err(Rejection::Wrong(format!("a run ends with {other:?}"))),
        }
    }
}
