// packets.c, which forgets to count the packets it sends: after the last one it releases the lock twice.
// expect: unsafe
// inputs: 1, 1, 1, 1, 1, 0, 0, 1

#define FORGET_COUNT
#include "packets.c"
