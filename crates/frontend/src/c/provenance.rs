//! Checks of memory, as part of the program: where each pointer comes from, and which objects are alive.
//!
//! Every variable, and every cell of memory, whose value may be the address of an access gets a companion that holds the start of the
//! object the address was computed from: 0 for a number that is no address, 1 where it is not known. Two tables, indexed by the
//! start of an object, say how many bytes it has and what kind of object it is, as long as it is alive. An access is valid if its object is
//! alive and it lies wholly inside; anything else is an error. That another object may be where a pointer has strayed to does not
//! matter, so the regions of the pointer analysis, which are right for pointers that stay in their objects, are right up to the first error.
//!
//! Companions of named objects are constants, and checks that hold by them disappear.

use clinch_ir::Span;
use clinch_ir::cfa::{
    AllocKind, Assign, CfaProgram, Check, Checks, Edge, EdgeId, Failure, Global, InputKind, Location, ObjectId,
    ObjectKind, Op, Procedure, ProcedureId, Region, Target, VariableInfo,
};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term, Terms};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Kinds of objects in the table; 0 is one that is no more.
const STATIC: u64 = 1;
const STACK: u64 = 2;
const HEAP: u64 = 3;
const LITERAL: u64 = 4;

/// The companion of an address of which nobody knows where it comes from.
const UNKNOWN: u64 = 1;

/// Cells that one edge initialises.
const AT_ONCE: usize = 64;

/// Adds the checks that are asked for.
pub(crate) fn check_memory(program: &mut CfaProgram, checks: Checks) {
    let needed = needed(program);
    let mut pass = Provenance::new(program, checks, &needed);
    for index in 0..pass.program.procedures.len() {
        pass.procedure(ProcedureId::from_index(index));
    }
}

/// The object that a term is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// It is a number.
    None,
    /// It is not followed through what the program does.
    Unknown,
    /// The term is its start.
    Of(Term),
}

/// An access, or what an edge asks of an address otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Demand {
    address: Term,
    what: Purpose,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Purpose {
    /// So many bytes are read.
    Read(u64),
    /// So many bytes are written.
    Write(u64),
    /// The block is freed. A null pointer is fine.
    Free,
    /// It is the start of a block of the heap.
    Resize,
}

/// What an edge asks of addresses, those inside of other terms first.
fn demands(program: &CfaProgram, op: &Op) -> IndexSet<Demand, FxBuildHasher> {
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
            Target::Cell(region, address) => Some(Demand { address, what: Purpose::Write(bytes(region)?) }),
            Target::Var(_) => None,
        })),
        Op::Free(address) => all.extend([Demand { address: *address, what: Purpose::Free }]),
        Op::BlockSize(_, address) => all.extend([Demand { address: *address, what: Purpose::Resize }]),
        _ => {}
    }
    all
}

/// The parts of a term that may be the address it is computed from.
fn origins(terms: &Terms, term: Term) -> Vec<Term> {
    let (mut found, mut todo) = (Vec::new(), vec![term]);
    while let Some(term) = todo.pop() {
        match terms.node(term) {
            Node::Binary(BinOp::BvAdd | BinOp::BvAnd | BinOp::BvOr, a, b) | Node::Ite(_, a, b) => todo.extend([a, b]),
            Node::Binary(BinOp::BvSub, a, _) => todo.push(a),
            Node::Symbol(_) | Node::Binary(BinOp::Select | BinOp::BvConcat, ..) => found.push(term),
            _ => {}
        }
    }
    found
}

/// The variable or region whose companion is that of a term, if it may have one.
fn carrier(program: &CfaProgram, term: Term) -> Option<Symbol> {
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
fn from_bytes(program: &CfaProgram, term: Term) -> Option<(Symbol, Term)> {
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
fn flows(program: &mut CfaProgram) -> Vec<(Symbol, Term)> {
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

/// Whether globals or objects that live for ever may hold addresses of blocks of the heap.
fn holds_blocks(program: &mut CfaProgram) -> bool {
    let flows = flows(program);
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    let mut holders: FxHashSet<Symbol> = edges
        .filter_map(|edge| match edge.op {
            Op::Alloc { target, kind: AllocKind::Heap, .. } => Some(target),
            _ => None,
        })
        .collect();
    loop {
        let before = holders.len();
        for &(target, value) in &flows {
            let terms = &program.terms;
            let joined =
                terms.parts(value).into_iter().any(|p| matches!(terms.node(p), Node::Binary(BinOp::BvConcat, ..)));
            let mut from = origins(terms, value).into_iter().filter_map(|origin| carrier(program, origin));
            if joined || from.any(|symbol| holders.contains(&symbol)) {
                holders.insert(target);
            }
        }
        if holders.len() == before {
            break;
        }
    }
    let lasting = program.objects.iter().filter(|o| !matches!(o.kind, ObjectKind::Local(_)));
    let places = lasting.flat_map(|o| &o.regions).chain(program.globals.iter().map(|g| &g.symbol));
    places.into_iter().any(|place| holders.contains(place))
}

/// The variables and regions that need a companion: what an access may get its address from.
fn needed(program: &mut CfaProgram) -> Vec<Symbol> {
    let flows = flows(program);
    let mut needed: FxHashSet<Symbol> = FxHashSet::default();
    let add = |needed: &mut FxHashSet<Symbol>, term: Term| {
        let found = origins(&program.terms, term).into_iter().filter_map(|origin| carrier(program, origin));
        let before = needed.len();
        needed.extend(found);
        needed.len() > before
    };
    for edge in program.procedures.iter().flat_map(|p| &p.edges) {
        for demand in demands(program, &edge.op) {
            add(&mut needed, demand.address);
        }
    }
    loop {
        let mut more = false;
        for &(target, value) in &flows {
            more |= needed.contains(&target) && add(&mut needed, value);
        }
        if !more {
            let mut all: Vec<Symbol> = needed.into_iter().collect();
            all.sort_unstable();
            return all;
        }
    }
}

/// The pass.
struct Provenance<'p> {
    program: &'p mut CfaProgram,
    checks: Checks,
    /// Companions of variables and regions.
    companions: FxHashMap<Symbol, Symbol>,
    /// Bytes of the object that starts at an address, and its kind.
    size: Symbol,
    kind: Symbol,
    /// The companion of what a call returns.
    result: Symbol,
    /// How many blocks of the heap are alive.
    blocks: Symbol,
    /// Objects whose addresses are companions.
    escaped: FxHashSet<ObjectId>,
    /// Whether a companion may be [`UNKNOWN`].
    unknowns: bool,
    /// Whether globals and static objects may hold addresses of blocks.
    held: bool,
}

impl<'p> Provenance<'p> {
    fn new(program: &'p mut CfaProgram, checks: Checks, needed: &[Symbol]) -> Self {
        let pointer = Sort::BitVec(program.pointer_bits);
        let mut companions = FxHashMap::default();
        for &symbol in needed {
            let name = format!("{}.object", program.terms.symbol_name(symbol));
            let companion = if program.region(symbol).is_some() {
                table(program, name, program.pointer_bits)
            } else {
                hidden(program, name, pointer.clone())
            };
            companions.insert(symbol, companion);
        }
        let (size, kind) =
            (table(program, "$size".to_owned(), program.pointer_bits), table(program, "$kind".to_owned(), 8));
        let (result, blocks) = (
            hidden(program, "$result".to_owned(), pointer.clone()),
            hidden(program, "$blocks".to_owned(), Sort::BitVec(32)),
        );
        let (escaped, held) = (FxHashSet::default(), false);
        let mut pass =
            Provenance { program, checks, companions, size, kind, result, blocks, escaped, unknowns: false, held };
        pass.look_at_flows();
        pass.declare_companions();
        pass
    }

    /// Which objects have their addresses in companions, and whether all of those are known.
    fn look_at_flows(&mut self) {
        let flows = flows(self.program);
        for (target, value) in flows {
            if !self.companions.contains_key(&target) {
                continue;
            }
            match self.base(value) {
                Base::Unknown => self.unknowns = true,
                Base::Of(base) => self.escape(base),
                Base::None => {}
            }
        }
        let inputs = self.program.procedures.iter().flat_map(|p| &p.edges).filter_map(|edge| match edge.op {
            Op::Input(symbol, site) => Some((symbol, &self.program.inputs[site.index()].kind)),
            _ => None,
        });
        let mut foreign = inputs.filter(|(_, kind)| !matches!(kind, InputKind::Uninitialised(_)));
        self.unknowns |= foreign.any(|(symbol, _)| self.companions.contains_key(&symbol));
        self.held = holds_blocks(self.program);
    }

    /// Objects whose constant addresses occur in a base.
    fn escape(&mut self, base: Term) {
        for part in self.program.terms.parts(base) {
            if let Node::BitVec(_, address) = self.program.terms.node(part)
                && let Some(object) = self.program.objects.iter().position(|o| o.address == address)
            {
                self.escaped.insert(ObjectId::from_index(object));
            }
        }
    }

    fn declare_companions(&mut self) {
        let globals = self.program.globals.clone();
        for Global { symbol, init } in globals {
            if let Some(&companion) = self.companions.get(&symbol) {
                let base = self.base(init);
                let init = self.companion_value(base);
                self.program.globals.push(Global { symbol: companion, init });
            }
        }
        let (zero, none) = (self.number(0), self.program.terms.bit_vec(32, 0));
        self.program.globals.push(Global { symbol: self.result, init: zero });
        self.program.globals.push(Global { symbol: self.blocks, init: none });
        for procedure in &mut self.program.procedures {
            let own = |symbols: &[Symbol]| -> Vec<Symbol> {
                symbols.iter().filter_map(|symbol| self.companions.get(symbol).copied()).collect()
            };
            let (params, locals) = (own(&procedure.params), own(&procedure.locals));
            procedure.params.extend(params);
            procedure.locals.extend(locals);
        }
    }

    fn number(&mut self, value: u64) -> Term {
        self.program.terms.bit_vec(self.program.pointer_bits, value)
    }

    /// The object that a term is computed from.
    fn base(&mut self, term: Term) -> Base {
        match self.program.terms.node(term) {
            Node::BitVec(width, address) if width == self.program.pointer_bits => {
                let inside = |o: &&clinch_ir::cfa::Object| address.wrapping_sub(o.address) <= o.size;
                match self.program.objects.iter().find(inside).map(|o| o.address) {
                    Some(start) => Base::Of(self.number(start)),
                    None => Base::None,
                }
            }
            Node::Symbol(symbol) => match self.companions.get(&symbol) {
                Some(&companion) => Base::Of(self.program.terms.symbol(companion)),
                None => Base::None,
            },
            Node::Binary(BinOp::Select, array, address) => match self.program.terms.node(array) {
                Node::Symbol(region) if self.companions.contains_key(&region) => {
                    let table = self.program.terms.symbol(self.companions[&region]);
                    Base::Of(self.program.terms.select(table, address))
                }
                _ => Base::None,
            },
            Node::Binary(BinOp::BvAdd | BinOp::BvAnd | BinOp::BvOr, a, b) => match (self.base(a), self.base(b)) {
                (Base::None, base) | (base, Base::None) => base,
                (Base::Of(x), Base::Of(y)) => {
                    let zero = self.number(0);
                    let none = self.program.terms.eq(x, zero);
                    Base::Of(self.program.terms.ite(none, y, x))
                }
                _ => Base::Unknown,
            },
            Node::Binary(BinOp::BvSub, a, _) => self.base(a),
            Node::Ite(condition, a, b) => match (self.base(a), self.base(b)) {
                (Base::None, Base::None) => Base::None,
                (Base::Unknown, _) | (_, Base::Unknown) => Base::Unknown,
                (a, b) => {
                    let (a, b) = (self.companion_value(a), self.companion_value(b));
                    Base::Of(self.program.terms.ite(condition, a, b))
                }
            },
            Node::Binary(BinOp::BvConcat, ..) => match from_bytes(self.program, term) {
                Some((region, address)) if self.companions.contains_key(&region) => {
                    let table = self.program.terms.symbol(self.companions[&region]);
                    Base::Of(self.program.terms.select(table, address))
                }
                _ => Base::Unknown,
            },
            _ => Base::None,
        }
    }

    fn companion_value(&mut self, base: Base) -> Term {
        match base {
            Base::None => self.number(0),
            Base::Unknown => self.number(UNKNOWN),
            Base::Of(term) => term,
        }
    }

    fn companion_of(&mut self, value: Term) -> Term {
        let base = self.base(value);
        self.companion_value(base)
    }

    /// Rewrites the edges of a procedure.
    fn procedure(&mut self, id: ProcedureId) {
        let mut procedure = std::mem::replace(&mut self.program.procedures[id.index()], Procedure::new(""));
        let leaving = procedure.successors();
        let edges = std::mem::take(&mut procedure.edges);
        self.assume_loops_end(&edges, &leaving);
        let made = self.stack_blocks(&mut procedure, &edges);
        let is_entry = id == self.program.entry;
        let first = if is_entry { self.initial_tables() } else { self.no_blocks(&made) };
        self.start_with(&mut procedure, first);
        let mut body = Body { id, is_entry, made, procedure };
        for (location, leaving) in leaving.into_iter().enumerate() {
            let leaving: Vec<&Edge> = leaving.into_iter().map(|edge| &edges[edge.index()]).collect();
            let mut at = LocId::from_index(location);
            // What the program sets up for itself is as it should be.
            if !is_entry {
                at = self.guards(&mut body, at, &leaving);
            }
            for edge in leaving {
                self.edge(&mut body, at, edge);
            }
        }
        self.program.procedures[id.index()] = body.procedure;
    }

    /// Assignments that a call starts with, even if its first location is the head of a loop.
    fn start_with(&mut self, procedure: &mut Procedure, first: Vec<Vec<Assign>>) {
        if first.iter().all(Vec::is_empty) {
            return;
        }
        let (before, start) = (procedure.entry, fresh(procedure, procedure.entry));
        procedure.entry = start;
        let at = self.chain(procedure, start, first);
        procedure.edges.push(Edge { from: at, to: before, op: Op::Skip, span: Span::default() });
    }

    /// Variables that hold the last block of each place where one is made on the stack.
    fn stack_blocks(&mut self, procedure: &mut Procedure, edges: &[Edge]) -> FxHashMap<Symbol, Symbol> {
        let mut made = FxHashMap::default();
        for edge in edges {
            if let Op::Alloc { target, kind: AllocKind::Stack, .. } = edge.op {
                let name = format!("{}.made", self.program.terms.symbol_name(target));
                let last = hidden(self.program, name, Sort::BitVec(self.program.pointer_bits));
                procedure.locals.push(last);
                made.insert(target, last);
            }
        }
        made
    }

    /// Of blocks that a loop makes on the stack only the last one is known to end with the call.
    fn assume_loops_end(&mut self, edges: &[Edge], leaving: &[Vec<EdgeId>]) {
        let comes_back = |edge: &Edge| {
            let (mut seen, mut todo) = (vec![false; leaving.len()], vec![edge.to]);
            while let Some(at) = todo.pop() {
                if !std::mem::replace(&mut seen[at.index()], true) {
                    todo.extend(leaving[at.index()].iter().map(|next| edges[next.index()].to));
                }
            }
            seen[edge.from.index()]
        };
        let on_stack = |edge: &&Edge| matches!(edge.op, Op::Alloc { kind: AllocKind::Stack, .. });
        if edges.iter().filter(on_stack).any(comes_back) {
            let text = "memory that a loop allocates on the stack is not used after its function has returned";
            self.program.assumptions.push(text.to_owned());
        }
    }

    fn no_blocks(&mut self, made: &FxHashMap<Symbol, Symbol>) -> Vec<Vec<Assign>> {
        let zero = self.number(0);
        let mut all: Vec<Assign> =
            made.values().map(|&last| Assign { target: Target::Var(last), value: zero }).collect();
        all.sort_by_key(|assign| match assign.target {
            Target::Var(symbol) | Target::Cell(symbol, _) => symbol,
        });
        vec![all]
    }

    /// The entries of objects that live for ever.
    fn initial_tables(&mut self) -> Vec<Vec<Assign>> {
        let mut escaped: Vec<ObjectId> = self.escaped.iter().copied().collect();
        escaped.sort_unstable();
        let mut all = Vec::new();
        for object in escaped {
            let kind = match self.program.objects[object.index()].kind {
                ObjectKind::Static | ObjectKind::Handover => STATIC,
                ObjectKind::Literal => LITERAL,
                ObjectKind::Local(_) => continue,
            };
            all.extend(self.object_entries(object, kind));
        }
        all.chunks(AT_ONCE).map(<[Assign]>::to_vec).collect()
    }

    fn object_entries(&mut self, object: ObjectId, kind: u64) -> [Assign; 2] {
        let (address, size) = {
            let object = &self.program.objects[object.index()];
            (object.address, object.size)
        };
        let (address, size) = (self.number(address), self.number(size));
        [self.size_entry(address, size), self.kind_entry(address, kind)]
    }

    fn size_entry(&mut self, address: Term, size: Term) -> Assign {
        Assign { target: Target::Cell(self.size, address), value: size }
    }

    fn kind_entry(&mut self, address: Term, kind: u64) -> Assign {
        let value = self.program.terms.bit_vec(8, kind);
        Assign { target: Target::Cell(self.kind, address), value }
    }

    /// Edges with assignments, one after the other; where they end.
    fn chain(&mut self, procedure: &mut Procedure, mut at: LocId, assigns: Vec<Vec<Assign>>) -> LocId {
        for assigns in assigns.into_iter().filter(|assigns| !assigns.is_empty()) {
            let next = fresh(procedure, at);
            procedure.edges.push(Edge { from: at, to: next, op: Op::Assign(assigns), span: Span::default() });
            at = next;
        }
        at
    }

    /// Checks what the edges out of a location ask of addresses; where they start then.
    fn guards(&mut self, body: &mut Body, mut at: LocId, leaving: &[&Edge]) -> LocId {
        let mut seen: IndexSet<Demand, FxBuildHasher> = IndexSet::default();
        for edge in leaving {
            for demand in demands(self.program, &edge.op) {
                let again = match demand.what {
                    Purpose::Read(n) => seen.contains(&Demand { what: Purpose::Write(n), ..demand }),
                    _ => false,
                };
                if seen.insert(demand) && !again {
                    at = self.guard_demand(body, at, demand, edge.span);
                }
            }
        }
        at
    }

    fn guard_demand(&mut self, body: &mut Body, at: LocId, demand: Demand, span: Span) -> LocId {
        let (check, what) = match demand.what {
            Purpose::Read(_) => (Check::Dereference, "invalid read"),
            Purpose::Write(_) => (Check::Dereference, "invalid write"),
            Purpose::Free | Purpose::Resize => (Check::Free, "invalid free"),
        };
        let base = self.base(demand.address);
        let valid = self.is_valid(demand, base);
        if matches!(self.program.terms.node(valid), Node::Bool(true)) {
            return at;
        }
        let at = self.guard_origin(body, at, base, span);
        let otherwise = match self.checks.contains(check) {
            true => {
                let text = format!("{what}: {}", self.program.source.excerpt(span));
                Op::Error(Failure { check, text })
            }
            false => Op::Undefined(format!("an {what}")),
        };
        self.guard(body, at, valid, otherwise, span)
    }

    /// Where an address comes from must be known.
    fn guard_origin(&mut self, body: &mut Body, at: LocId, base: Base, span: Span) -> LocId {
        let known = match base {
            Base::None => return at,
            Base::Unknown => self.program.terms.ff(),
            Base::Of(term) if self.unknowns => {
                let unknown = self.number(UNKNOWN);
                let equal = self.program.terms.eq(term, unknown);
                self.program.terms.not(equal)
            }
            Base::Of(_) => return at,
        };
        self.guard(
            body,
            at,
            known,
            Op::Unsupported("an access by a pointer whose object is not known".to_owned()),
            span,
        )
    }

    fn guard(&mut self, body: &mut Body, at: LocId, condition: Term, otherwise: Op, span: Span) -> LocId {
        if matches!(self.program.terms.node(condition), Node::Bool(true)) {
            return at;
        }
        let negated = self.program.terms.not(condition);
        let (good, bad) = (fresh(&mut body.procedure, at), fresh(&mut body.procedure, at));
        let end = fresh(&mut body.procedure, at);
        let edges = &mut body.procedure.edges;
        edges.push(Edge { from: at, to: good, op: Op::Assume(condition), span });
        edges.push(Edge { from: at, to: bad, op: Op::Assume(negated), span });
        edges.push(Edge { from: bad, to: end, op: otherwise, span });
        good
    }

    fn is_valid(&mut self, demand: Demand, base: Base) -> Term {
        let address = demand.address;
        let (bytes, writes) = match demand.what {
            Purpose::Read(bytes) => (bytes, false),
            Purpose::Write(bytes) => (bytes, true),
            Purpose::Free | Purpose::Resize => return self.is_block(demand, base),
        };
        let Base::Of(base) = base else { return self.program.terms.ff() };
        if let Node::BitVec(_, start) = self.program.terms.node(base)
            && let Some(object) = self.program.objects.iter().find(|o| o.address == start)
        {
            let (size, kind) = (object.size, object.kind);
            if size < bytes || (writes && kind == ObjectKind::Literal) {
                return self.program.terms.ff();
            }
            let most = self.number(size - bytes);
            return self.is_within(address, base, most);
        }
        let (size, kind) = (self.entry(self.size, base), self.entry(self.kind, base));
        let bytes = self.number(bytes);
        let terms = &mut self.program.terms;
        let (dead, literal) = (terms.bit_vec(8, 0), terms.bit_vec(8, LITERAL));
        let (is_dead, is_literal) = (terms.eq(kind, dead), terms.eq(kind, literal));
        let bad = if writes { terms.or(is_dead, is_literal) } else { is_dead };
        let alive = terms.not(bad);
        let long = terms.binary(BinOp::BvUle, bytes, size);
        let most = terms.bv(BinOp::BvSub, size, bytes);
        let within = self.is_within(address, base, most);
        self.program.terms.all([alive, long, within])
    }

    fn is_within(&mut self, address: Term, base: Term, most: Term) -> Term {
        let terms = &mut self.program.terms;
        let offset = if address == base {
            terms.bit_vec(self.program.pointer_bits, 0)
        } else {
            terms.bv(BinOp::BvSub, address, base)
        };
        match (terms.node(offset), terms.node(most)) {
            (Node::BitVec(_, offset), Node::BitVec(_, most)) => terms.bool(offset <= most),
            _ => terms.binary(BinOp::BvUle, offset, most),
        }
    }

    fn entry(&mut self, table: Symbol, base: Term) -> Term {
        let table = self.program.terms.symbol(table);
        self.program.terms.select(table, base)
    }

    /// Whether an address is the start of a block of the heap that is alive.
    fn is_block(&mut self, demand: Demand, base: Base) -> Term {
        let address = demand.address;
        let zero = self.number(0);
        let null = self.program.terms.eq(address, zero);
        let block = match base {
            Base::Of(base) => {
                let kind = self.entry(self.kind, base);
                let heap = self.program.terms.bit_vec(8, HEAP);
                let is_heap = self.program.terms.eq(kind, heap);
                let is_start = self.program.terms.eq(address, base);
                self.program.terms.and(is_start, is_heap)
            }
            _ => self.program.terms.ff(),
        };
        if demand.what == Purpose::Free { self.program.terms.or(null, block) } else { block }
    }

    /// An edge with what it does to companions and tables.
    fn edge(&mut self, body: &mut Body, from: LocId, edge: &Edge) {
        let mut edge = Edge { from, ..edge.clone() };
        let mut before: Vec<Assign> = Vec::new();
        let mut after: Vec<Assign> = Vec::new();
        match &mut edge.op {
            Op::Assign(assigns) => {
                let (own, bytes) = (assigns.clone(), self.byte_assigns(assigns));
                assigns.extend(bytes);
                for assign in own {
                    assigns.extend(self.companion_assign(assign));
                }
            }
            Op::Input(symbol, site) => {
                if let Some(&companion) = self.companions.get(symbol) {
                    let own = matches!(self.program.inputs[site.index()].kind, InputKind::Uninitialised(_));
                    let value = self.number(if own { 0 } else { UNKNOWN });
                    after.push(Assign { target: Target::Var(companion), value });
                }
            }
            Op::Call { callee, args, result } => {
                for (index, arg) in args.clone().into_iter().enumerate() {
                    let param = self.param(*callee, index, body);
                    if param.is_some_and(|param| self.companions.contains_key(&param)) {
                        args.push(self.companion_of(arg));
                    }
                }
                if let Some(&companion) = result.as_ref().and_then(|result| self.companions.get(result)) {
                    let value = self.program.terms.symbol(self.result);
                    after.push(Assign { target: Target::Var(companion), value });
                }
            }
            Op::Return(value) => {
                let needed = body.procedure.result.is_some_and(|result| self.companions.contains_key(&result));
                if let Some(value) = value.filter(|_| needed) {
                    let value = self.companion_of(value);
                    before.push(Assign { target: Target::Var(self.result), value });
                }
                before.extend(self.ends_with_call(body));
            }
            Op::Enter(object) if self.escaped.contains(object) => {
                after.extend(self.object_entries(*object, STACK));
                after.extend(self.forgotten(body, *object));
            }
            Op::Leave(object) if self.escaped.contains(object) => {
                let address = self.program.objects[object.index()].address;
                let address = self.number(address);
                after.push(self.kind_entry(address, 0));
            }
            Op::Alloc { target, size, kind, .. } => after = self.new_block(body, *target, *size, *kind),
            Op::Free(address) => after = self.freed(*address),
            // The text that is printed ends somewhere, one hopes.
            Op::Print(print) if print.format.contains(&b's') && self.may_stray(&print.args.clone()) => {
                edge.op = Op::Unsupported("the length of a text that is printed".to_owned());
            }
            _ => {}
        }
        if matches!(edge.op, Op::Exit(_) | Op::Abort) {
            edge.from = self.guard_leaks(body, edge.from, matches!(edge.op, Op::Exit(_)), edge.span);
        }
        if before.is_empty() && after.is_empty() {
            body.procedure.edges.push(edge);
            return;
        }
        edge.from = self.chain(&mut body.procedure, edge.from, vec![before]);
        let to = edge.to;
        if after.is_empty() {
            body.procedure.edges.push(edge);
            return;
        }
        let (middle, span) = (fresh(&mut body.procedure, to), edge.span);
        body.procedure.edges.push(Edge { to: middle, ..edge });
        body.procedure.edges.push(Edge { from: middle, to, op: Op::Assign(after), span });
    }

    /// A local object of an iteration is another one than that of the iteration before: variables that point there point to nothing.
    fn forgotten(&mut self, body: &Body, object: ObjectId) -> Vec<Assign> {
        let start = self.program.objects[object.index()].address;
        let (start, none) = (self.number(start), self.number(0));
        let own = body.procedure.params.iter().chain(&body.procedure.locals).copied();
        let places: Vec<Symbol> = own.chain(self.program.globals.iter().map(|g| g.symbol)).collect();
        let mut all = Vec::new();
        for companion in places.iter().filter_map(|place| self.companions.get(place).copied()) {
            let now = self.program.terms.symbol(companion);
            let stale = self.program.terms.eq(now, start);
            let value = self.program.terms.ite(stale, none, now);
            all.push(Assign { target: Target::Var(companion), value });
        }
        all
    }

    /// Whether some of these values are addresses, and not of named objects.
    fn may_stray(&mut self, values: &[Term]) -> bool {
        values.iter().any(|&value| match self.base(value) {
            Base::None => false,
            Base::Unknown => true,
            Base::Of(base) => !matches!(self.program.terms.node(base), Node::BitVec(..)),
        })
    }

    /// A parameter of a procedure, which may be the one at work.
    fn param(&self, callee: ProcedureId, index: usize, body: &Body) -> Option<Symbol> {
        let procedure = if callee == body.id { &body.procedure } else { self.program.procedure(callee) };
        procedure.params.get(index).copied()
    }

    /// Companions of addresses that are written byte by byte.
    fn byte_assigns(&mut self, assigns: &[Assign]) -> Vec<Assign> {
        let count = (self.program.pointer_bits / 8) as usize;
        let mut all = Vec::new();
        for bytes in assigns.chunks(count).filter(|bytes| bytes.len() == count) {
            let Target::Cell(region, address) = bytes[0].target else { continue };
            let is_byte = self.program.region(region).is_some_and(|r| r.cell_bytes == 1);
            let (true, Some(&table)) = (is_byte, self.companions.get(&region)) else { continue };
            if let Some(value) = self.joined(bytes) {
                all.push(Assign { target: Target::Cell(table, address), value: self.companion_of(value) });
            }
        }
        all
    }

    /// The value whose bytes are written, the lowest first.
    fn joined(&mut self, bytes: &[Assign]) -> Option<Term> {
        let terms = &self.program.terms;
        match terms.node(bytes[0].value) {
            Node::Extract { hi: 7, lo: 0, of } if terms.bv_width(of) == self.program.pointer_bits => Some(of),
            Node::BitVec(8, _) => {
                let mut value = 0;
                for (i, byte) in bytes.iter().enumerate() {
                    let Node::BitVec(8, bits) = terms.node(byte.value) else { return None };
                    value |= bits << (8 * i);
                }
                Some(self.number(value))
            }
            _ => None,
        }
    }

    fn companion_assign(&mut self, assign: Assign) -> Option<Assign> {
        let (Target::Var(symbol) | Target::Cell(symbol, _)) = assign.target;
        let companion = *self.companions.get(&symbol)?;
        // Addresses among bytes are treated as a whole.
        if self.program.region(symbol).is_some_and(|r| r.cell_bytes == 1) {
            return None;
        }
        let target = match assign.target {
            Target::Var(_) => Target::Var(companion),
            Target::Cell(_, address) => Target::Cell(companion, address),
        };
        Some(Assign { target, value: self.companion_of(assign.value) })
    }

    /// Objects that end with a call.
    fn ends_with_call(&mut self, body: &Body) -> Vec<Assign> {
        let objects = self.program.objects.iter().enumerate();
        let own = objects.filter(|(_, o)| o.kind == ObjectKind::Local(body.id));
        let own: Vec<u64> =
            own.filter(|(i, _)| self.escaped.contains(&ObjectId::from_index(*i))).map(|(_, o)| o.address).collect();
        let mut ends: Vec<Assign> = Vec::new();
        for address in own {
            let address = self.number(address);
            ends.push(self.kind_entry(address, 0));
        }
        let mut made: Vec<Symbol> = body.made.values().copied().collect();
        made.sort_unstable();
        // Two of them may have made no block.
        if let [only] = made[..] {
            let address = self.program.terms.symbol(only);
            ends.push(self.kind_entry(address, 0));
        } else if !made.is_empty() {
            ends.extend(self.many_end(&made));
        }
        ends
    }

    /// Targets of assignments at once are distinct, so what made no block ends at an address of its own.
    fn many_end(&mut self, made: &[Symbol]) -> Vec<Assign> {
        let zero = self.number(0);
        let mut ends = Vec::new();
        for (index, &symbol) in made.iter().enumerate() {
            let address = self.program.terms.symbol(symbol);
            let none = self.program.terms.eq(address, zero);
            let nowhere = self.number(index as u64 + 2);
            let address = self.program.terms.ite(none, nowhere, address);
            ends.push(self.kind_entry(address, 0));
        }
        ends
    }

    fn new_block(&mut self, body: &Body, target: Symbol, size: Term, kind: AllocKind) -> Vec<Assign> {
        let address = self.program.terms.symbol(target);
        let number = if kind == AllocKind::Heap { HEAP } else { STACK };
        let mut after = vec![self.size_entry(address, size), self.kind_entry(address, number)];
        if let Some(&companion) = self.companions.get(&target) {
            after.push(Assign { target: Target::Var(companion), value: address });
        }
        if let Some(&last) = body.made.get(&target) {
            after.push(Assign { target: Target::Var(last), value: address });
        }
        if kind == AllocKind::Heap {
            let one = self.program.terms.bit_vec(32, 1);
            after.push(self.count(BinOp::BvAdd, one));
        }
        after
    }

    fn freed(&mut self, address: Term) -> Vec<Assign> {
        let zero = self.number(0);
        let terms = &mut self.program.terms;
        let null = terms.eq(address, zero);
        let (none, one) = (terms.bit_vec(32, 0), terms.bit_vec(32, 1));
        let less = terms.ite(null, none, one);
        vec![self.kind_entry(address, 0), self.count(BinOp::BvSub, less)]
    }

    fn count(&mut self, op: BinOp, by: Term) -> Assign {
        let blocks = self.program.terms.symbol(self.blocks);
        Assign { target: Target::Var(self.blocks), value: self.program.terms.bv(op, blocks, by) }
    }

    /// What must not be left over at the end of a run. What `main` knew is gone when it has returned, and only then.
    fn guard_leaks(&mut self, body: &mut Body, at: LocId, ends: bool, span: Span) -> LocId {
        let counts = self.checks.contains(Check::Leak) || self.checks.contains(Check::Cleanup);
        if !counts {
            return at;
        }
        let (blocks, none) = (self.program.terms.symbol(self.blocks), self.program.terms.bit_vec(32, 0));
        let all_freed = self.program.terms.eq(blocks, none);
        let failure = |check, text: &str| Op::Error(Failure { check, text: text.to_owned() });
        let otherwise = if self.checks.contains(Check::Cleanup) {
            failure(Check::Cleanup, "memory that is not freed at the end")
        } else if body.is_entry && ends && !self.held {
            failure(Check::Leak, "memory that nothing points to any more")
        } else {
            Op::Unsupported("whether something still points to memory that is not freed".to_owned())
        };
        self.guard(body, at, all_freed, otherwise, span)
    }
}

/// A procedure at work.
struct Body {
    id: ProcedureId,
    is_entry: bool,
    /// The last block of each place where one is made on the stack.
    made: FxHashMap<Symbol, Symbol>,
    procedure: Procedure,
}

/// A table with an entry for each address.
fn table(program: &mut CfaProgram, name: String, bits: u32) -> Symbol {
    let sort = Sort::array(Sort::BitVec(program.pointer_bits), Sort::BitVec(bits));
    let symbol = program.terms.declare(name.clone(), sort);
    program.regions.push(Region { symbol, cell_bytes: bits / 8, starts_zero: true, name, ghost: true });
    symbol
}

/// A variable that no one sees.
fn hidden(program: &mut CfaProgram, name: String, sort: Sort) -> Symbol {
    let symbol = program.terms.declare(name.clone(), sort);
    let info = VariableInfo { name, ty: String::new(), signed: false, pointer: false, hidden: true };
    program.variables.insert(symbol, info);
    symbol
}

/// A new location.
fn fresh(procedure: &mut Procedure, like: LocId) -> LocId {
    let span = procedure.locations[like.index()].span;
    procedure.locations.push(Location { label: None, span });
    LocId::from_index(procedure.locations.len() - 1)
}
