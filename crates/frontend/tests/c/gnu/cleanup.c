// A clean-up function runs whichever way its block is left, after the value of `return` is computed.
int seen[16], n;
void note(int *p) { seen[n++] = *p; }

int f(int k) {
  int a __attribute__((cleanup(note))) = 1;
  for (int i = 0; i < 3; i++) {
    int b __attribute__((cleanup(note))) = 10 + i;
    if (i == k) break;
    if (i == 1) continue;
    {
      int d __attribute__((__cleanup__(note))) = 20;
      if (k == 9) goto out;
    }
  }
  return a++;
out:
  return 5;
}

int g(void) {
  int v = ({ int z __attribute__((cleanup(note))) = 3; z + 1; });
  return v;
}

int same(int count, const int *wanted) {
  if (n != count) return 0;
  for (int i = 0; i < count; i++)
    if (seen[i] != wanted[i]) return 0;
  n = 0;
  return 1;
}

int main(void) {
  int loops[] = { 20, 10, 11, 12, 2 }, jumps[] = { 20, 10, 1 }, values[] = { 3 };
  if (f(2) != 1 || !same(5, loops)) return 1;
  if (f(9) != 5 || !same(3, jumps)) return 2;
  if (g() != 4 || !same(1, values)) return 3;
  return 0;
}
