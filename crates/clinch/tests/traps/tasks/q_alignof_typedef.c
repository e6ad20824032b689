extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
typedef int A8 __attribute__((aligned(8)));
int main(void) { if (TRAP && _Alignof(A8) == 8) reach_error(); }
