//! One edge of a run: what the machine does, with terms instead of numbers.

use std::rc::Rc;

use clinch_ir::cfa::{AllocKind, Assign, EdgeId, InputKind, OUTSIDE_MIDDLE, Op, ProcedureId, Target};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Value};
use rustc_hash::FxHashMap;

use super::Search;
use super::memory::{Kind, Read, concatenation};
use super::state::{Asked, Frame, State};

/// A run goes no further.
pub(super) enum End {
    /// It ends, or does what has no meaning.
    Over,
    /// It is at an error.
    Error,
}

/// Calls that may be active at a time.
const DEPTH: usize = 2_000;

/// The terms that were evaluated for an edge.
pub(super) type Memo = FxHashMap<Term, Term>;

/// Where the value of a symbol is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Slot(usize),
    Global(usize),
    Region(usize),
    Nowhere,
}

impl Search<'_> {
    /// Takes the edge that is enabled for the inputs of the state's model. Where inputs decide, the other ways wait.
    pub(super) fn step(&mut self, state: &mut State) -> Result<(), End> {
        let program = self.program;
        let Frame { procedure, location, .. } = *state.top();
        let automaton = program.procedure(procedure);
        if location == automaton.exit {
            return self.come_back(state);
        }
        let edges = Rc::clone(&self.edges[procedure.index()][location.index()]);
        let mut memo = Memo::default();
        let mut enabled = None;
        let mut others = Vec::new();
        for &id in edges.iter() {
            let edge = &automaton.edges[id.index()];
            let Op::Assume(condition) = edge.op else {
                enabled = Some((id, None));
                continue;
            };
            let condition = self.value(state, condition, &mut memo)?;
            match self.terms.node(condition) {
                Node::Bool(true) => enabled = Some((id, None)),
                Node::Bool(false) => {}
                _ if state.model.holds(&self.terms, condition) => enabled = Some((id, Some(condition))),
                _ => others.push((edge.to, condition)),
            }
        }
        for (to, condition) in others {
            self.wait(state, to, condition, 0);
        }
        let (id, condition) = enabled.ok_or(End::Over)?;
        if let Some(condition) = condition {
            state.conditions.push(condition);
        }
        let edge = &automaton.edges[id.index()];
        self.perform(state, (procedure, id), &edge.op, &mut memo)?;
        if !matches!(edge.op, Op::Call { .. }) {
            state.top_mut().location = edge.to;
        }
        Ok(())
    }

    /// The call at the top ends.
    fn come_back(&mut self, state: &mut State) -> Result<(), End> {
        let program = self.program;
        let frame = state.frames.pop().expect("a run has an active call");
        for &block in &frame.blocks {
            state.memory.kill(block);
        }
        if state.frames.is_empty() {
            return Err(End::Over);
        }
        let own = program.procedure(frame.procedure).result;
        let value = own.map(|symbol| self.slot(frame.procedure, symbol)).map(|slot| frame.values[slot]);
        let caller = state.top_mut();
        let id = caller.call_edge.take().expect("a call that waits has an edge");
        let edge = &program.procedure(caller.procedure).edges[id.index()];
        if let (Op::Call { result: Some(symbol), .. }, Some(value)) = (&edge.op, value) {
            self.set(state, *symbol, value);
        }
        state.top_mut().location = edge.to;
        Ok(())
    }

    fn perform(
        &mut self,
        state: &mut State,
        (procedure, id): (ProcedureId, EdgeId),
        op: &Op,
        memo: &mut Memo,
    ) -> Result<(), End> {
        match op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(assigns) => self.assign(state, assigns, memo)?,
            Op::Input(symbol, site) => {
                let value = self.fresh_like(*symbol);
                let kind = &self.program.inputs[site.index()].kind;
                if !matches!(kind, InputKind::Opaque(_) | InputKind::Lost) {
                    state.inputs.push((Asked::Site(*site), value));
                }
                if self.program.variables.get(symbol).is_some_and(|info| info.pointer) {
                    self.comes_from_outside(value);
                }
                self.set(state, *symbol, value);
            }
            Op::Call { callee, args, .. } => self.call(state, id, *callee, args, memo)?,
            Op::Return(value) => {
                if let (Some(value), Some(result)) = (value, self.program.procedure(procedure).result) {
                    let value = self.value(state, *value, memo)?;
                    self.set(state, result, value);
                }
            }
            Op::SameObject(a, b) => {
                let (a, b) = (self.number(state, *a, memo)?, self.number(state, *b, memo)?);
                let object = |address| state.memory.object_of(self.program, address);
                if a != 0 && b != 0 && object(a) != object(b) {
                    return Err(End::Over);
                }
            }
            Op::Print(print) => {
                for &arg in &print.args {
                    self.value(state, arg, memo)?;
                }
            }
            Op::Enter(_) | Op::Leave(_) | Op::Alloc { .. } | Op::Free(_) | Op::BlockSize(..) => {
                self.change_blocks(state, op, memo)?;
            }
            Op::Error(_) => return Err(End::Error),
            Op::Exit(_) | Op::Abort | Op::Unsupported(_) | Op::Undefined(_) => return Err(End::Over),
        }
        Ok(())
    }

    /// What begins or ends lives of blocks, or asks how large they are.
    fn change_blocks(&mut self, state: &mut State, op: &Op, memo: &mut Memo) -> Result<(), End> {
        match op {
            Op::Enter(object) => state.memory.enter(self.program, *object),
            Op::Leave(object) => state.memory.leave(self.program, *object),
            Op::Alloc { target, size, kind, zeroed } => {
                let size = self.number(state, *size, memo)?;
                let address = state.memory.alloc(size, *kind, *zeroed).ok_or(End::Over)?;
                if *kind == AllocKind::Stack {
                    state.top_mut().blocks.push(address);
                }
                let value = self.address(address);
                self.set(state, *target, value);
            }
            Op::Free(address) => self.free(state, *address, memo)?,
            Op::BlockSize(symbol, address) => {
                let address = self.value(state, *address, memo)?;
                let (_, size) = self.heap_block(state, address)?.ok_or(End::Over)?;
                let size = self.address(size);
                self.set(state, *symbol, size);
            }
            _ => {}
        }
        Ok(())
    }

    /// A heap block ends, but not what a pointer from outside leads to. One that leads nowhere may be such a pointer.
    fn free(&mut self, state: &mut State, address: Term, memo: &mut Memo) -> Result<(), End> {
        let address = self.value(state, address, memo)?;
        let bits = state.model.bits(&self.terms, address).ok_or(End::Over)?;
        if self.program.outside_object_at(bits).is_some() {
            self.bind(state, address, bits);
            return Ok(());
        }
        let is_open = bits != 0 && self.terms.as_bit_vec(address).is_none();
        if is_open && state.memory.block_at(self.program, bits).is_none() {
            return self.outside(state, address).map(drop);
        }
        if let Some((start, _)) = self.heap_block(state, address)? {
            state.memory.kill(start);
        }
        Ok(())
    }

    fn assign(&mut self, state: &mut State, assigns: &[Assign], memo: &mut Memo) -> Result<(), End> {
        let mut written = Vec::with_capacity(assigns.len());
        for Assign { target, value } in assigns {
            let value = self.value(state, *value, memo)?;
            let address = match target {
                Target::Var(_) => None,
                Target::Cell(region, address) => Some(self.place_of(state, *region, *address, memo)?),
            };
            written.push((*target, address, value));
        }
        for (target, address, value) in written {
            match (target, address) {
                (Target::Cell(region, _), Some(address)) => self.store(state, region, address, value)?,
                (Target::Var(symbol) | Target::Cell(symbol, _), _) => self.set(state, symbol, value),
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        state: &mut State,
        edge: EdgeId,
        callee: ProcedureId,
        args: &[Term],
        memo: &mut Memo,
    ) -> Result<(), End> {
        let mut values = Vec::with_capacity(self.zeros[callee.index()].len());
        for &arg in args {
            values.push(self.value(state, arg, memo)?);
        }
        if state.frames.len() >= DEPTH {
            return Err(End::Over);
        }
        values.extend_from_slice(&self.zeros[callee.index()][args.len()..]);
        let entry = self.program.procedure(callee).entry;
        state.top_mut().call_edge = Some(edge);
        let frame = Frame { procedure: callee, location: entry, call_edge: None, values, blocks: Vec::new() };
        state.frames.push(Rc::new(frame));
        Ok(())
    }

    /// The start and size of the heap block at an address; nothing for a null pointer.
    fn heap_block(&mut self, state: &mut State, address: Term) -> Result<Option<(u64, u64)>, End> {
        match self.fix(state, address, OTHER_NUMBER)? {
            0 => Ok(None),
            address => match state.memory.block_at(self.program, address) {
                Some((start, size, Kind::Heap)) if start == address => Ok(Some((start, size))),
                _ => Err(End::Over),
            },
        }
    }

    pub(super) fn slot(&self, procedure: ProcedureId, symbol: Symbol) -> usize {
        let procedure = self.program.procedure(procedure);
        let own = procedure.params.iter().chain(&procedure.locals).position(|&s| s == symbol);
        own.expect("the result of a procedure is one of its variables")
    }

    fn set(&mut self, state: &mut State, symbol: Symbol, value: Term) {
        match self.places[symbol.index()] {
            Place::Slot(slot) => state.top_mut().values[slot] = value,
            Place::Global(number) => Rc::make_mut(&mut state.globals)[number] = value,
            Place::Region(_) | Place::Nowhere => {}
        }
    }

    fn fresh_like(&mut self, symbol: Symbol) -> Term {
        let (name, sort) = (self.terms.symbol_name(symbol).to_owned(), self.terms.symbol_sort(symbol).clone());
        self.terms.fresh(name, sort)
    }

    /// A term of the program as a term over inputs.
    pub(super) fn value(&mut self, state: &mut State, term: Term, memo: &mut Memo) -> Result<Term, End> {
        match self.terms.node(term) {
            Node::Bool(_) | Node::BitVec(..) | Node::BigBitVec(..) => return Ok(term),
            Node::Symbol(symbol) => {
                return match self.places.get(symbol.index()) {
                    Some(&Place::Slot(slot)) => Ok(state.top().values[slot]),
                    Some(&Place::Global(number)) => Ok(state.globals[number]),
                    Some(Place::Region(_) | Place::Nowhere) | None => Err(End::Over),
                };
            }
            _ => {}
        }
        if let Some(&known) = memo.get(&term) {
            return Ok(known);
        }
        let value = self.compute(state, term, memo)?;
        memo.insert(term, value);
        Ok(value)
    }

    fn compute(&mut self, state: &mut State, term: Term, memo: &mut Memo) -> Result<Term, End> {
        match self.terms.node(term) {
            Node::Binary(BinOp::Select, array, address) => {
                let Node::Symbol(region) = self.terms.node(array) else { return Err(End::Over) };
                let address = self.place_of(state, region, address, memo)?;
                self.load(state, region, address)
            }
            Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                let mut left = self.value(state, a, memo)?;
                if self.reads_memory(b) {
                    left = self.decide(state, left);
                }
                match (self.terms.node(left), op) {
                    (Node::Bool(false), BinOp::And) | (Node::Bool(true), BinOp::Or) => Ok(left),
                    _ => {
                        let right = self.value(state, b, memo)?;
                        Ok(self.terms.binary(op, left, right))
                    }
                }
            }
            Node::Ite(condition, a, b) => {
                let mut condition = self.value(state, condition, memo)?;
                if self.reads_memory(a) || self.reads_memory(b) {
                    condition = self.decide(state, condition);
                }
                match self.terms.node(condition) {
                    Node::Bool(true) => self.value(state, a, memo),
                    Node::Bool(false) => self.value(state, b, memo),
                    _ => {
                        let (a, b) = (self.value(state, a, memo)?, self.value(state, b, memo)?);
                        Ok(self.terms.ite(condition, a, b))
                    }
                }
            }
            _ => {
                let mut values = Vec::new();
                for child in self.terms.children(term).collect::<Vec<_>>() {
                    values.push(self.value(state, child, memo)?);
                }
                let mut values = values.into_iter();
                Ok(self.terms.map_children(term, |_, child| values.next().unwrap_or(child)))
            }
        }
    }

    fn reads_memory(&mut self, term: Term) -> bool {
        if let Some(&known) = self.reading.get(&term) {
            return known;
        }
        let reads = match self.terms.node(term) {
            Node::Binary(BinOp::Select, ..) => true,
            _ => self.terms.children(term).collect::<Vec<_>>().into_iter().any(|child| self.reads_memory(child)),
        };
        self.reading.insert(term, reads);
        reads
    }

    /// The truth of a condition for the inputs of the model. The other truth waits.
    fn decide(&mut self, state: &mut State, condition: Term) -> Term {
        if let Node::Bool(_) = self.terms.node(condition) {
            return condition;
        }
        let holds = state.model.holds(&self.terms, condition);
        let negation = self.terms.not(condition);
        let (here, other) = if holds { (condition, negation) } else { (negation, condition) };
        let location = state.top().location;
        self.wait(state, location, other, 0);
        state.conditions.push(here);
        self.terms.bool(holds)
    }

    /// The number that a term is for the inputs of the model. Others wait.
    fn number(&mut self, state: &mut State, term: Term, memo: &mut Memo) -> Result<u64, End> {
        let term = self.value(state, term, memo)?;
        self.fix(state, term, OTHER_NUMBER)
    }

    fn fix(&mut self, state: &mut State, term: Term, detour: u32) -> Result<u64, End> {
        if let Node::BitVec(_, bits) = self.terms.node(term) {
            return Ok(bits);
        }
        let bits = state.model.bits(&self.terms, term).ok_or(End::Over)?;
        let width = self.terms.bv_width(term);
        let number = self.terms.bit_vec(width, bits);
        let same = self.terms.eq(term, number);
        let other = self.terms.not(same);
        let location = state.top().location;
        self.wait(state, location, other, detour);
        state.conditions.push(same);
        Ok(bits)
    }

    /// A term has its value, and no other one is tried.
    fn bind(&mut self, state: &mut State, term: Term, bits: u64) {
        let width = self.terms.bv_width(term);
        let number = self.terms.bit_vec(width, bits);
        let same = self.terms.eq(term, number);
        if same != self.terms.tt() {
            state.conditions.push(same);
        }
    }

    /// Where a cell is that a term says. A pointer that leads nowhere may be one from outside: there is an object for it then.
    fn place_of(&mut self, state: &mut State, region: Symbol, term: Term, memo: &mut Memo) -> Result<u64, End> {
        let term = self.value(state, term, memo)?;
        let Place::Region(number) = self.places[region.index()] else { return Err(End::Over) };
        let region = &self.program.regions[number];
        let bytes = region.cell_bytes as u8;
        if region.ghost {
            return self.fix(state, term, OTHER_NUMBER);
        }
        if let Node::BitVec(_, bits) = self.terms.node(term) {
            return Ok(bits);
        }
        let bits = state.model.bits(&self.terms, term).ok_or(End::Over)?;
        let is_outside = |address| self.program.outside_object_at(address).is_some();
        match state.memory.find(self.program, bits, bytes) {
            Some(_) if is_outside(bits) => {
                self.bind(state, term, bits);
                Ok(bits)
            }
            Some(_) => self.fix(state, term, OTHER_NUMBER),
            None => self.outside(state, term),
        }
    }

    /// A pointer leads to an object of its own, if it can.
    fn outside(&mut self, state: &mut State, term: Term) -> Result<u64, End> {
        if let Some(object) = self.program.outside_object(state.memory.outside) {
            let address = self.inside(state, term, object);
            let number = self.address(address);
            let same = self.terms.eq(term, number);
            if let Some(model) = self.queries.model(&mut self.terms, state, same) {
                state.model = model;
                state.conditions.push(same);
                state.memory.open_outside(object);
                return Ok(address);
            }
        }
        // It depends on inputs, which may be others.
        self.fix(state, term, OTHER_NUMBER)?;
        Err(End::Over)
    }

    /// What a pointer is if the one input that it depends on leads to the middle of an object.
    fn inside(&mut self, state: &State, term: Term, object: u64) -> u64 {
        let middle = object + OUTSIDE_MIDDLE;
        let &[symbol] = &*self.queries.symbols(&self.terms, term) else { return middle };
        let width = self.program.pointer_bits;
        let mut model = (*state.model).clone();
        model.0.insert(symbol, Value::BitVec { width, bits: middle.into() });
        let moved = model.bits(&self.terms, term).filter(|&at| self.program.outside_object_at(at) == Some(object));
        let fits = self.terms.symbol_sort(symbol) == &Sort::BitVec(width);
        moved.filter(|_| fits).unwrap_or(middle)
    }

    /// Pointers from outside do not lead to the program's own functions and objects: nobody out there knows these.
    fn comes_from_outside(&mut self, value: Term) {
        let Some(objects) = self.program.outside_object(0) else { return };
        let Node::Symbol(symbol) = self.terms.node(value) else { return };
        if self.terms.symbol_sort(symbol) != &Sort::BitVec(self.program.pointer_bits) {
            return;
        }
        let (first, end) = (self.address(self.first_address), self.address(objects.min(OWN_END)));
        let (below, behind) = (self.terms.bv_ult(value, first), self.terms.bv_ule(end, value));
        let foreign = self.terms.or(below, behind);
        self.queries.restrict(symbol, foreign);
    }

    fn address(&mut self, address: u64) -> Term {
        self.terms.bit_vec(self.program.pointer_bits, address)
    }

    fn load(&mut self, state: &mut State, region: Symbol, address: u64) -> Result<Term, End> {
        let Place::Region(number) = self.places[region.index()] else { return Err(End::Over) };
        let region = &self.program.regions[number];
        let Sort::Array(of) = self.terms.symbol_sort(region.symbol).clone() else { return Err(End::Over) };
        if region.ghost {
            let known = state.memory.ghosts.get(&(number as u32, address)).copied();
            return Ok(known.unwrap_or_else(|| self.terms.zero(&of.1)));
        }
        let bytes = region.cell_bytes as u8;
        self.open_word(state, address, bytes);
        let at = state.memory.find(self.program, address, bytes).ok_or(End::Over)?;
        let parts = match state.memory.read(&mut self.terms, self.program, at, bytes) {
            Read::Known(value) => return Ok(value),
            Read::Open(parts) => parts,
        };
        let input = self.terms.fresh("memory", of.1.clone());
        state.inputs.push((Asked::Memory(address, u32::from(bytes) * 8), input));
        let value = if parts.iter().all(Option::is_none) {
            input
        } else {
            let byte = |terms: &mut clinch_terms::Terms, (i, known): (usize, &Option<Term>)| {
                known.unwrap_or_else(|| terms.extract(i as u32 * 8 + 7, i as u32 * 8, input))
            };
            let bytes: Vec<Term> = parts.iter().enumerate().map(|part| byte(&mut self.terms, part)).collect();
            concatenation(&mut self.terms, &bytes)
        };
        state.memory.write(&mut self.terms, self.program, at, (value, bytes));
        Ok(value)
    }

    /// What an object from outside holds is known word by word: pointers may be read in parts.
    fn open_word(&mut self, state: &mut State, address: u64, bytes: u8) {
        let word = self.program.pointer_bits / 8;
        let start = address & !u64::from(word - 1);
        let is_inside = address + u64::from(bytes) <= start + u64::from(word);
        if !is_inside || !state.memory.is_open_outside(self.program, start, word as u8) {
            return;
        }
        let Some(at) = state.memory.find(self.program, start, word as u8) else { return };
        let input = self.terms.fresh("memory", Sort::BitVec(self.program.pointer_bits));
        self.comes_from_outside(input);
        state.inputs.push((Asked::Memory(start, self.program.pointer_bits), input));
        state.memory.write(&mut self.terms, self.program, at, (input, word as u8));
    }

    fn store(&mut self, state: &mut State, region: Symbol, address: u64, value: Term) -> Result<(), End> {
        let Place::Region(number) = self.places[region.index()] else { return Err(End::Over) };
        let region = &self.program.regions[number];
        if region.ghost {
            Rc::make_mut(&mut state.memory.ghosts).insert((number as u32, address), value);
            return Ok(());
        }
        let bytes = region.cell_bytes as u8;
        let at = state.memory.find(self.program, address, bytes).ok_or(End::Over)?;
        if state.memory.write(&mut self.terms, self.program, at, (value, bytes)) {
            return Ok(());
        }
        // The start writes into literals what is there already, for those who read the program symbolically.
        match state.memory.read(&mut self.terms, self.program, at, bytes) {
            Read::Known(own) if own == value => Ok(()),
            _ => Err(End::Over),
        }
    }
}

/// All of the program's own objects are before this, but for large blocks of the heap.
const OWN_END: u64 = 1 << 40;
/// Other numbers and addresses than that of the model are tried later: as if the error were so many edges farther.
const OTHER_NUMBER: u32 = 20;
