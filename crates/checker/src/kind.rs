//! What files are written in.

use std::path::Path;

use clinch_engine::options::Model;

/// What a file is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// C.
    C,
    /// C that was preprocessed.
    Preprocessed,
    /// A task of the software verification competition, about C.
    Task,
    /// Remopla.
    Remopla,
    /// A Boolean program.
    Boolean,
    /// Guarded commands.
    Guarded,
    /// DiVinE.
    Divine,
    /// Transition constraints.
    Constraints,
    /// Horn clauses.
    Clauses,
}

impl Kind {
    /// All of them.
    pub const ALL: &'static [Kind] = &[
        Kind::C,
        Kind::Preprocessed,
        Kind::Task,
        Kind::Remopla,
        Kind::Boolean,
        Kind::Guarded,
        Kind::Divine,
        Kind::Constraints,
        Kind::Clauses,
    ];

    /// What the name of a file says; nothing if it is none that clinch reads.
    pub fn of_path(file: &Path) -> Option<Kind> {
        Some(match file.extension().and_then(|e| e.to_str())? {
            "c" => Kind::C,
            "i" => Kind::Preprocessed,
            "yml" => Kind::Task,
            "rem" => Kind::Remopla,
            "bp" => Kind::Boolean,
            "gcl" => Kind::Guarded,
            "dve" => Kind::Divine,
            "pl" | "armc" => Kind::Constraints,
            "smt2" | "chc" => Kind::Clauses,
            _ => return None,
        })
    }

    /// The model its files are read as. (Transition constraints over rational numbers become clauses.)
    pub fn model(self) -> Model {
        match self {
            Kind::C | Kind::Preprocessed | Kind::Task | Kind::Remopla | Kind::Boolean => Model::Procedures,
            Kind::Guarded | Kind::Divine | Kind::Constraints => Model::Processes,
            Kind::Clauses => Model::Clauses,
        }
    }

    /// Whether its files may hold Horn clauses.
    pub fn may_be_clauses(self) -> bool {
        matches!(self, Kind::Constraints | Kind::Clauses)
    }

    /// How its files are called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::C => "C (.c)",
            Kind::Preprocessed => "preprocessed C (.i)",
            Kind::Task => "task files (.yml)",
            Kind::Remopla => "Remopla (.rem)",
            Kind::Boolean => "Boolean programs (.bp)",
            Kind::Guarded => "guarded commands (.gcl)",
            Kind::Divine => "DiVinE (.dve)",
            Kind::Constraints => "transition constraints (.pl, .armc)",
            Kind::Clauses => "Horn clauses (.smt2, .chc)",
        }
    }

    /// What their names end in.
    pub(crate) fn extensions(self) -> &'static str {
        self.name().split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'))
    }
}
