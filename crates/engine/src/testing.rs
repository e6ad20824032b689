//! What tests of engines for C share.

use clinch_frontend::c::{Options, Unit, read};
use clinch_ir::cfa::{CfaProgram, Integers};

/// The program of a C text, with the machine's integers.
pub(crate) fn program(text: &str) -> CfaProgram {
    program_in(Integers::Machine, text)
}

/// The program of a C text.
pub(crate) fn program_in(integers: Integers, text: &str) -> CfaProgram {
    let options = Options { integers, ..Options::default() };
    let units = [Unit { name: "test.c".to_owned(), text: text.to_owned() }];
    read(&units, &options).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}
