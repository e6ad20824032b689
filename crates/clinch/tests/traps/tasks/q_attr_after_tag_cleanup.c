extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct S { int v; }; int lg; void cl(struct S *s) { lg = 1; }
void f(void) { struct S __attribute__((cleanup(cl))) s = {4}; }
int main(void) { if (TRAP) { f(); if (lg == 1) reach_error(); } }
