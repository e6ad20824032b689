#include <stdlib.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { int *p = malloc(sizeof *p); *p = 7; int *q = realloc(p, 1ul << 62); if (TRAP && !q && *p == 7) reach_error(); free(p); }
