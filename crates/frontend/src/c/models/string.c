/* <string.h> and <strings.h>, beyond what is built in. */

typedef unsigned long size_t;

/* Lower case in the C locale. */
static int __clinch_fold(char c) {
  return c >= 'A' && c <= 'Z' ? c + 32 : (unsigned char)c;
}

char *strrchr(const char *s, int c) {
  const char *last = 0;
  for (;; s++) {
    if (*s == (char)c)
      last = s;
    if (!*s)
      return (char *)last;
  }
}

char *rindex(const char *s, int c) {
  return strrchr(s, c);
}

char *index(const char *s, int c) {
  return __builtin_strchr(s, c);
}

char *strchrnul(const char *s, int c) {
  while (*s && *s != (char)c)
    s++;
  return (char *)s;
}

char *strstr(const char *text, const char *word) {
  for (;; text++) {
    size_t i = 0;
    while (word[i] && text[i] == word[i])
      i++;
    if (!word[i])
      return (char *)text;
    if (!*text)
      return 0;
  }
}

char *strcasestr(const char *text, const char *word) {
  for (;; text++) {
    size_t i = 0;
    while (word[i] && __clinch_fold(text[i]) == __clinch_fold(word[i]))
      i++;
    if (!word[i])
      return (char *)text;
    if (!*text)
      return 0;
  }
}

size_t strspn(const char *s, const char *accept) {
  size_t n = 0;
  while (s[n] && __builtin_strchr(accept, s[n]))
    n++;
  return n;
}

size_t strcspn(const char *s, const char *reject) {
  size_t n = 0;
  while (s[n] && !__builtin_strchr(reject, s[n]))
    n++;
  return n;
}

char *strpbrk(const char *s, const char *accept) {
  s += strcspn(s, accept);
  return *s ? (char *)s : 0;
}

size_t strnlen(const char *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n])
    n++;
  return n;
}

char *strncat(char *to, const char *from, size_t n) {
  char *end = to + __builtin_strlen(to);
  for (; n && *from; n--)
    *end++ = *from++;
  *end = 0;
  return to;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from)) {
    to++;
    from++;
  }
  return to;
}

char *__stpcpy(char *to, const char *from) {
  return stpcpy(to, from);
}

char *stpncpy(char *to, const char *from, size_t n) {
  size_t length = strnlen(from, n);
  __builtin_strncpy(to, from, n);
  return to + length;
}

size_t strlcpy(char *to, const char *from, size_t n) {
  size_t length = __builtin_strlen(from);
  size_t i = 0;
  if (n) {
    for (; i < n - 1 && from[i]; i++)
      to[i] = from[i];
    to[i] = 0;
  }
  return length;
}

size_t strlcat(char *to, const char *from, size_t n) {
  size_t used = strnlen(to, n);
  if (used == n)
    return n + __builtin_strlen(from);
  return used + strlcpy(to + used, from, n - used);
}

char *strdup(const char *s) {
  size_t n = __builtin_strlen(s) + 1;
  char *copy = malloc(n);
  if (!copy)
    return 0;
  for (size_t i = 0; i < n; i++)
    copy[i] = s[i];
  return copy;
}

char *__strdup(const char *s) {
  return strdup(s);
}

char *strndup(const char *s, size_t max) {
  size_t n = strnlen(s, max);
  char *copy = malloc(n + 1);
  if (!copy)
    return 0;
  for (size_t i = 0; i < n; i++)
    copy[i] = s[i];
  copy[n] = 0;
  return copy;
}

char *__strndup(const char *s, size_t max) {
  return strndup(s, max);
}

char *strtok_r(char *s, const char *separators, char **next) {
  if (!s)
    s = *next;
  s += strspn(s, separators);
  if (!*s) {
    *next = s;
    return 0;
  }
  char *end = s + strcspn(s, separators);
  if (*end)
    *end++ = 0;
  *next = end;
  return s;
}

char *__strtok_r(char *s, const char *separators, char **next) {
  return strtok_r(s, separators, next);
}

static char *__clinch_strtok_next;

char *strtok(char *s, const char *separators) {
  return strtok_r(s, separators, &__clinch_strtok_next);
}

char *strsep(char **next, const char *separators) {
  char *s = *next;
  if (!s)
    return 0;
  char *end = s + strcspn(s, separators);
  if (*end) {
    *end = 0;
    *next = end + 1;
  } else
    *next = 0;
  return s;
}

void *memchr(const void *block, int c, size_t n) {
  const unsigned char *s = block;
  for (; n; n--, s++)
    if (*s == (unsigned char)c)
      return (void *)s;
  return 0;
}

void *memrchr(const void *block, int c, size_t n) {
  const unsigned char *s = block;
  while (n--)
    if (s[n] == (unsigned char)c)
      return (void *)(s + n);
  return 0;
}

void *rawmemchr(const void *block, int c) {
  const unsigned char *s = block;
  while (*s != (unsigned char)c)
    s++;
  return (void *)s;
}

void *memmem(const void *block, size_t n, const void *word, size_t length) {
  const char *s = block;
  if (length > n)
    return 0;
  for (size_t i = 0; i <= n - length; i++)
    if (!__builtin_memcmp(s + i, word, length))
      return (void *)(s + i);
  return 0;
}

void *mempcpy(void *to, const void *from, size_t n) {
  return (char *)__builtin_memcpy(to, from, n) + n;
}

void *__mempcpy(void *to, const void *from, size_t n) {
  return mempcpy(to, from, n);
}

void *memccpy(void *to, const void *from, int c, size_t n) {
  unsigned char *d = to;
  const unsigned char *s = from;
  for (; n; n--)
    if ((*d++ = *s++) == (unsigned char)c)
      return d;
  return 0;
}

void bzero(void *block, size_t n) {
  __builtin_memset(block, 0, n);
}

void explicit_bzero(void *block, size_t n) {
  __builtin_memset(block, 0, n);
}

void bcopy(const void *from, void *to, size_t n) {
  __builtin_memmove(to, from, n);
}

int bcmp(const void *a, const void *b, size_t n) {
  return __builtin_memcmp(a, b, n);
}

int strcasecmp(const char *a, const char *b) {
  while (*a && __clinch_fold(*a) == __clinch_fold(*b)) {
    a++;
    b++;
  }
  return __clinch_fold(*a) - __clinch_fold(*b);
}

int strncasecmp(const char *a, const char *b, size_t n) {
  for (; n; n--, a++, b++) {
    if (__clinch_fold(*a) != __clinch_fold(*b))
      return __clinch_fold(*a) - __clinch_fold(*b);
    if (!*a)
      return 0;
  }
  return 0;
}

int strcoll(const char *a, const char *b) {
  return __builtin_strcmp(a, b);
}

int ffs(int x) {
  unsigned bits = x;
  int position = 1;
  if (bits == 0) return 0;
  for (; !(bits & 1); position++) bits >>= 1;
  return position;
}

int ffsl(long x) {
  unsigned long bits = x;
  int position = 1;
  if (bits == 0) return 0;
  for (; !(bits & 1); position++) bits >>= 1;
  return position;
}

int ffsll(long long x) {
  unsigned long long bits = x;
  int position = 1;
  if (bits == 0) return 0;
  for (; !(bits & 1); position++) bits >>= 1;
  return position;
}
