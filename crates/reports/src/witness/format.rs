//! Witness files in YAML, formats 2.0 and 2.1, as they are read and written.
//!
//! The format is that of \[Witnesses2\]. What both formats have is read the same
//! way; 2.1 writes the constraint on a result as `ext_c_expression`, 2.0 as `acsl_expression`.

use serde::{Deserialize, Serialize};
use serde_saphyr::{Location as Mark, Spanned};

/// A version of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// 2.0.
    V2_0,
    /// 2.1.
    V2_1,
}

impl Version {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Version::V2_0 => "2.0",
            Version::V2_1 => "2.1",
        }
    }

    /// The format of a constraint about `\result`.
    pub(crate) fn result_format(self) -> &'static str {
        match self {
            Version::V2_0 => "acsl_expression",
            Version::V2_1 => "ext_c_expression",
        }
    }
}

/// What a file holds: a list of entries.
#[derive(Deserialize, Debug)]
pub(crate) struct Entry {
    pub(crate) entry_type: Spanned<String>,
    pub(crate) metadata: Metadata,
    #[serde(default)]
    pub(crate) content: Vec<Item>,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Metadata {
    pub(crate) format_version: Spanned<String>,
    pub(crate) task: Task,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Task {
    pub(crate) input_file_hashes: Spanned<std::collections::BTreeMap<String, Spanned<String>>>,
    pub(crate) specification: Spanned<Specification>,
    pub(crate) data_model: Spanned<String>,
    pub(crate) language: Spanned<String>,
}

/// One text, or one for each formula.
#[derive(Deserialize, Debug)]
#[serde(untagged)]
pub(crate) enum Specification {
    One(String),
    Several(Vec<String>),
}

/// Something in an entry: one of these.
#[derive(Deserialize, Debug)]
pub(crate) struct Item {
    pub(crate) invariant: Option<Invariant>,
    pub(crate) segment: Option<Vec<Step>>,
    /// What is not read: contracts of functions.
    pub(crate) contract: Option<Spanned<serde::de::IgnoredAny>>,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Invariant {
    #[serde(rename = "type")]
    pub(crate) kind: Spanned<String>,
    pub(crate) location: Location,
    pub(crate) value: Spanned<String>,
    pub(crate) format: Spanned<String>,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Step {
    pub(crate) waypoint: Waypoint,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Waypoint {
    #[serde(rename = "type")]
    pub(crate) kind: Spanned<String>,
    pub(crate) action: Spanned<String>,
    pub(crate) location: Location,
    pub(crate) constraint: Option<Constraint>,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Constraint {
    pub(crate) value: Spanned<Scalar>,
    pub(crate) format: Option<Spanned<String>>,
}

/// A text, or what YAML takes for something else if it has no quotes.
#[derive(Deserialize, Debug)]
#[serde(untagged)]
pub(crate) enum Scalar {
    Truth(bool),
    Number(i64),
    Text(String),
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Truth(value) => value.fmt(f),
            Scalar::Number(value) => value.fmt(f),
            Scalar::Text(value) => value.fmt(f),
        }
    }
}

/// A place in a file of the program.
#[derive(Deserialize, Debug)]
pub(crate) struct Location {
    pub(crate) file_name: Spanned<String>,
    pub(crate) line: Spanned<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) function: Option<String>,
}

impl Location {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let column = self.column.map(|column| format!(":{column}")).unwrap_or_default();
        format!("{}:{}{column}", self.file_name.value, self.line.value)
    }
}

/// Where something stands in a witness file: line and column.
pub(crate) fn mark<T>(of: &Spanned<T>) -> (usize, usize) {
    place(of.referenced)
}

fn place(mark: Mark) -> (usize, usize) {
    (mark.line() as usize, mark.column() as usize)
}

/// Reads a file: the entries, or line, column and what is wrong.
pub(crate) fn read(text: &str) -> Result<Vec<Entry>, ((usize, usize), String)> {
    serde_saphyr::from_str(text).map_err(|error| {
        let message = error.without_snippet().to_string();
        let message = message.lines().next().unwrap_or("not a witness file").to_owned();
        (error.location().map_or((1, 1), place), message)
    })
}

/// Entries as they are written.
pub(crate) mod written {
    use super::Serialize;

    /// An entry.
    #[derive(Serialize)]
    pub(crate) struct Entry {
        pub(crate) entry_type: &'static str,
        pub(crate) metadata: Metadata,
        pub(crate) content: Vec<Item>,
    }

    #[derive(Serialize)]
    pub(crate) struct Metadata {
        pub(crate) format_version: &'static str,
        pub(crate) uuid: String,
        pub(crate) creation_time: String,
        pub(crate) producer: Producer,
        pub(crate) task: Task,
    }

    #[derive(Serialize)]
    pub(crate) struct Producer {
        pub(crate) name: &'static str,
        pub(crate) version: &'static str,
    }

    #[derive(Serialize)]
    pub(crate) struct Task {
        pub(crate) input_files: Vec<String>,
        pub(crate) input_file_hashes: std::collections::BTreeMap<String, String>,
        pub(crate) specification: String,
        pub(crate) data_model: &'static str,
        pub(crate) language: &'static str,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum Item {
        Invariant(Invariant),
        Segment(Vec<Step>),
    }

    #[derive(Serialize)]
    pub(crate) struct Invariant {
        #[serde(rename = "type")]
        pub(crate) kind: &'static str,
        pub(crate) location: Location,
        pub(crate) value: String,
        pub(crate) format: &'static str,
    }

    #[derive(Serialize)]
    pub(crate) struct Step {
        pub(crate) waypoint: Waypoint,
    }

    #[derive(Serialize)]
    pub(crate) struct Waypoint {
        #[serde(rename = "type")]
        pub(crate) kind: &'static str,
        pub(crate) action: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) constraint: Option<Constraint>,
        pub(crate) location: Location,
    }

    #[derive(Serialize, Clone)]
    pub(crate) struct Constraint {
        pub(crate) value: String,
        pub(crate) format: &'static str,
    }

    #[derive(Serialize, Clone)]
    pub(crate) struct Location {
        pub(crate) file_name: String,
        pub(crate) line: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) column: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub(crate) function: Option<String>,
    }
}
