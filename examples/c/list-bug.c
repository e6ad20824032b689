// list.c, whose removal steps over the node after each one it takes out: of two equal keys one stays.
// expect: unsafe
// inputs: 3, 3, 0, 3

#include <assert.h>
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

struct node {
  int key;
  struct node *next;
};

static void insert(struct node **list, int key) {
  struct node **at = list;
  while (*at && (*at)->key < key)
    at = &(*at)->next;
  struct node *n = malloc(sizeof *n);
  if (!n)
    exit(1);
  n->key = key;
  n->next = *at;
  *at = n;
}

static int remove_all(struct node **list, int key) {
  int removed = 0;
  for (struct node **at = list; *at;) {
    struct node *n = *at;
    if (n->key == key) {
      *at = n->next;
      free(n);
      removed++;
      if (!*at)
        break;
    }
    at = &(*at)->next;
  }
  return removed;
}

static int length(const struct node *list) {
  int n = 0;
  for (; list; list = list->next) {
    assert(!list->next || list->key <= list->next->key);
    n++;
  }
  return n;
}

int main(void) {
  struct node *list = 0;
  int inserted = 0;
  for (int i = 0; i < 4; i++) {
    unsigned char key = __VERIFIER_nondet_uchar() % 8;
    if (key == 0)
      break;
    insert(&list, key);
    inserted++;
  }
  int key = __VERIFIER_nondet_uchar() % 8;
  int removed = remove_all(&list, key);
  assert(length(list) == inserted - removed);
  assert(remove_all(&list, key) == 0);
  while (list) {
    struct node *n = list;
    list = n->next;
    free(n);
  }
  return 0;
}
