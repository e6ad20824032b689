extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
static char pool[1000];
static int used;
void *malloc(unsigned long size)
{
  void *p = pool + used;
  used += size;
  return p;
}
int main(void)
{
  char *q = __builtin_malloc(16);
  q[0] = 'x';
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && used != 16) reach_error();
  return 0;
}
