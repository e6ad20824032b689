extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#include <stdlib.h>
#include <stdint.h>
int main(void)
{
  char *p = malloc(64);
  uintptr_t a = (uintptr_t)p;
  free(p);
  p = malloc(64);
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && (uintptr_t)p == a) reach_error();
  return 0;
}
