#include <errno.h>
#include <time.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { struct timespec t; errno = 0; if (TRAP && clock_gettime(12345, &t) == -1 && errno == EINVAL) reach_error(); }
