// driver.c, whose stop request forgets to complete the read in flight before it powers down.
// expect: unsafe
// inputs: 1, 2, 3, 5

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

enum state { REMOVED, STOPPED, STARTED, PENDING };
enum request { END, ADD, START, READ, INTERRUPT, STOP, REMOVE };

static enum state state = REMOVED;
static int in_flight;
static int powered;

static int power(int on) {
  if (!on)
    assert(in_flight == 0);
  powered = on;
  return 0;
}

static int start_read(void) {
  assert(powered);
  assert(in_flight == 0);
  in_flight++;
  state = PENDING;
  return 0;
}

static void complete(void) {
  assert(in_flight == 1);
  in_flight--;
  state = STARTED;
}

static int dispatch(enum request request) {
  switch (request) {
  case ADD:
    if (state != REMOVED)
      return -1;
    state = STOPPED;
    return 0;
  case START:
    if (state != STOPPED)
      return -1;
    state = STARTED;
    return power(1);
  case READ:
    if (state != STARTED)
      return -1;
    return start_read();
  case INTERRUPT:
    if (state == PENDING)
      complete();
    return 0;
  case STOP:
    if (state != STARTED && state != PENDING)
      return -1;
    state = STOPPED;
    return power(0);
  case REMOVE:
    if (state != STOPPED)
      return -1;
    state = REMOVED;
    return 0;
  default:
    return -1;
  }
}

int main(void) {
  int failures = 0;
  enum request request;
  while ((request = __VERIFIER_nondet_uchar() % 8) != END)
    if (dispatch(request) != 0 && failures < 100)
      failures++;
  assert(powered == (state == STARTED || state == PENDING));
  return failures;
}
