//! The memory of a run: objects at addresses in one flat space, and what may be done with them.

use clinch_ir::cfa::{Addresses, CfaProgram, Integers, OUTSIDE_SIZE, ObjectKind};

use super::ghosts::Ghosts;

/// How many bytes all live objects may have together.
pub(super) const MEMORY_LIMIT: u64 = 256 << 20;

/// Dead blocks are kept for the sake of messages, until there are so many (and more than live ones).
const MANY_DEAD: usize = 1024;

/// What is known about a byte.
pub(super) mod tag {
    /// Never written: any value.
    pub(in super::super) const UNKNOWN: u8 = 0;
    /// Written.
    pub(in super::super) const KNOWN: u8 = 1;
    /// Written with a value that is not modelled.
    pub(in super::super) const POISON: u8 = 2;
}

/// What a block is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum BlockKind {
    /// A global or static object, by its index in the program.
    Static(u32),
    /// A string literal.
    Literal(u32),
    /// A local object with a fixed address.
    Local(u32),
    /// A block that lives until its call returns.
    Stack,
    /// A block that lives until it is freed.
    Heap,
    /// What a pointer from outside leads to. It was there always, and shows when it is accessed first.
    Outside,
}

/// An object.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Block {
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) kind: BlockKind,
    pub(super) alive: bool,
    /// Its contents: [`Memory::stride`] bytes for each of its bytes. Nothing for literals and dead blocks.
    pub(super) bytes: Vec<u8>,
    /// A [`tag`] for each byte; empty where all are known. In the mathematical reading the tag of a cell is at its start.
    pub(super) tags: Vec<u8>,
}

/// Why an access has no meaning, or cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemoryFault {
    Null,
    /// No live object there. The index of the block next to it from below, if any.
    Outside(Option<u32>),
    /// The block is dead.
    Dangling(u32),
    /// The cell is not wholly inside the block.
    Beyond(u32),
    Literal(u32),
    /// Some bytes were never written: an input is asked for.
    Unknown(u32),
    /// Not the start of a heap block.
    NotHeap,
    FreedTwice,
    /// Out of memory, or of addresses.
    Limit,
}

/// The memory.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Memory {
    /// Ascending by address: first the objects with fixed addresses, then those made at run time, then those from outside.
    pub(super) blocks: Vec<Block>,
    /// How many have fixed addresses.
    pub(super) fixed: usize,
    /// How many are from outside.
    pub(super) outside: usize,
    /// Where blocks go that are made at run time.
    pub(super) addresses: Addresses,
    /// Bytes of live blocks.
    pub(super) used: u64,
    /// Addresses of the stack blocks, in the order they were made.
    pub(super) stack: Vec<u64>,
    /// 1, or 8 in the mathematical reading, where a cell holds an integer of 64 bits at its first byte.
    pub(super) stride: usize,
    pub(super) ghosts: Ghosts,
    dead: usize,
    /// The block that was used last.
    last: usize,
}

impl Clone for Block {
    fn clone(&self) -> Self {
        Block { bytes: self.bytes.clone(), tags: self.tags.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        let Block { address, size, kind, alive, bytes, tags } = source;
        (self.address, self.size, self.kind, self.alive) = (*address, *size, *kind, *alive);
        self.bytes.clone_from(bytes);
        self.tags.clone_from(tags);
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        let (blocks, stack, addresses) = (self.blocks.clone(), self.stack.clone(), self.addresses.clone());
        Memory { blocks, stack, addresses, ghosts: self.ghosts.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        let Memory { blocks, fixed, outside, addresses, used, stack, stride, ghosts, dead, last } = source;
        self.blocks.clone_from(blocks);
        self.addresses.clone_from(addresses);
        self.stack.clone_from(stack);
        self.ghosts.clone_from(ghosts);
        (self.fixed, self.outside, self.used) = (*fixed, *outside, *used);
        (self.stride, self.dead, self.last) = (*stride, *dead, *last);
    }
}

impl Memory {
    /// The memory at the start. The blocks of objects are in the order of `by_address`.
    pub(super) fn new(program: &CfaProgram, by_address: &[u32]) -> Memory {
        let stride = if program.integers == Integers::Mathematical { 8 } else { 1 };
        let (blocks, fixed, addresses, stack) = (Vec::new(), by_address.len(), Addresses::new(program), Vec::new());
        let ghosts = Ghosts::default();
        let mut memory =
            Memory { blocks, fixed, outside: 0, addresses, used: 0, stack, stride, ghosts, dead: 0, last: 0 };
        for &object in by_address {
            memory.add_fixed(program, object);
        }
        memory
    }

    fn add_fixed(&mut self, program: &CfaProgram, index: u32) {
        let object = &program.objects[index as usize];
        let kind = match object.kind {
            ObjectKind::Static | ObjectKind::Handover => BlockKind::Static(index),
            ObjectKind::Literal => BlockKind::Literal(index),
            ObjectKind::Local(_) => BlockKind::Local(index),
        };
        let is_static = matches!(kind, BlockKind::Static(_));
        // A program that needs more does not start: `fits` says so.
        let size = if is_static && self.used.saturating_add(object.size) <= MEMORY_LIMIT { object.size } else { 0 };
        self.used = self.used.saturating_add(if is_static { object.size } else { 0 });
        let bytes = vec![0; size as usize * self.stride];
        let alive = !matches!(kind, BlockKind::Local(_));
        self.blocks.push(Block { address: object.address, size: object.size, kind, alive, bytes, tags: Vec::new() });
    }

    /// Whether the live blocks are within the limit.
    pub(super) fn fits(&self) -> bool {
        self.used <= MEMORY_LIMIT
    }

    /// The block that would hold the address: the last one that starts at or below it.
    fn find(&mut self, address: u64) -> Option<usize> {
        if let Some(block) = self.blocks.get(self.last)
            && address.wrapping_sub(block.address) < block.size
        {
            return Some(self.last);
        }
        let above = self.blocks.partition_point(|b| b.address <= address);
        self.last = above.checked_sub(1)?;
        Some(self.last)
    }

    /// The block and offset of a cell in a live object.
    #[inline(always)]
    fn locate(&mut self, program: &CfaProgram, address: u64, bytes: u64) -> Result<(usize, usize), MemoryFault> {
        let index = match self.blocks.get(self.last) {
            Some(block) if address.wrapping_sub(block.address) < block.size => Some(self.last),
            _ => self.find(address),
        };
        if let Some(index) = index {
            let block = &self.blocks[index];
            let offset = address - block.address;
            if block.alive && offset < block.size && block.size - offset >= bytes {
                return Ok((index, offset as usize));
            }
        }
        self.locate_outside(program, address, bytes).ok_or_else(|| self.no_cell(index, address))
    }

    /// A cell of an object from outside that nobody has accessed yet.
    #[cold]
    fn locate_outside(&mut self, program: &CfaProgram, address: u64, bytes: u64) -> Option<(usize, usize)> {
        let start = program.outside_object_at(address)?;
        let position = self.blocks.partition_point(|b| b.address < start);
        let is_open = self.blocks.get(position).is_some_and(|b| b.address == start);
        let offset = address - start;
        if is_open || OUTSIDE_SIZE - offset < bytes || self.used + OUTSIDE_SIZE > MEMORY_LIMIT {
            return None;
        }
        let size = OUTSIDE_SIZE as usize;
        let (bytes, tags) = (vec![0; size * self.stride], vec![tag::UNKNOWN; size]);
        let kind = BlockKind::Outside;
        self.blocks.insert(position, Block { address: start, size: OUTSIDE_SIZE, kind, alive: true, bytes, tags });
        self.outside += 1;
        self.used += OUTSIDE_SIZE;
        self.last = position;
        Some((position, offset as usize))
    }

    #[cold]
    fn no_cell(&self, index: Option<usize>, address: u64) -> MemoryFault {
        let Some(index) = index else {
            return if address == 0 { MemoryFault::Null } else { MemoryFault::Outside(None) };
        };
        let block = &self.blocks[index];
        let inside = address - block.address < block.size.max(1);
        match (inside, block.alive) {
            _ if address == 0 => MemoryFault::Null,
            (false, _) => MemoryFault::Outside(Some(index as u32)),
            (true, false) => MemoryFault::Dangling(index as u32),
            (true, true) => MemoryFault::Beyond(index as u32),
        }
    }

    /// The cell at an address, and whether it is poison.
    #[inline(always)]
    pub(super) fn load(&mut self, program: &CfaProgram, address: u64, bytes: u8) -> Result<(u64, bool), MemoryFault> {
        let (index, offset) = self.locate(program, address, bytes.into())?;
        let block = &self.blocks[index];
        if self.stride != 1 || !block.tags.is_empty() || block.bytes.is_empty() {
            return self.load_slow(program, index, offset, bytes);
        }
        Ok((read(&block.bytes, offset, bytes), false))
    }

    fn load_slow(
        &self,
        program: &CfaProgram,
        index: usize,
        offset: usize,
        bytes: u8,
    ) -> Result<(u64, bool), MemoryFault> {
        let block = &self.blocks[index];
        if let BlockKind::Literal(object) = block.kind {
            let value = read_short(&program.objects[object as usize].bytes, offset, bytes);
            // Mathematical cells of literals are characters, which have a sign.
            let unused = 64 - 8 * u32::from(bytes);
            return Ok((if self.stride == 1 { value } else { (((value << unused) as i64) >> unused) as u64 }, false));
        }
        let own = if self.stride == 1 { usize::from(bytes) } else { 1 };
        let tags = block.tags.get(offset..offset + own).unwrap_or(&[]);
        if tags.contains(&tag::UNKNOWN) {
            return Err(MemoryFault::Unknown(index as u32));
        }
        let value = match self.stride {
            1 => read(&block.bytes, offset, bytes),
            stride => read(&block.bytes, offset * stride, 8),
        };
        Ok((value, tags.contains(&tag::POISON)))
    }

    /// Writes a cell.
    #[inline(always)]
    pub(super) fn store(
        &mut self,
        program: &CfaProgram,
        address: u64,
        bytes: u8,
        (value, poison): (u64, bool),
    ) -> Result<(), MemoryFault> {
        let (index, offset) = self.locate(program, address, bytes.into())?;
        let block = &mut self.blocks[index];
        if let BlockKind::Literal(_) = block.kind {
            return Err(MemoryFault::Literal(index as u32));
        }
        let (start, width) = if self.stride == 1 { (offset, bytes) } else { (offset * self.stride, 8) };
        write(&mut block.bytes, start, width, value);
        if poison || !block.tags.is_empty() {
            let own = if self.stride == 1 { usize::from(bytes) } else { 1 };
            set_tags(block, offset, own, if poison { tag::POISON } else { tag::KNOWN });
        }
        Ok(())
    }

    /// Fills the bytes of a cell that were never written from an input.
    pub(super) fn fill(
        &mut self,
        program: &CfaProgram,
        address: u64,
        bytes: u8,
        value: u64,
    ) -> Result<(), MemoryFault> {
        let (index, offset) = self.locate(program, address, bytes.into())?;
        let stride = self.stride;
        let block = &mut self.blocks[index];
        if stride != 1 {
            write(&mut block.bytes, offset * stride, 8, value);
            set_tags(block, offset, 1, tag::KNOWN);
            return Ok(());
        }
        for (i, byte) in value.to_le_bytes().into_iter().take(bytes.into()).enumerate() {
            if block.tags.get(offset + i) == Some(&tag::UNKNOWN) {
                block.bytes[offset + i] = byte;
                block.tags[offset + i] = tag::KNOWN;
            }
        }
        Ok(())
    }

    /// The life of a local object begins.
    pub(super) fn enter(&mut self, index: usize) -> Result<(), MemoryFault> {
        self.leave(index);
        let (size, stride) = (self.blocks[index].size, self.stride);
        self.used = self.used.saturating_add(size);
        if !self.fits() {
            return Err(MemoryFault::Limit);
        }
        let block = &mut self.blocks[index];
        block.alive = true;
        block.bytes.resize(size as usize * stride, 0);
        block.tags.resize(size as usize, tag::UNKNOWN);
        Ok(())
    }

    /// The life of a local object ends.
    pub(super) fn leave(&mut self, index: usize) {
        let block = &mut self.blocks[index];
        if block.alive {
            self.used -= block.size;
            self.ghosts.forget(block.address, block.size);
        }
        block.alive = false;
        block.bytes.clear();
        block.tags.clear();
    }

    /// A local object is alive, as it was; its contents are set by others.
    pub(super) fn revive(&mut self, index: usize) {
        self.blocks[index].alive = true;
        self.used += self.blocks[index].size;
    }

    /// Puts a live block back behind all others.
    pub(super) fn restore(&mut self, block: Block) {
        self.used = self.used.saturating_add(block.size);
        match block.kind {
            BlockKind::Stack => self.stack.push(block.address),
            BlockKind::Outside => self.outside += 1,
            BlockKind::Static(_) | BlockKind::Literal(_) | BlockKind::Local(_) | BlockKind::Heap => {}
        }
        self.blocks.push(block);
    }

    /// Makes a block and says where it is.
    pub(super) fn alloc(&mut self, size: u64, kind: BlockKind, zeroed: bool) -> Result<u64, MemoryFault> {
        if size > MEMORY_LIMIT || self.used + size > MEMORY_LIMIT {
            return Err(MemoryFault::Limit);
        }
        let address = self.addresses.make(size).ok_or(MemoryFault::Limit)?;
        if self.dead > MANY_DEAD && self.dead > self.blocks.len() / 2 {
            self.compact();
        }
        self.used += size;
        let bytes = vec![0; size as usize * self.stride];
        let tags = if zeroed { Vec::new() } else { vec![tag::UNKNOWN; size as usize] };
        let position = self.blocks.len() - self.outside;
        self.blocks.insert(position, Block { address, size, kind, alive: true, bytes, tags });
        if kind == BlockKind::Stack {
            self.stack.push(address);
        }
        Ok(address)
    }

    fn compact(&mut self) {
        let fixed = self.fixed;
        let mut position = 0;
        self.blocks.retain(|b| {
            position += 1;
            b.alive || position <= fixed
        });
        (self.dead, self.last) = (0, 0);
    }

    /// Ends the life of a heap block. What a pointer from outside leads to may be one, and stays: others may have it, too.
    pub(super) fn free(&mut self, program: &CfaProgram, address: u64) -> Result<(), MemoryFault> {
        if address == 0 || program.outside_object_at(address).is_some() {
            return Ok(());
        }
        let index = self.heap_block(address)?;
        self.kill(index);
        Ok(())
    }

    /// The size of the heap block that starts there.
    pub(super) fn block_size(&mut self, address: u64) -> Result<u64, MemoryFault> {
        let index = self.heap_block(address)?;
        Ok(self.blocks[index].size)
    }

    /// Whether two addresses belong to one object, the end of an object included. A null pointer and numbers that are no
    /// addresses have no object.
    pub(super) fn same_object(&mut self, a: u64, b: u64) -> bool {
        a == 0 || b == 0 || self.object_of(a) == self.object_of(b)
    }

    fn object_of(&mut self, address: u64) -> Option<usize> {
        let index = self.find(address)?;
        (address - self.blocks[index].address <= self.blocks[index].size).then_some(index)
    }

    fn heap_block(&mut self, address: u64) -> Result<usize, MemoryFault> {
        let index = self.find(address).ok_or(MemoryFault::NotHeap)?;
        let block = &self.blocks[index];
        match block.kind {
            BlockKind::Heap if block.address == address && block.alive => Ok(index),
            BlockKind::Heap if block.address == address => Err(MemoryFault::FreedTwice),
            _ => Err(MemoryFault::NotHeap),
        }
    }

    fn kill(&mut self, index: usize) {
        let block = &mut self.blocks[index];
        block.alive = false;
        self.used -= block.size;
        self.ghosts.forget(block.address, block.size);
        self.dead += 1;
        block.bytes = Vec::new();
        block.tags = Vec::new();
    }

    /// The last stack blocks end with their call.
    pub(super) fn end_stack(&mut self, count: u32) {
        for _ in 0..count {
            let address = self.stack.pop().expect("a frame counts its stack blocks");
            let index = self.find(address).expect("a stack block is in memory while its call is active");
            self.kill(index);
        }
    }
}

fn set_tags(block: &mut Block, offset: usize, count: usize, value: u8) {
    if block.tags.is_empty() {
        block.tags.resize(block.size as usize, tag::KNOWN);
    }
    block.tags[offset..offset + count].fill(value);
}

#[inline(always)]
fn read(from: &[u8], offset: usize, bytes: u8) -> u64 {
    match bytes {
        1 => from[offset].into(),
        2 => u16::from_le_bytes(from[offset..offset + 2].try_into().expect("two bytes")).into(),
        4 => u32::from_le_bytes(from[offset..offset + 4].try_into().expect("four bytes")).into(),
        8 => u64::from_le_bytes(from[offset..offset + 8].try_into().expect("eight bytes")),
        _ => read_short(from, offset, bytes),
    }
}

/// Any number of bytes; those that are not there are zero.
fn read_short(from: &[u8], offset: usize, bytes: u8) -> u64 {
    let mut value = [0; 8];
    for (i, byte) in value.iter_mut().take(bytes.into()).enumerate() {
        *byte = from.get(offset + i).copied().unwrap_or(0);
    }
    u64::from_le_bytes(value)
}

#[inline(always)]
fn write(to: &mut [u8], offset: usize, bytes: u8, value: u64) {
    match bytes {
        1 => to[offset] = value as u8,
        2 => to[offset..offset + 2].copy_from_slice(&(value as u16).to_le_bytes()),
        4 => to[offset..offset + 4].copy_from_slice(&(value as u32).to_le_bytes()),
        8 => to[offset..offset + 8].copy_from_slice(&value.to_le_bytes()),
        _ => to[offset..offset + usize::from(bytes)].copy_from_slice(&value.to_le_bytes()[..bytes.into()]),
    }
}
