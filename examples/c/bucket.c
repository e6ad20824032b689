// A token bucket: every tick adds tokens up to a limit, a packet takes as many as it has units, or is dropped.
// expect: safe

#include <assert.h>
#include <stdbool.h>

extern bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

#define LIMIT 200
#define REFILL 60

static unsigned char tokens = LIMIT;

static void tick(void) {
  if (tokens > LIMIT - REFILL)
    tokens = LIMIT;
  else
    tokens += REFILL;
}

static bool packet(unsigned char units) {
  if (units > tokens)
    return false;
  tokens -= units;
  return true;
}

int main(void) {
  while (__VERIFIER_nondet_bool()) {
    unsigned char before = tokens;
    if (__VERIFIER_nondet_bool()) {
      tick();
      assert(tokens >= before);
    } else {
      unsigned char units = __VERIFIER_nondet_uchar();
      assert(packet(units) == (units <= before));
      assert(tokens <= before);
    }
    assert(tokens <= LIMIT);
  }
  return 0;
}
