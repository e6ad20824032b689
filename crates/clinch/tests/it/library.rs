//! The C library: what is modelled, what is open, what has no verdict.

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

/// The value of a floating-point number that is read is not known, but where it ends is.
#[test]
fn floating_point_numbers_end_where_they_should() {
    let ends = [
        (" -12.5e+3x", "x"),
        ("1.e5", ""),
        ("7e+", "e+"),
        (".5.", "."),
        ("0x1.8p-2z", "z"),
        ("0x1p", "p"),
        ("0xg", "xg"),
        ("Infinite", "inite"),
        ("nan(a_1)z", "z"),
        ("NAN(", "("),
        (" .", " ."),
        ("+", "+"),
    ];
    let checks: String =
        ends.iter().map(|(text, end)| format!("strtod(\"{text}\", &e); assert(!strcmp(e, \"{end}\"));\n")).collect();
    let text = format!(
        "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) {{ char *e;\n{checks}return 0; }}\n"
    );
    is_safe(&text, &["auto"]);
    // The real library says the same.
    let folder = tempfile::tempdir().expect("a folder");
    let (file, program) = (folder.path().join("p.c"), folder.path().join("p"));
    std::fs::write(&file, &text).expect("written");
    let made =
        std::process::Command::new("cc").args(["-w", "-o"]).arg(&program).arg(&file).status().expect("a compiler");
    assert!(made.success() && std::process::Command::new(&program).status().expect("a program").success(), "{text}");
    let value =
        "#include <assert.h>\n#include <stdlib.h>\nint main(void) { assert(strtod(\"1\", 0) == 1); return 0; }\n";
    assert_eq!(verdict_within(value, "auto", "3s").0, 2);
}
