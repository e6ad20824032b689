// serial.c, which returns STATUS_PENDING for a write of exactly sixteen bytes that it has completed.
// expect: unsafe
// inputs: 1, 1, 1, 16, 0

#define WRITE_RETURNS_PENDING
#include "serial.c"
