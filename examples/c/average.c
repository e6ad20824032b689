// The moving average of the last four samples is one of the numbers between the bounds of the samples.
// expect: safe

#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  float window[4] = {20.0f, 20.0f, 20.0f, 20.0f};
  unsigned next = 0;
  while (__VERIFIER_nondet_int()) {
    float sample = __VERIFIER_nondet_float();
    if (!(sample >= -40.0f && sample <= 120.0f))
      continue;
    window[next] = sample;
    next = (next + 1) % 4;
    float average = (window[0] + window[1] + window[2] + window[3]) / 4;
    assert(average >= -40.0f && average <= 120.0f);
  }
  return 0;
}
