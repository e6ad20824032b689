// An atomic record is aligned to its size, if that is one of the processor's.
#include <assert.h>
struct U { int a, b; };
struct A { char a; _Atomic struct U u; };
struct B { char a; _Atomic(struct U) u; };
int main(void) {
  assert(!(sizeof(struct A) == 16 && sizeof(struct B) == 16));
  return 0;
}
