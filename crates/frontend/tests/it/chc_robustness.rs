//! No script makes the reader of Horn clauses panic, overflow the stack, or take forever.

use std::time::{Duration, Instant};

use clinch_frontend::{Language, Options, ReadError, read};
use clinch_ir::horn::to_smtlib;

use crate::chc::{check_invariants, read_chc};

const SCRIPT: &str = "(set-logic HORN) ; a comment
(declare-fun |P 1| (Int (Array Int Int)) Bool) (declare-fun q () Bool) (declare-rel R (Real Bool)) (declare-var v Int)
(define-fun f ((x Int) (b Bool)) Int (ite b (+ x 1) (- (* 2 x) (div x (- 3)) (mod x 7) (abs x) 123456789012345678901)))
(define-fun g ((x Int)) Bool (exists ((y Int)) (and (|P 1| y ((as const (Array Int Int)) 0)) (> x y))))
(assert (forall ((x Int) (a (Array Int Int))) (let ((y (f x true)) (z (select a x)))
  (=> (and (|P 1| x a) (or q (g y)) (distinct x y z)) (|P 1| (f z (<= x y)) (store a x y))))))
(assert (forall ((r Real) (b Bool)) (or (not (R (/ r 2.0) b)) (! (xor b (< r 1.5)) :named n) (not q) (R 0.5 (not b)))))
(rule (=> (and (g v) (= q (< v 0))) q)) (query q) (check-sat) (get-model) (exit)";

/// A pseudo-random sequence that is the same on every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound.max(1)
    }
}

/// Symbols, numbers, parentheses and what is between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let single = !first.is_ascii_alphanumeric();
        let length = if single {
            first.len_utf8()
        } else {
            rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

/// A few changes of bytes or of tokens.
pub(crate) fn mutate(random: &mut Random, text: &str) -> Vec<u8> {
    let changes = 1 + random.below(4);
    if random.below(3) == 0 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..changes {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes.insert(at, random.below(256) as u8),
                _ => drop(bytes.remove(at)),
            }
        }
        return bytes;
    }
    let mut words = tokens(text);
    for _ in 0..changes {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(4) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other]),
            2 => words.swap(at, other),
            _ => words[at] = words[other],
        }
    }
    words.concat().into_bytes()
}

/// Reads, and prints what is read or why it is not.
pub(crate) fn survive(bytes: &[u8]) {
    match read(Language::Chc, "model", bytes, &Options::default()) {
        Ok(clinch_frontend::Input::Horn(system)) => {
            check_invariants(&system);
            let printed = to_smtlib(&system).expect("what is read can be printed");
            let again = read_chc(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
            assert_eq!(to_smtlib(&again).expect("printable"), printed);
        }
        Ok(_) => unreachable!("it is no program"),
        Err(ReadError::Bad(diagnostics)) => drop(diagnostics.render(true)),
        Err(ReadError::Unsupported(diagnostic)) => drop(diagnostic.render(true)),
    }
}

#[test]
fn the_script_to_mutate_is_fine() {
    let system = read_chc(SCRIPT).unwrap_or_else(|e| panic!("{e}"));
    assert!(system.clauses.len() >= 5);
    survive(SCRIPT.as_bytes());
}

#[test]
fn mutated_scripts() {
    let mut random = Random::new(1);
    for _ in 0..4000 {
        survive(&mutate(&mut random, SCRIPT));
    }
}

#[test]
fn cut_scripts() {
    (0..SCRIPT.len()).for_each(|end| survive(&SCRIPT.as_bytes()[..end]));
}

fn refusal(text: &str) -> String {
    read_chc(text).expect_err("it is not read").to_string()
}

#[test]
fn deep_nesting() {
    const DEEP: usize = 200_000;
    let nested = |open: &str, middle: &str, close: &str| {
        format!(
            "(declare-fun P (Int) Bool)\n(assert (forall ((x Int) (y Int)) {}{middle}{}))",
            open.repeat(DEEP),
            close.repeat(DEEP)
        )
    };
    assert!(refusal(&nested("(", "", ")")).contains("expected a function"));
    assert!(refusal(&nested("(+ x (* y ", "1", "))")).contains("nested deeper than"));
    assert!(refusal(&nested("(or (< x y) (and (< y x) ", "(P x)", "))")).contains("nested deeper than"));
    assert!(refusal(&nested("(forall ((x Int)) ", "(P x)", ")")).contains("nested deeper than"));
    assert!(refusal(&nested("(= x (+ x ", "1", "))")).contains("takes numbers"));
    assert!(refusal(&"(".repeat(10 * DEEP)).contains("never closed"));
    assert!(
        refusal(&format!("(declare-fun Q ({}Int{}) Bool)", "(Array Int ".repeat(DEEP), ")".repeat(DEEP)))
            .contains("a sort with more")
    );
    let fine = read_chc(&nested("(not ", "(not (P x))", ")")).expect("negations cancel out");
    assert_eq!(fine.clauses.len(), 1);
    let fine = read_chc(&nested("(let ((x y)) ", "(=> (P x) false)", ")")).expect("names cost nothing");
    assert_eq!(fine.clauses[0].vars.len(), 1);
    let chain = (0..DEEP).map(|i| format!("(define-fun f{} ((x Int)) Int (+ x (f{i} x)))", i + 1)).collect::<String>();
    let chain = format!("(define-fun f0 ((x Int)) Int x) {chain}");
    assert!(refusal(&chain).contains("nested deeper than"));
}

/// What is just not too deep is read, printed and read again, on the stack of a test thread.
#[test]
fn deep_terms_within_the_limit() {
    let open = "(+ x (* y ";
    let text = format!(
        "(declare-fun P (Int) Bool)\n(assert (forall ((x Int) (y Int)) (=> (< 0 x) (P {}x{}))))\n(assert (P 0))",
        open.repeat(990),
        "))".repeat(990)
    );
    survive(text.as_bytes());
}

/// Trees of exponential size, written with `let` or with functions.
#[test]
fn sharing_survives() {
    for operator in ["+", "*", "-"] {
        let lets: String = (1..60).map(|i| format!("(let ((a{i} ({operator} a{} a{})))\n", i - 1, i - 1)).collect();
        let text = format!(
            "(declare-fun P (Int) Bool)(assert (forall ((a0 Int)) {lets} (=> (< a59 a58) (P a59)){}))",
            ")".repeat(59)
        );
        let system = read_chc(&text).unwrap_or_else(|e| panic!("{e}"));
        assert!(system.terms.len() < 100);
        assert!(to_smtlib(&system).expect("printable").len() < 10_000);
        survive(text.as_bytes());
    }
    let lets: String =
        (1..60).map(|i| format!("(let ((a{i} (and (or a{} (P {i})) (or (Q {i}) a{}))))\n", i - 1, i - 1)).collect();
    let text = format!(
        "(declare-fun P (Int) Bool)(declare-fun Q (Int) Bool)(assert (let ((a0 (P 0))) {lets} (=> a59 false){}))",
        ")".repeat(60)
    );
    assert!(refusal(&text).contains("too many cases"), "{}", refusal(&text));
    let squares: String = (1..60).map(|i| format!("(let ((a{i} (* a{} a{})))\n", i - 1, i - 1)).collect();
    let text = format!("(assert (let ((a0 3)) {squares} (= a59 0){}))", ")".repeat(60));
    assert!(refusal(&text).contains("a constant with more than"));
    let doubling: String = (1..60)
        .map(|i| format!("(define-fun f{i} ((x Int)) Int (- (f{} (+ x {i})) (f{} (* 2 x))))", i - 1, i - 1))
        .collect();
    let text = format!("(define-fun f0 ((x Int)) Int x) {doubling}");
    assert!(refusal(&text).contains("more than"));
}

#[test]
fn large_scripts_are_read_in_no_time() {
    let start = Instant::now();
    let size = 10 << 20;
    let declarations = "(declare-fun P (Int) Bool)\n";
    let rule = "(assert (forall ((x Int) (y Int)) (=> (and (P x) (< x y) (= y (+ x 1))) (P y))))\n";
    let many = declarations.to_owned() + &rule.repeat(size / rule.len());
    assert_eq!(read_chc(&many).expect("it is read").clauses.len(), size / rule.len());
    let size = 2 << 20;
    let wide: String = (0..size / 40).map(|i| format!("(< {i} (+ x {i})) ")).collect();
    let wide = format!("{declarations}(assert (forall ((x Int)) (=> (P x) (and {wide}) (P 0))))");
    let system = read_chc(&wide).expect("it is read");
    assert_eq!(system.clauses.len(), 1);
    assert!(to_smtlib(&system).expect("printable").len() > size / 4);
    let bigs: String = (0..size / 60).map(|i| format!("(< x {}) ", i as u128 + (1 << 70))).collect();
    read_chc(&format!("(assert (forall ((x Int)) (=> (or {bigs}) false)))")).expect("it is read");
    let names: String = (0..size / 40).map(|i| format!("(declare-fun p{i} (Int Int) Bool)\n")).collect();
    assert_eq!(read_chc(&names).expect("it is read").predicates.len(), size / 40);
    let variables: String = (0..size / 20).map(|i| format!("(x{i} Int) ")).collect();
    read_chc(&format!("(assert (forall ({variables}) (< x0 x1)))")).expect("it is read");
    let bodies: String = (0..size / 20).map(|i| format!("(P {i}) ")).collect();
    assert!(refusal(&format!("{declarations}(assert (=> (and {bodies}) false))")).contains("predicates"));
    assert!(refusal(&format!("{declarations}(assert (and {bodies}))")).contains("too many cases"));
    assert!(refusal(&format!("(assert (= {}))", "1".repeat(size))).contains("digits"));
    assert!(refusal(&")".repeat(size)).contains("`)` without `(`"));
    assert!(refusal(&"\u{e9} ".repeat(size / 2)).contains("expected a command"));
    assert!(refusal(&format!("(assert {})", "x".repeat(size))).contains("not declared"));
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}
