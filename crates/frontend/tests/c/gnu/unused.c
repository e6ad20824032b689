// What is not modelled may stand in a program that does not come there.
typedef int v4 __attribute__((vector_size(16)));
typedef float v4f __attribute__((__vector_size__(16)));
v4 g = { 1, 2, 3, 4 };
v4 add(v4 a, v4 b) {
  v4 c = a + b;
  c[0] = 1;
  c *= 2;
  return -c + (v4){ 1, 2, 3, 4 } * 3;
}
v4f convert(v4 x) {
  v4 m = x > 3;
  int e = m[1];
  if (e) return (v4f)m;
  return (v4f)x;
}
_Complex double z = 1.0 + 2.0i;
_Complex float complex(_Complex double z) {
  z = z * 2 + 1.0i;
  z += 3;
  double r = __real__ z;
  __imag__ z = 2;
  if (z == 0) r = 1;
  return ~z + r;
}
__float128 quad = 1.5Q;
__float128 twice(__float128 x) { return x * 2.0Q + 1; }
struct __attribute__((scalar_storage_order("big-endian"))) big { int x; } big = { 1 };
int interrupt(void) __attribute__((naked));

int main(void) {
  int y = 2;
  int inner(int x) { return x + y; }
  static void *targets[] = { &&a, &&b };
  if (y == 3) goto *targets[y];
  if (y == 4) return inner(1);
  if (sizeof(v4) != 16 || sizeof(_Complex double) != 16 || sizeof(__float128) != 16 || sizeof big != 4) return 1;
  return 0;
a:
  return 1;
b:
  return 2;
}
