#include <stdint.h>
#include <string.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
unsigned short g[4];
int v = 1;
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  unsigned short *p = g + 2;
  intptr_t d = (char *)p - (char *)0;
  unsigned short *q = (unsigned short *)((char *)0 + d);
  if (n * 2654435761u == 0x12345678u) memset(q + v - v, 4, sizeof *q);
  if (g[2] == 1028) reach_error();
  return 0;
}
