// Labels of a block, and a label before the value of a statement expression.
#define FIRST(x) ({ __label__ out; int r = 0; if (x) goto out; r = 1; out: r; })

int main(void) {
  int s = 0;
  {
    __label__ l;
    goto l;
    s = 1;
  l:
    s += 2;
  }
  {
    __label__ l;
    goto l;
    s = 100;
  l:
    s += 4;
  }
  if (s != 6) return 1;
  if (FIRST(0) != 1 || FIRST(1) != 0) return 2;
  return 0;
}
