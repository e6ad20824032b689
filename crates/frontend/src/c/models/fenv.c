/* <fenv.h>: how results are rounded. Arithmetic is modelled for the nearest number only. */

static int __clinch_rounding_mode;

int fesetround(int mode) {
  if (mode != 0 && mode != 0x400 && mode != 0x800 && mode != 0xc00) {
    return 1;
  }
  __clinch_rounding_mode = mode;
  return 0;
}

int fegetround(void) {
  return __clinch_rounding_mode;
}
