// floppy.c, which refuses a request when the queue is full and forgets to release the lock.
// expect: unsafe
// inputs: 1, 3, 1, 255, 33

#define RETURN_WITH_LOCK
#include "floppy.c"
