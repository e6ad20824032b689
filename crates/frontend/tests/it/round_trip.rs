//! What is printed can be read: a random term, shown as GCL, parses back to a term of the same meaning.

use clinch_frontend::{Language, Options};
use clinch_ir::print::show;
use clinch_ir::{Evaluator, Program, State};
use clinch_terms::{BinOp, LocId, Term, Terms, UnOp, VarId};
use proptest::prelude::*;

use crate::read;

const MODEL: &str = "
    enum Phase { idle, busy }
    var x: int = 0, y: -5..5, a: int[3], b: bool, c: bool[2], p: Phase;
    process P(i: 0..1) { var l: int; loc one, two; one -> two; }
    process Q { loc only; }
";
const X: VarId = VarId(0);
const Y: VarId = VarId(1);
const A: VarId = VarId(2);
const B: VarId = VarId(3);
const C: VarId = VarId(4);
const PHASE: VarId = VarId(5);

/// A term to be built: proptest shrinks this, terms need their store.
#[derive(Clone, Debug)]
enum Shape {
    Int(i64),
    Var(VarId),
    At(u32, u32),
    Phase(i64),
    Select(VarId, Box<Shape>),
    Unary(UnOp, Box<Shape>),
    Binary(BinOp, Box<Shape>, Box<Shape>),
    Ite(Box<Shape>, Box<Shape>, Box<Shape>),
}

fn build(terms: &mut Terms, shape: &Shape) -> Term {
    match shape {
        Shape::Int(v) => terms.int(*v),
        Shape::Var(v) => terms.var(*v),
        Shape::At(p, l) => terms.at(clinch_terms::ProcId(*p), LocId(*l)),
        Shape::Phase(v) => {
            let (phase, value) = (terms.var(PHASE), terms.int(*v));
            terms.eq(phase, value)
        }
        Shape::Select(v, index) => {
            let (array, index) = (terms.var(*v), build(terms, index));
            terms.select(array, index)
        }
        Shape::Unary(op, a) => {
            let a = build(terms, a);
            terms.unary(*op, a)
        }
        Shape::Binary(op, a, b) => {
            let (a, b) = (build(terms, a), build(terms, b));
            terms.binary(*op, a, b)
        }
        Shape::Ite(c, a, b) => {
            let (c, a, b) = (build(terms, c), build(terms, a), build(terms, b));
            terms.ite(c, a, b)
        }
    }
}

fn boxed(shape: impl Strategy<Value = Shape>) -> impl Strategy<Value = Box<Shape>> {
    shape.prop_map(Box::new)
}

/// Integer (`.0`) and Boolean (`.1`) terms of limited depth; each may contain the other.
fn shapes(depth: u32) -> (BoxedStrategy<Shape>, BoxedStrategy<Shape>) {
    use BinOp::{Add, And, BitAnd, BitOr, BitXor, Div, Eq, Le, Lt, Mul, Or, Rem, Shl, Shr, Sub};
    let constants = prop_oneof![-9..9i64, Just(i64::MIN), Just(i64::MAX)].prop_map(Shape::Int);
    let int_leaf = prop_oneof![constants, Just(Shape::Var(X)), Just(Shape::Var(Y)), Just(Shape::Var(VarId(6)))].boxed();
    let locations = prop_oneof![Just((0, 0)), Just((0, 1)), Just((1, 0)), Just((2, 0))];
    let at = locations.prop_map(|(p, l)| Shape::At(p, l));
    let bool_leaf = prop_oneof![Just(Shape::Var(B)), at, (0..2i64).prop_map(Shape::Phase)].boxed();
    if depth == 0 {
        return (int_leaf, bool_leaf);
    }
    let (int, truth) = shapes(depth - 1);
    let (int, truth) = (|| boxed(int.clone()), || boxed(truth.clone()));
    let arithmetic = proptest::sample::select(vec![Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr]);
    let ints = prop_oneof![
        1 => int_leaf,
        1 => int().prop_map(|i| Shape::Select(A, i)),
        1 => (proptest::sample::select(vec![UnOp::Neg, UnOp::BitNot]), int()).prop_map(|(op, a)| Shape::Unary(op, a)),
        1 => truth().prop_map(|a| Shape::Unary(UnOp::BoolToInt, a)),
        4 => (arithmetic, int(), int()).prop_map(|(op, a, b)| Shape::Binary(op, a, b)),
        1 => (truth(), int(), int()).prop_map(|(c, a, b)| Shape::Ite(c, a, b)),
    ];
    let comparison = proptest::sample::select(vec![Eq, Le, Lt]);
    let logical = proptest::sample::select(vec![And, Or, Eq]);
    let truths = prop_oneof![
        1 => bool_leaf,
        1 => int().prop_map(|i| Shape::Select(C, i)),
        2 => truth().prop_map(|a| Shape::Unary(UnOp::Not, a)),
        3 => (comparison, int(), int()).prop_map(|(op, a, b)| Shape::Binary(op, a, b)),
        3 => (logical, truth(), truth()).prop_map(|(op, a, b)| Shape::Binary(op, a, b)),
        1 => (truth(), truth(), truth()).prop_map(|(c, a, b)| Shape::Ite(c, a, b)),
    ];
    (ints.boxed(), truths.boxed())
}

fn states() -> impl Strategy<Value = State> {
    let locs = (0..2u32, 0..2u32).prop_map(|(a, b)| vec![LocId(a), LocId(b), LocId(0)]);
    // x, y, a[3], b, c[2], p, and the local variable of both instances of P.
    let numbers = proptest::collection::vec(-4..5i64, 5);
    let truths = proptest::collection::vec(0..2i64, 4);
    let locals = proptest::collection::vec(-4..5i64, 2);
    let cells = (numbers, truths, locals).prop_map(|(a, b, c)| [a, b, c].concat());
    (locs, cells).prop_map(|(locs, cells)| State { locs, cells })
}

fn read_predicate(text: String) -> Program {
    let options = Options { predicates: vec![text.clone()], ..Options::default() };
    read(Language::Gcl, MODEL, &options).unwrap_or_else(|d| panic!("{text}\n{}", d.render(false)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(400)))]

    #[test]
    fn printed_terms_are_read_back(shape in shapes(4).1, states in proptest::collection::vec(states(), 10)) {
        let program = crate::read_ok(Language::Gcl, MODEL);
        let mut terms = program.terms.clone();
        let term = build(&mut terms, &shape);
        let text = show(&program, &terms, term);
        let again = read_predicate(text.clone());
        let before = Evaluator::with_terms(&program, &terms);
        let after = Evaluator::new(&again);
        for state in &states {
            prop_assert_eq!(before.value(term, state), after.value(again.predicates[0], state), "{}", text);
        }
        // Printing what was read gives the same text but for what the parser folds.
        let text = show(&again, &again.terms, again.predicates[0]);
        let third = read_predicate(text.clone());
        prop_assert_eq!(show(&third, &third.terms, third.predicates[0]), text);
    }
}
