WEAK void *clinch_reallocarray(void *old, unsigned long count, unsigned long each) {
    if (each && count > -1ul / each) return 0;
    return clinch_realloc(old, count * each);
}
