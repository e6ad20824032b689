//! Candidates about floats: between which numbers they are. A float that is between two numbers is no NaN.

use std::collections::BTreeSet;

use clinch_ir::cfa::CfaProgram;
use clinch_terms::float::{FloatBinOp, Format};
use clinch_terms::{BinOp, Node, Term, Terms, UnOp};

use super::places::{Place, places_in};

/// The most numbers that a place is compared with.
const NUMBERS: usize = 24;

/// What a program computes with as floats, and the numbers it compares them with.
pub(super) struct FloatFacts {
    places: BTreeSet<Term>,
    /// As doubles, by their bits; without signs.
    numbers: BTreeSet<u64>,
}

impl FloatFacts {
    pub(super) fn new(program: &CfaProgram) -> Self {
        let terms = &program.terms;
        let mut facts = FloatFacts { places: BTreeSet::new(), numbers: BTreeSet::from([0, 1_f64.to_bits()]) };
        for term in terms.all_terms() {
            let (operands, format) = match terms.node(term) {
                Node::Binary(BinOp::Float(_, format), a, b) => (vec![a, b], format),
                Node::Unary(UnOp::Float(op, format), a) if op.takes_float() => (vec![a], format),
                _ => continue,
            };
            for operand in operands {
                match terms.node(operand) {
                    Node::BitVec(_, bits) => {
                        let number = number(format, bits);
                        facts.numbers.extend(number.is_finite().then(|| number.abs().to_bits()));
                    }
                    _ => facts.places.extend(places_in(terms, operand)),
                }
            }
        }
        // Numbers that are assigned are floats of variables that are.
        for global in &program.globals {
            facts.number_of(program, global.symbol, global.init);
        }
        for op in program.procedures.iter().flat_map(|p| &p.edges).map(|edge| &edge.op) {
            if let clinch_ir::cfa::Op::Assign(assigns) = op {
                for assign in assigns {
                    if let clinch_ir::cfa::Target::Var(symbol) = assign.target {
                        facts.number_of(program, symbol, assign.value);
                    }
                }
            }
        }
        facts
    }

    fn number_of(&mut self, program: &CfaProgram, symbol: clinch_terms::Symbol, value: Term) {
        let format = match program.variables.get(&symbol).map(|info| info.ty.as_str()) {
            Some("float") => Format::Single,
            Some("double") => Format::Double,
            _ => return,
        };
        self.places.extend(program.terms.find(Node::Symbol(symbol)));
        if let Node::BitVec(_, bits) = program.terms.node(value) {
            let number = number(format, bits);
            self.numbers.extend(number.is_finite().then(|| number.abs().to_bits()));
        }
    }

    /// Whether a place holds a float.
    pub(super) fn contains(&self, place: &Place) -> bool {
        self.places.contains(&place.term)
    }

    /// Bounds of a place.
    pub(super) fn candidates(&self, terms: &mut Terms, place: &Place) -> Vec<Term> {
        let Some(format) = Format::of_width(terms.bv_width(place.term)) else { return Vec::new() };
        let mut found = Vec::new();
        for &bits in self.numbers.iter().take(NUMBERS) {
            let number = f64::from_bits(bits);
            for number in [number, -number] {
                let bits = match format {
                    Format::Single => u64::from((number as f32).to_bits()),
                    Format::Double => number.to_bits(),
                };
                let bound = terms.bit_vec(format.width(), bits);
                let most = terms.float_binary(FloatBinOp::Le, format, place.term, bound);
                let least = terms.float_binary(FloatBinOp::Le, format, bound, place.term);
                found.extend([most, least]);
            }
        }
        found
    }
}

fn number(format: Format, bits: u64) -> f64 {
    match format {
        Format::Single => f32::from_bits(bits as u32).into(),
        Format::Double => f64::from_bits(bits),
    }
}
