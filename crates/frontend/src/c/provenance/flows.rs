//! What goes where in a program: which addresses are asked for, and what they are computed from.

use clinch_ir::cfa::{AllocKind, CfaProgram, ObjectId, ObjectKind, Op, Target};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::c::lower::Ranges;

/// An access, or what an edge asks of an address otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Demand {
    pub(super) address: Term,
    pub(super) what: Purpose,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Purpose {
    /// So many bytes are read.
    Read(u64),
    /// So many bytes are written.
    Write(u64),
    /// As many bytes as a term says are read.
    ReadBlock(Term),
    /// As many bytes as a term says are written.
    WriteBlock(Term),
    /// The block is freed. A null pointer is fine.
    Free,
    /// It is the start of a block of the heap.
    Resize,
    /// How many bytes there are from it to the end of its object.
    Room,
}

/// A block that is copied to where it must not overlap.
pub(super) struct Copied {
    pub(super) to: Term,
    pub(super) from: Term,
    pub(super) bytes: Term,
}

/// What an operation copies: it reads a block and writes one.
pub(super) fn copied(ranges: Ranges, op: &Op) -> Option<Copied> {
    let Op::Assign(assigns) = op else { return None };
    let block = |mark: Symbol| {
        assigns.iter().find_map(|assign| match assign.target {
            Target::Cell(region, address) if region == mark => Some((address, assign.value)),
            _ => None,
        })
    };
    let ((from, _), (to, bytes)) = (block(ranges.read)?, block(ranges.written)?);
    Some(Copied { to, from, bytes })
}

/// What an edge asks of addresses, those inside of other terms first.
pub(super) fn demands(program: &CfaProgram, ranges: Ranges, op: &Op) -> IndexSet<Demand, FxBuildHasher> {
    let mut all = IndexSet::default();
    let bytes = |region: Symbol| program.region(region).filter(|r| !r.ghost).map(|r| u64::from(r.cell_bytes));
    for term in op.terms() {
        for part in program.terms.parts(term) {
            if let Node::Binary(BinOp::Select, array, address) = program.terms.node(part)
                && let Node::Symbol(region) = program.terms.node(array)
                && let Some(bytes) = bytes(region)
            {
                all.insert(Demand { address, what: Purpose::Read(bytes) });
            }
        }
    }
    match op {
        Op::Assign(assigns) => all.extend(assigns.iter().filter_map(|assign| match assign.target {
            Target::Cell(region, address) => {
                let what = match region {
                    _ if region == ranges.read => Purpose::ReadBlock(assign.value),
                    _ if region == ranges.written => Purpose::WriteBlock(assign.value),
                    _ if region == ranges.ended => return None,
                    _ if region == ranges.room => Purpose::Room,
                    _ => Purpose::Write(bytes(region)?),
                };
                Some(Demand { address, what })
            }
            Target::Var(_) => None,
        })),
        Op::Free(address) => all.extend([Demand { address: *address, what: Purpose::Free }]),
        Op::BlockSize(_, address) => all.extend([Demand { address: *address, what: Purpose::Resize }]),
        _ => {}
    }
    all
}

/// The parts of a term that may be the address it is computed from.
pub(super) fn origins(terms: &Terms, term: Term) -> Vec<Term> {
    let (mut found, mut todo) = (Vec::new(), vec![term]);
    while let Some(term) = todo.pop() {
        match terms.node(term) {
            Node::Binary(BinOp::BvAdd | BinOp::BvAnd | BinOp::BvOr, a, b) | Node::Ite(_, a, b) => todo.extend([a, b]),
            Node::Binary(BinOp::BvSub, a, _) => todo.push(a),
            Node::Symbol(_) | Node::BitVec(..) | Node::Binary(BinOp::Select | BinOp::BvConcat, ..) => found.push(term),
            _ => {}
        }
    }
    found
}

/// The variable or region whose companion is that of a term, if it may have one.
pub(super) fn carrier(program: &CfaProgram, term: Term) -> Option<Symbol> {
    let pointer = Sort::BitVec(program.pointer_bits);
    match program.terms.node(term) {
        Node::Symbol(symbol) => {
            let may = program.variables.get(&symbol).is_none_or(|info| info.pointer || info.hidden);
            (may && *program.terms.symbol_sort(symbol) == pointer).then_some(symbol)
        }
        Node::Binary(BinOp::Select, array, _) => match program.terms.node(array) {
            Node::Symbol(region) if program.terms.sort(term) == pointer => Some(region),
            _ => None,
        },
        Node::Binary(BinOp::BvConcat, ..) => from_bytes(program, term).map(|(region, _)| region),
        _ => None,
    }
}

/// The region and the address that an address is read from byte by byte, if it is.
pub(super) fn from_bytes(program: &CfaProgram, term: Term) -> Option<(Symbol, Term)> {
    let terms = &program.terms;
    let byte = |part: Term| match terms.node(part) {
        Node::Binary(BinOp::Select, array, address) => match terms.node(array) {
            Node::Symbol(region) if terms.bv_width(part) == 8 => Some((region, address)),
            _ => None,
        },
        _ => None,
    };
    let (mut rest, mut parts) = (term, Vec::new());
    while let Node::Binary(BinOp::BvConcat, high, low) = terms.node(rest) {
        parts.push(byte(low)?);
        rest = high;
    }
    parts.push(byte(rest)?);
    let one = parts.iter().all(|(region, _)| *region == parts[0].0);
    (one && parts.len() as u32 * 8 == program.pointer_bits).then(|| parts[0])
}

/// What goes where: values into variables and regions.
pub(in crate::c) fn flows(program: &mut CfaProgram) -> Vec<(Symbol, Term)> {
    let results: Vec<Option<Symbol>> = program.procedures.iter().map(|p| p.result).collect();
    let params: Vec<Vec<Symbol>> = program.procedures.iter().map(|p| p.params.clone()).collect();
    let mut flows = Vec::new();
    for (procedure, result) in program.procedures.iter().zip(&results) {
        for edge in &procedure.edges {
            match &edge.op {
                Op::Assign(assigns) => flows.extend(assigns.iter().map(|assign| {
                    let (Target::Var(symbol) | Target::Cell(symbol, _)) = assign.target;
                    // The first byte of an address stands for all of it.
                    match program.terms.node(assign.value) {
                        Node::Extract { hi: 7, lo: 0, of } => (symbol, of),
                        _ => (symbol, assign.value),
                    }
                })),
                Op::Call { callee, args, result } => {
                    flows.extend(params[callee.index()].iter().copied().zip(args.iter().copied()));
                    if let (Some(target), Some(from)) = (result, results[callee.index()]) {
                        flows.push((*target, program.terms.symbol(from)));
                    }
                }
                Op::Return(Some(value)) => flows.extend(result.map(|result| (result, *value))),
                _ => {}
            }
        }
    }
    flows.extend(program.globals.iter().map(|global| (global.symbol, global.init)));
    flows
}

/// The variables and regions that these values may get to, and those they start from.
fn reached(
    program: &CfaProgram,
    flows: &[(Symbol, Term)],
    mut holders: FxHashSet<Symbol>,
    starts: impl Fn(Term) -> bool,
) -> FxHashSet<Symbol> {
    loop {
        let before = holders.len();
        for &(target, value) in flows {
            let comes = origins(&program.terms, value).into_iter().any(|origin| match carrier(program, origin) {
                Some(symbol) => holders.contains(&symbol),
                None => starts(origin),
            });
            if comes {
                holders.insert(target);
            }
        }
        if holders.len() == before {
            return holders;
        }
    }
}

/// The variables that blocks are made for.
fn blocks(program: &CfaProgram, which: impl Fn(AllocKind) -> bool) -> FxHashSet<Symbol> {
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    let made = edges.filter_map(|edge| match edge.op {
        Op::Alloc { target, kind, .. } if which(kind) => Some(target),
        _ => None,
    });
    made.collect()
}

/// Whether globals or objects that live for ever may hold addresses of blocks of the heap.
pub(super) fn holds_blocks(program: &mut CfaProgram) -> bool {
    let flows = flows(program);
    let heap = blocks(program, |kind| kind == AllocKind::Heap);
    let unclear = |origin: Term| matches!(program.terms.node(origin), Node::Binary(BinOp::BvConcat, ..));
    let holders = reached(program, &flows, heap, unclear);
    let lasting = program.objects.iter().filter(|o| !matches!(o.kind, ObjectKind::Local(_)));
    let mut places = lasting.flat_map(|o| &o.regions).chain(program.globals.iter().map(|g| &g.symbol));
    places.any(|place| holders.contains(place))
}

/// Whether the address of an object may get into a cell of memory.
pub(super) fn gets_into_memory(program: &CfaProgram, flows: &[(Symbol, Term)], object: ObjectId) -> bool {
    let start = program.objects[object.index()].address;
    let is_own = |origin: Term| match program.terms.node(origin) {
        Node::BitVec(width, address) if width == program.pointer_bits => object_at(program, address) == Some(start),
        _ => false,
    };
    let holders = reached(program, flows, FxHashSet::default(), is_own);
    program.regions.iter().any(|region| holders.contains(&region.symbol))
}

/// The variables and regions that may hold addresses of objects, or what comes from outside as a pointer.
fn addresses(program: &CfaProgram, flows: &[(Symbol, Term)]) -> FxHashSet<Symbol> {
    let mut start = blocks(program, |_| true);
    for edge in program.procedures.iter().flat_map(|p| &p.edges) {
        if let Op::Input(symbol, site) = edge.op
            && (program.inputs[site.index()].ty.ends_with('*')
                || program.variables.get(&symbol).is_some_and(|info| info.pointer))
        {
            start.insert(symbol);
        }
    }
    let is_start = |origin: Term| match program.terms.node(origin) {
        Node::BitVec(width, address) if width == program.pointer_bits => object_at(program, address).is_some(),
        Node::Binary(BinOp::BvConcat, ..) => true,
        _ => false,
    };
    reached(program, flows, start, is_start)
}

/// The start of the object that a number is an address of; the end of an object is one too.
pub(super) fn object_at(program: &CfaProgram, address: u64) -> Option<u64> {
    let offset = |o: &clinch_ir::cfa::Object| address.wrapping_sub(o.address);
    let inside = program.objects.iter().find(|o| offset(o) < o.size.max(1));
    inside.or_else(|| program.objects.iter().find(|o| offset(o) == o.size)).map(|o| o.address)
}

/// The variables and regions that need a companion: what an access may get its address from.
pub(super) fn needed(program: &mut CfaProgram, ranges: Ranges, is_pinned: impl Fn(Symbol) -> bool) -> Vec<Symbol> {
    let flows = flows(program);
    let mut needed: FxHashSet<Symbol> = FxHashSet::default();
    let add = |needed: &mut FxHashSet<Symbol>, term: Term| {
        let found = origins(&program.terms, term).into_iter().filter_map(|origin| carrier(program, origin));
        let before = needed.len();
        needed.extend(found.filter(|&symbol| !is_pinned(symbol)));
        needed.len() > before
    };
    for edge in program.procedures.iter().flat_map(|p| &p.edges) {
        for demand in demands(program, ranges, &edge.op) {
            add(&mut needed, demand.address);
        }
    }
    loop {
        let mut more = false;
        for &(target, value) in &flows {
            more |= needed.contains(&target) && add(&mut needed, value);
        }
        if !more {
            let addresses = addresses(program, &flows);
            let mut all: Vec<Symbol> = needed.into_iter().filter(|symbol| addresses.contains(symbol)).collect();
            all.sort_unstable();
            return all;
        }
    }
}
