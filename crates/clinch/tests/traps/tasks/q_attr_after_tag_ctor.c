extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct S { int v; }; int k;
struct S __attribute__((constructor)) ini(void); struct S ini(void) { k = 5; struct S s = {1}; return s; }
int main(void) { if (TRAP && k == 5) reach_error(); }
