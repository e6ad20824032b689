// `getenv` looks into `environ`.
#include <assert.h>
#include <stdlib.h>
extern char **environ;
char b[] = "B=x";
char *e[] = {b, 0};
int main(void) {
  environ = e;
  char *s = getenv("B");
  if (s)
    *s = 'q';
  assert(b[2] == 'x');
  return 0;
}
