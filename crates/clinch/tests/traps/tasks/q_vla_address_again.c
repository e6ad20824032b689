extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#include <stdint.h>
int main(void)
{
  uintptr_t a[2];
  for (int i = 0; i < 2; i++) {
    int k = 3 + i - i;
    char x[k];
    x[0] = i;
    a[i] = (uintptr_t)x;
  }
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && a[0] == a[1]) reach_error();
  return 0;
}
