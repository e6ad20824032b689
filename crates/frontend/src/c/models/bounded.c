/* <math.h>: what no standard fixes to the bit. A result is any number within bounds that every implementation of some quality keeps:
   special cases are exact, as IEEE 754 and glibc have them, and bounds have room for errors of a few units in the last place.
   That the C library of the user keeps them is assumed, and said. An error that is found with such a number is executed. */

double __clinch_any_double(void);

float __clinch_any_float(void);

static void __clinch_are_bounded(void) {
  __clinch_assume_that("functions such as `sin`, `exp` and `pow` return numbers within the bounds that docs/c.md names");
}

FLOAT sin_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x - x != 0) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(-1 <= r && r <= 1);
  /* Before the first zero. */
  if (-3 <= x && x <= 3)
    __VERIFIER_assume(x > 0 ? r >= 0 && r <= x : r <= 0 && r >= x);
  return r;
}

FLOAT cos_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return 1;
  if (x - x != 0) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(-1 <= r && r <= 1);
  if (-1.5 <= x && x <= 1.5)
    __VERIFIER_assume(r >= 0);
  return r;
}

FLOAT tan_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x - x != 0) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(-MAXIMUM <= r && r <= MAXIMUM);
  if (-1.5 <= x && x <= 1.5)
    __VERIFIER_assume(x > 0 ? r >= 0 && r <= 15 : r <= 0 && r >= -15);
  return r;
}

FLOAT asin_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (!(-1 <= x && x <= 1)) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(-1.570797 <= r && r <= 1.570797);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  return r;
}

FLOAT acos_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 1)
    return 0;
  if (!(-1 <= x && x <= 1)) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(0 <= r && r <= 3.141593);
  return r;
}

FLOAT atan_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(-1.570797 <= r && r <= 1.570797);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  return r;
}

FLOAT atan2_T(FLOAT y, FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x != x || y != y) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (y == 0 && x > 0)
    return y;
  __VERIFIER_assume(-3.141593 <= r && r <= 3.141593);
  if (y > 0)
    __VERIFIER_assume(r >= 0);
  if (y < 0) {
    __VERIFIER_assume(r <= 0);
    __clinch_forget_errno();
  }
  if (y > 0)
    __clinch_forget_errno();
  return r;
}

FLOAT sinh_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x - x != 0)
    return x;
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  if (-MOST_EXP <= x && x <= MOST_EXP)
    __VERIFIER_assume(-MAXIMUM <= r && r <= MAXIMUM);
  else
    __clinch_forget_errno();
  return r;
}

FLOAT cosh_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return 1;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x - x != 0)
    return x * x;
  __VERIFIER_assume(r >= HALF);
  if (-MOST_EXP <= x && x <= MOST_EXP)
    __VERIFIER_assume(r <= MAXIMUM);
  else
    __clinch_forget_errno();
  return r;
}

FLOAT tanh_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(-1 <= r && r <= 1);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  return r;
}

FLOAT asinh_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x - x != 0)
    return x;
  __VERIFIER_assume(-MOST_LOG <= r && r <= MOST_LOG);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  return r;
}

FLOAT acosh_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 1)
    return 0;
  if (!(x >= 1)) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x - x != 0)
    return x;
  __VERIFIER_assume(0 <= r && r <= MOST_LOG);
  return r;
}

FLOAT atanh_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (!(-1 <= x && x <= 1)) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x == 1 || x == -1) {
    __clinch_forget_errno();
    return x * __builtin_inf_T();
  }
  __VERIFIER_assume(-30 <= r && r <= 30);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  return r;
}

FLOAT exp_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return 1;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x == -__builtin_inf_T())
    return 0;
  if (x == __builtin_inf_T())
    return x;
  __VERIFIER_assume(r >= 0);
  if (x > 0)
    __VERIFIER_assume(r >= 1);
  else
    __VERIFIER_assume(r <= 1);
  if (-MOST_EXP <= x && x <= MOST_EXP)
    __VERIFIER_assume(r > 0 && r >= x && r <= MAXIMUM);
  else
    __clinch_forget_errno();
  return r;
}

FLOAT exp2_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return 1;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x == -__builtin_inf_T())
    return 0;
  if (x == __builtin_inf_T())
    return x;
  __VERIFIER_assume(r >= 0);
  if (x > 0)
    __VERIFIER_assume(r >= 1);
  else
    __VERIFIER_assume(r <= 1);
  if (-MOST_EXP <= x && x <= MOST_EXP)
    __VERIFIER_assume(r > 0 && r <= MAXIMUM);
  else
    __clinch_forget_errno();
  return r;
}

FLOAT expm1_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x == -__builtin_inf_T())
    return -1;
  if (x == __builtin_inf_T())
    return x;
  __VERIFIER_assume(r >= -1);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  if (x <= MOST_EXP)
    __VERIFIER_assume(r <= MAXIMUM);
  else
    __clinch_forget_errno();
  return r;
}

FLOAT log_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 1)
    return 0;
  if (!(x >= 0)) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x == 0) {
    __clinch_forget_errno();
    return -__builtin_inf_T();
  }
  if (x == __builtin_inf_T())
    return x;
  __VERIFIER_assume(LEAST_LOG <= r && r <= MOST_LOG);
  __VERIFIER_assume(x > 1 ? r >= 0 && r <= 2 * x : r <= 0);
  return r;
}

FLOAT log2_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 1)
    return 0;
  if (!(x >= 0)) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x == 0) {
    __clinch_forget_errno();
    return -__builtin_inf_T();
  }
  if (x == __builtin_inf_T())
    return x;
  __VERIFIER_assume(-1100 <= r && r <= 1025);
  __VERIFIER_assume(x > 1 ? r >= 0 && r <= 2 * x : r <= 0);
  return r;
}

FLOAT log10_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 1)
    return 0;
  if (!(x >= 0)) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x == 0) {
    __clinch_forget_errno();
    return -__builtin_inf_T();
  }
  if (x == __builtin_inf_T())
    return x;
  __VERIFIER_assume(-330 <= r && r <= 309);
  __VERIFIER_assume(x > 1 ? r >= 0 && r <= 2 * x : r <= 0);
  return r;
}

FLOAT log1p_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (!(x >= -1)) {
    __clinch_forget_errno();
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x == -1) {
    __clinch_forget_errno();
    return -__builtin_inf_T();
  }
  if (x == __builtin_inf_T())
    return x;
  __VERIFIER_assume(LEAST_LOG <= r && r <= MOST_LOG);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  return r;
}

FLOAT cbrt_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (x - x != 0)
    return x;
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  if (x > 1)
    __VERIFIER_assume(r >= HALF && r <= x);
  else if (x < -1)
    __VERIFIER_assume(r <= -HALF && r >= x);
  else
    __VERIFIER_assume(-1 <= r && r <= 1);
  return r;
}

FLOAT hypot_T(FLOAT x, FLOAT y) {
  FLOAT r = __clinch_any_FLOAT();
  FLOAT a = __clinch_fabs_T(x), b = __clinch_fabs_T(y);
  __clinch_are_bounded();
  if ((a == __builtin_inf_T() || b == __builtin_inf_T()) && !__clinch_signalling_T(x) && !__clinch_signalling_T(y))
    return __builtin_inf_T();
  if (x != x || y != y) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (a == 0 || b == 0)
    return a + b;
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
  FLOAT r = __clinch_any_FLOAT();
  FLOAT exact = __clinch_small_power_T(x, y);
  __clinch_are_bounded();
  if ((y == 0 || x == 1) && !__clinch_signalling_T(x) && !__clinch_signalling_T(y))
    return 1;
  if (x != x || y != y) {
    __VERIFIER_assume(r != r);
    return r;
  }
  if (exact == exact)
    return exact;
  __clinch_forget_errno();
  if (x < 0 && x >= -MAXIMUM && y - y == 0 && y != __clinch_trunc_T(y)) {
    __VERIFIER_assume(r != r);
    return r;
  }
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
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x == 0)
    return x;
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(-1 <= r && r <= 1);
  __VERIFIER_assume(x > 0 ? r >= 0 : r <= 0);
  return r;
}

FLOAT erfc_T(FLOAT x) {
  FLOAT r = __clinch_any_FLOAT();
  __clinch_are_bounded();
  if (x != x) {
    __VERIFIER_assume(r != r);
    return r;
  }
  __VERIFIER_assume(0 <= r && r <= 2);
  __clinch_forget_errno();
  return r;
}
