// A search tree that goes astray: keys on the right are looked for on the left. Found with
// clinch check searchtree-bug.c --engine spds --heap-bits 576
// expect: unsafe
// inputs: 8, 0, 6

#include <stdlib.h>

extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

struct tree {
  unsigned char key;
  struct tree *left, *right;
};

static struct tree *insert(struct tree *tree, unsigned char key) {
  if (tree == NULL) {
    tree = malloc(sizeof *tree);
    tree->key = key;
    tree->left = NULL;
    tree->right = NULL;
    return tree;
  }
  if (key < tree->key)
    tree->left = insert(tree->left, key);
  else if (key > tree->key)
    tree->right = insert(tree->right, key);
  return tree;
}

static int contains(const struct tree *tree, unsigned char key) {
  if (tree == NULL)
    return 0;
  if (key == tree->key)
    return 1;
  return contains(key > tree->key ? tree->left : tree->right, key);
}

int main(void) {
  unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar(), c = __VERIFIER_nondet_uchar();
  struct tree *tree = insert(insert(NULL, a), b);
  if (!contains(tree, a) || !contains(tree, b))
    reach_error();
  if (contains(tree, c) && c != a && c != b)
    reach_error();
  return 0;
}
