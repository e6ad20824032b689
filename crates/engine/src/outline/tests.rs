//! What is said of intervals, held against all values of three bits.

use clinch_terms::evaluate::evaluate;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::range::{Known, Range, Restriction, consequences, range_of, truth_of};

const WIDTH: u32 = 3;

struct Two([(Symbol, Range); 2]);

impl Known for Two {
    fn range(&self, symbol: Symbol) -> Option<&Range> {
        self.0.iter().find(|(known, _)| *known == symbol).map(|(_, range)| range)
    }
}

/// Intervals of three bits, some with a hole.
fn ranges() -> Vec<Range> {
    let mut all = Vec::new();
    for lo in -4..4 {
        for hi in lo..4 {
            let whole = Range { lo, hi, holes: Vec::new() };
            all.extend(whole.clone().without(lo + 1).filter(|range| range.lo == lo && range.hi == hi));
            all.push(whole);
        }
    }
    all
}

fn bits(value: i64) -> u64 {
    value as u64 & 7
}

/// The value of a term where two variables have these.
fn value(terms: &Terms, term: Term, [x, y]: [(Symbol, i64); 2]) -> Value {
    let of = |value: i64| Value::BitVec { width: WIDTH, bits: bits(value).into() };
    let environment: FxHashMap<Symbol, Value> = [(x.0, of(x.1)), (y.0, of(y.1))].into_iter().collect();
    evaluate(terms, &environment, term).expect("a closed term has a value")
}

fn signed(width: u32, bits: u64) -> i64 {
    ((bits << (64 - width)) as i64) >> (64 - width)
}

#[test]
fn intervals_have_all_values() {
    let mut terms = Terms::new();
    let symbols = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(WIDTH)));
    let [x, y] = symbols.map(|symbol| terms.symbol(symbol));
    let (two, wide) = (terms.bit_vec(WIDTH, 2), terms.sign_extend(2, x));
    let operations = [
        BinOp::BvAdd,
        BinOp::BvSub,
        BinOp::BvMul,
        BinOp::BvAnd,
        BinOp::BvOr,
        BinOp::BvXor,
        BinOp::BvShl,
        BinOp::BvAshr,
    ];
    let mut numbers: Vec<Term> = operations
        .iter()
        .flat_map(|&op| [(x, y), (x, two), (two, y)].map(|(a, b)| (op, a, b)))
        .map(|(op, a, b)| terms.bv(op, a, b))
        .collect();
    let (natural, low) = (terms.zero_extend(2, y), terms.extract(1, 0, x));
    let (not, negative) = (terms.bv_not(x), terms.bv_neg(x));
    numbers.extend([wide, natural, low, not, negative]);
    let comparisons = [BinOp::Eq, BinOp::BvSlt, BinOp::BvSle, BinOp::BvUlt, BinOp::BvUle];
    let mut conditions: Vec<Term> = comparisons
        .iter()
        .flat_map(|&op| [(x, y), (x, two), (two, y)].map(|(a, b)| (op, a, b)))
        .map(|(op, a, b)| terms.binary(op, a, b))
        .collect();
    let small = terms.bit_vec(WIDTH + 2, 3);
    conditions.extend([terms.bv_ult(natural, small), terms.bv_slt(wide, small), terms.eq(natural, small)]);
    let both = terms.and(conditions[1], conditions[4]);
    let either = terms.or(conditions[0], conditions[7]);
    let one = terms.bit_vec(WIDTH, 1);
    let zero = terms.bit_vec(WIDTH, 0);
    let choice = terms.ite(conditions[4], one, zero);
    let chosen = terms.eq(choice, one);
    conditions.extend([both, either, chosen]);
    for a in ranges() {
        for b in ranges() {
            let known = Two([(symbols[0], a.clone()), (symbols[1], b.clone())]);
            let values = || {
                (a.lo..=a.hi)
                    .filter(|v| a.contains(*v))
                    .flat_map(|v| (b.lo..=b.hi).filter(|w| b.contains(*w)).map(move |w| (v, w)))
            };
            for &number in &numbers {
                let range = range_of(&terms, &known, number);
                for (v, w) in values() {
                    let Value::BitVec { width, bits } = value(&terms, number, [(symbols[0], v), (symbols[1], w)])
                    else {
                        panic!()
                    };
                    let result = signed(width, u64::try_from(bits).expect("few bits"));
                    assert!(range.contains(result), "{:?}: {v}, {w} -> {result} not in {range:?}", terms.node(number));
                }
            }
            for &condition in &conditions {
                holds(&terms, (&known, symbols), condition, &values().collect::<Vec<_>>());
            }
        }
    }
}

/// What is said of a condition is so for all values.
fn holds(terms: &Terms, (known, symbols): (&Two, [Symbol; 2]), condition: Term, values: &[(i64, i64)]) {
    let truth = truth_of(terms, known, condition);
    for wanted in [true, false] {
        let mut restrictions = Vec::new();
        consequences(terms, known, (condition, wanted), &mut |symbol, restriction| {
            restrictions.push((symbol, restriction))
        });
        for &(v, w) in values {
            let is_true = value(terms, condition, [(symbols[0], v), (symbols[1], w)]) == Value::Bool(true);
            assert!(truth.is_none_or(|truth| truth == is_true), "{:?}", terms.node(condition));
            for (symbol, restriction) in restrictions.iter().filter(|_| is_true == wanted) {
                let value = if *symbol == symbols[0] { v } else { w };
                let fits = match restriction {
                    Restriction::To(range) => range.contains(value),
                    Restriction::Not(other) => value != *other,
                };
                assert!(fits, "{:?} is {wanted} for {v}, {w}", Node::clone(&terms.node(condition)));
            }
        }
    }
}
