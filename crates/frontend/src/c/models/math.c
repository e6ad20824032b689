/* <math.h>: what IEEE 754 or C fixes to the bit. Arithmetic in loops is exact: by powers of two, or of near numbers.
   What is about FLOAT is there for all types (see WORDS in models.rs): fmod_T is fmod of doubles and fmodf of floats. */

int __clinch_any_int(void);

int isnan_T(FLOAT x) {
  return x != x;
}

int __isnan_T(FLOAT x) {
  return x != x;
}

int isinf_T(FLOAT x) {
  return x == __builtin_inf_T() ? 1 : x == -__builtin_inf_T() ? -1 : 0;
}

int __isinf_T(FLOAT x) {
  return x == __builtin_inf_T() ? 1 : x == -__builtin_inf_T() ? -1 : 0;
}

int finite_T(FLOAT x) {
  return -MAXIMUM <= x && x <= MAXIMUM;
}

int __finite_T(FLOAT x) {
  return -MAXIMUM <= x && x <= MAXIMUM;
}

int __fpclassify_T(FLOAT x) {
  if (x != x) {
    return 0;
  }
  if (x == __builtin_inf_T() || x == -__builtin_inf_T()) {
    return 1;
  }
  if (x == 0) {
    return 2;
  }
  return -MINIMUM < x && x < MINIMUM ? 3 : 4;
}

int __signbit_T(FLOAT x) {
  return __clinch_signbit_T(x);
}

FLOAT sqrt_T(FLOAT x) {
  if (x < 0) {
    __clinch_forget_errno();
  }
  return __clinch_sqrt_T(x);
}

/* Which zero is the lesser or greater one is open. */
static void __clinch_same_zero_T(FLOAT x, FLOAT y) {
  if (x == 0 && y == 0 && 1 / x != 1 / y) {
    __clinch_unsupported("which of two zeros `fmin` or `fmax` returns");
  }
}

FLOAT fmin_T(FLOAT x, FLOAT y) {
  __clinch_same_zero_T(x, y);
  if (__clinch_signalling_T(x) || __clinch_signalling_T(y)) {
    return x + y;
  }
  if (x != x) {
    return y;
  }
  return y != y || x < y ? x : y;
}

FLOAT fmax_T(FLOAT x, FLOAT y) {
  __clinch_same_zero_T(x, y);
  if (__clinch_signalling_T(x) || __clinch_signalling_T(y)) {
    return x + y;
  }
  if (x != x) {
    return y;
  }
  return y != y || x > y ? x : y;
}

FLOAT fdim_T(FLOAT x, FLOAT y) {
  FLOAT difference = x - y;
  if (x <= y) {
    return 0;
  }
  if (difference == __builtin_inf_T() && x != __builtin_inf_T() && y != -__builtin_inf_T()) {
    __clinch_forget_errno();
  }
  return difference;
}

/* The remainder of finite numbers that are not negative: multiples of y, the greatest first. */
static FLOAT __clinch_remainder_of_T(FLOAT x, FLOAT y) {
  FLOAT multiple = y;
  while (multiple <= x - multiple) {
    multiple += multiple;
  }
  while (multiple >= y) {
    if (x >= multiple) {
      x -= multiple;
    }
    multiple /= 2;
  }
  return x;
}

FLOAT fmod_T(FLOAT x, FLOAT y) {
  FLOAT magnitude = __clinch_fabs_T(x);
  if (x != x || y != y) {
    return x + y;
  }
  if (magnitude == __builtin_inf_T() || y == 0) {
    __clinch_forget_errno();
    return x * y / (x * y);
  }
  if (magnitude < __clinch_fabs_T(y)) {
    return x;
  }
  magnitude = __clinch_remainder_of_T(magnitude, __clinch_fabs_T(y));
  return x < 0 ? -magnitude : magnitude;
}

FLOAT remainder_T(FLOAT x, FLOAT y) {
  FLOAT magnitude = __clinch_fabs_T(x);
  FLOAT divisor = __clinch_fabs_T(y);
  if (x != x || y != y) {
    return x + y;
  }
  if (magnitude == __builtin_inf_T() || y == 0) {
    __clinch_forget_errno();
    return x * y / (x * y);
  }
  if (x == 0 || divisor == __builtin_inf_T()) {
    return x;
  }
  if (divisor + divisor <= magnitude) {
    magnitude = __clinch_remainder_of_T(magnitude, divisor + divisor);
  }
  /* Whether twice the rest exceeds the divisor, without overflow. */
  if (magnitude > divisor - magnitude) {
    magnitude -= divisor;
    if (magnitude >= divisor - magnitude) {
      magnitude -= divisor;
    }
  }
  return x < 0 ? -magnitude : magnitude;
}

FLOAT modf_T(FLOAT x, FLOAT *whole) {
  *whole = __clinch_trunc_T(x);
  if (x == *whole) {
    return x < 0 || 1 / x < 0 ? -ZERO : ZERO;
  }
  return x - *whole;
}

FLOAT frexp_T(FLOAT x, int *exponent) {
  if (!(-MAXIMUM <= x && x <= MAXIMUM)) {
    /* glibc writes 0 here, and gcc, where it knows the argument, nothing. */
    *exponent = __clinch_any_int();
    return x == x ? x : x + x;
  }
  *exponent = 0;
  if (x == 0) {
    return x;
  }
  while (__clinch_fabs_T(x) >= 1) {
    x /= 2;
    *exponent += 1;
  }
  while (__clinch_fabs_T(x) < HALF) {
    x *= 2;
    *exponent -= 1;
  }
  return x;
}

/* x * 2^exponent, exactly, if nothing is lost. */
static FLOAT __clinch_moved_T(FLOAT x, long exponent) {
  while (exponent > 0) {
    x *= 2;
    exponent -= 1;
  }
  while (exponent < 0) {
    x /= 2;
    exponent += 1;
  }
  return x;
}

/* The same, rounded once: in the last step, for a number that becomes subnormal. */
static FLOAT __clinch_scaled_T(FLOAT x, long exponent) {
  int own = 0;
  if (x == 0 || !(-MAXIMUM <= x && x <= MAXIMUM)) {
    return x == x ? x : x + x;
  }
  x = frexp_T(x, &own);
  exponent = exponent > FAR * 2 ? FAR * 2 : exponent < -FAR * 2 ? -FAR * 2 : exponent;
  exponent += own;
  exponent = exponent > LIMIT + 2 ? LIMIT + 2 : exponent < -FAR ? -FAR : exponent;
  if (exponent < 2 - LIMIT) {
    x = __clinch_moved_T(x, exponent + STEP) * STEP_UNIT;
  } else {
    x = __clinch_moved_T(x, exponent);
  }
  if (x == 0 || x == __builtin_inf_T() || x == -__builtin_inf_T()) {
    __clinch_forget_errno();
  }
  return x;
}

FLOAT ldexp_T(FLOAT x, int exponent) {
  return __clinch_scaled_T(x, exponent);
}

FLOAT scalbn_T(FLOAT x, int exponent) {
  return __clinch_scaled_T(x, exponent);
}

FLOAT scalbln_T(FLOAT x, long exponent) {
  return __clinch_scaled_T(x, exponent);
}

int ilogb_T(FLOAT x) {
  int exponent = 0;
  if (x == 0 || x != x) {
    __clinch_forget_errno();
    return -2147483647 - 1;
  }
  if (x == __builtin_inf_T() || x == -__builtin_inf_T()) {
    __clinch_forget_errno();
    return 2147483647;
  }
  frexp_T(x, &exponent);
  return exponent - 1;
}

FLOAT logb_T(FLOAT x) {
  int exponent = 0;
  if (x == 0) {
    __clinch_forget_errno();
    return -__builtin_inf_T();
  }
  if (x != x) {
    return x + x;
  }
  if (x == __builtin_inf_T() || x == -__builtin_inf_T()) {
    return __builtin_inf_T();
  }
  frexp_T(x, &exponent);
  return exponent - 1;
}

long lrint_T(FLOAT x) {
  return __clinch_rint_T(x);
}

long long llrint_T(FLOAT x) {
  return __clinch_rint_T(x);
}

long lround_T(FLOAT x) {
  return __clinch_round_T(x);
}

long long llround_T(FLOAT x) {
  return __clinch_round_T(x);
}

FLOAT nan_T(const char *text) {
  if (*text != 0) {
    __clinch_unsupported("a NaN with a payload");
  }
  return __builtin_nan_T("");
}

/* Of two numbers of any types that this one holds exactly. */
int __clinch_isunordered_T(FLOAT x, FLOAT y) {
  return x != x || y != y;
}

int __clinch_islessgreater_T(FLOAT x, FLOAT y) {
  return x < y || y < x;
}

FLOAT nextafter_T(FLOAT x, FLOAT y) {
  FLOAT next = x;
  if (x != x || y != y) {
    return x + y;
  }
  if (x == y) {
    return y;
  }
  next = __clinch_next_T(x, y);
  if (!(next >= MINIMUM && next <= MAXIMUM || next <= -MINIMUM && next >= -MAXIMUM)) {
    __clinch_forget_errno();
  }
  return next;
}

FLOAT nexttoward_T(FLOAT x, long double y) {
  FLOAT next = x;
  if (x != x || y != y) {
    return x + y;
  }
  if (x == y) {
    return y;
  }
  next = __clinch_next_T(x, x < y ? __builtin_inf_T() : -__builtin_inf_T());
  if (!(next >= MINIMUM && next <= MAXIMUM || next <= -MINIMUM && next >= -MAXIMUM)) {
    __clinch_forget_errno();
  }
  return next;
}
