#define PLAIN __attribute__((no_instrument_function))
#define WEAK __attribute__((weak, no_instrument_function))
PLAIN void clinch_error(void) { write(2, "clinch: error reached\n", 22); exit(1); }
PLAIN int clinch_reach() { clinch_error(); return 0; }
PLAIN void clinch_place(void) { write(2, "clinch: place reached\n", 22); }
WEAK void __assert_fail(const char *a, const char *b, unsigned c, const char *d) { clinch_error(); }
WEAK void __assert_rtn(const char *a, const char *b, int c, const char *d) { clinch_error(); }
WEAK void __assert(const char *a, const char *b, int c) { clinch_error(); }
WEAK void reach_error(void) { clinch_error(); }
WEAK void __VERIFIER_error(void) { clinch_error(); }
WEAK void __VERIFIER_assert(int c) { if (!c) clinch_error(); }
WEAK void __VERIFIER_assume(int c) { if (!c) exit(0); }
WEAK void assert(int c) { if (!c) clinch_error(); }
WEAK void assume(int c) { if (!c) exit(0); }
PLAIN void __cyg_profile_func_enter(void *function, void *site) {
    if (function == (void *)reach_error || function == (void *)__VERIFIER_error) clinch_error();
    if (function == (void *)__assert_fail || function == (void *)__assert_rtn) clinch_error();
}
PLAIN void __cyg_profile_func_exit(void *function, void *site) { }
