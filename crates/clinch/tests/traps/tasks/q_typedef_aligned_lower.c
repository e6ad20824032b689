extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
typedef int ui __attribute__((aligned(2))); struct T { char c; ui x; };
int main(void) { if (TRAP && sizeof(struct T) == 6) reach_error(); }
