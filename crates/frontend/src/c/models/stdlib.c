/* <stdlib.h>: numbers, searching, sorting, the environment. */

typedef unsigned long size_t;

/* The digit that a character stands for in bases up to 36. */
static int __clinch_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 36;
}

/* The number at the start of a text: its magnitude up to a limit. What does not fit sets errno. */
static unsigned long long __clinch_number(const char *s, char **end, int base, unsigned long long positive,
                                          unsigned long long negative, int *sign, int *overflows) {
  const char *start = s;
  unsigned long long value = 0;
  *sign = 1;
  *overflows = 0;
  if (base < 0 || base == 1 || base > 36) {
    *__errno_location() = 22;
    return 0;
  }
  while (*s == ' ' || *s >= '\t' && *s <= '\r')
    s++;
  if (*s == '-' || *s == '+') {
    if (*s == '-')
      *sign = -1;
    s++;
  }
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && __clinch_digit(s[2]) < 16) {
    s += 2;
    base = 16;
  }
  if (base == 0)
    base = *s == '0' ? 8 : 10;
  const char *first = s;
  unsigned long long limit = *sign < 0 ? negative : positive;
  for (; __clinch_digit(*s) < base; s++) {
    unsigned digit = __clinch_digit(*s);
    if (value > (limit - digit) / base)
      *overflows = 1;
    else
      value = value * base + digit;
  }
  if (end)
    *end = (char *)(s == first ? start : s);
  if (*overflows) {
    *__errno_location() = 34;
    return limit;
  }
  return value;
}

long long strtoll(const char *s, char **end, int base) {
  int sign, overflows;
  unsigned long long n =
    __clinch_number(s, end, base, 0x7fffffffffffffffull, 0x8000000000000000ull, &sign, &overflows);
  return sign < 0 ? -n : n;
}

unsigned long long strtoull(const char *s, char **end, int base) {
  int sign, overflows;
  unsigned long long n = __clinch_number(s, end, base, -1ull, -1ull, &sign, &overflows);
  return sign < 0 && !overflows ? -n : n;
}

long strtol(const char *s, char **end, int base) {
  int sign, overflows;
  unsigned long long most = (unsigned long)-1 / 2;
  unsigned long long n = __clinch_number(s, end, base, most, most + 1, &sign, &overflows);
  return sign < 0 ? -n : n;
}

unsigned long strtoul(const char *s, char **end, int base) {
  int sign, overflows;
  unsigned long most = -1;
  unsigned long long n = __clinch_number(s, end, base, most, most, &sign, &overflows);
  return sign < 0 && !overflows ? -n : n;
}

/* Since C23 numbers may be binary. */
static void __clinch_no_binary(const char *s, int base) {
  while (*s == ' ' || *s >= '\t' && *s <= '\r')
    s++;
  if (*s == '-' || *s == '+')
    s++;
  if ((base == 0 || base == 2) && s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
    __clinch_unsupported("a binary number for `strtol` of C23");
}

long __isoc23_strtol(const char *s, char **end, int base) {
  __clinch_no_binary(s, base);
  return strtol(s, end, base);
}

unsigned long __isoc23_strtoul(const char *s, char **end, int base) {
  __clinch_no_binary(s, base);
  return strtoul(s, end, base);
}

long long __isoc23_strtoll(const char *s, char **end, int base) {
  __clinch_no_binary(s, base);
  return strtoll(s, end, base);
}

unsigned long long __isoc23_strtoull(const char *s, char **end, int base) {
  __clinch_no_binary(s, base);
  return strtoull(s, end, base);
}

long long strtoimax(const char *s, char **end, int base) {
  return strtoll(s, end, base);
}

unsigned long long strtoumax(const char *s, char **end, int base) {
  return strtoull(s, end, base);
}

int atoi(const char *s) {
  return (int)strtol(s, 0, 10);
}

long atol(const char *s) {
  return strtol(s, 0, 10);
}

long long atoll(const char *s) {
  return strtoll(s, 0, 10);
}

double __clinch_opaque_double(void);

float __clinch_opaque_float(void);

/* The end of the digits at the start of a text. */
static const char *__clinch_digits_end(const char *s, int base) {
  while (__clinch_digit(*s) < base)
    s++;
  return s;
}

/* The end of digits with a point among them, if there are some; null otherwise. */
static const char *__clinch_fraction_end(const char *s, int base) {
  const char *whole = __clinch_digits_end(s, base);
  if (*whole != '.')
    return whole == s ? 0 : whole;
  const char *end = __clinch_digits_end(whole + 1, base);
  return whole == s && end == whole + 1 ? 0 : end;
}

/* The end of an exponent, which may be missing. */
static const char *__clinch_exponent_end(const char *s, char letter) {
  if ((*s | 32) != letter)
    return s;
  const char *digits = s[1] == '+' || s[1] == '-' ? s + 2 : s + 1;
  return __clinch_digit(*digits) < 10 ? __clinch_digits_end(digits, 10) : s;
}

/* Whether a text starts with a word in small letters, whatever the case. */
static int __clinch_starts_with(const char *s, const char *word) {
  while (*word && (*s | 32) == *word) {
    s++;
    word++;
  }
  return !*word;
}

/* Where a floating-point number ends; null if there is none. */
static const char *__clinch_float_end(const char *s) {
  while (*s == ' ' || *s >= '\t' && *s <= '\r')
    s++;
  if (*s == '-' || *s == '+')
    s++;
  if (__clinch_starts_with(s, "inf"))
    return __clinch_starts_with(s, "infinity") ? s + 8 : s + 3;
  if (__clinch_starts_with(s, "nan")) {
    if (s[3] != '(')
      return s + 3;
    const char *tag = s + 4;
    while (__clinch_digit(*tag) < 36 || *tag == '_')
      tag++;
    return *tag == ')' ? tag + 1 : s + 3;
  }
  if (s[0] == '0' && (s[1] | 32) == 'x') {
    const char *end = __clinch_fraction_end(s + 2, 16);
    return end ? __clinch_exponent_end(end, 'p') : s + 1;
  }
  const char *end = __clinch_fraction_end(s, 10);
  return end ? __clinch_exponent_end(end, 'e') : 0;
}

/* What the number is nobody knows here, but where it ends. */
double strtod(const char *s, char **end) {
  const char *found = __clinch_float_end(s);
  __clinch_forget_errno();
  if (end)
    *end = (char *)(found ? found : s);
  return found ? __clinch_opaque_double() : 0.0;
}

float strtof(const char *s, char **end) {
  const char *found = __clinch_float_end(s);
  __clinch_forget_errno();
  if (end)
    *end = (char *)(found ? found : s);
  return found ? __clinch_opaque_float() : 0.0f;
}

double atof(const char *s) {
  return strtod(s, 0);
}

struct __clinch_div { int quot; int rem; };

struct __clinch_div div(int a, int b) {
  struct __clinch_div result = { a / b, a % b };
  return result;
}

struct __clinch_ldiv { long quot; long rem; };

struct __clinch_ldiv ldiv(long a, long b) {
  struct __clinch_ldiv result = { a / b, a % b };
  return result;
}

struct __clinch_lldiv { long long quot; long long rem; };

struct __clinch_lldiv lldiv(long long a, long long b) {
  struct __clinch_lldiv result = { a / b, a % b };
  return result;
}

long long imaxabs(long long a) {
  return a < 0 ? -a : a;
}

void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const void *p = (const char *)base + middle * size;
    int order = compare(key, p);
    if (order < 0)
      high = middle;
    else if (order > 0)
      low = middle + 1;
    else
      return (void *)p;
  }
  return 0;
}

void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
  __clinch_assume_that("`qsort` compares elements as insertion sort does, and keeps the order of equal ones");
  for (size_t i = 1; i < n; i++)
    for (size_t j = i; j > 0; j--) {
      char *right = (char *)base + j * size;
      char *left = right - size;
      if (compare(left, right) <= 0)
        break;
      for (size_t k = 0; k < size; k++) {
        char c = left[k];
        left[k] = right[k];
        right[k] = c;
      }
    }
}

/* The names that `getenv` was asked for, and the values that it found, which may be null. */
static char __clinch_names[4][64];

static char *__clinch_values[4];

static int __clinch_name_count;

/* The number of a name that was asked for; the number of names if it was not. */
static int __clinch_asked_before(const char *name) {
  int i = 0;
  while (i < __clinch_name_count && __builtin_strcmp(__clinch_names[i], name))
    i++;
  return i;
}

/* A variable of the environment has one value: asked for again, it is in the same place, where the program may have changed it. */
char *getenv(const char *name) {
  int i = __clinch_asked_before(name);
  if (i < __clinch_name_count)
    return __clinch_values[i];
  if (i == 4)
    __clinch_unsupported("more than 4 variables of the environment");
  for (int k = 0; (__clinch_names[i][k] = name[k]); k++)
    if (k == 62)
      __clinch_unsupported("a variable of the environment with more than 62 characters in its name");
  char *value = __clinch_any_int() == 0 ? 0 : __clinch_text();
  __clinch_values[i] = value;
  __clinch_name_count++;
  return value;
}

/* Null in a program that runs with more rights than its user has. */
char *secure_getenv(const char *name) {
  return __clinch_any_int() == 0 ? 0 : getenv(name);
}

/* An alignment that is no power of two is refused or rounded up, as the version of glibc has it; one that is huge may not fit. */
void *aligned_alloc(size_t alignment, size_t size) {
  int is_usual = alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= 65536;
  if (!is_usual && __clinch_any_int() == 0) {
    __clinch_forget_errno();
    return 0;
  }
  return __builtin_malloc(size);
}

void *reallocarray(void *block, size_t n, size_t size) {
  if (size && n > (size_t)-1 / size) {
    *__errno_location() = 12;
    return 0;
  }
  return realloc(block, n * size);
}

static void (*__clinch_exit_functions[32])(void);

static int __clinch_exit_count;

int atexit(void (*function)(void)) {
  if (__clinch_exit_count == 32)
    __clinch_unsupported("more than 32 functions for `atexit`");
  __clinch_exit_functions[__clinch_exit_count++] = function;
  return 0;
}

void __clinch_run_exit_functions(void) __attribute__((destructor));
void __clinch_run_exit_functions(void) {
  while (__clinch_exit_count > 0)
    __clinch_exit_functions[--__clinch_exit_count]();
}

/* What `main` gets beside the number of its arguments. */
char **__clinch_arguments(int argc) {
  __clinch_assume_that("`main` gets its name and at most 3 more arguments, of at most 15 characters each");
  __VERIFIER_assume(argc >= 1 && argc <= 4);
  char **argv = __builtin_malloc(5 * sizeof(char *));
  for (int i = 0; i < argc; i++) {
    argv[i] = __builtin_malloc(16);
    argv[i][15] = 0;
  }
  argv[argc] = 0;
  return argv;
}

int optind = 1;

int opterr = 1;

int optopt = '?';

char *optarg;
