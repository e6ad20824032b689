// Mutually recursive parity of a byte, against its lowest bit. `odd` answers 1 at the end of the recursion, where it
// should answer 0.
// expect: unsafe
// inputs: 1

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static int odd(unsigned n);

static int even(unsigned n) {
  if (n == 0)
    return 1;
  return odd(n - 1);
}

static int odd(unsigned n) {
  if (n == 0)
    return 1;
  return even(n - 1);
}

int main(void) {
  unsigned n = __VERIFIER_nondet_uchar();
  assert(even(n) == !(n & 1));
  return 0;
}
