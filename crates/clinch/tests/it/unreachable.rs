//! Code that no run reaches.

use serde_json::Value;

use crate::c::on_text;

/// Code that no run reaches: by constants, by values, by loops and calls that do not end; what is reached is not told.
#[test]
fn unreachable_code_is_found_with_proof() {
    let text = "void exit(int);
extern int __VERIFIER_nondet_int(void);
static int never(int x) { return x; }
int clamp(int x) {
  if (x > 10) x = 10;
  if (x > LIMIT) {
    x = 5;
    if (x == 5) x = 6;
  }
  return x;
}
void leave(int code) { exit(code); }
int main(void) {
  int x = __VERIFIER_nondet_int(), y = clamp(x);
  if (x == 123456789) y = 1;
  if (0) { y = 2; }
  leave(y);
  return 1;
}
";
    let (code, shown) = on_text("check", &text.replace("LIMIT", "20"), &["--check", "unreachable"]);
    let expected = "UNREACHABLE: 5 pieces of code, 10 are reached (auto, T s)
  program.c:3:12  never reached  the function never, which is never called
  program.c:7:5  never reached  x = 5 (and 1 behind it)
  program.c:16:12  never reached  y = 2
  program.c:18:3  never reached  return 1;
evidence: for what is never reached a proof, re-checked; for the rest a run each
";
    assert_eq!((code, shown.as_str()), (1, expected));
    let (code, shown) = on_text("check", &text.replace("LIMIT", "9"), &["--check", "unreachable", "--json"]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let lines: Vec<&Value> = shown["unreachable"].as_array().expect("a list").iter().map(|p| &p["line"]).collect();
    assert_eq!(code, 1);
    assert_eq!(lines, [3, 16, 18]);
    let all = "int main(void) { for (int i = 0; i < 3; i++) if (i == 2) return 1; }";
    let (code, shown) = on_text("check", all, &["--check", "unreachable"]);
    // The loop is never left by its condition, but no code is behind it.
    assert_eq!((code, shown.as_str()), (0, "REACHED: all 3 pieces of code (auto, T s)\n"));
    let (code, shown) = on_text("check", all, &["--check", "unreachable,memory"]);
    assert_eq!((code, shown.as_str()), (64, "error: --check unreachable does not go with the other checks\n"));
}
