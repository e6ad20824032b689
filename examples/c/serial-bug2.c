// serial.c, whose timer completes a read and leaves it in the queue.
// expect: unsafe
// inputs: 1, 1, 0, 1, 0, 2, 2, 2

#define TIMER_KEEPS_READ
#include "serial.c"
