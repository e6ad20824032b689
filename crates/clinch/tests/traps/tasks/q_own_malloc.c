#include <string.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
static char pool[4096];
void *malloc(size_t n) { return pool; }
int main(void) { if (TRAP && strdup("a") == pool) reach_error(); }
