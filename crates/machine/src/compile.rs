//! Automata become code: chains of edges one after the other, jumps where they branch and join.

use rustc_hash::FxHashMap;

use clinch_ir::cfa::{
    AllocKind, Assign, CfaProgram, EdgeId, Object, ObjectKind, Op, Print, Procedure, ProcedureId, Target,
};
use clinch_terms::{BinOp, LocId, Node, Symbol, Term, Terms, UnOp};

use super::code::{AllocCode, CallCode, Code, End, Instr, NO_EDGE, Pc, Place, PrintCode, ProcedureCode, Slot};
use super::expression::{Expressions, NoCode, RegionCode, Shared};

/// Whether edges leave a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tracing {
    Off,
    On,
}

/// The code of a program.
pub(super) fn compile(program: &CfaProgram, block_of_object: &[u32], tracing: Tracing) -> Code {
    let region = |(i, r): (usize, &clinch_ir::cfa::Region)| {
        (r.symbol, RegionCode { number: i as u32, bytes: r.cell_bytes.clamp(1, 8) as u8, ghost: r.ghost })
    };
    let regions = program.regions.iter().enumerate().map(region).collect();
    let globals = program.globals.iter().enumerate().map(|(i, g)| (g.symbol, i as u32)).collect();
    let shared = Shared::new(&program.terms, regions, globals);
    let mut code = Code::default();
    for (index, procedure) in program.procedures.iter().enumerate() {
        let id = ProcedureId::from_index(index);
        let mut compiled = Compiler::new(program, &shared, &mut code, procedure, tracing).procedure(block_of_object);
        let own = |o: &(usize, &clinch_ir::cfa::Object)| o.1.kind == ObjectKind::Local(id);
        compiled.objects = program.objects.iter().enumerate().filter(own).map(|(i, _)| block_of_object[i]).collect();
        code.origin.resize(code.instrs.len(), (index as u32, NO_EDGE));
        code.procedures.push(compiled);
    }
    code
}

struct Compiler<'a, 'p> {
    program: &'p CfaProgram,
    procedure: &'p Procedure,
    expressions: Expressions<'a, 'p>,
    index: u32,
    tracing: Tracing,
    successors: Vec<Vec<EdgeId>>,
    /// How many edges go to each location.
    entering: Vec<u32>,
    heads: Vec<bool>,
    locations: Vec<Pc>,
    /// Jumps to locations that have no code yet.
    pending: Vec<(Pc, LocId)>,
    work: Vec<LocId>,
    /// Jumps of edges where the run is blocked if they are not enabled.
    blocked: Vec<(Vec<Pc>, EdgeId)>,
    /// The `Block` instruction of the current stretch.
    block: Pc,
    call_of_edge: Vec<u32>,
}

impl<'a, 'p> Compiler<'a, 'p> {
    fn new(
        program: &'p CfaProgram,
        shared: &'a Shared<'p>,
        code: &'a mut Code,
        procedure: &'p Procedure,
        tracing: Tracing,
    ) -> Self {
        let variables: Vec<Symbol> = procedure.params.iter().chain(&procedure.locals).copied().collect();
        let variables: FxHashMap<Symbol, Slot> =
            variables.into_iter().enumerate().map(|(i, s)| (s, i as Slot)).collect();
        let mut entering = vec![0; procedure.locations.len()];
        for edge in &procedure.edges {
            entering[edge.to.index()] += 1;
        }
        let index = code.procedures.len() as u32;
        Compiler {
            program,
            procedure,
            expressions: Expressions::new(shared, code, variables),
            index,
            tracing,
            successors: procedure.successors(),
            entering,
            heads: procedure.loop_heads(),
            locations: vec![Pc::MAX; procedure.locations.len()],
            pending: Vec::new(),
            work: vec![procedure.entry],
            blocked: Vec::new(),
            block: 0,
            call_of_edge: vec![u32::MAX; procedure.edges.len()],
        }
    }

    fn procedure(mut self, block_of_object: &[u32]) -> ProcedureCode {
        while let Some(start) = self.work.pop() {
            let mut next = Some(start);
            // A chain of edges.
            let mut begins = true;
            while let Some(at) = next {
                if self.locations[at.index()] != Pc::MAX {
                    if !begins {
                        self.jump(at);
                    }
                    break;
                }
                next = self.location(at, begins, block_of_object);
                begins = false;
            }
        }
        for (jumps, edge) in std::mem::take(&mut self.blocked) {
            if !jumps.is_empty() {
                jumps.into_iter().for_each(|jump| self.expressions.land(jump));
                self.end(End::Blocked);
                self.attribute(edge);
            }
        }
        for (jump, to) in std::mem::take(&mut self.pending) {
            let target = self.locations[to.index()];
            self.expressions.code.patch(jump, target);
        }
        let procedure = self.procedure;
        let slot = |s: Symbol| self.expressions.variables.get(&s).copied();
        ProcedureCode {
            entry: self.locations[procedure.entry.index()],
            params: procedure.params.len() as u32,
            variables: self.expressions.variables.len() as u32,
            slots: self.expressions.slots,
            result: procedure.result.and_then(slot),
            locations: self.locations,
            call_of_edge: self.call_of_edge,
            objects: Vec::new(),
        }
    }

    fn jump(&mut self, to: LocId) {
        let jump = self.emit(Instr::Jump { target: 0 });
        self.goto(jump, to);
    }

    /// The jump goes to a location.
    fn goto(&mut self, jump: Pc, to: LocId) {
        self.pending.push((jump, to));
        self.work.push(to);
    }

    fn emit(&mut self, instr: Instr) -> Pc {
        self.expressions.emit(instr)
    }

    /// The instructions since the last call of this belong to an edge.
    fn attribute(&mut self, edge: EdgeId) {
        let index = self.index;
        let code = &mut self.expressions.code;
        code.origin.resize(code.instrs.len(), (index, edge));
    }

    fn begin_block(&mut self, head: bool) {
        self.block = self.emit(Instr::Block { edges: 0, head });
    }

    fn count_edge(&mut self) {
        if let Instr::Block { edges, .. } = &mut self.expressions.code.instrs[self.block as usize] {
            *edges += 1;
        }
    }

    /// The code of a location and of the edges that leave it; where the chain goes on.
    fn location(&mut self, at: LocId, begins: bool, block_of_object: &[u32]) -> Option<LocId> {
        self.locations[at.index()] = self.expressions.here();
        let head = self.heads[at.index()];
        if begins || head || self.entering[at.index()] != 1 || at == self.procedure.entry {
            self.begin_block(head);
        }
        if at == self.procedure.exit {
            self.emit(Instr::Return);
            self.attribute(NO_EDGE);
            return None;
        }
        let edges = std::mem::take(&mut self.successors[at.index()]);
        match edges.as_slice() {
            [] => self.end(End::Blocked),
            [edge] if !matches!(self.edge_op(*edge), Op::Assume(_)) => return self.step(*edge, block_of_object),
            edges => return self.branch(edges),
        }
        self.attribute(NO_EDGE);
        None
    }

    fn edge_op(&self, edge: EdgeId) -> &'p Op {
        &self.procedure.edges[edge.index()].op
    }

    fn end(&mut self, end: End) {
        let ends = &mut self.expressions.code.ends;
        ends.push(end);
        let end = ends.len() as u32 - 1;
        self.emit(Instr::End { end });
    }

    /// Several conditions: the first that holds. Where none does the run is blocked.
    fn branch(&mut self, edges: &[EdgeId]) -> Option<LocId> {
        self.count_edge();
        for (i, &edge) in edges.iter().enumerate() {
            let Op::Assume(condition) = *self.edge_op(edge) else {
                // The front end promises that only conditions stand side by side.
                self.end(End::Unsupported("a choice that is no condition".to_owned()));
                self.attribute(edge);
                return None;
            };
            self.expressions.start(0);
            let rest = &edges[i + 1..];
            let certain = i + 1 == edges.len() && i > 0 && self.is_rest(edges[i - 1], condition);
            let jumps = if certain { Ok(Vec::new()) } else { self.expressions.jumps_unless(condition) };
            let jumps = match jumps {
                Ok(jumps) => jumps,
                Err(NoCode(end)) => {
                    self.end(end);
                    self.attribute(edge);
                    return None;
                }
            };
            self.trace(edge);
            let to = self.procedure.edges[edge.index()].to;
            match rest {
                [] => {
                    self.attribute(edge);
                    self.blocked.push((jumps, edge));
                    return Some(to);
                }
                // Two ways, one of which is taken: no further test.
                [other] if self.tracing == Tracing::Off && self.is_rest(*other, condition) => {
                    self.attribute(edge);
                    let other = self.procedure.edges[other.index()].to;
                    jumps.into_iter().for_each(|jump| self.goto(jump, other));
                    return Some(to);
                }
                _ => {
                    self.jump(to);
                    self.attribute(edge);
                    jumps.into_iter().for_each(|jump| self.expressions.land(jump));
                }
            }
        }
        None
    }

    /// Whether the edge is taken exactly where the condition fails.
    fn is_rest(&self, edge: EdgeId, condition: Term) -> bool {
        matches!(*self.edge_op(edge), Op::Assume(other) if is_negation(&self.program.terms, condition, other))
    }

    fn trace(&mut self, edge: EdgeId) {
        if self.tracing == Tracing::On {
            self.emit(Instr::Trace { edge, returned: false });
        }
    }

    /// An edge that is no condition.
    fn step(&mut self, edge: EdgeId, block_of_object: &[u32]) -> Option<LocId> {
        self.count_edge();
        let op = self.edge_op(edge);
        let reserved = if let Op::Call { args, .. } = op { args.len() } else { 0 };
        self.expressions.start(reserved);
        let done = self.op(op, edge, block_of_object);
        if let Err(NoCode(end)) = done {
            self.end(end);
        } else if !matches!(op, Op::Call { .. }) {
            self.trace(edge);
        }
        self.attribute(edge);
        let ends = matches!(op, Op::Error(_) | Op::Exit(_) | Op::Abort | Op::Unsupported(_) | Op::Undefined(_));
        (!ends).then_some(self.procedure.edges[edge.index()].to)
    }

    fn op(&mut self, op: &'p Op, edge: EdgeId, block_of_object: &[u32]) -> Result<(), NoCode> {
        match op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(assigns) => self.assign(assigns)?,
            Op::Input(target, input) => {
                let dst = self.expressions.place(*target)?;
                self.emit(Instr::Input { dst, input: *input });
            }
            Op::Call { callee, args, result } => self.call(edge, *callee, args, *result)?,
            Op::Return(Some(value)) => {
                if let Some(result) = self.procedure.result {
                    self.set(result, *value)?;
                }
            }
            Op::Return(None) => {}
            Op::Enter(object) => _ = self.emit(Instr::Enter { object: block_of_object[object.index()] }),
            Op::Leave(object) => _ = self.emit(Instr::Leave { object: block_of_object[object.index()] }),
            Op::Alloc { target, size, kind, zeroed } => {
                let (size, dst) = (self.expressions.value(*size)?, self.expressions.place(*target)?);
                let allocs = &mut self.expressions.code.allocs;
                allocs.push(AllocCode { size, stack: *kind == AllocKind::Stack, zeroed: *zeroed });
                let alloc = allocs.len() as u32 - 1;
                self.emit(Instr::Alloc { alloc, dst });
            }
            Op::Free(address) => {
                let address = self.expressions.value(*address)?;
                self.emit(Instr::Free { address });
            }
            Op::BlockSize(target, address) => {
                let (address, dst) = (self.expressions.value(*address)?, self.expressions.place(*target)?);
                self.emit(Instr::BlockSize { dst, address });
            }
            Op::SameObject(a, b) => {
                let (a, b) = (self.expressions.value(*a)?, self.expressions.value(*b)?);
                self.emit(Instr::SameObject { a, b });
            }
            Op::Print(print) => self.print(print)?,
            Op::Exit(status) => {
                let (slot, width) = (self.expressions.value(*status)?, self.expressions.shared.width(*status)?);
                self.trace(edge);
                self.emit(Instr::Exit { status: slot, width });
            }
            Op::Error(what) => self.last(edge, End::Error(what.clone())),
            Op::Abort => self.last(edge, End::Abort),
            Op::Unsupported(what) => self.last(edge, End::Unsupported(what.clone())),
            Op::Undefined(what) => self.last(edge, End::Undefined(what.clone())),
        }
        Ok(())
    }

    fn last(&mut self, edge: EdgeId, end: End) {
        self.trace(edge);
        self.end(end);
    }

    fn print(&mut self, print: &Print) -> Result<(), NoCode> {
        let mut args = Vec::new();
        for &arg in &print.args {
            args.push((self.expressions.value(arg)?, self.expressions.shared.width(arg)?));
        }
        let prints = &mut self.expressions.code.prints;
        prints.push(PrintCode { format: print.format.clone(), args, stdout: print.stdout });
        let print = prints.len() as u32 - 1;
        self.emit(Instr::Print { print });
        Ok(())
    }

    /// One assignment to a variable.
    fn set(&mut self, target: Symbol, value: Term) -> Result<(), NoCode> {
        match self.expressions.place(target)? {
            Place::Slot(dst) => self.expressions.value_into(value, dst),
            Place::Global(global) => {
                let src = self.expressions.value(value)?;
                self.emit(Instr::SetGlobal { global, src });
                Ok(())
            }
        }
    }

    /// Assignments at once: all values and addresses before any change.
    fn assign(&mut self, assigns: &[Assign]) -> Result<(), NoCode> {
        if assigns.iter().all(|assign| self.is_literals_own(assign)) {
            return Ok(());
        }
        if let [Assign { target: Target::Var(target), value }] = assigns {
            return self.set(*target, *value);
        }
        let variables = self.expressions.variables.len() as Slot;
        let mut writes = Vec::new();
        for assign in assigns {
            let mut src = self.expressions.value(assign.value)?;
            if src < variables && assigns.iter().any(|a| self.is_slot(a.target, src)) {
                let dst = self.expressions.fresh();
                self.emit(Instr::Move { dst, src });
                src = dst;
            }
            let address = match assign.target {
                Target::Var(_) => 0,
                Target::Cell(_, address) => self.expressions.value(address)?,
            };
            writes.push((assign.target, address, src));
        }
        // Cells first: an address may be in a variable that is changed too.
        writes.sort_by_key(|w| matches!(w.0, Target::Var(_)));
        for (target, address, src) in writes {
            let instr = match target {
                Target::Cell(region, _) => {
                    let Some(&RegionCode { number: region, bytes, ghost }) =
                        self.expressions.shared.regions.get(&region)
                    else {
                        return Err(NoCode(End::Unsupported("a cell of no region".to_owned())));
                    };
                    match ghost {
                        true => Instr::StoreGhost { region, address, src },
                        false => Instr::Store { bytes, address, src, region },
                    }
                }
                Target::Var(target) => match self.expressions.place(target)? {
                    Place::Slot(dst) => Instr::Move { dst, src },
                    Place::Global(global) => Instr::SetGlobal { global, src },
                },
            };
            self.emit(instr);
        }
        Ok(())
    }

    /// Whether an assignment writes into a literal what is there already: the start does so for those who read the program
    /// symbolically.
    fn is_literals_own(&self, assign: &Assign) -> bool {
        let Target::Cell(region, address) = assign.target else { return false };
        let (Some(address), Some(value)) = (self.number(address), self.number(assign.value)) else { return false };
        let bytes = self.program.region(region).map_or(1, |r| r.cell_bytes) as usize;
        let is_literal =
            |o: &&Object| o.kind == ObjectKind::Literal && (o.address..o.address + o.size).contains(&address);
        self.program.objects.iter().find(is_literal).is_some_and(|object| {
            let start = (address - object.address) as usize;
            let own = object.bytes.get(start..start + bytes).unwrap_or_default();
            !own.is_empty() && own == &value.to_le_bytes()[..bytes.min(8)]
        })
    }

    fn number(&self, term: Term) -> Option<u64> {
        match self.program.terms.node(term) {
            Node::BitVec(_, value) => Some(value),
            Node::Int(value) => Some(value as u64),
            _ => None,
        }
    }

    fn is_slot(&self, target: Target, slot: Slot) -> bool {
        matches!(target, Target::Var(s) if self.expressions.place(s).ok() == Some(Place::Slot(slot)))
    }

    /// The arguments are computed into the parameters of the callee's frame.
    fn call(&mut self, edge: EdgeId, callee: ProcedureId, args: &[Term], result: Option<Symbol>) -> Result<(), NoCode> {
        if args.len() != self.program.procedure(callee).params.len() {
            return Err(NoCode(End::Unsupported("a call with another number of arguments".to_owned())));
        }
        let first = self.expressions.variables.len() as Slot;
        for (i, &arg) in args.iter().enumerate() {
            self.expressions.value_into(arg, first + i as Slot)?;
        }
        let result = result.map(|r| self.expressions.place(r)).transpose()?;
        self.trace(edge);
        let call = self.expressions.code.calls.len() as u32;
        self.emit(Instr::Call { call });
        let resume = self.expressions.here();
        self.expressions.code.calls.push(CallCode { callee: callee.0, edge, resume, result });
        self.call_of_edge[edge.index()] = call;
        if self.tracing == Tracing::On {
            self.emit(Instr::Trace { edge, returned: true });
        }
        Ok(())
    }
}

/// Whether exactly one of two conditions holds, as far as their form tells.
fn is_negation(terms: &Terms, a: Term, b: Term) -> bool {
    match (terms.node(a), terms.node(b)) {
        (Node::Unary(UnOp::Not, inner), _) if inner == b => true,
        (_, Node::Unary(UnOp::Not, inner)) if inner == a => true,
        (Node::Binary(strict, x, y), Node::Binary(weak, v, u))
        | (Node::Binary(weak, v, u), Node::Binary(strict, x, y))
            if (x, y) == (u, v) && weaker(strict) == Some(weak) =>
        {
            true
        }
        _ => false,
    }
}

fn weaker(op: BinOp) -> Option<BinOp> {
    match op {
        BinOp::Lt => Some(BinOp::Le),
        BinOp::BvUlt => Some(BinOp::BvUle),
        BinOp::BvSlt => Some(BinOp::BvSle),
        _ => None,
    }
}
