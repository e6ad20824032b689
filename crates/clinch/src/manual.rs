//! `clinch completions` and `clinch man`: what the flags say, for shells and for `man`.

use std::path::Path;

use crate::{cli, console, exit};

/// Completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "clinch", &mut text);
    console::line(String::from_utf8_lossy(&text).trim_end());
    exit::SAFE
}

/// Manual pages: `clinch.1`, `clinch-check.1` and so on.
pub(crate) fn pages(folder: &Path) -> u8 {
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(cli::command().name("clinch"), folder));
    match written {
        Ok(()) => exit::SAFE,
        Err(error) => {
            console::error(&format!("error: {}: {error}", folder.display()));
            exit::USAGE
        }
    }
}
