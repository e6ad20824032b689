// Types of builtins and of complex integers.
#include <assert.h>
char c[4];
int main(void) {
  char *p = __builtin_assume_aligned(c, 1) + 1;
  *p = 3;
  assert(sizeof(__builtin_assume_aligned(c, 1)) == 8 && sizeof(_Complex short) == 4 && sizeof(_Complex long) == 16 &&
         _Generic(__builtin_bswap64(1), unsigned long: 1, default: 2) == 1 && c[1] == 3);
  return 0;
}
