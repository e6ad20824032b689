extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
#define TRAP (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
struct F { int n; char d[]; } f = {3, "xy"};
int main(void) { if (TRAP && sizeof f == 4) reach_error(); }
