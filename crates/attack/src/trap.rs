//! A program whose observations depend on a hidden input.

use std::collections::BTreeSet;

use crate::family::Family;
use crate::program::{Beside, Node, Program};
use crate::rng::Rng;
use crate::sources::Sources;

/// The word in the text of a program that stands for the condition on the hidden input. The input is `main`'s `n`.
pub const HIDDEN: &str = "HIDDEN";

/// Begins an observation, `OBSERVE(3, expression);`, which stands in a line of its own. The expression has no side effects.
pub const OBSERVE: &str = "OBSERVE(";

/// How the hidden input is told from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hiding {
    /// By a product: the solver inverts it, no random run guesses it.
    Product,
    /// By shifts, which decision diagrams can follow.
    Shifts,
    /// Not at all: every run goes where the trap is.
    Open,
}

const FACTOR: u32 = 2_654_435_761;
const PRODUCT: u32 = 0x1234_5678;
const SHIFTED: u32 = 0x9d2c_5680;

impl Hiding {
    /// The condition, over `n`.
    pub fn condition(self) -> String {
        match self {
            Hiding::Product => format!("n * {FACTOR}u == {PRODUCT:#x}u"),
            Hiding::Shifts => format!("(n ^ n >> 15) == {SHIFTED:#x}u"),
            Hiding::Open => "1".to_owned(),
        }
    }

    /// The input that meets it.
    pub fn input(self) -> u32 {
        match self {
            // Newton's iteration for the inverse modulo 2^32: each step doubles the bits that are right, from three.
            Hiding::Product => {
                let inverse = (0..4).fold(FACTOR, |x, _| x.wrapping_mul(2u32.wrapping_sub(FACTOR.wrapping_mul(x))));
                PRODUCT.wrapping_mul(inverse)
            }
            Hiding::Shifts => SHIFTED ^ SHIFTED >> 15 ^ SHIFTED >> 30,
            Hiding::Open => 0,
        }
    }
}

/// What gcc's behaviour says about a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    /// All there is: the values observed are the only ones.
    All,
    /// One of the possibilities that C leaves: other orders of evaluation, other addresses may show other values.
    Possible,
}

/// A program with observations.
#[derive(Clone, Debug)]
pub struct Trap {
    /// Where it comes from.
    pub family: Family,
    /// The templates it was drawn from.
    pub origin: String,
    /// Its text.
    pub program: Program,
    /// What [`HIDDEN`] stands for.
    pub hiding: Hiding,
    /// What an observation is worth.
    pub says: Says,
}

/// What stands in `main` of a trap.
#[derive(Default)]
pub(crate) struct Body {
    /// `#include` lines and declarations.
    pub(crate) declarations: Vec<Node>,
    /// What happens before.
    pub(crate) setup: Vec<Node>,
    /// What happens for the hidden input only.
    pub(crate) hidden: Vec<Node>,
    /// What happens afterwards, with observations.
    pub(crate) check: Vec<Node>,
    /// A second file, headers and flags.
    pub(crate) beside: Beside,
}

/// What every trap declares: the input, the error, and numbers that no compiler knows.
const PRELUDE: &str = "\
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);";

/// The same numbers, for the second file.
const EXTERNAL_NUMBERS: &str = "extern int v0$, v1$, v2$, v3$, v4$, v5$, v6$, v7$, v8$;";

const NUMBERS: &str = "int v0$ = 0, v1$ = 1, v2$ = 2, v3$ = 3, v4$ = 4, v5$ = 5, v6$ = 6, v7$ = 7, v8$ = 8;";

impl Trap {
    /// A program around some bodies.
    pub(crate) fn new(family: Family, origin: String, bodies: Vec<Body>, rng: &mut Rng) -> Trap {
        let hiding = *rng.pick(&[Hiding::Product, Hiding::Product, Hiding::Product, Hiding::Shifts, Hiding::Open]);
        let whole = rng.percent(25);
        let (mut includes, mut nodes) = (Vec::new(), vec![Node::leaf(PRELUDE), Node::leaf(NUMBERS)]);
        let mut main = vec![Node::leaf("unsigned n = __VERIFIER_nondet_uint();")];
        let (mut inner, mut hidden, mut check) = (Vec::new(), Vec::new(), Vec::new());
        let mut beside = Beside::default();
        for body in bodies {
            let is_include = |node: &Node| node.tail.starts_with("#include");
            let (first, rest): (Vec<_>, Vec<_>) = body.declarations.into_iter().partition(is_include);
            includes.extend(first);
            nodes.extend(rest);
            inner.extend(body.setup);
            hidden.extend(body.hidden);
            check.extend(body.check);
            beside.extend(body.beside);
        }
        if whole {
            inner.extend(hidden);
            inner.extend(check);
            main.push(hidden_block(inner));
        } else {
            main.extend(inner);
            main.push(hidden_block(hidden));
            main.extend(check);
        }
        nodes.push(Node::block("int main$(void)\n{", main, "  return 0;\n}"));
        includes.extend(nodes);
        if !beside.second.is_empty() {
            beside.second.splice(0..0, [Node::leaf(PRELUDE), Node::leaf(EXTERNAL_NUMBERS)]);
        }
        let mut program = Program { nodes: without_repetitions(includes), beside };
        let mut next = 0;
        number(&mut program.nodes, &mut next);
        number(&mut program.beside.second, &mut next);
        Trap { family, origin, program, hiding, says: Says::All }
    }

    /// The files for gcc, as one of several programs: observations are printed.
    pub fn observed(&self, position: usize) -> Sources {
        let observe = format!("observe({position}, ");
        let finish = |text: &str| self.reveal(text).replace(OBSERVE, &observe);
        Sources::new(&self.program, &format!("_{position}"), &finish)
    }

    /// Whether it cannot share a file with others: it has several, depends on flags, or has names that headers have.
    pub fn stands_alone(&self) -> bool {
        matches!(self.family, Family::Names | Family::Files | Family::Flags)
    }

    /// The text with the condition in its place.
    pub(crate) fn reveal(&self, text: &str) -> String {
        text.replace(HIDDEN, &self.hiding.condition())
    }
}

/// Of several equal `#include` lines, the first.
fn without_repetitions(nodes: Vec<Node>) -> Vec<Node> {
    let mut seen = BTreeSet::new();
    let mut is_new = |node: &Node| !node.tail.starts_with("#include") || seen.insert(node.tail.clone());
    nodes.into_iter().filter(|node| is_new(node)).collect()
}

fn hidden_block(body: Vec<Node>) -> Node {
    Node::block(format!("if ({HIDDEN}) {{"), body, "}")
}

/// Gives the observations numbers, which they keep when the program is reduced.
fn number(nodes: &mut [Node], next: &mut usize) {
    for node in nodes {
        for (head, body) in &mut node.parts {
            *head = numbered(head, next);
            number(body, next);
        }
        node.tail = numbered(&node.tail, next);
    }
}

fn numbered(text: &str, next: &mut usize) -> String {
    let mut parts = text.split(OBSERVE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(&format!("{OBSERVE}{next}, {part}"));
        *next += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_inputs_meet_their_conditions() {
        let n = Hiding::Product.input();
        assert_eq!(n.wrapping_mul(FACTOR), PRODUCT);
        let n = Hiding::Shifts.input();
        assert_eq!(n ^ n >> 15, SHIFTED);
    }

    #[test]
    fn observations_are_numbered_in_order() {
        let mut nodes = vec![Node::leaf("OBSERVE(a);"), Node::block("f {", vec![Node::leaf("OBSERVE(b);")], "}")];
        number(&mut nodes, &mut 0);
        assert_eq!(Program::new(nodes).text(""), "OBSERVE(0, a);\nf {\n  OBSERVE(1, b);\n}\n");
    }
}
