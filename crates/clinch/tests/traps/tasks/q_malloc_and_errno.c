// A `malloc` that succeeds may have set `errno` before.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
int main(void) {
  errno = 0;
  char *p = malloc(100000);
  if (p)
    assert(errno == 0);
  return 0;
}
