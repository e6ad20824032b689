//! Floating point against a solver's own theory of it, which nothing else here uses: every operation, on every pair of special values.

use clinch_terms::float::extended::{self, ExtendedOp};
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format, Integral, value};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const INTEGRAL: [Integral; 5] = [Integral::Down, Integral::Up, Integral::Zero, Integral::Even, Integral::Away];

/// A format, with the operations of [`value`] or of [`extended`] on its bits.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Plain(Format),
    Extended,
}

impl Kind {
    /// Bits of the exponent and of the significand.
    fn sizes(self) -> (u32, u32) {
        match self {
            Kind::Plain(format) => (format.width() - 1 - format.fraction(), format.fraction() + 1),
            Kind::Extended => (15, 64),
        }
    }

    fn sort(self) -> String {
        let (exponent, significand) = self.sizes();
        format!("(_ to_fp {exponent} {significand})")
    }

    /// The number with these bits.
    fn number(self, bits: u128) -> String {
        let (exponent, significand) = self.sizes();
        let bits = match self {
            Kind::Plain(_) => bits,
            // The leading bit is not one of the theory's.
            Kind::Extended => bits >> 64 << 63 | bits & ((1 << 63) - 1),
        };
        format!("({} {})", self.sort(), vector(exponent + significand, bits))
    }

    /// From the bits of a number that are laid out as in the theory.
    fn laid_out(self, sign: u128, exponent: u128, fraction: u128) -> u128 {
        let (e, s) = self.sizes();
        match self {
            Kind::Plain(_) => sign << (e + s - 1) | exponent << (s - 1) | fraction,
            Kind::Extended => sign << 79 | exponent << 64 | u128::from(exponent != 0) << 63 | fraction,
        }
    }

    /// Zeros, the least, greatest and some other numbers, integers, halves and what is beside them, infinities, a NaN; any.
    fn samples(self, random: &mut Xoshiro256PlusPlus) -> Vec<u128> {
        let (e, s) = self.sizes();
        let (most, ones, bias) = ((1_u128 << e) - 1, (1_u128 << (s - 1)) - 1, (1_u128 << (e - 1)) - 1);
        let half = 1_u128 << (s - 2);
        let magnitudes = [
            (0, 0),
            (0, 1),
            (0, ones),
            (1, 0),
            (1, 1),
            (bias - 1, 0),
            (bias - 1, ones),
            (bias, 0),
            (bias, 1),
            (bias, half),
            (bias + 1, half >> 1),
            (bias + u128::from(s) - 2, ones),
            (bias + 31, 0),
            (bias + 63, 0),
            (most - 1, ones),
            (most, 0),
        ];
        let mut samples: Vec<u128> = (0..2)
            .flat_map(|sign| magnitudes.map(|(exponent, fraction)| self.laid_out(sign, exponent, fraction)))
            .collect();
        samples.push(self.laid_out(0, most, half));
        for _ in 0..4 {
            let fraction = random.random::<u128>() & ones;
            samples.push(self.laid_out(random.random::<u128>() & 1, bias - 3 + random.random::<u128>() % 9, fraction));
            samples.push(self.laid_out(random.random::<u128>() & 1, random.random::<u128>() % most, fraction));
        }
        samples
    }

    fn binary(self, op: FloatBinOp, a: u128, b: u128) -> u128 {
        match self {
            Kind::Plain(format) => value::binary(op, format, a as u64, b as u64).into(),
            Kind::Extended => extended::binary(op, a, b),
        }
    }
}

const KINDS: [Kind; 3] = [Kind::Plain(Format::Single), Kind::Plain(Format::Double), Kind::Extended];

/// A bit-vector in SMT-LIB.
fn vector(width: u32, bits: u128) -> String {
    format!("#b{bits:0width$b}", width = width as usize)
}

/// All of the equations hold in the theory.
fn hold(equations: &[String]) {
    let fails = |equations: &[String]| {
        let solver = z3::Solver::new();
        solver.from_string(format!("(assert (not (and true {})))", equations.join(" ")));
        solver.check() != z3::SatResult::Unsat
    };
    if fails(equations) {
        let wrong: Vec<&String> = equations.iter().filter(|one| fails(std::slice::from_ref(*one))).collect();
        panic!("{} of {} do not hold: {:?}", wrong.len(), equations.len(), &wrong[..wrong.len().min(5)]);
    }
}

#[test]
fn operations_on_two_numbers_are_those_of_the_theory() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for kind in KINDS {
        let samples = kind.samples(&mut random);
        for op in FloatBinOp::ALL {
            let mut equations = Vec::new();
            for (a, b) in samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))) {
                let (x, y, result) = (kind.number(a), kind.number(b), kind.binary(op, a, b));
                equations.push(match op.compares() {
                    true => format!("(= ({} {x} {y}) {})", op.name(), result == 1),
                    false => format!("(= ({} RNE {x} {y}) {})", op.name(), kind.number(result)),
                });
            }
            hold(&equations);
        }
    }
}

fn mode(how: Integral) -> &'static str {
    match how {
        Integral::Down => "RTN",
        Integral::Up => "RTP",
        Integral::Zero => "RTZ",
        Integral::Even => "RNE",
        Integral::Away => "RNA",
    }
}

#[test]
fn operations_on_one_number_are_those_of_the_theory() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    for kind in KINDS {
        let root = |a: u128| match kind {
            Kind::Plain(format) => value::unary(FloatUnOp::Sqrt, format, format.width(), a as u64).into(),
            Kind::Extended => extended::unary(ExtendedOp::Sqrt, extended::WIDTH, a),
        };
        let integral = |how: Integral, a: u128| match kind {
            Kind::Plain(format) => value::unary(FloatUnOp::Integral(how), format, format.width(), a as u64).into(),
            Kind::Extended => extended::unary(ExtendedOp::Integral(how), extended::WIDTH, a),
        };
        let mut equations = Vec::new();
        for a in kind.samples(&mut random) {
            let x = kind.number(a);
            equations.push(format!("(= (fp.sqrt RNE {x}) {})", kind.number(root(a))));
            for how in INTEGRAL {
                let result = kind.number(integral(how, a));
                equations.push(format!("(= (fp.roundToIntegral {} {x}) {result})", mode(how)));
            }
        }
        hold(&equations);
    }
}

/// The result of a conversion between formats.
fn converted(from: Kind, to: Kind, a: u128) -> Option<u128> {
    Some(match (from, to) {
        (Kind::Plain(format), Kind::Plain(other)) if format != other => {
            value::unary(FloatUnOp::Convert, format, format.width(), a as u64).into()
        }
        (Kind::Plain(format), Kind::Extended) => extended::unary(ExtendedOp::FromFloat(format), format.width(), a),
        (Kind::Extended, Kind::Plain(format)) => extended::unary(ExtendedOp::ToFloat(format), extended::WIDTH, a),
        _ => return None,
    })
}

#[test]
fn conversions_are_those_of_the_theory() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut equations = Vec::new();
    for (from, to) in KINDS.iter().flat_map(|&from| KINDS.map(|to| (from, to))) {
        for a in from.samples(&mut random) {
            let Some(result) = converted(from, to, a) else { continue };
            equations.push(format!("(= ({} RNE {}) {})", to.sort(), from.number(a), to.number(result)));
        }
    }
    hold(&equations);
    let widths = [8_u32, 16, 32, 64];
    for (kind, width) in KINDS.iter().flat_map(|&kind| widths.map(|width| (kind, width))) {
        let mut equations = Vec::new();
        // To integers, where they fit; elsewhere programs must not ask.
        for (a, signed) in kind.samples(&mut random).into_iter().flat_map(|a| [(a, true), (a, false)]) {
            let (plain, of_extended) = match signed {
                true => (FloatUnOp::ToSigned(width as u8), ExtendedOp::ToSigned(width as u8)),
                false => (FloatUnOp::ToUnsigned(width as u8), ExtendedOp::ToUnsigned(width as u8)),
            };
            let result = match kind {
                Kind::Plain(format) => value::unary(plain, format, format.width(), a as u64).into(),
                Kind::Extended => extended::unary(of_extended, extended::WIDTH, a),
            };
            let (name, x) = (if signed { "fp.to_sbv" } else { "fp.to_ubv" }, kind.number(a));
            let (least, most) = match signed {
                true => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
                false => (0, (1_i128 << width) - 1),
            };
            let real = format!("(fp.to_real (fp.roundToIntegral RTZ {x}))");
            let least = if least < 0 { format!("(- {}.0)", -least) } else { format!("{least}.0") };
            let finite = format!("(not (or (fp.isNaN {x}) (fp.isInfinite {x})))");
            let fits = format!("(and {finite} (<= {least} {real}) (<= {real} {most}.0))");
            equations.push(format!("(=> {fits} (= ((_ {name} {width}) RTZ {x}) {}))", vector(width, result)));
        }
        for _ in 0..12 {
            let a = random.random::<u64>() >> (64 - width) >> random.random_range(0..width);
            let a = if random.random() { a } else { a.wrapping_neg() & (u64::MAX >> (64 - width)) };
            let (signed, unsigned): (u128, u128) = match kind {
                Kind::Plain(format) => [FloatUnOp::FromSigned, FloatUnOp::FromUnsigned]
                    .map(|op| u128::from(value::unary(op, format, width, a)))
                    .into(),
                Kind::Extended => [ExtendedOp::FromSigned, ExtendedOp::FromUnsigned]
                    .map(|op| extended::unary(op, width, a.into()))
                    .into(),
            };
            let (sort, bits) = (kind.sort(), vector(width, a.into()));
            equations.push(format!("(= ({sort} RNE {bits}) {})", kind.number(signed)));
            let unsigned_sort = sort.replace("to_fp", "to_fp_unsigned");
            equations.push(format!("(= ({unsigned_sort} RNE {bits}) {})", kind.number(unsigned)));
        }
        hold(&equations);
    }
}

#[test]
fn fused_operations_are_those_of_the_theory() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(10);
    for format in [Format::Single, Format::Double] {
        let kind = Kind::Plain(format);
        let samples = kind.samples(&mut random);
        let mut equations = Vec::new();
        for (i, (a, b)) in samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).enumerate() {
            let product = kind.binary(FloatBinOp::Mul, a, b) ^ u128::from(format.sign());
            for c in [samples[i * 7 % samples.len()], product] {
                let result = value::fma(format, a as u64, b as u64, c as u64).into();
                let [x, y, z, result] = [a, b, c, result].map(|bits| kind.number(bits));
                equations.push(format!("(= (fp.fma RNE {x} {y} {z}) {result})"));
            }
        }
        hold(&equations);
    }
}
