//! Which options go with which inputs and engines. The help says what stands here, and an option that does not apply is an error.

use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use crate::cli::EngineName::{self, Alpha, Auto, Bounded, Cegar, Explicit, Lazy, Spacer, Spds, Split};

/// What a file is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    C,
    /// C that was preprocessed.
    Preprocessed,
    Task,
    Remopla,
    Boolean,
    Guarded,
    Divine,
    Constraints,
    Clauses,
}
use Kind::{Boolean, C, Clauses, Constraints, Divine, Guarded, Preprocessed, Remopla, Task};

/// Programs with procedures.
const PROCEDURES: &[Kind] = &[C, Preprocessed, Task, Remopla, Boolean];
/// C in any form.
const ANY_C: &[Kind] = &[C, Preprocessed, Task];
/// Programs of processes.
const MODELS: &[Kind] = &[Guarded, Divine, Constraints];
const MODELS_AND_CLAUSES: &[Kind] = &[Guarded, Divine, Constraints, Clauses];
const EVERYTHING: &[Kind] = &[C, Preprocessed, Task, Remopla, Boolean, Guarded, Divine, Constraints, Clauses];
const ALL_ENGINES: &[EngineName] = &[Auto, Explicit, Alpha, Split, Cegar, Lazy, Bounded, Spacer, Spds];

/// Where an option applies: these engines on these inputs. `auto` runs several engines, none of which takes options; on models
/// an option of an engine means that one.
type Scope = (&'static [Kind], &'static [EngineName]);

const LAZY: &[Scope] = &[(EVERYTHING, &[Lazy])];
const CEGAR: &[Scope] = &[(EVERYTHING, &[Cegar])];
const SPDS: &[Scope] = &[(PROCEDURES, &[Spds])];
const ALPHA: &[Scope] = &[(MODELS, &[Alpha])];
const OF_C: &[Scope] = &[(ANY_C, ALL_ENGINES)];
const EVERYWHERE: &[Scope] = &[(EVERYTHING, ALL_ENGINES)];

/// Every option of `check`, with where it applies.
const TABLE: &[(&str, &[Scope])] = &[
    ("define", &[(&[C, Task, Remopla, Guarded, Divine], ALL_ENGINES)]),
    ("label", &[(&[Remopla, Boolean], ALL_ENGINES)]),
    ("error", &[(MODELS, ALL_ENGINES)]),
    ("deadlock", &[(&[Guarded, Divine], ALL_ENGINES)]),
    ("predicate", &[(MODELS, &[Alpha, Split, Cegar])]),
    ("numbers", &[(&[Constraints], ALL_ENGINES)]),
    ("data-model", OF_C),
    ("integers", OF_C),
    ("entry", OF_C),
    ("globals-as-inputs", OF_C),
    ("cpp-flag", &[(&[C, Task], ALL_ENGINES)]),
    ("harness", OF_C),
    ("preset", LAZY),
    ("dot", LAZY),
    ("blocks", LAZY),
    ("abstraction", &[(EVERYTHING, &[Lazy]), (PROCEDURES, &[Spds])]),
    ("focus", LAZY),
    ("grain", LAZY),
    ("part", LAZY),
    ("local", LAZY),
    ("keep-subtree", LAZY),
    ("encoding", &[(PROCEDURES, &[Lazy, Cegar, Spacer])]),
    ("values", LAZY),
    ("data-flow", LAZY),
    ("whole-equations", LAZY),
    ("int-bits", SPDS),
    ("heap-bits", SPDS),
    ("interpolants", SPDS),
    ("weak-calls", SPDS),
    ("order", &[(MODELS, &[Explicit, Alpha]), (EVERYTHING, &[Cegar, Lazy])]),
    ("simplify", CEGAR),
    ("invariants", CEGAR),
    ("control", CEGAR),
    ("refine", CEGAR),
    ("scope", &[(MODELS, &[Alpha]), (EVERYTHING, &[Cegar])]),
    ("threads", &[(EVERYTHING, &[Auto]), (MODELS, &[Explicit])]),
    ("prover", ALPHA),
    ("add-all", ALPHA),
    ("inputs", ALPHA),
    ("lookup", ALPHA),
    ("input-domain", &[(MODELS, &[Explicit, Alpha, Split])]),
    ("strategy", &[(MODELS, &[Split])]),
    ("predicates", &[(MODELS_AND_CLAUSES, &[Cegar])]),
    ("save-predicates", &[(MODELS_AND_CLAUSES, &[Cegar])]),
    ("engine", EVERYWHERE),
    ("seed", EVERYWHERE),
    ("timeout", EVERYWHERE),
    ("memory", EVERYWHERE),
    ("max-iterations", EVERYWHERE),
    ("certify", EVERYWHERE),
    ("strict", EVERYWHERE),
    ("progress", EVERYWHERE),
    ("json", EVERYWHERE),
    ("format", EVERYWHERE),
];

impl Kind {
    /// What the name of a file says; nothing if it is none that clinch reads.
    pub(crate) fn of_path(file: &Path) -> Option<Kind> {
        Some(match file.extension().and_then(|e| e.to_str())? {
            "c" => C,
            "i" => Preprocessed,
            "yml" => Task,
            "rem" => Remopla,
            "bp" => Boolean,
            "gcl" => Guarded,
            "dve" => Divine,
            "pl" | "armc" => Constraints,
            "smt2" | "chc" => Clauses,
            _ => return None,
        })
    }

    /// Whether its files may hold Horn clauses.
    pub(crate) fn may_be_clauses(self) -> bool {
        matches!(self, Constraints | Clauses)
    }

    /// How its files are called.
    fn name(self) -> &'static str {
        match self {
            C => "C (.c)",
            Preprocessed => "preprocessed C (.i)",
            Task => "task files (.yml)",
            Remopla => "Remopla (.rem)",
            Boolean => "Boolean programs (.bp)",
            Guarded => "guarded commands (.gcl)",
            Divine => "DiVinE (.dve)",
            Constraints => "transition constraints (.pl, .armc)",
            Clauses => "Horn clauses (.smt2, .chc)",
        }
    }
}

/// The options that were typed, by their long names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given(Vec<String>);

impl Given {
    /// Those of a command with its matches.
    pub(crate) fn new(command: &Command, matches: &ArgMatches) -> Given {
        let typed = command.get_arguments().filter(|arg| {
            let id = arg.get_id().as_str();
            matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
        });
        Given(typed.filter_map(|arg| arg.get_long().map(str::to_owned)).collect())
    }

    /// What is wrong with an option that says how one of these files is read, if something is.
    pub(crate) fn check_inputs(&self, kinds: &[Kind]) -> Result<(), String> {
        let reading = self.rows().filter(|(_, scopes)| scopes.iter().all(|(_, engines)| *engines == ALL_ENGINES));
        for (option, scopes) in reading {
            let applies = |kind: &Kind| scopes.iter().any(|(kinds, _)| kinds.contains(kind));
            if let Some(kind) = kinds.iter().find(|kind| !applies(kind)) {
                let meant = kinds_text(scopes);
                return Err(format!("--{option} does not apply to {}: it is for {meant}", kind.name()));
            }
        }
        Ok(())
    }

    /// What is wrong with an option for an engine on an input, if something is.
    pub(crate) fn check_engine(&self, kind: Kind, engine: EngineName) -> Result<(), String> {
        for (option, scopes) in self.rows() {
            let here = scopes.iter().filter(|(kinds, _)| kinds.contains(&kind)).flat_map(|(_, engines)| *engines);
            let meant: Vec<EngineName> = here.copied().collect();
            if meant.contains(&engine) {
                continue;
            }
            return Err(match (meant.is_empty(), engine) {
                (true, _) => {
                    let meant = scope_text(scopes).unwrap_or_default();
                    format!("--{option} does not apply to {}: it is for {meant}", kind.name())
                }
                (false, Auto) => format!("--{option} is for {}: choose with --engine", engines_text(&meant)),
                (false, _) => {
                    let (engine, meant) = (engine.name(), engines_text(&meant));
                    format!("--{option} does not apply to --engine {engine} on {}: it is for {meant}", kind.name())
                }
            });
        }
        Ok(())
    }

    /// Whether an option says how some engine works.
    pub(crate) fn is_for_some_engine(&self) -> bool {
        self.rows().any(|(_, scopes)| !scopes.iter().any(|(_, engines)| engines.contains(&Auto)))
    }

    fn rows(&self) -> impl Iterator<Item = (&'static str, &'static [Scope])> {
        self.0.iter().filter_map(|given| TABLE.iter().find(|(option, _)| option == given).copied())
    }
}

/// Adds to the help of each option where it applies.
pub(crate) fn describe(command: Command) -> Command {
    command.mut_args(|arg| {
        let row = arg.get_long().and_then(|long| TABLE.iter().find(|(option, _)| *option == long));
        let Some((text, (_, scopes))) = arg.get_help().map(ToString::to_string).zip(row) else { return arg };
        match scope_text(scopes) {
            Some(scope) => arg.help(format!("{} [{scope}]", text.trim_end_matches('.'))),
            None => arg,
        }
    })
}

/// Where an option applies, if not everywhere.
fn scope_text(scopes: &[Scope]) -> Option<String> {
    if scopes == EVERYWHERE {
        return None;
    }
    let parts = scopes.iter().map(|(kinds, engines)| match (*engines == ALL_ENGINES, *kinds == EVERYTHING) {
        (true, _) => extensions(kinds),
        (false, true) => engines_text(engines),
        (false, false) => format!("{} on {}", engines_text(engines), extensions(kinds)),
    });
    Some(parts.collect::<Vec<_>>().join("; "))
}

fn kinds_text(scopes: &[Scope]) -> String {
    let kinds = EVERYTHING.iter().filter(|kind| scopes.iter().any(|(kinds, _)| kinds.contains(kind)));
    kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

fn extensions(kinds: &[Kind]) -> String {
    let inside = |kind: &Kind| kind.name().split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
    kinds.iter().map(inside).collect::<Vec<_>>().join(", ")
}

fn engines_text(engines: &[EngineName]) -> String {
    engines.iter().map(|engine| engine.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
