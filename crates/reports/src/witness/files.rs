//! The C files of a program: those that were given, and those of the program that they include.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clinch_checker::{Kind, Source};

/// How deep files may include each other.
const DEPTH: usize = 20;

/// A file with its text.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) source: Source,
    pub(crate) text: String,
    /// Whether it was given, and is not only included.
    pub(crate) is_given: bool,
}

impl File {
    /// As diagnostics call it.
    pub(crate) fn name(&self) -> String {
        self.source.name.display().to_string()
    }

    /// A file that is given, or why it cannot be read.
    fn given(source: &Source) -> Result<File, String> {
        let bytes = match &source.text {
            Some(text) => text.clone().into_bytes(),
            None => std::fs::read(&source.name).map_err(|error| format!("cannot read: {error}"))?,
        };
        let text = String::from_utf8(bytes).map_err(|_| "the file is not in UTF-8".to_owned())?;
        Ok(File { source: source.clone(), text, is_given: true })
    }

    /// Whether it has not been preprocessed.
    fn has_directives(&self) -> bool {
        Kind::of_path(&self.source.name) != Some(Kind::Preprocessed)
    }

    fn folder(&self) -> PathBuf {
        self.source.name.parent().map(Path::to_owned).unwrap_or_default()
    }
}

/// The files that are given, then those that they include by a name in quotes, from the folder of the file that does. Or the name of a file and
/// why it cannot be read.
pub(crate) fn all(sources: &[Source]) -> Result<Vec<File>, (String, String)> {
    let given = sources.iter().map(|s| File::given(s).map_err(|why| (s.name.display().to_string(), why)));
    let mut files: Vec<File> = given.collect::<Result<_, _>>()?;
    let mut number = 0;
    while number < files.len() {
        let file = &files[number];
        let folder = file.folder();
        let names: Vec<PathBuf> = match file.has_directives() {
            true => file.text.lines().filter_map(included).map(|name| folder.join(name)).collect(),
            false => Vec::new(),
        };
        for name in names {
            let is_new = files.iter().all(|file| file.source.name != name);
            if is_new && let Ok(text) = std::fs::read_to_string(&name) {
                files.push(File { source: Source::file(name), text, is_given: false });
            }
        }
        number += 1;
    }
    Ok(files)
}

/// The name in quotes that a line includes.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    rest.strip_prefix('"')?.split_once('"').map(|(name, _)| name)
}

/// The macros without parameters that the files define, with what they stand for.
pub(crate) fn macros(files: &[File]) -> BTreeMap<String, String> {
    let lines = files.iter().filter(|file| file.has_directives()).flat_map(|file| file.text.lines());
    let defined = lines.filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, body) = rest.split_at(end);
        (!body.starts_with('(')).then(|| (name.to_owned(), body.trim().to_owned()))
    });
    defined.collect()
}

/// The text of a file in which others are included that are not as they were: they stand in the place of the line that includes them.
pub(crate) fn expanded(files: &[File], texts: &[String], number: usize) -> String {
    expand(files, texts, number, DEPTH)
}

fn expand(files: &[File], texts: &[String], number: usize, depth: usize) -> String {
    let (file, name) = (&files[number], files[number].name());
    if depth == 0 || !file.has_directives() {
        return texts[number].clone();
    }
    let folder = file.folder();
    let mut out = String::with_capacity(texts[number].len());
    for (line_number, line) in texts[number].lines().enumerate() {
        let other = included(line).map(|included| folder.join(included));
        let other = other.and_then(|path| files.iter().position(|file| file.source.name == path));
        let text = other.map(|other| (other, expand(files, texts, other, depth - 1)));
        match text.filter(|(other, text)| text.trim_end() != files[*other].text.trim_end()) {
            Some((other, text)) => {
                let next = line_number + 2;
                out += &format!("#line 1 \"{}\"\n{text}\n#line {next} \"{name}\"\n", files[other].name());
            }
            None => {
                out += line;
                out += "\n";
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_stand_where_they_are_included() {
        let file = |name: &str, text: &str| File { source: Source::file(name), text: text.to_owned(), is_given: true };
        let files = [
            file("a/main.c", "int x;\n#include \"b.c\"\n# include \"c.c\"\nint y;\n"),
            file("a/b.c", "int b;\n"),
            file("a/c.c", "int c;\n"),
        ];
        let mut texts: Vec<String> = files.iter().map(|file| file.text.clone()).collect();
        assert_eq!(expanded(&files, &texts, 0), files[0].text);
        texts[1] = "int bb;\n".to_owned();
        let expected = "int x;\n#line 1 \"a/b.c\"\nint bb;\n\n#line 3 \"a/main.c\"\n# include \"c.c\"\nint y;\n";
        assert_eq!(expanded(&files, &texts, 0), expected);
    }

    #[test]
    fn macros_without_parameters() {
        let text = "#define N 3\n# define NEXT i++\n#define F(x) x\n#define EMPTY\n";
        let file = File { source: Source::file("a.c"), text: text.to_owned(), is_given: true };
        let macros = macros(&[file]);
        let expected = [("EMPTY", ""), ("N", "3"), ("NEXT", "i++")];
        assert_eq!(macros.iter().map(|(n, b)| (n.as_str(), b.as_str())).collect::<Vec<_>>(), expected);
    }
}
