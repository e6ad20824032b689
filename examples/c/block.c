// The layer between file systems and disks: a spin lock is taken in make_request, handed to add_request, which returns with it
// held, and released by make_request. Only where the layer finds itself in a state that should not exist does add_request
// release the lock and call BUG(), which stops the system. Row ll_rw_block.c of [Lazy], table 1; see block-bug1.c
// for what happens if the checker does not know that about BUG().
// expect: safe

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);
extern void exit(int) __attribute__((noreturn));

#ifdef BUG_RETURNS
#define BUG() ((void)0)
#else
#define BUG() exit(1)
#endif

enum command { READ, WRITE, READ_AHEAD };

#define REQUESTS 4
#define MAX_SECTORS 128
#define MAX_BLOCKS 64

struct buffer {
  unsigned sector;
  unsigned sectors;
  int locked;
  int dirty;
  int uptodate;
};

struct request {
  int in_use;
  enum command command;
  unsigned sector;
  unsigned sectors;
};

struct queue {
  int plugged;
  int free;
  int waiting;
  unsigned head_sector;
  struct request requests[REQUESTS];
};

static struct queue queue;

// ---- the monitor of the specification ----

static int io_request_lock;

static void spin_lock(void) {
  if (io_request_lock)
    goto ERROR;
  io_request_lock = 1;
  return;
ERROR:
  reach_error();
}

static void spin_unlock(void) {
  if (!io_request_lock)
    goto ERROR;
  io_request_lock = 0;
  return;
ERROR:
  reach_error();
}

// ---- the disk ----

/// The strategy routine of the disk takes requests; it is called with the lock held.
static void request_function(struct queue *q) {
  while (q->waiting > 0 && __VERIFIER_nondet_bool()) {
    q->waiting--;
    q->free++;
  }
}

static void unplug(struct queue *q) {
  if (q->plugged) {
    q->plugged = 0;
    request_function(q);
  }
}

/// Called from the timer, without the lock.
static void generic_unplug(struct queue *q) {
  spin_lock();
  unplug(q);
  spin_unlock();
}

// ---- requests ----

static struct request *get_request(struct queue *q) {
  int i;
  if (q->free <= 0)
    return 0;
  for (i = 0; i < REQUESTS; i++) {
    if (!q->requests[i].in_use) {
      q->requests[i].in_use = 1;
      q->free--;
      return &q->requests[i];
    }
  }
  return 0;
}

/// Waits until a request is free. The lock is given up meanwhile.
static struct request *get_request_wait(struct queue *q) {
  struct request *r = 0;
  while (r == 0) {
    spin_unlock();
    generic_unplug(q);
    spin_lock();
    r = get_request(q);
    if (r == 0 && !__VERIFIER_nondet_bool())
      r = &q->requests[0]; // one that was completed meanwhile
  }
  return r;
}

/// Puts a request into the queue: called and left with the lock held.
static void add_request(struct queue *q, struct request *r, enum command command, unsigned sector, unsigned sectors) {
  if (command != READ && command != WRITE) {
    spin_unlock();
    BUG();
    return;
  }
  r->command = command;
  r->sector = sector;
  r->sectors = sectors;
  if (q->waiting == 0)
    q->plugged = 1;
  q->waiting++;
  if (!q->plugged)
    request_function(q);
}

static int attempt_merge(struct queue *q, struct buffer *b) {
  int i;
  for (i = 0; i < REQUESTS; i++) {
    struct request *r = &q->requests[i];
    if (r->in_use && r->sectors < MAX_SECTORS && r->sector + r->sectors == b->sector) {
      r->sectors += b->sectors;
      return 1;
    }
  }
  return 0;
}

static void end_io(struct buffer *b, int uptodate) {
  b->uptodate = uptodate;
  b->locked = 0;
}

/// Makes a request of a buffer, or adds it to one that is there.
static int make_request(struct queue *q, enum command command, struct buffer *b) {
  struct request *r;
  int ahead = 0;
  if (b->sectors == 0 || b->sectors > MAX_SECTORS) {
    end_io(b, 0);
    return -1;
  }
  if (command == READ_AHEAD) {
    ahead = 1;
    command = READ;
  }
  spin_lock();
  if (attempt_merge(q, b)) {
#ifdef UNLOCK_TWICE
    spin_unlock();
#endif
    goto out;
  }
  r = get_request(q);
  if (r == 0) {
    if (ahead) {
      end_io(b, 0);
      goto out;
    }
    r = get_request_wait(q);
  }
  add_request(q, r, command, b->sector, b->sectors);
out:
  spin_unlock();
  return 0;
}

// ---- what file systems call ----

static int submit(struct queue *q, enum command command, struct buffer *b) {
  if (b->locked)
    return -1;
  b->locked = 1;
  if (command == WRITE) {
    if (!b->dirty) {
      b->locked = 0;
      return 0;
    }
    b->dirty = 0;
  } else if (b->uptodate) {
    end_io(b, 1);
    return 0;
  }
  return make_request(q, command, b);
}

static void rw_blocks(struct queue *q, enum command command, int count) {
  struct buffer b;
  int i;
  for (i = 0; i < count && i < MAX_BLOCKS; i++) {
    b.sector = __VERIFIER_nondet_uint();
    b.sectors = __VERIFIER_nondet_uchar();
    b.locked = __VERIFIER_nondet_bool();
    b.dirty = __VERIFIER_nondet_bool();
    b.uptodate = __VERIFIER_nondet_bool();
    submit(q, command, &b);
  }
}

static void initialise(struct queue *q) {
  q->free = REQUESTS;
  q->waiting = 0;
  q->plugged = 0;
}

int main(void) {
  unsigned char operation;
  int count;
  initialise(&queue);
  while (__VERIFIER_nondet_bool()) {
    operation = __VERIFIER_nondet_uchar();
    count = __VERIFIER_nondet_int();
    switch (operation % 8) {
    case 0:
      rw_blocks(&queue, READ, count);
      break;
    case 1:
      rw_blocks(&queue, WRITE, count);
      break;
    case 2:
      rw_blocks(&queue, READ_AHEAD, count);
      break;
    case 3:
      // A file system that is wrong.
      rw_blocks(&queue, operation, count);
      break;
    default:
      generic_unplug(&queue);
    }
  }
  return 0;
}
