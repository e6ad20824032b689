// Alignments of types, objects and members: attributes say them at many places.
#define CHECK(e) do { count++; if (!(e)) return count; } while (0)

typedef int low __attribute__((aligned(2)));
typedef int high __attribute__((aligned(8)));
typedef low lows[3];
typedef high high_then_low __attribute__((aligned(2)));
typedef int last_wins __attribute__((aligned(16), aligned(2)));
typedef int __attribute__((aligned(16))) specifier_wins __attribute__((aligned(2)));
typedef int block[4] __attribute__((aligned(16)));
typedef int *pointer __attribute__((aligned(1)));
typedef struct { int a; } record __attribute__((aligned(1)));
typedef struct record_tag { int a; } plain;
typedef struct record_tag __attribute__((aligned(1))) after_tag;
enum number { ONE } __attribute__((aligned(8)));

low l;
lows many;
high_then_low both __attribute__((aligned(1)));
char c __attribute__((aligned(2)));
int lowered __attribute__((aligned(2)));
extern int again __attribute__((aligned(16)));
int again;
extern int weaker;
int weaker __attribute__((aligned(2)));
block b;
struct record_tag __attribute__((aligned(32))) object;
struct record_tag static __attribute__((aligned(32))) mixed;

struct members { char c; low x; };
struct array { char c; lows x; };
struct up { char c; high x; };
struct down { char c; high_then_low x; };
struct packed { char c; high x; int y __attribute__((aligned(4))); } __attribute__((packed));
struct packed_member { char c; high x __attribute__((packed)); };
struct stays { char c; low x __attribute__((aligned(1))); };
struct of_enum { char c; enum number e; };
struct of_record { char c; record r; };
struct of_tag { char c; after_tag r; };
struct tag_packed { char c; struct record_tag __attribute__((packed)) r; };
struct tag_aligned { char c; struct record_tag __attribute__((unused)) __attribute__((aligned(16))) r; };
struct tag_of_pointer { char c; struct record_tag __attribute__((aligned(16))) *r; };
struct pointers { char c; int *__attribute__((aligned(16))) p; int *__attribute__((aligned(2))) q; };
struct of_pointer { char c; pointer p; };
struct __attribute__((packed)) packed_pointer { char c; int *__attribute__((aligned(16))) p; };
struct of_block { char c; block b; };
struct same { char c; typeof(l) x; };
struct own { char c; typeof(again) x; };
struct __attribute__((aligned(16))) later;
struct later { int a; };
struct raised_bits { char c; high x : 5; int y : 3; };
struct lowered_bits { char c; low x : 30; int y : 3; };
struct [[gnu::packed]] bracketed { char c; int x; };
struct bracketed_member { char c; [[gnu::packed]] int x; int y [[gnu::packed]]; };

static int parameter(low x) { return __alignof__(x); }
static int old_style(x) low x; { return __alignof__(x); }

int main(void) {
    int count = 0;
    low local = 0;
    static high kept;
    CHECK(_Alignof(low) == 2 && _Alignof(high) == 8 && _Alignof(lows) == 2);
    CHECK(_Alignof(high_then_low) == 2 && _Alignof(last_wins) == 2 && _Alignof(specifier_wins) == 16);
    CHECK(_Alignof(enum number) == 4 && _Alignof(struct later) == 4);
    CHECK(_Alignof(int __attribute__((aligned(16)))) == 16 && sizeof(int __attribute__((aligned(16)))) == 4);
    CHECK(__alignof__(l) == 2 && __alignof__((l)) == 2 && __alignof__(many) == 2 && __alignof__(both) == 1);
    CHECK(__alignof__(c) == 2 && __alignof__(lowered) == 2 && __alignof__(again) == 16 && __alignof__(weaker) == 4);
    CHECK(__alignof__(b) == 16 && __alignof__(object) == 32 && __alignof__(mixed) == 32);
    CHECK(__alignof__(local) == 2 && __alignof__(kept) == 8);
    CHECK(__alignof__(typeof(lowered)) == 4 && __alignof__(typeof(l)) == 2);
    CHECK(__alignof__(((struct members *)0)->x) == 2 && __alignof__(((struct packed *)0)->y) == 4);
    CHECK(parameter(1) == 2 && old_style(1) == 2);
    CHECK(sizeof(struct members) == 6 && sizeof(struct array) == 14);
    CHECK(sizeof(struct up) == 16 && sizeof(struct down) == 6);
    CHECK(sizeof(struct packed) == 12 && __builtin_offsetof(struct packed, y) == 8 && _Alignof(struct packed) == 4);
    CHECK(sizeof(struct packed_member) == 5 && sizeof(struct stays) == 6);
    CHECK(sizeof(struct of_enum) == 8 && sizeof(struct of_record) == 5 && sizeof(struct of_tag) == 5);
    CHECK(sizeof(struct tag_packed) == 5 && sizeof(struct tag_aligned) == 32 && sizeof(struct tag_of_pointer) == 32);
    CHECK(sizeof(struct pointers) == 32 && sizeof(struct of_pointer) == 9 && sizeof(struct packed_pointer) == 9);
    CHECK(sizeof(struct of_block) == 32 && sizeof(struct same) == 6 && sizeof(struct own) == 8);
    CHECK(sizeof(struct raised_bits) == 16 && sizeof(struct lowered_bits) == 8);
    CHECK(sizeof(struct bracketed) == 5 && sizeof(struct bracketed_member) == 9);
    return 0;
}
