//! Detours that a pointer can take to a place where it is the same pointer again.

/// What detours need: a declaration, and the word whose use asks for it. Those further down may need those above.
pub(crate) const DECLARATIONS: [(&str, &str); 18] = [
    ("memset", "#include <string.h>"),
    ("memcpy", "#include <string.h>"),
    ("memmove", "#include <string.h>"),
    ("copy$", "#include <string.h>"),
    ("calloc", "#include <stdlib.h>"),
    ("malloc", "#include <stdlib.h>"),
    ("last$", "#include <stdarg.h>"),
    ("uintptr_t", "#include <stdint.h>"),
    ("intptr_t", "#include <stdint.h>"),
    ("offsetof", "#include <stddef.h>"),
    ("sprintf", "#include <stdio.h>"),
    ("tab$", "void *tab$[4];"),
    ("copy$", "void *(*copy$)(void *, const void *, size_t) = memcpy;"),
    ("same$", "static void *same$(void *p) { return p; }"),
    ("store$", "static void store$(void *out, void *p) { *(void **)out = p; }"),
    (
        "boxed$",
        "struct box$ { int k; void *p; };\n\
         static struct box$ boxed$(void *p, int k) { struct box$ b = { k, p }; return b; }",
    ),
    ("down$", "static void *down$(void *p, int d) { return d > 0 ? down$(p, d - 1) : p; }"),
    (
        "last$",
        "static void *last$(int count, ...)\n{\n  va_list ap;\n  void *p = 0;\n  va_start(ap, count);\n  \
         while (count-- > 0)\n    p = va_arg(ap, void *);\n  va_end(ap);\n  return p;\n}",
    ),
];

/// Statements that declare `R`, a pointer to `T` that is equal to `P`; `U` makes names unique.
pub(crate) const DETOURS: [&str; 32] = [
    "void *tU = P; T *R = tU;",
    "unsigned long uU = (unsigned long)P; T *R = (T *)uU;",
    "uintptr_t uU = (uintptr_t)P; uU ^= 0x5a5au; uU ^= 0x5a5au; T *R = (T *)uU;",
    "tab$[v1$] = P; T *R = (T *)tab$[1];",
    "T *sU = P, *R; memcpy(&R, &sU, sizeof R);",
    "T *sU = P, *R; copy$(&R, &sU, sizeof R);",
    "T *sU = P, *R; for (unsigned i = 0; i < sizeof R; i++) ((char *)&R)[i] = ((char *)&sU)[i];",
    "union { T *p; unsigned long u; } wU; wU.p = P; wU.u += 8; wU.u -= 8; T *R = wU.p;",
    "T *R = same$(P);",
    "T *R; store$(&R, P);",
    "T *R = boxed$(P, 3).p;",
    "T *volatile sU = P; T *R = sU;",
    "T *R = v1$ ? P : (T *)0;",
    "unsigned lU = (unsigned)(unsigned long)P, hU = (unsigned)((unsigned long)P >> 32); T *R = (T *)((unsigned long)hU << 32 | lU);",
    "unsigned long uU; __builtin_add_overflow((unsigned long)P, 8ul, &uU); T *R = (T *)(uU - 8);",
    "__atomic_store_n(&tab$[2], (void *)P, __ATOMIC_SEQ_CST); T *R = __atomic_load_n(&tab$[2], __ATOMIC_SEQ_CST);",
    "T *R = last$(2, (void *)0, (void *)P);",
    "double dU = (double)(unsigned long)P; T *R = (T *)(unsigned long)dU;",
    "T *R = down$(P, v2$);",
    "T *sU = P, **ppU = &sU; T *R = *ppU;",
    "char bufU[32]; void *tU; sprintf(bufU, \"%p\", (void *)P); sscanf(bufU, \"%p\", &tU); T *R = tU;",
    "struct { char c; T *p; } aU = { 1, P }, bU; bU = aU; T *R = bU.p;",
    "unsigned long xU = (unsigned long)P ^ (unsigned long)&v3$; T *R = (T *)(xU ^ (unsigned long)&v3$);",
    "T *sU = P, *R; char bufU[sizeof sU]; memmove(bufU, &sU, sizeof sU); memcpy(&R, bufU, sizeof R);",
    "struct { unsigned long lo : 24, hi : 40; } fU; fU.lo = (unsigned long)P; fU.hi = (unsigned long)P >> 24; T *R = (T *)((unsigned long)fU.hi << 24 | fU.lo);",
    "void **hU = malloc(sizeof *hU); if (!hU) return 0; hU[0] = P; hU = realloc(hU, 64); if (!hU) return 0; T *R = hU[0];",
    "T *R = (T *)__atomic_exchange_n(&tab$[3], (void *)P, __ATOMIC_RELAXED); R = tab$[3];",
    "tab$[0] = 0; __sync_val_compare_and_swap(&tab$[0], (void *)0, (void *)P); T *R = tab$[0];",
    "T *R = (T *)((char *)P + 64 - 64);",
    "intptr_t dU = (char *)P - (char *)0; T *R = (T *)((char *)0 + dU);",
    "T *aU[2][2] = { { 0, P } }; T *R = *(*aU + v1$);",
    "void *(*fU[])(void *) = { same$ }; T *R = fU[v0$](P);",
];
