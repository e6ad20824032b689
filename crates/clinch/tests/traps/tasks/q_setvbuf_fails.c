#include <stdio.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { int r = setvbuf(stdin, 0, 99, 0); if (TRAP && r != 0) reach_error(); }
