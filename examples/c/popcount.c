// Bit tricks on bytes: the number of ones by masks and sums, the lowest one, powers of two, each against a plain loop.
// expect: safe

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

static void check(int condition) {
  if (!condition)
    reach_error();
}

static unsigned ones(unsigned char x) {
  x = x - (x >> 1 & 0x55);
  x = (x & 0x33) + (x >> 2 & 0x33);
  return (x + (x >> 4)) & 0x0f;
}

int main(void) {
  unsigned char x = __VERIFIER_nondet_uchar();
  unsigned count = 0, lowest = 0;
  for (int i = 7; i >= 0; i--)
    if (x >> i & 1) {
      count++;
      lowest = 1u << i;
    }
  check(ones(x) == count);
  check((x & -x) == (int)lowest);
  check((x != 0 && (x & (x - 1)) == 0) == (count == 1));
  return 0;
}
