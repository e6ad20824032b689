// gcc takes `abs` for the library's, whatever the program says.
#include <assert.h>
int abs(int x) { return x + 1; }
int n = 5;
int main(void) {
  assert(abs(n) == 6);
  return 0;
}
