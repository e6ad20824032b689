// Reads a line into a buffer of fixed size: no byte is written behind it.
// expect: safe

extern char __VERIFIER_nondet_char(void);

#define SIZE 16

static unsigned read_line(char *line) {
  unsigned n = 0;
  char c = __VERIFIER_nondet_char();
  while (c != '\n' && n < SIZE - 1) {
    line[n++] = c;
    c = __VERIFIER_nondet_char();
  }
  line[n] = 0;
  return n;
}

int main(void) {
  char line[SIZE];
  return read_line(line) == SIZE;
}
