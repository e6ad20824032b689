extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct S { union { struct { short lo, hi; }; int v; }; }; static const struct S t = {.lo = 5, .hi = 6};
int main(void) { if (TRAP && t.lo == 5) reach_error(); }
