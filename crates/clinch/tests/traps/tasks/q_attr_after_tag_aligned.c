extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct S { char c; }; struct T { char a; struct S __attribute__((aligned(4))) b; };
int main(void) { if (TRAP && sizeof(struct T) == 8) reach_error(); }
