/* <errno.h> */

static int __clinch_errno;

int *__errno_location(void) {
  return &__clinch_errno;
}
