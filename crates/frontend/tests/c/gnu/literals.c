// Compound literals, as initialisers of objects of all kinds and under sizeof.
struct p { int x, y; };
struct r { struct p a; int z; };
struct p q = (struct p){ 1, 2 };
int numbers[] = (int[]){ 1, 2, 3 };
int *pointer = (int[]){ 4, 5 };
struct r nested = { (struct p){ 7, 8 }, 9 };
static struct p table[2] = { (struct p){ 1, 2 }, [1] = (struct p){ .y = 3 } };

int main(void) {
  static struct p local = (struct p){ 5, 6 };
  static int scalar = (int){ 3 };
  if (q.y != 2 || numbers[2] != 3 || pointer[1] != 5 || nested.a.y != 8 || nested.z != 9) return 1;
  if (local.x != 5 || scalar != 3 || table[1].y != 3 || table[1].x != 0) return 2;
  if (sizeof (char){ 1 } != 1 || sizeof (int[3]){ 1, 2 } != 12 || sizeof (int[]){ 1, 2 }[0] != 4) return 3;
  return 0;
}
