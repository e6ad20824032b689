//! Which Z3 this is. The library is found when clinch starts, and need not be the one it was built with.

/// The oldest release that clinch works with: older ones crash, and lose proofs.
const OLDEST: (u32, u32) = (5, 3);

/// The solver's name and version: `Z3 5.4.0.0`.
pub fn solver_version() -> String {
    format!("Z3 {}", z3::full_version())
}

/// Fails with a message where the library is not one that clinch works with.
pub fn check_solver_version() -> Result<(), String> {
    if is_supported(&solver_version()) {
        return Ok(());
    }
    let (major, minor) = OLDEST;
    Err(format!(
        "clinch needs Z3 {major}.{minor} or a later {major}.x, and found {}: run `make setup`",
        solver_version()
    ))
}

fn is_supported(version: &str) -> bool {
    let Some(numbers) = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())) else {
        return false;
    };
    let mut numbers = numbers.split('.').map(|number| number.parse::<u32>().ok());
    let (major, minor) = (numbers.next().flatten(), numbers.next().flatten());
    major == Some(OLDEST.0) && minor >= Some(OLDEST.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_solvers_are_refused() {
        assert_eq!(check_solver_version(), Ok(()));
        assert!(["Z3 5.3.2.0", "Z3 5.4.0.0 5f2a", "5.10"].into_iter().all(is_supported));
        assert!(!["Z3 5.2.0.0", "Z3 4.15.1.0", "Z3 6.0.0.0", "Z3", "", "Z3 5"].into_iter().any(is_supported));
    }
}
