extern unsigned long strnlen(const char *, unsigned long);
extern char *strndup(const char *, unsigned long);
WEAK char *clinch_strndup(const char *text, unsigned long most) {
    if (NONE(strnlen(text, most) + 1)) return 0;
    clinch_number++;
    return strndup(text, most);
}
