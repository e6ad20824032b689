extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  int r = -1;
  if (n * 2654435761u == 0x12345678u) r = f(-1);
  if (r != -1) reach_error();
  return 0;
}
int f(long x) { return x == -1 ? -1 : 0; }
