//! The parts of C that traps are about.

/// A part of C that is easily read in a sloppy way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// Objects, members and the pointers that reach them.
    Memory,
    /// Sizes, offsets, bit-fields, representations.
    Layout,
    /// Functions of the C library.
    Library,
    /// Jumps, calls, what runs before and after `main`.
    Control,
    /// Order of evaluation, conversions, constants.
    Order,
    /// Attributes, builtins, atomics and other extensions.
    Attributes,
    /// Constants: integers, characters, strings, numbers with a point.
    Literals,
    /// `errno`, and calls that fail.
    Errno,
    /// Functions of the program with names from the C library.
    Names,
    /// Programs in two files.
    Files,
    /// Options of the preprocessor that give a program its meaning.
    Flags,
    /// Ends of the run, jumps out of calls, handlers.
    Exits,
    /// Addresses as numbers.
    Addresses,
    /// Hints, and operands that are not evaluated.
    Hints,
    /// Long programs with a bit of everything.
    Whole,
}

/// All families.
pub const FAMILIES: [Family; 15] = [
    Family::Memory,
    Family::Layout,
    Family::Library,
    Family::Control,
    Family::Order,
    Family::Attributes,
    Family::Literals,
    Family::Errno,
    Family::Names,
    Family::Files,
    Family::Flags,
    Family::Exits,
    Family::Addresses,
    Family::Hints,
    Family::Whole,
];

impl Family {
    /// As options and reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Family::Memory => "memory",
            Family::Layout => "layout",
            Family::Library => "library",
            Family::Control => "control",
            Family::Order => "order",
            Family::Attributes => "attributes",
            Family::Literals => "literals",
            Family::Errno => "errno",
            Family::Names => "names",
            Family::Files => "files",
            Family::Flags => "flags",
            Family::Exits => "exits",
            Family::Addresses => "addresses",
            Family::Hints => "hints",
            Family::Whole => "whole",
        }
    }

    /// Its templates; see templates/README.md for their notation.
    pub(crate) fn templates(self) -> &'static str {
        match self {
            Family::Memory => include_str!("../templates/memory.txt"),
            Family::Layout => include_str!("../templates/layout.txt"),
            Family::Library => include_str!("../templates/library.txt"),
            Family::Control => include_str!("../templates/control.txt"),
            Family::Order => include_str!("../templates/order.txt"),
            Family::Attributes => include_str!("../templates/attributes.txt"),
            Family::Literals => include_str!("../templates/literals.txt"),
            Family::Errno => include_str!("../templates/errno.txt"),
            Family::Names => include_str!("../templates/names.txt"),
            Family::Files => include_str!("../templates/files.txt"),
            Family::Flags => include_str!("../templates/flags.txt"),
            Family::Exits => include_str!("../templates/exits.txt"),
            Family::Addresses => include_str!("../templates/addresses.txt"),
            Family::Hints => include_str!("../templates/hints.txt"),
            Family::Whole => "",
        }
    }
}

impl std::fmt::Display for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
