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

pub use crate::family::{FAMILIES, Family};

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
