// A recursive-descent recogniser of nested brackets, against a counter that never goes below zero and ends at zero. The
// text has up to eight bytes of input.
// expect: safe

#include <assert.h>

extern char __VERIFIER_nondet_char(void);

#define LENGTH 8

static char text[LENGTH + 1];
static int at;

// items = { '(' items ')' }
static int items(void) {
  while (text[at] == '(') {
    at++;
    if (!items())
      return 0;
    if (text[at] != ')')
      return 0;
    at++;
  }
  return 1;
}

static int accepts(void) {
  at = 0;
  return items() && text[at] == '\0';
}

static int balanced(void) {
  int open = 0;
  for (const char *p = text; *p; p++) {
    if (*p == '(')
      open++;
    else if (*p == ')')
      open--;
    else
      return 0;
    if (open < 0)
      return 0;
  }
  return open == 0;
}

int main(void) {
  for (int i = 0; i < LENGTH; i++) {
    text[i] = __VERIFIER_nondet_char();
    if (text[i] == '\0')
      break;
  }
  assert(accepts() == balanced());
  return 0;
}
