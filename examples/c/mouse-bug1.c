// mouse.c, which does not disable interrupts before it gives the queue back: one that comes later writes to it.
// expect: unsafe
// inputs: 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1

#define KEEP_INTERRUPTS
#include "mouse.c"
