extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct I { int x; }; struct O { char a; struct I __attribute__((packed)) j; };
int main(void) { if (TRAP && sizeof(struct O) == 5) reach_error(); }
