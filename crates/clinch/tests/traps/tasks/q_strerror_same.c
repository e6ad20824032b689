#include <string.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { char *p = strerror(1); char *q = strerror(1); if (TRAP && p == q) reach_error(); }
