//! What searches over abstract states share: sets of predicates, the order of the waiting states, and the question whether a
//! state is already covered.

mod bitset;
mod subsumption;
mod waitlist;

pub use bitset::BitSet;
pub use subsumption::SubsumptionIndex;
pub use waitlist::Waitlist;
