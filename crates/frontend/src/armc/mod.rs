//! ARMC's transition systems.

use crate::{Input, Options, ReadError};

pub(crate) fn read(_name: &str, _bytes: &[u8], _options: &Options) -> Result<Input, ReadError> {
    unreachable!("in work")
}
