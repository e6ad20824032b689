//! Circuits against the meaning of the operations, for all values of small widths.

use clinch_terms::bitvec;

use super::*;

/// Calls `check` with every pair of values, and the value of the term for it. The term is over two symbols, or over a symbol and
/// each constant.
fn for_all_values(
    width: u32,
    make: impl Fn(&mut Terms, Term, Term) -> Term,
    check: impl Fn(&BigUint, &BigUint, Value),
) {
    for constant in [false, true] {
        for (x, y) in (0..1_u64 << width).flat_map(|x| (0..1_u64 << width).map(move |y| (x, y))) {
            let mut terms = Terms::new();
            let [a, b] = ["a", "b"].map(|name| terms.fresh(name, Sort::BitVec(width)));
            let b = if constant { terms.bit_vec(width, y) } else { b };
            let mut blaster = Blaster::default();
            let mut values = vec![false];
            for (term, bits) in [(a, x), (b, y)] {
                blaster.word(&terms, &[term], term).unwrap();
                let inputs = blaster.circuit.len() - values.len();
                values.extend((0..inputs).map(|i| bits >> i & 1 == 1));
            }
            let term = make(&mut terms, a, b);
            let word = blaster.word(&terms, &terms.parts(term), term).unwrap();
            blaster.circuit.evaluate_to(blaster.circuit.len(), &mut values);
            check(&x.into(), &y.into(), value(&terms.sort(term), &word, &values).unwrap());
        }
    }
}

#[test]
fn operations_mean_what_they_say() {
    for width in 1..=4 {
        for op in BinOp::ON_WORDS.into_iter().chain(BinOp::ORDERS_OF_WORDS).chain([BinOp::Eq, BinOp::BvConcat]) {
            for_all_values(
                width,
                |terms, a, b| terms.intern(Node::Binary(op, a, b)),
                |x, y, value| {
                    let expected = bitvec::binary(op, (width, x), (width, y)).unwrap();
                    assert_eq!(value, expected, "{x} {op:?} {y}, {width} bits");
                },
            );
        }
    }
}

#[test]
fn parts_and_choices_mean_what_they_say() {
    let width = 3;
    for_all_values(
        width,
        |terms, a, b| {
            let (negated, complement) = (terms.bv_neg(a), terms.bv_not(b));
            let less = terms.bv_slt(a, b);
            let chosen = terms.ite(less, negated, complement);
            let part = terms.extract(2, 1, chosen);
            terms.resize(true, 5, part)
        },
        |x, y, value| {
            let number = |bits: &BigUint| bitvec::signed(width, bits);
            let chosen = if number(x) < number(y) { -number(x) } else { -number(y) - 1 };
            let part = bitvec::extract(2, 1, &bitvec::of_integer(width, &chosen));
            let bits = bitvec::of_integer(5, &bitvec::signed(2, &part));
            assert_eq!(value, Value::BitVec { width: 5, bits });
        },
    );
}

#[test]
fn what_is_equal_is_one_gate() {
    let mut circuit = Circuit::default();
    let (a, b, c) = (circuit.input(), circuit.input(), circuit.input());
    let both = circuit.and(a, b);
    assert_eq!(circuit.and(b, a), both);
    assert_eq!(circuit.and(a, both), both);
    assert_eq!(circuit.and(!a, both), Bit::FALSE);
    assert_eq!(circuit.and(!a, !both), !a);
    let rest = circuit.and(a, !b);
    assert_eq!(circuit.and(a, !both), rest);
    let differ = circuit.xor(a, b);
    assert_eq!(circuit.xor(!a, b), !differ);
    assert_eq!(circuit.ite(a, !b, b), differ);
    let choice = circuit.ite(a, b, c);
    assert_eq!(circuit.ite(!a, c, b), choice);
    assert_eq!(circuit.ite(a, !b, !c), !choice);
}

#[test]
fn equal_indices_read_the_same() {
    let mut terms = Terms::new();
    let memory = terms.fresh("m", Sort::array(Sort::BitVec(8), Sort::BitVec(8)));
    let (i, j) = (terms.fresh("i", Sort::BitVec(8)), terms.fresh("j", Sort::BitVec(8)));
    let (x, y) = (terms.select(memory, i), terms.select(memory, j));
    let (same, equal) = (terms.eq(i, j), terms.eq(x, y));
    let differ = terms.not(equal);
    for (indices, possible) in [(same, false), (terms.not(same), true)] {
        let formula = terms.and(indices, differ);
        let mut question = crate::LargeQuestion::new(&terms, formula, 10_000);
        let answer = question.answer(&terms);
        assert_eq!(answer == crate::Answer::Sat, possible);
        if possible {
            assert_eq!(question.value(&terms, formula), Some(Value::Bool(true)));
        }
    }
}

#[test]
fn shared_parts_of_a_conjunction_are_asserted_once() {
    // A tree of conjunctions with 2^60 leaves and few distinct ones.
    let mut circuit = Circuit::default();
    let mut goal = circuit.input();
    for _ in 0..60 {
        let (a, b) = (circuit.input(), circuit.input());
        let (left, right) = (circuit.and(goal, a), circuit.and(goal, b));
        goal = circuit.and(left, right);
    }
    let formulas = Formulas::new(&circuit, goal);
    assert_eq!(formulas.goals(&circuit).len(), 121);
}

/// Sums of three unknowns and constants, in every order: one word, and the right one.
#[test]
fn sums_of_the_same_are_one_word() {
    let mut terms = Terms::new();
    let mut summands: Vec<Term> = ["a", "b", "c"].map(|name| terms.fresh(name, Sort::BitVec(3))).into();
    summands.push(terms.bit_vec(3, 5));
    summands.push(terms.bv_neg(summands[0]));
    let orders = [[0, 1, 2, 3, 4], [4, 2, 0, 3, 1], [3, 1, 4, 2, 0], [2, 4, 1, 0, 3]];
    let mut blaster = Blaster::default();
    for (number, &symbol) in summands[..3].iter().enumerate() {
        blaster.word(&terms, &[symbol], symbol).unwrap();
        assert_eq!(blaster.circuit.len(), 1 + 3 * (number + 1));
    }
    let mut words = Vec::new();
    for order in orders {
        // Once from the left and once from the right.
        for from_left in [true, false] {
            let sum = order.into_iter().map(|i| summands[i]).reduce(|sum, next| {
                let (x, y) = if from_left { (sum, next) } else { (next, sum) };
                terms.intern(Node::Binary(BinOp::BvAdd, x, y))
            });
            let sum = sum.unwrap();
            words.push(blaster.word(&terms, &terms.parts(sum), sum).unwrap());
        }
    }
    assert!(words.iter().all(|word| *word == words[0]));
    for bits in 0..1_u32 << 9 {
        let mut values = vec![false];
        values.extend((0..9).map(|i| bits >> i & 1 == 1));
        blaster.circuit.evaluate_to(blaster.circuit.len(), &mut values);
        let expected = ((bits >> 3) + (bits >> 6) + 5) & 7;
        let bits = expected.into();
        assert_eq!(value(&Sort::BitVec(3), &words[0], &values), Some(Value::BitVec { width: 3, bits }));
    }
}

#[test]
fn what_is_on_both_sides_of_an_equation_does_not_matter() {
    for width in 1..=3 {
        for_all_values(
            width,
            |terms, a, b| {
                let (one, twice) = (terms.bit_vec(width, 1), terms.intern(Node::Binary(BinOp::BvAdd, a, a)));
                let left = terms.intern(Node::Binary(BinOp::BvAdd, twice, b));
                let right = terms.intern(Node::Binary(BinOp::BvSub, a, one));
                terms.eq(left, right)
            },
            |x, y, value| {
                let mask = (BigUint::from(1_u32) << width) - 1_u32;
                assert_eq!(value, Value::Bool((x + y + 1_u32) & &mask == BigUint::ZERO), "{x} {y}");
            },
        );
    }
}
