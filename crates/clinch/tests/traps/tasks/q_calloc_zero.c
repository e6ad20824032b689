extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
#include <stdlib.h>
int main(void) { int *a = calloc(2, sizeof *a); if (TRAP && a[1] != 0) reach_error(); }
