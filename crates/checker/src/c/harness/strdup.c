extern unsigned long strlen(const char *);
extern char *strdup(const char *);
WEAK char *clinch_strdup(const char *text) {
    if (NONE(strlen(text) + 1)) return 0;
    clinch_number++;
    return strdup(text);
}
