extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct S { int v; } a = {7}; extern struct S __attribute__((alias("a"))) b;
int main(void) { if (TRAP) { b.v = 8; if (a.v == 8) reach_error(); } }
