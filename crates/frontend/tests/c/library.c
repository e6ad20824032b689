int printf(const char *, ...); typedef unsigned long size_t; typedef int wchar_t;
char *strrchr(const char *, int); char *strchr(const char *, int); char *strchrnul(const char *, int); char *strstr(const char *, const char *); char *strcasestr(const char *, const char *);
size_t strlen(const char *); size_t strspn(const char *, const char *); size_t strcspn(const char *, const char *); char *strpbrk(const char *, const char *);
size_t strnlen(const char *, size_t); char *strncat(char *, const char *, size_t); char *stpcpy(char *, const char *); char *stpncpy(char *, const char *, size_t); char *strcpy(char *, const char *);
char *strdup(const char *); char *strndup(const char *, size_t); char *strtok(char *, const char *); char *strtok_r(char *, const char *, char **); char *strsep(char **, const char *);
void *memchr(const void *, int, size_t); void *memrchr(const void *, int, size_t); void *rawmemchr(const void *, int); void *memmem(const void *, size_t, const void *, size_t);
void *mempcpy(void *, const void *, size_t); void *memccpy(void *, const void *, int, size_t); void bzero(void *, size_t); void bcopy(const void *, void *, size_t);
int strcasecmp(const char *, const char *); int strncasecmp(const char *, const char *, size_t); int strcmp(const char *, const char *); int memcmp(const void *, const void *, size_t);
long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int); long long strtoll(const char *, char **, int); unsigned long long strtoull(const char *, char **, int);
int atoi(const char *); long atol(const char *); int *__errno_location(void); int ffs(int);
typedef struct { int quot, rem; } div_t; typedef struct { long quot, rem; } ldiv_t; div_t div(int, int); ldiv_t ldiv(long, long); int abs(int); long labs(long);
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *)); void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
unsigned ntohl(unsigned); unsigned htonl(unsigned); unsigned short ntohs(unsigned short);
size_t wcslen(const wchar_t *); int wcscmp(const wchar_t *, const wchar_t *); wchar_t *wcschr(const wchar_t *, wchar_t); wchar_t *wcscpy(wchar_t *, const wchar_t *);
int isdigit(int); int isalpha(int); int isspace(int); int ispunct(int); int isxdigit(int); int iscntrl(int); int toupper(int); int tolower(int);
const unsigned short **__ctype_b_loc(void); const int **__ctype_tolower_loc(void); const int **__ctype_toupper_loc(void);
void *memcpy(void *, const void *, size_t); void *malloc(size_t); void free(void *); extern int optind;
int putchar(int);
static int calls; static int ascending(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; calls++; return x < y ? -1 : x > y; }
struct person { char name[6]; int age; }; static int by_name(const void *a, const void *b) { const char *x = ((const struct person *)a)->name, *y = ((const struct person *)b)->name; return strcmp(x, y) < 0 ? -1 : strcmp(x, y) > 0; }
static void number(const char *s, int base) {
  char *end = 0; *__errno_location() = 0; long l = strtol(s, &end, base); printf("%ld %d %d", l, (int)(end - s), *__errno_location());
  *__errno_location() = 0; unsigned long u = strtoul(s, &end, base); printf(" %lu %d %d", u, (int)(end - s), *__errno_location());
  *__errno_location() = 0; unsigned long long q = strtoull(s, 0, base); long long p = strtoll(s, 0, base); printf(" %llu %lld %d\n", q, p, *__errno_location());
}
static void *(*copy)(void *, const void *, size_t) = memcpy; static size_t (*length)(const char *) = strlen; static int (*upper)(int) = toupper; static char *(*last)(const char *, int) = strrchr;
static const char *const words[] = { "zero", "one", "two", "three", 0 };
int main(void) {
  const char *path = "/usr/local/bin"; char text[40] = "Hello"; char *p;
  printf("%s %s %d\n", strrchr(path, '/') + 1, strchr(path + 1, '/'), strrchr(path, 'z') == 0);
  printf("%d %d %s %s\n", *strchrnul(path, 'z'), (int)(strchrnul(path, 'l') - path), strstr(path, "local"), strcasestr(path, "LOCAL"));
  printf("%d %d %d\n", strstr(path, "lib") == 0, strstr(path, "") == path, *strstr("aaab", "aab"));
  printf("%d %d %d %s %d\n", (int)strspn("aabbc", "ab"), (int)strcspn("aabbc", "c"), (int)strcspn("x", ""), strpbrk("key=value", "=:"), strpbrk("abc", "xyz") == 0);
  printf("%d %d\n", (int)strnlen("abcdef", 3), (int)strnlen("ab", 9));
  printf("%s ", strncat(text, ", world!!", 7)); p = stpcpy(text + 12, "..."); printf("%s %d ", text, (int)(p - text)); p = stpncpy(text, "xy", 4); printf("%d %d %d\n", (int)(p - text), text[3], text[4]);
  char *d = strdup("copy"), *n = strndup("truncated", 5); d[0] = 'C'; printf("%s %s\n", d, n); free(d); free(n);
  char list[] = "a,b;;c"; for (p = strtok(list, ",;"); p; p = strtok(0, ",;")) printf("<%s>", p);
  char list2[] = " x  y "; char *save; for (p = strtok_r(list2, " ", &save); p; p = strtok_r(0, " ", &save)) printf("[%s]", p);
  char list3[] = "k=v==w"; char *rest = list3; while ((p = strsep(&rest, "="))) printf("{%s}", p); printf("\n");
  unsigned char bytes[] = { 1, 2, 3, 2, 1, 0xff }; printf("%d %d %d %d %d\n", (int)((unsigned char *)memchr(bytes, 2, 6) - bytes), (int)((unsigned char *)memrchr(bytes, 2, 6) - bytes), memchr(bytes, 9, 6) == 0, (int)((unsigned char *)rawmemchr(bytes, 0xff) - bytes), (int)((unsigned char *)memmem(bytes, 6, bytes + 3, 2) - bytes));
  int numbers[4] = { 1, 2, 3, 4 }, others[4]; int *e = mempcpy(others, numbers, 8); printf("%d %d %d\n", (int)(e - others), others[0], others[1]);
  char part[8]; p = memccpy(part, "ab:cd", ':', 6); printf("%d %c", (int)(p - part), part[1]); printf(" %d\n", memccpy(part, "abc", 'z', 2) == 0);
  bcopy(numbers, numbers + 1, 12); bzero(numbers, 4); for (int i = 0; i < 4; i++) printf("%d ", numbers[i]); printf("\n");
  printf("%d %d %d %d %d\n", strcasecmp("HeLLo", "hEllO") == 0, strcasecmp("a", "B") < 0, !strncasecmp("abcX", "ABCy", 3), strncasecmp("abd", "ABC", 3) > 0, memcmp("a\xff", "a\1", 2) > 0);
  number("  -12x", 10); number("0x1fz", 16); number("0x1fz", 0); number("0x", 16); number("017", 0); number("z", 36); number("", 10); number("+", 10); number("99999999999999999999", 10); number("-99999999999999999999", 10); number("9223372036854775807", 10); number("-9223372036854775808", 10); number("18446744073709551615", 10); number("18446744073709551616", 10); number("-1", 10); number("\t\n 101", 2);
  printf("%d", atoi("-42abc")); printf(" %ld", atol("123456789012")); printf(" %d\n", atoi("x"));
  div_t q = div(-7, 2); ldiv_t l = ldiv(1L << 40, 1000); printf("%d %d %ld %ld %d %ld %d\n", q.quot, q.rem, l.quot, l.rem, abs(-5), labs(-6L), ffs(24));
  int sorted[] = { 5, 3, 9, 1, 7, 3 }; qsort(sorted, 6, sizeof *sorted, ascending); for (int i = 0; i < 6; i++) printf("%d ", sorted[i]);
  int key = 7, missing = 4; calls = 0; int *found = bsearch(&key, sorted, 6, sizeof *sorted, ascending); printf("%d %d ", (int)(found - sorted), calls); printf("%d\n", bsearch(&missing, sorted, 6, sizeof *sorted, ascending) == 0);
  struct person people[] = { { "eve", 30 }, { "adam", 31 }, { "bob", 9 } }; qsort(people, 3, sizeof *people, by_name); for (int i = 0; i < 3; i++) printf("%s %d ", people[i].name, people[i].age); printf("\n");
  printf("%x %x %x\n", ntohl(0x12345678u), htonl(0x12345678u), ntohs(0x1234));
  const wchar_t *wide = L"wide"; wchar_t buffer[8]; wcscpy(buffer, wide); buffer[0] = L'W'; printf("%d %d %d %d\n", (int)wcslen(wide), wcscmp(buffer, wide) < 0, (int)(wcschr(wide, L'd') - wide), wcschr(wide, L'z') == 0);
  int kinds = 0; for (int c = -1; c < 256; c++) kinds += !!isdigit(c) + 2 * !!isalpha(c) + 3 * !!isspace(c) + 5 * !!ispunct(c) + 7 * !!isxdigit(c) + 11 * !!iscntrl(c) + toupper(c) + tolower(c); printf("%d\n", kinds);
  unsigned table = 0; for (int c = -128; c < 256; c++) table = table * 31 + (*__ctype_b_loc())[c] + (*__ctype_tolower_loc())[c] * 3 + (*__ctype_toupper_loc())[c] * 7; printf("%u\n", table);
  int one = 1, two = 2, *a = &one, *b = &two; copy(&a, &b, sizeof a); *a = 22; printf("%d %d %d %c %s\n", one, two, (int)length("four"), upper('q'), last("a.b.c", '.'));
  int total = 0; for (int i = 0; words[i]; i++) total += strlen(words[i]) * words[i][0]; printf("%d %s %c\n", total, words[2] + 1, words[3][2]);
  int put = putchar('A' + 256); printf("%d %s %d %d\n", optind, __builtin_strrchr(path, 'b'), (int)__builtin_strspn("112", "1"), put);
  return 0;
}
