//! Things people write that random statements never amount to: lists, trees, recursion, sorting, matrices, parsers.

use super::types::Ty;
use super::{Function, Generator};

impl Generator {
    pub(crate) fn idioms(&mut self) {
        for _ in 0..self.rng.below(2 + self.size) {
            match self.rng.below(17) {
                0 => self.list(),
                1 => self.recursion(),
                2 => self.frames(),
                3 => self.sort(),
                4 => self.matrix(),
                5 => self.tree(),
                6 => self.chooser(),
                7 => self.mutual(),
                8 => self.blocks(),
                9 => self.scanner(),
                _ => self.oddity(),
            }
        }
    }

    /// `text` with `#` replaced by a fresh number, as nodes between empty lines.
    pub(crate) fn template(&mut self, text: &str) -> String {
        let id = self.fresh("");
        for part in text.replace('#', &id).split("\n\n") {
            self.leaf(part.trim_matches('\n'));
        }
        id
    }

    pub(crate) fn int_name(&mut self) -> String {
        self.rng.pick(&self.ints).name.clone()
    }

    pub(crate) fn known(&mut self, name: String, params: Vec<Ty>, pure: bool, cost: u64) {
        let result = Some(Ty::int("int", 32, true));
        self.functions.push(Function { name, params, result, pure, cost });
    }

    fn list(&mut self) {
        let (ty, n) = (self.int_name(), self.rng.range(1, 9));
        let allocate = *self.rng.pick(&["malloc(sizeof *n)", "calloc(1, sizeof(struct node#$))"]);
        let keep = *self.rng.pick(&["n->value & 1", "n->value > 3", "n != l->head", "!n->next"]);
        let text = format!(
            "
struct node#$ {{ {ty} value; struct node#$ *next; }};

struct list#$ {{ struct node#$ *head, **tail; int size; }};

static void push#$(struct list#$ *l, {ty} v)
{{
  struct node#$ *n = {allocate};
  n->value = v;
  n->next = l->head;
  l->head = n;
  l->size++;
}}

static void append#$(struct list#$ *l, {ty} v)
{{
  struct node#$ **at = &l->head;
  while (*at)
    at = &(*at)->next;
  *at = malloc(sizeof **at);
  (*at)->next = 0;
  (**at).value = v;
  ++l->size;
}}

static int reverse#$(struct list#$ *l)
{{
  struct node#$ *done = (void *)0;
  int count = 0;
  while (l->head) {{
    struct node#$ *n = l->head;
    l->head = n->next;
    n->next = done;
    done = n;
    count++;
  }}
  l->head = done;
  return count;
}}

static int prune#$(struct list#$ *l)
{{
  int gone = 0;
  for (struct node#$ **at = &l->head; *at;) {{
    struct node#$ *n = *at;
    if ({keep})
      at = &n->next;
    else {{
      *at = n->next;
      free(n);
      gone++;
      l->size--;
    }}
  }}
  return gone;
}}

static int lists#$(int x)
{{
  struct list#$ l = {{ 0 }};
  for (int i = 0; i < {n}; i++) {{
    if ((x >> i) & 1) push#$(&l, x * i); else append#$(&l, x - i);
  }}
  mix$(reverse#$(&l));
  for (struct node#$ *n = l.head; n != 0; n = n->next)
    mix$(n->value);
  mix$(prune#$(&l) * 100 + l.size);
  while (l.head) {{
    struct node#$ *n = l.head;
    mix$(n->value);
    l.head = n->next;
    free(n);
  }}
  return l.size;
}}"
        );
        let id = self.template(&text);
        self.known(format!("lists{id}$"), vec![Ty::int("int", 32, true)], false, 300);
    }

    fn recursion(&mut self) {
        let (a, b) = (self.int_name(), self.int_name());
        let op = *self.rng.pick(&["+", "^", "*", "-"]);
        let text = format!(
            "
static {a} deep#$(int d, {b} x)
{{
  if (d <= 0)
    return x;
  {b} y = x {op} d;
  if (y & 1)
    return deep#$(d - 1, y) {op} deep#$(d - 2, x);
  return d {op} deep#$(d - 1, y + 1);
}}

static int down#$(int x)
{{
  return (int)deep#$({}, x);
}}",
            self.rng.range(1, 7)
        );
        let id = self.template(&text);
        self.known(format!("down{id}$"), vec![Ty::int("int", 32, true)], true, 150);
    }

    /// Addressed locals of a recursive function: one object for each call.
    fn frames(&mut self) {
        let (ty, n) = (self.int_name(), self.rng.range(2, 5));
        let text = format!(
            "
static int walk#$(int d, {ty} *up)
{{
  {ty} here[{n}] = {{ d, *up }};
  struct {{ {ty} *p; int k; }} link = {{ &here[d % {n}], d }};
  if (d > 0) {{
    here[1] += walk#$(d - 1, link.p);
    *up ^= here[0] + link.k;
  }}
  int s = 0;
  for ({ty} *q = here; q < here + {n}; q++)
    s = s * 3 + (int)*q;
  return s;
}}

static int frames#$(int x)
{{
  {ty} base = x;
  int r = walk#$({}, &base);
  mix$(base);
  return r;
}}",
            self.rng.range(1, 8)
        );
        let id = self.template(&text);
        self.known(format!("frames{id}$"), vec![Ty::int("int", 32, true)], false, 200);
    }

    fn sort(&mut self) {
        let (ty, n) = (self.int_name(), self.rng.range(2, 8));
        let order = *self.rng.pick(&["a[j] > a[j + 1]", "*(a + j) < *(a + j + 1)", "less#$(a + j + 1, a + j)"]);
        let text = format!(
            "
static int less#$(const {ty} *a, const {ty} *b)
{{
  return *a < *b;
}}

static void sort#$({ty} a[], int n)
{{
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1 - i; j++)
      if ({order}) {{
        {ty} t = a[j];
        a[j] = a[j + 1];
        a[j + 1] = t;
      }}
}}

static int sorted#$(int x)
{{
  {ty} a[{n}];
  for (int i = 0; i < {n}; i++)
    a[i] = (x = x * 1103515245 + 12345) >> 16;
  sort#$(a, {n});
  for ({ty} *p = a; p != a + {n}; ++p)
    mix$(*p);
  return (int)a[{}];
}}",
            self.rng.below(n)
        );
        let id = self.template(&text);
        self.known(format!("sorted{id}$"), vec![Ty::int("int", 32, true)], false, 400);
    }

    fn matrix(&mut self) {
        let (ty, n, m) = (self.int_name(), self.rng.range(2, 4), self.rng.range(2, 4));
        let text = format!(
            "
static {ty} mat#$[{n}][{m}] = {{ {{ 1, 2 }}, [{}][1] = 7 }};

static long total#$({ty} (*m)[{m}], int rows)
{{
  long t = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < {m}; j++)
      t = t * 31 + m[i][j];
  return t;
}}

static int matrix#$(int x)
{{
  {ty} local[{n}][{m}];
  {ty} *flat = &local[0][0];
  for (unsigned i = 0; i < {n}; i++)
    for (unsigned j = 0; j < {m}; j++)
      local[i][j] = mat#$[({n} - 1) - i][j] + x * (i == j);
  memcpy(mat#$, local, sizeof local);
  mix$(total#$(mat#$, {n}));
  mix$(total#$(local + 1, {n} - 1));
  return (int)*flat + (int)(&local[1][0] - &local[0][0]);
}}",
            self.rng.below(n)
        );
        let id = self.template(&text);
        self.known(format!("matrix{id}$"), vec![Ty::int("int", 32, true)], false, 120);
    }

    fn tree(&mut self) {
        let (ty, n) = (self.int_name(), self.rng.range(1, 10));
        let text = format!(
            "
typedef struct tree#$ tree#$;

struct tree#$ {{ tree#$ *kids[2]; {ty} key; unsigned count : 7; }};

static tree#$ *insert#$(tree#$ *t, {ty} key)
{{
  if (!t) {{
    t = calloc(1, sizeof *t);
    t->key = key;
  }} else if (t->key != key)
    t->kids[key > t->key] = insert#$(t->kids[key > t->key], key);
  t->count++;
  return t;
}}

static long fold#$(tree#$ *t, int depth)
{{
  if (t == 0)
    return depth;
  long l = fold#$(t->kids[0], depth + 1);
  long r = fold#$(t->kids[1], depth + 2);
  long s = l * 5 + r * 7 + t->key + t->count;
  free(t);
  return s;
}}

static int trees#$(int x)
{{
  tree#$ *root = 0;
  for (int i = 0; i < {n}; i++)
    root = insert#$(root, (x = x * 1103515245 + 12345) >> 20);
  long s = fold#$(root, 0);
  mix$(s);
  return s & 255;
}}"
        );
        let id = self.template(&text);
        self.known(format!("trees{id}$"), vec![Ty::int("int", 32, true)], false, 300);
    }

    /// A function that returns a pointer, assigned through.
    fn chooser(&mut self) {
        let ty = self.int_name();
        let text = format!(
            "
static {ty} left#$ = 1, right#$[3] = {{ 2, 3, 4 }};

static {ty} *choose#$(int k)
{{
  switch (k & 3) {{
  case 0: return &left#$;
  case 3: k = 1;
  default: return right#$ + k % 3u;
  }}
}}

static int chosen#$(int x)
{{
  *choose#$(x) += 3;
  choose#$(1)[1] = x;
  {ty} *p = choose#$(2), **pp = &p;
  (*pp)[0]--;
  p = &left#$;
  **pp ^= 5;
  mix$(left#$);
  for (int i = 0; i < 3; i++)
    mix$(right#$[i]);
  return *p == left#$ && p != choose#$(1);
}}"
        );
        let id = self.template(&text);
        self.known(format!("chosen{id}$"), vec![Ty::int("int", 32, true)], false, 40);
    }

    fn mutual(&mut self) {
        let ty = self.int_name();
        let text = format!(
            "
static int odd#$(unsigned n, {ty} *trace);

static int even#$(unsigned n, {ty} *trace)
{{
  *trace = *trace * 2;
  return n == 0 ? 1 : odd#$(n - 1, trace);
}}

static int odd#$(unsigned n, {ty} *trace)
{{
  *trace += 1;
  return n != 0 && even#$(n - 1, trace);
}}

static int parity#$(int x)
{{
  {ty} trace = 1;
  int r = even#$((unsigned)x % 13, &trace);
  mix$(trace);
  return r;
}}"
        );
        let id = self.template(&text);
        self.known(format!("parity{id}$"), vec![Ty::int("int", 32, true)], false, 60);
    }

    /// Heap blocks that grow.
    fn blocks(&mut self) {
        let (ty, n) = (self.int_name(), self.rng.range(1, 9));
        let text = format!(
            "
struct vec#$ {{ {ty} *data; unsigned size, room; }};

static void add#$(struct vec#$ *v, {ty} x)
{{
  if (v->size == v->room) {{
    v->room = v->room ? v->room * 2 : 1;
    v->data = realloc(v->data, v->room * sizeof(*v->data));
  }}
  v->data[v->size++] = x;
}}

static int vector#$(int x)
{{
  struct vec#$ v = {{ 0 }}, w;
  for (int i = 0; i < {n}; i++)
    add#$(&v, x >> i);
  w = v;
  w.data = malloc(v.size * sizeof *w.data);
  memcpy(w.data, v.data, v.size * sizeof *w.data);
  v.data[0]++;
  long s = w.size * 3 + v.data[0];
  while (w.size-- > 0)
    s = s * 7 + w.data[w.size];
  free(w.data);
  free(v.data);
  mix$(s);
  return (int)s;
}}"
        );
        let id = self.template(&text);
        self.known(format!("vector{id}$"), vec![Ty::int("int", 32, true)], false, 250);
    }

    /// A little expression parser over a string.
    fn scanner(&mut self) {
        let source = *self.rng.pick(&["1+2*3", "(4-1)*(2+5)", "12*-3+(7)", "((9))", "2*(3+", "5%2", "-(-(8))*10-1"]);
        let text = format!(
            "
static const char *at#$;

static long sum#$(void);

static long atom#$(void)
{{
  long v = 0;
  if (*at#$ == '-') {{
    at#$++;
    return -atom#$();
  }}
  if (*at#$ == '(') {{
    ++at#$;
    v = sum#$();
    if (*at#$ == ')')
      at#$++;
    return v;
  }}
  while (*at#$ >= '0' && *at#$ <= '9')
    v = v * 10 + (*at#$++ - '0');
  return v;
}}

static long product#$(void)
{{
  long v = atom#$();
  while (*at#$ == '*') {{
    at#$ += 1;
    v *= atom#$();
  }}
  return v;
}}

static long sum#$(void)
{{
  long v = product#$();
  for (;;) {{
    char op = *at#$;
    if (op != '+' && op != '-')
      break;
    at#$++;
    long w = product#$();
    v = op == '+' ? v + w : v - w;
  }}
  return v;
}}

static int scan#$(int x)
{{
  char text[24] = \"{source}\";
  text[(unsigned)x % 24] = text[(unsigned)x % 24] ? '0' + (x & 7) : 0;
  at#$ = text;
  long v = sum#$();
  mix$(v);
  mix$(at#$ - text);
  return (int)v;
}}"
        );
        let id = self.template(&text);
        self.known(format!("scan{id}$"), vec![Ty::int("int", 32, true)], false, 200);
    }
}
