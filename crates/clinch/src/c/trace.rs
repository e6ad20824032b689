//! A run in terms of the source: lines, statements, values that changed.

use clinch_ir::cfa::{CfaProgram, InputKind, InputTrace, Integers, Op, Place};
use clinch_ir::machine::{Change, InputList, Limits, Machine, Observer, TracedEdge};
use clinch_ir::{Sort, Symbol};
use serde_json::{Value, json};

/// One line of a trace.
#[derive(Clone, Debug)]
pub(crate) struct TraceLine {
    pub(crate) place: Place,
    /// How many calls are active.
    pub(crate) depth: usize,
    /// The text of the statement.
    pub(crate) statement: String,
    /// Variables and their new values.
    pub(crate) changes: Vec<(String, String)>,
    /// Whether a value was an input.
    pub(crate) input: bool,
}

/// The lines of a run.
pub(crate) fn lines(program: &CfaProgram, trace: &InputTrace) -> Vec<TraceLine> {
    /// Longer runs are not shown whole anyway.
    const STEPS: u64 = 2_000_000;
    let machine = Machine::new(program);
    let mut inputs = InputList::new(trace.inputs.iter().map(|i| i.bits).collect());
    let mut writer = Writer { program, lines: Vec::new() };
    let limits = Limits { steps: STEPS, ..Limits::default() };
    machine.run(&mut machine.initial(), &mut inputs, &mut writer, &limits);
    writer.lines
}

struct Writer<'p> {
    program: &'p CfaProgram,
    lines: Vec<TraceLine>,
}

impl Observer for Writer<'_> {
    const TRACES: bool = true;

    fn edge(&mut self, traced: &TracedEdge<'_>) {
        let procedure = self.program.procedure(traced.at.procedure);
        // What the program does before `main` is not in its text.
        let Some(edge) = traced.at.edge.map(|e| &procedure.edges[e.index()]) else { return };
        if edge.span.end == 0 || traced.at.procedure == self.program.entry {
            return;
        }
        let changes: Vec<_> = traced.changes.iter().filter_map(|change| self.change(change)).collect();
        let input = matches!(&edge.op, Op::Input(_, site)
            if !matches!(self.program.inputs[site.index()].kind, InputKind::Opaque(_)));
        if changes.is_empty()
            && matches!(edge.op, Op::Skip | Op::Enter(_) | Op::Leave(_) | Op::Assign(_) | Op::Return(_))
        {
            return;
        }
        let place = self.program.source.place(edge.span);
        let statement = match edge.op {
            Op::Assume(condition) => format!("[{}]", clinch_ir::cfa::print::show_c(self.program, condition)),
            _ => self.program.source.excerpt(edge.span),
        };
        let line = TraceLine { place, depth: traced.depth.saturating_sub(2), statement, changes, input };
        self.lines.push(line);
    }

    fn print(&mut self, _: &[u8], _: bool) {}
}

impl Writer<'_> {
    fn change(&self, change: &Change) -> Option<(String, String)> {
        let value = if change.known { show_value(self.program, change.symbol, change.value) } else { "?".to_owned() };
        match change.address {
            Some(address) => {
                let region = self.program.region(change.symbol)?;
                Some((format!("{} at {}", region.name, self.object_at(address)), value))
            }
            None => {
                let info = self.program.variables.get(&change.symbol)?;
                (!info.hidden).then(|| (info.name.clone(), value))
            }
        }
    }

    /// An address for people: an object and an offset.
    fn object_at(&self, address: u64) -> String {
        let object = self.program.objects.iter().find(|o| (o.address..o.address + o.size.max(1)).contains(&address));
        match object {
            Some(object) if object.address == address => format!("&{}", object.name),
            Some(object) => format!("&{}+{}", object.name, address - object.address),
            None => format!("{address:#x}"),
        }
    }
}

/// A value of a variable (or of a cell of a region) as a decimal number.
pub(crate) fn show_value(program: &CfaProgram, symbol: Symbol, bits: u64) -> String {
    let signed = program.variables.get(&symbol).is_none_or(|info| info.signed);
    let width = match program.terms.symbol_sort(symbol) {
        Sort::BitVec(width) => *width,
        Sort::Array(of) => match of.1 {
            Sort::BitVec(width) => width,
            _ => 0,
        },
        _ => 0,
    };
    show_bits(program, bits, width, signed)
}

/// Bits as a decimal number.
pub(crate) fn show_bits(program: &CfaProgram, bits: u64, width: u32, signed: bool) -> String {
    match width {
        _ if program.integers == Integers::Mathematical => (bits as i64).to_string(),
        1..64 if signed => (((bits << (64 - width)) as i64) >> (64 - width)).to_string(),
        64 if signed => (bits as i64).to_string(),
        _ => bits.to_string(),
    }
}

/// For machines.
pub(crate) fn json(lines: &[TraceLine]) -> Value {
    let line = |line: &TraceLine| {
        json!({
            "file": line.place.file,
            "line": line.place.line,
            "depth": line.depth,
            "statement": line.statement,
            "changes": line.changes.iter().map(|(n, v)| (n.clone(), Value::from(v.as_str()))).collect::<serde_json::Map<_, _>>(),
            "input": line.input,
        })
    };
    lines.iter().map(line).collect()
}

/// For people: the beginning and the end of a long one.
pub(crate) fn text(lines: &[TraceLine]) -> String {
    const FIRST: usize = 15;
    const LAST: usize = 30;
    let width = lines.iter().map(|l| place_text(l).len()).max().unwrap_or(0).min(40);
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        if lines.len() > FIRST + LAST && (FIRST..lines.len() - LAST).contains(&i) {
            if i == FIRST {
                out.push_str(&format!("  ... {} steps ...\n", lines.len() - FIRST - LAST));
            }
            continue;
        }
        let changes: Vec<String> = line.changes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let mark = if line.input { "  (input)" } else { "" };
        let indent = "  ".repeat(line.depth.min(20));
        let row = format!("  {:width$}  {indent}{:40}  {}{mark}", place_text(line), line.statement, changes.join(", "));
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

fn place_text(line: &TraceLine) -> String {
    let name = std::path::Path::new(&line.place.file).file_name();
    format!("{}:{}", name.map(|n| n.to_string_lossy()).unwrap_or_default(), line.place.line)
}
