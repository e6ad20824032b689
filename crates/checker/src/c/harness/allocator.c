extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long), *realloc(void *, unsigned long);
static unsigned long clinch_number;
PLAIN static void *clinch_put(const struct clinch_content *list, unsigned long count, unsigned long home, unsigned long life,
                              unsigned char *block, unsigned long size) {
    unsigned long i;
    for (i = 0; block && i < count; i++)
        if (list[i].home == home && list[i].life == life && list[i].at < size) block[list[i].at] = list[i].byte;
    return block;
}
WEAK void *clinch_malloc(unsigned long size) {
    if (NONE(size)) return 0;
    return clinch_put(clinch_blocks, clinch_blocks_count, clinch_number++, 0, malloc(size), size);
}
WEAK void *clinch_builtin_malloc(unsigned long size) { return clinch_malloc(size); }
WEAK void *__clinch_block(unsigned long size) {
    return clinch_put(clinch_blocks, clinch_blocks_count, clinch_number++, 0, malloc(size), size);
}
WEAK unsigned long __clinch_room() { return -1ul; }
WEAK void __clinch_suppose() { }
WEAK void __clinch_assume_that() { }
WEAK void *clinch_calloc(unsigned long count, unsigned long each) {
    if (!(each && count > -1ul / each) && NONE(count * each)) return 0;
    clinch_number++;
    return calloc(count, each);
}
WEAK void *clinch_realloc(void *old, unsigned long size) {
    if (NONE(size)) return size ? 0 : realloc(old, 0);
    return clinch_put(clinch_blocks, clinch_blocks_count, clinch_number++, 0, realloc(old, size), size);
}
static unsigned long clinch_lives[sizeof clinch_locals / sizeof clinch_locals[0]];
PLAIN void *clinch_fill(unsigned long local, void *block, unsigned long size) {
    unsigned long i = 0;
    while (i < clinch_locals_count && clinch_locals[i].home != local) i++;
    return clinch_put(clinch_locals, clinch_locals_count, local, clinch_lives[i]++, block, size);
}
PLAIN void clinch_store(void *target, unsigned long size, unsigned long long value) {
    unsigned char *byte = target;
    for (; size > 0; size--, value >>= 8) *byte++ = (unsigned char)value;
}
