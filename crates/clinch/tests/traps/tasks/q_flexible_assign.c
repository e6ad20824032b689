extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct F { int n; int d[]; } f = {2, {5, 6}}, g;
int main(void) { g = f; if (TRAP && g.n == 2) reach_error(); }
