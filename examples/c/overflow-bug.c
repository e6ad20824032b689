// overflow.c with the usual formula, which is wrong for large numbers.
// expect: unsafe (overflow)

extern int __VERIFIER_nondet_int(void);

static int mean(int low, int high) { return (low + high) / 2; }

int main(void) {
  int low = __VERIFIER_nondet_int();
  int high = __VERIFIER_nondet_int();
  if (low < 0 || high < low)
    return 0;
  return mean(low, high) < low;
}
