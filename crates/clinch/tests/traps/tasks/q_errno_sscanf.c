#include <errno.h>
#include <stdio.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { int x; errno = 0; sscanf("99999999999999999999", "%d", &x); if (TRAP && errno == ERANGE) reach_error(); }
