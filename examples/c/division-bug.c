// division.c without the case that all items are zero.
// expect: unsafe (arithmetic)

extern unsigned char __VERIFIER_nondet_uchar(void);

#define ITEMS 4

int main(void) {
  unsigned item[ITEMS], count = 0;
  for (int i = 0; i < ITEMS; i++) {
    item[i] = __VERIFIER_nondet_uchar();
    if (item[i] != 0)
      count++;
  }
  unsigned share = 100 / count;
  return share > 100;
}
