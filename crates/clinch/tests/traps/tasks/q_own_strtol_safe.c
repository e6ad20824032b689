extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
long strtol(const char *s, char **end, int base) { return 3; }
int atoi(const char *);
int main(void) { if (TRAP && atoi("7") != 7) reach_error(); }
