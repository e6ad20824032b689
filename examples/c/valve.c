// A relief valve stays closed only while the pressure is known to be low. A sensor that fails says NaN, which is neither below
// the limit nor above it: the comparison that keeps the valve closed has to hold, the other one need not fail.
// expect: safe

#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);

static const double limit = 8.5;
static double highest;

int main(void) {
  while (__VERIFIER_nondet_int()) {
    double pressure = __VERIFIER_nondet_double();
    int open = !(pressure < limit);
    if (!open && pressure > highest)
      highest = pressure;
    assert(open || pressure < limit);
    assert(highest < limit);
  }
  return 0;
}
