// Arrays of arrays whose lengths are computed.
int printf(const char *, ...);

struct pair {
  char tag;
  int value;
};

static int sum(const int *row, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += row[i];
  return s;
}

static int corner(int rows, int columns) {
  int table[rows][columns];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) table[i][j] = 10 * i + j;
  printf("%d %d %d\n", (int)sizeof table, (int)sizeof table[0], (int)sizeof table[0][0]);
  int *flat = &table[0][0];
  typeof(table[0]) row;
  row[columns - 1] = 5;
  printf("%d %d\n", (int)sizeof row, row[columns - 1]);
  printf("%d %d %d\n", flat[columns], *(*(table + 1) + 1), 1 [table][0]);
  return sum(table[rows - 1], columns);
}

static void grow(void) {
  for (unsigned char n = 1; n < 4; n++) {
    long cube[2][n][n + 1];
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k <= n; k++) cube[i][j][k] = i * 100 + j * 10 + k;
    printf("%d %d %d: %ld\n", (int)sizeof cube, (int)sizeof cube[1], (int)sizeof cube[1][0], cube[1][n - 1][n]);
  }
}

static void constant_inside(int n) {
  short mixed[n][3][n];
  mixed[n - 1][2][n - 1] = 7;
  mixed[n - 1][1][n - 1] = 8;
  mixed[0][2][0] = 9;
  printf("%d %d %d\n", (int)sizeof mixed, (int)sizeof mixed[0], (int)sizeof mixed[0][0]);
  printf("%d %d %d\n", mixed[n - 1][2][n - 1], mixed[n - 1][1][n - 1], mixed[0][2][0]);
  printf("%d\n", (int)((char *)&mixed[1][2][3] - (char *)&mixed[0][0][0]));
}

static void records(int n) {
  struct pair grid[n + 1][n];
  for (int i = 0; i <= n; i++)
    for (int j = 0; j < n; j++) {
      grid[i][j].tag = (char)('a' + i);
      grid[i][j].value = i * n + j;
    }
  struct pair *p = grid[1];
  printf("%c %d %c %d %d\n", grid[n][0].tag, grid[n][n - 1].value, p[1].tag, (p + n)->value, (int)sizeof grid);
}

static void changed_later(void) {
  int n = 3;
  int a[2][n];
  n = 100;
  a[1][0] = 5;
  a[0][2] = 4;
  printf("%d %d %d\n", a[1][0], (&a[0][0])[2], (int)sizeof a[0]);
  n = 0;
  char b[2][++n];
  printf("%d %d\n", n, (int)sizeof b);
}

static void typedefs(int n) {
  typedef int square[n][n];
  n++;
  square a;
  a[1][1] = 42;
  printf("%d %d %d\n", a[1][1], (int)sizeof a, (int)sizeof(square));
}

static void pointers(int n) {
  int x = 1, y = 2;
  int *names[n][n];
  names[0][1] = &x;
  names[1][0] = &y;
  *names[0][1] += *names[1][0];
  printf("%d %d\n", x, **(names[1]));
}

int main(void) {
  printf("%d\n", corner(3, 4));
  printf("%d\n", corner(2, 2));
  grow();
  constant_inside(4);
  records(3);
  changed_later();
  typedefs(2);
  pointers(2);
  return 0;
}
