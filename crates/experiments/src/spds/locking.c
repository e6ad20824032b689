struct file { _Bool locked; unsigned char pos; };
void open(struct file *f) { if (f->locked) reach_error(); f->locked = 1; f->pos = 0; }
void close(struct file *f) { if (!f->locked && f->pos != 0) reach_error(); f->locked = 0; }
void rw(struct file *f) { if (!f->locked && f->pos != 0) reach_error(); f->pos = f->pos + 1; }
int main(void) {
  struct file f1, f2;
  f1.locked = f2.locked = 0;
  open(&f1);
  while (__VERIFIER_nondet_int()) {
    open(&f2);
    while (__VERIFIER_nondet_int()) { rw(&f2); rw(&f1); }
    close(&f2);
  }
  close(&f1);
  return 0;
}
