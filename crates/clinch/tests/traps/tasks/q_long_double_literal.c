extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && 0.1L != 0.1) reach_error();
  return 0;
}
