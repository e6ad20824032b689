//! Dynamic memory: lists and trees, by recursion; what the heap has no room for.

use super::*;

const LIST: &str = "extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long);\n\
                    extern void free(void *);\n\
                    struct node { int data; struct node *next; };\n\
                    struct node *build(int n) {\n\
                      if (n <= 0) return 0;\n\
                      struct node *p = malloc(sizeof(struct node));\n\
                      p->data = 1; p->next = build(n - 1); return p; }\n\
                    int sum(struct node *p) { if (p == 0) return 0; return p->data + sum(p->next); }\n";

fn none(int_bits: Option<u32>, heap_bits: u32) -> Config {
    Config { int_bits, heap_bits, abstraction: Abstraction::None, ..small() }
}

#[track_caller]
fn says(text: &str, config: &Config, safe: Option<bool>) {
    let (found, _) = verdict(&program(text), config);
    assert_eq!(found, safe, "{config:?}\n{text}");
}

#[track_caller]
fn reason(text: &str, config: &Config) -> String {
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(60)));
    match check(&program(text), config, &budget, &mut Silent).0 {
        CfaVerdict::Unknown(reason) => reason.to_string(),
        CfaVerdict::Safe(_) => panic!("safe\n{text}"),
        CfaVerdict::Unsafe(_) => panic!("unsafe\n{text}"),
    }
}

#[test]
fn recursive_lists() {
    let safe = format!(
        "{LIST} int main() {{ int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0;\n\
         if (sum(build(n)) != n) reach_error(); }}"
    );
    says(&safe, &none(Some(4), 512), Some(true));
    says(&safe, &none(None, 512), Some(true));
    let bug = safe.replace("!= n", "== 2");
    says(&bug, &none(Some(4), 512), Some(false));
    says(&bug, &none(None, 512), Some(false));
}

/// A heap of two blocks is too small for lists of three: neither safe nor unsafe, but an error within it is found.
#[test]
fn exhausted_heaps() {
    let text = format!(
        "{LIST} int main() {{ int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0;\n\
         if (sum(build(n)) == 4) reach_error(); }}"
    );
    let why = reason(&text, &none(Some(4), 256));
    assert!(why.contains("safe for a heap of 256 bits and 4-bit integers, but the program may need more"), "{why}");
    says(&text, &none(Some(4), 384), Some(true));
    says(&text.replace("== 4", "== 2"), &none(Some(4), 256), Some(false));
    let why = reason(&text, &Config { abstraction: Abstraction::Both, ..none(None, 64) });
    assert!(why.contains("safe for a heap of 64 bits, but"), "{why}");
}

#[test]
fn trees() {
    let text = "extern void *malloc(unsigned long); struct tree { int key; struct tree *left, *right; };\n\
                struct tree *insert(struct tree *t, int key) {\n\
                  if (t == 0) { t = malloc(sizeof(struct tree)); t->key = key; t->left = 0; t->right = 0; return t; }\n\
                  if (key < t->key) t->left = insert(t->left, key);\n\
                  else if (key > t->key) t->right = insert(t->right, key);\n\
                  return t; }\n\
                int size(struct tree *t) { if (t == 0) return 0; return 1 + size(t->left) + size(t->right); }\n\
                int main() { struct tree *t = insert(0, 2); int x = __VERIFIER_nondet_bool();\n\
                  t = insert(t, x); t = insert(t, 3); if (size(t) != 3) reach_error(); }";
    says(text, &none(Some(4), 576), Some(true));
    says(&text.replace("insert(t, 3)", "insert(t, 1)"), &none(Some(4), 576), Some(false));
}

/// Locals of recursive functions whose addresses are taken are on a stack that calls give back.
#[test]
fn addressed_locals_of_recursive_functions() {
    let text = "void put(int *p, int v) { *p = v; }\n\
                int f(int n) { int x; if (n == 0) return 0; put(&x, n); f(n - 1); f(n - 1); if (x != n) reach_error(); return x; }\n\
                int main() { if (f(2) != 2) reach_error(); }";
    says(text, &none(Some(4), 96), Some(true));
    says(&text.replace("f(2) != 2", "f(2) == 2"), &none(Some(4), 96), Some(false));
    assert!(reason(text, &none(Some(4), 64)).contains("safe for a heap"));
}

#[test]
fn contents_of_fresh_memory() {
    let head = "extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long);\n";
    let zeros = format!("{head} int main() {{ int *p = calloc(1, sizeof(int)); if (*p != 0) reach_error(); }}");
    says(&zeros, &none(None, 64), Some(true));
    let any = zeros.replace("calloc(1, sizeof(int))", "malloc(sizeof(int))").replace("!= 0", "== 77");
    says(&any, &none(None, 64), Some(false));
    let pointer = format!(
        "{head} struct s {{ struct s *next; int x; }};\n\
         int main() {{ struct s *p = malloc(sizeof(struct s)); struct s *q = malloc(sizeof(struct s)); p->next = q;\n\
         if (q->next == p) reach_error(); }}"
    );
    says(&pointer, &none(None, 512), Some(false));
    says(
        &pointer.replace("q->next == p", "q->next != p && q->next != q && q->next != 0"),
        &none(None, 512),
        Some(false),
    );
}

/// Undefined behaviour is no verdict.
#[test]
fn accesses_outside() {
    let text = format!("{LIST} int main() {{ struct node *p = build(1); if (p->next->data == 5) reach_error(); }}");
    let why = reason(&text, &none(Some(4), 512));
    assert!(why.contains("memory is accessed outside of all objects"), "{why}");
    let text = "extern void *malloc(unsigned long);\n\
                int main() { int *a = malloc(4 * sizeof(int)); int i; for (i = 0; i <= 4; i++) a[i] = i;\n\
                if (a[3] != 3) reach_error(); }";
    assert!(reason(text, &none(Some(4), 256)).contains("outside of all objects"));
    says(&text.replace("i <= 4", "i < 4"), &none(Some(4), 256), Some(true));
    says(&text.replace("i <= 4", "i < 4").replace("!= 3", "== 3"), &none(None, 256), Some(false));
}

/// Blocks whose size is an input, blocks of several sizes, blocks from a wrapper, and pointers in global arrays.
#[test]
fn sizes() {
    let text = "extern void *malloc(unsigned long);\n\
                int main() { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 3) return 0;\n\
                  int *a = malloc(n * sizeof(int)); a[n - 1] = n; if (a[n - 1] != n) reach_error(); }";
    // Sizes have to fit into integers too.
    says(text, &none(Some(5), 512), Some(true));
    assert!(reason(text, &none(Some(5), 256)).contains("safe for a heap of 256 bits"));
    says(&text.replace("!= n)", "== 3)"), &none(None, 512), Some(false));
    let text = "extern void *malloc(unsigned long); struct a { int x; }; struct b { int y; struct a *in; };\n\
                void *get(unsigned long n) { return malloc(n); } struct b *table[2];\n\
                int main() { int i; for (i = 0; i < 2; i++) { table[i] = get(sizeof(struct b));\n\
                  table[i]->in = get(sizeof(struct a)); table[i]->in->x = i; }\n\
                  if (table[0]->in->x != 0 || table[1]->in->x != 1) reach_error(); }";
    says(text, &none(Some(6), 512), Some(true));
    says(&text.replace("[1]->in->x != 1", "[1]->in->x == 1"), &none(Some(6), 512), Some(false));
}
