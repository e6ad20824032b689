extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
int isdigit(int c) { return c == '1'; }
int isalnum(int);
int main(void) { if (TRAP && !isalnum('2')) reach_error(); }
