//! What can be typed behind `clinch validate`.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use clinch_checker::task::Define;
use clinch_checker::{Options, Reading, Task};

use super::values::parse_define;
use super::{LimitArgs, task};

#[derive(Args, Debug)]
pub(crate) struct ValidateArgs {
    /// The C files of the program (.c, .i), and the witness (.yml).
    #[arg(required = true, value_name = "FILE", num_args = 2..)]
    pub(crate) files: Vec<PathBuf>,

    /// Set a macro.
    #[arg(long = "define", short = 'D', value_name = "NAME=VALUE", value_parser = parse_define)]
    pub(crate) defines: Vec<Define>,

    /// An argument for the preprocessor; may be repeated.
    #[arg(long = "cpp-flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) cpp_flags: Vec<String>,

    /// Engines that run at a time; 0: all cores.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

impl ValidateArgs {
    /// The program and the witness.
    pub(crate) fn parts(&self) -> (Task, PathBuf) {
        let (witness, program) = self.files.split_last().expect("clap wants two files at least");
        let reading = Reading {
            defines: self.defines.clone(),
            cpp_flags: self.cpp_flags.clone(),
            colours: std::io::stderr().is_terminal(),
            ..Reading::default()
        };
        (task(program, reading), witness.clone())
    }

    /// How the program is checked.
    pub(crate) fn options(&self) -> Options {
        Options { limits: self.limits.limits(), threads: self.threads, ..Options::default() }
    }
}
