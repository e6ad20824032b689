//! The programs that the interpreter is compared with gcc on, as traps: their inputs are fixed, and their sum is observed.

use crate::family::Family;
use crate::generate;
use crate::program::Node;
use crate::rng::Rng;
use crate::trap::{Body, Trap};

const INPUT: &str = "__VERIFIER_nondet_";

/// The trap of a seed.
pub(crate) fn trap(seed: u64, rng: &mut Rng) -> Trap {
    let mut declarations = generate::program(seed).nodes;
    fix_inputs(&mut declarations, rng);
    for node in &mut declarations {
        if let Some((head, _)) = node.parts.first_mut() {
            *head = head.replace("int main$(", "static int whole$(");
        }
    }
    let body = Body {
        declarations,
        setup: Vec::new(),
        hidden: vec![Node::leaf("whole$();")],
        check: vec![Node::leaf("OBSERVE(sum$);")],
        ..Body::default()
    };
    Trap::new(Family::Whole, "whole".to_owned(), vec![body], rng)
}

fn fix_inputs(nodes: &mut [Node], rng: &mut Rng) {
    for node in nodes {
        for (head, body) in &mut node.parts {
            *head = fixed(head, rng);
            fix_inputs(body, rng);
        }
        node.tail = fixed(&node.tail, rng);
    }
}

/// The text with a number for each call that asks for an input.
fn fixed(text: &str, rng: &mut Rng) -> String {
    let mut parts = text.split(INPUT);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("()") {
            Some((kind, rest)) if kind.chars().all(char::is_alphanumeric) => {
                let ty = generate::INTS.iter().find(|(_, _, _, suffix)| *suffix == kind).map_or("int", |int| int.0);
                let value = if kind == "bool" { rng.next() & 1 } else { rng.value() };
                out.push_str(&format!("(({ty}){value:#x}ul){rest}"));
            }
            _ => {
                out.push_str(INPUT);
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_become_numbers_and_declarations_stay() {
        let text = "extern int __VERIFIER_nondet_int(void); _Bool b = __VERIFIER_nondet_bool();";
        let fixed = fixed(text, &mut Rng::new(1));
        assert!(fixed.starts_with("extern int __VERIFIER_nondet_int(void); _Bool b = ((_Bool)0x"), "{fixed}");
        assert!(fixed.ends_with("ul);"), "{fixed}");
    }
}
