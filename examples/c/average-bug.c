// average.c, where only the samples so far count: if the first one is refused, 0.0 is divided by 0.
// expect: unsafe
// inputs: 1, 2143289344

#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  float window[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  int samples = 0;
  unsigned next = 0;
  while (__VERIFIER_nondet_int()) {
    float sample = __VERIFIER_nondet_float();
    if (sample >= -40.0f && sample <= 120.0f) {
      window[next] = sample;
      next = (next + 1) % 4;
      if (samples < 4)
        samples++;
    }
    float average = (window[0] + window[1] + window[2] + window[3]) / samples;
    assert(average >= -40.0f && average <= 120.0f);
  }
  return 0;
}
