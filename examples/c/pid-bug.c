// pid.c, which takes whatever the sensor says: a NaN passes every comparison of the clamp, and is the output.
// expect: unsafe
// inputs: 1, 2143289344

#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);

static float integral, last;

static float clamp(float x, float limit) {
  if (x > limit)
    return limit;
  if (x < -limit)
    return -limit;
  return x;
}

static float control(float error) {
  integral = clamp(integral + error * 0.01f, 10.0f);
  float derivative = (error - last) * 100.0f;
  last = error;
  return clamp(0.8f * error + 0.2f * integral + 0.05f * derivative, 1.0f);
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    float measured = __VERIFIER_nondet_float();
    float output = control(20.0f - measured);
    assert(output >= -1.0f && output <= 1.0f);
    assert(integral >= -10.0f && integral <= 10.0f);
  }
  return 0;
}
