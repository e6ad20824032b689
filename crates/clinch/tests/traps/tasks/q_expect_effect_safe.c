extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
static int i;
static int effect(void) { return ++i; }
int main(void)
{
  long r = __builtin_expect(0, effect());
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && (i != 1 || r)) reach_error();
  return 0;
}
