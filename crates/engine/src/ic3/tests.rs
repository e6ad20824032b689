//! Tests: small programs with known verdicts, random ones against `explicit`. Every verdict is re-checked.

use std::time::Duration;

use clinch_certify::{check_input_trace, check_invariants};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::explicit::{RunsConfig, check_runs};
use crate::{Silent, testing};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
    extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);\n";

fn program(text: &str) -> CfaProgram {
    testing::program(&format!("{HEAD}{text}"))
}

/// The verdict, whose evidence is checked: true for safe.
fn verdict(program: &CfaProgram) -> Result<bool, Reason> {
    let budget = Budget::unlimited().with_max_iterations(Some(80)).with_timeout(Some(Duration::from_secs(120)));
    match check(program, &budget, &mut Silent).0 {
        CfaVerdict::Safe(CfaProof::Invariants(proof)) => {
            check_invariants(program, &proof, &|| false).expect("a proof is accepted");
            Ok(true)
        }
        CfaVerdict::Safe(_) => unreachable!("proofs are invariants"),
        CfaVerdict::Unsafe(trace) => {
            check_input_trace(program, &trace, &|| false).expect("a trace is accepted");
            Ok(false)
        }
        CfaVerdict::Unknown(reason) => Err(reason),
    }
}

#[track_caller]
fn decides(text: &str, safe: bool) {
    assert_eq!(verdict(&program(text)), Ok(safe), "{text}");
}

#[test]
fn loops_without_end_have_invariants() {
    decides("int main() { unsigned x = 0; while (1) { if (x % 2) reach_error(); x += 2; } }", true);
    decides("int main() { unsigned char x = 0; while (1) { if (x == 40) reach_error(); x += 2; } }", false);
    let counter =
        "int main() { unsigned char i = 0; while (1) { i++; if (i == 6) i = 0; if (i == 9) reach_error(); } }";
    decides(counter, true);
    decides(&counter.replace("i == 9", "i == 5"), false);
}

#[test]
fn inputs_and_calls_are_part_of_a_run() {
    let text = "static unsigned char level; static void step(_Bool up) { if (up && level < 5) level++; else if (level > 0) level--; }
        int main() { while (1) { step(__VERIFIER_nondet_bool()); step(__VERIFIER_nondet_bool()); if (level > 6) reach_error(); } }";
    decides(text, true);
    decides(&text.replace("level > 6", "level == 5"), false);
    // What decides was read long before.
    let early = "int main() { unsigned char secret = __VERIFIER_nondet_uchar(), i = 0; while (i < 20) i++;
        if (secret == 77) reach_error(); }";
    decides(early, false);
    decides(&early.replace("secret == 77", "i != 20"), true);
}

#[test]
fn cells_of_objects_are_variables() {
    let text = "unsigned char slots[4]; int main() { unsigned char i = 0;
        while (1) { slots[i] = (slots[i] + 2) % 8; i = (i + 1) % 4; if (slots[2] == 5) reach_error(); } }";
    decides(text, true);
    decides(&text.replace("slots[2] == 5", "slots[2] == 4"), false);
    let pointer = "unsigned char a = 1, b = 3; int main() { unsigned char *p = &a;
        while (1) { p = __VERIFIER_nondet_bool() ? &a : &b; *p ^= 2; if (a == 0) reach_error(); } }";
    decides(pointer, true);
    decides(&pointer.replace("a == 0", "a == 3 && b == 1"), false);
}

/// Of memory without fixed addresses nothing is known: no proof, and no run that is none.
#[test]
fn other_memory_may_be_anything() {
    let text = "extern void *malloc(unsigned long); int main() { unsigned char *p = malloc(1); *p = 1;
        while (1) { *p = 3 - *p; if (*p == 7) reach_error(); } }";
    let found = verdict(&program(text));
    assert!(!matches!(found, Ok(false)), "{found:?}");
    assert!(!matches!(verdict(&program(&text.replace("*p == 7", "*p == 2"))), Ok(true)));
}

#[test]
fn what_is_not_modelled_is_said() {
    let recursive = program("int f(int n) { return n > 0 ? f(n - 1) : 0; } int main() { if (f(3)) reach_error(); }");
    assert!(matches!(verdict(&recursive), Err(Reason::Recursion(_))));
}

/// A program over a few small variables.
fn random(rng: &mut Xoshiro256PlusPlus) -> String {
    let name = |rng: &mut Xoshiro256PlusPlus| ["a", "b", "c"][rng.random_range(0..3)];
    let value = |rng: &mut Xoshiro256PlusPlus| match rng.random_range(0..5) {
        0 => format!("(unsigned char)({} + {})", name(rng), rng.random_range(1..4)),
        1 => format!("{} ^ {}", name(rng), name(rng)),
        2 => format!("{} & 3", name(rng)),
        3 => "__VERIFIER_nondet_bool()".to_owned(),
        _ => format!("{}", rng.random_range(0..8)),
    };
    let mut body = String::new();
    for _ in 0..rng.random_range(2..6) {
        let (condition, other, assigned) = (name(rng), rng.random_range(0..8), name(rng));
        body += &format!("if ({condition} < {other}) {assigned} = {};\n", value(rng));
    }
    let (x, y) = (name(rng), name(rng));
    let (first, second) = (rng.random_range(0..10), rng.random_range(0..10));
    let both = if rng.random_bool(0.5) { "&&" } else { "||" };
    let error = format!("if ({x} == {first} {both} {y} == {second}) reach_error();");
    format!("unsigned char a, b = 1, c = 2; int main() {{ while (a < 9) {{ {body} {error} }} }}")
}

#[test]
fn random_programs_are_decided_as_explicit_does() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(20_11);
    let (mut decided, mut safe) = (0, 0);
    for _ in 0..120 {
        let text = random(&mut rng);
        let program = program(&text);
        let expected = match check_runs(&program, &RunsConfig::default(), &Budget::unlimited(), &mut Silent).0 {
            CfaVerdict::Safe(_) => true,
            CfaVerdict::Unsafe(_) => false,
            CfaVerdict::Unknown(_) => continue,
        };
        let found = verdict(&program);
        // Some errors are as many iterations away as a byte has values.
        if found == Err(Reason::Iterations(80)) {
            continue;
        }
        assert_eq!(found, Ok(expected), "{text}");
        (decided, safe) = (decided + 1, safe + u32::from(expected));
    }
    assert!(decided >= 100 && safe >= 20 && decided - safe >= 20, "{decided} {safe}");
}
