//! What edges do to companions and tables.

use clinch_ir::Span;
use clinch_ir::cfa::{AllocKind, Assign, Edge, InputId, ObjectId, ObjectKind, Op, Procedure, ProcedureId, Target};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::super::ghost::{chain, fresh, hidden, is_in_loop};
use super::super::lower::Ranges;
use super::{AT_ONCE, Base, Body, EARLIER_LIFE, HEAP, LITERAL, Provenance, STACK, STATIC, UNKNOWN, is_any};

impl Provenance<'_> {
    /// An edge with what it does to companions and tables.
    pub(super) fn edge(&mut self, body: &mut Body, from: LocId, edge: &Edge) {
        let mut edge = Edge { from, ..edge.clone() };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        match &mut edge.op {
            Op::Assign(assigns) => after = self.assigned(assigns),
            Op::Input(symbol, site) => after.extend(self.taken(*symbol, *site)),
            Op::Call { callee, args, result } => {
                self.pass(*callee, args, body);
                after.extend(result.and_then(|result| self.received(result, *callee, body)));
            }
            Op::Return(value) => before = self.returned(*value, body),
            Op::Enter(object) if self.escaped.contains(object) => {
                edge.from = self.guard_earlier_life(body, edge.from, *object, edge.span);
                after = self.entered(*object, body);
            }
            Op::Leave(object) if self.escaped.contains(object) => {
                let address = self.number(self.program.objects[object.index()].address);
                after.push(self.kind_entry(address, 0));
            }
            Op::Alloc { target, size, kind, .. } => after = self.new_block(body, *target, *size, *kind),
            Op::Free(address) => after = self.freed(*address),
            // The table knows it, for what is asked about is the start of a block.
            Op::BlockSize(target, address) => {
                if let (target, Base::Of(base)) = (*target, self.base(*address)) {
                    let value = self.entry(self.size, base);
                    edge.op = Op::Assign(vec![Assign { target: Target::Var(target), value }]);
                }
            }
            // The text that is printed ends somewhere, one hopes.
            Op::Print(print) if print.format.contains(&b's') && self.may_stray(&print.args.clone()) => {
                edge.op = Op::Unsupported("the length of a text that is printed".to_owned());
            }
            Op::Exit(_) => edge.from = self.guard_leaks(body, edge.from, true, edge.span),
            Op::Abort => edge.from = self.guard_leaks(body, edge.from, false, edge.span),
            _ => {}
        }
        if matches!(&edge.op, Op::Assign(assigns) if assigns.is_empty()) {
            edge.op = Op::Skip;
        }
        edge.from = chain(&mut body.procedure, edge.from, vec![before]);
        if !after.is_empty() {
            let (middle, to, span) = (fresh(&mut body.procedure, edge.to), edge.to, edge.span);
            edge.to = middle;
            body.procedure.edges.push(Edge { from: middle, to, op: Op::Assign(after), span });
        }
        body.procedure.edges.push(edge);
    }

    /// Companions of what is assigned, without the marks; what ends here is no more afterwards.
    fn assigned(&mut self, assigns: &mut Vec<Assign>) -> Vec<Assign> {
        let Ranges { read, written, ended, room } = self.ranges;
        let mut after = Vec::new();
        for assign in assigns.iter() {
            if let Target::Cell(region, address) = assign.target
                && region == ended
            {
                after.push(self.kind_entry(address, 0));
            }
        }
        for assign in assigns.iter_mut() {
            if let (Target::Cell(region, address), Node::Symbol(variable)) =
                (assign.target, self.program.terms.node(assign.value))
                && region == room
            {
                *assign = Assign { target: Target::Var(variable), value: self.room(address) };
            }
        }
        let is_mark = |target| matches!(target, Target::Cell(region, _) if [read, written, ended].contains(&region));
        assigns.retain(|assign| !is_mark(assign.target));
        let (own, bytes) = (assigns.clone(), self.byte_assigns(assigns));
        assigns.extend(bytes);
        for assign in own {
            assigns.extend(self.companion_assign(assign));
        }
        after
    }

    /// A pointer that is an input comes from nowhere, or from outside. One that is any value need not be that of an object.
    fn taken(&mut self, symbol: Symbol, site: InputId) -> Option<Assign> {
        let companion = *self.companions.get(&symbol)?;
        let is_any = is_any(&self.program.inputs[site.index()].kind);
        let value = self.number(if is_any { 0 } else { UNKNOWN });
        Some(Assign { target: Target::Var(companion), value })
    }

    /// Companions of the arguments that need one.
    fn pass(&mut self, callee: ProcedureId, args: &mut Vec<Term>, body: &Body) {
        for (index, arg) in args.clone().into_iter().enumerate() {
            let param = self.param(callee, index, body);
            if param.is_some_and(|param| self.companions.contains_key(&param)) {
                args.push(self.companion_of(arg));
            }
        }
    }

    /// The companion of what a call has returned. Where all that a procedure returns points into one object, it hands over none.
    fn received(&mut self, target: Symbol, callee: ProcedureId, body: &Body) -> Option<Assign> {
        let companion = *self.companions.get(&target)?;
        let procedure = if callee == body.id { &body.procedure } else { self.program.procedure(callee) };
        let value = match procedure.result {
            Some(own) if !self.companions.contains_key(&own) => {
                let returned = self.program.terms.symbol(own);
                self.companion_of(returned)
            }
            _ => self.program.terms.symbol(self.result),
        };
        Some(Assign { target: Target::Var(companion), value })
    }

    /// The companion of what a call returns, and the objects that end with it.
    fn returned(&mut self, value: Option<Term>, body: &Body) -> Vec<Assign> {
        let needed = body.procedure.result.is_some_and(|result| self.companions.contains_key(&result));
        let mut before = Vec::new();
        if let Some(value) = value.filter(|_| needed) {
            before.push(Assign { target: Target::Var(self.result), value: self.companion_of(value) });
        }
        before.extend(self.ends_with_call(body));
        before
    }

    /// The life of a local object begins.
    fn entered(&mut self, object: ObjectId, body: &Body) -> Vec<Assign> {
        let mut after = self.object_entries(object, STACK).to_vec();
        after.extend(self.forgotten(body, object));
        if let Some(&lived) = self.stored.get(&object) {
            after.push(Assign { target: Target::Var(lived), value: self.program.terms.tt() });
        }
        after
    }

    /// Cells of memory may still hold the address of an object from an earlier life of it, and would point to the new one.
    fn guard_earlier_life(&mut self, body: &mut Body, at: LocId, object: ObjectId, span: Span) -> LocId {
        let Some(&lived) = self.stored.get(&object) else { return at };
        let lived = self.program.terms.symbol(lived);
        let first = self.program.terms.not(lived);
        let what = "a local object that lives again, and whose address was kept in memory";
        self.guard(body, at, first, Op::Unsupported(what.to_owned()), span)
    }

    pub(super) fn companion_assign(&mut self, assign: Assign) -> Option<Assign> {
        let (Target::Var(symbol) | Target::Cell(symbol, _)) = assign.target;
        let companion = *self.companions.get(&symbol)?;
        // Addresses among bytes are treated as a whole, except where bytes are copied.
        let is_bytes = |region: Symbol| self.program.region(region).is_some_and(|r| r.cell_bytes == 1);
        if is_bytes(symbol) {
            let (Target::Cell(_, to), Node::Binary(BinOp::Select, array, from)) =
                (assign.target, self.program.terms.node(assign.value))
            else {
                return None;
            };
            let Node::Symbol(source) = self.program.terms.node(array) else { return None };
            let table = *self.companions.get(&source).filter(|_| is_bytes(source))?;
            return Some(Assign { target: Target::Cell(companion, to), value: self.entry(table, from) });
        }
        let target = match assign.target {
            Target::Var(_) => Target::Var(companion),
            Target::Cell(_, address) => Target::Cell(companion, address),
        };
        Some(Assign { target, value: self.companion_of(assign.value) })
    }

    /// Companions of addresses that are written byte by byte.
    pub(super) fn byte_assigns(&mut self, assigns: &[Assign]) -> Vec<Assign> {
        let count = (self.program.pointer_bits / 8) as usize;
        let mut all: IndexMap<Target, Term, FxBuildHasher> = IndexMap::default();
        for (at, bytes) in assigns.windows(count).enumerate() {
            let Target::Cell(region, address) = bytes[0].target else { continue };
            let is_byte = self.program.region(region).is_some_and(|r| r.cell_bytes == 1);
            let (true, Some(&table)) = (is_byte, self.companions.get(&region)) else { continue };
            let Some(value) = self.joined(bytes) else { continue };
            let base = self.base(value);
            // Numbers are forgotten here and there; an address may be anywhere among them.
            if base != Base::None || at % count == 0 {
                all.insert(Target::Cell(table, address), self.companion_value(base));
            }
        }
        all.into_iter().map(|(target, value)| Assign { target, value }).collect()
    }

    /// The value whose bytes are written, the lowest first.
    pub(super) fn joined(&mut self, bytes: &[Assign]) -> Option<Term> {
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

    /// A parameter of a procedure, which may be the one at work.
    pub(super) fn param(&self, callee: ProcedureId, index: usize, body: &Body) -> Option<Symbol> {
        let procedure = if callee == body.id { &body.procedure } else { self.program.procedure(callee) };
        procedure.params.get(index).copied()
    }

    /// Whether some of these values are addresses, and not of named objects.
    pub(super) fn may_stray(&mut self, values: &[Term]) -> bool {
        values.iter().any(|&value| match self.base(value) {
            Base::None => false,
            Base::Unknown => true,
            Base::Of(base) => !matches!(self.program.terms.node(base), Node::BitVec(..)),
        })
    }

    /// A local object of an iteration is another one than that of the iteration before: variables that point there point to nothing.
    pub(super) fn forgotten(&mut self, body: &Body, object: ObjectId) -> Vec<Assign> {
        let start = self.program.objects[object.index()].address;
        // A jump back in its block does not end the life of an object, though it comes to its declaration again.
        let jumps = body.procedure.locations.iter().any(|location| location.label.is_some());
        let (start, gone) = (self.number(start), self.number(if jumps { 0 } else { EARLIER_LIFE }));
        let own = body.procedure.params.iter().chain(&body.procedure.locals).copied();
        let places: Vec<Symbol> = own.chain(self.program.globals.iter().map(|g| g.symbol)).collect();
        let mut all = Vec::new();
        for companion in places.iter().filter_map(|place| self.companions.get(place).copied()) {
            let now = self.program.terms.symbol(companion);
            let stale = self.program.terms.eq(now, start);
            let value = self.program.terms.ite(stale, gone, now);
            all.push(Assign { target: Target::Var(companion), value });
        }
        all
    }

    /// Objects that end with a call.
    pub(super) fn ends_with_call(&mut self, body: &Body) -> Vec<Assign> {
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
    pub(super) fn many_end(&mut self, made: &[Symbol]) -> Vec<Assign> {
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

    pub(super) fn new_block(&mut self, body: &Body, target: Symbol, size: Term, kind: AllocKind) -> Vec<Assign> {
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

    pub(super) fn freed(&mut self, address: Term) -> Vec<Assign> {
        let zero = self.number(0);
        let terms = &mut self.program.terms;
        let null = terms.eq(address, zero);
        let (none, one) = (terms.bit_vec(32, 0), terms.bit_vec(32, 1));
        let less = terms.ite(null, none, one);
        vec![self.kind_entry(address, 0), self.count(BinOp::BvSub, less)]
    }

    pub(super) fn count(&mut self, op: BinOp, by: Term) -> Assign {
        let blocks = self.program.terms.symbol(self.blocks);
        Assign { target: Target::Var(self.blocks), value: self.program.terms.bv(op, blocks, by) }
    }

    /// Variables that hold the last block of each place where one is made on the stack.
    pub(super) fn stack_blocks(&mut self, procedure: &mut Procedure, edges: &[Edge]) -> FxHashMap<Symbol, Symbol> {
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
    pub(super) fn assume_loops_end(&mut self, procedure: &Procedure) {
        let on_stack = |edge: &&Edge| matches!(edge.op, Op::Alloc { kind: AllocKind::Stack, .. });
        if procedure.edges.iter().filter(on_stack).any(|edge| is_in_loop(procedure, edge)) {
            let text = "memory that a loop allocates on the stack is not used after its function has returned";
            self.program.assumptions.push(text.to_owned());
        }
    }

    pub(super) fn no_blocks(&mut self, made: &FxHashMap<Symbol, Symbol>) -> Vec<Vec<Assign>> {
        let zero = self.number(0);
        let mut all: Vec<Assign> =
            made.values().map(|&last| Assign { target: Target::Var(last), value: zero }).collect();
        all.sort_by_key(|assign| match assign.target {
            Target::Var(symbol) | Target::Cell(symbol, _) => symbol,
        });
        vec![all]
    }

    /// The entries of objects that live for ever.
    pub(super) fn initial_tables(&mut self) -> Vec<Vec<Assign>> {
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

    pub(super) fn object_entries(&mut self, object: ObjectId, kind: u64) -> [Assign; 2] {
        let (address, size) = {
            let object = &self.program.objects[object.index()];
            (object.address, object.size)
        };
        let (address, size) = (self.number(address), self.number(size));
        [self.size_entry(address, size), self.kind_entry(address, kind)]
    }

    pub(super) fn size_entry(&mut self, address: Term, size: Term) -> Assign {
        Assign { target: Target::Cell(self.size, address), value: size }
    }

    pub(super) fn kind_entry(&mut self, address: Term, kind: u64) -> Assign {
        let value = self.program.terms.bit_vec(8, kind);
        Assign { target: Target::Cell(self.kind, address), value }
    }
}
