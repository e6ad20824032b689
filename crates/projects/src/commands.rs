//! `compile_commands.json`: how a build compiles each file (<https://clang.llvm.org/docs/JSONCompilationDatabase.html>).

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// How a file is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// Where the compiler runs.
    pub folder: PathBuf,
    /// The file, from the root or from that folder.
    pub file: PathBuf,
    /// The compiler and its arguments.
    pub arguments: Vec<String>,
}

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Option<Vec<String>>,
    #[serde(default)]
    command: Option<String>,
}

impl Command {
    /// The path of the file.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }

    /// A file that no build knows: compiled where we are, without arguments.
    pub fn plain(file: &Path) -> Command {
        Command { folder: PathBuf::from("."), file: file.to_owned(), arguments: vec!["cc".to_owned()] }
    }
}

/// The commands for the C files of a build: in `folder/compile_commands.json`, or in the file itself if it is one. Or what is wrong, with its place.
pub fn read(path: &Path) -> Result<Vec<Command>, String> {
    let file = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
    let text =
        std::fs::read_to_string(&file).map_err(|e| format!("{}:1:1: error: cannot read: {e}", file.display()))?;
    let base = file.parent().unwrap_or(Path::new(""));
    parse(&text, base).map_err(|(line, column, what)| format!("{}:{line}:{column}: error: {what}", file.display()))
}

/// A file is named once: of several commands for it the first counts.
fn parse(text: &str, base: &Path) -> Result<Vec<Command>, (usize, usize, String)> {
    let entries: Vec<Entry> = serde_json::from_str(text).map_err(|e| {
        let what = e.to_string();
        let what = what.split(" at line ").next().unwrap_or_default().to_owned();
        (e.line().max(1), e.column().max(1), what)
    })?;
    let mut commands: Vec<Command> = Vec::new();
    let is_c = |entry: &Entry| entry.file.extension().is_some_and(|extension| extension == "c");
    for entry in entries.into_iter().filter(is_c) {
        let name = entry.file.display().to_string();
        let bad = |what: &str| (1, 1, format!("{what} for {name}"));
        let arguments = match (entry.arguments, entry.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => {
                shlex::split(&command).ok_or_else(|| bad("a quote is not closed in the command"))?
            }
            (None, None) => return Err(bad("there is neither `arguments` nor `command`")),
        };
        let command = Command { folder: base.join(entry.directory), file: entry.file, arguments };
        if !commands.iter().any(|known| known.path() == command.path()) {
            commands.push(command);
        }
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_command() {
        let text = r#"[
            {"directory": "/b", "file": "../s/a.c", "arguments": ["cc", "-DX=a b", "-c", "../s/a.c"], "output": "a.o"},
            {"directory": "sub", "file": "/s/b.c", "command": "gcc -DY='\"q\"' -I inc\\ lude -c /s/b.c"},
            {"directory": "/b", "file": "../s/a.c", "command": "cc -DOTHER -c ../s/a.c"},
            {"directory": "/b", "file": "c.cpp", "command": "c++ -c c.cpp"}]"#;
        let commands = parse(text, Path::new("base")).expect("it is right");
        assert_eq!(commands.len(), 2);
        assert_eq!(commands[0].arguments[1], "-DX=a b");
        assert_eq!(commands[0].path(), Path::new("/b/../s/a.c"));
        assert_eq!(commands[1].folder, Path::new("base/sub"));
        assert_eq!(commands[1].arguments, ["gcc", "-DY=\"q\"", "-I", "inc lude", "-c", "/s/b.c"]);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let at = |text: &str| parse(text, Path::new("")).map(|_| ()).expect_err("it is wrong");
        assert_eq!((at("[\n {").0, at("{}").0), (2, 1));
        assert!(at(r#"[{"directory": "", "file": "a.c"}]"#).2.contains("neither"));
        assert!(at(r#"[{"directory": "", "file": "a.c", "command": "cc 'a"}]"#).2.contains("quote"));
    }
}
