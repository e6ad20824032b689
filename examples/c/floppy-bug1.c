// floppy.c, whose thread leaves the controller locked when it finds the drive without power.
// expect: unsafe
// inputs: 1, 255, 7, 9, 6, 0

#define KEEP_CONTROLLER
#include "floppy.c"
