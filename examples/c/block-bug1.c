// block.c, read without the knowledge that BUG() stops the system: add_request comes back without the lock, and make_request
// releases it again. That is what the first run of [Lazy] found, and a bug of the specification, not of the driver.
// expect: unsafe
// inputs: 1, 3, 1, 0, 1, 0, 0, 0

#define BUG_RETURNS
#include "block.c"
