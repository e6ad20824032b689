//! Which files make a program: the one that a run starts in, those that define what it names, and so on, as a linker takes files from an archive.
//!
//! A name that several files define is left undefined: which of them is meant is in no compile command. A function without body is
//! listed among the assumptions of a verdict.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::units::{Content, Unit};

/// Who defines what.
#[derive(Debug)]
pub struct Linker<'a> {
    units: Vec<Option<&'a Content>>,
    definers: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> Linker<'a> {
    /// The names of some files.
    pub fn new(units: &'a [Unit]) -> Linker<'a> {
        let units: Vec<Option<&Content>> = units.iter().map(|unit| unit.content.as_ref().ok()).collect();
        let mut definers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, content) in units.iter().enumerate() {
            for name in content.iter().flat_map(|content| defined(content)) {
                definers.entry(name).or_default().push(number);
            }
        }
        Linker { units, definers }
    }

    /// The files of the program that starts in one, which is the first.
    pub fn program(&self, start: usize) -> Vec<usize> {
        let mut files = vec![start];
        let mut waiting = VecDeque::from([start]);
        let mut known: BTreeSet<&str> = BTreeSet::new();
        known.extend(self.defined_by(start));
        while let Some(file) = waiting.pop_front() {
            for name in self.units[file].iter().flat_map(|content| &content.exports.missing) {
                let Some(&[definer]) = self.definers.get(name.as_str()).map(Vec::as_slice) else { continue };
                if files.contains(&definer) || !self.fits(definer, start, &known) {
                    continue;
                }
                known.extend(self.defined_by(definer));
                files.push(definer);
                waiting.push_back(definer);
            }
        }
        files
    }

    /// Names that some file takes from others while several define them.
    pub fn ambiguous(&self) -> Vec<(&'a str, &[usize])> {
        let missing: BTreeSet<&str> =
            self.units.iter().flatten().flat_map(|content| &content.exports.missing).map(String::as_str).collect();
        let several = self.definers.iter().filter(|(name, files)| files.len() > 1 && missing.contains(**name));
        several.map(|(name, files)| (*name, files.as_slice())).collect()
    }

    /// Whether a file may be in one program with what it has so far: for the same machine, and nothing is defined twice.
    fn fits(&self, file: usize, start: usize, known: &BTreeSet<&str>) -> bool {
        let model = |file: usize| self.units[file].map(|content| content.ilp32);
        model(file) == model(start) && self.defined_by(file).all(|name| !known.contains(name))
    }

    fn defined_by(&self, file: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        self.units[file].into_iter().flat_map(defined)
    }
}

fn defined(content: &Content) -> impl Iterator<Item = &str> {
    content.exports.functions.iter().chain(&content.exports.variables).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use clinch_frontend::c::Exports;

    use super::*;

    fn unit(name: &str, functions: &[&str], missing: &[&str]) -> Unit {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
        let exports = Exports { functions: names(functions), variables: Vec::new(), missing: names(missing) };
        let content = Content { text: String::new(), digest: String::new(), ilp32: name.ends_with("32.c"), exports };
        Unit { name: name.to_owned(), content: Ok(content) }
    }

    #[test]
    fn files_are_taken_as_they_are_needed() {
        let units = [
            unit("main.c", &["main"], &["a", "printf"]),
            unit("a.c", &["a", "unused"], &["b"]),
            unit("b.c", &["b"], &["a"]),
            unit("other.c", &["other"], &["main"]),
        ];
        let linker = Linker::new(&units);
        assert_eq!(linker.program(0), [0, 1, 2]);
        assert_eq!(linker.program(2), [2, 1]);
        assert!(linker.ambiguous().is_empty());
    }

    #[test]
    fn what_several_files_define_is_left_open() {
        let units = [
            unit("main.c", &["main", "usage"], &["die", "a"]),
            unit("tool.c", &["main", "die"], &[]),
            unit("die.c", &["die"], &[]),
            unit("a32.c", &["a"], &[]),
        ];
        let linker = Linker::new(&units);
        assert_eq!(linker.program(0), [0], "two files define `die`, and `a` is for another machine");
        assert_eq!(linker.ambiguous(), [("die", [1, 2].as_slice())]);
    }
}
