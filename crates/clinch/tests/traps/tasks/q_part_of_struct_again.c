extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
struct p { int x, y; };
struct q { struct p a, b; };
static struct p p = { 1, 2 };
int main(void)
{
  struct q l = { .a = p, .a.y = 9 };
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && l.a.x == 0) reach_error();
  return 0;
}
