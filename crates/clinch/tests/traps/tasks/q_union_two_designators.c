extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
union U { struct { short lo, hi; } s; int v; };
int main(void) { if (TRAP) { union U t = {.s.lo = 5, .s.hi = 6}; if (t.s.lo == 5) reach_error(); } }
