#include <errno.h>
#include <stdlib.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { errno = 0; void *p = calloc((size_t)-1, 16); if (TRAP && !p && errno == ENOMEM) reach_error(); }
