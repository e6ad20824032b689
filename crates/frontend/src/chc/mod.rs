//! Horn clauses in SMT-LIB.

use clinch_ir::HornSystem;

use crate::ReadError;

pub(crate) fn read(_name: &str, _bytes: &[u8]) -> Result<HornSystem, ReadError> {
    unreachable!("in work")
}
