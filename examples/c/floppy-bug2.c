// floppy.c, whose thread waits for the controller with the spin lock of the queue held.
// expect: unsafe
// inputs: 1, 255, 7, 9, 6, 0

#define WORK_WITH_LOCK
#include "floppy.c"
