// utf8.c, which lets overlong sequences of two bytes pass: 0xc0 0xaf is a second way to write `/`.
// expect: unsafe
// inputs: 192, 175

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static int continues(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// The length of the sequence that starts here, 0 if it is malformed.
static int sequence(const unsigned char *s) {
  if (s[0] < 0x80)
    return 1;
  if (s[0] < 0xc0)
    return 0;
  if (s[0] < 0xe0)
    return continues(s[1]) ? 2 : 0;
  if (s[0] < 0xf0) {
    if (!continues(s[1]) || !continues(s[2]))
      return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0)
      return 0;
    if (s[0] == 0xed && s[1] >= 0xa0)
      return 0;
    return 3;
  }
  return 0;
}

static unsigned decode(const unsigned char *s, int length) {
  if (length == 1)
    return s[0];
  if (length == 2)
    return (unsigned)(s[0] & 0x1f) << 6 | (s[1] & 0x3f);
  return (unsigned)(s[0] & 0x0f) << 12 | (unsigned)(s[1] & 0x3f) << 6 | (s[2] & 0x3f);
}

int main(void) {
  unsigned char s[3];
  for (int i = 0; i < 3; i++)
    s[i] = __VERIFIER_nondet_uchar();
  int length = sequence(s);
  if (length == 0)
    return 1;
  unsigned point = decode(s, length);
  assert((length >= 2) == (point >= 0x80));
  assert((length >= 3) == (point >= 0x800));
  assert(point < 0xd800 || point > 0xdfff);
  return 0;
}
