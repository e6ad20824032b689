extern void free(void *);
/* What a pointer from outside leads to is no block of this library. */
WEAK void clinch_free(void *block) {
    unsigned long at = (unsigned long)block;
    if (at < CLINCH_OUTSIDE || at >= CLINCH_OUTSIDE_END) free(block);
}
