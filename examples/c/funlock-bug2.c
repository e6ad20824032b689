// funlock.c without the `unlock` in its second loop: another round takes the lock that is still held.
// expect: unsafe
// inputs: 5, 0, 1

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

int LOCK = 0;

void lock(void) {
  if (LOCK != 0)
    goto ERROR;
  LOCK = 1;
  return;
ERROR:
  reach_error();
}

void unlock(void) {
  if (LOCK != 1)
    goto ERROR;
  LOCK = 0;
  return;
ERROR:
  reach_error();
}

void example(void) {
  int got_lock, old, new = __VERIFIER_nondet_int();

  if (__VERIFIER_nondet_bool()) {
    do {
      got_lock = 0;
      if (__VERIFIER_nondet_bool()) {
        lock();
        got_lock++;
      }
      if (got_lock)
        unlock();
    } while (__VERIFIER_nondet_bool());
  }
  do {
    lock();
    old = new;
    if (__VERIFIER_nondet_bool()) {
      new++;
    }
  } while (new != old);
  unlock();
}

int main(void) {
  example();
  return 0;
}
