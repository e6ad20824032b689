//! Programs as Horn clauses, and evidence about the clauses as evidence about the program.

mod procedures;
mod processes;

pub use procedures::{CfaClauses, Encoding, Statement, SummaryClauses};
pub use processes::ProgramClauses;
