//! What is checked, and what it is once it was read.

use std::path::PathBuf;

use clinch_frontend::{Input as Model, Language, Numbers, Options as ModelOptions, read};
use clinch_ir::cfa::Checks;
use clinch_ir::{HornSystem, Program};

use crate::asked::Asked;
use crate::c::load::{self, Loaded};
use crate::given::Given;
use crate::kind::Kind;
pub use crate::reading::{Define, Error, Reading, Source};
use crate::sites::{self, Site};

/// What is checked.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The files. Only C programs have several.
    pub sources: Vec<Source>,
    /// How they are read.
    pub reading: Reading,
}

/// A task as it was read.
#[derive(Debug)]
pub enum Input {
    /// Processes with guarded commands.
    Processes(Box<Program>),
    /// Horn clauses.
    Clauses(Box<HornSystem>),
    /// Procedures.
    Procedures(Box<Loaded>),
}

impl Input {
    /// The single checks of a program with procedures.
    pub(crate) fn sites(&self) -> Vec<Site> {
        match self {
            Input::Procedures(loaded) => loaded.sites(),
            Input::Processes(_) | Input::Clauses(_) => Vec::new(),
        }
    }

    /// Runs simply end where one of these checks fails.
    pub(crate) fn leave_out(&mut self, numbers: &[u64]) {
        if let Input::Procedures(loaded) = self {
            sites::leave_out(&mut loaded.program, numbers);
            loaded.left_out.extend(numbers);
        }
    }
}

impl Task {
    /// Files.
    pub fn files<P: Into<PathBuf>>(names: impl IntoIterator<Item = P>) -> Task {
        Task { sources: names.into_iter().map(Source::file).collect(), reading: Reading::default() }
    }

    /// A text. The name says what it is written in, and stands in diagnostics.
    pub fn text(name: &str, text: &str) -> Task {
        let source = Source { name: PathBuf::from(name), text: Some(text.to_owned()) };
        Task { sources: vec![source], reading: Reading::default() }
    }

    /// The same, read in another way.
    #[must_use]
    pub fn with(self, reading: Reading) -> Task {
        Task { reading, ..self }
    }

    /// What the files are written in.
    pub fn kinds(&self) -> Vec<Kind> {
        self.sources.iter().filter_map(Source::kind).collect()
    }

    /// The errors that count in a C program, where every check has a verdict of its own.
    pub fn checks(&self) -> Option<Checks> {
        let is_c = |kind: &Kind| matches!(kind, Kind::C | Kind::Preprocessed);
        match self.reading.asked {
            _ if !self.kinds().iter().all(is_c) => None,
            Some(Asked::Property(_)) => None,
            Some(Asked::Checks(checks)) => Some(checks),
            None => Some(Asked::by_default(self.reading.integers)),
        }
    }

    /// Whether it is a program with procedures.
    pub fn has_procedures(&self) -> bool {
        self.kinds().iter().any(|kind| kind.model() == clinch_engine::options::Model::Procedures)
    }

    /// Reads it. An option that does not go with one of the files is an error.
    pub fn read(&self) -> Result<Input, Error> {
        if self.has_procedures() {
            return self.read_procedures().map(|loaded| Input::Procedures(Box::new(loaded)));
        }
        let [source] = self.sources.as_slice() else {
            return Err(Error::Usage("only C programs have several files".to_owned()));
        };
        Given::in_reading(&self.reading).check_inputs(&self.kinds()).map_err(Error::Usage)?;
        Ok(match self.read_model(source)? {
            Model::Program(program) => Input::Processes(program),
            Model::Horn(system) => Input::Clauses(system),
        })
    }

    /// Reads a program with procedures.
    pub fn read_procedures(&self) -> Result<Loaded, Error> {
        load::load(&self.sources, &self.reading)
    }

    fn read_model(&self, source: &Source) -> Result<Model, Error> {
        let reading = &self.reading;
        let language = Language::of_path(&source.name).ok_or_else(|| {
            source.bad("unknown kind of file: expected .c, .i, .yml, .rem, .bp, .gcl, .dve, .pl, .armc, .smt2 or .chc")
        })?;
        let bytes = source.bytes()?;
        let options = ModelOptions {
            defines: reading.constants()?,
            error: reading.error.clone(),
            deadlock: reading.deadlock,
            predicates: reading.predicates.clone(),
            numbers: reading.numbers.unwrap_or(Numbers::Integer),
            label: None,
        };
        let name = source.name.display().to_string();
        read(language, &name, &bytes, &options).map_err(|error| reading.error(error))
    }
}
