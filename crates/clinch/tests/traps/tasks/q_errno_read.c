#include <errno.h>
#include <unistd.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int main(void) { char b[4]; errno = 0; int r = read(-1, b, 4); if (TRAP && r == -1 && errno == EBADF) reach_error(); }
