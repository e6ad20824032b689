//! What is asked of a C program: which errors count.

use clinch_ir::cfa::{Check, Checks, Integers};

/// A property of SV-COMP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// No call of `reach_error`, no failing assertion.
    UnreachCall,
    /// No signed arithmetic with a result that does not fit its type.
    NoOverflow,
    /// Every access and every call of `free` is valid, and no block is lost.
    ValidMemsafety,
    /// Every block is freed at the end.
    ValidMemcleanup,
}

impl Property {
    /// All of them.
    pub const ALL: &'static [Property] =
        &[Property::UnreachCall, Property::NoOverflow, Property::ValidMemsafety, Property::ValidMemcleanup];

    /// Its name, which is that of its file without the extension.
    pub fn name(self) -> &'static str {
        match self {
            Property::UnreachCall => "unreach-call",
            Property::NoOverflow => "no-overflow",
            Property::ValidMemsafety => "valid-memsafety",
            Property::ValidMemcleanup => "valid-memcleanup",
        }
    }

    /// The one with a name.
    pub fn of_name(name: &str) -> Option<Property> {
        Property::ALL.iter().copied().find(|property| property.name() == name)
    }

    /// The one that formulas of SV-COMP say, without blanks (`G!call(reach_error())`, `G!overflow`). That memory is used safely takes three.
    pub(crate) fn of_formulas(formulas: &[String]) -> Option<Property> {
        let mut formulas: Vec<&str> = formulas.iter().map(String::as_str).collect();
        formulas.sort_unstable();
        match formulas.as_slice() {
            ["G!overflow"] => Some(Property::NoOverflow),
            ["Gvalid-memcleanup"] => Some(Property::ValidMemcleanup),
            ["Gvalid-deref", "Gvalid-free", "Gvalid-memtrack"] => Some(Property::ValidMemsafety),
            ["G!call(reach_error())" | "G!call(__VERIFIER_error())"] => Some(Property::UnreachCall),
            _ => None,
        }
    }

    /// The errors that violate it.
    pub fn checks(self) -> Checks {
        match self {
            Property::UnreachCall => Check::Assertion.into(),
            Property::NoOverflow => [Check::Overflow, Check::ShiftOverflow].into_iter().collect(),
            Property::ValidMemsafety => [Check::Dereference, Check::Free, Check::Leak].into_iter().collect(),
            Property::ValidMemcleanup => Check::Cleanup.into(),
        }
    }
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// These errors.
    Checks(Checks),
    /// A property of SV-COMP.
    Property(Property),
}

impl Asked {
    /// The errors that a check looks for where nothing is said: assertions, and what is undefined behaviour. Mathematical integers do not overflow, and
    /// memory is not made of them.
    pub(crate) fn by_default(integers: Option<Integers>) -> Checks {
        let assertions = Check::Assertion.into();
        match integers {
            Some(Integers::Mathematical) => assertions,
            _ => ["memory", "arithmetic", "overflow"]
                .into_iter()
                .filter_map(Checks::of_group)
                .fold(assertions, |a, b| a | b),
        }
    }

    /// The errors that count.
    pub fn checks(self) -> Checks {
        match self {
            Asked::Checks(checks) => checks,
            Asked::Property(property) => property.checks(),
        }
    }
}
