// EXPECT: UNSAFE
// FLAGS: --engine bounded
// Found by the attack: seed 1012, pointers; the store of a pointer without a region was dropped.
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
short g[2];
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  unsigned long u;
  __builtin_add_overflow((unsigned long)&g[1], 8ul, &u);
  short *p3 = (short *)(u - 8);
  if (n * 2654435761u == 0x12345678u) memset(p3, 102, sizeof *p3);
  if (g[1] == 26214) reach_error();
  return 0;
}
