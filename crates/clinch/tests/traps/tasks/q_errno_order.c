#include <errno.h>
#include <unistd.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { errno = 0; int n = (close(-1) + 1) * 0 + errno; if (TRAP && n != 0) reach_error(); }
