//! Programs made smaller or simpler for engines, and the way back.
//!
//! A pass gives a new program and a [`Back`], which says what a run of the new one means for the old one. Every trace that
//! comes back is replayed on the old program: the machine has the last word.

mod back;
mod blocks;
mod collapse;
mod constant;
mod dead;
mod heap;
mod inline;
mod narrow;
mod slice;

#[cfg(test)]
mod tests;

pub use back::{Answer, Back, OldLocation};
pub use blocks::{Block, BlockInput, LargeBlocks, large_blocks};
pub use constant::propagate_constants;
pub use dead::remove_dead;
pub use heap::{BoundedHeap, EXHAUSTED, Mask, Uncut, allocates, bound_heap};
pub use inline::{InlineLimits, inline};
pub use narrow::{Narrowed, Narrowing, narrow, narrow_heap};
pub use slice::slice;

use super::CfaProgram;

/// A program and the way back to the one it was made from.
#[derive(Clone, Debug)]
pub struct Transformed {
    /// The new program. Its terms extend those of the old one.
    pub program: CfaProgram,
    /// The way back.
    pub back: Back,
}
