//! A program as files.

use std::io;
use std::path::{Path, PathBuf};

use crate::program::Program;

/// The word in a flag that stands for the folder of what is beside the file with `main`.
pub const FOLDER: &str = "FOLDER";

/// The name of the second file of a program.
pub const SECOND: &str = "second.c";

/// The texts of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// The file with `main`.
    pub main: String,
    /// Others: paths in the program's folder, and texts.
    pub beside: Vec<(String, String)>,
    /// Options of the preprocessor.
    pub flags: Vec<String>,
}

/// Sources that were written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The C files, that with `main` first.
    pub files: Vec<PathBuf>,
    /// Options of the preprocessor.
    pub flags: Vec<String>,
    folder: PathBuf,
}

impl Sources {
    /// The files of a program, with a tag in its names; `finish` is applied to each C text.
    pub fn new(program: &Program, tag: &str, finish: &dyn Fn(&str) -> String) -> Sources {
        let named = |text: &String| text.replace('$', tag);
        let mut beside: Vec<(String, String)> = Vec::new();
        beside.extend(program.second(tag).map(|text| (SECOND.to_owned(), finish(&text))));
        beside.extend(program.beside.headers.iter().map(|(path, text)| (named(path), named(text))));
        Sources { main: finish(&program.text(tag)), beside, flags: program.beside.flags.iter().map(named).collect() }
    }

    /// Writes `NAME.c` into a folder, and what is beside it into `NAME`.
    pub fn write(&self, folder: &Path, name: &str) -> io::Result<Written> {
        let main = folder.join(format!("{name}.c"));
        let own = folder.join(name);
        std::fs::write(&main, &self.main)?;
        let mut files = vec![main];
        for (path, text) in &self.beside {
            let path = own.join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(&own))?;
            std::fs::write(&path, text)?;
            if path.extension().is_some_and(|extension| extension == "c") {
                files.push(path);
            }
        }
        let flags = self.flags.iter().map(|flag| flag.replace(FOLDER, &own.display().to_string())).collect();
        Ok(Written { files, flags, folder: own })
    }
}

impl Written {
    /// Deletes the files. What is left behind is in nobody's way.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.files[0]);
        if self.folder.exists() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// The flags as clinch takes them. Definitions have an option of their own, which is not in one order with others.
pub fn clinch_flags(flags: &[String]) -> Vec<String> {
    let is_definition = |flag: &String| flag.starts_with("-D");
    if flags.iter().all(is_definition) {
        return flags.to_vec();
    }
    flags.iter().map(|flag| format!("--cpp-flag={flag}")).collect()
}

/// All texts, one below the other, for people.
impl std::fmt::Display for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.flags.is_empty() {
            writeln!(f, "// flags: {}", self.flags.join(" "))?;
        }
        f.write_str(&self.main)?;
        self.beside.iter().try_for_each(|(path, text)| write!(f, "// {path}\n{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Beside, Node};

    #[test]
    fn a_program_of_several_files_is_written_and_removed() {
        let beside = Beside {
            second: vec![Node::leaf("int x$ = 1;")],
            headers: vec![("inc/k$.h".to_owned(), "#define K$ 2\n".to_owned())],
            flags: vec!["-IFOLDER/inc".to_owned()],
        };
        let program = Program { nodes: vec![Node::leaf("int main$(void) { return 0; }")], beside };
        let sources = Sources::new(&program, "_7", &|text| text.replace("1", "5"));
        assert_eq!(sources.beside[0], (SECOND.to_owned(), "int x_7 = 5;\n".to_owned()));
        let folder = tempfile::tempdir().expect("a folder");
        let written = sources.write(folder.path(), "p").expect("files");
        assert_eq!(written.files, [folder.path().join("p.c"), folder.path().join("p/second.c")]);
        assert_eq!(written.flags, [format!("-I{}/p/inc", folder.path().display())]);
        assert!(folder.path().join("p/inc/k_7.h").exists());
        written.remove();
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
