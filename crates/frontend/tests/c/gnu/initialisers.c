// A range is evaluated once; a later designator wins, beside a bit-field too.
int calls;
int f(void) { return ++calls; }
struct p { int a, b; };
struct s { int x; int b : 4; int y; } s = { .x = 5, .b = 1, .x = 0, .y = 6, .y = 0 };

int main(void) {
  int a[3] = { [0 ... 2] = f() };
  struct p q[4] = { [1 ... 2] = { f(), 7 } };
  if (calls != 2) return 1;
  if (a[0] != 1 || a[2] != 1 || q[1].a != 2 || q[2].a != 2 || q[1].b != 7 || q[3].a != 0) return 2;
  if (s.x != 0 || s.b != 1 || s.y != 0) return 3;
  return 0;
}
