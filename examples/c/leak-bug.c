// leak.c with a way out on which the first buffer is forgotten.
// expect: unsafe (leaks)
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
  if (error)
    return 1;
  free(a);
  return 0;
}
