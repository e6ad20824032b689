//! Options of engines. An engine declares them beside its configuration; flags, help and checks for misuse are made from that.

use std::ops::RangeInclusive;

/// An option of an engine, and what it does to the engine's configuration.
#[derive(Debug)]
pub struct EngineOption<C: 'static> {
    /// As it is typed, without dashes.
    pub name: &'static str,
    /// What it is good for, in a sentence.
    pub about: &'static str,
    /// What stands behind the name.
    pub value: Value<C>,
    /// Which models it is about.
    pub on: &'static [Model],
}

/// The three models of a program that engines take.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Model {
    /// Processes with guarded commands.
    Processes,
    /// Horn clauses.
    Clauses,
    /// Procedures, with memory.
    Procedures,
}

/// Every model.
pub const EVERY: &[Model] = &[Model::Processes, Model::Clauses, Model::Procedures];

/// A word, and what it does to the configuration.
pub type Word<C> = (&'static str, fn(&mut C));

/// What stands behind the name of an option, with the setter.
#[derive(Debug)]
pub enum Value<C: 'static> {
    /// Nothing.
    Flag(fn(&mut C)),
    /// One of some words.
    Word(&'static [Word<C>]),
    /// A number in a range; this one where none is typed, if that is allowed.
    Number(RangeInclusive<u64>, Option<u64>, fn(&mut C, u64)),
    /// Two numbers, LO..HI.
    Interval(fn(&mut C, (i64, i64))),
    /// The name of a file or folder.
    Path(fn(&mut C, &str)),
}

/// The options of an engine.
#[derive(Debug)]
pub struct OptionTable<C: 'static> {
    /// In the order in which they are applied.
    pub options: &'static [EngineOption<C>],
    /// What is wrong with a combination of them, if something is.
    pub check: fn(&Settings, &C) -> Result<(), String>,
}

/// An option without its setter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionForm {
    /// As it is typed, without dashes.
    pub name: &'static str,
    /// What it is good for, in a sentence.
    pub about: &'static str,
    /// What stands behind the name.
    pub value: ValueForm,
    /// Which models it is about.
    pub on: &'static [Model],
}

/// What stands behind the name of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueForm {
    /// Nothing.
    Flag,
    /// One of these words.
    Word(Vec<&'static str>),
    /// A number in a range; this one where none is typed, if that is allowed.
    Number(RangeInclusive<u64>, Option<u64>),
    /// Two numbers, LO..HI.
    Interval,
    /// The name of a file or folder.
    Path,
}

/// Options as they were typed: names with values. A flag has an empty one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings(pub Vec<(String, String)>);

impl Settings {
    /// One more option.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Settings {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The value of an option; the last one counts.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl<C: Default> OptionTable<C> {
    /// The configuration with these settings, or what is wrong with one. Options of other engines are not looked at.
    pub fn configure(&self, settings: &Settings) -> Result<C, String> {
        let mut config = C::default();
        for option in self.options {
            if let Some(value) = settings.get(option.name) {
                option.apply(&mut config, value)?;
            }
        }
        (self.check)(settings, &config)?;
        Ok(config)
    }
}

impl<C> OptionTable<C> {
    /// The options without their setters.
    pub fn forms(&self) -> Vec<OptionForm> {
        let form = |option: &EngineOption<C>| OptionForm {
            name: option.name,
            about: option.about,
            value: match &option.value {
                Value::Flag(_) => ValueForm::Flag,
                Value::Word(words) => ValueForm::Word(words.iter().map(|(word, _)| *word).collect()),
                Value::Number(range, missing, _) => ValueForm::Number(range.clone(), *missing),
                Value::Interval(_) => ValueForm::Interval,
                Value::Path(_) => ValueForm::Path,
            },
            on: option.on,
        };
        self.options.iter().map(form).collect()
    }
}

impl<C> EngineOption<C> {
    fn apply(&self, config: &mut C, typed: &str) -> Result<(), String> {
        let wrong = |expected: &str| Err(format!("--{} {typed}: expected {expected}", self.name));
        match &self.value {
            Value::Flag(set) => set(config),
            Value::Path(set) => set(config, typed),
            Value::Word(words) => match words.iter().find(|(word, _)| *word == typed) {
                Some((_, set)) => set(config),
                None => return wrong(&words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ")),
            },
            Value::Number(range, missing, set) => {
                let number = if typed.is_empty() { *missing } else { typed.parse().ok() };
                match number.filter(|n| range.contains(n)) {
                    Some(number) => set(config, number),
                    None => return wrong(&format!("a number from {} to {}", range.start(), range.end())),
                }
            }
            Value::Interval(set) => match interval(typed) {
                Some(interval) => set(config, interval),
                None => return wrong("LO..HI, with LO not above HI"),
            },
        }
        Ok(())
    }
}

fn interval(typed: &str) -> Option<(i64, i64)> {
    let (low, high) = typed.split_once("..")?;
    let (low, high) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    (low <= high).then_some((low, high))
}

/// Any combination is all right.
pub fn any<C>(_: &Settings, _: &C) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, PartialEq, Eq, Debug)]
    struct Config {
        depth: bool,
        tries: u64,
        values: Option<(i64, i64)>,
        quiet: bool,
    }

    const TABLE: OptionTable<Config> = OptionTable {
        options: &[
            EngineOption {
                name: "order",
                about: "Which is next.",
                value: Value::Word(&[("bfs", |c: &mut Config| c.depth = false), ("dfs", |c| c.depth = true)]),
                on: EVERY,
            },
            EngineOption {
                name: "tries",
                about: "How many.",
                value: Value::Number(1..=9, Some(3), |c, n| c.tries = n),
                on: EVERY,
            },
            EngineOption {
                name: "values",
                about: "Which.",
                value: Value::Interval(|c, i| c.values = Some(i)),
                on: EVERY,
            },
            EngineOption { name: "quiet", about: "No word.", value: Value::Flag(|c| c.quiet = true), on: EVERY },
        ],
        check: |settings, config| match (settings.get("quiet"), config.tries) {
            (Some(_), 9) => Err("--quiet does not go with so many tries".to_owned()),
            _ => Ok(()),
        },
    };

    fn configured(typed: &[(&str, &str)]) -> Result<Config, String> {
        TABLE.configure(&typed.iter().fold(Settings::default(), |s, (name, value)| s.with(name, value)))
    }

    #[test]
    fn settings_change_what_they_name() {
        let all = configured(&[("order", "dfs"), ("tries", "4"), ("values", "-3..5"), ("quiet", "")]);
        assert_eq!(all, Ok(Config { depth: true, tries: 4, values: Some((-3, 5)), quiet: true }));
        assert_eq!(configured(&[("tries", "")]).map(|c| c.tries), Ok(3));
        assert_eq!(
            configured(&[("order", "dfs"), ("order", "bfs"), ("of-another-engine", "1")]),
            Ok(Config::default())
        );
    }

    #[test]
    fn wrong_values_are_named() {
        let wrong = |name: &str, value: &str| configured(&[(name, value)]).unwrap_err();
        assert_eq!(wrong("order", "random"), "--order random: expected bfs, dfs");
        assert_eq!(wrong("tries", "10"), "--tries 10: expected a number from 1 to 9");
        assert_eq!(wrong("values", "5..3"), "--values 5..3: expected LO..HI, with LO not above HI");
        assert!(configured(&[("quiet", ""), ("tries", "9")]).is_err());
    }
}
