extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct S { int a; };
int main(void) { struct S; struct S *p; struct S { char c[9]; }; if (TRAP && sizeof(*p) == 9) reach_error(); }
