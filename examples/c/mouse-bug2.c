// mouse.c, which lets everybody ask whether there is something to read, even where nobody has opened the device.
// expect: unsafe
// inputs: 1, 1, 100

#define POLL_UNOPENED
#include "mouse.c"
