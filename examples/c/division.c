// The share of each of the items that are not zero, if there are some.
// expect: safe

extern unsigned char __VERIFIER_nondet_uchar(void);

#define ITEMS 4

int main(void) {
  unsigned item[ITEMS], count = 0;
  for (int i = 0; i < ITEMS; i++) {
    item[i] = __VERIFIER_nondet_uchar();
    if (item[i] != 0)
      count++;
  }
  unsigned share = count > 0 ? 100 / count : 0;
  return share > 100;
}
