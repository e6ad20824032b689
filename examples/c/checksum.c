// The Internet checksum (RFC 1071) of a message of four 16-bit words: with the checksum put in, the sum is 0xffff, and
// swapping words does not change it.
// expect: safe

#include <assert.h>
#include <stdint.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

#define WORDS 4

static uint16_t sum(const uint16_t *words, int n) {
  uint32_t total = 0;
  while (n-- > 0)
    total += *words++;
  while (total >> 16)
    total = (total & 0xffff) + (total >> 16);
  return (uint16_t)total;
}

int main(void) {
  uint16_t message[WORDS + 1];
  for (int i = 0; i < WORDS; i++)
    message[i] = __VERIFIER_nondet_ushort();
  message[WORDS] = (uint16_t)~sum(message, WORDS);
  assert(sum(message, WORDS + 1) == 0xffff);
  uint16_t first = message[0];
  message[0] = message[WORDS - 1];
  message[WORDS - 1] = first;
  assert(sum(message, WORDS + 1) == 0xffff);
  return 0;
}
