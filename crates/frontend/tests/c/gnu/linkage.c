// Names by which the assembler and the linker know things.
int f(void) __asm__("other");
int other(void);
int h(void) { return f(); }
int x __asm__("shared") = 3;
extern int shared;
int f(void) { return 7; }

int real(void) { return 4; }
int alias(void) __attribute__((alias("real")));
int v = 3;
extern int w __attribute__((alias("v")));
__attribute__((weak)) int maybe(void) { return 1; }

int main(void) {
  if (h() != 7 || other() != 7 || shared != 3) return 1;
  shared = 5;
  if (x != 5) return 2;
  w = 6;
  if (alias() != 4 || alias != real || v != 6 || &v != &w) return 3;
  if (maybe() != 1) return 4;
  return 0;
}
