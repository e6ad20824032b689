// McCarthy's 91 function: a doubly recursive function that is 91 up to 101 and n - 10 above.
// expect: safe

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

static int f91(int n) {
  if (n > 100)
    return n - 10;
  return f91(f91(n + 11));
}

int main(void) {
  int n = __VERIFIER_nondet_uchar();
  int expected = n <= 101 ? 91 : n - 10;
  if (f91(n) != expected)
    reach_error();
  return 0;
}
