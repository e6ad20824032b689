// gcc gives a bit-field a type of its own.
#include <assert.h>
struct { unsigned char b : 3; } bf;
int main(void) {
  assert(_Generic(bf.b, unsigned char: 1, default: 2) == 1);
  return 0;
}
