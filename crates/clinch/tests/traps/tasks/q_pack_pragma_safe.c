// gcc reads `#pragma pack` at the closing brace, and ignores what it cannot read.
#include <assert.h>
#pragma pack(2)
#pragma pack(push, foo, 4)
#pragma pack(pop, foo)
struct A { char a; int b; };
#pragma pack(push, bar)
struct B { char a; int b; };
#pragma pack(pop)
#pragma pack(pop)
#pragma pack(0x1u)
struct C { char a; int b; };
#pragma pack(3)
struct D { char a; int b; };
#pragma pack()
struct E { char a;
#pragma pack(push, 1)
  int b; };
#pragma pack(pop)
struct F { char a;
#pragma pack(1)
  int b;
#pragma pack()
};
int main(void) {
  assert(sizeof(struct A) == 6 && sizeof(struct B) == 6 && sizeof(struct C) == 5 && sizeof(struct D) == 5 &&
         sizeof(struct E) == 5 && sizeof(struct F) == 8);
  return 0;
}
