//! Programs with a planted error of a known kind, and the same programs without it.
//!
//! A *kernel* (`kernels.txt`) is a few statements in two versions, the second without the error, for an input `x`; a *setting* is the
//! program around them. [`draw`] puts one into the other. [`truth`] asks gcc's sanitizers: they must complain about the first version where
//! the error is, and about the second never. Then [`campaign`] asks clinch, which must find the first with its kind and place, confirm it by an
//! execution, and must not find anything in the second.

pub mod campaign;
pub mod truth;

use std::sync::LazyLock;

use crate::rng::Rng;

/// A program with an error, and without.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Kernel and setting.
    pub name: String,
    /// The kind of the error, as `--check` calls it.
    pub check: String,
    /// The version with the error.
    pub wrong: String,
    /// The version without.
    pub right: String,
    /// Inputs that lead to the error.
    pub inputs: Vec<i64>,
}

/// The comment on the line of the error.
const MARK: &str = "//!";

impl Pair {
    /// Whether memory is lost.
    pub fn is_leak(&self) -> bool {
        self.check == "leaks"
    }

    /// The line of the error.
    pub fn line(&self) -> usize {
        self.wrong.lines().position(|line| line.contains(MARK)).map_or(0, |line| line + 1)
    }
}

/// What programs declare.
const HEAD: &str = "#include <stdlib.h>\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\n";

/// Programs around a kernel: its name, its text (`OUTSIDE` and `KERNEL` stand for the kernel, `$g` for a number), and the inputs before
/// that of the kernel.
type Setting = (&'static str, &'static str, fn(i64) -> Vec<i64>);

const SETTINGS: [Setting; 7] = [
    ("main", "OUTSIDEint main(void) {\n  int x = __VERIFIER_nondet_int();\nKERNEL  return 0;\n}\n", |_| vec![]),
    (
        "a function",
        "OUTSIDEstatic int work(int x) {\nKERNEL  return 0;\n}\nint main(void) { return work(__VERIFIER_nondet_int()); }\n",
        |_| vec![],
    ),
    (
        "behind a condition",
        "OUTSIDEint main(void) {\n  int gate = __VERIFIER_nondet_int(), x;\n  if (gate != $g) return 0;\n  x = __VERIFIER_nondet_int();\nKERNEL  return 0;\n}\n",
        |gate| vec![gate],
    ),
    (
        "a record",
        "OUTSIDEstruct job { int tag, x; };\nstatic int work(struct job *job) {\n  int x = job->x;\nKERNEL  return 0;\n}\n\
         int main(void) {\n  struct job job = {$g, __VERIFIER_nondet_int()};\n  return work(&job);\n}\n",
        |_| vec![],
    ),
    (
        "the third round",
        "OUTSIDEint main(void) {\n  for (int round = 0; round < 3; round++) {\n    int x = __VERIFIER_nondet_int();\n    if (round < 2) continue;\n\
         KERNEL  }\n  return 0;\n}\n",
        |_| vec![0, 0],
    ),
    (
        "a function pointer",
        "OUTSIDEstatic int work(int x) {\nKERNEL  return 0;\n}\nstatic int other(int x) { return x != 0; }\nint main(void) {\n\
         \x20 int (*f)(int) = __VERIFIER_nondet_int() == $g ? work : other;\n  return f(__VERIFIER_nondet_int());\n}\n",
        |gate| vec![gate],
    ),
    (
        "recursion",
        "OUTSIDEstatic int work(int depth, int x) {\n  if (depth > 0) return work(depth - 1, x);\nKERNEL  return 0;\n}\n\
         int main(void) { return work(2, __VERIFIER_nondet_int()); }\n",
        |_| vec![],
    ),
];

/// Statements with an error and without.
struct Kernel {
    name: &'static str,
    check: &'static str,
    /// The input that leads to the error.
    input: &'static str,
    outside: String,
    statements: String,
}

static KERNELS: LazyLock<Vec<Kernel>> = LazyLock::new(|| {
    let paragraphs = include_str!("kernels.txt").split("\n\n");
    paragraphs.map(|text| kernel(text).unwrap_or_else(|| panic!("no kernel: {text}"))).collect()
});

fn kernel(text: &'static str) -> Option<Kernel> {
    let (head, body) = text.trim_start().split_once('\n')?;
    let mut words = head.strip_prefix("# ")?.split(' ');
    let (name, check, input) = (words.next()?, words.next()?, words.next()?);
    let lines = |outside: bool| {
        let lines = body.lines().filter(|line| line.starts_with('@') == outside);
        lines.map(|line| format!("{}\n", line.trim_start_matches('@'))).collect::<String>()
    };
    Some(Kernel { name, check, input, outside: lines(true), statements: lines(false) })
}

/// The pair of a seed.
pub fn draw(seed: u64) -> Pair {
    let mut rng = Rng::new(seed);
    let (kernel, (setting, frame, before)) = (rng.pick(&KERNELS), *rng.pick(&SETTINGS));
    let (n, gate) = (rng.range(2, 9) as i64, rng.range(3, 900) as i64);
    let greatest = i64::from(i32::MAX) / n;
    let numbers = [
        ("$n", n),
        ("$c", rng.below(n as usize) as i64),
        ("$m", rng.range(100, 9999) as i64),
        ("$p", greatest),
        ("$q", greatest + 1),
        ("$g", gate),
    ];
    let filled =
        |text: &str| numbers.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, &value.to_string()));
    let whole = frame.replace("OUTSIDE", &kernel.outside).replace("KERNEL", &kernel.statements);
    let text = filled(&format!("{HEAD}{whole}"));
    let mut inputs = before(gate);
    inputs.extend(filled(kernel.input).parse::<i64>());
    Pair {
        name: format!("{} in {setting}", kernel.name),
        check: kernel.check.to_owned(),
        wrong: version(&text, 0),
        right: version(&text, 1),
        inputs,
    }
}

/// One of the versions of a text with alternatives: «wrong¦right».
fn version(text: &str, number: usize) -> String {
    let mut result = String::new();
    for (i, piece) in text.split(['«', '»']).enumerate() {
        match piece.split('¦').nth(number) {
            Some(alternative) if i % 2 == 1 => result.push_str(alternative),
            _ => result.push_str(piece),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_differ_where_the_error_is() {
        for seed in 0..500 {
            let pair = draw(seed);
            assert_ne!(pair.wrong, pair.right, "{}", pair.name);
            assert!(pair.line() > 0 && !pair.wrong.contains(['«', '¦', '$']), "{}", pair.wrong);
            assert!(!pair.inputs.is_empty(), "{}", pair.name);
        }
    }

    #[test]
    fn every_kernel_is_drawn() {
        let mut drawn: Vec<String> = (0..2000).map(|seed| draw(seed).name).collect();
        drawn.sort();
        drawn.dedup();
        assert!(drawn.len() > KERNELS.len() * SETTINGS.len() * 9 / 10, "{} pairs", drawn.len());
    }
}
