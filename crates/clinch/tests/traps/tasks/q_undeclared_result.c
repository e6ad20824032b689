extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
static char s1[16] = "aad/cc.adab";
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  char *p1 = 0;
  if ((n ^ n >> 15) == 0x9d2c5680u) {
    p1 = memmem(s1, sizeof s1, "/", 1);
    *p1 = 'x';
  }
  if ((long long)(s1[0] + s1[1] * 3 + s1[2] * 5 + s1[3] * 7 + s1[4] * 11 + s1[5] * 13 + s1[6] * 17) == 4886LL) reach_error();
  return 0;
}
