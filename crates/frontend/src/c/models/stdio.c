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

/* One character of formatted output to memory, if there is room for it and the one that ends the text. */
static void __clinch_put(char *to, size_t n, size_t at, char c) {
  if (at + 1 < n)
    to[at] = c;
}

/* So many blanks or zeros; the place behind them. */
static size_t __clinch_put_padding(char *to, size_t n, size_t at, char c, size_t count) {
  for (size_t i = 0; i < count; i++)
    __clinch_put(to, n, at + i, c);
  return at + count;
}

size_t __clinch_put_text(char *to, size_t n, size_t at, const char *text, size_t most, size_t width, int pad) {
  size_t length = 0;
  while (length < most && text[length])
    length++;
  size_t missing = length < width ? width - length : 0;
  if (pad != '-')
    at = __clinch_put_padding(to, n, at, ' ', missing);
  for (size_t i = 0; i < length; i++)
    __clinch_put(to, n, at + i, text[i]);
  at += length;
  return pad == '-' ? __clinch_put_padding(to, n, at, ' ', missing) : at;
}

size_t __clinch_put_char(char *to, size_t n, size_t at, int c, size_t width, int pad) {
  size_t missing = width > 1 ? width - 1 : 0;
  if (pad != '-')
    at = __clinch_put_padding(to, n, at, ' ', missing);
  __clinch_put(to, n, at, (char)c);
  return pad == '-' ? __clinch_put_padding(to, n, at + 1, ' ', missing) : at + 1;
}

/* What stands before the digits of a number; the place behind it. */
static size_t __clinch_put_sign(char *to, size_t n, size_t at, int negative, size_t missing, int pad) {
  if (pad == 0)
    at = __clinch_put_padding(to, n, at, ' ', missing);
  if (negative)
    __clinch_put(to, n, at++, '-');
  return pad == '0' ? __clinch_put_padding(to, n, at, '0', missing) : at;
}

/* A digit; letter is what the conversion is called. */
static char __clinch_shown_digit(unsigned digit, int letter) {
  return (char)(digit < 10 ? '0' + digit : (letter == 'X' ? 'A' : 'a') + (digit - 10));
}

static size_t __clinch_put_digits_W(char *to, size_t n, size_t at, WORD value, int negative, int letter, size_t width, int pad) {
  size_t digits = 1;
  if (letter == 'x' || letter == 'X')
    for (WORD v = value; v >= 16; v >>= 4)
      digits++;
  else if (letter == 'o')
    for (WORD v = value; v >= 8; v >>= 3)
      digits++;
  else
    for (WORD v = value; v >= 10; v /= 10)
      digits++;
  size_t shown = digits + (negative ? 1 : 0);
  size_t missing = shown < width ? width - shown : 0;
  at = __clinch_put_sign(to, n, at, negative, missing, pad);
  for (size_t i = digits; i > 0; i--) {
    unsigned digit = letter == 'o' ? value & 7 : letter == 'x' || letter == 'X' ? value & 15 : value % 10;
    __clinch_put(to, n, at + i - 1, __clinch_shown_digit(digit, letter));
    value = letter == 'o' ? value >> 3 : letter == 'x' || letter == 'X' ? value >> 4 : value / 10;
  }
  at += digits;
  return pad == '-' ? __clinch_put_padding(to, n, at, ' ', missing) : at;
}

size_t __clinch_put_signed_W(char *to, size_t n, size_t at, NUMBER value, size_t width, int pad) {
  return __clinch_put_digits_W(to, n, at, value < 0 ? -(WORD)value : value, value < 0, 'd', width, pad);
}

size_t __clinch_put_unsigned_W(char *to, size_t n, size_t at, WORD value, int letter, size_t width, int pad) {
  return __clinch_put_digits_W(to, n, at, value, 0, letter, width, pad);
}

/* Ends formatted output to memory; the length that it would have with room for all of it. */
int __clinch_put_end(char *to, size_t n, size_t at) {
  if (n)
    to[at < n ? at : n - 1] = 0;
  return (int)at;
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
