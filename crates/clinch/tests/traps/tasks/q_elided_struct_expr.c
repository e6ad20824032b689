extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct P { int x, y; }; struct Q { struct P p; int z; };
int main(void) { struct P p = {4, 5}; struct Q t[1] = {p, 1}; if (TRAP && t[0].z == 1) reach_error(); }
