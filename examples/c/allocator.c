// A bitmap allocator of eight blocks: a block handed out is one that no one has, and what is returned can be had again.
// expect: safe

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define BLOCKS 8

static unsigned char used;
static unsigned char owner[BLOCKS];

static int allocate(void) {
  if (used == 0xff)
    return -1;
  int block = 0;
  while (used >> block & 1)
    block++;
  used |= 1u << block;
  return block;
}

static void release(int block) { used &= ~(1u << block); }

int main(void) {
  int held = 0;
  for (int step = 0; step < 10; step++) {
    unsigned char command = __VERIFIER_nondet_uchar();
    if (command == 0)
      break;
    if (command & 1) {
      int block = allocate();
      assert((block < 0) == (held == BLOCKS));
      if (block >= 0) {
        assert(owner[block] == 0);
        owner[block] = 1;
        held++;
      }
    } else {
      int block = command >> 1 & (BLOCKS - 1);
      if (owner[block]) {
        owner[block] = 0;
        release(block);
        held--;
      }
    }
  }
  return held;
}
