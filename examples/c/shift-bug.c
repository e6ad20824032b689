// shift.c without the case that all bits are asked for.
// expect: unsafe (arithmetic)

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned mask(unsigned bits) { return (1u << bits) - 1; }

int main(void) {
  unsigned bits = __VERIFIER_nondet_uint();
  if (bits > 32)
    return 0;
  return mask(bits) == 12;
}
