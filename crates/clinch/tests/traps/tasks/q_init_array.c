extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
static int g;
static void set(void) { g = 5; }
static void (*at_start)(void) __attribute__((section(".init_array"), used)) = set;
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && g == 5) reach_error();
  return 0;
}
