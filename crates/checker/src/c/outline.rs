//! The outline of a program (see `clinch_frontend::c::outline`): where it has no error the program has none.

use clinch_frontend::c::{self, Environment};
use clinch_ir::cfa::CfaProgram;

use super::load::Loaded;
use crate::sites::leave_out;

/// A program with so many edges is large: what it does with its memory is too much for most engines.
const LARGE: usize = 500;
/// One with fewer edges is small: others have seen all of it before a run or an outline of it is chosen.
const SMALL: usize = 100;

impl Loaded {
    /// Whether its memory is too much for most engines, and nobody asks about it.
    pub(crate) fn is_large(&self) -> bool {
        self.may_have_outline() && self.edges() >= LARGE
    }

    /// Whether there is little to see.
    pub(crate) fn is_small(&self) -> bool {
        self.edges() < SMALL
    }

    /// Whether an outline says something of what is asked.
    pub(crate) fn may_have_outline(&self) -> bool {
        self.outline.as_ref().is_some_and(c::may_have_outline)
    }

    fn edges(&self) -> usize {
        self.program.procedures.iter().map(|procedure| procedure.edges.len()).sum()
    }

    /// The outline, if there is one.
    pub(super) fn read_outline(&self) -> Option<CfaProgram> {
        // In a small program a function without body may be another file of it.
        let options = self.outline.as_ref()?;
        let environment = if self.is_large() { options.environment } else { Environment::Strict };
        let mut outline = c::outline(&self.units, options, environment)?;
        leave_out(&mut outline, &self.left_out);
        Some(outline)
    }
}
