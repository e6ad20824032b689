#include <stdlib.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { char *p = getenv("PATH"), *q = getenv("PATH"); if (!p || !q) return 0; char c = *p; *p = c + 1; if (TRAP && *q != c) reach_error(); }
