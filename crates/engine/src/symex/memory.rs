//! The memory of a symbolic run: the blocks of the machine's memory, at the same addresses, with terms in their cells.

use std::collections::BTreeMap;
use std::rc::Rc;

use clinch_ir::cfa::{Addresses, AllocKind, CfaProgram, OUTSIDE_SIZE, Object, ObjectId, ObjectKind};
use clinch_terms::{BinOp, Term, Terms};

/// What a block is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// An object with a fixed address.
    Fixed(u32),
    Stack,
    Heap,
    /// What a pointer from outside leads to.
    Outside,
}

/// A block that a run has made or changed.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) size: u64,
    pub(super) kind: Kind,
    pub(super) alive: bool,
    /// Whether its bytes are zero where nothing was written; otherwise they are any, or those of a literal.
    zeroed: bool,
    /// What was written, or read for the first time: by offset, with its length in bytes.
    pub(super) cells: BTreeMap<u64, (Term, u8)>,
}

/// Where a cell is: in which block, and where in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) block: u64,
    offset: u64,
}

/// What is read.
pub(super) enum Read {
    Known(Term),
    /// Some of its bytes are any: what they are belongs to the inputs. The bytes that are known, the lowest first.
    Open(Vec<Option<Term>>),
}

/// Blocks by address. Copies share what is the same in both.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Those that a run has changed or made.
    pub(super) blocks: Rc<BTreeMap<u64, Rc<Block>>>,
    /// Tables of the checks, by number of the region and address.
    pub(super) ghosts: Rc<BTreeMap<(u32, u64), Term>>,
    /// The objects with fixed addresses, by address.
    fixed: Rc<[u32]>,
    addresses: Addresses,
    /// How many pointers from outside have objects.
    pub(super) outside: u64,
}

impl Memory {
    pub(super) fn new(program: &CfaProgram) -> Self {
        let addresses = Addresses::new(program);
        let mut fixed: Vec<u32> = (0..program.objects.len() as u32).collect();
        fixed.sort_by_key(|&object| program.objects[object as usize].address);
        let fixed = fixed.into();
        Memory { fixed, blocks: Rc::default(), ghosts: Rc::default(), addresses, outside: 0 }
    }

    /// The live block that an address is in: where it starts, its size and its kind.
    pub(super) fn block_at(&self, program: &CfaProgram, address: u64) -> Option<(u64, u64, Kind)> {
        if let Some((&start, block)) = self.blocks.range(..=address).next_back()
            && address - start < block.size.max(1)
        {
            return block.alive.then_some((start, block.size, block.kind));
        }
        let index = self.fixed_at(program, address)?;
        let object = &program.objects[index as usize];
        let is_alive = !matches!(object.kind, ObjectKind::Local(_)) && address - object.address < object.size.max(1);
        is_alive.then_some((object.address, object.size, Kind::Fixed(index)))
    }

    /// The last object with a fixed address that starts at or before an address.
    fn fixed_at(&self, program: &CfaProgram, address: u64) -> Option<u32> {
        let above = self.fixed.partition_point(|&object| program.objects[object as usize].address <= address);
        Some(self.fixed[above.checked_sub(1)?])
    }

    /// The place of a cell of so many bytes, if it is in a live object.
    pub(super) fn find(&self, program: &CfaProgram, address: u64, bytes: u8) -> Option<At> {
        let (block, size, _) = self.block_at(program, address)?;
        let offset = address - block;
        (offset < size && size - offset >= bytes.into()).then_some(At { block, offset })
    }

    /// The start of the object that an address belongs to, its end included.
    pub(super) fn object_of(&self, program: &CfaProgram, address: u64) -> Option<u64> {
        let before = || self.block_at(program, address.checked_sub(1)?);
        self.block_at(program, address).or_else(before).map(|(start, ..)| start)
    }

    /// Whether nothing is known of a cell of an object from outside.
    pub(super) fn is_open_outside(&self, program: &CfaProgram, address: u64, bytes: u8) -> bool {
        let Some(block) = program.outside_object_at(address).and_then(|start| Some((start, self.blocks.get(&start)?)))
        else {
            return false;
        };
        let (start, block) = block;
        let (from, to) = (address - start, address - start + u64::from(bytes));
        let near = block.cells.range(from.saturating_sub(7)..to);
        near.filter(|&(&cell, &(_, length))| cell + u64::from(length) > from).count() == 0
    }

    pub(super) fn read(&self, terms: &mut Terms, program: &CfaProgram, at: At, bytes: u8) -> Read {
        let block = self.blocks.get(&at.block);
        if let Some(&(value, length)) = block.and_then(|block| block.cells.get(&at.offset))
            && length == bytes
        {
            return Read::Known(value);
        }
        let parts: Vec<Option<Term>> =
            (0..u64::from(bytes)).map(|i| self.byte(terms, program, block.map(Rc::as_ref), at, i)).collect();
        match parts.iter().copied().collect::<Option<Vec<Term>>>() {
            Some(known) => Read::Known(concatenation(terms, &known)),
            None => Read::Open(parts),
        }
    }

    /// One byte of a cell, if it is known.
    fn byte(
        &self,
        terms: &mut Terms,
        program: &CfaProgram,
        block: Option<&Block>,
        at: At,
        number: u64,
    ) -> Option<Term> {
        let offset = at.offset + number;
        let covering = block.and_then(|block| block.cells.range(..=offset).next_back());
        if let Some((&start, &(value, length))) = covering
            && offset - start < length.into()
        {
            return Some(byte_of(terms, value, offset - start));
        }
        let object = || Some(&program.objects[self.fixed_at(program, at.block)? as usize]);
        match block {
            Some(block) if block.zeroed => Some(terms.bit_vec(8, 0)),
            Some(Block { kind: Kind::Fixed(index), .. }) => {
                literal_byte(terms, &program.objects[*index as usize], offset)
            }
            Some(_) => None,
            None if object()?.kind == ObjectKind::Literal => literal_byte(terms, object()?, offset),
            None => Some(terms.bit_vec(8, 0)),
        }
    }

    /// Writes a cell. Of cells that it overlaps their other bytes are left. Literals are not written.
    pub(super) fn write(
        &mut self,
        terms: &mut Terms,
        program: &CfaProgram,
        at: At,
        (value, bytes): (Term, u8),
    ) -> bool {
        let fixed = self.fixed_at(program, at.block);
        let blocks = Rc::make_mut(&mut self.blocks);
        let block = match blocks.entry(at.block) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let Some(index) = fixed else { return false };
                let object = &program.objects[index as usize];
                let (kind, cells) = (Kind::Fixed(index), BTreeMap::new());
                let zeroed = object.kind != ObjectKind::Literal;
                entry.insert(Rc::new(Block { size: object.size, kind, alive: true, zeroed, cells }))
            }
        };
        let is_literal =
            matches!(block.kind, Kind::Fixed(index) if program.objects[index as usize].kind == ObjectKind::Literal);
        if !is_literal {
            Rc::make_mut(block).put(terms, at.offset, value, bytes);
        }
        !is_literal
    }

    /// The life of a local object begins.
    pub(super) fn enter(&mut self, program: &CfaProgram, object: ObjectId) {
        let Object { address, size, .. } = program.objects[object.index()];
        self.leave(program, object);
        let kind = Kind::Fixed(object.index() as u32);
        self.make(address, Block { size, kind, alive: true, zeroed: false, cells: BTreeMap::new() });
    }

    pub(super) fn leave(&mut self, program: &CfaProgram, object: ObjectId) {
        self.kill(program.objects[object.index()].address);
    }

    /// A new block. Nothing if there is no room.
    pub(super) fn alloc(&mut self, size: u64, kind: AllocKind, zeroed: bool) -> Option<u64> {
        let address = self.addresses.make(size)?;
        let kind = if kind == AllocKind::Stack { Kind::Stack } else { Kind::Heap };
        self.make(address, Block { size, kind, alive: true, zeroed, cells: BTreeMap::new() });
        Some(address)
    }

    /// The object that the next pointer from outside leads to.
    pub(super) fn open_outside(&mut self, address: u64) {
        let (size, kind) = (OUTSIDE_SIZE, Kind::Outside);
        self.make(address, Block { size, kind, alive: true, zeroed: false, cells: BTreeMap::new() });
        self.outside += 1;
    }

    fn make(&mut self, address: u64, block: Block) {
        Rc::make_mut(&mut self.blocks).insert(address, Rc::new(block));
    }

    /// Ends the life of a block that a run has made.
    pub(super) fn kill(&mut self, address: u64) {
        let Some(block) = Rc::make_mut(&mut self.blocks).get_mut(&address) else { return };
        let block = Rc::make_mut(block);
        block.alive = false;
        block.cells.clear();
        let range = address..address.saturating_add(block.size.max(1));
        if self.ghosts.keys().any(|(_, at)| range.contains(at)) {
            Rc::make_mut(&mut self.ghosts).retain(|(_, at), _| !range.contains(at));
        }
    }
}

impl Block {
    fn put(&mut self, terms: &mut Terms, offset: u64, value: Term, bytes: u8) {
        let end = offset + u64::from(bytes);
        // Cells have at most eight bytes.
        let near = self.cells.range(offset.saturating_sub(7)..end);
        let overlapped: Vec<(u64, (Term, u8))> = near
            .filter(|&(&start, &(_, length))| start + u64::from(length) > offset && (start, length) != (offset, bytes))
            .map(|(&start, &cell)| (start, cell))
            .collect();
        for (start, (other, length)) in overlapped {
            self.cells.remove(&start);
            for i in (0..u64::from(length)).filter(|i| !(offset..end).contains(&(start + i))) {
                let byte = byte_of(terms, other, i);
                self.cells.insert(start + i, (byte, 1));
            }
        }
        self.cells.insert(offset, (value, bytes));
    }
}

fn literal_byte(terms: &mut Terms, object: &Object, offset: u64) -> Option<Term> {
    let is_literal = object.kind == ObjectKind::Literal;
    let byte = object.bytes.get(offset as usize).copied().unwrap_or(0);
    is_literal.then(|| terms.bit_vec(8, byte.into()))
}

fn byte_of(terms: &mut Terms, value: Term, number: u64) -> Term {
    let low = number as u32 * 8;
    terms.extract(low + 7, low, value)
}

/// The bytes as one number, the lowest first.
pub(super) fn concatenation(terms: &mut Terms, bytes: &[Term]) -> Term {
    let all = bytes.iter().copied().reduce(|low, high| terms.bv(BinOp::BvConcat, high, low));
    all.expect("a cell has bytes")
}
