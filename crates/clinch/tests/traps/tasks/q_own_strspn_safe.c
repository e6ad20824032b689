#include <string.h>
extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
size_t strspn(const char *s, const char *accept) { return 1; }
int main(void) { char s[] = "ab c"; if (TRAP && strtok(s, " ") != s) reach_error(); }
