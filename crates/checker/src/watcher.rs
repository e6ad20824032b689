//! Who hears how a check goes on, beside what engines tell an [`Observer`].

use clinch_engine::Observer;

/// Is told how a check goes on.
pub trait Watcher: Observer {
    /// A verdict was found, and is re-checked.
    fn found(&mut self) {}

    /// The verdict was not accepted, and the search goes on.
    fn rejected(&mut self) {}

    /// The verdict holds: what is left is to say it.
    fn settled(&mut self) {}
}

impl Watcher for clinch_engine::Silent {}
