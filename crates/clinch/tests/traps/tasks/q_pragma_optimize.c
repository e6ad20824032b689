// An option of the compiler that changes the language.
#include <assert.h>
#pragma GCC optimize("short-enums")
enum e { X };
int main(void) {
  assert(sizeof(enum e) != 1);
  return 0;
}
