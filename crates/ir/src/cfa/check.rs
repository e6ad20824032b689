//! What can fail in a program, and which of it counts.

use std::fmt;
use std::ops::BitOr;

/// A kind of error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Check {
    /// What the program says itself: an assertion fails, an error function is called, an error label is reached.
    Assertion,
    /// The result of signed arithmetic does not fit its type.
    Overflow,
    /// A signed integer that is shifted to the left loses bits.
    ShiftOverflow,
    /// A division by zero.
    Division,
    /// A shift by a negative number, or by the width of the type or more.
    ShiftCount,
    /// A floating-point number is converted to an integer type that does not have its integral part.
    FloatConversion,
    /// An operation on numbers makes a NaN.
    FloatNan,
    /// The result of an operation on finite numbers is infinite.
    FloatInfinite,
    /// An access outside of a live object, or a write into a constant.
    Dereference,
    /// An index outside of an array that is a member of a record.
    Member,
    /// A string that is copied behind the end of an array that is a member of a record.
    MemberText,
    /// What is freed is no block of the heap that is alive.
    Free,
    /// A block is copied to where it overlaps, by a function that may not do that.
    Overlap,
    /// A block of the heap that nothing points to any more.
    Leak,
    /// A block of the heap that is not freed at the end.
    Cleanup,
    /// A value that was never written decides something.
    Uninitialised,
    /// The result of unsigned arithmetic does not fit its type, and wraps around.
    Wrap,
    /// A conversion that nobody wrote changes a number.
    Conversion,
    /// Code that no run reaches. It is asked about the other way round: the "error" is that a run reaches it.
    Unreachable,
}

impl Check {
    /// All of them.
    pub const ALL: [Check; 19] = [
        Check::Assertion,
        Check::Overflow,
        Check::ShiftOverflow,
        Check::Division,
        Check::ShiftCount,
        Check::FloatConversion,
        Check::FloatNan,
        Check::FloatInfinite,
        Check::Dereference,
        Check::Member,
        Check::MemberText,
        Check::Free,
        Check::Overlap,
        Check::Leak,
        Check::Cleanup,
        Check::Uninitialised,
        Check::Wrap,
        Check::Conversion,
        Check::Unreachable,
    ];

    /// What users ask for to have it, and others with it.
    pub fn group(self) -> &'static str {
        match self {
            Check::Assertion => "assertions",
            Check::Overflow | Check::ShiftOverflow => "overflow",
            Check::Division | Check::ShiftCount | Check::FloatConversion => "arithmetic",
            Check::FloatNan | Check::FloatInfinite => "float",
            Check::Dereference | Check::Member | Check::MemberText | Check::Free | Check::Overlap => "memory",
            Check::Leak | Check::Cleanup => "leaks",
            Check::Uninitialised => "uninitialised",
            Check::Wrap => "unsigned",
            Check::Conversion => "conversions",
            Check::Unreachable => "unreachable",
        }
    }

    /// Whether it needs to know which objects there are.
    pub fn is_about_objects(self) -> bool {
        matches!(self, Check::Dereference | Check::Free | Check::Overlap | Check::Leak | Check::Cleanup)
    }

    /// What SV-COMP calls it, where it has a name of its own.
    pub fn subproperty(self) -> Option<&'static str> {
        match self {
            Check::Dereference => Some("valid-deref"),
            Check::Free => Some("valid-free"),
            Check::Leak => Some("valid-memtrack"),
            Check::Cleanup => Some("valid-memcleanup"),
            Check::Assertion
            | Check::Overflow
            | Check::ShiftOverflow
            | Check::Division
            | Check::ShiftCount
            | Check::FloatConversion
            | Check::FloatNan
            | Check::FloatInfinite
            | Check::Member
            | Check::MemberText
            | Check::Overlap
            | Check::Uninitialised
            | Check::Wrap
            | Check::Conversion
            | Check::Unreachable => None,
        }
    }
}

/// A set of kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checks(u32);

impl Checks {
    /// Those that users ask for by a name; none if it is no such name.
    pub fn of_group(name: &str) -> Option<Checks> {
        // Who asks for floats asks for all of them.
        let is_of = |check: &Check| check.group() == name || name == "float" && *check == Check::FloatConversion;
        let checks: Checks = Check::ALL.into_iter().filter(is_of).collect();
        (checks != Checks::default()).then_some(checks)
    }

    /// The names by which users ask for them.
    pub fn groups(self) -> Vec<String> {
        let mut names: Vec<String> =
            Check::ALL.into_iter().filter(|&c| self.contains(c)).map(|c| c.group().to_owned()).collect();
        names.dedup();
        names
    }

    /// Whether one of them needs to know which objects there are.
    pub fn are_about_memory(self) -> bool {
        Check::ALL.into_iter().any(|check| check.is_about_objects() && self.contains(check))
    }

    /// Whether a kind of error counts.
    pub fn contains(self, check: Check) -> bool {
        self.0 >> check as u16 & 1 != 0
    }
}

impl From<Check> for Checks {
    fn from(check: Check) -> Self {
        Checks(1 << check as u16)
    }
}

impl FromIterator<Check> for Checks {
    fn from_iter<T: IntoIterator<Item = Check>>(checks: T) -> Self {
        checks.into_iter().fold(Checks::default(), |all, check| all | check.into())
    }
}

impl BitOr for Checks {
    type Output = Checks;

    fn bitor(self, other: Checks) -> Checks {
        Checks(self.0 | other.0)
    }
}

/// What an error edge stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Failure {
    /// The kind of error.
    pub check: Check,
    /// Which one (`reach_error`, `assertion x > 0`, `signed overflow in x + 1`).
    pub text: String,
}

impl Failure {
    /// An error that the program names.
    pub fn assertion(text: impl Into<String>) -> Self {
        Failure { check: Check::Assertion, text: text.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
