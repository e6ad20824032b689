//! Programs whose second file repeats the declarations of the first, with other details: names of internal linkage are the
//! same in both, what they stand for is not.

use super::template::Template;
use crate::family::{FAMILIES, Family};
use crate::program::Node;
use crate::rng::Rng;
use crate::trap::{Says, Trap};

/// Draws a template that can be repeated; none if the one that was drawn cannot.
pub(crate) fn trap(rng: &mut Rng) -> Option<Trap> {
    let families: Vec<Family> = FAMILIES.into_iter().filter(|family| is_repeatable(*family)).collect();
    let templates = Template::read(rng.pick(&families).templates());
    let template = rng.pick(&templates);
    let (mut body, again) = (template.expand(1, rng), template.expand(1, rng));
    let can_be_repeated = !again.declarations.is_empty() && again.declarations.iter().all(is_internal);
    if template.says == Says::Possible || !can_be_repeated {
        return None;
    }
    body.beside.second = again.declarations;
    Some(Trap::new(Family::Files, format!("double of {}", template.name), vec![body], rng))
}

/// Families with programs in one file and without flags, whose names are their own.
fn is_repeatable(family: Family) -> bool {
    !matches!(family, Family::Names | Family::Files | Family::Flags | Family::Whole)
}

/// Whether a declaration says nothing to other files, and nothing happens by it.
fn is_internal(node: &Node) -> bool {
    let text = node.tail.as_str();
    let is_type = ["struct ", "union ", "enum "].iter().any(|word| text.starts_with(word)) && text.ends_with("};");
    let is_static = ["static ", "typedef ", "#"].iter().any(|word| text.starts_with(word)) || is_type;
    is_static && !text.contains("constructor") && !text.contains("destructor")
}
