/* Functions that are built in, for calls through pointers: a direct call does not come here. */

typedef unsigned long size_t;

void *memcpy(void *to, const void *from, size_t n) {
  return __builtin_memcpy(to, from, n);
}

void *memmove(void *to, const void *from, size_t n) {
  return __builtin_memmove(to, from, n);
}

void *memset(void *block, int c, size_t n) {
  return __builtin_memset(block, c, n);
}

int memcmp(const void *a, const void *b, size_t n) {
  return __builtin_memcmp(a, b, n);
}

size_t strlen(const char *s) {
  return __builtin_strlen(s);
}

char *strcpy(char *to, const char *from) {
  return __builtin_strcpy(to, from);
}

char *strncpy(char *to, const char *from, size_t n) {
  return __builtin_strncpy(to, from, n);
}

char *strcat(char *to, const char *from) {
  return __builtin_strcat(to, from);
}

int strcmp(const char *a, const char *b) {
  return __builtin_strcmp(a, b);
}

int strncmp(const char *a, const char *b, size_t n) {
  return __builtin_strncmp(a, b, n);
}

char *strchr(const char *s, int c) {
  return __builtin_strchr(s, c);
}

void *malloc(size_t n) {
  return __builtin_malloc(n);
}

void *calloc(size_t n, size_t size) {
  return __builtin_calloc(n, size);
}

void *realloc(void *block, size_t n) {
  return __builtin_realloc(block, n);
}

void free(void *block) {
  __builtin_free(block);
}

int abs(int x) {
  return __builtin_abs(x);
}

long labs(long x) {
  return __builtin_labs(x);
}

long long llabs(long long x) {
  return __builtin_llabs(x);
}

int putchar(int c) {
  return __builtin_putchar(c);
}

int puts(const char *s) {
  return __builtin_puts(s);
}
