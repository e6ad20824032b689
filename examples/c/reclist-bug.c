// A list that is built and walked by recursion; the last node has a wrong value. Found with
// clinch check reclist-bug.c --engine spds --heap-bits 512
// expect: unsafe
// inputs: 1

#include <stdlib.h>

extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

static struct node *build(int n) {
  if (n <= 0)
    return NULL;
  struct node *node = malloc(sizeof *node);
  node->value = n > 1 ? n : 0;
  node->next = build(n - 1);
  return node;
}

static int counts_down(const struct node *list, int n) {
  if (list == NULL)
    return n == 0;
  return list->value == n && counts_down(list->next, n - 1);
}

static void discard(struct node *list) {
  if (list == NULL)
    return;
  discard(list->next);
  free(list);
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 4)
    return 0;
  struct node *list = build(n);
  if (!counts_down(list, n))
    reach_error();
  discard(list);
  return 0;
}
