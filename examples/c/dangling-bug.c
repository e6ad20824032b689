// dangling.c, but the way to the next element is asked of one that is gone.
// expect: unsafe (memory)

#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int key;
  struct node *next;
};

static struct node *push(struct node *list, int key) {
  struct node *node = malloc(sizeof *node);
  if (!node)
    return list;
  node->key = key;
  node->next = list;
  return node;
}

int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 3; i++)
    list = push(list, __VERIFIER_nondet_int());
  while (list) {
    free(list);
    list = list->next;
  }
  return 0;
}
