// The linker knows where a section starts.
#include <assert.h>
int x __attribute__((section("mysec"), used)) = 1;
extern int __start_mysec;
int main(void) {
  __start_mysec = 9;
  assert(*(volatile int *)&x == 1);
  return 0;
}
