// A mask of the lowest bits of a word.
// expect: safe

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned mask(unsigned bits) { return bits < 32 ? (1u << bits) - 1 : ~0u; }

int main(void) {
  unsigned bits = __VERIFIER_nondet_uint();
  if (bits > 32)
    return 0;
  return mask(bits) == 12;
}
