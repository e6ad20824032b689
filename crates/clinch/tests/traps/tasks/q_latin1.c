extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#include <string.h>
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  if (n * 2654435761u == 0x12345678u && strlen("é") == 1 && "é"[0] == -23) reach_error();
  return 0;
}
