/* <ctype.h> in the C locale, and the tables behind glibc's macros. */

int isdigit(int c) {
  return c >= '0' && c <= '9';
}

int isupper(int c) {
  return c >= 'A' && c <= 'Z';
}

int islower(int c) {
  return c >= 'a' && c <= 'z';
}

int isalpha(int c) {
  return isupper(c) || islower(c);
}

int isalnum(int c) {
  return isalpha(c) || isdigit(c);
}

int isblank(int c) {
  return c == ' ' || c == '\t';
}

int isspace(int c) {
  return c == ' ' || c >= '\t' && c <= '\r';
}

int iscntrl(int c) {
  return c >= 0 && c < 32 || c == 127;
}

int isprint(int c) {
  return c >= 32 && c < 127;
}

int isgraph(int c) {
  return c > 32 && c < 127;
}

int ispunct(int c) {
  return isgraph(c) && !isalnum(c);
}

int isxdigit(int c) {
  return isdigit(c) || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f';
}

int isascii(int c) {
  return (c & ~127) == 0;
}

int toascii(int c) {
  return c & 127;
}

/* A negative plain char that is not EOF is the byte: glibc looks into a table. */
int tolower(int c) {
  if (c >= -128 && c < -1)
    return c + 256;
  return isupper(c) ? c + 32 : c;
}

int toupper(int c) {
  if (c >= -128 && c < -1)
    return c + 256;
  return islower(c) ? c - 32 : c;
}

/* Bits of glibc on a little-endian machine. Indices -128 to -1 are for plain char; outside of ASCII nothing is set. */
static const unsigned short __clinch_class[384] = {
  [128 ... 136] = 0x0002, [137] = 0x2003, [138 ... 141] = 0x2002, [142 ... 159] = 0x0002, [160] = 0x6001,
  [161 ... 175] = 0xc004, [176 ... 185] = 0xd808, [186 ... 192] = 0xc004, [193 ... 198] = 0xd508,
  [199 ... 218] = 0xc508, [219 ... 224] = 0xc004, [225 ... 230] = 0xd608, [231 ... 250] = 0xc608,
  [251 ... 254] = 0xc004, [255] = 0x0002,
};

static const unsigned short *__clinch_class_start = __clinch_class + 128;

const unsigned short **__ctype_b_loc(void) {
  return &__clinch_class_start;
}

/* Of lower and of upper case; see WORDS in models.rs. glibc maps -128 to -2 to the characters from 128 on. */
static const int __clinch_CASE[384] = {
  128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148,
  149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169,
  170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190,
  191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211,
  212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232,
  233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253,
  254, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
  27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
  53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, LETTERS, 91, 92, 93, 94, 95, 96, LETTERS, 123, 124, 125,
  126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146,
  147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167,
  168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188,
  189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209,
  210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230,
  231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251,
  252, 253, 254, 255,
};

static const int *__clinch_CASE_start = __clinch_CASE + 128;

const int **__ctype_toCASE_loc(void) {
  return &__clinch_CASE_start;
}
