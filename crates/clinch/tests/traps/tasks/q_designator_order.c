extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int c; int f(void) { return ++c; } struct S { int a, b; };
int main(void) { struct S s = {.b = f(), .a = f()}; if (TRAP && s.a == 1) reach_error(); }
