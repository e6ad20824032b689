// An alarm for a temperature that is not known to be low enough. A NaN is neither above nor below the limit.
// expect: safe

#include <assert.h>

extern double __VERIFIER_nondet_double(void);

static const double limit = 80.0;

static int alarm_at(double temperature) { return !(temperature <= limit); }

int main(void) {
  double temperature = __VERIFIER_nondet_double();
  if (!alarm_at(temperature))
    assert(temperature < limit || temperature == limit);
  return 0;
}
