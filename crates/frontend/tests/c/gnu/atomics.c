// Atomic operations, by gcc's builtins old and new.
int main(void) {
  int x = 0, e = 3, y = 5;
  unsigned char small = 255;
  if (__atomic_fetch_add(&x, 3, __ATOMIC_SEQ_CST) != 0 || __atomic_load_n(&x, __ATOMIC_RELAXED) != 3) return 1;
  if (!__atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5) || x != 9) return 2;
  e = 1;
  if (__atomic_compare_exchange_n(&x, &e, 2, 0, 5, 5) || e != 9 || x != 9) return 3;
  if (__sync_fetch_and_add(&y, 2) != 5 || y != 7) return 4;
  if (__sync_bool_compare_and_swap(&y, 7, 8) != 1 || y != 8) return 5;
  if (__sync_val_compare_and_swap(&y, 7, 1) != 8 || y != 8) return 6;
  if (__atomic_nand_fetch(&y, 12, 0) != ~(8 & 12)) return 7;
  if (__atomic_exchange_n(&y, 1, 0) != ~8 || y != 1) return 8;
  if (__atomic_fetch_add(&small, 2, 0) != 255 || small != 1) return 9;
  _Bool flag = 0;
  if (__atomic_test_and_set(&flag, 0) || !__atomic_test_and_set(&flag, 0)) return 10;
  __atomic_clear(&flag, 0);
  if (flag) return 11;
  int a[2];
  int *q = a;
  q = __atomic_add_fetch(&q, 4, 0);
  __sync_synchronize();
  __atomic_store(&y, &e, 0);
  return q == a + 1 && y == 9 ? 0 : 12;
}
