//! Where traps come from.

mod detours;
mod doubles;
mod literals;
mod objects;
mod pointers;
mod template;
mod whole;

use crate::rng::Rng;
use crate::trap::{Body, Says, Trap};
use template::Template;

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
    fn templates(self) -> &'static str {
        match self {
            Family::Memory => include_str!("../../templates/memory.txt"),
            Family::Layout => include_str!("../../templates/layout.txt"),
            Family::Library => include_str!("../../templates/library.txt"),
            Family::Control => include_str!("../../templates/control.txt"),
            Family::Order => include_str!("../../templates/order.txt"),
            Family::Attributes => include_str!("../../templates/attributes.txt"),
            Family::Literals => include_str!("../../templates/literals.txt"),
            Family::Errno => include_str!("../../templates/errno.txt"),
            Family::Names => include_str!("../../templates/names.txt"),
            Family::Files => include_str!("../../templates/files.txt"),
            Family::Flags => include_str!("../../templates/flags.txt"),
            Family::Exits => include_str!("../../templates/exits.txt"),
            Family::Addresses => include_str!("../../templates/addresses.txt"),
            Family::Hints => include_str!("../../templates/hints.txt"),
            Family::Whole => "",
        }
    }
}

impl std::fmt::Display for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The trap of a seed, from one of the families, which are not empty.
pub fn draw(seed: u64, families: &[Family]) -> Trap {
    let mut rng = Rng::new(seed);
    let family = *rng.pick(families);
    match family {
        Family::Whole => whole::trap(seed, &mut rng),
        Family::Memory if rng.percent(60) => {
            let bodies = vec![pointers::body(&mut rng)];
            Trap::new(family, "pointers".to_owned(), bodies, &mut rng)
        }
        Family::Files if rng.percent(50) => doubles::trap(&mut rng).unwrap_or_else(|| from_templates(family, &mut rng)),
        _ => from_templates(family, &mut rng),
    }
}

/// A trap for each template of a family.
pub fn each_template(family: Family, seed: u64) -> Vec<Trap> {
    let mut rng = Rng::new(seed);
    let templates = Template::read(family.templates());
    let mut trap = |template: Template| {
        let bodies = vec![template.expand(1, &mut rng)];
        Trap { says: template.says, ..Trap::new(family, template.name, bodies, &mut rng) }
    };
    templates.into_iter().map(&mut trap).collect()
}

/// One template, or two that share a program.
fn from_templates(family: Family, rng: &mut Rng) -> Trap {
    let templates = Template::read(family.templates());
    // Flags and the names of the library are not kept apart.
    let alone = matches!(family, Family::Flags | Family::Names);
    let count = if !alone && rng.percent(30) { 2 } else { 1 };
    let (mut names, mut says) = (Vec::new(), Says::All);
    let mut bodies: Vec<Body> = Vec::new();
    for id in 1..=count {
        let template = rng.pick(&templates);
        names.push(template.name.clone());
        bodies.push(template.expand(id, rng));
        if template.says == Says::Possible {
            says = Says::Possible;
        }
    }
    Trap { says, ..Trap::new(family, names.join("+"), bodies, rng) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::SECOND;

    #[test]
    fn a_seed_is_one_program() {
        for seed in 0..50 {
            let (one, other) = (draw(seed, &FAMILIES), draw(seed, &FAMILIES));
            assert_eq!(one.observed(0), other.observed(0), "seed {seed}");
        }
    }

    #[test]
    fn every_template_is_drawn_soon() {
        for family in FAMILIES {
            let origins: Vec<String> = (0..1000).map(|seed| draw(seed, &[family]).origin).collect();
            for template in Template::read(family.templates()) {
                let drawn = origins.iter().any(|origin| origin.split('+').any(|name| name == template.name));
                assert!(drawn, "{family}: {}", template.name);
            }
        }
    }

    #[test]
    fn programs_that_need_more_than_a_file_have_it() {
        let drawn = |family: Family| (0..50).map(move |seed| draw(seed, &[family]).observed(0));
        assert!(drawn(Family::Files).all(|sources| sources.beside.iter().any(|(path, _)| path == SECOND)));
        assert!(drawn(Family::Flags).all(|sources| !sources.flags.is_empty()));
        assert!(drawn(Family::Flags).any(|sources| sources.beside.iter().any(|(path, _)| path.ends_with(".h"))));
    }

    #[test]
    fn every_template_can_be_read() {
        for family in FAMILIES {
            for template in Template::read(family.templates()) {
                let body = template.expand(1, &mut Rng::new(1));
                assert!(!body.check.is_empty(), "{}: no observation", template.name);
            }
        }
    }
}
