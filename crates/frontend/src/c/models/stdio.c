/* <stdio.h>, <time.h>, <locale.h> and what POSIX adds: what comes from outside. */

typedef unsigned long size_t;

char __clinch_any_char(void);

long __clinch_any_long(void);

/* A number between 0 and a limit. */
static long __clinch_up_to(long most) {
  long n = __clinch_any_long();
  __VERIFIER_assume(n >= 0 && n <= most);
  return n;
}

char *fgets(char *s, int n, void *stream) {
  if (n <= 0 || __clinch_any_int() == 0)
    return 0;
  long length = __clinch_up_to(n - 1);
  for (long i = 0; i < length; i++) {
    s[i] = __clinch_any_char();
    __VERIFIER_assume(i == length - 1 || s[i] != '\n');
  }
  s[length] = 0;
  return s;
}

size_t fread(void *block, size_t size, size_t n, void *stream) {
  if (size == 0 || n == 0)
    return 0;
  long count = __clinch_up_to(size * n);
  for (long i = 0; i < count; i++)
    ((char *)block)[i] = __clinch_any_char();
  return count / size;
}

long read(int file, void *block, size_t n) {
  if (__clinch_any_int() == 0)
    return -1;
  long count = __clinch_up_to(n);
  for (long i = 0; i < count; i++)
    ((char *)block)[i] = __clinch_any_char();
  return count;
}

void setbuf(void *stream, char *buffer) {
  if (buffer)
    __clinch_unsupported("a stream with a buffer of the program");
}

int setvbuf(void *stream, char *buffer, int mode, size_t n) {
  if (buffer)
    __clinch_unsupported("a stream with a buffer of the program");
  return 0;
}

long time(long *result) {
  long now = __clinch_any_long();
  if (result)
    *result = now;
  return now;
}

struct __clinch_time { long seconds; long parts; };

int gettimeofday(struct __clinch_time *result, void *zone) {
  if (zone)
    __clinch_unsupported("`gettimeofday` with a time zone");
  result->seconds = __clinch_any_long();
  result->parts = __clinch_up_to(999999);
  return 0;
}

int clock_gettime(int clock, struct __clinch_time *result) {
  if (__clinch_any_int() == 0)
    return -1;
  result->seconds = __clinch_any_long();
  result->parts = __clinch_up_to(999999999);
  return 0;
}

/* A message: the library's text, which programs print. */
char *strerror(int error) {
  __clinch_assume_that("texts from the environment have at most 255 characters");
  char *text = __builtin_malloc(256);
  text[255] = 0;
  return text;
}

char *setlocale(int category, const char *name) {
  __clinch_assume_that("characters are classified and compared as in the C locale");
  if (__clinch_any_int() == 0)
    return 0;
  char *text = __builtin_malloc(256);
  text[255] = 0;
  return text;
}
