int printf(const char *, ...); int puts(const char *); void abort(void); void exit(int); typedef unsigned long size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t); char *strcat(char *, const char *); int strcmp(const char *, const char *); char *strchr(const char *, int);
union U { int i; unsigned char b[4]; short s[2]; float f; };
struct B { unsigned a:3; int b:5; unsigned c:20; char d; _Bool e:1; };
struct P { int x; char c; long l; };
struct Q { struct P p[2]; int n; struct P *link; };
struct List { int v; struct List *next; };
struct P mk(int x) { struct P p = {x, (char)(x+1), x*100L}; return p; }
union U mku(int i) { union U u; u.i = i; return u; }
int useu(union U u) { u.b[0]++; return u.i; }
struct Q mkq(int k) { struct Q q; q.p[0] = mk(k); q.p[1] = mk(k+1); q.n = 2; q.link = 0; return q; }
int sumq(struct Q q) { int s = 0; for (int i = 0; i < q.n; i++) s += q.p[i].x + q.p[i].c + (int)q.p[i].l; q.n = 77; return s; }
int fact(int n) { int r; int *p = &r; if (n <= 1) *p = 1; else { *p = n; int k = fact(n-1); *p *= k; } return r; }
static int cmp(int a, int b) { return a < b ? -1 : a > b; }
static int add(int a, int b) { return a + b; }
int (*ops[3])(int,int) = { cmp, add, 0 };
int gx = 5, *gp = &gx; char *msg[] = {"one", "two", "three"}; int mat[2][3] = {{1,2,3},{4,5,6}};
struct P gps[3] = { [1] = {.x = 7, .l = -3}, [2] = {1, 'z', 9} };
int main(void) {
  union U u; u.i = 0x01020304; printf("%d %d %d %d %d\n", u.b[0], u.b[3], u.s[0], u.s[1], sizeof u);
  u.b[1] = 0xff; printf("%x\n", u.i); u.f = 1.5f; printf("%x\n", u.i);
  struct B b = {5, -3, 100000, 'x', 1}; b.a += 4; b.b--; b.c ^= 0xfffff; printf("%u %d %u %c %d %d\n", b.a, b.b, b.c, b.d, b.e, (int)sizeof b);
  struct B b2 = b; b2.a = 9; printf("%u %u", b.a, b2.a); printf(" %d\n", (b2.b = 31));
  struct P p = mk(3), q = p; q.x++; printf("%d %d %d %ld\n", p.x, q.x, q.c, mk(4).l);
  printf("%d %d\n", useu(mku(255)), mku(7).b[0]);
  struct Q Q1 = mkq(10); printf("%d %d\n", sumq(Q1), Q1.n); Q1.link = &Q1.p[1]; Q1.link->x = 55; printf("%d\n", Q1.p[1].x);
  struct Q *qp = malloc(sizeof *qp); *qp = Q1; qp->p[0].c = 'A'; printf("%d %c %d\n", sumq(*qp), qp->p[0].c, ((struct Q *)((char *)(&qp->n) - __builtin_offsetof(struct Q, n))) == qp);
  printf("%d\n", fact(10));
  for (int i = 0; i < 2; i++) printf("%d ", ops[i](i, 1)); puts("");
  *gp = 9; printf("%d %s %c %d\n", gx, msg[2], msg[1][1], mat[1][2]);
  int *flat = (int*)mat; int s = 0; for (int i = 0; i < 6; i++) s = s*10 + flat[i]; printf("%d\n", s);
  printf("%d %ld %c\n", gps[1].x, gps[1].l, gps[2].c);
  struct List *head = 0; for (int i = 0; i < 5; i++) { struct List *n = malloc(sizeof *n); n->v = i*i; n->next = head; head = n; }
  for (struct List *l = head; l; l = l->next) printf("%d ", l->v); puts("");
  while (head) { struct List *n = head->next; free(head); head = n; }
  char buf[32]; strcpy(buf, "hello"); strcat(buf, ", world"); printf("%s %d %d %d %s\n", buf, (int)strlen(buf), strcmp(buf, "help") < 0, memcmp("abc", "abd", 3) < 0, strchr(buf, 'w'));
  char b3[8]; strncpy(b3, "ab", 8); printf("%d %d %d\n", b3[1], b3[2], b3[7]);
  int arr[5] = {1,2,3,4,5}, cp[5]; memcpy(cp, arr, sizeof arr); memmove(cp+1, cp, 4*sizeof(int)); for (int i = 0; i < 5; i++) printf("%d ", cp[i]); puts("");
  memset(cp, 0, sizeof cp); memset(arr, 0xff, 8); printf("%d %d %d %d\n", cp[3], arr[0], arr[1], arr[2]);
  int *r = malloc(3*sizeof(int)); r[0]=1;r[1]=2;r[2]=3; r = realloc(r, 6*sizeof(int)); r[5] = r[2]; printf("%d %d\n", r[1], r[5]); free(r);
  int n = 4; int vla[n]; for (int i = 0; i < n; i++) vla[i] = i*3; printf("%d %d\n", vla[3], (int)sizeof vla);
  struct P *lit = &(struct P){1,2,3}; lit->x += 10; printf("%d %ld\n", lit->x, lit->l);
  int x = 3; x = x + 2; int y = (x += 2, x * 2); printf("%d %d\n", x, y);
  unsigned char uc = 250; uc += 10; signed char sc = 127; sc++; short sh = -1; unsigned us = sh; printf("%d %d %u %d\n", uc, sc, us, sh >> 1);
  long long ll = 1LL << 40; printf("%lld %d %d\n", ll, (int)(ll >> 38), -7 / 2); printf("%d %d %u\n", -7 % 3, 7 % -3, -7u % 3);
  int i = 0; goto mid; for (; i < 3; i++) { int t[2]; mid: t[0] = i; printf("%d;", t[0]); } puts("");
  switch (x) { int k; case 1: k = 1; break; case 7: k = 2; printf("k%d\n", k); default: puts("dflt"); break; case 100 ... 200: puts("no"); }
  int z = ({ int a = 3; a * 2; }) + 1; printf("%d\n", x > 3 && z++ < 10 ? z : -z);
  char *cs = (char*)&n; int bytes = 0; for (unsigned k = 0; k < sizeof n; k++) bytes += cs[k]; printf("%d\n", bytes);
  long pi = (long)&gx; int *back = (int*)pi; *back = 123; printf("%d\n", gx);
  do { x--; if (x == 3) continue; if (x == 1) break; } while (x > 0); printf("%d\n", x);
  int m3[2][2][2]; for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) for (int c = 0; c < 2; c++) m3[a][b][c] = a*4+b*2+c; printf("%d %d\n", m3[1][0][1], *(**m3 + 5));
  return 42;
}
