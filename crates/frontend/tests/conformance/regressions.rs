//! Disagreements that were found, each as a small program with what gcc's prints.

use crate::interpret::interpret;
use crate::outcome::{End, Outcome};

/// Checks what a program prints and its exit status.
fn check(text: &str, inputs: &[u64], stdout: &str, status: i32) {
    let text = format!("extern int printf(const char *, ...);\nextern int __VERIFIER_nondet_int(void);\n{text}");
    let expected = Outcome { stdout: stdout.as_bytes().to_owned(), end: End::Exit(status) };
    let outcome = interpret(&text, inputs);
    assert_eq!(outcome, expected, "printed: {}", String::from_utf8_lossy(&outcome.stdout));
}

#[test]
fn conjunction_after_an_increment_is_no_label_address() {
    check(
        "int main(void) { int a = 1, b = 0; if (a++ && b++) return 9; int c = (int){ 5 } && a--; return a * 4 + b + c; }",
        &[],
        "",
        6,
    );
}

#[test]
fn alignment_of_a_type_name() {
    check("typedef short t; int main(void) { return _Alignof(t) + sizeof(t) + sizeof(__typeof__(t)); }", &[], "", 6);
}
