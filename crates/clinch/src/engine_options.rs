//! Flags of `clinch check` that belong to engines, made from what the engines declare.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use clinch_checker::EngineName;
use clinch_checker::scope_text;
use clinch_engine::options::{OptionForm, Settings, ValueForm};

/// The names of the engines.
pub(crate) fn engines() -> impl TypedValueParser<Value = EngineName> {
    let named = |name: String| EngineName::ALL.iter().copied().find(|engine| engine.name() == name);
    PossibleValuesParser::new(EngineName::ALL.iter().map(|engine| engine.name()))
        .map(move |name| named(name).unwrap_or_default())
}

/// An option, and the engine that has it.
type Declared = (EngineName, OptionForm);

/// The options of all engines; those of one name together.
fn all() -> Vec<Vec<Declared>> {
    let mut found: Vec<Vec<Declared>> = Vec::new();
    for &engine in EngineName::ALL {
        for form in engine.options() {
            match found.iter_mut().find(|known| known[0].1.name == form.name) {
                Some(known) => known.push((engine, form)),
                None => found.push(vec![(engine, form)]),
            }
        }
    }
    found
}

/// What most people need, by the names of their fields: `--help` shows these, `--help-all` all.
const COMMON: [&str; 18] = [
    "files",
    "project",
    "project_files",
    "store",
    "entry",
    "defines",
    "checks",
    "property",
    "timeout",
    "engine",
    "threads",
    "report",
    "sarif",
    "harness",
    "witness",
    "json",
    "quiet",
    "help",
];

/// Where there is more to read.
const MORE: &str =
    "All options: clinch check --help-all. Engines and their options: clinch engines. A first bug and a first proof: \
    docs/getting-started.md.
Exit codes: 0 safe, 1 unsafe, 2 unknown, 64 wrong usage, 65 bad input, 70 internal error.";

/// Adds the options of the engines, and to the long help of each option where it applies.
pub(crate) fn add(command: Command) -> Command {
    let command = all().iter().fold(command, |command, forms| command.arg(flag(forms)));
    let short = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort).help("Print the common options");
    let long = Arg::new("help-all").long("help-all").action(ArgAction::HelpLong).help("Print all options");
    let command = command.disable_help_flag(true).arg(short).arg(long).after_help(MORE);
    command.mut_args(|arg| {
        let is_common = COMMON.contains(&arg.get_id().as_str());
        let scope = arg.get_long().and_then(scope_text).map(|scope| format!(" [{scope}]")).unwrap_or_default();
        let text = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        arg.hide_short_help(!is_common).long_help(format!("{}{scope}", text.trim_end_matches('.')))
    })
}

/// The flag for options of one name.
fn flag(forms: &[Declared]) -> Arg {
    let name = forms[0].1.name;
    let arg = Arg::new(name).long(name).help(help(forms));
    match &forms[0].1.value {
        ValueForm::Flag => arg.action(ArgAction::SetTrue),
        ValueForm::Number(_, None) => arg.value_name("N"),
        ValueForm::Number(_, Some(_)) => arg.value_name("N").num_args(0..=1).default_missing_value(""),
        ValueForm::Interval => arg.value_name("LO..HI").allow_hyphen_values(true),
        ValueForm::Path => arg.value_name("PATH"),
        ValueForm::Word(_) => {
            let mut words: Vec<&'static str> = Vec::new();
            for (_, form) in forms {
                if let ValueForm::Word(more) = &form.value {
                    words.extend(more.iter().filter(|word| !words.contains(word)).collect::<Vec<_>>());
                }
            }
            arg.value_name("WORD").value_parser(PossibleValuesParser::new(words))
        }
    }
}

/// What the options of one name are good for; with the engines where they differ.
fn help(forms: &[Declared]) -> String {
    if forms.iter().all(|(_, form)| form.about == forms[0].1.about) {
        return forms[0].1.about.to_owned();
    }
    let each = forms.iter().map(|(engine, form)| format!("{}: {}", engine.name(), form.about));
    each.collect::<Vec<_>>().join(" ")
}

/// The options of engines that were typed.
pub(crate) fn settings(matches: &ArgMatches) -> Settings {
    let mut settings = Settings::default();
    for forms in all() {
        let name = forms[0].1.name;
        if matches.value_source(name) != Some(ValueSource::CommandLine) {
            continue;
        }
        let value = match forms[0].1.value {
            ValueForm::Flag => String::new(),
            _ => matches.get_one::<String>(name).cloned().unwrap_or_default(),
        };
        settings = settings.with(name, &value);
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;

    /// What goes with every input and engine.
    const ALWAYS: [&str; 21] = [
        "engine",
        "seed",
        "timeout",
        "memory",
        "max-iterations",
        "certify",
        "strict",
        "progress",
        "json",
        "format",
        "quiet",
        "color",
        "sarif",
        "report",
        "trace",
        "project",
        "files",
        "store",
        "retry",
        "help",
        "help-all",
    ];

    #[test]
    fn every_option_of_check_applies_somewhere() {
        let command = command();
        let check = command.find_subcommand("check").expect("a command");
        for option in check.get_arguments().filter_map(Arg::get_long) {
            assert_ne!(scope_text(option).is_some(), ALWAYS.contains(&option), "{option}");
        }
    }

    #[test]
    fn the_other_commands_take_options_of_the_same_names() {
        let command = command();
        for (name, own) in
            [("run", &["inputs"][..]), ("cfa", &["function", "format", "pass", "large-blocks"]), ("convert", &["to"])]
        {
            let other = command.find_subcommand(name).expect("a command");
            for option in other.get_arguments().filter_map(Arg::get_long) {
                let known = own.contains(&option) || ALWAYS.contains(&option) || scope_text(option).is_some();
                assert!(known, "{name} --{option}");
            }
        }
    }

    /// What is typed arrives at the engine that declares it.
    #[test]
    fn settings_are_what_was_typed() {
        let typed = ["clinch", "check", "m.gcl", "--engine", "lazy", "--grain", "atoms", "--keep-subtree", "--add-all"];
        let cli = crate::cli::parse(typed.map(Into::into)).expect("a command line");
        let crate::cli::Command::Check(args) = cli.command else { panic!("not a check") };
        let expected = Settings::default().with("add-all", "").with("grain", "atoms").with("keep-subtree", "");
        assert_eq!(args.settings, expected);
    }
}
