#include <stdio.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { size_t k = 0; printf("abc%Zn", &k); if (TRAP && k == 3) reach_error(); }
