// A PID controller: what the sensor says is taken only if it is a sensible number, the integral is kept from winding up, and
// the output is clamped.
// expect: safe

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
    if (!(measured >= -50.0f && measured <= 50.0f))
      measured = 0;
    float output = control(20.0f - measured);
    assert(output >= -1.0f && output <= 1.0f);
    assert(integral >= -10.0f && integral <= 10.0f);
  }
  return 0;
}
