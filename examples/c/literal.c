// Makes the first letter of a name a capital one, in a copy.
// expect: safe

extern int __VERIFIER_nondet_int(void);

static void capitalise(char *name) {
  if (name[0] >= 'a' && name[0] <= 'z')
    name[0] = (char)(name[0] - 'a' + 'A');
}

int main(void) {
  char first[] = "ada", second[] = "grace";
  capitalise(__VERIFIER_nondet_int() ? first : second);
  return first[0] == 'A';
}
