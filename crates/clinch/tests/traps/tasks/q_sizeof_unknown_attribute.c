// An attribute that changes the size of a record.
#include <assert.h>
struct __attribute__((ms_struct)) s { char a : 3; int b : 5; char c : 2; };
int main(void) {
  assert(sizeof(struct s) != 12);
  return 0;
}
