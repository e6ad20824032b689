//! The operators of SMT-LIB's core theory and of arrays, on values.

use clinch_ir::Span;
use clinch_terms::{BinOp, Node, Sort, Term};

use super::Stop;
use super::formula::Formula;
use super::value::{Context, Value, is_number, sort_of};
use crate::junction::{combine, conjunction, disjunction};

/// An operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Not,
    And,
    Or,
    Xor,
    Implies,
    Equal,
    Distinct,
    Ite,
    Select,
    Store,
    Number(super::number::Op),
    Bits(super::bits::Op),
}

impl Op {
    pub(super) fn of_name(name: &str) -> Option<Op> {
        Some(match name {
            "not" => Op::Not,
            "and" => Op::And,
            "or" => Op::Or,
            "xor" => Op::Xor,
            "=>" | "implies" => Op::Implies,
            "=" | "iff" => Op::Equal,
            "distinct" => Op::Distinct,
            "ite" => Op::Ite,
            "select" => Op::Select,
            "store" => Op::Store,
            _ => match super::number::Op::of_name(name) {
                Some(op) => Op::Number(op),
                None => Op::Bits(super::bits::Op::of_name(name)?),
            },
        })
    }

    /// The least and the largest number of arguments.
    fn arity(self) -> (usize, usize) {
        use super::number::Op as Number;
        const MANY: usize = usize::MAX;
        match self {
            Op::Not | Op::Number(Number::Abs | Number::ToReal) => (1, 1),
            Op::And | Op::Or | Op::Number(Number::Add | Number::Sub | Number::Mul) => (1, MANY),
            Op::Xor | Op::Implies | Op::Equal | Op::Distinct | Op::Number(_) => (2, MANY),
            Op::Select => (2, 2),
            Op::Ite | Op::Store => (3, 3),
            Op::Bits(op) => op.arity(),
        }
    }
}

/// Pairs compared by one `distinct`, at most.
const MAX_PAIRS: usize = 100_000;

impl Context {
    /// The operator applied to values.
    pub(super) fn apply(&mut self, op: Op, name: &str, args: Vec<Value>, span: Span) -> Result<Value, Stop> {
        let (least, most) = op.arity();
        if args.len() < least || args.len() > most {
            let wanted = if most > least { format!("at least {least}") } else { least.to_string() };
            return Err(Stop::bad(span, format!("`{name}` takes {wanted} arguments, not {}", args.len())));
        }
        match op {
            Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies => self.connective(op, name, &args, span),
            Op::Equal => self.chain(&args, span, Context::equal),
            Op::Distinct => self.distinct(&args, span),
            Op::Ite => self.ite(&args, span),
            Op::Select => self.select(&args, span),
            Op::Store => self.store(&args, span),
            Op::Number(op) => self.arithmetic(op, name, &args, span),
            Op::Bits(op) => self.bits(op, name, &args, span),
        }
    }

    fn connective(&mut self, op: Op, name: &str, args: &[Value], span: Span) -> Result<Value, Stop> {
        if let Some(mut parts) = plain(args) {
            let terms = &mut self.system.terms;
            if op == Op::Implies {
                negate_all_but_last(&mut parts, |t| *t = terms.not(*t));
            }
            let term = match op {
                Op::Not => terms.not(parts[0]),
                Op::And => conjunction(terms, &parts),
                Op::Or | Op::Implies => disjunction(terms, &parts),
                _ => combine(terms, &parts, &mut |terms, a, b| {
                    let same = terms.iff(a, b);
                    terms.not(same)
                }),
            };
            return Ok(Value::Term(term, Sort::Bool));
        }
        let of = args.iter().map(|arg| self.formula(arg, name, span));
        let mut parts = of.collect::<Result<Vec<_>, _>>()?;
        let formulas = &mut self.formulas;
        if op == Op::Implies {
            negate_all_but_last(&mut parts, |f| *f = formulas.not(*f));
        }
        Ok(Value::Formula(match op {
            Op::Not => formulas.not(parts[0]),
            Op::And => formulas.and(parts),
            Op::Or | Op::Implies => formulas.or(parts),
            _ => {
                let first = parts[0];
                parts[1..].iter().fold(first, |all, part| {
                    let same = formulas.iff(all, *part);
                    formulas.not(same)
                })
            }
        }))
    }

    /// A truth value as a formula.
    pub(super) fn formula(&mut self, value: &Value, user: &str, span: Span) -> Result<Formula, Stop> {
        match value {
            Value::Term(term, Sort::Bool) => Ok(self.formulas.term(*term)),
            Value::Formula(formula) => Ok(*formula),
            other => Err(Stop::bad(span, format!("`{user}` takes truth values, not {}", sort_of(other)))),
        }
    }

    /// The conjunction of a relation between neighbours.
    pub(super) fn chain(
        &mut self,
        args: &[Value],
        span: Span,
        relate: impl Fn(&mut Self, &Value, &Value, Span) -> Result<Value, Stop>,
    ) -> Result<Value, Stop> {
        if let [a, b] = args {
            return relate(self, a, b, span);
        }
        let links = args.windows(2).map(|pair| relate(self, &pair[0], &pair[1], span));
        let links = links.collect::<Result<Vec<_>, _>>()?;
        self.connective(Op::And, "and", &links, span)
    }

    fn equal(&mut self, a: &Value, b: &Value, span: Span) -> Result<Value, Stop> {
        match (a, b) {
            (Value::Term(a, Sort::Bool), Value::Term(b, Sort::Bool)) => {
                Ok(Value::Term(self.system.terms.iff(*a, *b), Sort::Bool))
            }
            (Value::Formula(_), _) | (_, Value::Formula(_)) => {
                let (a, b) = (self.formula(a, "=", span)?, self.formula(b, "=", span)?);
                Ok(Value::Formula(self.formulas.iff(a, b)))
            }
            (Value::Term(a, sort @ (Sort::Array(_) | Sort::BitVec(_))), Value::Term(b, other)) if sort == other => {
                Ok(Value::Term(self.system.terms.eq(*a, *b), Sort::Bool))
            }
            _ if is_number(a) && is_number(b) => self.compare(BinOp::Eq, a, b, span),
            _ => Err(Stop::bad(span, format!("{} is compared with {}", sort_of(a), sort_of(b)))),
        }
    }

    fn distinct(&mut self, args: &[Value], span: Span) -> Result<Value, Stop> {
        if args.len().saturating_mul(args.len()) / 2 > MAX_PAIRS {
            return Err(Stop::unsupported(span, format!("`distinct` of {} terms", args.len())));
        }
        let mut links = Vec::new();
        for (i, a) in args.iter().enumerate() {
            for b in &args[i + 1..] {
                let same = self.equal(a, b, span)?;
                links.push(self.connective(Op::Not, "not", &[same], span)?);
            }
        }
        self.connective(Op::And, "and", &links, span)
    }

    fn ite(&mut self, args: &[Value], span: Span) -> Result<Value, Stop> {
        let [condition, then, otherwise] = args else { unreachable!("the arity was checked") };
        let truth = |v: &Value| matches!(v, Value::Formula(_) | Value::Term(_, Sort::Bool));
        if !truth(condition) {
            return Err(Stop::bad(span, format!("the condition of `ite` is {}", sort_of(condition))));
        }
        match (condition, then, otherwise) {
            (Value::Term(c, _), Value::Term(a, sort), Value::Term(b, other)) if sort == other => {
                Ok(Value::Term(self.system.terms.ite(*c, *a, *b), sort.clone()))
            }
            (_, then, otherwise) if truth(then) && truth(otherwise) => {
                let [c, a, b] = [condition, then, otherwise].map(|v| self.formula(v, "ite", span));
                Ok(Value::Formula(self.formulas.ite(c?, a?, b?)))
            }
            (Value::Formula(_), ..) => Err(predicate_in_term(span)),
            (Value::Term(c, _), then, otherwise) if is_number(then) && is_number(otherwise) => {
                self.choice(*c, then, otherwise, span)
            }
            _ => Err(Stop::bad(span, format!("`ite` of {} and {}", sort_of(then), sort_of(otherwise)))),
        }
    }

    fn select(&mut self, args: &[Value], span: Span) -> Result<Value, Stop> {
        let (array, of) = array_of(&args[0], "select", span)?;
        let index = self.coerce(&args[1], &of.0, span)?;
        Ok(Value::Term(self.system.terms.select(array, index), of.1))
    }

    fn store(&mut self, args: &[Value], span: Span) -> Result<Value, Stop> {
        let (array, of) = array_of(&args[0], "store", span)?;
        let (index, value) = (self.coerce(&args[1], &of.0, span)?, self.coerce(&args[2], &of.1, span)?);
        Ok(Value::Term(self.system.terms.store(array, index, value), Sort::array(of.0, of.1)))
    }

    /// The array of this sort with one element everywhere.
    pub(super) fn const_array(&mut self, sort: &Sort, args: &[Value], span: Span) -> Result<Value, Stop> {
        let (Sort::Array(of), [element]) = (sort, args) else {
            return Err(Stop::bad(span, "a constant array has an array sort and one element"));
        };
        let element = self.coerce(element, &of.1, span)?;
        Ok(Value::Term(self.system.terms.const_array(sort.clone(), element), sort.clone()))
    }

    /// The term of a value that must have this sort. Integer constants are also real numbers.
    pub(super) fn coerce(&mut self, value: &Value, sort: &Sort, span: Span) -> Result<Term, Stop> {
        match value {
            Value::Term(term, own) if own == sort => Ok(*term),
            Value::Term(term, Sort::Int) if *sort == Sort::Real => match self.system.terms.node(*term) {
                Node::Int(_) | Node::Big(_) => Ok(*term),
                _ => Err(super::number::mixed(span)),
            },
            Value::Fraction(..) if *sort == Sort::Real => {
                Err(Stop::unsupported(span, "a fraction as an index, an element or an argument of a defined function"))
            }
            Value::Formula(_) if *sort == Sort::Bool => Err(predicate_in_term(span)),
            other => Err(Stop::bad(span, format!("expected {sort}, found {}", sort_of(other)))),
        }
    }
}

/// All values as terms, if no predicate is among them and all are truth values.
fn plain(args: &[Value]) -> Option<Vec<Term>> {
    let terms = args.iter().map(|arg| match arg {
        Value::Term(term, Sort::Bool) => Some(*term),
        _ => None,
    });
    terms.collect()
}

fn negate_all_but_last<T>(parts: &mut [T], negate: impl FnMut(&mut T)) {
    let last = parts.len() - 1;
    parts[..last].iter_mut().for_each(negate);
}

fn array_of(value: &Value, user: &str, span: Span) -> Result<(Term, (Sort, Sort)), Stop> {
    match value {
        Value::Term(term, Sort::Array(of)) => Ok((*term, (of.0.clone(), of.1.clone()))),
        other => Err(Stop::bad(span, format!("`{user}` takes an array, not {}", sort_of(other)))),
    }
}

fn predicate_in_term(span: Span) -> Stop {
    Stop::unsupported(span, "a predicate or a quantifier inside a term")
}
