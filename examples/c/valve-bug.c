// valve.c, which opens the valve where the pressure is too high: a NaN is not, and the valve stays closed.
// expect: unsafe
// inputs: 1, 9221120237041090560

#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern int __VERIFIER_nondet_int(void);

static const double limit = 8.5;
static double highest;

int main(void) {
  while (__VERIFIER_nondet_int()) {
    double pressure = __VERIFIER_nondet_double();
    int open = pressure >= limit;
    if (!open && pressure > highest)
      highest = pressure;
    assert(open || pressure < limit);
    assert(highest < limit);
  }
  return 0;
}
