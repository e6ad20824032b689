static long clinch_up_to(void) { return (long)clinch_next(); }
PLAIN char *NAME(fgets)(char *text, int size, void *stream) {
    long i, length;
    if (size <= 0) return 0;
    length = clinch_up_to();
    for (i = 0; i < length; i++) text[i] = (char)clinch_next();
    if ((int)clinch_next() == 0) return 0;
    text[length] = 0;
    return text;
}
PLAIN __SIZE_TYPE__ NAME(fread)(void *block, __SIZE_TYPE__ size, __SIZE_TYPE__ count, void *stream) {
    long i, length;
    if (size == 0 || count == 0) return 0;
    length = clinch_up_to();
    for (i = 0; i < length; i++) ((char *)block)[i] = (char)clinch_next();
    return length / size;
}
PLAIN long NAME(read)(int file, void *block, __SIZE_TYPE__ size) {
    long i, length;
    if ((int)clinch_next() == 0) return -1;
    length = clinch_up_to();
    for (i = 0; i < length; i++) ((char *)block)[i] = (char)clinch_next();
    return length;
}
PLAIN long NAME(time)(long *result) {
    long now = (long)clinch_next();
    if (result) *result = now;
    return now;
}
PLAIN int NAME(gettimeofday)(long *result, void *zone) {
    if ((int)clinch_next() == 0) return -1;
    if (result) { result[0] = (long)clinch_next(); result[1] = clinch_up_to(); }
    return 0;
}
PLAIN int NAME(clock_gettime)(int clock, long *result) {
    if ((int)clinch_next() == 0) return -1;
    result[0] = (long)clinch_next();
    result[1] = clinch_up_to();
    return 0;
}
static char clinch_names[4][64], *clinch_values[4];
static int clinch_name_count;
PLAIN char *NAME(getenv)(const char *name) {
    int i, k;
    for (i = 0; i < clinch_name_count; i++) {
        for (k = 0; name[k] && name[k] == clinch_names[i][k]; k++) ;
        if (name[k] == clinch_names[i][k]) return clinch_values[i];
    }
    if (i == 4) return 0;
    for (k = 0; k < 63 && (clinch_names[i][k] = name[k]); k++) ;
    clinch_values[i] = 0;
    if ((int)clinch_next() != 0) {
        clinch_values[i] = __clinch_block(256);
        clinch_values[i][255] = 0;
    }
    clinch_name_count++;
    return clinch_values[i];
}
PLAIN char *NAME(secure_getenv)(const char *name) { return (int)clinch_next() == 0 ? 0 : NAME(getenv)(name); }
PLAIN int NAME(getchar)(void) { return (int)clinch_next(); }
PLAIN int NAME(getchar_unlocked)(void) { return (int)clinch_next(); }
PLAIN int NAME(getc)(void *stream) { return (int)clinch_next(); }
PLAIN int NAME(getc_unlocked)(void *stream) { return (int)clinch_next(); }
PLAIN int NAME(fgetc)(void *stream) { return (int)clinch_next(); }
PLAIN static int clinch_scan(const char *format, __builtin_va_list targets) {
    int count = (int)clinch_next(), done = 0;
    while (done < count && *format) {
        int skipped, size = 4;
        if (*format++ != '%') continue;
        skipped = *format == '*';
        if (skipped) format++;
        while (*format >= '0' && *format <= '9') format++;
        if (*format == 'h') size = *++format == 'h' ? (format++, 1) : 2;
        else if (*format == 'l') size = *++format == 'l' ? (format++, 8) : (int)sizeof(long);
        else if (*format == 'z' || *format == 't') format++, size = sizeof(long);
        else if (*format == 'j' || *format == 'q' || *format == 'L') format++, size = 8;
        if (*format == 'c') size = 1;
        if (*format++ == '%' || skipped) continue;
        clinch_store(__builtin_va_arg(targets, void *), size, clinch_next());
        done++;
    }
    return count;
}
#define SCAN(name) PLAIN int NAME(name)(const char *format, ...) { \
    int count; __builtin_va_list targets; __builtin_va_start(targets, format); \
    count = clinch_scan(format, targets); __builtin_va_end(targets); return count; }
#define FILE_SCAN(name) PLAIN int NAME(name)(void *stream, const char *format, ...) { \
    int count; __builtin_va_list targets; __builtin_va_start(targets, format); \
    count = clinch_scan(format, targets); __builtin_va_end(targets); return count; }
SCAN(scanf) SCAN(__isoc99_scanf) SCAN(__isoc23_scanf)
FILE_SCAN(fscanf) FILE_SCAN(__isoc99_fscanf) FILE_SCAN(__isoc23_fscanf)
