// mouse.c, which lets everybody ask whether there is something to read, even where nobody has opened the device.
// expect: unsafe
// inputs: 0, 0, 1, 1, 4

#define POLL_UNOPENED
#include "mouse.c"
