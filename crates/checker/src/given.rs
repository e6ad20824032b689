//! Which options go with which inputs and engines: one that does not apply is an error.

use clinch_engine::options::Model;
use clinch_frontend::c::Environment;

use crate::asked::Asked;
use crate::kind::Kind::{self, Boolean, C, Clauses, Constraints, Divine, Guarded, Preprocessed, Remopla, Task};
use crate::options::EngineName::{self, Alpha, Auto, Cegar, Explicit, Lazy, Split};
use crate::options::Options;
use crate::reading::Reading;

/// Where an option applies: these engines on these inputs. `auto` runs several engines, none of which takes options.
pub(crate) type Scope = (Vec<Kind>, Vec<EngineName>);

const ANY_C: &[Kind] = &[C, Preprocessed, Task];
const WITH_PROCEDURES: &[Kind] = &[C, Preprocessed, Task, Remopla, Boolean];
const MODELS: &[Kind] = &[Guarded, Divine, Constraints];
const MODELS_AND_CLAUSES: &[Kind] = &[Guarded, Divine, Constraints, Clauses];

/// The options that no engine declares, with where they apply.
const COMMON: &[(&str, &[Kind], &[EngineName])] = &[
    ("define", &[C, Task, Remopla, Guarded, Divine], EngineName::ALL),
    ("label", &[Remopla, Boolean], EngineName::ALL),
    ("error", MODELS, EngineName::ALL),
    ("deadlock", &[Guarded, Divine], EngineName::ALL),
    ("predicate", MODELS, &[Alpha, Split, Cegar]),
    ("numbers", &[Constraints], EngineName::ALL),
    ("data-model", ANY_C, EngineName::ALL),
    ("integers", ANY_C, EngineName::ALL),
    ("entry", ANY_C, EngineName::ALL),
    ("depth", ANY_C, EngineName::ALL),
    ("length", ANY_C, EngineName::ALL),
    ("globals-as-inputs", ANY_C, EngineName::ALL),
    ("malloc-may-fail", ANY_C, EngineName::ALL),
    ("extern", ANY_C, EngineName::ALL),
    ("environment", ANY_C, EngineName::ALL),
    ("check", ANY_C, EngineName::ALL),
    ("property", ANY_C, EngineName::ALL),
    ("cpp-flag", &[C, Task], EngineName::ALL),
    ("harness", ANY_C, EngineName::ALL),
    ("witness", ANY_C, EngineName::ALL),
    ("witness-version", ANY_C, EngineName::ALL),
    ("dot", Kind::ALL, &[Lazy]),
    ("threads", Kind::ALL, &[Auto]),
    ("threads", MODELS, &[Explicit]),
    ("share", WITH_PROCEDURES, &[Auto]),
    ("predicates", MODELS_AND_CLAUSES, &[Cegar]),
    ("save-predicates", MODELS_AND_CLAUSES, &[Cegar]),
];

/// Where an option applies; everywhere if nothing is known of it.
pub(crate) fn scopes(option: &str) -> Vec<Scope> {
    let common = COMMON.iter().filter(|(name, ..)| *name == option);
    let mut found: Vec<Scope> = common.map(|(_, kinds, engines)| (kinds.to_vec(), engines.to_vec())).collect();
    for &engine in EngineName::ALL {
        for form in engine.options().iter().filter(|form| form.name == option) {
            let kinds = kinds_of(form.on);
            match found.iter_mut().find(|(known, _)| *known == kinds) {
                Some((_, engines)) => engines.push(engine),
                None => found.push((kinds, vec![engine])),
            }
        }
    }
    if found.is_empty() { vec![(Kind::ALL.to_vec(), EngineName::ALL.to_vec())] } else { found }
}

/// The inputs that are read as one of these models.
fn kinds_of(models: &[Model]) -> Vec<Kind> {
    Kind::ALL.iter().copied().filter(|kind| models.contains(&kind.model())).collect()
}

/// The options that were given, by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given(Vec<String>);

impl Given {
    /// What is said about the reading of a task.
    pub(crate) fn in_reading(reading: &Reading) -> Given {
        let said = [
            ("define", !reading.defines.is_empty()),
            ("label", reading.label.is_some()),
            ("error", reading.error.is_some()),
            ("deadlock", reading.deadlock),
            ("predicate", !reading.predicates.is_empty()),
            ("numbers", reading.numbers.is_some()),
            ("data-model", reading.data_model.is_some()),
            ("integers", reading.integers.is_some()),
            ("entry", reading.entry.is_some()),
            ("depth", reading.depth.is_some()),
            ("length", reading.length.is_some()),
            ("globals-as-inputs", reading.globals_as_inputs),
            ("malloc-may-fail", reading.malloc_may_fail),
            ("extern", reading.externs_write),
            ("environment", reading.environment == Environment::Strict),
            ("check", matches!(reading.asked, Some(Asked::Checks(_)))),
            ("property", matches!(reading.asked, Some(Asked::Property(_)))),
            ("cpp-flag", !reading.cpp_flags.is_empty()),
        ];
        Given(said.iter().filter(|(_, said)| *said).map(|(name, _)| (*name).to_owned()).collect())
    }

    /// All that is said.
    pub(crate) fn new(reading: &Reading, options: &Options) -> Given {
        let said = [
            ("threads", options.threads.is_some()),
            ("share", !options.share),
            ("predicates", options.predicates.is_some()),
            ("save-predicates", options.wanted.predicates),
            ("harness", options.wanted.harness),
            ("witness", options.wanted.witness),
            ("dot", options.wanted.tree),
        ];
        let mut given = Given::in_reading(reading);
        given.0.extend(said.iter().filter(|(_, said)| *said).map(|(name, _)| (*name).to_owned()));
        given.0.extend(options.settings.0.iter().map(|(name, _)| name.clone()));
        given
    }

    /// What is wrong with an option that says how one of these files is read, if something is.
    pub(crate) fn check_inputs(&self, kinds: &[Kind]) -> Result<(), String> {
        for option in &self.0 {
            let scopes = scopes(option);
            if scopes.iter().any(|(_, engines)| engines.as_slice() != EngineName::ALL) {
                continue;
            }
            let applies = |kind: &Kind| scopes.iter().any(|(kinds, _)| kinds.contains(kind));
            if let Some(kind) = kinds.iter().find(|kind| !applies(kind)) {
                let meant = kinds_text(&scopes);
                return Err(format!("--{option} does not apply to {}: it is for {meant}", kind.name()));
            }
        }
        Ok(())
    }

    /// What is wrong with an option for an engine on an input, if something is.
    pub(crate) fn check_engine(&self, kind: Kind, engine: EngineName) -> Result<(), String> {
        for option in &self.0 {
            let scopes = scopes(option);
            let here = scopes.iter().filter(|(kinds, _)| kinds.contains(&kind)).flat_map(|(_, engines)| engines);
            let meant: Vec<EngineName> = here.copied().collect();
            if meant.contains(&engine) {
                continue;
            }
            return Err(match (meant.is_empty(), engine) {
                (true, _) => {
                    let meant = scope_text(option).unwrap_or_default();
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
        self.0.iter().any(|option| !scopes(option).iter().any(|(_, engines)| engines.contains(&Auto)))
    }
}

/// Where an option applies, in words; nothing if everywhere.
pub fn scope_text(option: &str) -> Option<String> {
    let scopes = scopes(option);
    let everywhere = |(kinds, engines): &Scope| kinds == Kind::ALL && engines == EngineName::ALL;
    if scopes.iter().any(everywhere) {
        return None;
    }
    let parts = scopes.iter().map(|(kinds, engines)| match (engines == EngineName::ALL, kinds == Kind::ALL) {
        (true, _) => extensions(kinds),
        (false, true) => engines_text(engines),
        (false, false) => format!("{} on {}", engines_text(engines), extensions(kinds)),
    });
    Some(parts.collect::<Vec<_>>().join("; "))
}

fn kinds_text(scopes: &[Scope]) -> String {
    let kinds = Kind::ALL.iter().filter(|kind| scopes.iter().any(|(kinds, _)| kinds.contains(kind)));
    kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

fn extensions(kinds: &[Kind]) -> String {
    kinds.iter().map(|kind| kind.extensions()).collect::<Vec<_>>().join(", ")
}

fn engines_text(engines: &[EngineName]) -> String {
    engines.iter().map(|engine| engine.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
