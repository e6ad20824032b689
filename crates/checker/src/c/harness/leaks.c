extern int dprintf(int, const char *, ...), atexit(void (*)(void)), setvbuf(void *, char *, int, unsigned long);
extern void *stdout;
extern unsigned long __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
static unsigned long clinch_allocated;
PLAIN static unsigned long clinch_in_use(void) {
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}
PLAIN static void clinch_count(void) {
    unsigned long now = clinch_in_use();
    if (now > clinch_allocated) dprintf(2, "clinch: %lu bytes are not freed at the end\n", now - clinch_allocated);
}
PLAIN static void clinch_watch(void) {
    setvbuf(stdout, 0, 2, 0);
    atexit(clinch_count);
    clinch_allocated = clinch_in_use();
}
/* What functions left on the stack that have returned points nowhere any more. */
PLAIN __attribute__((noinline, no_sanitize("address"))) static int clinch_wipe(int status) {
    volatile char block[1 << 16];
    unsigned long i;
    for (i = 0; i < sizeof block; i++) block[i] = 0;
    return status;
}
