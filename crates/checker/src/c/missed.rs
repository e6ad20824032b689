//! What an access to memory missed: which object it was meant for, by how much, and what became of that.

use std::collections::BTreeMap;

use clinch_frontend::c::EARLIER_LIFE;
use clinch_ir::Span;
use clinch_ir::cfa::{Access, CfaProgram, InputTrace};
use clinch_machine::guided::value_bits;
use clinch_machine::{InputList, Limits, Machine, MachineState, View, as_value};
use clinch_terms::evaluate::{Environment, evaluate};
use clinch_terms::{Sort, Term};

/// Where objects came to life and where they ended, by where they start.
#[derive(Clone, Default, Debug)]
pub(super) struct Lives(BTreeMap<u64, Life>);

#[derive(Clone, Copy, Debug)]
struct Life {
    start: Span,
    end: Option<Span>,
}

impl Lives {
    /// The kind of an object changes: 0 is one that is no more.
    pub(super) fn change(&mut self, address: u64, kind: u64, span: Span) {
        match (kind, self.0.get_mut(&address)) {
            (0, Some(life)) => life.end = life.end.or(Some(span)),
            (0, None) => {}
            (_, _) => {
                self.0.insert(address, Life { start: span, end: None });
            }
        }
    }
}

/// Whether a run ends at an access to a local object of an earlier iteration: it has the place of the one that lives, so that no execution shows it.
pub(super) fn is_of_earlier_life(program: &CfaProgram, trace: &InputTrace) -> bool {
    let machine = Machine::new(program);
    let (mut state, inputs) = (machine.initial(), trace.inputs.iter().map(|input| input.bits));
    machine.run(&mut state, &mut InputList::new(inputs.collect()), &mut (), &Limits::default());
    let base = program.accesses.get(&machine.location(&state)).and_then(|access| access.base);
    let view = View::new(&machine, state);
    base.and_then(|base| value_bits(&evaluate(&program.terms, &view, base)?)) == Some(EARLIER_LIFE)
}

/// An access where a run ends, in words; `name` says what is at an address.
pub(super) fn missed(
    machine: &Machine<'_>,
    state: MachineState,
    lives: &Lives,
    name: impl Fn(u64) -> Option<String>,
) -> Option<String> {
    let program = machine.program();
    let access = *program.accesses.get(&machine.location(&state))?;
    let view = View::new(machine, state);
    let value = |term: Term| value_bits(&evaluate(&program.terms, &view, term)?);
    let Access { address, base, bytes } = access;
    let (address, base) = (value(address)?, base.and_then(value).unwrap_or(0));
    if address == 0 {
        return Some("the pointer is null".to_owned());
    }
    if base == EARLIER_LIFE {
        return Some("a local object of an iteration before, which is no more".to_owned());
    }
    if base <= 1 {
        return Some(format!("{address:#x} is the address of no object"));
    }
    let object = program.objects.iter().find(|o| o.address == base);
    let whole = object.map(|o| o.name.clone()).or_else(|| name(base)).unwrap_or_else(|| "a block".to_owned());
    let size = object.map(|o| o.size).or_else(|| table(program, &view, "$size", base));
    let life = lives.0.get(&base).filter(|_| object.is_none());
    let place = |span: Span| {
        let place = program.source.place(span);
        format!("{}:{}", place.file, place.line)
    };
    let made = life.map_or(String::new(), |life| format!(", allocated at {}", place(life.start)));
    if let Some(end) = lives.0.get(&base).and_then(|life| life.end) {
        let how = if object.is_some() { "its life ended" } else { "it was freed" };
        return Some(format!("{whole}{made}; {how} at {}", place(end)));
    }
    let offset = address.wrapping_sub(base) as i64;
    let Some(bytes) = bytes.and_then(value) else {
        let inside = if offset == 0 { "" } else { "inside of " };
        return Some(format!("what is freed is {inside}{whole}{made}"));
    };
    let size = size?;
    if offset >= 0 && (offset as u64).saturating_add(bytes) <= size {
        return Some(format!("{whole} is a constant"));
    }
    let count = |bytes: u64| format!("{bytes} byte{}", if bytes == 1 { "" } else { "s" });
    Some(format!("{} at offset {offset} of {whole}, which has {}{made}", count(bytes), count(size)))
}

/// An entry of a table of the checks.
fn table(program: &CfaProgram, view: &View<'_>, name: &str, at: u64) -> Option<u64> {
    let region = program.regions.iter().find(|region| region.ghost && region.name == name)?;
    let index = as_value(&Sort::BitVec(program.pointer_bits), at)?;
    value_bits(&view.element(region.symbol, &index)?)
}
