// The types of enumerations and of their enumerators.
enum a { A1 = 0xFFFFFFFFu, A2 = -1, A3 = 5 };
enum b { B1 = 0x80000000u, B2 = 3 };
enum __attribute__((packed)) d { D1 = 200 };
enum __attribute__((packed)) e { E1 = -1, E2 = 127 };
enum f { F1 = 300 } __attribute__((packed));
struct s { enum d d; char c; };

int main(void) {
  if (sizeof(A1) != 8 || sizeof(A2) != 4 || sizeof(A3) != 4 || A1 + 1 == 0) return 1;
  if (sizeof(B1) != 4 || B1 - 0x80000001u == 0 || sizeof(B2) != 4) return 2;
  if (sizeof(enum d) != 1 || sizeof(enum e) != 1 || sizeof(enum f) != 2 || sizeof(struct s) != 2) return 3;
  if (sizeof(D1) != 4) return 4;
  return 0;
}
