// A postfix calculator with a stack of four numbers: digits are pushed, `+`, `-` and `*` take two and push one, `=` ends.
// expect: safe

#include <assert.h>

extern char __VERIFIER_nondet_char(void);

#define DEPTH 4

static int stack[DEPTH];
static int top;

static int push(int value) {
  if (top == DEPTH)
    return 0;
  stack[top++] = value;
  return 1;
}

static int pop(void) {
  assert(top > 0);
  return stack[--top];
}

static int operate(char op) {
  if (top < 2)
    return 0;
  int right = pop(), left = pop();
  switch (op) {
  case '+':
    return push(left + right);
  case '-':
    return push(left - right);
  default:
    return push(left * right);
  }
}

int main(void) {
  for (;;) {
    char c = __VERIFIER_nondet_char();
    int ok;
    if (c >= '0' && c <= '9')
      ok = push(c - '0');
    else if (c == '+' || c == '-' || c == '*')
      ok = operate(c);
    else
      break;
    if (!ok)
      return 1;
  }
  return top == 1 ? 0 : 2;
}
