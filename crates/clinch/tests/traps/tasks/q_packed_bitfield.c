extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct __attribute__((packed)) P { char d; unsigned e : 6; };
int main(void) { struct P p; p.d = 1; p.e = 33; if (TRAP && p.e == 33) reach_error(); }
