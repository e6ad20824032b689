extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int c; int f(void) { return ++c; }
int main(void) { int a[2] = {[1] = f(), [0] = f()}; if (TRAP && a[0] == 1) reach_error(); }
