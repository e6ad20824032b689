int printf(const char *, ...); int puts(const char *); void abort(void); void exit(int); typedef unsigned long size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t); char *strcat(char *, const char *); int strcmp(const char *, const char *); char *strchr(const char *, int);
typedef struct node { struct node *l, *r; int key; char name[8]; } node;
static node pool[16]; static int used;
node *newn(int k) { node *n = &pool[used++]; n->key = k; n->l = n->r = ((void *)0); n->name[0] = 'a' + k % 26; n->name[1] = 0; return n; }
node *ins(node *t, int k) { if (!t) return newn(k); if (k < t->key) t->l = ins(t->l, k); else t->r = ins(t->r, k); return t; }
void walk(node *t, void (*f)(node *, void *), void *arg) { if (t) { walk(t->l, f, arg); f(t, arg); walk(t->r, f, arg); } }
void pr(node *n, void *a) { printf("%d%s ", n->key, n->name); ++*(int *)a; }
struct ring { unsigned head, tail; unsigned char data[8]; unsigned long count; };
void put(struct ring *r, int c) { r->data[r->tail++ % 8] = c; r->count++; }
int get(struct ring *r) { if (r->head == r->tail) return -1; return r->data[r->head++ % 8]; }
void swap(void *a, void *b, size_t n) { char *x = a, *y = b; while (n--) { char t = *x; *x++ = *y; *y++ = t; } }
int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
int even(int n); int odd(int n) { return n == 0 ? 0 : even(n - 1); } int even(int n) { return n == 0 ? 1 : odd(n - 1); }
void fill(int *a, int n) { int *e = a + n; for (int *p = a; p != e; ++p) *p = p - a; }
typedef union { struct { unsigned char a, b, c, d; } s; unsigned u; } pun;
struct A { int t; union { int i; long l; char *s; } v; };
long val(struct A a) { switch (a.t) { case 0: return a.v.i; case 1: return a.v.l; default: return strlen(a.v.s); } }
int *pick(int c, int *a, int *b) { return c ? a : b; }
static int counter(void) { static int c = 10; return c++; }
int deep(int n, int *out) { int local = n; if (n > 0) deep(n - 1, &local); *out += local; return *out; }
unsigned hash(const char *s) { unsigned h = 5381; while (*s) h = h * 33 ^ (unsigned char)*s++; return h; }
enum { RED, GREEN = 5, BLUE };
int main(void) {
  node *t = 0; int ks[] = {5, 2, 8, 1, 9, 3}; for (unsigned i = 0; i < sizeof ks / sizeof *ks; i++) t = ins(t, ks[i]);
  int cnt = 0; walk(t, pr, &cnt); printf("%d\n", cnt);
  struct ring r = {0}; for (int i = 0; i < 12; i++) { put(&r, i * 20); if (i % 3 == 0) printf("%d ", get(&r)); } printf("%lu\n", r.count);
  long a = 0x1122334455667788, b = -1; swap(&a, &b, sizeof a); printf("%lx %lx\n", a, b);
  double d1 = 1.0, d2 = 2.0; swap(&d1, &d2, sizeof d1);
  printf("%d %d %d\n", gcd(48, 36), even(10), odd(7));
  int arr[6]; fill(arr, 6); printf("%d %d\n", arr[5], arr[0]);
  pun p; p.u = 0xdeadbeef; p.s.b = 0; printf("%x %x\n", p.u, p.s.d);
  struct A as[3] = {{0, {.i = 4}}, {1, {.l = 1L << 33}}, {2, {.s = "abcd"}}}; for (int i = 0; i < 3; i++) printf("%ld ", val(as[i])); puts("");
  int x = 1, y = 2; *pick(used > 100, &x, &y) = 9; printf("%d %d\n", x, y);
  counter(); printf("%d\n", counter() + 100);
  int o = 0; deep(4, &o); printf("%d\n", o);
  printf("%u %d %d\n", hash("hello"), BLUE, RED);
  char s[] = "abc"; s[1] -= 32; char *e = s; while (*++e); printf("%s %d\n", s, (int)(e - s));
  int (*row)[3]; int m[2][3] = {{1}, {2, 3}}; row = m; row++; printf("%d %d\n", (*row)[1], row[-1][0]);
  short sh[4] = {1, -2, 3}; int *ip = (int *)sh; printf("%x %x\n", ip[0], ip[1]);
  unsigned long long ull = ~0ULL; printf("%llu %lld %d\n", ull, (long long)ull, (int)(ull % 1000));
  struct { int a; struct { char b; short c; } in[2]; } ns = {1, {{2, 3}, {4, 5}}}, ns2; ns2 = ns; ns2.in[1].c = 7; printf("%d %d %d\n", ns.in[1].c, ns2.in[1].c, ns2.in[0].b);
  int *dyn = calloc(4, sizeof *dyn); dyn[2] += 3; printf("%d %d\n", dyn[1], dyn[2]); free(dyn);
  int tern = x ? y ? 1 : 2 : 3; printf("%d %d\n", tern, x ?: 7);
  _Bool bo = 256; bo += 5; printf("%d %d\n", bo, !bo);
  for (int i = 0, j = 10; i < j; i += 3, j--) { if (i == 3) continue; printf("%d,%d ", i, j); } puts("");
  unsigned char bytes[4] = {1, 2, 3, 4}; unsigned w; memcpy(&w, bytes, 4); printf("%x\n", w);
  int i = 5; i--; --i; printf("%d\n", i);
  printf("%d %d\n", __builtin_popcount(0xf0f0), __builtin_ctz(8)); int ov; int over = __builtin_add_overflow(2147483647, 1, &ov); printf("%d %d\n", over, ov);
  exit(x + y == 10 ? 3 : 4);
}
