//! A run in terms of the source: lines, statements, values that changed.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::Span;
use clinch_ir::cfa::{
    CfaProgram, Check, Edge, InputKind, InputTrace, Integers, Op, ProcedureId, Region, hexadecimal, show_c, show_float,
};
use clinch_machine::{Change, InputList, Limit, Limits, Machine, MachineState, Observer, Stop, TracedEdge};
use clinch_terms::float::Format;
use clinch_terms::{LocId, Sort, Symbol, Term};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::load::Language;
use super::missed::{Lives, missed};
use super::slice::{Slice, is_left_out};

/// One line of a trace.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct TraceLine {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// How many calls are active.
    pub depth: usize,
    /// The text of the statement.
    pub statement: String,
    /// Variables and their new values.
    pub changes: Vec<(String, String)>,
    /// Whether a value was an input.
    pub input: bool,
    /// Whether the end of the run depends on it, as far as that is known.
    #[serde(default = "yes")]
    pub matters: bool,
}

/// What older reports say nothing of.
fn yes() -> bool {
    true
}

/// The lines of a run: all of a short one, the beginning and the end of a long one.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Lines {
    /// The beginning.
    pub first: Vec<TraceLine>,
    /// Steps between them that are left out.
    pub left_out: u64,
    /// The end.
    pub last: Vec<TraceLine>,
    /// What an access to memory missed, if that is the error.
    #[serde(default)]
    pub missed: Option<String>,
}

/// Steps at the beginning and at the end of a run that are written down.
const KEPT: u64 = 1000;
/// Of a longer run only the beginning is traced, and as many steps at its end: tracing is slow.
const TRACED: u64 = 1 << 20;
/// Of longer runs it is not found out which steps matter.
const SLICED: u64 = 200_000;
/// Longer runs are shown as far as this.
const STEPS: u64 = 2_000_000_000;

/// The lines of a run.
pub(crate) fn lines(program: &CfaProgram, language: Language, trace: &InputTrace) -> Lines {
    let machine = Machine::new(program);
    let end = near_the_end(&machine, trace);
    let mut counter = Counter(end.state.steps());
    end.clone().finish(&machine, &mut counter);
    let last = counter.0.saturating_sub(KEPT).max(KEPT);
    let mut slice = Slice::new(program);
    if language == Language::C && end.state.steps() == 0 && counter.0 <= SLICED {
        end.clone().finish(&machine, &mut slice);
    }
    let globals = match language {
        Language::C => BTreeMap::new(),
        Language::Remopla => program.globals.iter().map(|g| (g.symbol, 0)).collect(),
    };
    let mut writer = Writer {
        machine: &machine,
        program,
        language,
        step: 0,
        end: last,
        matters: slice.matters(),
        lines: Lines::default(),
        hidden: BTreeMap::new(),
        checks: checks(program),
        last_input: Span::default(),
        blocks: BTreeMap::new(),
        kinds: program.regions.iter().find(|region| region.ghost && region.name == "$kind").map(|region| region.symbol),
        lives: Lives::default(),
        globals,
    };
    if end.state.steps() > 0 {
        Moment::start(&machine, trace).go_on(&machine, &mut writer, KEPT);
        writer.step = end.state.steps();
    }
    let state = end.finish(&machine, &mut writer);
    writer.lines.left_out = last - KEPT;
    writer.lines.missed = missed(&machine, state, &writer.lives, |address| writer.place(address));
    writer.lines
}

/// The locations where something is checked that the program does not say.
fn checks(program: &CfaProgram) -> BTreeSet<(ProcedureId, LocId)> {
    let mut all = BTreeSet::new();
    for (index, procedure) in program.procedures.iter().enumerate() {
        let leaving = procedure.successors();
        let fails = |guard: &Edge| {
            let mut edges = leaving[guard.to.index()].iter().map(|edge| &procedure.edges[edge.index()]);
            edges.any(|edge| match &edge.op {
                Op::Error(failure) => failure.check != Check::Assertion,
                Op::Undefined(_) | Op::Unsupported(_) => true,
                _ => is_left_out(guard, edge),
            })
        };
        let guards = procedure.edges.iter().filter(|edge| matches!(edge.op, Op::Assume(_)) && fails(edge));
        all.extend(guards.map(|edge| (ProcedureId::from_index(index), edge.from)));
    }
    all
}

/// A moment of a run: the state, and the inputs that are left.
#[derive(Clone)]
struct Moment {
    state: MachineState,
    inputs: InputList,
}

impl Moment {
    fn start(machine: &Machine<'_>, trace: &InputTrace) -> Moment {
        let inputs = InputList::new(trace.inputs.iter().map(|i| i.bits).collect());
        Moment { state: machine.initial(), inputs }
    }

    /// Goes on until so many steps are done. Whether the run goes on after them.
    fn go_on(&mut self, machine: &Machine<'_>, observer: &mut impl Observer, steps: u64) -> bool {
        let limits = Limits { steps, ..Limits::default() };
        let outcome = machine.run(&mut self.state, &mut self.inputs, observer, &limits);
        outcome.stop == Stop::Limit(Limit::Steps)
    }

    /// Goes on to the end: the state there.
    fn finish(mut self, machine: &Machine<'_>, observer: &mut impl Observer) -> MachineState {
        self.go_on(machine, observer, STEPS);
        self.state
    }
}

/// The start of a short run; a moment that is not long before the end of a long one.
fn near_the_end(machine: &Machine<'_>, trace: &InputTrace) -> Moment {
    let start = Moment::start(machine, trace);
    let (mut before, mut now) = (start.clone(), start);
    while now.state.steps() < STEPS {
        let earlier = now.clone();
        if !now.go_on(machine, &mut (), earlier.state.steps() + TRACED) {
            break;
        }
        before = earlier;
    }
    before
}

/// Counts the steps of a run.
struct Counter(u64);

impl Observer for Counter {
    const TRACES: bool = true;

    fn edge(&mut self, _: &TracedEdge<'_>) {
        self.0 += 1;
    }
}

struct Writer<'p> {
    machine: &'p Machine<'p>,
    program: &'p CfaProgram,
    language: Language,
    /// Steps so far.
    step: u64,
    /// Where the end begins.
    end: u64,
    /// For each step whether it matters; nothing if that is not known.
    matters: Vec<bool>,
    lines: Lines,
    /// What each hidden variable last stood for: a piece of text.
    hidden: BTreeMap<Symbol, Span>,
    /// Where control is when something is checked that the program does not say.
    checks: BTreeSet<(ProcedureId, LocId)>,
    /// Where the last input was asked for.
    last_input: Span,
    /// Blocks that were allocated, by their addresses.
    blocks: BTreeMap<u64, String>,
    /// The table of the checks that says which objects are alive.
    kinds: Option<Symbol>,
    lives: Lives,
    /// The globals of a Remopla program, with their values: an assignment to an element writes all of them.
    globals: BTreeMap<Symbol, u64>,
}

impl Observer for Writer<'_> {
    const TRACES: bool = true;

    fn edge(&mut self, traced: &TracedEdge<'_>) {
        let procedure = self.program.procedure(traced.at.procedure);
        self.step += 1;
        let new: Vec<Change> = traced.changes.iter().copied().filter(|change| self.is_new(change)).collect();
        if let Some(Op::Alloc { .. }) = traced.at.edge.map(|e| &procedure.edges[e.index()].op)
            && let [made] = traced.changes
        {
            self.blocks.insert(made.value, format!("block{}", self.blocks.len() + 1));
        }
        if let Some(edge) = traced.at.edge.map(|e| &procedure.edges[e.index()]) {
            let kinds = traced.changes.iter().filter(|change| Some(change.symbol) == self.kinds);
            kinds.for_each(|change| self.lives.change(change.address.unwrap_or(0), change.value, edge.span));
        }
        // What the program does before `main` is not in its text.
        let Some(edge) = traced.at.edge.map(|e| &procedure.edges[e.index()]) else { return };
        if edge.span.end == 0 || traced.at.procedure == self.program.entry {
            return;
        }
        self.remember(traced.changes, edge.span);
        if (KEPT..self.end).contains(&self.step) {
            return;
        }
        if self.is_no_news(traced.at.procedure, edge) {
            return;
        }
        let input = matches!(&edge.op, Op::Input(_, site)
            if !matches!(self.program.inputs[site.index()].kind, InputKind::Opaque(_) | InputKind::Lost));
        let result = input || traced.returned;
        let several = matches!(&edge.op, Op::Assign(assigns) if assigns.len() > 1);
        let shown = if several { new.as_slice() } else { traced.changes };
        let changes: Vec<_> = shown.iter().filter_map(|change| self.change(change, result)).collect();
        let silent = matches!(edge.op, Op::Skip | Op::Enter(_) | Op::Leave(_) | Op::Assign(_) | Op::Return(_));
        if changes.is_empty() && (silent || traced.returned) {
            return;
        }
        if input {
            self.last_input = edge.span;
        }
        let place = self.program.source.place(edge.span);
        let statement = match &edge.op {
            // A guard of Remopla is the text of its edge; in C the text may be that of the whole condition.
            Op::Assume(condition) if self.language == Language::C => format!("[{}]", self.condition(*condition)),
            Op::Assume(_) => format!("[{}]", self.program.source.excerpt(edge.span)),
            // What a macro is made of is not what its user wrote.
            Op::Error(failure) if failure.text.starts_with("assertion ") => failure.text.clone(),
            _ => self.program.source.excerpt(edge.span),
        };
        let matters = self.matters.get(self.step as usize - 1).is_none_or(|matters| *matters);
        let lines = if self.step < KEPT { &mut self.lines.first } else { &mut self.lines.last };
        let depth = traced.depth.saturating_sub(2);
        lines.push(TraceLine { file: place.file, line: place.line, depth, statement, changes, input, matters });
    }
}

impl Writer<'_> {
    fn remember(&mut self, changes: &[Change], span: Span) {
        for change in changes {
            if self.program.variables.get(&change.symbol).is_some_and(|info| info.hidden) {
                self.hidden.insert(change.symbol, span);
            }
        }
    }

    /// Whether a variable has another value than before, as far as that is known.
    fn is_new(&mut self, change: &Change) -> bool {
        match self.globals.get_mut(&change.symbol) {
            Some(value) => std::mem::replace(value, change.value) != change.value,
            None => true,
        }
    }

    /// Whether a step is no statement of the program, or says nothing that was not said.
    fn is_no_news(&self, procedure: ProcedureId, edge: &Edge) -> bool {
        match edge.op {
            // What is checked is no statement; the values that the type of an input excludes are no news.
            Op::Assume(condition) => {
                self.checks.contains(&(procedure, edge.from))
                    || edge.span == self.last_input
                    || self.is_within_a_call(condition)
            }
            Op::Input(_, site) => !self.machine.site_matters(site),
            _ => false,
        }
    }

    /// Whether a condition is about several values that one text stands for. Those are of a function that is written out where it is
    /// called, as `strcpy` is, and what it asks is not what the program asks.
    fn is_within_a_call(&self, condition: Term) -> bool {
        let symbols = self.program.terms.symbols(condition);
        let texts: Vec<&Span> = symbols.iter().filter_map(|symbol| self.hidden.get(symbol)).collect();
        texts.iter().enumerate().any(|(n, text)| texts[..n].contains(text))
    }

    /// A condition in C, with the text of what hidden variables stand for.
    fn condition(&self, condition: Term) -> String {
        let mut text = show_c(self.program, condition);
        // Longer names first: `$1` is a part of `$12`.
        for symbol in self.program.terms.symbols(condition).into_iter().rev() {
            if let (Some(info), Some(meaning)) = (self.program.variables.get(&symbol), self.hidden.get(&symbol)) {
                text = text.replace(&info.name, &self.program.source.excerpt(*meaning));
            }
        }
        text
    }

    /// A variable and its new value; a hidden one, which has no name, only where its value is a result.
    fn change(&self, change: &Change, result: bool) -> Option<(String, String)> {
        let value = if change.known { self.value(change) } else { "?".to_owned() };
        match change.address {
            Some(address) => {
                let region = self.program.region(change.symbol).filter(|region| !region.ghost)?;
                Some((self.cell(region, address), value))
            }
            None => {
                let info = self.program.variables.get(&change.symbol)?;
                match info.hidden {
                    false => Some((info.name.clone(), value)),
                    true => result.then(|| ("value".to_owned(), value)),
                }
            }
        }
    }

    /// A value for people: pointers by what they point to.
    fn value(&self, change: &Change) -> String {
        let info = self.program.variables.get(&change.symbol);
        let pointer = info.is_some_and(|info| info.pointer) && change.address.is_none();
        let target = || {
            let function = self.program.procedures.iter().find(|p| p.address == Some(change.value));
            let function = function.map(|function| function.name.clone());
            function.or_else(|| self.place(change.value)).map(|place| format!("&{place}"))
        };
        match target().filter(|_| pointer || change.address.is_some() && change.value >= self.lowest()) {
            Some(target) => target,
            None if pointer && change.value == 0 => "NULL".to_owned(),
            None => show_value(self.program, change.symbol, change.value),
        }
    }

    /// The lowest address of an object or a block.
    fn lowest(&self) -> u64 {
        self.program.objects.iter().map(|o| o.address).min().unwrap_or(u64::MAX)
    }

    /// A cell by its name in the source: `ring.data[1]`, or `block1->next` for a member of a block.
    fn cell(&self, region: &Region, address: u64) -> String {
        // Regions of one name are numbered.
        let name = region.name.split('#').next().unwrap_or_default();
        let member = name.rsplit_once('.').map(|(_, member)| member);
        match (self.part_of_object(address, region.cell_bytes), self.block_at(address), member) {
            (Some(part), _, _) => part,
            (None, Some((block, _)), Some(member)) => format!("{block}->{member}"),
            (None, Some((block, offset)), None) => format!("{block}[{}]", offset / u64::from(region.cell_bytes)),
            (None, None, _) => name.to_owned(),
        }
    }

    /// What a pointer points to: an object or a part of it, or a block.
    fn place(&self, address: u64) -> Option<String> {
        self.part_of_object(address, 0).or_else(|| {
            let (block, offset) = self.block_at(address)?;
            Some(if offset == 0 { block } else { format!("{block} + {offset} bytes") })
        })
    }

    /// The name of a part of an object; cells have so many bytes, if that is known.
    fn part_of_object(&self, address: u64, cell_bytes: u32) -> Option<String> {
        let object = self.program.objects.iter().find(|o| (o.address..o.address + o.size.max(1)).contains(&address))?;
        let (name, offset) = (&object.name, address - object.address);
        let layout = self.program.layouts.get(&object.ty);
        let member = layout.and_then(|layout| layout.iter().find(|member| member.offset == offset));
        let is_array = object.ty.ends_with(']') && layout.is_none() && object.ty.matches('[').count() == 1;
        Some(match member {
            Some(member) => format!("{name}{}", member.path),
            None if is_array && cell_bytes > 0 => format!("{name}[{}]", offset / u64::from(cell_bytes)),
            None if offset == 0 => name.clone(),
            None => format!("{name} + {offset} bytes"),
        })
    }

    /// The block at an address, and where in it that is.
    fn block_at(&self, address: u64) -> Option<(String, u64)> {
        let (&start, name) = self.blocks.range(..=address).next_back()?;
        Some((name.clone(), address - start))
    }
}

/// A value of a variable (or of a cell of a region) as a decimal number or a truth value.
pub(crate) fn show_value(program: &CfaProgram, symbol: Symbol, bits: u64) -> String {
    if *program.terms.symbol_sort(symbol) == Sort::Bool {
        return (bits != 0).to_string();
    }
    if let Some(number) = program.variables.get(&symbol).and_then(|info| show_float_of(&info.ty, bits)) {
        return number;
    }
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

/// A value of a floating type.
pub(crate) fn show_float_of(ty: &str, bits: u64) -> Option<String> {
    match ty {
        "float" => Some(show_float(Format::Single, bits)),
        "double" => Some(show_float(Format::Double, bits)),
        _ => None,
    }
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

impl Lines {
    /// For machines: the lines, with a gap where steps are left out.
    pub(crate) fn to_json(&self) -> Value {
        let line = |line: &TraceLine| {
            let changes = line.changes.iter().map(|(n, v)| (n.clone(), Value::from(v.as_str())));
            let mut step = json!({
                "file": line.file,
                "line": line.line,
                "depth": line.depth,
                "statement": line.statement,
                "changes": changes.collect::<serde_json::Map<_, _>>(),
                "input": line.input,
                "matters": line.matters,
            });
            let floats = line.changes.iter().filter_map(|(n, v)| Some((n.clone(), hexadecimal(v)?.into())));
            let floats: serde_json::Map<String, Value> = floats.collect();
            if !floats.is_empty() {
                step["hexadecimal"] = floats.into();
            }
            step
        };
        let gap = (self.left_out > 0).then(|| json!({ "left_out": self.left_out }));
        self.first.iter().map(line).chain(gap).chain(self.last.iter().map(line)).collect()
    }

    /// For people: what matters, and of that the beginning and the end of a long one.
    pub(crate) fn to_text(&self) -> String {
        const FIRST: usize = 15;
        const LAST: usize = 30;
        let (all, folded): (Vec<&TraceLine>, Vec<&TraceLine>) =
            self.first.iter().chain(&self.last).partition(|line| line.matters);
        let width = all.iter().map(|l| place_text(l).len()).max().unwrap_or(0).min(40);
        let rows = |lines: &[&TraceLine]| -> String { lines.iter().map(|line| row(line, width)).collect() };
        let mut text = if all.len() <= FIRST + LAST {
            rows(&all)
        } else {
            let (first, last) = (&all[..FIRST], &all[all.len() - LAST..]);
            let left_out = (all.len() - FIRST - LAST) as u64 + self.left_out;
            format!("{}  ... {left_out} steps ...\n{}", rows(first), rows(last))
        };
        match folded.len() {
            0 => {}
            1 => text.push_str("  (1 step that does not matter for the failure is not shown: --trace full)\n"),
            count => {
                text.push_str(&format!(
                    "  ({count} steps that do not matter for the failure are not shown: --trace full)\n"
                ));
            }
        }
        text
    }

    /// Lets all steps be shown.
    pub(crate) fn unfold(&mut self) {
        self.first.iter_mut().chain(&mut self.last).for_each(|line| line.matters = true);
    }
}

fn row(line: &TraceLine, width: usize) -> String {
    let changes: Vec<String> = line.changes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let mark = if line.input { "  (input)" } else { "" };
    let indent = "  ".repeat(line.depth.min(20));
    let row = format!("  {:width$}  {indent}{:40}  {}{mark}", place_text(line), line.statement, changes.join(", "));
    format!("{}\n", row.trim_end())
}

fn place_text(line: &TraceLine) -> String {
    let name = std::path::Path::new(&line.file).file_name();
    format!("{}:{}", name.map(|n| n.to_string_lossy()).unwrap_or_default(), line.line)
}
