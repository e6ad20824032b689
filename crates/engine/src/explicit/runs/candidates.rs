//! Which values are worth trying for an input.

use std::collections::BTreeSet;

use clinch_ir::cfa::{CfaProgram, Op, Target};
use clinch_machine::{InputRequest, InputSource};
use clinch_terms::float::{FloatUnOp, Format, value};
use clinch_terms::{Node, Term};
use rand::Rng;

use super::RunsConfig;

/// The constants of a program, as values for its inputs.
pub(crate) struct Candidates<'a> {
    config: &'a RunsConfig,
    /// Signed readings of the constants that occur, and their neighbours, the small ones first.
    constants: Vec<i64>,
    /// Which inputs are floats.
    formats: Vec<Option<Format>>,
}

/// Some values of an input.
pub(crate) struct Choice {
    /// The values, the more promising first.
    pub(crate) values: Vec<u64>,
    /// Whether these are all.
    pub(crate) complete: bool,
}

impl<'a> Candidates<'a> {
    pub(crate) fn new(program: &CfaProgram, config: &'a RunsConfig) -> Self {
        let mut seen = BTreeSet::new();
        for edge in program.procedures.iter().flat_map(|p| &p.edges) {
            for term in interesting_terms(&edge.op) {
                constants_of(program, term, &mut seen);
            }
        }
        let near = seen.iter().flat_map(|&c| [c, c.wrapping_sub(1), c.wrapping_add(1)]);
        let mut constants: Vec<i64> = near.collect::<BTreeSet<_>>().into_iter().collect();
        constants.sort_by_key(|c| c.unsigned_abs());
        let format = |ty: &str| match ty {
            "float" => Some(Format::Single),
            "double" => Some(Format::Double),
            _ => None,
        };
        let formats = program.inputs.iter().map(|site| format(&site.ty)).collect();
        Candidates { config, constants, formats }
    }

    /// At most `count` values for a request, unless all of them fit.
    pub(crate) fn choose(&self, request: &InputRequest, matters: bool, count: usize) -> Choice {
        if !matters {
            return Choice { values: vec![0], complete: true };
        }
        let width = request.width;
        if (1..=self.config.exhaustive_bits).contains(&width) && (1 << width) <= count {
            return Choice { values: (0..1 << width).collect(), complete: true };
        }
        let corners = match self.format(request) {
            Some(format) => FLOATS.map(|number| bits(format, number) as i64).to_vec(),
            None => vec![0, 1, -1, 2, least(width), greatest(width)],
        };
        let mut values = Vec::new();
        for value in corners.into_iter().chain(self.constants.iter().copied()) {
            let bits = cut(width, value as u64);
            if !values.contains(&bits) {
                values.push(bits);
            }
            if values.len() == count {
                break;
            }
        }
        Choice { values, complete: false }
    }

    /// The format of an input that is a float.
    fn format(&self, request: &InputRequest) -> Option<Format> {
        match request.source {
            InputSource::Site(site) => self.formats.get(site.index()).copied().flatten(),
            InputSource::Memory { .. } => None,
        }
    }

    /// A random float.
    fn draw_float(&self, format: Format, mood: Mood, rng: &mut impl Rng) -> u64 {
        match mood {
            Mood::Truth => bits(format, f64::from(rng.random_range(0_u8..2))),
            Mood::Small | Mood::Mixed | Mood::Steady => bits(format, f64::from(rng.random_range(-8_i8..48)) / 4.0),
            Mood::Constants if !self.constants.is_empty() && rng.random() => {
                cut(format.width(), self.constants[rng.random_range(0..self.constants.len())] as u64)
            }
            // Between the small ones, where most programs want them.
            Mood::Constants => {
                bits(format, rng.random_range(-1000..1000_i32) as f64 * f64::from(rng.random::<u16>()) / 65536.0)
            }
            Mood::Any => match rng.random_range(0..4) {
                0 => bits(format, FLOATS[rng.random_range(0..FLOATS.len())]),
                1 => bits(format, f64::from(rng.random::<i32>()) / 2_f64.powi(rng.random_range(0..40))),
                _ => cut(format.width(), rng.random()),
            },
        }
    }

    /// More values than this are never chosen.
    pub(super) fn most(&self) -> usize {
        (self.constants.len() + FLOATS.len()).max(1 << self.config.exhaustive_bits)
    }

    /// A random value.
    pub(super) fn draw(&self, request: &InputRequest, mood: Mood, rng: &mut impl Rng) -> u64 {
        let width = request.width;
        let mixed = matches!(mood, Mood::Mixed | Mood::Steady);
        let mood = if mixed { Mood::LIVELY[rng.random_range(0..4)] } else { mood };
        if let Some(format) = self.format(request) {
            return self.draw_float(format, mood, rng);
        }
        let value = match mood {
            Mood::Truth => rng.random_range(0..2),
            Mood::Small | Mood::Mixed | Mood::Steady => rng.random_range(-2..12),
            Mood::Constants if self.constants.is_empty() => rng.random_range(-128..128),
            Mood::Constants => self.constants[rng.random_range(0..self.constants.len())],
            Mood::Any => match rng.random_range(0..4) {
                0 => least(width),
                1 => greatest(width),
                2 if width == 0 => rng.random_range(-1_000_000..1_000_000),
                2 => rng.random::<i64>() >> rng.random_range(0..64),
                _ => rng.random_range(-100..1000),
            },
        };
        cut(width, value as u64)
    }
}

/// Floats that programs may not expect.
const FLOATS: [f64; 12] = [
    0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.5,
    -0.0,
    2.0,
    3.402_823_466_385_288_6e38,
    f64::MAX,
    1.401_298_464_324_817e-45,
];

/// The bits of a number in a format, or of the nearest one.
fn bits(format: Format, number: f64) -> u64 {
    match format {
        Format::Single => value::unary(FloatUnOp::Convert, Format::Double, 64, number.to_bits()),
        Format::Double => number.to_bits(),
    }
}

/// How a run with random inputs chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mood {
    /// 0 and 1.
    Truth,
    /// Small numbers.
    Small,
    /// Constants of the program.
    Constants,
    /// Anything.
    Any,
    /// Each time anew.
    Mixed,
    /// What is asked for at one place is the same each time.
    Steady,
}

impl Mood {
    /// Those in which inputs of one place differ: they take turns.
    pub(super) const LIVELY: [Mood; 5] = [Mood::Truth, Mood::Small, Mood::Constants, Mood::Any, Mood::Mixed];
}

/// The least number of a width in two's complement; 0 bits is a mathematical integer.
fn least(width: u32) -> i64 {
    match width {
        0 => -1_000_000,
        1..64 => -(1 << (width - 1)),
        _ => i64::MIN,
    }
}

fn greatest(width: u32) -> i64 {
    match width {
        0 => 1_000_000,
        1..64 => (1 << (width - 1)) - 1,
        _ => i64::MAX,
    }
}

fn cut(width: u32, bits: u64) -> u64 {
    if (1..64).contains(&width) { bits & ((1 << width) - 1) } else { bits }
}

/// The terms whose constants inputs may be compared with. Addresses of cells are not among them.
fn interesting_terms(op: &Op) -> Vec<Term> {
    match op {
        Op::Assume(term) => vec![*term],
        Op::Assign(assigns) => assigns.iter().filter(|a| matches!(a.target, Target::Var(_))).map(|a| a.value).collect(),
        Op::Call { args, .. } => args.clone(),
        _ => Vec::new(),
    }
}

fn constants_of(program: &CfaProgram, term: Term, seen: &mut BTreeSet<i64>) {
    program.terms.visit(term, &mut |node| match node {
        Node::BitVec(width @ 1..64, bits) => {
            let shift = 64 - width;
            seen.insert(((bits << shift) as i64) >> shift);
        }
        Node::BitVec(64, bits) => {
            seen.insert(bits as i64);
        }
        Node::Int(value) => {
            seen.insert(value);
        }
        _ => {}
    });
}
