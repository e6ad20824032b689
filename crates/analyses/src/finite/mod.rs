//! Programs made smaller for engines that need finite data: integers of few bits, and a heap of few cells.
//!
//! A proof about the smaller program says for which widths it holds; the certifier makes that program again.

mod heap;
mod narrow;

pub use heap::{BoundedHeap, Mask, Uncut, allocates, bound_heap};
pub use narrow::{Narrowed, Narrowing, narrow, narrow_heap};
