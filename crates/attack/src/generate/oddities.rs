//! Corners of the language that random expressions do not meet.

use super::Generator;
use super::types::Ty;

/// Each is a function `odd#$(int x)` with what it needs before it; `@` stands for an integer type, `%` for a small number.
const ODDITIES: [&str; 12] = [
    // Multiple declarators, local types, a switch with a declaration, negative remainders.
    "
static int odd#$(int x)
{
  typedef @ local;
  enum { FIRST = %, SECOND, THIRD = -SECOND };
  struct pair { local a, b[2]; } p = { x, { FIRST, SECOND } }, *q = &p, a[2] = { p, [1].b[1] = 3 };
  int i = x % 7, *r = &i, **rr = &r, k[] = { 1, 2, THIRD, };
  switch (**rr) {
    long inside;
  case FIRST:
    inside = q->b[0];
    mix$(inside);
  case -1 ... 0:
    **rr += sizeof k / sizeof *k;
    break;
  default:
    inside = -x;
    *r ^= inside >> 3;
  }
  a[0].b[1] -= p.a;
  *q = a[1];
  mix$(a[0].b[1] + p.b[1]);
  return i + (int)q->b[1] + k[2] - THIRD;
}",
    // Records by value: chained calls, members and elements of results, literals whose address is taken.
    "
struct box#$ { @ v; struct { short lo; unsigned char hi[3]; } in; };

static struct box#$ turn#$(struct box#$ b, int k)
{
  b.v += k;
  b.in.hi[(unsigned)k % 3] ^= 0x5a;
  b.in.lo = b.in.hi[0] - b.in.hi[1];
  return b;
}

static long weigh#$(const struct box#$ *b)
{
  return b->v * 3 + b->in.lo * 5 + b->in.hi[2];
}

static int odd#$(int x)
{
  struct box#$ b = { x, { %, { 1, 2, x } } }, c[2];
  c[0] = turn#$(turn#$(b, x), %);
  c[1] = x & 1 ? b : c[0];
  struct box#$ *p = c, *e = c + 2;
  long w = 0;
  do
    w = w * 7 + weigh#$(p);
  while (++p != e);
  w += turn#$(c[1], 4).in.hi[1] + weigh#$(&(struct box#$){ .in.lo = x, .v = 2 });
  mix$(w);
  return turn#$(*--p, 1).in.lo;
}",
    // Tables of strings.
    "
static const char *names#$[] = { \"alpha\", \"be\" \"ta\", \"\", \"d\\145lta\" };

static char grid#$[3][6] = { \"abc\", { 'x', 'y' }, \"12345\" };

static int odd#$(int x)
{
  const char *s = names#$[x & 3];
  unsigned long n = 0;
  while (s[n])
    n++;
  char *g = grid#$[(unsigned)x % 3];
  g[1] = *s ? *s : '?';
  printf(\"%s %s %s|%.*s|%5.2s\\n\", s, g, names#$[n & 3] + (n > 2), (int)(n & 3), grid#$[2], grid#$[0]);
  mix$(n == strlen(s));
  return sizeof grid#$ + sizeof \"abc\" + (int)(strchr(grid#$[2], '3') - grid#$[2]) + 'ab';
}",
    // Pointers through integers and void pointers; a member back to its record.
    "
struct hook#$ { short pad; struct { int prio; long id; } link; @ data; };

static long owner#$(void *link)
{
  struct hook#$ *h = (struct hook#$ *)((char *)link - __builtin_offsetof(struct hook#$, link));
  h->pad++;
  return h->data + h->link.id;
}

static int odd#$(int x)
{
  struct hook#$ h[2] = { { .data = x, .link = { 1, % } }, { 5, { x, x } } };
  void *p = &h[x & 1].link;
  unsigned long bits = (unsigned long)p;
  long s = owner#$((void *)bits);
  int *prio = (int *)(bits | 0);
  *prio += 7;
  mix$(s + h[0].link.prio * 3 + h[1].link.prio);
  return h[0].pad - h[1].pad + ((char *)&h[1] - (char *)&h[0] == sizeof *h);
}",
    // Blocks of memory: fills, copies, serialisation, comparison.
    "
struct wire#$ { unsigned char tag; unsigned short size; unsigned int crc; };

static int odd#$(int x)
{
  unsigned char bytes[16];
  struct wire#$ w, copy;
  unsigned int words[4] = { x, %, ~x };
  memset(bytes, 0xee, sizeof bytes);
  memset(&w, 0, sizeof w);
  w.tag = x;
  w.size = x >> 3;
  memcpy(&copy, &w, sizeof copy);
  memcpy(bytes + 3, &words[1], 2 * sizeof words[0]);
  memmove(bytes + 1, bytes, 12);
  memset(words + 1, -1, sizeof *words * 2);
  unsigned int back;
  memcpy(&back, bytes + %, sizeof back);
  long s = back;
  for (unsigned i = 0; i < sizeof bytes; i++)
    s = s * 31 + bytes[i];
  mix$(s + words[0] + words[1] + words[2] + words[3]);
  mix$(copy.tag * 7 + copy.size + copy.crc);
  return memcmp(bytes, bytes + 1, 4) < 0 ? 1 : memcmp(&words[1], &words[2], 4) == 0;
}",
    // Bit-fields: updates, signs, assignment as a value.
    "
struct flags#$ { unsigned a : 3; int b : 5; _Bool c : 1; unsigned : 0; unsigned short d : 9; long e : 33; @ z; };

static int odd#$(int x)
{
  struct flags#$ f = { x, x, x, x, x }, *p = &f, g = { .b = -1 };
  int s = (f.a += 3);
  s += (p->b = x >> 2) * 2;
  f.c = x & 4;
  p->c++;
  f.d <<= 2;
  f.e -= x;
  --p->a;
  g = f;
  g.b ^= f.a;
  mix$(g.b * 3 + g.d + (long)g.e);
  s += f.c ? f.b : f.a - 8;
  return s + (f.a - 7 < 0) + f.d++;
}",
    // Blocks whose size is known at run time.
    "
struct frame#$ { unsigned n; @ data[]; };

static int odd#$(int x)
{
  unsigned n = (x & 3) + 2;
  @ row[n];
  struct frame#$ *f = malloc(sizeof *f + n * sizeof f->data[0]);
  f->n = n;
  for (unsigned i = 0; i < n; i++)
    row[i] = f->data[n - 1 - i] = x + i * %;
  long s = sizeof row / sizeof row[0];
  for (unsigned i = 0; i < f->n; i++)
    s = s * 3 + f->data[i] - row[i];
  free(f);
  mix$(s);
  return s;
}",
    // Functions: pointers to them compared, in records, returned; old-style definitions.
    "
static int add#$(int a, int b) { return a + b; }

static int sub#$(a, b)
  int a, b;
{
  return a - b;
}

struct ops#$ { int (*run)(int, int); const char *name; };

static const struct ops#$ ops#$[2] = { { add#$, \"add\" }, { .name = \"sub\", .run = &sub#$ } };

static int (*find#$(const char *name))(int, int)
{
  for (const struct ops#$ *o = ops#$; o < ops#$ + 2; o++)
    if (!strcmp(o->name, name))
      return o->run;
  return 0;
}

static int apply#$(int (*f)(int, int), int n, int x)
{
  return n > 0 ? apply#$(f, n - 1, f(x, n)) : x;
}

static int odd#$(int x)
{
  int (*f)(int, int) = find#$(x & 1 ? \"add\" : \"sub\");
  int (*none)(int, int) = find#$(\"mul\");
  mix$((f == add#$) * 2 + !none + (none == 0 && f != 0));
  return apply#$(f, %, x) + (**ops#$[1].run)(x, 3);
}",
    // Out of nested loops, and around.
    "
static int odd#$(int x)
{
  unsigned steps = 0;
  @ at = x;
again:
  for (int i = 0; i < 4; i++)
    for (int j = i;; j += 2) {
      if (j > 6)
        break;
      if (++steps > 60)
        goto out;
      if ((at ^ j) & 1)
        continue;
      at = at * 3 + i;
      if (at % 11 == %)
        goto again;
    }
  switch (steps & 3)
  case 2:
  case 3:
    while (steps > 20)
      steps -= 9;
  if (x & 8)
    if (x & 16) steps++;
    else steps += 100;
out:
  mix$(at);
  return steps;
}",
    // Types chosen by the compiler.
    "
static int odd#$(int x)
{
  @ v = x;
  __typeof__(v + 0) w = v;
  __typeof__(&v) p = &v;
  unsigned char c = 200;
  signed char d = (signed char)c;
  int kind = _Generic(v + 0, int: 1, unsigned int: 2, long: 3, unsigned long: 4, long long: 5, default: 9);
  *p = w >> 1;
  mix$(kind);
  mix$(sizeof(w) * 100 + sizeof(v ? 1 : 2L) * 10 + sizeof(c + d));
  return (c == d) + (c + d) * 2 + (-1 < 0u) * 4 + ((unsigned char)~c >> 4) + (int)(w / (v | 1 ? 3 : 1)) + ~d;
}",
    // Queues in an array of records, indices that wrap around.
    "
struct event#$ { @ key; struct event#$ *next; };

static struct event#$ pool#$[5], *spare#$, *queue#$;

static void post#$(int key)
{
  struct event#$ *e = spare#$, **at = &queue#$;
  if (!e)
    return;
  spare#$ = e->next;
  e->key = key;
  while (*at && (*at)->key <= e->key)
    at = &(*at)->next;
  e->next = *at;
  *at = e;
}

static int odd#$(int x)
{
  unsigned char turn = 250;
  spare#$ = queue#$ = 0;
  for (int i = 4; i >= 0; --i)
    pool#$[i].next = spare#$, spare#$ = pool#$ + i;
  for (; turn > 240 || turn < %; turn++)
    post#$((x >> (turn & 7)) & 15);
  long s = 0;
  for (struct event#$ *e = queue#$; e; e = e->next)
    s = s * 16 + (e - pool#$) + e->key;
  mix$(s);
  return turn;
}",
    // Static locals, pointers to them, initial values that are addresses.
    "
static @ cell#$[3] = { 1, 2, 3 };

static @ *const third#$ = &cell#$[2], **where#$ = (@ *[]){ cell#$, cell#$ + 1 };

static @ *next#$(void)
{
  static unsigned count = %;
  static @ *last = cell#$ + 1;
  if (++count % 3 == 0)
    last = third#$;
  else if (last > cell#$)
    last--;
  return last;
}

static int odd#$(int x)
{
  for (int i = 0; i < 5; i++)
    *next#$() += x + i;
  **where#$ ^= 1;
  *where#$[1] -= 2;
  mix$(cell#$[0] * 5 + cell#$[1] * 3 + cell#$[2]);
  return (int)(next#$() - cell#$);
}",
];

impl Generator {
    pub(crate) fn oddity(&mut self) {
        let text = *self.rng.pick(&ODDITIES);
        let (int, number) = (self.int_name(), self.rng.range(1, 5));
        // A number stands alone: `%d` and `x % 7` are no place for one.
        let text =
            text.replace('@', &int).replace(" %,", &format!(" {number},")).replace(" %;", &format!(" {number};"));
        let text = text.replace("(f, %", &format!("(f, {number}")).replace(" %)", &format!(" {number})"));
        let text = text.replace(" % }", &format!(" {number} }}"));
        let id = self.template(&text);
        self.known(format!("odd{id}$"), vec![Ty::int("int", 32, true)], false, 200);
    }
}
