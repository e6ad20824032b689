// gcc makes `puts` of `printf`.
#include <assert.h>
#include <stdio.h>
int count;
int puts(const char *s) { return ++count; }
int main(void) {
  printf("x\n");
  assert(count == 0);
  return 0;
}
