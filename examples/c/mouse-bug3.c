// mouse.c, which takes for granted that there is memory for its queue.
// expect: unsafe
// inputs: 1, 1, 0, 0

#define TRUST_ALLOCATION
#include "mouse.c"
