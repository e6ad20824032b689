//! `#pragma pack`.

use std::ops::Range;

/// From which offset on which alignment of members is the largest.
pub(super) fn pragmas(text: &str, blanks: &[Range<usize>]) -> Vec<(u32, Option<u64>)> {
    let mut changes = Vec::new();
    let mut stack = Vec::new();
    let mut current = None;
    for blank in blanks {
        let Some(arguments) = arguments(&text[blank.clone()]) else { continue };
        for argument in arguments.split(',').map(str::trim) {
            match argument {
                "push" => stack.push(current),
                "pop" => current = stack.pop().flatten(),
                number => current = number.parse().ok().filter(|&n: &u64| n.is_power_of_two() && n <= 16),
            }
        }
        changes.push((blank.end as u32, current));
    }
    changes
}

fn arguments(directive: &str) -> Option<&str> {
    let rest = directive.strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start();
    let rest = rest.strip_prefix("pack")?.trim_start().strip_prefix('(')?;
    rest.split_once(')').map(|(inside, _)| inside)
}
