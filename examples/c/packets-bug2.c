// packets.c, which keeps the lock when the queue is empty: the next request waits for it forever.
// expect: unsafe
// inputs: 1, 1, 1, 0, 0, 0, 1, 0, 1

#define KEEP_LOCK
#include "packets.c"
