// bucket.c, which adds first and compares with the limit afterwards: in eight bits a full bucket becomes almost empty.
// expect: unsafe
// inputs: 1, 1

#include <assert.h>
#include <stdbool.h>

extern bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

#define LIMIT 200
#define REFILL 60

static unsigned char tokens = LIMIT;

static void tick(void) {
  tokens += REFILL;
  if (tokens > LIMIT)
    tokens = LIMIT;
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
