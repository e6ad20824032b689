// A buffer is freed once, whatever goes wrong.
// expect: safe

#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static int fill(char *buffer, unsigned size) {
  unsigned n = __VERIFIER_nondet_uchar();
  if (n > size)
    return -1;
  for (unsigned i = 0; i < n; i++)
    buffer[i] = 1;
  return (int)n;
}

int main(void) {
  char *buffer = malloc(8);
  if (!buffer)
    return 1;
  int n = fill(buffer, 8);
  if (n < 0) {
    free(buffer);
    return 1;
  }
  free(buffer);
  return 0;
}
