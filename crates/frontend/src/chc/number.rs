//! Arithmetic. Constants are folded at any size. Terms have no fractions, so a real number is carried as a term and the
//! constant it is divided by, which disappears when numbers are compared.

use clinch_ir::Span;
use clinch_terms::{BinOp, Sort, Term, Terms, UnOp};
use num_bigint::{BigInt, Sign};
use num_integer::Integer;

use super::Stop;
use super::value::{Context, Value, is_number, sort_of};
use crate::junction::combine;

/// An operator on numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Quotient,
    Abs,
    ToReal,
    Le,
    Lt,
    Ge,
    Gt,
}

impl Op {
    pub(super) fn of_name(name: &str) -> Option<Op> {
        Some(match name {
            "+" => Op::Add,
            "-" => Op::Sub,
            "*" => Op::Mul,
            "div" => Op::Div,
            "mod" => Op::Mod,
            "/" => Op::Quotient,
            "abs" => Op::Abs,
            "to_real" => Op::ToReal,
            "<=" => Op::Le,
            "<" => Op::Lt,
            ">=" => Op::Ge,
            ">" => Op::Gt,
            _ => return None,
        })
    }
}

/// Largest constant, in bits: repeated squaring of a constant must end.
const MAX_BITS: u64 = 1 << 16;

/// Longest numeral, in digits.
const MAX_DIGITS: usize = 15_000;

/// How integers in real arithmetic are refused.
pub(super) fn mixed(span: Span) -> Stop {
    Stop::unsupported(span, "integers and real numbers in one term")
}

/// A number: the term divided by a positive constant.
#[derive(Clone, Debug)]
struct Ratio {
    term: Term,
    divisor: BigInt,
}

/// Numbers of one sort.
struct Numbers {
    sort: Sort,
    items: Vec<Ratio>,
}

fn one() -> BigInt {
    BigInt::from(1)
}

impl Context {
    /// The value of a numeral or decimal.
    pub(super) fn literal(&mut self, text: &str, span: Span) -> Result<Value, Stop> {
        if text.len() > MAX_DIGITS {
            return Err(Stop::unsupported(span, format!("a number with more than {MAX_DIGITS} digits")));
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}").parse::<BigInt>().expect("the lexer lets only digits through");
        let scale = BigInt::from(10).pow(fraction.len() as u32);
        if !text.contains('.') {
            return Ok(Value::Term(self.system.terms.big(digits), Sort::Int));
        }
        let common = digits.gcd(&scale);
        let term = self.system.terms.big(&digits / &common);
        Ok(value(Sort::Real, Ratio { term, divisor: scale / common }))
    }

    pub(super) fn arithmetic(&mut self, op: Op, name: &str, args: &[Value], span: Span) -> Result<Value, Stop> {
        if let Some(bad) = args.iter().find(|v| !is_number(v)) {
            return Err(Stop::bad(span, format!("`{name}` takes numbers, not {}", sort_of(bad))));
        }
        match op {
            Op::Le => return self.chain(args, span, |c, a, b, span| c.compare(BinOp::Le, a, b, span)),
            Op::Lt => return self.chain(args, span, |c, a, b, span| c.compare(BinOp::Lt, a, b, span)),
            Op::Ge => return self.chain(args, span, |c, a, b, span| c.compare(BinOp::Le, b, a, span)),
            Op::Gt => return self.chain(args, span, |c, a, b, span| c.compare(BinOp::Lt, b, a, span)),
            Op::ToReal => return self.real_constant(&args[0], span),
            Op::Quotient => return self.quotient(args, span),
            _ => {}
        }
        let Numbers { sort, items } = self.numbers(args, span)?;
        let result = match op {
            Op::Add => self.sum(items, span)?,
            Op::Sub => self.difference(items, span)?,
            Op::Mul => self.product(items, span)?,
            Op::Div | Op::Mod if sort == Sort::Int => self.integer_division(op, &items, span)?,
            Op::Abs if sort == Sort::Int => self.absolute(items[0].term),
            _ => return Err(Stop::bad(span, format!("`{name}` takes integers, not Real"))),
        };
        Ok(value(sort, result))
    }

    /// The values as numbers of their common sort.
    fn numbers(&mut self, args: &[Value], span: Span) -> Result<Numbers, Stop> {
        let real = args.iter().any(|v| sort_of(v) == Sort::Real);
        let sort = if real { Sort::Real } else { Sort::Int };
        let items = self.ratios(args, &sort, span)?;
        Ok(Numbers { sort, items })
    }

    fn ratios(&mut self, args: &[Value], sort: &Sort, span: Span) -> Result<Vec<Ratio>, Stop> {
        let ratio = |arg: &Value| match arg {
            Value::Fraction(term, divisor) => Ok(Ratio { term: *term, divisor: divisor.clone() }),
            other => Ok(Ratio { term: self.coerce(other, sort, span)?, divisor: one() }),
        };
        args.iter().map(ratio).collect()
    }

    /// The numbers over their common divisor.
    fn common(&mut self, items: Vec<Ratio>, span: Span) -> Result<(Vec<Term>, BigInt), Stop> {
        let mut divisor = one();
        for item in &items {
            divisor = divisor.lcm(&item.divisor);
            check_size(&divisor, span)?;
        }
        let scaled = items.into_iter().map(|item| {
            let factor = self.system.terms.big(&divisor / &item.divisor);
            self.fold(BinOp::Mul, factor, item.term, span)
        });
        Ok((scaled.collect::<Result<_, _>>()?, divisor))
    }

    fn sum(&mut self, items: Vec<Ratio>, span: Span) -> Result<Ratio, Stop> {
        let (parts, divisor) = self.common(items, span)?;
        let term = self.combine_numbers(BinOp::Add, &parts, span)?;
        Ok(Ratio { term, divisor })
    }

    fn difference(&mut self, items: Vec<Ratio>, span: Span) -> Result<Ratio, Stop> {
        let (parts, divisor) = self.common(items, span)?;
        let term = match parts.as_slice() {
            [single] => self.negative(*single),
            [first, rest @ ..] => {
                let rest = self.combine_numbers(BinOp::Add, rest, span)?;
                self.fold(BinOp::Sub, *first, rest, span)?
            }
            [] => unreachable!("the arity was checked"),
        };
        Ok(Ratio { term, divisor })
    }

    fn product(&mut self, items: Vec<Ratio>, span: Span) -> Result<Ratio, Stop> {
        let mut divisor = one();
        for item in &items {
            divisor *= &item.divisor;
            check_size(&divisor, span)?;
        }
        let parts = items.into_iter().map(|i| i.term).collect::<Vec<_>>();
        let term = self.combine_numbers(BinOp::Mul, &parts, span)?;
        Ok(Ratio { term, divisor })
    }

    fn quotient(&mut self, args: &[Value], span: Span) -> Result<Value, Stop> {
        let mut items = self.ratios(args, &Sort::Real, span)?.into_iter();
        let mut result = items.next().expect("the arity was checked");
        for by in items {
            let Some(numerator) = self.system.terms.as_integer(by.term) else {
                return Err(Stop::unsupported(span, "division by a term that is not constant"));
            };
            if numerator.sign() == Sign::NoSign {
                return Err(Stop::unsupported(span, "division by zero"));
            }
            // t/d divided by n/m is (t*m) / (d*n); the divisor stays positive.
            let factor = if numerator.sign() == Sign::Minus { -by.divisor } else { by.divisor };
            let factor = self.system.terms.big(factor);
            result.term = self.fold(BinOp::Mul, factor, result.term, span)?;
            result.divisor *= BigInt::from(numerator.magnitude().clone());
            check_size(&result.divisor, span)?;
        }
        if let Some(numerator) = self.system.terms.as_integer(result.term) {
            let common = numerator.gcd(&result.divisor);
            result.term = self.system.terms.big(numerator / &common);
            result.divisor /= common;
        }
        Ok(value(Sort::Real, result))
    }

    /// SMT-LIB's division leaves a remainder that is never negative, whatever the signs.
    fn integer_division(&mut self, op: Op, items: &[Ratio], span: Span) -> Result<Ratio, Stop> {
        let mut term = items[0].term;
        for by in &items[1..] {
            let Some(divisor) = self.system.terms.as_integer(by.term) else {
                return Err(Stop::unsupported(span, "`div` or `mod` by a term that is not constant"));
            };
            if divisor.sign() == Sign::NoSign {
                return Err(Stop::unsupported(span, "division by zero"));
            }
            let positive = self.system.terms.big(divisor.magnitude().clone().into());
            term = match op {
                Op::Mod => self.fold(BinOp::Mod, term, positive, span)?,
                _ => self.fold(BinOp::FloorDiv, term, positive, span)?,
            };
            if op == Op::Div && divisor.sign() == Sign::Minus {
                term = self.negative(term);
            }
        }
        Ok(Ratio { term, divisor: one() })
    }

    fn absolute(&mut self, term: Term) -> Ratio {
        let negative = self.negative(term);
        let terms = &mut self.system.terms;
        let zero = terms.int(0);
        let nonnegative = relation(terms, BinOp::Le, zero, term);
        Ratio { term: terms.ite(nonnegative, term, negative), divisor: one() }
    }

    fn real_constant(&mut self, arg: &Value, span: Span) -> Result<Value, Stop> {
        let term = self.coerce(arg, &Sort::Int, span)?;
        let value = Value::Term(term, Sort::Int);
        Ok(Value::Term(self.coerce(&value, &Sort::Real, span)?, Sort::Real))
    }

    /// If-then-else on numbers of which some are real.
    pub(super) fn choice(&mut self, condition: Term, a: &Value, b: &Value, span: Span) -> Result<Value, Stop> {
        let Numbers { sort, items } = self.numbers(&[a.clone(), b.clone()], span)?;
        let (parts, divisor) = self.common(items, span)?;
        let term = self.system.terms.ite(condition, parts[0], parts[1]);
        Ok(value(sort, Ratio { term, divisor }))
    }

    pub(super) fn compare(&mut self, op: BinOp, a: &Value, b: &Value, span: Span) -> Result<Value, Stop> {
        let items = self.numbers(&[a.clone(), b.clone()], span)?.items;
        let (parts, _) = self.common(items, span)?;
        Ok(Value::Term(relation(&mut self.system.terms, op, parts[0], parts[1]), Sort::Bool))
    }

    fn negative(&mut self, term: Term) -> Term {
        match self.system.terms.as_integer(term) {
            Some(value) => self.system.terms.big(-value),
            None => self.system.terms.unary(UnOp::Neg, term),
        }
    }

    fn combine_numbers(&mut self, op: BinOp, parts: &[Term], span: Span) -> Result<Term, Stop> {
        let mut failed = None;
        let term = combine(&mut self.system.terms, parts, &mut |terms, a, b| {
            fold(terms, op, a, b, span).unwrap_or_else(|stop| {
                failed.get_or_insert(stop);
                a
            })
        });
        failed.map_or(Ok(term), Err)
    }

    fn fold(&mut self, op: BinOp, a: Term, b: Term, span: Span) -> Result<Term, Stop> {
        fold(&mut self.system.terms, op, a, b, span)
    }
}

fn check_size(value: &BigInt, span: Span) -> Result<(), Stop> {
    if value.bits() > MAX_BITS {
        return Err(Stop::unsupported(span, format!("a constant with more than {MAX_BITS} bits")));
    }
    Ok(())
}

/// An operation with constants folded; the divisors of `Mod` and `FloorDiv` are positive.
fn fold(terms: &mut Terms, op: BinOp, a: Term, b: Term, span: Span) -> Result<Term, Stop> {
    let (x, y) = (terms.as_integer(a), terms.as_integer(b));
    let (Some(x), Some(y)) = (&x, &y) else {
        let is_one = |v: &Option<BigInt>| v.as_ref().is_some_and(|v| *v == one());
        return Ok(match op {
            BinOp::Mul if is_one(&x) => b,
            BinOp::Mul | BinOp::FloorDiv if is_one(&y) => a,
            _ => terms.binary(op, a, b),
        });
    };
    let result = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x * y,
        BinOp::Mod => x.mod_floor(y),
        BinOp::FloorDiv => x.div_floor(y),
        _ => unreachable!("{op:?} is not folded here"),
    };
    check_size(&result, span)?;
    Ok(terms.big(result))
}

fn relation(terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
    match (terms.as_integer(a), terms.as_integer(b)) {
        (Some(x), Some(y)) => terms.bool(match op {
            BinOp::Eq => x == y,
            BinOp::Le => x <= y,
            _ => x < y,
        }),
        _ if op == BinOp::Eq => terms.eq(a, b),
        _ => terms.binary(op, a, b),
    }
}

fn value(sort: Sort, Ratio { term, divisor }: Ratio) -> Value {
    if divisor == one() { Value::Term(term, sort) } else { Value::Fraction(term, divisor) }
}
