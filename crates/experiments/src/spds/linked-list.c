extern void abort(void);
typedef unsigned char pointer;
pointer heap[CELLS], next_free;
pointer allocate(pointer cells) {
  pointer block;
  if (next_free + cells > CELLS) abort();
  block = next_free;
  next_free = next_free + cells;
  return block;
}
pointer new_node(pointer element, pointer next) {
  pointer node = allocate(2);
  heap[node] = element;
  heap[node + 1] = next;
  return node;
}
void insert(pointer element, pointer after) {
  if (after != 0) {
    pointer following = heap[after + 1];
    pointer node = new_node(element, following);
    heap[after + 1] = node;
  }
}
pointer find_previous(pointer header, pointer element) {
  pointer node = header;
  for (;;) {
    pointer following = heap[node + 1];
    if (following == 0 || heap[following] == element) break;
    node = following;
  }
  return node;
}
void delete(pointer header, pointer element) {
  pointer previous = find_previous(header, element);
  pointer node = heap[previous + 1];
  if (node != 0) heap[previous + 1] = heap[node + 1];
}
int main(void) {
  pointer header;
  next_free = 1;
  header = new_node(0, 0);
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) insert(0, header); else delete(header, 0);
    if (header != 0) reach_error();
  }
  return 0;
}
