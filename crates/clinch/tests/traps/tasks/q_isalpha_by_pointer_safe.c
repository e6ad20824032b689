// Whether it is zero is fixed.
#include <assert.h>
#include <ctype.h>
int main(void) {
  int (*f)(int) = isalpha;
  assert(f('a') && !f('1'));
  return 0;
}
