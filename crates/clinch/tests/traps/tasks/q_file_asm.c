extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int x = 3;
asm(".globl y\n.set y, x");
extern int y;
int main(void)
{
  y = 5;
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && x == 5) reach_error();
  return 0;
}
