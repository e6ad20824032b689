// The result is not 1 in glibc.
#include <assert.h>
#include <ctype.h>
int main(void) {
  int (*f)(int) = isalpha;
  assert(f('a') == 1);
  return 0;
}
