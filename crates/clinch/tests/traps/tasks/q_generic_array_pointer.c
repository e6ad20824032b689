extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  int r = _Generic((int (*)[3])0, int (*)[]: 1, default: 2);
  if (n * 2654435761u == 0x12345678u && r == 1) reach_error();
  return 0;
}
