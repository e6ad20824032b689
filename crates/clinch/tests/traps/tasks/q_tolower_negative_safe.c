// glibc looks negative characters up in a table.
#include <assert.h>
#include <ctype.h>
int main(void) {
  assert(tolower(-50) == 206 && toupper((char)0xe9) == 233 && tolower(-1) == -1 && tolower(300) == 300);
  return 0;
}
