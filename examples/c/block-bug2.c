// block.c, which releases the lock twice when it adds a buffer to a request that is there already.
// expect: unsafe
// inputs: 1, 0, 2, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0

#define UNLOCK_TWICE
#include "block.c"
