// bounds.c with an off-by-one: the zero at the end of a long line is written behind the buffer.
// expect: unsafe (memory)

extern char __VERIFIER_nondet_char(void);

#define SIZE 16

static unsigned read_line(char *line) {
  unsigned n = 0;
  char c = __VERIFIER_nondet_char();
  while (c != '\n' && n < SIZE) {
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
