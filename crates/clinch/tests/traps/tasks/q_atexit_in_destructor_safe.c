// What a destructor registers runs when all destructors have run.
#include <assert.h>
#include <stdlib.h>
static int done;
static void late(void) { assert(done == 1); }
__attribute__((destructor(102))) static void earlier(void) { atexit(late); }
__attribute__((destructor(101))) static void later(void) { done = 1; }
static void nothing(void) {}
int main(void) {
  atexit(nothing);
  return 0;
}
