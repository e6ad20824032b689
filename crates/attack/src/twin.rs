//! Twin programs of a trap: in one an error is reached for the hidden input, in the other for none.

use crate::rng::Rng;
use crate::sources::Sources;
use crate::trap::{OBSERVE, Says, Trap};
use crate::truth::Truth;

/// Whether the error is unreachable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Expected {
    /// It is.
    Safe,
    /// It is not.
    Unsafe,
}

impl Expected {
    /// As the reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Expected::Safe => "SAFE",
            Expected::Unsafe => "UNSAFE",
        }
    }
}

/// A program with a known verdict.
#[derive(Clone, Debug)]
pub struct Twin {
    /// The observation that decides.
    pub observation: usize,
    /// The verdict.
    pub expected: Expected,
    /// The program.
    pub sources: Sources,
}

/// More values than these make a condition that says nothing.
const MAX_VALUES: usize = 4;

/// The twins, for one of the observations. Where C leaves a choice, what gcc does can happen, but is not all that can.
pub fn twins(trap: &Trap, truth: &Truth, rng: &mut Rng) -> Vec<Twin> {
    let telling: Vec<usize> = truth.hidden.keys().copied().filter(|&o| telling_value(truth, o).is_some()).collect();
    let any: Vec<usize> = truth.hidden.keys().copied().collect();
    let candidates = if telling.is_empty() { any } else { telling };
    if candidates.is_empty() {
        return Vec::new();
    }
    let observation = *rng.pick(&candidates);
    let verdicts: &[Expected] = match trap.says {
        Says::All => &[Expected::Unsafe, Expected::Safe],
        Says::Possible => &[Expected::Unsafe],
    };
    verdicts.iter().filter_map(|&e| twin(trap, truth, observation, e)).collect()
}

/// The twin with a verdict for an observation, if the values allow one.
pub fn twin(trap: &Trap, truth: &Truth, observation: usize, expected: Expected) -> Option<Twin> {
    let condition = match expected {
        Expected::Unsafe => {
            let value =
                telling_value(truth, observation).or_else(|| truth.hidden.get(&observation)?.first().copied())?;
            format!("== {}", literal(value))
        }
        Expected::Safe => {
            let mut values = truth.hidden.get(&observation)?.clone();
            values.extend(truth.others.get(&observation).into_iter().flatten());
            if values.len() > MAX_VALUES {
                return None;
            }
            let others = values.iter().map(|&v| format!("!= {}", literal(v)));
            others.collect::<Vec<_>>().join(" && VALUE ")
        }
    };
    let finish = |text: &str| trap.reveal(&render(text, observation, &condition));
    Some(Twin { observation, expected, sources: Sources::new(&trap.program, "", &finish) })
}

/// A value of an observation that only the hidden input shows.
fn telling_value(truth: &Truth, observation: usize) -> Option<i64> {
    let others = truth.others.get(&observation);
    let values = truth.hidden.get(&observation)?;
    values.iter().copied().find(|value| !others.is_some_and(|o| o.contains(value)))
}

/// The program with an error where an observation meets a condition, and without other observations.
fn render(text: &str, observation: usize, condition: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let rest = line.trim_start();
        match rest.strip_prefix(OBSERVE).and_then(|rest| rest.strip_suffix(");")?.split_once(", ")) {
            None => out.push_str(line),
            Some((number, expression)) if number == observation.to_string() => {
                let value = format!("(long long)({expression})");
                out.push_str(&line[..line.len() - rest.len()]);
                out.push_str(&format!("if ({value} {}) reach_error();", condition.replace("VALUE", &value)));
            }
            // An empty statement stays: it may be all there is behind a label.
            Some(_) => out.push_str(&format!("{};", &line[..line.len() - rest.len()])),
        }
        out.push('\n');
    }
    out
}

fn literal(value: i64) -> String {
    match value {
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        _ => format!("{value}LL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_observation_becomes_the_error() {
        let text = "f();\n  OBSERVE(0, a);\nx: OBSERVE(1, g(b, c));\n  OBSERVE(1, g(b, c));\n";
        let expected = "f();\n  ;\nx: OBSERVE(1, g(b, c));\n  if ((long long)(g(b, c)) == 3LL) reach_error();\n";
        assert_eq!(render(text, 1, "== 3LL"), expected);
    }
}
