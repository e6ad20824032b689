extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
_Alignas(32) char c;
int main(void) { if (TRAP && __alignof__(c) == 32) reach_error(); }
