//! Blocks of the heap that nothing points to.

use super::memory::{Block, BlockKind, Memory, tag};

impl Memory {
    /// How many live blocks of the heap cannot be reached from these values and the static objects, by addresses at any place in memory, into any
    /// part of a block. Nothing if a value on the way is not known.
    pub(super) fn lost(&self, roots: &[u64], pointer_bytes: u32) -> Option<u64> {
        let mut reached = vec![false; self.blocks.len()];
        let mut waiting: Vec<usize> = Vec::new();
        let mut visit = |value: u64, waiting: &mut Vec<usize>| {
            let block = self.block_of(value).filter(|&block| !std::mem::replace(&mut reached[block], true));
            waiting.extend(block);
        };
        roots.iter().for_each(|&value| visit(value, &mut waiting));
        for block in self.blocks.iter().filter(|b| b.alive && matches!(b.kind, BlockKind::Static(_))) {
            words(block, pointer_bytes as usize)?.for_each(|value| visit(value, &mut waiting));
        }
        while let Some(block) = waiting.pop() {
            words(&self.blocks[block], pointer_bytes as usize)?.for_each(|value| visit(value, &mut waiting));
        }
        let lost =
            self.blocks.iter().zip(&reached).filter(|(b, reached)| b.alive && b.kind == BlockKind::Heap && !**reached);
        Some(lost.count() as u64)
    }

    /// The live block of the heap that an address is in.
    fn block_of(&self, address: u64) -> Option<usize> {
        let block = self.blocks.partition_point(|b| b.address <= address).checked_sub(1)?;
        let Block { address: start, size, kind, alive, .. } = self.blocks[block];
        (alive && kind == BlockKind::Heap && address - start < size.max(1)).then_some(block)
    }
}

/// The values of pointer size in a block, wherever they start; nothing if one may be an address that is not known.
fn words(block: &Block, bytes: usize) -> Option<impl Iterator<Item = u64> + '_> {
    let value = |word: &[u8]| word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    (!block.tags.contains(&tag::POISON)).then(|| block.bytes.windows(bytes).map(value))
}
