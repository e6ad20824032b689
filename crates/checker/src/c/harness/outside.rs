//! The objects that pointers from outside lead to: the harness makes them, at the addresses that the inputs say.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use clinch_ir::cfa::{CfaProgram, InputTrace, OUTSIDE_SIZE};
use clinch_machine::{InputRequest, InputSource, Limits, Machine, Observer, TracedEdge};

/// The objects from outside that a run comes to, and those of their bytes that it reads and never wrote.
#[derive(Default)]
pub(super) struct Outside {
    objects: BTreeSet<u64>,
    bytes: BTreeMap<u64, u8>,
}

/// Sees where is written.
struct Writes<'p> {
    program: &'p CfaProgram,
    objects: RefCell<BTreeSet<u64>>,
}

impl Observer for &Writes<'_> {
    const TRACES: bool = true;

    fn edge(&mut self, traced: &TracedEdge<'_>) {
        let addresses = traced.changes.iter().filter_map(|change| change.address);
        let objects = addresses.filter_map(|address| self.program.outside_object_at(address));
        self.objects.borrow_mut().extend(objects);
    }
}

impl Outside {
    /// Runs the program on the inputs of a trace, and sees where it comes to.
    pub(super) fn read(program: &CfaProgram, trace: &InputTrace) -> Outside {
        let mut outside = Outside::default();
        // To watch a long run takes long; most come to no such object.
        let leads = |bits: u64| program.outside_object_at(bits).is_some();
        if !trace.inputs.iter().any(|input| leads(input.bits)) {
            return outside;
        }
        let mut values = trace.inputs.iter();
        let mut inputs = |request: &InputRequest| {
            let bits = values.next()?.bits;
            if let InputSource::Memory { address, .. } = request.source
                && let Some(object) = program.outside_object_at(address)
            {
                outside.objects.insert(object);
                let bytes = (0..u64::from(request.width.div_ceil(8))).map(|i| (address + i, (bits >> (8 * i)) as u8));
                outside.bytes.extend(bytes);
            }
            Some(bits)
        };
        let machine = Machine::new(program);
        let writes = Writes { program, objects: RefCell::default() };
        machine.run(&mut machine.initial(), &mut inputs, &mut &writes, &Limits::default());
        outside.objects.append(&mut writes.objects.into_inner());
        outside
    }

    pub(super) fn write(&self, out: &mut String) {
        if self.objects.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "#define CLINCH_OBJECT_SIZE {OUTSIDE_SIZE}\nstatic const unsigned long clinch_objects[] = {{"
        );
        self.objects.iter().for_each(|object| _ = writeln!(out, "    {object:#x}ul,"));
        let _ = writeln!(out, "}};\nstatic const unsigned long clinch_objects_count = {};", self.objects.len());
        out.push_str("static const struct { unsigned long at; unsigned char byte; } clinch_outside[] = {\n");
        self.bytes.iter().for_each(|(at, byte)| _ = writeln!(out, "    {{{at:#x}ul, {byte}}},"));
        let _ =
            writeln!(out, "    {{0, 0}}\n}};\nstatic const unsigned long clinch_outside_count = {};", self.bytes.len());
        out.push_str(include_str!("outside.c"));
    }
}
