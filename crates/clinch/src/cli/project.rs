//! What can be typed about projects.

use std::path::PathBuf;

use clap::Args;
use clinch_checker::Error;

/// What belongs to one program, and not to a project.
const OF_ONE_PROGRAM: [&str; 6] = ["files", "harness", "witness", "report", "dot", "save_predicates"];

#[derive(Args, Debug)]
pub(crate) struct ProjectArgs {
    /// Check a project: the C files in FOLDER/compile_commands.json (docs/projects.md).
    ///
    /// Each file is read with the flags of its build. Runs start with main, or with what --entry says; a file is linked with those that define what it names.
    #[arg(long, short, value_name = "FOLDER", conflicts_with_all = OF_ONE_PROGRAM)]
    pub(crate) project: Option<PathBuf>,

    /// Check these C files as a project.
    #[arg(long = "files", value_name = "FILE", num_args = 1.., conflicts_with_all = OF_ONE_PROGRAM)]
    #[arg(conflicts_with = "project")]
    pub(crate) project_files: Vec<PathBuf>,

    /// Where answers about a project are kept; off: nowhere. Default: .clinch.
    ///
    /// Only what changed since they were found is checked again.
    #[arg(long, value_name = "FOLDER", overrides_with = "store")]
    pub(crate) store: Option<PathBuf>,

    /// Check again what a run before had no verdict about.
    #[arg(long)]
    pub(crate) retry: bool,
}

impl ProjectArgs {
    /// What is wrong with options that only projects have.
    fn stray(&self) -> Option<Error> {
        let given = [("--store", self.store.is_some()), ("--retry", self.retry)];
        let stray = given.into_iter().find(|(_, given)| *given)?.0;
        Some(Error::Usage(format!("{stray} is for projects: -p or --files")))
    }

    /// Whether a project is meant.
    pub(crate) fn is_given(&self) -> Result<bool, Error> {
        let is_given = self.project.is_some() || !self.project_files.is_empty();
        match self.stray().filter(|_| !is_given) {
            Some(error) => Err(error),
            None => Ok(is_given),
        }
    }

    /// The folder where answers are kept, if they are.
    pub(crate) fn store(&self) -> Option<PathBuf> {
        let folder = self.store.clone().unwrap_or_else(|| PathBuf::from(".clinch"));
        (folder.as_os_str() != "off").then_some(folder)
    }
}
