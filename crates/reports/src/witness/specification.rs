//! Specifications as the competition writes them, and the checks of clinch that they stand for.

use clinch_checker::{Asked, Property};
use clinch_ir::cfa::{Check, Checks};

/// The formulas of the competition, with the kinds of errors that violate them.
const FORMULAS: &[(&str, &[Check])] = &[
    ("G ! call(reach_error())", &[Check::Assertion]),
    ("G ! overflow", &[Check::Overflow, Check::ShiftOverflow]),
    ("G valid-free", &[Check::Free]),
    ("G valid-deref", &[Check::Dereference]),
    ("G valid-memtrack", &[Check::Leak]),
    ("G valid-memcleanup", &[Check::Cleanup]),
];

/// The specification whose violation an error is; nothing if the competition has none for it.
pub(crate) fn of_error(group: &str, subproperty: Option<&str>) -> Option<String> {
    let formula = FORMULAS.iter().find(|(formula, checks)| match subproperty {
        Some(name) => *formula == format!("G {name}"),
        None => checks.len() == Checks::of_group(group).map_or(0, count) && checks[0].group() == group,
    })?;
    Some(text(formula.0))
}

/// The specification that says all that was asked, as far as the competition has formulas for it.
pub(crate) fn of_checks(asked: Checks) -> Option<String> {
    let said = FORMULAS.iter().filter(|(_, checks)| checks.iter().all(|&check| asked.contains(check)));
    let texts: Vec<String> = said.map(|(formula, _)| text(formula)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn text(formula: &str) -> String {
    format!("CHECK( init(main()), LTL({formula}) )")
}

fn count(checks: Checks) -> usize {
    Check::ALL.into_iter().filter(|&check| checks.contains(check)).count()
}

/// What a specification asks for, or the formula that is not known.
pub(crate) fn read(text: &str) -> Result<Asked, String> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut asked = Checks::default();
    for formula in compact.split("CHECK(init(").filter(|part| !part.is_empty()) {
        let ltl = formula.split_once(",LTL(").and_then(|(entry, rest)| {
            entry.starts_with("main()").then(|| rest.strip_suffix("))").or_else(|| rest.strip_suffix(")),")))?
        });
        let known = |ltl: &str| {
            let same = |&&(formula, _): &&(&str, &[Check])| formula.replace(' ', "") == ltl;
            let older = ltl == "G!call(__VERIFIER_error())";
            FORMULAS.iter().find(same).or(FORMULAS.first().filter(|_| older)).map(|(_, checks)| *checks)
        };
        let checks = ltl.and_then(known).ok_or_else(|| text.trim().replace('\n', " "))?;
        asked = asked | checks.iter().copied().collect();
    }
    if asked == Checks::default() {
        return Err(text.trim().to_owned());
    }
    let property = Property::ALL.iter().find(|property| property.checks() == asked);
    Ok(property.map_or(Asked::Checks(asked), |&property| Asked::Property(property)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for &property in Property::ALL {
            let text = of_checks(property.checks()).expect("a property of the competition");
            assert_eq!(read(&text), Ok(Asked::Property(property)), "{text}");
        }
        let older = "CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )\n";
        assert_eq!(read(older), Ok(Asked::Property(Property::UnreachCall)));
    }

    #[test]
    fn an_error_violates_one() {
        let of = |group, subproperty| of_error(group, subproperty).unwrap_or_default();
        assert!(of("assertions", None).contains("reach_error"));
        assert!(of("overflow", None).contains("! overflow"));
        assert!(of("memory", Some("valid-deref")).contains("valid-deref"));
        assert_eq!(of("arithmetic", None), "");
        assert_eq!(of("memory", None), "");
    }

    #[test]
    fn other_formulas_are_not_known() {
        assert_eq!(read("CHECK( init(main()), LTL(F end) )"), Err("CHECK( init(main()), LTL(F end) )".to_owned()));
        assert!(read("").is_err());
        assert!(read("CHECK( init(start()), LTL(G ! overflow) )").is_err());
    }
}
