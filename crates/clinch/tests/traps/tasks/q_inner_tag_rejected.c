extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct N { int v; };
int main(void) { struct N; struct M { struct N *p; }; struct N { long v[2]; }; struct N x = {{4, 5}}; struct M m = {&x}; if (TRAP && m.p->v[1] == 5) reach_error(); }
