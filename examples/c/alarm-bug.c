// alarm.c with the comparison the other way round: a sensor that says NaN raises no alarm.
// expect: unsafe
// inputs: 9221120237041090560

#include <assert.h>

extern double __VERIFIER_nondet_double(void);

static const double limit = 80.0;

static int alarm_at(double temperature) { return temperature > limit; }

int main(void) {
  double temperature = __VERIFIER_nondet_double();
  if (!alarm_at(temperature))
    assert(temperature < limit || temperature == limit);
  return 0;
}
