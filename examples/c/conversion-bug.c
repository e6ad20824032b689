// conversion.c, which looks at the result instead of the voltage: the conversion of a number that does not fit is undefined.
// expect: unsafe (arithmetic)

#include <assert.h>

extern float __VERIFIER_nondet_float(void);

static int millivolts(float volts) {
  int value = (int)(volts * 1000.0f + 0.5f);
  if (value < 0 || value > 5000)
    return -1;
  return value;
}

int main(void) {
  int value = millivolts(__VERIFIER_nondet_float());
  assert(value >= -1 && value <= 5000);
  return 0;
}
