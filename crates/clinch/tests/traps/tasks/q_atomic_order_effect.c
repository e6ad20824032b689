extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
static int i, x;
int main(void)
{
  __atomic_store_n(&x, 1, (i++, 5));
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && i == 1) reach_error();
  return 0;
}
