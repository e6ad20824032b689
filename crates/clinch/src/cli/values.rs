//! Values of options, as they are typed.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clinch_checker::Property;
use clinch_checker::protocol::Assignment;
use clinch_checker::task::Define;
use clinch_ir::cfa::{Check, Checks};

/// On or off.
pub(super) const SWITCH: &[(&str, bool)] = &[("on", true), ("off", false)];

/// One of some words, each with what it stands for.
pub(super) fn one_of<T: Copy + Send + Sync>(words: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let meaning = move |typed: String| words.iter().find(|(word, _)| *word == typed).expect("one of the words").1;
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word)).map(meaning)
}

pub(super) fn parse_check(text: &str) -> Result<Checks, String> {
    Checks::of_group(text).ok_or_else(|| {
        let mut names = Check::ALL.map(Check::group).to_vec();
        names.dedup();
        format!("expected one of {}", names.join(", "))
    })
}

pub(super) fn parse_property(text: &str) -> Result<Property, String> {
    let names = || Property::ALL.iter().map(|property| property.name()).collect::<Vec<_>>().join(", ");
    Property::of_name(text).ok_or_else(|| format!("expected one of {}", names()))
}

pub(super) fn parse_define(text: &str) -> Result<Define, String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.to_owned())));
    if name.trim().is_empty() {
        return Err("expected NAME=VALUE".to_owned());
    }
    Ok(Define { name: name.to_owned(), value })
}

pub(super) fn parse_assignment(text: &str) -> Result<Assignment, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// A number and its unit.
fn split_unit(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, text[end..].trim()))
}

pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text)?;
    let seconds = match unit {
        "" | "s" => number,
        "ms" => number / 1e3,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("unknown unit `{unit}`: use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text)?;
    let factor = match unit {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" | "K" => 1024.0,
        "MiB" | "M" => 1024.0 * 1024.0,
        "GiB" | "G" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("unknown unit `{unit}`: use KiB, MiB or GiB")),
    };
    Ok((number * factor) as u64)
}
