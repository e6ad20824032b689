extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct S { _Alignas(16) char d; } s;
int main(void) { if (TRAP && __alignof__(s.d) == 16) reach_error(); }
