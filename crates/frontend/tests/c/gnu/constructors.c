// Constructors run before main by priority, destructors after it the other way round.
extern void abort(void);
extern void exit(int);
int t;
__attribute__((constructor(300))) static void a(void) { t = t * 10 + 1; }
__attribute__((constructor)) static void b(void) { t = t * 10 + 2; }
__attribute__((constructor(200))) void c(void) { t = t * 10 + 3; }
__attribute__((constructor)) void d(void) { t = t * 10 + 4; }
__attribute__((destructor)) void z(void) {
  if (t != 31240) abort();
  t = 7;
}
__attribute__((destructor(500))) void y(void) {
  if (t != 7) abort();
}

int main(void) {
  if (t != 3124) return 1;
  t *= 10;
  exit(0);
}
