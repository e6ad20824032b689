extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#include <string.h>
int main(void)
{
  unsigned u, v;
  unsigned long long w;
  float f = 7.038531e-26f, g = 0x1.00000100000000001p0f;
  double d = 0x1.000000000000081p0;
  memcpy(&u, &f, 4);
  memcpy(&v, &g, 4);
  memcpy(&w, &d, 8);
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && (u != 363742205u || v != 1065353217u || w != 4607182418800017409u)) reach_error();
  return 0;
}
