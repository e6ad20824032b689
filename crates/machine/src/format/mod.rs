//! The output of `printf`, as glibc writes it. A number of type `long double` is two arguments, its significand and its exponent.

mod float;

use float::Number;

/// An argument after the default promotions.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its bits, zero-extended.
    pub bits: u64,
    /// How many it has; 0 for a mathematical integer (an `i64`).
    pub width: u8,
    /// Whether the value is known; otherwise it prints as `?`.
    pub known: bool,
}

/// Why there is no output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormatFault<E> {
    /// A string could not be read.
    String(E),
    /// A conversion that does more than print.
    Unsupported(&'static str),
}

/// One conversion.
#[derive(Clone, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer.
    bits: u32,
    conversion: u8,
}

/// More columns than any program prints on purpose.
const MAX_FIELD: usize = 1 << 16;

/// The text for a format. `string` reads a string at an address, at most so many bytes of it if that is given.
pub fn format<E>(
    format: &[u8],
    args: &[Argument],
    pointer_bits: u32,
    string: &mut dyn FnMut(u64, Option<usize>) -> Result<Vec<u8>, E>,
) -> Result<Vec<u8>, FormatFault<E>> {
    let mut formatter = Formatter { rest: format, args: args.iter(), pointer_bits, out: Vec::new() };
    while let Some(percent) = formatter.rest.iter().position(|&b| b == b'%') {
        formatter.out.extend_from_slice(&formatter.rest[..percent]);
        let directive = &formatter.rest[percent..];
        formatter.rest = &directive[1..];
        let spec = formatter.spec();
        let length = directive.len() - formatter.rest.len();
        formatter.convert(&spec, &directive[..length], string)?;
    }
    formatter.out.extend_from_slice(formatter.rest);
    Ok(formatter.out)
}

struct Formatter<'a> {
    rest: &'a [u8],
    args: std::slice::Iter<'a, Argument>,
    pointer_bits: u32,
    out: Vec<u8>,
}

impl Formatter<'_> {
    fn next_byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn number(&mut self) -> usize {
        let mut value = 0usize;
        while let Some(digit) = self.rest.first().filter(|b| b.is_ascii_digit()) {
            value = (value * 10 + usize::from(digit - b'0')).min(MAX_FIELD);
            self.rest = &self.rest[1..];
        }
        value
    }

    fn star(&mut self) -> i64 {
        self.args.next().map_or(0, |a| if a.width == 0 { a.bits as i64 } else { i64::from(a.bits as i32) })
    }

    /// Reads a conversion after its `%`.
    fn spec(&mut self) -> Spec {
        let mut spec = Spec::default();
        while let Some(&flag) = self.rest.first() {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zero = true,
                b'\'' => {}
                _ => break,
            }
            self.rest = &self.rest[1..];
        }
        spec.width = if self.take(b'*') {
            let width = self.star();
            spec.left |= width < 0;
            width.unsigned_abs().min(MAX_FIELD as u64) as usize
        } else {
            self.number()
        };
        if self.take(b'.') {
            spec.precision = if self.take(b'*') {
                usize::try_from(self.star()).ok().map(|p| p.min(MAX_FIELD))
            } else {
                Some(self.number())
            };
        }
        spec.bits = self.length();
        spec.conversion = self.next_byte().unwrap_or(0);
        spec
    }

    /// Reads the length modifier: how many bits an integer has.
    fn length(&mut self) -> u32 {
        let Some(&modifier) = self.rest.first() else { return 32 };
        let bits = match modifier {
            b'h' => 16,
            b'l' | b'z' | b't' | b'Z' => self.pointer_bits,
            b'j' | b'q' | b'L' => 64,
            _ => return 32,
        };
        self.rest = &self.rest[1..];
        match modifier {
            b'h' if self.take(b'h') => 8,
            b'l' if self.take(b'l') => 64,
            _ => bits,
        }
    }

    fn convert<E>(
        &mut self,
        spec: &Spec,
        directive: &[u8],
        string: &mut dyn FnMut(u64, Option<usize>) -> Result<Vec<u8>, E>,
    ) -> Result<(), FormatFault<E>> {
        match spec.conversion {
            b'%' => {
                self.out.push(b'%');
                return Ok(());
            }
            b'm' => {
                self.pad(spec, b"Success".to_vec());
                return Ok(());
            }
            b'n' => return Err(FormatFault::Unsupported("`%n` in a format")),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'b' | b'B' | b'c' | b's' | b'p' => {}
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let text = self.floating(directive).map_or(b"?".to_vec(), |number| float::text(spec, number));
                self.pad(spec, text);
                return Ok(());
            }
            _ => {
                self.out.extend_from_slice(directive);
                return Ok(());
            }
        }
        let Some(arg) = self.args.next().filter(|a| a.known).copied() else {
            self.pad(spec, b"?".to_vec());
            return Ok(());
        };
        match spec.conversion {
            b'c' => self.pad(spec, vec![arg.bits as u8]),
            b's' => {
                let text = string(arg.bits, spec.precision).map_err(FormatFault::String)?;
                self.pad(spec, text);
            }
            b'p' if arg.bits == 0 => self.pad(spec, b"(nil)".to_vec()),
            b'p' => self.integer(&Spec { bits: self.pointer_bits, ..spec.clone() }, arg),
            _ => self.integer(spec, arg),
        }
        Ok(())
    }

    /// The next argument as a number, if its value is known.
    fn floating(&mut self, directive: &[u8]) -> Option<Number> {
        let first = self.args.next()?;
        if !directive.contains(&b'L') {
            return (first.known && first.width == 64).then(|| Number::double(first.bits));
        }
        // What is no `long double` is one argument.
        let second = self.args.as_slice().first().filter(|second| (first.width, second.width) == (64, 16))?;
        self.args.next();
        let known = first.known && second.known;
        known.then(|| Number::extended(first.bits, second.bits as u16))
    }

    /// A text in its field.
    fn pad(&mut self, spec: &Spec, text: Vec<u8>) {
        let fill = spec.width.saturating_sub(text.len());
        let (before, after) = if spec.left { (0, fill) } else { (fill, 0) };
        self.out.extend(std::iter::repeat_n(b' ', before));
        self.out.extend(text);
        self.out.extend(std::iter::repeat_n(b' ', after));
    }

    fn integer(&mut self, spec: &Spec, arg: Argument) {
        let unused = 64 - spec.bits;
        let signed = if arg.width == 0 { arg.bits as i64 } else { ((arg.bits << unused) as i64) >> unused };
        // A mathematical integer shows its value; only a negative one without a sign is cut.
        let unsigned = if arg.width == 0 && (arg.bits as i64) >= 0 { arg.bits } else { (arg.bits << unused) >> unused };
        let has_sign = matches!(spec.conversion, b'd' | b'i');
        // glibc lets the flags for signs apply to pointers.
        let shows_sign = has_sign || spec.conversion == b'p';
        let sign: &[u8] = match shows_sign {
            true if has_sign && signed < 0 => b"-",
            true if spec.plus => b"+",
            true if spec.space => b" ",
            _ => b"",
        };
        let magnitude = if has_sign { signed.unsigned_abs() } else { unsigned };
        let mut digits = digits(spec.conversion, magnitude);
        if spec.precision == Some(0) && magnitude == 0 {
            digits.clear();
        }
        let least = spec.precision.unwrap_or(1);
        let mut zeros = least.saturating_sub(digits.len());
        if spec.conversion == b'o' && spec.alternative && zeros == 0 && digits.first() != Some(&b'0') {
            zeros = 1;
        }
        let prefix = prefix(spec, magnitude, sign);
        if spec.zero && !spec.left && spec.precision.is_none() {
            zeros = zeros.max(spec.width.saturating_sub(prefix.len() + digits.len()));
        }
        let mut text = prefix;
        text.extend(std::iter::repeat_n(b'0', zeros));
        text.extend(digits);
        self.pad(spec, text);
    }
}

fn prefix(spec: &Spec, magnitude: u64, sign: &[u8]) -> Vec<u8> {
    let base: &[u8] = match spec.conversion {
        b'p' => b"0x",
        b'x' if spec.alternative && magnitude != 0 => b"0x",
        b'X' if spec.alternative && magnitude != 0 => b"0X",
        b'b' if spec.alternative && magnitude != 0 => b"0b",
        b'B' if spec.alternative && magnitude != 0 => b"0B",
        _ => b"",
    };
    [sign, base].concat()
}

fn digits(conversion: u8, magnitude: u64) -> Vec<u8> {
    match conversion {
        b'x' | b'p' => format!("{magnitude:x}"),
        b'X' => format!("{magnitude:X}"),
        b'o' => format!("{magnitude:o}"),
        b'b' | b'B' => format!("{magnitude:b}"),
        _ => magnitude.to_string(),
    }
    .into_bytes()
}
