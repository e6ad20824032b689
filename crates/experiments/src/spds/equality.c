unsigned X, Y, Z;
void foo(void) {
  unsigned P, Q[8];
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) { P = (unsigned)__VERIFIER_nondet_int() % 8; Q[P] = Q[P] + 1; }
    else { Z = (unsigned)__VERIFIER_nondet_int(); X = X + P; Y = Y + P; }
  }
}
int main(void) { X = 0; Y = 0; foo(); if (X != Y) if (Z == 0) reach_error(); return 0; }
