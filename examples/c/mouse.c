// A driver of a mouse on a serial controller: every pointer is checked where it is used. The queue of events exists from the
// first open to the last close; interrupts come at any time. Row qpmouse.c of [Lazy], table 1, which checks for null
// pointer dereferences.
// expect: safe

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void free(void *);

enum { OK = 0, AGAIN = -11, NO_MEMORY = -12, BUSY = -16, NO_DEVICE = -19, INVALID = -22 };

#define QUEUE 64

struct queue {
  unsigned head;
  unsigned tail;
  unsigned char data[QUEUE];
};

struct driver {
  int present;
  int users;
  int enabled;
  int asynchronous;
  struct queue *queue;
};

static struct driver mouse;

/// The monitor: what is dereferenced is not null.
static void use(const void *pointer) {
  if (pointer == 0)
    goto ERROR;
  return;
ERROR:
  reach_error();
}

// ---- the hardware ----

static int poll_status(void) {
  while (!__VERIFIER_nondet_bool())
    if (!__VERIFIER_nondet_bool())
      return 0; // the time is over
  return 1;
}

static int write_device(int value) {
  if (!poll_status())
    return NO_DEVICE;
  (void)value;
  return OK;
}

static int enable(struct driver *m) {
  if (write_device(0xf4) != OK)
    return NO_DEVICE;
  m->enabled = 1;
  return OK;
}

static void disable(struct driver *m) {
  write_device(0xf5);
  m->enabled = 0;
}

// ---- the queue ----

static int is_empty(const struct queue *q) {
  use(q);
  return q->head == q->tail;
}

static unsigned char get(struct queue *q) {
  unsigned char byte;
  use(q);
  byte = q->data[q->tail];
  q->tail = (q->tail + 1) % QUEUE;
  return byte;
}

static void put(struct queue *q, unsigned char byte) {
  unsigned head;
  use(q);
  head = (q->head + 1) % QUEUE;
  if (head != q->tail) {
    q->data[q->head] = byte;
    q->head = head;
  }
}

static struct queue *new_queue(void) {
  struct queue *q = 0;
  if (__VERIFIER_nondet_bool())
    q = malloc(sizeof(struct queue));
#ifndef TRUST_ALLOCATION
  if (q == 0)
    return 0;
#endif
  use(q);
  q->head = 0;
  q->tail = 0;
  return q;
}

// ---- file operations ----

static int open_mouse(struct driver *m) {
  int status;
  if (!m->present)
    return NO_DEVICE;
  if (m->users > 0) {
    if (m->users >= 100)
      return BUSY;
    m->users++;
    return OK;
  }
  m->queue = new_queue();
  if (m->queue == 0)
    return NO_MEMORY;
  status = enable(m);
  if (status != OK) {
    free(m->queue);
    m->queue = 0;
    return status;
  }
  m->users = 1;
  return OK;
}

static int release_mouse(struct driver *m) {
  if (m->users <= 0)
    return INVALID;
  m->asynchronous = 0;
  m->users--;
  if (m->users > 0)
    return OK;
#ifdef KEEP_INTERRUPTS
  if (m->asynchronous)
#endif
    disable(m);
  free(m->queue);
  m->queue = 0;
  return OK;
}

static int read_mouse(struct driver *m, int count) {
  int copied = 0;
  if (m->users <= 0)
    return INVALID;
  if (count <= 0)
    return 0;
  if (is_empty(m->queue))
    return AGAIN;
  while (copied < count && !is_empty(m->queue)) {
    get(m->queue);
    copied++;
  }
  return copied;
}

static int write_mouse(struct driver *m, int count) {
  int written = 0;
  if (m->users <= 0 || count < 0)
    return INVALID;
  while (written < count) {
    if (write_device(__VERIFIER_nondet_uchar()) != OK)
      return written > 0 ? written : NO_DEVICE;
    written++;
  }
  return written;
}

static int poll_mouse(struct driver *m) {
#ifndef POLL_UNOPENED
  if (m->users <= 0)
    return INVALID;
#endif
  return !is_empty(m->queue);
}

static int fasync_mouse(struct driver *m, int on) {
  if (m->users <= 0)
    return INVALID;
  m->asynchronous = on;
  return OK;
}

// ---- interrupts ----

static void interrupt(struct driver *m) {
  int bytes = 0;
  if (!m->enabled)
    return;
  while (bytes < 3 && __VERIFIER_nondet_bool()) {
    put(m->queue, __VERIFIER_nondet_uchar());
    bytes++;
  }
}

// ---- the module ----

static int load(struct driver *m) {
  m->users = 0;
  m->enabled = 0;
  m->queue = 0;
  m->present = 0;
  if (!poll_status())
    return NO_DEVICE;
  m->present = 1;
  return OK;
}

static void unload(struct driver *m) {
  while (m->users > 0)
    release_mouse(m);
  m->present = 0;
}

int main(void) {
  if (load(&mouse) != OK)
    return 1;
  while (__VERIFIER_nondet_bool()) {
    interrupt(&mouse);
    switch (__VERIFIER_nondet_uchar() % 8) {
    case 0:
      open_mouse(&mouse);
      break;
    case 1:
      release_mouse(&mouse);
      break;
    case 2:
      read_mouse(&mouse, __VERIFIER_nondet_int());
      break;
    case 3:
      write_mouse(&mouse, __VERIFIER_nondet_int());
      break;
    case 4:
      poll_mouse(&mouse);
      break;
    case 5:
      fasync_mouse(&mouse, __VERIFIER_nondet_bool());
      break;
    default:
      break;
    }
    interrupt(&mouse);
  }
  unload(&mouse);
  interrupt(&mouse);
  return 0;
}
