// Two buffers; each is freed on every way out.
// expect: safe
// check: leaks

#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int *a = malloc(4 * sizeof *a);
  if (!a)
    return 1;
  int *b = malloc(4 * sizeof *b);
  if (!b) {
    free(a);
    return 1;
  }
  int error = __VERIFIER_nondet_int() < 0;
  a[0] = b[0] = error;
  free(b);
  free(a);
  return error;
}
