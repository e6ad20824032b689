//! The concrete view: programs compiled once, states packed into words, successors without allocation.

mod code;
mod expand;
mod model;
pub(crate) mod runs;
mod table;
mod trace;

pub use code::{Code, Scratch, SlotMap};
pub use expand::{Event, Expander, Step};
pub use model::Model;
pub use table::{StateTable, hash_words};
pub use trace::trace_of;
