// Tags of inner scopes, and objects that are larger than their type.
#define CHECK(e) do { count++; if (!(e)) return count; } while (0)

struct s { int a; };
union u { int a; };
struct flexible { int n; int d[]; };
extern struct flexible object;
struct flexible object = {2, {5, 6}}, other;
extern struct flexible object;
typeof(object) third;

int main(void) {
    int count = 0;
    {
        struct s;
        struct holder { struct s *p; };
        struct s { long v[2]; };
        struct s x = {{4, 5}};
        struct holder h = {&x};
        CHECK(sizeof(struct s) == 16 && h.p->v[1] == 5);
        struct s;
        CHECK(sizeof(struct s) == 16);
    }
    {
        union u __attribute__((unused));
        union u *p = 0;
        union u { char c[3]; };
        CHECK(sizeof *p == 3);
    }
    {
        // Neither is a declaration of a new type.
        extern struct s;
        const struct s;
        struct s x = {1};
        CHECK(x.a == 1);
    }
    other = object;
    third = object;
    struct flexible *p = &object;
    CHECK(sizeof object == 4 && sizeof other == 4 && sizeof third == 4);
    CHECK(other.n == 2 && third.n == 2 && object.d[1] == 6 && p->d[0] == 5);
    static struct flexible local = {1, {7}};
    struct flexible copy = local;
    CHECK(copy.n == 1 && sizeof local == 4 && local.d[0] == 7);
    return 0;
}
