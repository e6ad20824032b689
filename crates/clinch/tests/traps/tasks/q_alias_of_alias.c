// The target of an alias may be an alias.
#include <assert.h>
int first = 1;
extern int second __attribute__((alias("first")));
extern int third __attribute__((alias("second")));
int one(void) { return 1; }
int two(void) __attribute__((alias("one")));
int three(void) __attribute__((alias("two")));
int main(void) {
  third = 9;
  assert(!(*(volatile int *)&first == 9 && three() == 1));
  return 0;
}
