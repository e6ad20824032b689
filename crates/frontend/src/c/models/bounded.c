/* <math.h>: what no standard fixes to the bit. A result is any number within bounds that every implementation of some quality keeps:
   special cases are exact, as IEEE 754 and glibc have them, and bounds have room for errors of a few units in the last place.
   That the C library of the user keeps them is assumed, and said. An error that is found with such a number is executed. */

double __clinch_any_double(void);

float __clinch_any_float(void);

static void __clinch_are_bounded(void) {
  __clinch_assume_that("functions such as `sin`, `exp` and `pow` return numbers within the bounds that docs/c.md names");
}

/* Any number r that is a NaN. The functions of the library ask for r themselves: an input has the name of the function that asks. */
static FLOAT __clinch_some_nan_T(FLOAT r) {
  __clinch_are_bounded();
  __VERIFIER_assume(r != r);
  return r;
}

static FLOAT __clinch_between_T(FLOAT r, FLOAT least, FLOAT most) {
  __clinch_are_bounded();
  __VERIFIER_assume(least <= r && r <= most);
  return r;
}

/* The result of an odd function that has the sign of its argument. */
static FLOAT __clinch_odd_T(FLOAT x, FLOAT r, FLOAT most) {
  if (x == 0)
    return x;
  if (x != x)
    return __clinch_some_nan_T(r);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  return __clinch_between_T(r, -most, most);
}

FLOAT sin_T(FLOAT x) {
  if (x - x != 0) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  if (!(-3 <= x && x <= 3))
    return __clinch_between_T(__clinch_any_FLOAT(), -1, 1);
  /* Before the first zero. */
  FLOAT r = __clinch_odd_T(x, __clinch_any_FLOAT(), 1);
  __VERIFIER_assume(x > 0 ? r <= x : r >= x);
  return r;
}

FLOAT cos_T(FLOAT x) {
  if (x == 0)
    return 1;
  if (x - x != 0) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  if (-1.5 <= x && x <= 1.5)
    return __clinch_between_T(__clinch_any_FLOAT(), 0, 1);
  return __clinch_between_T(__clinch_any_FLOAT(), -1, 1);
}

FLOAT tan_T(FLOAT x) {
  if (x - x != 0) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  if (-1.5 <= x && x <= 1.5)
    return __clinch_odd_T(x, __clinch_any_FLOAT(), 15);
  return __clinch_between_T(__clinch_any_FLOAT(), -MAXIMUM, MAXIMUM);
}

FLOAT asin_T(FLOAT x) {
  if (!(-1 <= x && x <= 1)) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  return __clinch_odd_T(x, __clinch_any_FLOAT(), 1.570797);
}

FLOAT acos_T(FLOAT x) {
  if (x == 1)
    return 0;
  if (!(-1 <= x && x <= 1)) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  return __clinch_between_T(__clinch_any_FLOAT(), 0, 3.141593);
}

FLOAT atan_T(FLOAT x) {
  return __clinch_odd_T(x, __clinch_any_FLOAT(), 1.570797);
}

FLOAT atan2_T(FLOAT y, FLOAT x) {
  if (x != x || y != y)
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  if (y == 0 && x > 0)
    return y;
  if (y == 0)
    return __clinch_between_T(__clinch_any_FLOAT(), -3.141593, 3.141593);
  __clinch_forget_errno();
  return __clinch_odd_T(y, __clinch_any_FLOAT(), 3.141593);
}

FLOAT sinh_T(FLOAT x) {
  if (__clinch_fabs_T(x) == __builtin_inf_T())
    return x;
  if (!(__clinch_fabs_T(x) > MOST_EXP))
    return __clinch_odd_T(x, __clinch_any_FLOAT(), MAXIMUM);
  __clinch_forget_errno();
  return __clinch_odd_T(x, __clinch_any_FLOAT(), __builtin_inf_T());
}

FLOAT cosh_T(FLOAT x) {
  if (x == 0)
    return 1;
  if (x != x)
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  if (x - x != 0)
    return x * x;
  if (-MOST_EXP <= x && x <= MOST_EXP)
    return __clinch_between_T(__clinch_any_FLOAT(), HALF, MAXIMUM);
  __clinch_forget_errno();
  return __clinch_between_T(__clinch_any_FLOAT(), HALF, __builtin_inf_T());
}

FLOAT tanh_T(FLOAT x) {
  return __clinch_odd_T(x, __clinch_any_FLOAT(), 1);
}

FLOAT asinh_T(FLOAT x) {
  if (__clinch_fabs_T(x) == __builtin_inf_T())
    return x;
  return __clinch_odd_T(x, __clinch_any_FLOAT(), MOST_LOG);
}

FLOAT acosh_T(FLOAT x) {
  if (x == 1)
    return 0;
  if (!(x >= 1)) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  if (x - x != 0)
    return x;
  return __clinch_between_T(__clinch_any_FLOAT(), 0, MOST_LOG);
}

FLOAT atanh_T(FLOAT x) {
  if (!(-1 <= x && x <= 1)) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  if (x == 1 || x == -1) {
    __clinch_forget_errno();
    return x * __builtin_inf_T();
  }
  return __clinch_odd_T(x, __clinch_any_FLOAT(), 30);
}

/* A power of a number between 2 and e. */
static FLOAT __clinch_exponential_T(FLOAT x, FLOAT r) {
  if (x == 0)
    return 1;
  if (x != x)
    return __clinch_some_nan_T(r);
  if (x - x != 0)
    return x > 0 ? x : 0;
  __clinch_are_bounded();
  __VERIFIER_assume(x > 0 ? r >= 1 : r >= 0 && r <= 1);
  if (-MOST_EXP <= x && x <= MOST_EXP)
    __VERIFIER_assume(r > 0 && r <= MAXIMUM);
  return r;
}

FLOAT exp_T(FLOAT x) {
  FLOAT r = __clinch_exponential_T(x, __clinch_any_FLOAT());
  if (-MOST_EXP <= x && x <= MOST_EXP)
    __VERIFIER_assume(r >= x);
  else if (x - x == 0)
    __clinch_forget_errno();
  return r;
}

FLOAT exp2_T(FLOAT x) {
  if (x - x == 0 && !(-MOST_EXP <= x && x <= MOST_EXP))
    __clinch_forget_errno();
  return __clinch_exponential_T(x, __clinch_any_FLOAT());
}

FLOAT expm1_T(FLOAT x) {
  if (x == -__builtin_inf_T())
    return -1;
  if (x == __builtin_inf_T())
    return x;
  if (x > MOST_EXP) {
    __clinch_forget_errno();
    return __clinch_between_T(__clinch_any_FLOAT(), 0, __builtin_inf_T());
  }
  FLOAT r = __clinch_odd_T(x, __clinch_any_FLOAT(), MAXIMUM);
  __VERIFIER_assume(!(r < -1));
  return r;
}

/* A logarithm: that of a finite number is between two bounds. */
static FLOAT __clinch_logarithm_T(FLOAT x, FLOAT r, FLOAT least, FLOAT most) {
  if (x == 1)
    return 0;
  if (!(x >= 0))
    return __clinch_some_nan_T(r);
  if (x == 0)
    return -__builtin_inf_T();
  if (x == __builtin_inf_T())
    return x;
  __VERIFIER_assume(x > 1 ? r >= 0 && r <= 2 * x : r <= 0);
  return __clinch_between_T(r, least, most);
}

FLOAT log_T(FLOAT x) {
  if (!(x > 0))
    __clinch_forget_errno();
  return __clinch_logarithm_T(x, __clinch_any_FLOAT(), LEAST_LOG, MOST_LOG);
}

FLOAT log2_T(FLOAT x) {
  if (!(x > 0))
    __clinch_forget_errno();
  return __clinch_logarithm_T(x, __clinch_any_FLOAT(), -1100, 1025);
}

FLOAT log10_T(FLOAT x) {
  if (!(x > 0))
    __clinch_forget_errno();
  return __clinch_logarithm_T(x, __clinch_any_FLOAT(), -330, 309);
}

FLOAT log1p_T(FLOAT x) {
  if (!(x >= -1)) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  if (x == -1) {
    __clinch_forget_errno();
    return -__builtin_inf_T();
  }
  if (x == 0 || x == __builtin_inf_T())
    return x;
  return x > 0 ? __clinch_between_T(__clinch_any_FLOAT(), 0, MOST_LOG) : __clinch_between_T(__clinch_any_FLOAT(), LEAST_LOG, 0);
}

FLOAT cbrt_T(FLOAT x) {
  if (__clinch_fabs_T(x) == __builtin_inf_T())
    return x;
  if (x > 1)
    return __clinch_between_T(__clinch_any_FLOAT(), HALF, x);
  if (x < -1)
    return __clinch_between_T(__clinch_any_FLOAT(), x, -HALF);
  return __clinch_odd_T(x, __clinch_any_FLOAT(), 1);
}

FLOAT hypot_T(FLOAT x, FLOAT y) {
  FLOAT a = __clinch_fabs_T(x), b = __clinch_fabs_T(y);
  if ((a == __builtin_inf_T() || b == __builtin_inf_T()) && !__clinch_signalling_T(x) && !__clinch_signalling_T(y))
    return __builtin_inf_T();
  if (x != x || y != y)
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  if (a == 0 || b == 0)
    return a + b;
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  /* The sum of the sides is longer, half of it is shorter. */
  __VERIFIER_assume(r >= a / 2 + b / 2 - a / 4 - b / 4);
  if (a + b <= MAXIMUM / 2)
    __VERIFIER_assume(r <= (a + b) * 2);
  else
    __clinch_forget_errno();
  return r;
}

/* x to the power of a whole number, if that is a whole number that the type has: then it is exact. Otherwise a NaN. */
static FLOAT __clinch_small_power_T(FLOAT x, FLOAT y) {
  FLOAT power = 1;
  int n = 0;
  if (!(0 <= y && y <= 64) || y != __clinch_trunc_T(y) || x != __clinch_trunc_T(x))
    return __builtin_nan_T("");
  for (n = (int)y; n > 0; n--) {
    power *= x;
    if (!(-INTEGERS <= power && power <= INTEGERS))
      return __builtin_nan_T("");
  }
  return power;
}

FLOAT pow_T(FLOAT x, FLOAT y) {
  FLOAT exact = __clinch_small_power_T(x, y);
  if ((y == 0 || x == 1) && !__clinch_signalling_T(x) && !__clinch_signalling_T(y))
    return 1;
  if (x != x || y != y)
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  if (exact == exact)
    return exact;
  if (x < 0 && x >= -MAXIMUM && y - y == 0 && y != __clinch_trunc_T(y)) {
    __clinch_forget_errno();
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  }
  __clinch_forget_errno();
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  __VERIFIER_assume(r == r);
  /* Of a negative zero odd powers are negative. */
  if (x == 0)
    __VERIFIER_assume(y > 0 ? r == 0 : r > MAXIMUM || r < -MAXIMUM);
  if (x > 0)
    __VERIFIER_assume(r >= 0);
  if (x > 1)
    __VERIFIER_assume(y > 0 ? r >= 1 : r <= 1);
  if (x > 0 && x < 1)
    __VERIFIER_assume(y > 0 ? r <= 1 : r >= 1);
  return r;
}

FLOAT erf_T(FLOAT x) {
  return __clinch_odd_T(x, __clinch_any_FLOAT(), 1);
}

FLOAT erfc_T(FLOAT x) {
  if (x != x)
    return __clinch_some_nan_T(__clinch_any_FLOAT());
  __clinch_forget_errno();
  return __clinch_between_T(__clinch_any_FLOAT(), 0, 2);
}
