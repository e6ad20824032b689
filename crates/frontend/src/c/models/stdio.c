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
  __clinch_forget_errno();
  if (n <= 0)
    return 0;
  long length = __clinch_up_to(n - 1);
  for (long i = 0; i < length; i++) {
    s[i] = __clinch_any_char();
    __VERIFIER_assume(i == length - 1 || s[i] != '\n');
  }
  /* Something may have been read before the error. */
  if (__clinch_any_int() == 0)
    return 0;
  s[length] = 0;
  return s;
}

size_t fread(void *block, size_t size, size_t n, void *stream) {
  __clinch_forget_errno();
  if (size == 0 || n == 0)
    return 0;
  if (n > (size_t)-1 / 2 / size)
    __clinch_unsupported("`fread` of more than memory can hold");
  long count = __clinch_up_to(size * n);
  for (long i = 0; i < count; i++)
    ((char *)block)[i] = __clinch_any_char();
  return count / size;
}

/* Linux reads 0x7ffff000 bytes at most. */
long read(int file, void *block, size_t n) {
  __clinch_forget_errno();
  if (__clinch_any_int() == 0)
    return -1;
  long count = __clinch_up_to(n < 0x7ffff000 ? n : 0x7ffff000);
  for (long i = 0; i < count; i++)
    ((char *)block)[i] = __clinch_any_char();
  return count;
}

void setbuf(void *stream, char *buffer) {
  __clinch_forget_errno();
  if (buffer)
    __clinch_unsupported("a stream with a buffer of the program");
}

/* Not 0 for a mode that there is not, or if the stream refuses. */
int setvbuf(void *stream, char *buffer, int mode, size_t n) {
  __clinch_forget_errno();
  if (buffer)
    __clinch_unsupported("a stream with a buffer of the program");
  return __clinch_any_int();
}

long time(long *result) {
  long now = __clinch_any_long();
  if (result)
    *result = now;
  return now;
}

struct __clinch_time { long seconds; long parts; };

int gettimeofday(struct __clinch_time *result, void *zone) {
  __clinch_forget_errno();
  if (zone)
    __clinch_unsupported("`gettimeofday` with a time zone");
  if (__clinch_any_int() == 0)
    return -1;
  if (result) {
    result->seconds = __clinch_any_long();
    result->parts = __clinch_up_to(999999);
  }
  return 0;
}

int clock_gettime(int clock, struct __clinch_time *result) {
  __clinch_forget_errno();
  if (__clinch_any_int() == 0)
    return -1;
  result->seconds = __clinch_any_long();
  result->parts = __clinch_up_to(999999999);
  return 0;
}

/* A text of the environment: unwritten memory, where any byte may be the terminating zero. */
static char *__clinch_text(void) {
  __clinch_assume_that("texts from the environment have at most 255 characters");
  char *text = __builtin_malloc(256);
  text[255] = 0;
  return text;
}

/* The texts for the errors of Linux, made when they are asked for. */
static char *__clinch_messages[134];

static int __clinch_other_message;

/* A message. Each error has one text; numbers that stand for no error share a buffer, which the next call may release. errno
   is kept, as glibc does. */
char *strerror(int error) {
  if (error < 0 || error > 133 || error == 41 || error == 58) {
    if (__clinch_other_message)
      __clinch_unsupported("several calls of `strerror` for unknown errors");
    __clinch_other_message = 1;
    return __clinch_text();
  }
  if (!__clinch_messages[error])
    __clinch_messages[error] = __clinch_text();
  return __clinch_messages[error];
}

static int __clinch_locale_was_set;

/* The name of a locale. Whether a second call returns the first one's buffer is open. */
char *setlocale(int category, const char *name) {
  __clinch_assume_that("characters are classified and compared as in the C locale");
  __clinch_forget_errno();
  if (__clinch_any_int() == 0)
    return 0;
  if (__clinch_locale_was_set)
    __clinch_unsupported("`setlocale` for the second time");
  __clinch_locale_was_set = 1;
  return __clinch_text();
}
