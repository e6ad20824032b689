// Lengths that are known at run time are evaluated once, where the type is written.
int k;
int f(int n, int a[k++]) { return n; }
int g(int n, int a[n][3]) { return a[1][2]; }

int main(void) {
  int z[3];
  int w[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  f(1, z);
  int n = 2;
  typedef int T[n++];
  T x;
  __typeof__(x) y;
  __typeof__(int[n++]) u;
  int(*p)[n++] = 0;
  y[1] = 2;
  if (k != 1 || n != 5) return 1;
  if (sizeof x != 8 || sizeof y != 8 || sizeof u != 12 || sizeof(T) != 8) return 2;
  if (g(2, w) != 6 || p != 0) return 3;
  return 0;
}
