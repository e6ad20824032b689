extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int lg; void cl(int *p) { lg = lg * 10 + *p; }
int main(void) {
  if (__VERIFIER_nondet_uint() * 2654435761u != 0x12345678u) return 0;
  int k = 0;
again:;
  __attribute__((cleanup(cl))) int a = ++k;
  if (k < 3) goto again;
  if (lg == 12) reach_error();
}
