/* <math.h>: what IEEE 754 or C fixes to the bit. Arithmetic in loops is exact: by powers of two, or of near numbers. */

int isnan(double x) {
  return x != x;
}

int isnanf(float x) {
  return x != x;
}

int __isnan(double x) {
  return x != x;
}

int __isnanf(float x) {
  return x != x;
}

int isinf(double x) {
  return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0;
}

int isinff(float x) {
  return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;
}

int __isinf(double x) {
  return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0;
}

int __isinff(float x) {
  return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;
}

int finite(double x) {
  return -0x1.fffffffffffffp1023 <= x && x <= 0x1.fffffffffffffp1023;
}

int finitef(float x) {
  return -0x1.fffffep127f <= x && x <= 0x1.fffffep127f;
}

int __finite(double x) {
  return -0x1.fffffffffffffp1023 <= x && x <= 0x1.fffffffffffffp1023;
}

int __finitef(float x) {
  return -0x1.fffffep127f <= x && x <= 0x1.fffffep127f;
}

int __fpclassify(double x) {
  if (x != x) {
    return 0;
  }
  if (x == __builtin_inf() || x == -__builtin_inf()) {
    return 1;
  }
  if (x == 0) {
    return 2;
  }
  return -0x1p-1022 < x && x < 0x1p-1022 ? 3 : 4;
}

int __fpclassifyf(float x) {
  if (x != x) {
    return 0;
  }
  if (x == __builtin_inff() || x == -__builtin_inff()) {
    return 1;
  }
  if (x == 0) {
    return 2;
  }
  return -0x1p-126f < x && x < 0x1p-126f ? 3 : 4;
}

int __signbit(double x) {
  return __clinch_signbit(x);
}

int __signbitf(float x) {
  return __clinch_signbitf(x);
}

double sqrt(double x) {
  if (x < 0) {
    __clinch_forget_errno();
  }
  return __clinch_sqrt(x);
}

float sqrtf(float x) {
  if (x < 0) {
    __clinch_forget_errno();
  }
  return __clinch_sqrtf(x);
}

/* Which zero is the lesser or greater one is open. */
static void __clinch_same_zero(double x, double y) {
  if (x == 0 && y == 0 && 1 / x != 1 / y) {
    __clinch_unsupported("which of two zeros `fmin` or `fmax` returns");
  }
}

/* Which zero is the lesser or greater one is open. */
static void __clinch_same_zerof(float x, float y) {
  if (x == 0 && y == 0 && 1 / x != 1 / y) {
    __clinch_unsupported("which of two zeros `fmin` or `fmax` returns");
  }
}

double fmin(double x, double y) {
  __clinch_same_zero(x, y);
  if (x != x) {
    return y;
  }
  return y != y || x < y ? x : y;
}

float fminf(float x, float y) {
  __clinch_same_zerof(x, y);
  if (x != x) {
    return y;
  }
  return y != y || x < y ? x : y;
}

double fmax(double x, double y) {
  __clinch_same_zero(x, y);
  if (x != x) {
    return y;
  }
  return y != y || x > y ? x : y;
}

float fmaxf(float x, float y) {
  __clinch_same_zerof(x, y);
  if (x != x) {
    return y;
  }
  return y != y || x > y ? x : y;
}

double fdim(double x, double y) {
  double difference = x - y;
  if (x <= y) {
    return 0;
  }
  if (difference == __builtin_inf() && x != __builtin_inf() && y != -__builtin_inf()) {
    __clinch_forget_errno();
  }
  return difference;
}

float fdimf(float x, float y) {
  float difference = x - y;
  if (x <= y) {
    return 0;
  }
  if (difference == __builtin_inff() && x != __builtin_inff() && y != -__builtin_inff()) {
    __clinch_forget_errno();
  }
  return difference;
}

/* The remainder of finite numbers that are not negative: multiples of y, the greatest first. */
static double __clinch_remainder_of(double x, double y) {
  double multiple = y;
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

/* The remainder of finite numbers that are not negative: multiples of y, the greatest first. */
static float __clinch_remainder_off(float x, float y) {
  float multiple = y;
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

double fmod(double x, double y) {
  double magnitude = __clinch_fabs(x);
  if (x != x || y != y) {
    return x + y;
  }
  if (magnitude == __builtin_inf() || y == 0) {
    __clinch_forget_errno();
    return x * y / (x * y);
  }
  if (magnitude < __clinch_fabs(y)) {
    return x;
  }
  magnitude = __clinch_remainder_of(magnitude, __clinch_fabs(y));
  return x < 0 ? -magnitude : magnitude;
}

float fmodf(float x, float y) {
  float magnitude = __clinch_fabsf(x);
  if (x != x || y != y) {
    return x + y;
  }
  if (magnitude == __builtin_inff() || y == 0) {
    __clinch_forget_errno();
    return x * y / (x * y);
  }
  if (magnitude < __clinch_fabsf(y)) {
    return x;
  }
  magnitude = __clinch_remainder_off(magnitude, __clinch_fabsf(y));
  return x < 0 ? -magnitude : magnitude;
}

double remainder(double x, double y) {
  double magnitude = __clinch_fabs(x);
  double divisor = __clinch_fabs(y);
  if (x != x || y != y) {
    return x + y;
  }
  if (magnitude == __builtin_inf() || y == 0) {
    __clinch_forget_errno();
    return x * y / (x * y);
  }
  if (x == 0 || divisor == __builtin_inf()) {
    return x;
  }
  if (divisor + divisor <= magnitude) {
    magnitude = __clinch_remainder_of(magnitude, divisor + divisor);
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

float remainderf(float x, float y) {
  float magnitude = __clinch_fabsf(x);
  float divisor = __clinch_fabsf(y);
  if (x != x || y != y) {
    return x + y;
  }
  if (magnitude == __builtin_inff() || y == 0) {
    __clinch_forget_errno();
    return x * y / (x * y);
  }
  if (x == 0 || divisor == __builtin_inff()) {
    return x;
  }
  if (divisor + divisor <= magnitude) {
    magnitude = __clinch_remainder_off(magnitude, divisor + divisor);
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

double modf(double x, double *whole) {
  *whole = __clinch_trunc(x);
  if (x == *whole) {
    return x < 0 || 1 / x < 0 ? -0.0 : 0.0;
  }
  return x - *whole;
}

float modff(float x, float *whole) {
  *whole = __clinch_truncf(x);
  if (x == *whole) {
    return x < 0 || 1 / x < 0 ? -0.0f : 0.0f;
  }
  return x - *whole;
}

double frexp(double x, int *exponent) {
  *exponent = 0;
  if (x == 0 || !(-0x1.fffffffffffffp1023 <= x && x <= 0x1.fffffffffffffp1023)) {
    return x;
  }
  while (__clinch_fabs(x) >= 1) {
    x /= 2;
    *exponent += 1;
  }
  while (__clinch_fabs(x) < 0.5) {
    x *= 2;
    *exponent -= 1;
  }
  return x;
}

float frexpf(float x, int *exponent) {
  *exponent = 0;
  if (x == 0 || !(-0x1.fffffep127f <= x && x <= 0x1.fffffep127f)) {
    return x;
  }
  while (__clinch_fabsf(x) >= 1) {
    x /= 2;
    *exponent += 1;
  }
  while (__clinch_fabsf(x) < 0.5f) {
    x *= 2;
    *exponent -= 1;
  }
  return x;
}

/* x * 2^exponent, exactly, if nothing is lost. */
static double __clinch_moved(double x, long exponent) {
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

/* x * 2^exponent, exactly, if nothing is lost. */
static float __clinch_movedf(float x, long exponent) {
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
static double __clinch_scaled(double x, long exponent) {
  int own = 0;
  if (x == 0 || !(-0x1.fffffffffffffp1023 <= x && x <= 0x1.fffffffffffffp1023)) {
    return x;
  }
  x = frexp(x, &own);
  exponent = exponent > 2000 * 2 ? 2000 * 2 : exponent < -2000 * 2 ? -2000 * 2 : exponent;
  exponent += own;
  exponent = exponent > 1023 + 2 ? 1023 + 2 : exponent < -2000 ? -2000 : exponent;
  if (exponent < 2 - 1023) {
    x = __clinch_moved(x, exponent + 1000) * 0x1p-1000;
  } else {
    x = __clinch_moved(x, exponent);
  }
  if (x == 0 || x == __builtin_inf() || x == -__builtin_inf()) {
    __clinch_forget_errno();
  }
  return x;
}

/* The same, rounded once: in the last step, for a number that becomes subnormal. */
static float __clinch_scaledf(float x, long exponent) {
  int own = 0;
  if (x == 0 || !(-0x1.fffffep127f <= x && x <= 0x1.fffffep127f)) {
    return x;
  }
  x = frexpf(x, &own);
  exponent = exponent > 200 * 2 ? 200 * 2 : exponent < -200 * 2 ? -200 * 2 : exponent;
  exponent += own;
  exponent = exponent > 127 + 2 ? 127 + 2 : exponent < -200 ? -200 : exponent;
  if (exponent < 2 - 127) {
    x = __clinch_movedf(x, exponent + 100) * 0x1p-100f;
  } else {
    x = __clinch_movedf(x, exponent);
  }
  if (x == 0 || x == __builtin_inff() || x == -__builtin_inff()) {
    __clinch_forget_errno();
  }
  return x;
}

double ldexp(double x, int exponent) {
  return __clinch_scaled(x, exponent);
}

float ldexpf(float x, int exponent) {
  return __clinch_scaledf(x, exponent);
}

double scalbn(double x, int exponent) {
  return __clinch_scaled(x, exponent);
}

float scalbnf(float x, int exponent) {
  return __clinch_scaledf(x, exponent);
}

double scalbln(double x, long exponent) {
  return __clinch_scaled(x, exponent);
}

float scalblnf(float x, long exponent) {
  return __clinch_scaledf(x, exponent);
}

int ilogb(double x) {
  int exponent = 0;
  if (x == 0 || x != x) {
    __clinch_forget_errno();
    return -2147483647 - 1;
  }
  if (x == __builtin_inf() || x == -__builtin_inf()) {
    __clinch_forget_errno();
    return 2147483647;
  }
  frexp(x, &exponent);
  return exponent - 1;
}

int ilogbf(float x) {
  int exponent = 0;
  if (x == 0 || x != x) {
    __clinch_forget_errno();
    return -2147483647 - 1;
  }
  if (x == __builtin_inff() || x == -__builtin_inff()) {
    __clinch_forget_errno();
    return 2147483647;
  }
  frexpf(x, &exponent);
  return exponent - 1;
}

double logb(double x) {
  int exponent = 0;
  if (x == 0) {
    __clinch_forget_errno();
    return -__builtin_inf();
  }
  if (x != x) {
    return x + x;
  }
  if (x == __builtin_inf() || x == -__builtin_inf()) {
    return __builtin_inf();
  }
  frexp(x, &exponent);
  return exponent - 1;
}

float logbf(float x) {
  int exponent = 0;
  if (x == 0) {
    __clinch_forget_errno();
    return -__builtin_inff();
  }
  if (x != x) {
    return x + x;
  }
  if (x == __builtin_inff() || x == -__builtin_inff()) {
    return __builtin_inff();
  }
  frexpf(x, &exponent);
  return exponent - 1;
}

long lrint(double x) {
  return __clinch_rint(x);
}

long lrintf(float x) {
  return __clinch_rintf(x);
}

long long llrint(double x) {
  return __clinch_rint(x);
}

long long llrintf(float x) {
  return __clinch_rintf(x);
}

long lround(double x) {
  return __clinch_round(x);
}

long lroundf(float x) {
  return __clinch_roundf(x);
}

long long llround(double x) {
  return __clinch_round(x);
}

long long llroundf(float x) {
  return __clinch_roundf(x);
}

double nan(const char *text) {
  if (*text != 0) {
    __clinch_unsupported("a NaN with a payload");
  }
  return __builtin_nan("");
}

float nanf(const char *text) {
  if (*text != 0) {
    __clinch_unsupported("a NaN with a payload");
  }
  return __builtin_nanf("");
}

/* Of two numbers of any floating types, which doubles hold exactly. */
int __clinch_isunordered(double x, double y) {
  return x != x || y != y;
}

int __clinch_islessgreater(double x, double y) {
  return x < y || y < x;
}
