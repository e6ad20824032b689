/* Facts about types, sizes and constants: the C compiler and clinch must both find them true. */
#define SAME(a, b) _Static_assert(__builtin_types_compatible_p(__typeof__(a), b), #a " is " #b)
#define IS(e) _Static_assert((e), #e)
#define BITS (8 * sizeof(long))

/* Integer constants (C11 6.4.4.1). */
SAME(1, int); SAME(2147483647, int); SAME(0x7fffffff, int); SAME(0x80000000, unsigned); SAME(0xffffffff, unsigned);
SAME(037777777777, unsigned); SAME(1u, unsigned); SAME(1l, long); SAME(1ul, unsigned long); SAME(1ll, long long);
SAME(1ULL, unsigned long long); SAME(0b101, int); IS(0b101 == 5); IS(017 == 15); IS(0xAbC == 2748);
SAME('a', int); IS('a' == 97); IS('\n' == 10); IS('\x41' == 65); IS('\101' == 65); IS('\xff' == -1); IS('ab' == 0x6162);
IS('\0' == 0); IS('\'' == 39); IS('"' == 34); IS('\\' == 92); IS('\377' < 0); IS(L'a' == 97);
IS(u'a' == 97); SAME(u'a', unsigned short); SAME(U'a', unsigned); IS(-'a' == -97); IS('\e' == 27);
#if __LP64__
SAME(2147483648, long); SAME(4294967296, long); SAME(0x100000000, long); SAME(0x8000000000000000, unsigned long);
SAME(sizeof 1, unsigned long); SAME((char *)0 - (char *)0, long); SAME(L'a', int);
IS(sizeof(long) == 8); IS(sizeof(void *) == 8); IS(sizeof(long double) == 16); IS(_Alignof(long long) == 8);
IS(_Alignof(double) == 8); IS(_Alignof(long double) == 16); IS(sizeof(__int128) == 16);
#else
SAME(2147483648, long long); SAME(4294967296, long long); SAME(0x100000000, long long);
SAME(0x8000000000000000, unsigned long long); SAME(sizeof 1, unsigned); SAME((char *)0 - (char *)0, int); SAME(L'a', long);
IS(sizeof(long) == 4); IS(sizeof(void *) == 4); IS(sizeof(long double) == 12); IS(_Alignof(long long) == 4);
IS(__alignof__(long long) == 8); IS(_Alignof(double) == 4); IS(__alignof__(double) == 8); IS(_Alignof(long double) == 4);
#endif
IS(sizeof(char) == 1); IS(sizeof(short) == 2); IS(sizeof(int) == 4); IS(sizeof(long long) == 8); IS(sizeof(_Bool) == 1);
IS(sizeof(float) == 4); IS(sizeof(double) == 8); IS(sizeof(void) == 1); IS(sizeof(int (*)(void)) == sizeof(void *));

/* Promotions and usual arithmetic conversions. */
char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul;
long long ll; unsigned long long ull; _Bool b; float f; double d; long double ld;
SAME(c + c, int); SAME(uc + uc, int); SAME(us << 1, int); SAME(+b, int); SAME(-us, int); SAME(~uc, int); SAME(!d, int);
SAME(i + u, unsigned); SAME(u + ll, long long); SAME(ul + ll, __typeof__(1 ? ul : ll)); SAME(l + ull, unsigned long long);
SAME(f + i, float); SAME(f + d, double); SAME(d + ld, long double); SAME(ull + f, float); SAME(i == d, int);
SAME(ll << 1, long long); SAME(i << ll, int); SAME(u >> 1, unsigned); SAME(c ? c : c, int); SAME(1 ? i : u, unsigned);
SAME((c = i), char); SAME((c += i), char); SAME(c++, char); SAME((i, c), char); SAME(&c, char *); SAME(*&c, char);
#if __LP64__
SAME(u + l, long); SAME(l + ll, long long); SAME(ul + ll, unsigned long long);
#else
SAME(u + l, unsigned long); SAME(ul + ll, long long); SAME(l + ll, long long);
#endif

/* Arithmetic wraps, conversions cut. */
IS((unsigned char)300 == 44); IS((signed char)200 == -56); IS((_Bool)256 == 1); IS((_Bool)0.5 == 1); IS((int)3.9 == 3);
IS((int)-3.9 == -3); IS(-7 / 2 == -3); IS(-7 % 2 == -1); IS(7 % -2 == 1); IS(-1 >> 1 == -1); IS(-1u >> 31 == 1);
IS(0xffffffffu + 1 == 0); IS((unsigned)-1 == 4294967295u); IS(-1 > 0u); IS((long long)-1 < 0u); IS((char)128 < 0);
IS((short)65535 == -1); IS((unsigned short)-1 == 65535); IS(1 << 30 == 1073741824); IS((5 & 3) == 1); IS((5 | 3) == 7);
IS((5 ^ 3) == 6); IS(~0 == -1); IS(!5 == 0); IS((1 && 0) == 0); IS((1 || 1 / 0)); IS(!(0 && 1 / 0)); IS((1 ? 2 : 1 / 0) == 2);
IS((0 ? 1 / 0 : 3) == 3); IS(1.5 + 1.5 == 3.0); IS(0x1.8p1 == 3.0); IS((float)0.1 != 0.1);
IS((unsigned long long)-1 == 18446744073709551615u); IS(sizeof(int[3]) == 12); IS(sizeof "abc" == 4); IS(sizeof(L"ab") == 12);
IS(sizeof("a" "bc") == 4); IS(sizeof(u"ab") == 6); IS(sizeof("\x41\102") == 3); IS(sizeof("\u00e9") == 3);
IS(sizeof(c + c) == 4); IS(sizeof c == 1); IS(sizeof(i++) == 4); IS((1 ?: 2) == 1); IS((0 ?: 2) == 2);
IS(__builtin_constant_p(3)); IS(!__builtin_constant_p(i)); IS(__builtin_choose_expr(1, 2, i) == 2);
IS(_Generic(i, int: 1, default: 2) == 1); IS(_Generic(u, int: 1, default: 2) == 2); IS(_Generic("a", char *: 1, default: 0));

/* Enumerations. */
enum A { A0, A1, A5 = 5, A6 }; enum B { B0 = -1, B1 }; enum C { C0 = 1u << 31 }; enum D { D0 = 1ll << 40, D1 };
IS(A6 == 6); IS(B1 == 0); SAME((enum A)0 + 0, unsigned); SAME((enum B)0 + 0, int); IS(sizeof(enum A) == 4);
IS(sizeof(enum D) == 8); IS(D1 == (1ll << 40) + 1); SAME(A0, int); IS((enum A)-1 > 0); IS((enum B)-1 < 0);

/* Records. */
struct S { char c; int i; char d; }; struct P { char c; int i; } __attribute__((packed));
struct __attribute__((aligned(16))) Q { int i; }; union U { char c; double d; int a[3]; };
struct F { int n; char more[]; }; struct E {}; struct L { char c; long long l; }; struct LD { char c; long double d; };
struct N { struct S s; union { int x; char y; }; struct { short p, q; } z[2]; };
struct M { char c; int i __attribute__((packed)); char d __attribute__((aligned(8))); };
IS(sizeof(struct S) == 12); IS(sizeof(struct P) == 5); IS(sizeof(struct Q) == 16); IS(sizeof(struct F) == 4);
IS(sizeof(struct E) == 0); IS(sizeof(struct N) == 24); IS(_Alignof(struct Q) == 16); IS(sizeof(struct M) == 16);
IS(__builtin_offsetof(struct S, i) == 4); IS(__builtin_offsetof(struct N, y) == 12);
IS(__builtin_offsetof(struct N, z[1].q) == 22); IS((long)&((struct N *)0)->z[1].p == 20); IS(sizeof(((struct S *)0)->i) == 4);
IS(__builtin_offsetof(struct M, d) == 8); IS((char *)&((struct S *)8)->d - (char *)8 == 8);
#if __LP64__
IS(sizeof(union U) == 16); IS(sizeof(struct L) == 16); IS(sizeof(struct LD) == 32);
#else
IS(sizeof(union U) == 12); IS(sizeof(struct L) == 12); IS(sizeof(struct LD) == 16);
#endif

/* Bit-fields. */
struct B1 { int a : 3; int b : 30; }; struct B2 { char c; int a : 4; }; struct B3 { int a : 3; int : 0; int b : 2; };
struct B4 { char a : 4; int b : 8; char c : 5; }; struct B5 { long long a : 40; int b : 30; }; struct B6 { short a : 9, b : 9; };
struct B7 { char c; int : 3; char d; }; struct B8 { unsigned a : 20, b : 20; } __attribute__((packed)); struct B9 { _Bool a : 1, b : 1; };
struct B10 { char c; int : 0; }; struct B11 { char c; short : 7; char d; }; union B12 { int a : 3; char c; };
IS(sizeof(struct B1) == 8); IS(sizeof(struct B2) == 4); IS(sizeof(struct B3) == 8); IS(sizeof(struct B4) == 4);
IS(sizeof(struct B6) == 4); IS(sizeof(struct B7) == 3); IS(sizeof(struct B8) == 5); IS(sizeof(struct B9) == 1);
IS(sizeof(struct B10) == 4); IS(sizeof(struct B11) == 3); IS(sizeof(union B12) == 4); IS(_Alignof(struct B7) == 1);
struct B1 b1; struct { unsigned a : 31, b : 32; unsigned long long c : 20; } b2;
SAME(b2.a + 0, int); SAME(b2.b + 0, unsigned); SAME(b1.a + 0u, unsigned); SAME(b2.a << 1, int); SAME(b2.c + 0, int);
SAME((unsigned)b2.a + 0, unsigned);
#pragma pack(push, 1)
struct K1 { char c; int i; };
#pragma pack(2)
struct K2 { char c; int i; };
#pragma pack(pop)
struct K3 { char c; int i; };
IS(sizeof(struct K1) == 5); IS(sizeof(struct K2) == 6); IS(sizeof(struct K3) == 8);

/* Typedefs, typeof, arrays, functions. */
typedef int T; typedef T TA[4]; TA ta; __typeof__(ta[0]) *tp; typedef int Fn(int, char *); Fn *fp; Fn fn;
typedef unsigned int DI __attribute__((mode(DI))); typedef int __attribute__((__mode__(__QI__))) QI;
typedef char Aligned __attribute__((aligned(8))); struct AL { char c; Aligned a; };
IS(sizeof(TA) == 16); SAME(ta + 0, int *); SAME(&ta, int (*)[4]); SAME(*ta, int); SAME(tp, int *); SAME(fp(1, 0), int);
SAME(fn, int(int, char *)); SAME(&fn, int (*)(int, char *)); SAME(*fp, int(int, char *)); SAME(fp, Fn *); IS(sizeof(DI) == 8);
IS(sizeof(QI) == 1); IS(sizeof(struct AL) == 16); IS(sizeof(int[2][3]) == 24); SAME("abc", char[4]); SAME(*"abc", char);
int m[2][3]; SAME(m[0], int[3]); SAME(m[0] + 1, int *); SAME(m + 1, int (*)[3]); SAME(&m[1][2], int *); SAME(&m[1] - &m[0], __typeof__((char *)0 - (char *)0));
int open[]; extern int sized[]; int sized[] = {1, 2, [5] = 3, 4}; IS(sizeof sized == 28);
char text[] = "hello"; char both[] = {"hi"}; int pairs[][2] = {{1}, {2, 3}, 4}; IS(sizeof text == 6); IS(sizeof both == 3); IS(sizeof pairs == 24);
SAME(1 ? (void *)0 : &i, int *); SAME(1 ? 0 : &i, int *); SAME(1 ? (void *)&i : &i, void *); SAME((void)0, void);
