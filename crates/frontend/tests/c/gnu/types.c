// Selection by type, alignment, modes, transparent unions.
#define KIND(x) _Generic((x), int: 1, const int: 9, unsigned: 2, char: 3, signed char: 4, default: 5)
struct aligned { char c; _Alignas(16) char d; _Alignas(double) char e; };
typedef int byte __attribute__((mode(QI)));
typedef union { int *i; char *c; } any __attribute__((__transparent_union__));
int first(any x) { return *x.i; }
int again(any x) { return first(x); }

int main(void) {
  const int c = 0;
  char plain = 0;
  signed char explicit = 0;
  int a = 5;
  if (KIND(c) != 1 || KIND(plain) != 3 || KIND(explicit) != 4 || KIND(1u) != 2 || KIND(1L) != 5) return 1;
  if (__builtin_types_compatible_p(char, signed char) || !__builtin_types_compatible_p(int *, int *)) return 2;
  if (!__builtin_constant_p("abc") || sizeof(struct aligned) != 32 || sizeof(byte) != 1) return 3;
  if (first(&a) != 5 || again((any){ &a }) != 5) return 4;
  int r;
  unsigned u;
  long l;
  if (__builtin_sadd_overflow(0x80000000u, 0, &r) || __builtin_umul_overflow(-1, 1, &u)) return 5;
  if (!__builtin_ssubl_overflow(0x8000000000000000ul, 1, &l)) return 6;
  return 0;
}
