// serial.c, whose dispatch routine returns STATUS_PENDING for a read that it did not mark as pending.
// expect: unsafe
// inputs: 1, 1, 0, 1, 0

#define FORGET_MARK
#include "serial.c"
