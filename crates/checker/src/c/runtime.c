/* The part of the C library that a program of another word size needs to run where no such library is installed:
   32-bit programs on a 64-bit Linux machine, without libc and libgcc. Everything is weak: the program's own functions win.
   Nothing is printed but errors. */
#define WEAK __attribute__((weak))
typedef unsigned int word;
typedef unsigned long size;

static long call3(long number, long a, long b, long c) {
    long result;
#if defined(__i386__)
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
#else
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#endif
    return result;
}

#if defined(__i386__)
enum { SYS_EXIT = 1, SYS_WRITE = 4, SYS_BRK = 45 };
#else
enum { SYS_EXIT = 60, SYS_WRITE = 1, SYS_BRK = 12 };
#endif

WEAK void _exit(int status) { for (;;) call3(SYS_EXIT, status, 0, 0); }
WEAK void exit(int status) { for (;;) call3(SYS_EXIT, status, 0, 0); }
WEAK void _Exit(int status) { for (;;) call3(SYS_EXIT, status, 0, 0); }
WEAK void abort(void) { for (;;) call3(SYS_EXIT, 134, 0, 0); }
WEAK long write(int file, const void *bytes, size count) { return call3(SYS_WRITE, file, (long)bytes, (long)count); }

/* Memory: a bump allocator; each block knows its size, freeing does nothing. */
static char *heap, *limit;
WEAK void *malloc(size count) {
    size need = (count + 31) & ~(size)15;
    if (!heap) heap = limit = (char *)call3(SYS_BRK, 0, 0, 0);
    heap = (char *)(((size)heap + 15) & ~(size)15);
    if (heap + need > limit) {
        size more = (need + 0xfffff) & ~(size)0xfffff;
        char *now = (char *)call3(SYS_BRK, (long)(limit + more), 0, 0);
        if (now < limit + more) return 0;
        limit = now;
    }
    *(size *)heap = count;
    char *block = heap + 16;
    heap += need;
    return block;
}
WEAK void free(void *block) { (void)block; }
WEAK void *memset(void *target, int byte, size count) {
    for (size i = 0; i < count; i++) ((char *)target)[i] = (char)byte;
    return target;
}
WEAK void *memcpy(void *target, const void *source, size count) {
    for (size i = 0; i < count; i++) ((char *)target)[i] = ((const char *)source)[i];
    return target;
}
WEAK void *memmove(void *target, const void *source, size count) {
    if ((char *)target <= (const char *)source) return memcpy(target, source, count);
    for (size i = count; i > 0; i--) ((char *)target)[i - 1] = ((const char *)source)[i - 1];
    return target;
}
WEAK int memcmp(const void *left, const void *right, size count) {
    const unsigned char *a = left, *b = right;
    for (size i = 0; i < count; i++) if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}
WEAK void *calloc(size number, size each) {
    void *block = malloc(number * each);
    return block ? memset(block, 0, number * each) : 0;
}
WEAK void *realloc(void *block, size count) {
    void *fresh = malloc(count);
    if (block && fresh) {
        size old = *(size *)((char *)block - 16);
        memcpy(fresh, block, old < count ? old : count);
    }
    return fresh;
}
WEAK size strlen(const char *text) { size n = 0; while (text[n]) n++; return n; }
WEAK char *strcpy(char *target, const char *source) {
    char *start = target;
    while ((*target++ = *source++)) {}
    return start;
}
WEAK char *strncpy(char *target, const char *source, size count) {
    size i = 0;
    for (; i < count && source[i]; i++) target[i] = source[i];
    for (; i < count; i++) target[i] = 0;
    return target;
}
WEAK char *strcat(char *target, const char *source) { strcpy(target + strlen(target), source); return target; }
WEAK int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}
WEAK int strncmp(const char *a, const char *b, size count) {
    for (size i = 0; i < count; i++) {
        if (a[i] != b[i]) return (unsigned char)a[i] - (unsigned char)b[i];
        if (!a[i]) return 0;
    }
    return 0;
}
WEAK char *strchr(const char *text, int byte) {
    for (;; text++) {
        if (*text == (char)byte) return (char *)text;
        if (!*text) return 0;
    }
}
static char streams[3];
WEAK void *stdin = &streams[0], *stdout = &streams[1], *stderr = &streams[2];

/* How many characters a number has. */
static int digits(unsigned long long value, unsigned base) {
    int count = 1;
    while (value >= base) value /= base, count++;
    return count;
}
/* How many characters are printed: programs may look at the result. What is not counted here ends the run, with no verdict. */
static int printed(const char *at, __builtin_va_list list) {
    int count = 0;
    for (; *at; at++) {
        int width = 0, wide = 0, length;
        if (*at != '%') { count++; continue; }
        at++;
        for (; *at >= '0' && *at <= '9'; at++) width = 10 * width + (*at - '0');
        for (; *at == 'l' || *at == 'z'; at++) wide += *at == 'l';
        if (*at == 'd' || *at == 'i') {
            long long value = wide > 1 ? __builtin_va_arg(list, long long) : __builtin_va_arg(list, int);
            length = (value < 0) + digits(value < 0 ? -(unsigned long long)value : (unsigned long long)value, 10);
        } else if (*at == 'u' || *at == 'x' || *at == 'X') {
            unsigned long long value = wide > 1 ? __builtin_va_arg(list, unsigned long long) : __builtin_va_arg(list, unsigned);
            length = digits(value, *at == 'u' ? 10 : 16);
        } else if (*at == 'c') {
            (void)__builtin_va_arg(list, int);
            length = 1;
        } else if (*at == 's') {
            const char *text = __builtin_va_arg(list, const char *);
            length = (int)strlen(text ? text : "(null)");
        } else if (*at == '%') {
            length = 1;
        } else {
            _exit(120);
        }
        count += length > width ? length : width;
    }
    return count;
}
WEAK int printf(const char *format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int count = printed(format, list);
    __builtin_va_end(list);
    return count;
}
WEAK int fprintf(void *file, const char *format, ...) {
    __builtin_va_list list;
    (void)file;
    __builtin_va_start(list, format);
    int count = printed(format, list);
    __builtin_va_end(list);
    return count;
}
WEAK int puts(const char *text) { return (int)strlen(text) + 1; }
WEAK int putchar(int byte) { return (unsigned char)byte; }
WEAK int fflush(void *file) { (void)file; return 0; }
WEAK int abs(int x) { return x < 0 ? -x : x; }
WEAK long labs(long x) { return x < 0 ? -x : x; }

/* Division of 64-bit numbers, which the compiler calls on 32-bit machines. */
typedef unsigned long long u64;
typedef long long s64;
static u64 divide(u64 a, u64 b, u64 *rest) {
    u64 quotient = 0, remainder = 0;
    for (int i = 63; i >= 0; i--) {
        u64 carry = remainder >> 63;
        remainder = remainder << 1 | (a >> i & 1);
        if (carry || remainder >= b) { remainder -= b; quotient |= (u64)1 << i; }
    }
    if (rest) *rest = remainder;
    return quotient;
}
static u64 magnitude(s64 x) { return x < 0 ? -(u64)x : (u64)x; }
WEAK u64 __udivdi3(u64 a, u64 b) { return divide(a, b, 0); }
WEAK u64 __umoddi3(u64 a, u64 b) { u64 r; divide(a, b, &r); return r; }
WEAK s64 __divdi3(s64 a, s64 b) {
    u64 q = divide(magnitude(a), magnitude(b), 0);
    return (a < 0) != (b < 0) ? (s64)-q : (s64)q;
}
WEAK s64 __moddi3(s64 a, s64 b) {
    u64 r;
    divide(magnitude(a), magnitude(b), &r);
    return a < 0 ? (s64)-r : (s64)r;
}

static char *arguments[] = {"program", 0};
static char *environment[] = {0};
int main(int, char **, char **);
#if defined(__i386__)
__attribute__((force_align_arg_pointer))
#endif
void _start(void) { exit(main(1, arguments, environment)); }
