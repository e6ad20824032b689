//! What memory holds that a run reads and never wrote: the harness puts it there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use clinch_frontend::c::lower::ALLOCATION;
use clinch_ir::Span;
use clinch_ir::cfa::{
    AllocKind, CfaProgram, Edge, InputKind, InputOrigin, InputTrace, OUTSIDE_SIZE, ObjectId, ObjectKind, Op,
};
use clinch_machine::{InputRequest, InputSource, Limits, Machine, Observer, TracedEdge};

/// Whether a model makes the arguments of `main`.
pub(super) fn makes_arguments(program: &CfaProgram) -> bool {
    let calls = program.procedure(program.entry).edges.iter().filter_map(|edge| match edge.op {
        Op::Call { callee, .. } => Some(program.procedure(callee)),
        _ => None,
    });
    calls.into_iter().any(|called| called.name == "__clinch_arguments")
}

/// Whether an input says that there is memory.
pub(super) fn is_allocation(kind: &InputKind) -> bool {
    matches!(kind, InputKind::Nondet(name) if name == ALLOCATION)
}

/// Where contents lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    /// An allocated block, by the order of allocation.
    Block(usize),
    /// A local variable, in its so many-th life.
    Local(ObjectId, usize),
}

/// A part of memory that a run reads and never wrote.
struct Unwritten {
    home: Home,
    offset: u64,
    width: u32,
    bits: u64,
}

/// All that the run of a trace reads and never wrote, of allocated blocks and local variables.
pub(super) struct Contents(Vec<Unwritten>);

/// Sees where lives begin.
struct Lives<'p> {
    program: &'p CfaProgram,
    /// Where the allocated blocks start.
    blocks: RefCell<Vec<u64>>,
    /// How often each local variable came to life.
    entered: RefCell<BTreeMap<ObjectId, usize>>,
}

impl Lives<'_> {
    fn home(&self, start: u64) -> Option<Home> {
        if let Some(block) = self.blocks.borrow().iter().position(|s| *s == start) {
            return Some(Home::Block(block));
        }
        let local = |kind| matches!(kind, ObjectKind::Local(_));
        let object = self.program.objects.iter().position(|o| o.address == start && local(o.kind))?;
        let object = ObjectId(u32::try_from(object).ok()?);
        let life = self.entered.borrow().get(&object)?.checked_sub(1)?;
        Some(Home::Local(object, life))
    }
}

impl Observer for &Lives<'_> {
    const TRACES: bool = true;

    fn edge(&mut self, traced: &TracedEdge<'_>) {
        let edges = &self.program.procedure(traced.at.procedure).edges;
        match traced.at.edge.map(|e| &edges[e.index()].op) {
            Some(Op::Alloc { kind: AllocKind::Heap, .. }) => {
                self.blocks.borrow_mut().extend(traced.changes.iter().map(|change| change.value));
            }
            Some(Op::Enter(object)) => *self.entered.borrow_mut().entry(*object).or_default() += 1,
            _ => {}
        }
    }
}

impl Contents {
    /// Runs the program on the inputs of a trace, and sees what it asks of memory.
    pub(super) fn read(program: &CfaProgram, trace: &InputTrace) -> Contents {
        // To watch a long run takes long.
        if !trace.inputs.iter().any(|input| matches!(input.origin, InputOrigin::Memory(_))) {
            return Contents(Vec::new());
        }
        let lives = Lives { program, blocks: RefCell::default(), entered: RefCell::default() };
        let (mut values, mut found) = (trace.inputs.iter(), Vec::new());
        let mut inputs = |request: &InputRequest| {
            let bits = values.next()?.bits;
            if let InputSource::Memory { address, offset, .. } = request.source
                && let Some(home) = lives.home(address - offset)
            {
                found.push(Unwritten { home, offset, width: request.width, bits });
            }
            Some(bits)
        };
        let machine = Machine::new(program);
        machine.run(&mut machine.initial(), &mut inputs, &mut &lives, &Limits::default());
        Contents(found)
    }

    /// The arguments of `main`, as a shell reads them: the blocks behind that of their addresses.
    pub(super) fn arguments(&self, count: usize) -> Vec<String> {
        let text = |argument: usize| {
            let parts = || self.0.iter().filter(|part| part.home == Home::Block(argument + 1) && part.width == 8);
            // What is not read may be anything, as long as the text goes on there.
            let mut bytes = vec![b'x'; parts().map(|part| part.offset as usize + 1).max().unwrap_or(0)];
            parts().for_each(|part| bytes[part.offset as usize] = part.bits as u8);
            let shown = |&byte: &u8| match byte.is_ascii_alphanumeric() {
                true => char::from(byte).to_string(),
                false => format!("\\x{byte:02x}"),
            };
            bytes.iter().take_while(|&&byte| byte != 0).map(shown).collect::<String>()
        };
        (0..count).map(|argument| format!("$'{}'", text(argument))).collect()
    }

    /// The local variables among it, with their declarators.
    pub(super) fn locals(&self, program: &CfaProgram) -> BTreeMap<ObjectId, Span> {
        let edges = || program.procedures.iter().flat_map(|p| &p.edges);
        let found = self.0.iter().filter_map(|part| {
            let Home::Local(object, _) = part.home else { return None };
            let enters = |edge: &&Edge| matches!(edge.op, Op::Enter(entered) if entered == object);
            Some((object, edges().find(enters)?.span))
        });
        found.collect()
    }
}

/// Writes an allocator whose blocks hold what the run is to read of them, and `clinch_fill`, which does it for variables. Where there may be no
/// memory, an input says whether there is; no block has as many bytes as the model knows none of.
pub(super) fn write(program: &CfaProgram, contents: &Contents, out: &mut String) {
    let asks = program.inputs.iter().any(|site| is_allocation(&site.kind));
    let most = if program.pointer_bits == 32 { 30 } else { 46 };
    let _ = match asks {
        true => writeln!(out, "int {ALLOCATION}();\n#define NONE(size) ((size) < 1ul << {most} && !{ALLOCATION}())"),
        false => writeln!(out, "#define NONE(size) 0"),
    };
    out.push_str("struct clinch_content { unsigned long home, life, at; unsigned char byte; };\n");
    table("blocks", contents, out, |home| match home {
        Home::Block(block) => Some((block, 0)),
        Home::Local(..) => None,
    });
    table("locals", contents, out, |home| match home {
        Home::Block(_) => None,
        Home::Local(object, life) => Some((object.index(), life)),
    });
    out.push_str(ALLOCATOR);
    if let Some((start, end)) = outside(program) {
        let _ = writeln!(out, "#define CLINCH_OUTSIDE {start:#x}ul\n#define CLINCH_OUTSIDE_END {end:#x}ul");
        out.push_str(include_str!("free.c"));
    }
    allocators(program).for_each(|(_, _, text)| out.push_str(text));
}

/// The addresses of all objects from outside, where there are such objects.
fn outside(program: &CfaProgram) -> Option<(u64, u64)> {
    let start = program.outside_object(0)?;
    let last = (1..).map_while(|number| program.outside_object(number)).last()?;
    Some((start, last + OUTSIDE_SIZE))
}

/// What frees the blocks of a program instead of the library's function.
pub(super) fn replaced_free(program: &CfaProgram) -> &'static str {
    if outside(program).is_some() { "#define free clinch_free\n" } else { "" }
}

/// Functions of the library that allocate what is their result, as far as a program names them, with what stands for them and its text: their blocks are
/// counted, and where there may be no memory there may be none for them.
pub(super) fn allocators(program: &CfaProgram) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let is_named = |name: &str| program.source.text.contains(name);
    ALLOCATORS.into_iter().filter(move |(name, ..)| is_named(name))
}

fn table(name: &str, contents: &Contents, out: &mut String, of: impl Fn(Home) -> Option<(usize, usize)>) {
    let _ = writeln!(out, "static const struct clinch_content clinch_{name}[] = {{");
    let mut count = 0;
    for part in &contents.0 {
        let Some((home, life)) = of(part.home) else { continue };
        for i in 0..part.width.div_ceil(8) {
            let byte = part.bits >> (8 * i) & 0xff;
            let _ = writeln!(out, "    {{{home}, {life}, {}, {byte}}},", part.offset + u64::from(i));
            count += 1;
        }
    }
    let _ = writeln!(out, "    {{0, 0, 0, 0}}\n}};\nstatic unsigned long clinch_{name}_count = {count};");
}

const ALLOCATORS: [(&str, &str, &str); 6] = [
    ("strdup", "clinch_strdup", include_str!("strdup.c")),
    ("__strdup", "clinch_strdup", ""),
    ("strndup", "clinch_strndup", include_str!("strndup.c")),
    ("__strndup", "clinch_strndup", ""),
    ("aligned_alloc", "clinch_aligned_alloc", include_str!("aligned_alloc.c")),
    ("reallocarray", "clinch_reallocarray", include_str!("reallocarray.c")),
];

/// The library allocates; what the run reads of a block before anything writes it is put there. A block that was moved holds what it
/// held: only bytes that were never written are in the list. The lives of a variable are counted in a list with a place for
/// each that is filled.
const ALLOCATOR: &str = include_str!("allocator.c");
