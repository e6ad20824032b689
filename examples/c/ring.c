// A ring buffer of bytes, checked against a count of what went in and out: what is taken is what was put, in order.
// expect: safe

#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define SIZE 4

struct ring {
  unsigned char data[SIZE];
  unsigned head, count;
};

static int put(struct ring *r, unsigned char value) {
  if (r->count == SIZE)
    return 0;
  r->data[(r->head + r->count) % SIZE] = value;
  r->count++;
  return 1;
}

static int take(struct ring *r, unsigned char *value) {
  if (r->count == 0)
    return 0;
  *value = r->data[r->head];
  r->head = (r->head + 1) % SIZE;
  r->count--;
  return 1;
}

int main(void) {
  struct ring ring = {.head = 0, .count = 0};
  unsigned char sent = 0, received = 0, command;

  while ((command = __VERIFIER_nondet_uchar() % 3) != 0) {
    if (command == 1) {
      if (put(&ring, sent))
        sent++;
    } else {
      unsigned char value;
      if (take(&ring, &value)) {
        assert(value == received);
        received++;
      }
    }
    assert((unsigned char)(sent - received) == ring.count);
    assert(ring.count <= SIZE);
  }
  return 0;
}
