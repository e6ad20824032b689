extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
struct S { int a, b, c, d, e; };
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  struct S s = { 1, 2, 3, 4, 5 };
  int r = 1;
  if (n * 2654435761u == 0x12345678u) r = f((unsigned)7, s);
  if (r != 1) reach_error();
  return 0;
}
int f(struct S s, int x) { return s.a; }
