extern void *aligned_alloc(unsigned long, unsigned long);
WEAK void *clinch_aligned_alloc(unsigned long alignment, unsigned long size) {
    if (NONE(size)) return 0;
    return clinch_put(clinch_blocks, clinch_blocks_count, clinch_number++, 0, aligned_alloc(alignment, size), size);
}
