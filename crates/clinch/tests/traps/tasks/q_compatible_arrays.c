extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
struct s { int a; };
int main(void)
{
  unsigned n = __VERIFIER_nondet_uint();
  int r = __builtin_types_compatible_p(int[3], int[]) + __builtin_types_compatible_p(long[], long[7]);
  r += __builtin_types_compatible_p(int[3], int[4]) + __builtin_types_compatible_p(int[], long[]);
  { struct s { int a; }; r += 8 * __builtin_types_compatible_p(struct s[], struct s[2]); }
  if (n * 2654435761u == 0x12345678u && r == 10) reach_error();
  return 0;
}
