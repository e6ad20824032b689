// EXPECT: UNSAFE
// FLAGS: --engine bounded
// Found by the attack: seed 995598, pointers; the engine said Verdict(Safe).
#include <stddef.h>
int v0 = 0, v1 = 1, v2 = 2, v3 = 3, v4 = 4, v5 = 5, v6 = 6, v7 = 7, v8 = 8;
struct s0 { int m0[4]; unsigned short m1[1]; unsigned char m2[1]; int m3[4]; unsigned m4[1]; };
struct s2 { unsigned long long m0[2]; struct s0 m1[1]; long m2[4]; unsigned m3[3][2]; unsigned long long m4[4]; };
static struct s2 g0;
int main(void)
{
  unsigned long long *p0 = g0.m4 + 4;
  struct s2 *p1 = (struct s2 *)(char *)(p0 - 4 + v0) - offsetof(struct s2, m4);
  memset(p0 + -03, 92, sizeof *p0);
  if ((long long)(g0.m4[1]) == 6655295901103053916LL) reach_error();
  return 0;
}
