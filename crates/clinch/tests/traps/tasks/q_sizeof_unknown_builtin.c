// A builtin that is not known has a type all the same.
#include <assert.h>
int main(void) {
  assert(sizeof(__builtin_FUNCTION()) != 8);
  return 0;
}
