//! Candidates about floats: between which numbers they are. A float that is between two numbers is no NaN.

use std::collections::BTreeSet;

use clinch_ir::cfa::CfaProgram;
use clinch_terms::float::{FloatBinOp, Format};
use clinch_terms::{BinOp, Node, Term, Terms, UnOp};

use super::places::{Place, places_in};

/// The most numbers of a program, and of those that it compares with, that a place is compared with.
const NUMBERS: usize = 24;
const COMPARED: usize = 16;

/// The most of those, and of the factors of the program, that are multiplied.
const MULTIPLIED: usize = 3;

/// Bounds of one place in one direction, from the strongest to the weakest.
pub(super) type Chain = Vec<Term>;

/// What a program computes with as floats, and the numbers it compares them with.
pub(super) struct FloatFacts {
    places: BTreeSet<Term>,
    /// As doubles, by their bits; without signs.
    numbers: BTreeSet<u64>,
    /// Those that something is compared with.
    compared: BTreeSet<u64>,
    /// Those that something is multiplied with or divided by.
    factors: BTreeSet<u64>,
}

impl FloatFacts {
    pub(super) fn new(program: &CfaProgram) -> Self {
        let terms = &program.terms;
        let (places, numbers) = (BTreeSet::new(), BTreeSet::from([0, 1_f64.to_bits()]));
        let mut facts = FloatFacts { places, numbers, compared: BTreeSet::new(), factors: BTreeSet::new() };
        for term in terms.all_terms() {
            let (operands, format, op) = match terms.node(term) {
                Node::Binary(BinOp::Float(op, format), a, b) => (vec![a, b], format, Some(op)),
                Node::Fma(format, a, b, c) => (vec![a, b, c], format, Some(FloatBinOp::Mul)),
                Node::Unary(UnOp::Float(op, format), a) if op.takes_float() => (vec![a], format, None),
                _ => continue,
            };
            for operand in operands {
                match terms.node(operand) {
                    Node::BitVec(_, bits) => {
                        let number = Some(number(format, bits)).filter(|number| number.is_finite());
                        let number = number.map(|number| number.abs().to_bits());
                        facts.numbers.extend(number);
                        facts.compared.extend(number.filter(|_| op.is_some_and(FloatBinOp::compares)));
                        let multiplies = matches!(op, Some(FloatBinOp::Mul | FloatBinOp::Div));
                        facts.factors.extend(number.filter(|_| multiplies));
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

    /// Upper and lower bounds of a place. The weakest ones say that it is no NaN.
    pub(super) fn chains(&self, terms: &mut Terms, place: &Place) -> Vec<Chain> {
        let Some(format) = Format::of_width(terms.bv_width(place.term)) else { return Vec::new() };
        let numbers = self.ladder(format);
        let mut bound = |number: f64, is_most: bool| {
            let bits = match format {
                Format::Single => u64::from((number as f32).to_bits()),
                Format::Double => number.to_bits(),
            };
            let bound = terms.bit_vec(format.width(), bits);
            let (a, b) = if is_most { (place.term, bound) } else { (bound, place.term) };
            terms.float_binary(FloatBinOp::Le, format, a, b)
        };
        let most = numbers.iter().map(|&number| bound(number, true)).collect();
        let least = numbers.iter().rev().map(|&number| bound(number, false)).collect();
        vec![most, least]
    }

    /// Numbers that may be bounds, in their order: those of the program, those near to what it compares with, which rounding
    /// may come to, and larger ones.
    fn ladder(&self, format: Format) -> Vec<f64> {
        let largest = match format {
            Format::Single => f32::MAX.into(),
            Format::Double => f64::MAX,
        };
        let own = self.numbers.iter().take(NUMBERS).chain(self.compared.iter().rev().take(COMPARED));
        let mut numbers: Vec<f64> = own.map(|&bits| f64::from_bits(bits)).collect();
        let round = |number: f64| if format == Format::Single { f64::from(number as f32) } else { number };
        for (i, &bits) in self.compared.iter().rev().take(COMPARED).enumerate() {
            let number = f64::from_bits(bits);
            let near = [number, number * 1.001, number * 2.0, number * 10.0].map(round);
            numbers.extend(near);
            // What is multiplied and divided again may be a little larger than before, but not from every number on.
            for &factor in self.factors.iter().rev().take(if i < MULTIPLIED { MULTIPLIED } else { 0 }) {
                let factor = f64::from_bits(factor);
                numbers.extend(near[..3].iter().flat_map(|near| [near * factor, near / factor]).map(round));
            }
        }
        numbers.retain(|number| number.is_finite() && *number < largest);
        numbers.extend([largest, f64::INFINITY]);
        numbers.extend(numbers.clone().into_iter().map(|number| -number));
        numbers.sort_by(f64::total_cmp);
        // Zeros of either sign are one bound.
        numbers.dedup_by(|a, b| a == b);
        numbers
    }
}

fn number(format: Format, bits: u64) -> f64 {
    match format {
        Format::Single => f32::from_bits(bits as u32).into(),
        Format::Double => f64::from_bits(bits),
    }
}
