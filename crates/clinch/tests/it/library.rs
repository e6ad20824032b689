//! The C library: what is modelled, what is open, what has no verdict.

use crate::c::on_text;
use crate::{clinch, code, stderr, stdout};

/// What clinch says first of a program, and its exit code.
fn verdict(text: &str, engine: &str) -> (i32, String) {
    verdict_within(text, engine, "20s")
}

fn verdict_within(text: &str, engine: &str, timeout: &str) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("written");
    let output = clinch(&["check", &file.display().to_string(), "--engine", engine, "--timeout", timeout]);
    (code(&output), stdout(&output) + &stderr(&output))
}

fn is_safe(text: &str, engines: &[&str]) {
    for engine in engines {
        let (code, said) = verdict(text, engine);
        assert_eq!(code, 0, "{engine}: {said}");
    }
}

fn has_no_verdict(text: &str, reason: &str) {
    for engine in ["auto", "bounded", "cegar", "explicit"] {
        let (code, said) = verdict(text, engine);
        assert!(code == 2 && said.contains(reason), "{engine}: {said}");
    }
}

#[test]
fn literals_have_their_contents_in_every_engine() {
    let text =
        "#include <assert.h>\nint main(void) { const char *s = \"ok\"; assert(s[0] == 'o' && s[2] == 0); return 0; }\n";
    is_safe(text, &["bounded", "lazy", "cegar", "explicit", "spacer", "spds"]);
    let table = "#include <assert.h>\nstatic const char *const names[] = {\"no\", \"yes\"};\nextern int __VERIFIER_nondet_int(void);\nint main(void) { int b = !!__VERIFIER_nondet_int(); assert(names[b][1] == (b ? 'e' : 'o')); return 0; }\n";
    is_safe(table, &["bounded", "cegar"]);
}

#[test]
fn equal_literals_may_be_one_object() {
    let equal = "#include <assert.h>\nint main(void) { char *s = \"abc\", *t = \"abc\"; assert(s != t); return 0; }\n";
    has_no_verdict(equal, "whether two string literals are one object");
    let different =
        "#include <assert.h>\nint main(void) { char *s = \"abc\", *t = \"abd\"; assert(s != t); return 0; }\n";
    is_safe(different, &["auto"]);
}

#[test]
fn what_is_not_modelled_has_no_verdict_where_it_is_called() {
    let called = "#include <assert.h>\n#include <math.h>\nint main(void) { int e = 7; remquo(8.0, 3.0, &e); assert(e == 7); return 0; }\n";
    has_no_verdict(called, "call of `remquo`, a library function that is not modelled");
    let not_called = "#include <assert.h>\n#include <math.h>\nint main(void) { int e = 7; if (e != 7) remquo(8.0, 3.0, &e); assert(e == 7); return 0; }\n";
    is_safe(not_called, &["auto", "bounded", "cegar"]);
    let stored = "#include <assert.h>\n#include <stdio.h>\nint main(void) { int n = 0; printf(\"abc%n\", &n); assert(n == 0); return 0; }\n";
    has_no_verdict(stored, "`%n`");
    for (format, reason) in
        [("abc%In", "`%n`"), ("%1$*2$hhn", "`%n`"), ("%'.3Zn", "`%n`"), ("%y", "output with this format")]
    {
        has_no_verdict(&stored.replace("abc%n", format), reason);
    }
    let read = "#include <assert.h>\n#include <stdio.h>\nint main(void) { long n = 0; scanf(\"%hld\", &n); assert(n == 0); return 0; }\n";
    has_no_verdict(read, "input to memory with this format");
}

#[test]
fn harmless_functions_return_what_the_standard_says() {
    let text = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(void) { int c = getchar(), r = rand(); assert(c >= -1 && c <= 255 && r >= 0); return 0; }\n";
    is_safe(text, &["auto", "bounded", "cegar"]);
    let errno = "#include <assert.h>\n#include <errno.h>\n#include <unistd.h>\nint main(void) { errno = 0; close(3); assert(errno == 0); return 0; }\n";
    assert_eq!(verdict(errno, "auto").0, 2);
}

#[test]
fn errno_is_open_after_a_call_that_may_set_it() {
    let after = |call: &str| {
        format!(
            "#include <assert.h>\n#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\nint main(void) {{ char b[8]; struct timespec t; errno = 0; {call}; assert(errno == 0); return 0; }}\n"
        )
    };
    let open = [
        "read(-1, b, 4)",
        "fgets(b, 4, stdin)",
        "fread(b, 1, 4, stdin)",
        "clock_gettime(12345, &t)",
        "calloc((size_t)-1, 16)",
        "malloc((size_t)-1 >> 1)",
        "sscanf(\"99999999999999999999\", \"%hhd\", (signed char *)b)",
        "printf(\"x\")",
        "perror(\"x\")",
    ];
    for call in open {
        assert_eq!(verdict_within(&after(call), "auto", "2s").0, 2, "{call}");
    }
    // Before it succeeds, an allocation may have tried in vain.
    for call in ["malloc(4)", "realloc(malloc(4), 8)", "calloc(2, 2)"] {
        assert_eq!(verdict_within(&after(call), "auto", "2s").0, 2, "{call}");
    }
    is_safe(&after("atoi(\"12\")"), &["auto"]);
}

#[test]
fn a_variable_of_the_environment_has_one_value() {
    let text = |second: &str, claim: &str| {
        format!(
            "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) {{ char *p = getenv(\"A\"); char *q = getenv(\"{second}\"); assert({claim}); return 0; }}\n"
        )
    };
    is_safe(&text("A", "p == q"), &["auto", "bounded"]);
    is_safe(&text("B", "p != q || !p"), &["auto", "bounded"]);
    let message = "#include <assert.h>\n#include <string.h>\nint main(void) { char *p = strerror(2); char *q = strerror(2); assert(p == q); return 0; }\n";
    is_safe(message, &["auto", "bounded"]);
}

#[test]
fn the_library_calls_its_own_functions_but_the_programs_malloc() {
    let own = "#include <assert.h>\nint isalpha(int c) { return 0; }\nint isalnum(int);\nint main(void) { assert(isalnum('b') && !isalpha('b')); return 0; }\n";
    is_safe(own, &["auto", "bounded"]);
    let malloc = "#include <assert.h>\n#include <string.h>\nstatic char pool[8];\nvoid *malloc(size_t n) { return pool; }\nint main(void) { assert(strdup(\"a\") == pool && pool[0] == 'a'); return 0; }\n";
    is_safe(malloc, &["auto", "bounded"]);
}

#[test]
fn a_block_that_cannot_grow_stays() {
    let text = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { int *p = malloc(sizeof *p); *p = 7; int *q = realloc(p, 1ul << 62); assert(!q && *p == 7); free(p); return 0; }\n";
    is_safe(text, &["auto", "bounded", "explicit"]);
}

#[test]
fn the_models_are_as_precise_as_the_program() {
    let numbers = "#include <assert.h>\n#include <errno.h>\n#include <stdlib.h>\nint main(void) {\n    char *end;\n    assert(strtol(\" -12x\", &end, 10) == -12 && *end == 'x');\n    errno = 0;\n    strtol(\"99999999999999999999\", 0, 10);\n    assert(errno == ERANGE);\n    return 0;\n}\n";
    is_safe(numbers, &["auto", "bounded", "explicit"]);
    let characters = "#include <assert.h>\n#include <ctype.h>\nextern unsigned char __VERIFIER_nondet_uchar(void);\nint main(void) { int c = __VERIFIER_nondet_uchar(); if (isdigit(c)) assert(c >= '0' && c <= '9'); return 0; }\n";
    is_safe(characters, &["auto", "bounded", "cegar", "explicit"]);
    let end = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { char *end = 0; strtol(\"12x\", &end, 10); assert(end == 0); return 0; }\n";
    assert_eq!(verdict(end, "auto").0, 1);
    let copied = "#include <assert.h>\n#include <string.h>\nvoid *(*copy)(void *, const void *, size_t) = memcpy;\nint x, y;\nint main(void) { int *p = &x, *q = &y; copy(&p, &q, sizeof p); *p = 5; assert(y == 0); return 0; }\n";
    for engine in ["auto", "bounded", "explicit"] {
        assert_eq!(verdict(copied, engine).0, 1, "{engine}");
    }
}

#[test]
fn arguments_of_main_are_texts() {
    let text = "#include <assert.h>\n#include <string.h>\nint main(int argc, char **argv) {\n    if (argc > 1) assert(argv[1] != 0 && strlen(argv[1]) < 16);\n    assert(argc >= 0 && argv[argc] == 0);\n    return 0;\n}\n";
    let (code, said) = verdict(text, "auto");
    assert!(
        code == 0 && said.contains("`main` gets its name and at most 3 more arguments, of at most 15 characters each"),
        "{said}"
    );
}

#[test]
fn only_the_sign_of_a_comparison_counts() {
    let sign = "#include <assert.h>\n#include <string.h>\nint main(void) { int r = strcmp(\"a\", \"c\"); assert(r < 0); return 0; }\n";
    is_safe(sign, &["auto", "bounded"]);
    let magnitude = "#include <assert.h>\n#include <string.h>\nint main(void) { int r = strcmp(\"a\", \"c\"); assert(r == -1); return 0; }\n";
    assert_ne!(verdict(magnitude, "auto").0, 0);
}

#[test]
fn a_block_of_no_bytes_may_be_null() {
    let text = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { assert(malloc(0) != 0); return 0; }\n";
    assert_ne!(verdict(text, "auto").0, 0);
    let calloc = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { size_t n = (size_t)1 << 62; assert(calloc(n, 8) == 0); return 0; }\n";
    is_safe(calloc, &["bounded"]);
}

#[test]
fn functions_for_the_exit_run() {
    let text = "#include <stdlib.h>\nextern void reach_error(void);\nstatic int left;\nstatic void last(void) { if (left) reach_error(); }\nint main(void) { atexit(last); left = 1; return 0; }\n";
    assert_eq!(verdict(text, "auto").0, 1);
}

/// What goes wrong in a function of the library is the mistake of the call, and each call makes its own.
#[test]
fn errors_in_the_library_are_those_of_calls() {
    let text = "#define _GNU_SOURCE\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n  char small[4], big[16];\n  \
                stpcpy(big, \"hello\");\n  if (__VERIFIER_nondet_int())\n    stpcpy(small, \"hello\");\n  stpcpy(small, \"hey\");\n  \
                stpcpy(small + 1, \"hey\");\n  return 0;\n}\n";
    let (code, shown) = on_text("check", text, &["--check", "memory"]);
    assert!(code == 1 && !shown.contains("<clinch:string.c>:93:"), "{shown}");
    for failing in ["program.c:8:5   FAILS    invalid write: stpcpy(small, \"hello\")", "program.c:10:3  FAILS"] {
        assert!(shown.contains(failing), "{shown}");
    }
    assert!(shown.contains("UNSAFE: 2 of"), "{shown}");
    assert!(!shown.contains("program.c:6:3   FAILS") && !shown.contains("program.c:9:3   FAILS"), "{shown}");
}

/// A function that is written out where it is called asks for nothing in the eyes of its caller.
#[test]
fn copies_are_steps_without_conditions() {
    let text = "#include <string.h>\nint main(int argc, char **argv) {\n  char name[8];\n  if (argc > 1)\n    strcpy(name, argv[1]);\n  return 0;\n}\n";
    let (code, shown) = on_text("check", text, &["--check", "memory", "--trace", "full"]);
    assert!(code == 1 && shown.contains("FAILS    invalid write: strcpy(name, argv[1])"), "{shown}");
    assert!(shown.contains("name[7] = 1") && !shown.contains("strcpy(name, argv[1]) +"), "{shown}");
}

/// The texts that `sprintf` and its relatives write are known to the character.
#[test]
fn formatted_output_to_memory() {
    let head = "#include <stdio.h>\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) { char b[64]; int n = 0;\n";
    let right = "n = sprintf(b, \"%5d|%-4u|%03x|%c|%s|%%|%lld|%o|%5.2s|%hhd\", -12, 7u, 10, 'q', \"hey\", -5000000000ll, 8, \"xyz\", 300);\n\
                 if (n != 46 || strcmp(b, \"  -12|7   |00a|q|hey|%|-5000000000|10|   xy|44\")) return 1 / (n - n);\n\
                 n = snprintf(b, 5, \"%08X\", 0xabcdu); return n != 8 || strcmp(b, \"0000\") ? 1 / (n - n) : 0; }\n";
    let (code, shown) = on_text("check", &format!("{head}{right}"), &["--check", "memory,arithmetic"]);
    assert_eq!(code, 0, "{shown}");
    let (code, shown) =
        on_text("check", &format!("{head}{}", right.replace("!= 46", "!= 44")), &["--check", "memory,arithmetic"]);
    assert!(
        code == 1 && shown.contains("confirmed by execution: UndefinedBehaviorSanitizer: division by zero"),
        "{shown}"
    );
    let long =
        "char c[LIMIT]; n = __VERIFIER_nondet_int(); if (n < 0) return 0; sprintf(c, \"%u\", n % 1000); return 0; }\n";
    let (code, shown) = on_text("check", &format!("{head}{}", long.replace("LIMIT", "4")), &["--check", "memory"]);
    assert_eq!(code, 0, "{shown}");
    let (code, shown) = on_text("check", &format!("{head}{}", long.replace("LIMIT", "3")), &["--check", "memory"]);
    assert!(code == 1 && shown.contains("invalid write: sprintf(c, \"%u\", n % 1000)"), "{shown}");
    assert!(shown.contains("AddressSanitizer: stack-buffer-overflow"), "{shown}");
    // A program may have its own.
    let own = "int sprintf(char *to, const char *format, ...) { *to = 1; return 0; }\nint main(void) { char b[1]; return sprintf(b, \"%d\", 100); }\n";
    assert_eq!(on_text("check", own, &["--check", "memory"]).0, 0);
}

/// Functions without body may write where their pointers lead, on request: not into what is constant, and not beyond the object.
#[test]
fn functions_without_body_may_write() {
    let text = "struct p { int x; char name[4]; struct p *next; }; typedef struct { int i; } T;\n\
                int fill(struct p *p, const int *kept, T *t); void get(char *buf, unsigned n);\n\
                int main(void) { struct p p = { 1, \"abc\", &p }; int kept = 3; T t = { 4 }; char buf[8] = \"hello\";\n\
                fill(&p, &kept, &t); get(buf, 8); BODY }\n";
    let with = |body: &str, args: &[&str]| {
        on_text("check", &text.replace("BODY", body), &[&["--timeout", "20s"], args].concat())
    };
    for (body, error) in [
        ("return 10 / (p.x - 5);", "division by zero"),
        ("return 10 / (t.i - 5);", "division by zero"),
        ("int n = 0; while (buf[n]) n++; return n;", "invalid read: buf[n]"),
    ] {
        let (code, shown) = with(body, &["--extern", "writes", "--check", "memory,arithmetic"]);
        assert!(code == 1 && shown.contains(error) && shown.contains("confirmed by execution"), "{body}\n{shown}");
        let (code, shown) = with(body, &["--check", "memory,arithmetic"]);
        assert!(code == 0 && shown.contains("it returns any value and changes nothing"), "{body}\n{shown}");
    }
    let (code, shown) = with(
        "return 10 / kept + (p.next == &p ? p.next->name[0] : 10 / (kept - 4));",
        &["--extern", "writes", "--check", "memory,arithmetic"],
    );
    assert!(code == 0 && shown.contains("writes any numbers where its pointers lead"), "{shown}");
    let (code, shown) = with("return 0;", &["--extern", "writes", "--check", "assertions"]);
    assert_eq!(code, 64, "{shown}");
    assert!(shown.contains("error: --extern writes needs checks of memory: --check memory, or none given"), "{shown}");
    // What there are no words for is not modelled.
    let (code, shown) = on_text(
        "check",
        "int f(); int main(void) { int x = 1; f(&x); return 1 / x; }",
        &["--extern", "writes", "--check", "memory,arithmetic"],
    );
    assert!(code == 2 && shown.contains("what `f`, which has no body, writes through its arguments"), "{shown}");
}
