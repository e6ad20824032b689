// Millivolts of a voltage: a number is converted to an integer only if it fits.
// expect: safe

#include <assert.h>

extern float __VERIFIER_nondet_float(void);

static int millivolts(float volts) {
  if (!(volts >= 0.0f && volts <= 5.0f))
    return -1;
  return (int)(volts * 1000.0f + 0.5f);
}

int main(void) {
  int value = millivolts(__VERIFIER_nondet_float());
  assert(value >= -1 && value <= 5000);
  return 0;
}
