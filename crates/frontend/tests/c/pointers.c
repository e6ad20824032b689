int printf(const char *, ...); int puts(const char *); void abort(void); void exit(int); typedef unsigned long size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t); char *strcat(char *, const char *); int strcmp(const char *, const char *); char *strchr(const char *, int);
struct list_head { struct list_head *next, *prev; };
struct item { int id; struct list_head link; char tag[4]; int w; };
static struct list_head head = { &head, &head };
void add(struct list_head *n) { n->next = head.next; n->prev = &head; head.next->prev = n; head.next = n; }
struct base { int kind; }; struct d1 { struct base b; int a; }; struct d2 { struct base b; char c; long l; };
int get(struct base *b) { switch (b->kind) { case 1: return ((struct d1*)b)->a; case 2: return ((struct d2*)b)->l + ((struct d2 *)b)->c; } return -1; }
struct vt { int (*f)(void *self, int); void (*g)(void *); }; struct obj { const struct vt *vt; int st; };
int f1(void *s, int x) { return ((struct obj*)s)->st += x; } void g1(void *s) { ((struct obj*)s)->st = 0; }
int f2(void *s, int x) { return ((struct obj*)s)->st * x; } void g2(void *s) { ((struct obj*)s)->st = 1; }
static const struct vt v1 = { f1, g1 }, v2 = { f2, g2 };
void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
struct mix { char name[6]; short s; int arr[3]; int tail; };
void clear(void *p, int n) { unsigned char *c = p; for (int i = 0; i < n; i++) c[i] = 0; }
int total(int argc, const int *v) { int t = 0; while (argc--) t += *v++; return t; }
struct big { int v[100]; int n; };
struct big mkbig(int n) { struct big b; b.n = n; for (int i = 0; i < 100; i++) b.v[i] = i * n; return b; }
long sumbig(struct big b) { long s = 0; for (int i = 0; i < 100; i++) s += b.v[i]; return s + b.n; }
struct pt { int x, y; }; struct rect { struct pt a, b; };
struct rect mkr(struct pt a, struct pt b) { struct rect r = { a, b }; return r; }
int area(struct rect r) { return (r.b.x - r.a.x) * (r.b.y - r.a.y); }
struct pt *maxp(struct pt *a, struct pt *b) { return a->x > b->x ? a : b; }
int fib(int n) { int memo[2] = {0, 1}; if (n < 2) return memo[n]; int a = fib(n-1); memo[0] = a; return memo[0] + fib(n-2); }
int main(void) {
  struct item *its[3]; for (int i = 0; i < 3; i++) { its[i] = malloc(sizeof **its); its[i]->id = i; its[i]->w = i * 11; memcpy(its[i]->tag, "abc", 4); its[i]->tag[0] += i; add(&its[i]->link); }
  for (struct list_head *l = head.next; l != &head; l = l->next) { struct item *it = ((struct item *)((char *)(l) - __builtin_offsetof(struct item, link))); printf("%d %s %d; ", it->id, it->tag, it->w); } puts("");
  struct d1 a = {{1}, 10}; struct d2 b = {{2}, 3, 40}; struct base *bs[] = { &a.b, (struct base*)&b }; printf("%d %d\n", get(bs[0]), get(bs[1])); a.b.kind = 7; printf("%d\n", get(bs[0]));
  struct obj o1 = { &v1, 5 }, o2 = { &v2, 6 }, *os[2] = { &o1, &o2 }; for (int i = 0; i < 2; i++) { printf("%d ", os[i]->vt->f(os[i], 3)); os[i]->vt->g(os[i]); } printf("%d %d\n", o1.st, o2.st);
  int *x = xmalloc(4 * sizeof(int)); long *y = xmalloc(2 * sizeof(long)); x[3] = 4; y[1] = 5; x[2] = 1; printf("%d %ld\n", x[3] + x[2], y[1]);
  struct mix m = { "hello", 3, {1, 2, 3}, 9 }; m.name[5] = 0; m.arr[1] += m.s; int *p = m.arr; p++; *p = *p * 2; printf("%s %d %d %d\n", m.name, m.arr[1], m.arr[2], m.tail);
  struct mix m2; memcpy(&m2, &m, sizeof m); m2.tail++; printf("%s %d %d\n", m2.name, m2.tail, m.tail); clear(&m2, sizeof m2); printf("%d %d %d\n", m2.tail, m2.arr[1], m.arr[1]);
  struct mix ms[2]; memset(ms, 0, sizeof ms); ms[1] = m; printf("%d %d %s\n", ms[0].tail, ms[1].arr[2], ms[1].name);
  int vs[] = {1,2,3,4}; printf("%d %d\n", total(4, vs), total(2, vs + 2)); int *last = &vs[3]; printf("%d %d\n", last[-1], *(last - 3));
  struct big bg = mkbig(3), bg2 = bg; bg2.v[99] = 0; printf("%ld %ld %d\n", sumbig(bg), sumbig(bg2), mkbig(2).v[50]);
  struct rect r = mkr((struct pt){1, 2}, (struct pt){4, 6}); printf("%d %d\n", area(r), mkr(r.b, r.a).a.x); maxp(&r.a, &r.b)->y = 100; printf("%d %d\n", r.b.y, area(r));
  struct pt pts[4] = {{1,1},{2,2},{3,3},{4,4}}; struct pt *e = pts + 4; int s = 0; for (struct pt *q = pts; q < e; q++) s += q->x * q->y; int *raw = &pts[0].x; printf("%d %d\n", s, raw[0]);
  printf("%d\n", fib(12));
  char *names[3]; for (int i = 0; i < 3; i++) { names[i] = malloc(8); names[i][0] = 'x' + i; names[i][1] = 0; } char **np = names; printf("%s%s%s\n", *np, *(np+1), np[2]);
  unsigned long key = (unsigned long)&pts[2]; struct pt *bk = (struct pt *)(key + 8 - 8); bk->x = 33; printf("%d\n", pts[2].x);
  unsigned long off = (unsigned long)&((struct item *)0)->w; printf("%d\n", *(int *)((char *)its[2] + off));
  int (*fp)(int) = fib; fp = *fp; printf("%d %d\n", fp(5), (&fib == fp));
  int *rr = malloc(3*sizeof(int)); rr[0]=1;rr[1]=2;rr[2]=3; rr = realloc(rr, 6*sizeof(int)); rr[5] = rr[2]; printf("%d %d\n", rr[1], rr[5]); free(rr);
  struct { struct pt *arr; int n; } vec = {0, 0}; for (int i = 0; i < 5; i++) { vec.arr = realloc(vec.arr, (vec.n + 1) * sizeof *vec.arr); vec.arr[vec.n].x = i; vec.arr[vec.n].y = -i; vec.n++; } printf("%d %d\n", vec.arr[3].x, vec.arr[4].y);
  void *generic[2] = { &r, names }; ((struct rect *)generic[0])->a.x = -5; printf("%d %s\n", r.a.x, ((char **)generic[1])[1]);
  struct pt t1 = pts[0]; pts[0] = pts[1]; pts[1] = t1; printf("%d %d\n", pts[0].x, pts[1].y);
  char line[] = "k=v;a=b"; char *tok = line; int cnt = 0; for (char *c = line; *c; c++) if (*c == '=' || *c == ';') { *c = 0; cnt++; } printf("%d %s %s\n", cnt, line, line + 2);
  return 0;
}
