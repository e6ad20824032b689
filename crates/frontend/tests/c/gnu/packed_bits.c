// Bit-fields of packed records: none of them reaches out of its record, wherever its bits are.
#define CHECK(e) do { count++; if (!(e)) return count; } while (0)

struct __attribute__((packed)) end { char d; unsigned e : 6; };
struct __attribute__((packed)) three { unsigned char d; int e : 13; };
struct __attribute__((packed)) long_one { unsigned a : 7; unsigned long b : 60; unsigned c : 5; };
union __attribute__((packed)) bytes { unsigned a : 20; unsigned char b[3]; };
struct __attribute__((packed)) truth { signed char a : 3; _Bool b : 1; signed char c : 7; };
#pragma pack(push, 2)
struct limited { char a; int b : 17; int c : 31; };
#pragma pack(pop)

static struct three table[3] = {{1, -5}, {2, 9}, {3, -1}};

static struct end changed(struct end e) {
    e.e ^= 3;
    return e;
}

int main(void) {
    int count = 0;
    struct end e = {1, 2}, copy;
    copy = changed(e);
    CHECK(sizeof e == 2 && e.e == 2 && copy.e == 1 && copy.d == 1);
    copy.e = 70;
    CHECK(copy.e == 6 && copy.e++ == 6 && copy.e == 7 && copy.d == 1);
    table[1].e--;
    table[2].e = 7;
    CHECK(sizeof table == 9 && table[0].e == -5 && table[1].e == 8 && table[2].e == 7 && table[2].d == 3);
    struct long_one l = {1, 0, 3};
    l.b = 0xabcdef012345678ul;
    CHECK(sizeof l == 9 && l.a == 1 && l.c == 3 && (unsigned)l.b == 0x12345678u);
    union bytes u = {0};
    u.a = 0x12345;
    CHECK(sizeof u == 3 && u.b[0] == 0x45 && u.b[1] == 0x23 && u.b[2] == 1);
    struct truth t = {0};
    t.b = 6;
    t.c = -3;
    t.a = 2;
    CHECK(sizeof t == 2 && t.b == 1 && t.c == -3 && t.a == 2);
    struct limited m = {1, -7, 5};
    m.c -= 6;
    CHECK(sizeof m == 8 && m.a == 1 && m.b == -7 && m.c == -1);
    return 0;
}
