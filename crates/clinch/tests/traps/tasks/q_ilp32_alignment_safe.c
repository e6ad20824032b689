// In records of ILP32 eight bytes are aligned to four, unless they are atomic.
#include <assert.h>
struct A { unsigned long long m : 64; int k; };
struct B { char a; _Alignas(long long) char b; };
struct C { char a; _Atomic long long b; };
int main(void) {
  assert(sizeof(struct A) == 12 && sizeof(struct B) == 8 && sizeof(struct C) == 16);
  return 0;
}
