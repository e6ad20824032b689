extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct S { int v; }; extern struct S __attribute__((weak)) *wk(void);
int main(void) { if (TRAP && !wk) reach_error(); }
